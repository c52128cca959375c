"""The norm on the characters with few non-zero frequencies, for groups too large for all of them.

Sums of signs are integers, and exact; sums of other roots of unity carry their rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, require_work, silent
from sparseaug._floats import UNIT, float_above, float_below, gamma, up
from sparseaug.groups.degrees.counts import Degree
from sparseaug.norms.abelian.roots import ROOT_ERROR, roots
from sparseaug.norms.norm import Norm, announce
from sparseaug.sampling import GroupSample

_PANEL = 1 << 10  # columns of characters multiplied at a time
_SUMS = 1 << 24  # of pairs of columns, at a time


def low_weight_norm(S: GroupSample, *, degree: int, progress: Progress = silent) -> Norm:
    """||D_S|| on characters with at most `degree` non-zero frequencies, rigorous.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.abelian.low_weight import low_weight_norm
        >>> S = sa.GroupSample(sa.sign_flips(3), [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
        >>> low_weight_norm(S, degree=2).upper, low_weight_norm(S, degree=3).upper
        (0.0, 1.0)
    """
    characters = _Characters.of(S)
    largest = characters.largest(S, degree, progress)
    if not largest:
        return Norm(0.0, 0.0, "none")
    return characters.norm(*max(largest.values(), key=lambda found: found[0]))


def norms_by_weight(S: GroupSample, degree: int) -> dict[Degree, Norm]:
    """The norm of D_S on the characters of each weight 1..degree, as `low_weight_norm` finds it."""
    characters = _Characters.of(S)
    largest = characters.largest(S, degree, silent)
    return {weight: characters.norm(*found) for weight, found in largest.items()}


Largest = tuple[float, tuple[int, ...]]
"""|sum_j chi(g_j)|, and the columns whose product chi is."""


@dataclass(frozen=True, eq=False)
class _Characters:
    """chi_a(g_j) for one non-zero frequency a at a time: columns, grouped by coordinate."""

    columns: NDArray[Any]  # (m, sum of sizes): signs, or complex numbers
    coordinates: list[int]
    sizes: list[int]  # how many columns each coordinate has
    error: float  # of a sum over S divided by m, for products of any number of columns below 8

    @classmethod
    def of(cls, S: GroupSample) -> _Characters:
        """Signs are exact; float32 sums are, below 2^24."""
        moduli = S.group.radices
        coordinates = [i for i, n in enumerate(moduli) if n > 1]
        sizes = [moduli[i] - 1 for i in coordinates]
        what = f"the list of {sum(sizes)} characters of weight 1 on m={S.m} elements"
        require_work("array", sum(sizes) * S.m, what, remedy="use fewer elements")
        if all(size == 1 for size in sizes):
            kind = np.float32 if S.m < 1 << 24 else np.float64
            return cls((1 - 2 * S.elements[:, coordinates]).astype(kind), coordinates, sizes, 0.0)
        blocks = [
            roots(
                np.multiply.outer(S.elements[:, i], np.arange(1, moduli[i])) % moduli[i], moduli[i]
            )
            for i in coordinates
        ]
        # A product of up to 8 columns errs by 8 ROOT_ERROR and 4 u for each product, a complex sum
        # of m products by sqrt(2) gamma(2 m) of the sum of absolute values, its modulus by 2 u.
        error = up(8.0 * ROOT_ERROR + 34.0 * UNIT + 1.5 * gamma(2 * S.m + 2)) * 1.01
        return cls(np.concatenate(blocks, axis=1), coordinates, sizes, error)

    def largest(self, S: GroupSample, degree: int, progress: Progress) -> dict[Degree, Largest]:
        """The largest sum of each weight up to `degree`."""
        degree = min(degree, len(self.sizes))
        if not degree:
            return {}
        _announce_weights(self.sizes, degree, S)
        total = sum(math.comb(len(self.sizes), max(0, w - 2)) for w in range(1, degree + 1))
        found: dict[Degree, Largest] = {}
        done = 0
        for weight in range(1, degree + 1):
            for candidate in self._of_weight(weight):
                found[weight] = max(found.get(weight, candidate), candidate, key=lambda c: c[0])
                done += 1
                progress(min(done, total), total)
        return found

    def norm(self, value: float, columns: tuple[int, ...]) -> Norm:
        """The floats next to value / m +- error; exact values stay exact."""
        ratio = Fraction(value) / len(self.columns)
        high = min(Fraction(1), ratio + Fraction(self.error))
        low = max(Fraction(0), ratio - Fraction(self.error))
        parts = []
        for column in columns:
            i = int(np.searchsorted(self._starts, column, side="right")) - 1
            parts.append(f"{self.coordinates[i]}:{column - int(self._starts[i]) + 1}")
        block = f"chi({', '.join(parts)})"
        return Norm(float_above(high), float_below(low), block)

    @property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.sizes)])

    def _of_weight(self, weight: int) -> Iterator[Largest]:
        """The largest sums, one for all pairs of frequencies after `weight` - 2 fixed ones."""
        if weight == 1:
            sums = abs(self.columns.sum(axis=0))
            yield float(sums.max()), (int(sums.argmax()),)
            return
        starts = self._starts
        owner = np.repeat(np.arange(len(self.sizes)), self.sizes)
        for chosen in combinations(range(len(self.sizes)), weight - 2):
            first = int(starts[chosen[-1] + 1]) if chosen else 0
            for fixed in np.ndindex(*(self.sizes[i] for i in chosen)):
                at = tuple(int(starts[i]) + a for i, a in zip(chosen, fixed, strict=True))
                yield self._pairs(owner, at, first)

    def _pairs(self, owner: NDArray[np.int64], at: tuple[int, ...], first: int) -> Largest:
        """The largest |sum_j| over the fixed columns times two more, of later coordinates."""
        fixed = np.prod(self.columns[:, at], axis=1, keepdims=True)
        rest = self.columns[:, first:]
        owners = owner[first:]
        best, where = -1.0, at
        width = max(1, min(_PANEL, _SUMS // max(1, rest.shape[1])))
        for start in range(0, rest.shape[1], width):
            panel = slice(start, start + width)
            sums = abs((rest[:, panel] * fixed).T @ rest[:, start:])
            sums[owners[panel, None] >= owners[None, start:]] = -1.0
            i, j = np.unravel_index(int(sums.argmax()), sums.shape)
            if sums[i, j] > best:
                best = float(sums[i, j])
                where = (*at, first + start + int(i), first + start + int(j))
        return best, where


# 0.2 ns for a sign, 3 ns for another root of unity
def _announce_weights(sizes: list[int], degree: int, S: GroupSample) -> None:
    """What the characters of weight up to `degree` will take."""
    counts = [1] + [0] * degree  # elementary symmetric polynomials of the sizes
    for size in sizes:
        for w in range(degree, 0, -1):
            counts[w] += size * counts[w - 1]
    what = f"the norm on characters of weight up to {degree} of {S.group.name}"
    require_work("weight", degree, what, remedy="lower degree")
    require_work("characters of low weight", sum(counts), what, remedy="lower degree")
    seconds = sum(counts) * S.m * (2e-10 if max(sizes) == 1 else 3e-9)
    announce(what, seconds=seconds, instead="lower degree, or use fewer elements.")
