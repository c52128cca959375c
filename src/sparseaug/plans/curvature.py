"""The largest curvature of a risk at theta, from a few gradients: Lanczos on their differences.

H u is the difference of the gradients at theta + h u and theta, over h. After k steps the largest Ritz
value is a lower estimate of the largest |eigenvalue|, within a few percent where it stands out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.sampling.keys import keyed_rng

Floats = NDArray[np.float64]

STEPS = 4
"""Products with the Hessian, one mean gradient each."""


def largest_curvature(
    gradient: Callable[[Floats], Floats], base: Floats, *, size: float, eps: float
) -> float:
    """The largest |Ritz value| of the Hessian.

    Args:
        gradient: at theta + a given vector
        base: the gradient at theta
        size: the norm of theta
        eps: rounding unit of the gradients
    """
    step = np.sqrt(eps) * (1 + size)
    u = keyed_rng(0, "pilot smoothness").standard_normal(len(base))
    u /= np.linalg.norm(u)
    basis: list[Floats] = [u]
    diagonal: list[float] = []
    off: list[float] = []
    for _ in range(min(STEPS, len(base))):
        w = (gradient(step * basis[-1]) - base) / step
        diagonal.append(float(w @ basis[-1]))
        for v in basis:
            w = w - (w @ v) * v
        norm = float(np.linalg.norm(w))
        if norm <= np.sqrt(eps) * max(map(abs, diagonal)):
            break
        off.append(norm)
        basis.append(w / norm)
    k = len(diagonal)
    matrix: Any = np.diag(diagonal) + np.diag(off[: k - 1], 1) + np.diag(off[: k - 1], -1)
    return float(abs(np.linalg.eigvalsh(matrix)).max())
