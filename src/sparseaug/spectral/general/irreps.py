"""From Fourier blocks to the norm of D_S: the largest verified norm, and a vector that attains it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError
from sparseaug.floats import gamma, up
from sparseaug.groups import Group, Irrep, Rows
from sparseaug.groups.product import Tensor
from sparseaug.sampling import GroupSample
from sparseaug.spectral.effort import announce
from sparseaug.spectral.general.tensors import (
    LARGEST_DENSE,
    LARGEST_TENSOR,
    tensor_mean,
    tensor_norm,
)
from sparseaug.spectral.result import Block, Norm, Progress, larger_norm, shared, stated
from sparseaug.spectral.verify.lanczos import FAILURE_PROBABILITY, STARTS
from sparseaug.spectral.verify.threads import Threads
from sparseaug.spectral.verify.verified import norm_lower, norm_upper

MOST_IRREPS = 20_000
"""Irreps that are looked at one by one."""

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
        share = shared(failure_probability, len(large))
        norm = tensor_norm(S, irrep, power=power, failure_probability=share)
        found = larger_norm(found, norm)
        if progress:
            progress(done, len(irreps))
    return stated(found, failure_probability)


def listed_irreps(group: Group) -> list[Irrep]:
    """All irreps; a `GroupTooLargeError` if they are too many, or if one is too large."""
    largest = LARGEST_TENSOR if group.factors else LARGEST_DENSE
    found: list[Irrep] = []
    for irrep in group.irreps():
        found.append(irrep)
        large = irrep.dimension > largest
        if large or len(found) > MOST_IRREPS:
            given = (
                f"an irrep of dimension {irrep.dimension}"
                if large
                else f"over {MOST_IRREPS} irreps"
            )
            raise GroupTooLargeError(
                f"{group.name} has {given}; at most {MOST_IRREPS} of dimension up to {largest} are "
                "looked at one by one: use another method=, degree= or action=."
            )
    return found


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
