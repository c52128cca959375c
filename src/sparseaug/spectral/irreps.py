"""From Fourier blocks to the norm of D_S: the largest verified norm, and a vector that attains it.

Of a direct product the mean of X_j (x) Y_j is one product of matrices, over j.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, silent
from sparseaug._floats import gamma, up
from sparseaug.groups import Irrep, Rows
from sparseaug.groups.degrees import Degree
from sparseaug.groups.product import Tensor
from sparseaug.groups.representations import listed_irreps
from sparseaug.sampling import GroupSample
from sparseaug.spectral.lanczos import Threads
from sparseaug.spectral.norm import Block, Norm, announce
from sparseaug.spectral.verified import norm_lower, norm_upper

_CHUNK = 1 << 24  # numbers of representation matrices held at a time


def largest_norm(blocks: Iterable[Block], *, total: int, progress: Progress = silent) -> Norm:
    """Bounds on the largest ||A|| over the blocks A, each of norm at most 1 in truth."""
    labelled = ((0, block) for block in reported(blocks, total, progress))
    return largest_norms(labelled).get(0, Norm(0.0, 0.0))


def reported(blocks: Iterable[Block], total: int, progress: Progress) -> Iterator[Block]:
    """The blocks; each is reported when the next one is asked for."""
    for done, block in enumerate(blocks, start=1):
        yield block
        progress(done, total)


def largest_norms(
    blocks: Iterable[tuple[Degree, Block]],
    *,
    upper: Callable[..., float] = norm_upper,
    lower: Callable[..., float] = norm_lower,
    at_most: float = 1.0,
) -> dict[Degree, Norm]:
    """Bounds on the largest ||A|| over the blocks A of each degree; the largest ones first are best.

    Gram matrices A*A take `root_upper` and `root_lower` in place of the norms' bounds. In truth no
    norm is above `at_most`: 1 of means without negative weights.
    """
    found: dict[Degree, Norm] = {}
    worst: dict[Degree, float] = {}
    threads = Threads()
    for degree, block in blocks:
        with threads.for_size(len(block.values)):
            size = upper(block.values, block.error, at_most=worst.get(degree))
            if degree not in worst or size > worst[degree]:
                worst[degree] = size
                least = min(at_most, lower(block.values, block.error))
                found[degree] = Norm(min(at_most, size), least, str(block.label))
    return found


def irreps_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """The norm of D_S for a group whose `irreps()` are known, block by block."""
    irreps = listed_irreps(S.group)[1:]  # without the trivial one
    announce_irreps(S, irreps)
    return largest_norm(irrep_means(S), total=len(irreps), progress=progress)


# Measured on one core: 0.2 microseconds for each entry of a matrix that is made (Young's form from
# products of transpositions), 10^10 operations a second in products and Cholesky.
def announce_irreps(S: GroupSample, irreps: list[Irrep]) -> None:
    """What the means of all irreps over S will take."""
    k = len(S.counts()[0])
    seconds, memory = 0.0, 0.0
    for irrep in irreps:
        size = irrep.dimension
        factors = irrep.matrices.irreps if isinstance(irrep.matrices, Tensor) else (irrep,)
        made = sum(factor.dimension**2 for factor in factors)
        seconds += 2e-7 * k * made + 1e-10 * (k * size**2 + size**3)
        memory = max(memory, 32.0 * size**2)
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
    """The blocks of every irrep but the trivial one."""
    rows, counts = S.counts()
    for irrep in islice(S.group.irreps(), 1, None):
        yield block_of(S, irrep, rows, counts)


def block_of(S: GroupSample, irrep: Irrep, rows: Rows, counts: NDArray[Any]) -> Block:
    """The block of one irrep, from the distinct elements and how often each occurs."""
    length = up(math.sqrt(irrep.dimension)) + irrep.rounding
    error = up(irrep.rounding + up(3 * gamma(len(rows) + 2) * up(length)))
    return Block(irrep.name, _mean(S, irrep, rows, counts), error)


def _mean(S: GroupSample, irrep: Irrep, rows: Rows, counts: NDArray[Any]) -> NDArray[Any]:
    """Over the distinct elements, each as often as it occurs."""
    if isinstance(irrep.matrices, Tensor):
        return tensor_mean(rows, counts, irrep.matrices) / S.m
    step = max(1, _CHUNK // irrep.dimension**2)
    sums = [
        np.tensordot(counts[start : start + step], irrep.matrices(rows[start : start + step]), 1)
        for start in range(0, len(rows), step)
    ]
    return sum(sums[1:], sums[0]) / S.m


_TENSOR_CHUNK = 4096  # elements whose matrices are held at a time


def tensor_mean(rows: Rows, counts: NDArray[Any], tensor: Tensor) -> NDArray[Any]:
    """The weighted sum of X_j (x) Y_j by matrix products over j, without the single tensor products."""
    sums: Any = 0.0
    for start in range(0, len(rows), _TENSOR_CHUNK):
        left, right = _two_factors(rows[start : start + _TENSOR_CHUNK], tensor)
        k, c, d = len(left), left.shape[1], right.shape[1]
        weighted = left * counts[start : start + _TENSOR_CHUNK, None, None]
        sums = sums + weighted.reshape(k, c * c).T @ right.reshape(k, d * d)
    return sums.reshape(c, c, d, d).transpose(0, 2, 1, 3).reshape(c * d, c * d)


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
