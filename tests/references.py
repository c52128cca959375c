"""What the library's results are compared with: by the definition, densely, without its engines."""

from __future__ import annotations

import ast
from itertools import combinations, product
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


def functions_of_degree(group: sa.groups.Group, degree: int) -> NDArray[Any]:
    """An orthonormal basis (|G|, r) of the functions on G of at most this degree.

    Of a dihedral group those of the frequencies |j| <= degree on turns and on flips; of other groups
    with degrees of irreps their matrix entries; of a product the products of its factors' functions;
    else those of `degree` entries of a row, or of the images of `degree` points.
    """
    rows = group.unrank(np.arange(group.order))
    if group.factors:
        found = _of_products(group, degree)
    elif isinstance(group, sa.groups.Dihedral):
        waves = np.exp(2j * np.pi * np.outer(rows[:, 0], np.arange(-degree, degree + 1)) / group.n)
        found = np.concatenate([waves * (rows[:, 1:] == f) for f in (0, 1)], axis=1)
    elif group.irreps_have_degrees:
        kept = [irrep for irrep in group.irreps() if (irrep.degree or 0) <= degree]
        found = np.concatenate([i.matrices(rows).reshape(len(rows), -1) for i in kept], axis=1)
    else:
        columns = rows if group.moduli else group.permutations(rows)
        found = np.zeros((len(rows), len(rows)))  # the sum of f f* over all indicators f
        for places in combinations(range(columns.shape[1]), min(degree, columns.shape[1])):
            own = columns[:, places]
            found += (own[:, None] == own[None]).all(axis=2)
    left, sizes, _ = np.linalg.svd(found, full_matrices=False)
    return left[:, sizes > 1e-9 * sizes[0]]


def _of_products(group: sa.groups.Group, degree: int) -> NDArray[Any]:
    """Spans of products f_1(g_1) ... f_r(g_r), the degrees of the f_i adding up."""
    ways = [d for d in product(range(degree + 1), repeat=len(group.factors)) if sum(d) == degree]
    parts = []
    for degrees in ways:
        basis = np.ones((1, 1))
        for factor, own in zip(group.factors, degrees, strict=True):
            highest = min(own, factor.highest_degree or 0)
            basis = np.kron(basis, functions_of_degree(factor, highest))
        parts.append(basis)
    return np.concatenate(parts, axis=1)


def dense_norm_by_degree(S: sa.GroupSample, degree: int) -> float:
    """The norm of D_S on the functions of at most this degree."""
    return float(np.linalg.norm(dense_difference(S) @ functions_of_degree(S.group, degree), 2))


def degree_of_irrep(factor: sa.groups.Group, irrep: sa.groups.Irrep) -> int:
    """n - lambda_1 for S_n, n - alpha_1 for B_n; of a character, its non-zero frequencies."""
    if factor.transform == "young":
        shape = ast.literal_eval(irrep.name)
        return sum(shape) - shape[0]
    if isinstance(factor, sa.groups.Hyperoctahedral):
        alpha, beta = map(ast.literal_eval, irrep.name.split("|"))
        return sum(alpha) + sum(beta) - (alpha[0] if alpha else 0)
    values = irrep.matrices(np.eye(factor.width, dtype=np.int64))[:, 0, 0]
    return int((abs(values - 1) > 1e-9).sum())
