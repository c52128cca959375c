"""Large irreps of a direct product: the mean of X_j (x) Y_j applied to vectors, never formed.

With the vector as a matrix V, (X (x) Y) v is X V Y^T: two products with small matrices instead of one
with a large one.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import UnsupportedError
from sparseaug.floats import UNIT, gamma
from sparseaug.groups import Irrep, Rows
from sparseaug.groups.product import Tensor
from sparseaug.sampling import GroupSample
from sparseaug.spectral.result import Norm
from sparseaug.spectral.verify.lanczos import FAILURE_PROBABILITY, Operator, lanczos_norm

LARGEST_DENSE = 5_000
"""Irreps up to this dimension are formed and verified."""

LARGEST_TENSOR = 1_000_000
"""Irreps of a direct product up to this dimension are applied to vectors."""

_CHUNK = 4096  # elements whose matrices are held at a time


def tensor_mean(rows: Rows, counts: Rows, tensor: Tensor) -> NDArray[Any]:
    """The weighted sum of X_j (x) Y_j by matrix products over j, without the single tensor products."""
    sums: Any = 0.0
    for start in range(0, len(rows), _CHUNK):
        left, right = _two_factors(rows[start : start + _CHUNK], tensor)
        k, c, d = len(left), left.shape[1], right.shape[1]
        weighted = left * counts[start : start + _CHUNK, None, None]
        sums = sums + weighted.reshape(k, c * c).T @ right.reshape(k, d * d)
    return sums.reshape(c, c, d, d).transpose(0, 2, 1, 3).reshape(c * d, c * d)


def tensor_norm(
    S: GroupSample,
    irrep: Irrep,
    *,
    power: int = 1,
    failure_probability: float = FAILURE_PROBABILITY,
) -> Norm:
    """Bounds of the norm of the mean's power on one irrep of a direct product, by Lanczos.

    The lower bound is certain; the upper one fails with `failure_probability`.
    """
    tensor = irrep.matrices
    if not isinstance(tensor, Tensor):
        raise UnsupportedError(
            f"the irrep {irrep.name} of {S.group.name}, of dimension {irrep.dimension}, is too large; "
            "restrict the norm with degree= or action=."
        )
    found = lanczos_norm(
        _operator(S, tensor, irrep.rounding),
        power=power,
        key=f"{S.sha256} {irrep.name}",
        failure_probability=failure_probability,
    )
    return found.at(irrep.name)


# Rounding. T_j = V Y_j^T errs by gamma(d) |V| |Y_j|^T, in Frobenius norm gamma(d) sqrt(d) ||V|| since
# || |Y| || <= ||Y||_F = sqrt(d); the sum over the k distinct elements and the columns of X_j, k c
# terms for each entry, and their factor w_j, how often g_j occurs, by gamma(k c + 1) times the sum of
# w_j |X_j| |T_j|, at most gamma(k c + 1) m sqrt(c) ||V|| (1 + the first); the division by m once
# more. The matrices themselves are within `rounding` of unitary ones. The factor 1.01 covers
# the second-order terms, all below 1e-6.
def _operator(S: GroupSample, tensor: Tensor, rounding: float) -> Operator:
    elements, counts = S.counts()
    left, right = _two_factors(elements, tensor)
    left = _real(left) * counts[:, None, None]
    if np.iscomplexobj(right):
        if left.shape[1] > 1:
            raise UnsupportedError("two large complex irreps in one tensor product.")
        right = _real(right)
    k, c, d = len(elements), left.shape[1], right.shape[1]
    rows = np.ascontiguousarray(left.transpose(1, 0, 2)).reshape(c, k * c)  # [a, (j, b)]
    columns = np.ascontiguousarray(left.transpose(2, 0, 1)).reshape(c, k * c)

    def apply(v: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = v.reshape(c, d) @ right.transpose(0, 2, 1)  # (k, c, d)
        return (rows @ moved.reshape(k * c, d)).ravel() / S.m

    def apply_transpose(v: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = v.reshape(c, d) @ right
        return (columns @ moved.reshape(k * c, d)).ravel() / S.m

    error = gamma(d) * math.sqrt(d) + gamma(k * c + 1) * math.sqrt(c) + rounding + 2 * UNIT
    return Operator(c * d, apply, apply_transpose, 1.01 * error)


def _two_factors(rows: Rows, tensor: Tensor) -> tuple[NDArray[Any], NDArray[Any]]:
    """The matrices of the largest factor, and of the tensor product of all others, before it.

    The order of the factors does not matter for norms.
    """
    parts = tensor.group.split(rows)
    factors = [i.matrices(part) for i, part in zip(tensor.irreps, parts, strict=True)]
    factors.sort(key=lambda matrices: matrices.shape[1])
    return reduce(_pairwise_kron, factors[:-1]), factors[-1]


def _pairwise_kron(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    size = left.shape[1] * right.shape[1]
    return np.einsum("jab,jcd->jacbd", left, right).reshape(len(left), size, size)


def _real(matrices: NDArray[Any]) -> NDArray[np.float64]:
    """x + iy as [[x, -y], [y, x]], which has the same norm."""
    if not np.iscomplexobj(matrices) or not matrices.imag.any():
        return np.ascontiguousarray(matrices.real)
    x, y = matrices.real, matrices.imag
    return np.concatenate([np.concatenate([x, -y], axis=2), np.concatenate([y, x], axis=2)], axis=1)
