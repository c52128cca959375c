"""All characters of an abelian group at weighted elements, as a product of two small matrices.

A frequency is a sum a = h + l, hence chi_a(g) = chi_h(g) chi_l(g), and the means over S are
    f(h + l) = sum_j chi_h(g_j) w_j chi_l(g_j),
a (rows x k) times (k x columns) product that never needs a table of the group: blocks of it are
made and dropped. The rounding of such a product is known whatever the order of the group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import UNIT
from sparseaug.groups import Rows
from sparseaug.groups.fourier import Block
from sparseaug.groups.permutations import digits_of_rank
from sparseaug.norms.abelian.roots import ROOT_ERROR, phases, roots

# The error. Write r for ROOT_ERROR. The weights w_j = c_j / m are rounded once and sum to at most 1.
# Left factors err by at most r + u, right ones by w_j (r + 3 u) (weight and product). The product
# itself errs by sqrt(2) gamma(2 k) sum_j w_j (see `verified`: complex sums of k terms, any order, no
# Strassen). np.abs, a hypot, is taken to be within 4 ulps. Second-order terms and underflow are covered
# by the factor 1.01, as k u is below 0.01 for every sample that fits in memory.

ENTRIES = 1 << 21
"""Values in a block, 32 megabytes: large products, which still stay in cache."""

COLUMNS = 1 << 13
"""Right factors that are kept while the left ones go by."""


class Split(NamedTuple):
    """Which frequencies are left and right factors.

    Since f(-a) is the conjugate of f(a), the largest axis runs over 0..n//2 only. The right factors
    take whole axes, the smallest first; the largest axis is cut as a = step * high + low.
    """

    left: tuple[int, ...]  # radices of the left frequencies, axis by axis
    right: tuple[int, ...]
    largest: int  # axis
    step: int


def split(moduli: tuple[int, ...]) -> Split:
    """Cut the frequencies into about `COLUMNS` right factors, or the root of the order, and the rest.

    Examples:
        >>> from sparseaug.norms.abelian.products import split
        >>> split((10**8,)).left, split((10**8,)).step, split((512, 512)).right
        ((6104,), 8192, (1, 512))
    """
    left, right = list(moduli), [1] * len(moduli)
    largest = int(np.argmax(moduli))
    others = [axis for axis in np.argsort(moduli, kind="stable").tolist() if axis != largest]
    size, columns = 1, min(COLUMNS, math.isqrt(math.prod(moduli)))
    for axis in others:
        if size * moduli[axis] > columns and size >= 64:
            break
        left[axis], right[axis] = 1, moduli[axis]
        size *= moduli[axis]
    half = moduli[largest] // 2 + 1
    # step * high + low stays below n // 2 + step <= n, so only 0 is the trivial frequency.
    step = max(1, min(columns // size, moduli[largest] // 2))
    left[largest], right[largest] = -(-half // step), step
    return Split(tuple(left), tuple(right), largest, step)


def product_blocks(rows: Rows, counts: Rows, moduli: tuple[int, ...], *, m: int) -> Iterator[Block]:
    """Every f(a) = (1/m) sum_j c_j chi_a(g_j), a up to sign; a = 0 is the first value of all.

    A few frequencies, never 0, may occur twice. The blocks depend on the moduli alone.
    """
    plan = split(moduli)
    common = math.lcm(*moduli)
    width, height = math.prod(plan.right), math.prod(plan.left)
    error = product_error(len(rows))
    weights = counts / m
    for first, last in _ranges(width, COLUMNS):
        low = _unrank(plan.right, first, last)
        factor = (roots(phases(low, rows, moduli), common) * weights).T
        for start, stop in _ranges(height, max(1, ENTRIES // (last - first))):
            high = _unrank(plan.left, start, stop)
            high[:, plan.largest] *= plan.step
            left = roots(phases(high, rows, moduli), common)
            yield Block(_pairs(high, low, moduli), (left @ factor).reshape(-1), error)


def half_of_means(
    rows: Rows, counts: Rows, moduli: tuple[int, ...], *, m: int
) -> tuple[Rows, NDArray[np.complex128], float]:
    """Frequencies, f of them, and its error: those whose largest axis is up to n//2, 0 first.

    Of a and -a that is one, or both where this axis has frequency 0 or n/2.
    """
    frequencies, values = [], []
    for block in product_blocks(rows, counts, moduli, m=m):
        some = block.label(np.arange(len(block.values)))
        kept = 2 * some[:, (axis := int(np.argmax(moduli)))] <= moduli[axis]
        frequencies.append(some[kept])
        values.append(block.values[kept])
    return np.concatenate(frequencies), np.concatenate(values), product_error(len(rows))


def count_blocks(moduli: tuple[int, ...]) -> int:
    """How many blocks `product_blocks` makes."""
    plan = split(moduli)
    width, height = math.prod(plan.right), math.prod(plan.left)
    return sum(
        -(-height // max(1, ENTRIES // (last - first))) for first, last in _ranges(width, COLUMNS)
    )


def product_error(k: int) -> float:
    """At least |computed - true| for each value, and for its np.abs."""
    factors = 2 * ROOT_ERROR + 2 * UNIT + 2 * UNIT
    product = math.sqrt(2.0) * (2 * k * UNIT) / (1 - 2 * k * UNIT)
    return 1.01 * (factors + product + 4 * UNIT)


def _pairs(high: Rows, low: Rows, moduli: tuple[int, ...]) -> Callable[[NDArray[np.intp]], Rows]:
    def frequencies(index: NDArray[np.intp]) -> Rows:
        return (high[index // len(low)] + low[index % len(low)]) % np.array(moduli, np.int64)

    return frequencies


def _unrank(radices: tuple[int, ...], start: int, stop: int) -> Rows:
    return digits_of_rank(np.array(radices, np.int64), np.arange(start, stop)).T.copy()


def _ranges(total: int, step: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + step, total)) for start in range(0, total, step))
