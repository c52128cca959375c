"""The Fourier transform of S, block by block: the mean of each irrep over S, with its error."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import gamma, up
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.representations import Irrep

_CHUNK = 1 << 24  # numbers of representation matrices held at a time


class Block(NamedTuple):
    """Part of the Fourier transform of S: means over S, all within `error` of the true ones.

    `values` is the mean of one irrep, a matrix, `error` its Frobenius distance from the truth at most,
    and `label` the irrep: its name, or a partition. Of an abelian group many characters make a block:
    `values` is flat, `error` that of each value, and `label` takes places in it to frequencies.
    """

    label: Any
    values: NDArray[Any]
    error: float


# The mean of m matrices (equal ones once, times their count), each within `rounding` of a unitary
# one of dimension d (Frobenius norm sqrt(d)): the sum errs by gamma(m) times the sum of absolute
# values, in Frobenius norm at most gamma(m) m (sqrt(d) + rounding), and the division by m once more;
# products of complex numbers, where tensor products are summed, stay within three times that.
def irrep_means(S: Multiset, irreps: Iterable[Irrep] | None = None) -> Iterable[Block]:
    """The blocks of these irreps, or of every one but the trivial one."""
    rows, counts = S.counts()
    for irrep in islice(S.group.irreps(), 1, None) if irreps is None else irreps:
        yield block_of(S, irrep, rows, counts)


def block_of(S: Multiset, irrep: Irrep, rows: Rows, counts: NDArray[Any]) -> Block:
    """The block of one irrep, from the distinct elements and how often each occurs."""
    length = up(math.sqrt(irrep.dimension)) + irrep.rounding
    error = up(irrep.rounding + up(3 * gamma(len(rows) + 2) * up(length)))
    return Block(irrep.name, _mean(S, irrep, rows, counts), error)


def _mean(S: Multiset, irrep: Irrep, rows: Rows, counts: NDArray[Any]) -> NDArray[Any]:
    """Over the distinct elements, each as often as it occurs."""
    if irrep.total is not None:
        return np.asarray(irrep.total(rows, counts) / S.m)
    step = max(1, _CHUNK // irrep.dimension**2)
    sums = [
        np.tensordot(counts[start : start + step], irrep.matrices(rows[start : start + step]), 1)
        for start in range(0, len(rows), step)
    ]
    return sum(sums[1:], sums[0]) / S.m
