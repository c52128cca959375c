"""All characters of an abelian group at weighted elements, as a product of two small matrices.

A frequency is a sum a = h + l, hence chi_a(g) = chi_h(g) chi_l(g), and the means over S are
    f(h + l) = sum_j chi_h(g_j) w_j chi_l(g_j),
a (rows x k) times (k x columns) product that never needs a table of the group: blocks of it are
made and dropped. The rounding of such a product is known whatever the order of the group.
"""

# The error. Write u' for the unit of the working precision and r for ROOT_ERROR. The weights
# w_j = c_j / m are rounded once and sum to at most 1. Left factors err by at most r + u'
# (the cast), right ones by w_j (r + 2 u + u') (weight, product, cast). The product itself errs by
# sqrt(2) gamma'(2 k) sum_j w_j (see `verified`: complex sums of k terms, any order, no Strassen).
# np.abs, a hypot, is taken to be within 4 ulps. Second-order terms and underflow (2 k terms below
# 2^-126 in single precision) are covered by the factor 1.01, since k u' < 0.01 is required.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.floats import UNIT
from sparseaug.groups import Rows
from sparseaug.groups.digits import digits_of_rank
from sparseaug.spectral.abelian.roots import ROOT_ERROR, phases, roots
from sparseaug.spectral.result import Block

ENTRIES = 1 << 21
"""Values in a block, 16 megabytes in single precision: large products, which still stay in cache."""

COLUMNS = 1 << 13
"""Right factors that are kept while the left ones go by."""

Frequencies: TypeAlias = Callable[[NDArray[np.intp]], Rows]


@dataclass(frozen=True)
class Split:
    """Which frequencies are left and right factors.

    Since f(-a) is the conjugate of f(a), the largest axis runs over 0..n//2 only. The right factors
    take whole axes, the smallest first; the largest axis is cut as a = step * high + low.
    """

    moduli: tuple[int, ...]
    left: tuple[int, ...]  # radices of the left frequencies, axis by axis
    right: tuple[int, ...]
    step: int

    @property
    def axis(self) -> int:
        """The largest axis."""
        return int(np.argmax(self.moduli))

    def left_rows(self, start: int, stop: int) -> Rows:
        """Frequencies h number start..stop-1."""
        rows = _unrank(self.left, start, stop)
        rows[:, self.axis] *= self.step
        return rows

    def right_rows(self, start: int, stop: int) -> Rows:
        """Frequencies l number start..stop-1."""
        return _unrank(self.right, start, stop)


def split(moduli: tuple[int, ...]) -> Split:
    """Cut the frequencies into about `COLUMNS` right factors, or the root of the order, and the rest.

    Examples:
        >>> split((10**8,)).left, split((10**8,)).step, split((512, 512)).right
        ((6104,), 8192, (1, 512))
    """
    left, right = list(moduli), [1] * len(moduli)
    largest = int(np.argmax(moduli))
    others = sorted(
        (axis for axis in range(len(moduli)) if axis != largest), key=moduli.__getitem__
    )
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
    return Split(moduli, tuple(left), tuple(right), step)


def product_blocks(
    rows: Rows,
    counts: Rows,
    moduli: tuple[int, ...],
    *,
    m: int,
    dtype: type[np.complexfloating[Any, Any]],
) -> Iterator[Block]:
    """Every f(a) = (1/m) sum_j c_j chi_a(g_j), a up to sign; a = 0 is the first value of all.

    A few frequencies, never 0, may occur twice. The blocks depend on the moduli alone.
    """
    plan = split(moduli)
    common = math.lcm(*moduli)
    width, height = math.prod(plan.right), math.prod(plan.left)
    error = product_error(len(rows), dtype)
    weights = counts / m
    for first, last in _ranges(width, COLUMNS):
        low = plan.right_rows(first, last)
        factor = (roots(phases(low, rows, moduli), common) * weights).T.astype(dtype)
        for start, stop in _ranges(height, max(1, ENTRIES // (last - first))):
            high = plan.left_rows(start, stop)
            left = roots(phases(high, rows, moduli), common).astype(dtype)
            yield Block(_pairs(high, low, moduli), (left @ factor).reshape(-1), error)


def count_blocks(moduli: tuple[int, ...]) -> int:
    """How many blocks `product_blocks` makes."""
    plan = split(moduli)
    width, height = math.prod(plan.right), math.prod(plan.left)
    return sum(
        -(-height // max(1, ENTRIES // (last - first))) for first, last in _ranges(width, COLUMNS)
    )


def product_error(k: int, dtype: type[np.complexfloating[Any, Any]]) -> float:
    """At least |computed - true| for each value, and for its np.abs; inf where it is of no use."""
    unit = float(np.finfo(dtype).eps) / 2
    if not 2 * k * unit < 0.01:
        return math.inf
    factors = 2 * ROOT_ERROR + 2 * UNIT + 2 * unit
    product = math.sqrt(2.0) * (2 * k * unit) / (1 - 2 * k * unit)
    return 1.01 * (factors + product + 4 * unit)


def _pairs(high: Rows, low: Rows, moduli: tuple[int, ...]) -> Frequencies:
    def frequencies(index: NDArray[np.intp]) -> Rows:
        return (high[index // len(low)] + low[index % len(low)]) % np.array(moduli, np.int64)

    return frequencies


def _unrank(radices: tuple[int, ...], start: int, stop: int) -> Rows:
    return digits_of_rank(np.array(radices, np.int64), np.arange(start, stop)).T.copy()


def _ranges(total: int, step: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + step, total)) for start in range(0, total, step))
