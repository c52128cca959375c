"""From Fourier blocks to the norm of D_S: the largest verified norm, and a vector that attains it.

Large irreps of a direct product: the mean of X_j (x) Y_j applied to vectors, never formed.

With the vector as a matrix V, (X (x) Y) v is X V Y^T: two products with small matrices instead of one
with a large one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from sparseaug._floats import UNIT, gamma, up
from sparseaug.errors import UnsupportedError
from sparseaug.groups import Irrep, Rows
from sparseaug.groups.product import Tensor
from sparseaug.groups.representations import LARGEST_DENSE, listed_irreps
from sparseaug.sampling import GroupSample
from sparseaug.spectral.lanczos import (
    FAILURE_PROBABILITY,
    STARTS,
    Operator,
    Threads,
    lanczos_norm,
)
from sparseaug.spectral.norm import (
    Block,
    Norm,
    Progress,
    announce,
    equal_share,
    larger_norm,
    restate,
)
from sparseaug.spectral.verified import norm_lower, norm_upper

_CHUNK = 1 << 24  # numbers of representation matrices held at a time


def largest_norm(
    blocks: Iterable[Block],
    *,
    total: int,
    power: int = 1,
    progress: Progress | None = None,
) -> Norm:
    """Bounds on the largest ||A^power|| over the blocks A, each of norm at most 1 in truth."""
    worst = Norm(0.0, 0.0, "")
    best: Block | None = None
    threads = Threads()
    for done, block in enumerate(blocks):
        with threads.for_size(len(block.values)):
            block = matrix_power(block, power)
            upper = norm_upper(block.values, block.error, at_most=worst.upper or None)
        if best is None or upper > worst.upper:
            worst, best = Norm(upper, 0.0), block
        if progress:
            progress(done + 1, total)
    if best is None:
        return worst
    with threads.for_size(len(best.values)):
        return Norm(min(1.0, worst.upper), norm_lower(best.values, best.error), str(best.label))


def irreps_norm(
    S: GroupSample,
    *,
    power: int = 1,
    failure_probability: float = FAILURE_PROBABILITY,
    progress: Progress | None = None,
) -> Norm:
    """The norm of D_S^power for a group whose `irreps()` are known, block by block.

    Of a direct product's large irreps not even the mean is formed: they are applied as tensor
    products, and the bound then fails with `failure_probability`, in equal shares.
    """
    irreps = listed_irreps(S.group)[1:]  # without the trivial one
    _announce(S, irreps, power)
    large = [irrep for irrep in irreps if irrep.dimension > LARGEST_DENSE]
    found = largest_norm(irrep_means(S), total=len(irreps), power=power, progress=progress)
    for done, irrep in enumerate(large, start=len(irreps) - len(large) + 1):
        share = equal_share(failure_probability, len(large))
        norm = tensor_norm(S, irrep, power=power, failure_probability=share)
        found = larger_norm(found, norm)
        if progress:
            progress(done, len(irreps))
    return restate(found, failure_probability)


# Measured on one core: 0.2 microseconds for each entry of a matrix that is made (Young's form from
# products of transpositions), 10^10 operations a second in products, Cholesky and Lanczos, and
# 200 steps for each start.
def _announce(S: GroupSample, irreps: list[Irrep], power: int) -> None:
    k = len(S.counts()[0])
    seconds, memory = 0.0, 0.0
    for irrep in irreps:
        size = irrep.dimension
        parts = [size]
        if isinstance(irrep.matrices, Tensor):
            parts = sorted(part.dimension for part in irrep.matrices.irreps)
        made = sum(part * part for part in parts)
        if size <= LARGEST_DENSE:
            operations = k * size**2 + power.bit_length() * size**3
            memory = max(memory, 32.0 * size**2)
        else:
            d = parts[-1]
            c = size // d
            made += c * c
            operations = STARTS * 200 * min(power, 64) * 4 * k * size * (c + d)
            memory = max(memory, 8.0 * k * (3 * c * c + d * d + size))
        seconds += 2e-7 * k * made + 1e-10 * operations
    announce(
        f"the norm on all {len(irreps)} irreps of {S.group.name} at {k} distinct elements",
        seconds=seconds,
        memory=memory,
        instead="restrict the norm with degree= or action=, or use fewer elements.",
    )


# The mean of m matrices (equal ones once, times their count), each within `rounding` of a unitary
# one of dimension d (Frobenius norm sqrt(d)): the sum errs by gamma(m) times the sum of absolute
# values, in Frobenius norm at most gamma(m) m (sqrt(d) + rounding), and the division by m once more;
# products of complex numbers, where tensor products are summed, stay within three times that.
def irrep_means(S: GroupSample) -> Iterable[Block]:
    """The blocks of every irrep but the trivial one, up to dimension LARGEST_DENSE."""
    rows, counts = S.counts()
    irreps = S.group.irreps()
    next(irreps)  # the trivial one
    for irrep in irreps:
        if irrep.dimension <= LARGEST_DENSE:
            yield _block(S, irrep, rows, counts)


def block_of(S: GroupSample, irrep: Irrep) -> Block:
    """The block of one irrep."""
    return _block(S, irrep, *S.counts())


def _block(S: GroupSample, irrep: Irrep, rows: Rows, counts: Rows) -> Block:
    length = up(math.sqrt(irrep.dimension)) + irrep.rounding
    error = up(irrep.rounding + up(3 * gamma(len(rows) + 2) * up(length)))
    return Block(irrep.name, _mean(S, irrep, rows, counts), error)


def _mean(S: GroupSample, irrep: Irrep, rows: Rows, counts: Rows) -> NDArray[Any]:
    """Over the distinct elements, each as often as it occurs."""
    if isinstance(irrep.matrices, Tensor):
        return tensor_mean(rows, counts, irrep.matrices) / S.m
    step = max(1, _CHUNK // irrep.dimension**2)
    sums = [
        np.tensordot(counts[start : start + step], irrep.matrices(rows[start : start + step]), 1)
        for start in range(0, len(rows), step)
    ]
    return sum(sums[1:], sums[0]) / S.m


# For X, Y of true norm at most 1, known within x and y: the computed product is within
# x (1 + y) + y + d ||X||_F ||Y||_F of XY, where d is the rounding of one inner product.
def matrix_power(block: Block, power: int) -> Block:
    """A^power with its error, by repeated squaring."""
    result: Block | None = None
    square = block
    while power:
        if power & 1:
            result = square if result is None else _product(result, square)
        power >>= 1
        if power:
            square = _product(square, square)
    if result is None:
        raise ValueError("power must be positive")
    return result


def _product(left: Block, right: Block) -> Block:
    if max(left.error, right.error) >= 1.0:  # nothing is known but that the norm is at most 1
        return Block(left.label, 0 * left.values, 1.0)
    xp = array_namespace(left.values)
    size = left.values.shape[0]
    dot = 1.5 * gamma(2 * size) if left.values.dtype == xp.complex128 else gamma(size)
    lengths = [float(xp.linalg.vector_norm(each.values)) for each in (left, right)]
    rounding = dot * lengths[0] * lengths[1] * (1 + gamma(4 * size * size + 4))
    error = left.error * (1 + right.error) + right.error + rounding
    return Block(left.label, left.values @ right.values, error * (1 + 2.0**-40))


_TENSOR_CHUNK = 4096  # elements whose matrices are held at a time


def tensor_mean(rows: Rows, counts: Rows, tensor: Tensor) -> NDArray[Any]:
    """The weighted sum of X_j (x) Y_j by matrix products over j, without the single tensor products."""
    sums: Any = 0.0
    for start in range(0, len(rows), _TENSOR_CHUNK):
        left, right = _two_factors(rows[start : start + _TENSOR_CHUNK], tensor)
        k, c, d = len(left), left.shape[1], right.shape[1]
        weighted = left * counts[start : start + _TENSOR_CHUNK, None, None]
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
