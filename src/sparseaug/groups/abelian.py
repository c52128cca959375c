"""Abelian groups as products of cyclic groups: a row is the vector of exponents."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import combinations, groupby
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, check_integer, require_work
from sparseaug._floats import UNIT
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups.base import Group
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.abelian import MEANINGS, SIGNS_AT_ONCE, Weights, abelian_degrees
from sparseaug.groups.degrees.counts import Count
from sparseaug.groups.orders import LARGEST_MODULUS
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.representations import Faithful, Irrep, convolve


@final
@dataclass(frozen=True)
class Abelian(Group):
    """C_n1 x C_n2 x ...; sign flips are the case where every modulus is 2. Built by `abelian`."""

    moduli: tuple[int, ...] = field()  # required, whatever the base class has

    transform = "characters"
    gradings = tuple(MEANINGS)
    degree_meaning = MEANINGS["degree"]

    def __repr__(self) -> str:
        return f"Abelian(moduli={shorten(self.moduli)})"

    @property
    def name(self) -> str:
        """Runs of 2 as "Z2^k", other moduli as "C3xC3", long runs as "C3^5"."""
        parts: list[str] = []
        for n, run in groupby(self.moduli):
            k = len(list(run))
            if n == 2 and k > 1:
                parts.append(f"Z2^{k}")
            else:
                parts += [f"C{n}"] * k if k <= 3 else [f"C{n}^{k}"]
        return "x".join(parts)

    @property
    def width(self) -> int:
        return len(self.moduli)

    @property
    def radices(self) -> tuple[int, ...]:
        return self.moduli

    @property
    def is_signs(self) -> bool:  # type: ignore[override]
        return set(self.moduli) == {2}

    @property
    def shift_axes(self) -> int:  # type: ignore[override]
        return 0 if self.is_signs else len(self.moduli)  # sign flips have degrees

    @property
    def is_abelian(self) -> bool:
        return True

    @property
    def has_integer_characters(self) -> bool:
        return max(self.moduli) <= 2

    def _compose(self, a: Rows, b: Rows) -> Rows:
        return (a + b) % self._radix_array

    def _inverse(self, a: Rows) -> Rows:
        return -a % self._radix_array

    def generators(self) -> Rows:
        self.require_rows(self.width, "generators()")
        return np.eye(self.width, dtype=np.int64)[self._radix_array > 1]

    @property
    def points(self) -> int | None:
        """A cyclic group turns n points on a circle; a product of several has no natural points."""
        return self.moduli[0] if self.width == 1 else None

    def _permutations(self, elements: Rows) -> Rows:
        (n,) = self.moduli
        return (elements + np.arange(n)) % n

    def faithful(self) -> Faithful:
        """A circle of n points for each cyclic factor."""
        return Faithful(sum(self.moduli), self._circles)

    def _circles(self, elements: Rows) -> Rows:
        self.require_rows(len(elements), "faithful()", sum(self.moduli))
        starts = np.repeat(np.cumsum([0, *self.moduli[:-1]]), self.moduli)
        points = np.arange(sum(self.moduli)) - starts
        shifts = np.repeat(elements, self.moduli, axis=1)
        return (points + shifts) % np.repeat(self.moduli, self.moduli) + starts

    @property
    def highest_degree(self) -> int:
        """The number of coordinates."""
        return len(self.moduli)

    def _degrees(self, by: str | None, *, whole: bool) -> Degrees:
        return abelian_degrees(self, by, whole=whole)

    def _counted(self, S: Multiset, most: int | None) -> list[Count] | None:
        return Weights(self).counted(S, most)

    @property
    def quotients_at_once(self) -> int:  # type: ignore[override]
        return SIGNS_AT_ONCE if self.is_signs else 1

    def _dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        powers = range(degree + 1)
        runs = Counter(self.moduli).items()
        parts = [[math.comb(count, k) * (n - 1) ** k for k in powers] for n, count in runs]
        return reduce(convolve, parts, [1] + [0] * degree), True

    def irreps(self) -> Iterator[Irrep]:
        """The characters chi_a(g) = exp(2 pi i sum_j a_j g_j / n_j), a in rank order."""
        for block in self.elements():
            for frequency in block.tolist():
                yield self._irrep(tuple(frequency))

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        """By weight, without those above it."""
        most = min(degree, self.width)
        what = f"the list of the irreps of {self.name} up to degree {degree}"
        count = sum(self._dimensions_by_degree(most)[0])
        require_work("irreps of low degree", count, what, remedy="lower degree")
        for weight in range(most + 1):
            for places in combinations(range(self.width), weight):
                for values in np.ndindex(*(self.moduli[i] - 1 for i in places)):
                    used = dict(zip(places, values, strict=True))
                    yield self._irrep(tuple(used.get(i, -1) + 1 for i in range(self.width)))

    def _irrep(self, at: tuple[int, ...]) -> Irrep:
        weight = sum(a > 0 for a in at)
        return Irrep(f"chi{at}", 1, partial(_character, self.moduli, at), _ROUNDING, weight)


# The phase is an exact integer over the common multiple; one division, one product with 2 pi and
# its own rounding give an angle within 2 pi * 4 u, and cosine and sine err by 4 ulp at most each.
_ROUNDING = 64 * UNIT


def _character(moduli: tuple[int, ...], frequency: tuple[int, ...], elements: Rows) -> NDArray[Any]:
    common = math.lcm(*moduli)
    weights = [a * (common // n) % common for a, n in zip(frequency, moduli, strict=True)]
    if common * sum(moduli) < 1 << 53:
        turns = (elements @ np.array(weights) % common).astype(float) / common
    else:  # in Python integers, which do not overflow
        exact = [sum(map(operator.mul, weights, row)) % common for row in elements.tolist()]
        turns = np.array([turn / common for turn in exact])
    return np.exp(2j * np.pi * turns)[:, None, None]


def cyclic(n: int) -> Abelian:
    """The rotations of n points on a circle, of order n.

    Args:
        n: how many points, 1 or more.

    Examples:
        >>> import sparseaug as sa
        >>> sa.cyclic(12).compose([[7]], [[8]])
        array([[3]])
    """
    return Abelian((check_integer("n", n, at_least=1, below=LARGEST_MODULUS + 1),))


def abelian(*moduli: int) -> Abelian:
    """C_n1 x C_n2 x ..., for instance the shifts of a 28 x 28 image.

    Args:
        *moduli: the orders of the cyclic factors, each 1 or more.

    Examples:
        >>> import sparseaug as sa
        >>> sa.abelian(28, 28).order
        784
    """
    if not moduli:
        raise ArgumentError("moduli is empty; give at least one, as in abelian(28, 28).")
    require_work("row", len(moduli), "the group", remedy="give fewer moduli")
    limits = {"at_least": 1, "below": LARGEST_MODULUS + 1}
    return Abelian(tuple(check_integer("modulus", n, **limits) for n in moduli))


def sign_flips(d: int) -> Abelian:
    """Z_2^d: independent sign changes of d coordinates, bit 1 flips.

    This is the group alone; `flip_signs` is how it changes the signs of an array's entries, and `flip`
    is another thing, the one reflection that reverses an axis.

    Args:
        d: how many coordinates.

    Examples:
        >>> import sparseaug as sa
        >>> sa.sign_flips(20).order
        1048576
    """
    return Abelian((2,) * check_integer("d", d, at_least=1, below=LIMITS["row"].most))
