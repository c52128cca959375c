"""What the library's results are compared with: by the definition, densely, without its engines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparseaug as sa


def dense_difference(S: sa.GroupSample) -> NDArray[np.float64]:
    """D_S = Pi_S - Pi_G on l2(G), column by column: (L_g f)(h) = f(g^-1 h)."""
    group, n = S.group, S.group.order
    everything = group.unrank(np.arange(n))
    matrix = np.full((n, n), -1.0 / n)
    for g in S.elements:
        matrix[group.rank(group.compose(g[None], everything)), np.arange(n)] += 1.0 / S.m
    return matrix


def expansion_norm(kernel: sa.kernels.Kernel, centers: Any, coefficients: Any) -> float:
    """||h|| of h = sum_i c_i k(., z_i): <h, h> = sum_ij c_i c_j k(z_i, z_j)."""
    c = np.asarray(coefficients, float)
    return float(np.sqrt(max(0.0, (kernel(centers, centers) @ c) @ c)))


def dense_norm(S: sa.GroupSample) -> float:
    """The norm of D_S in the regular representation."""
    return float(np.linalg.norm(dense_difference(S), 2))
