"""How many elements an error takes: independent draws, and the smallest set that is found.

The constructions of the catalogue come first, the smallest that is good enough. Below it the search for
elements, for cosets of subgroups and for lattices brackets the size by its logarithm, as what is left
falls about as a power of m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from sparseaug.designs.constructions.lattices import lattice_designs
from sparseaug.designs.prediction import KernelSearch, SpectrumKernel, doubled, takes_all
from sparseaug.designs.selection import (
    MOST_STARTS,
    PredictedSet,
    kernel_of,
    known_sets,
    lattices,
    lattices_of,
    least,
    predicted,
    searched,
    select,
    subgroups,
)
from sparseaug.groups import Distribution, Group, Rows
from sparseaug.groups.degrees.bands import Bands
from sparseaug.spectrum.spectrum import Spectrum

MOST_SEARCHED = 512
"""Elements of a set that is searched for on the way to an error."""

FINE = 128
"""Elements up to which every size is tried in groups that can be listed; above, to within 2 %."""

HOPELESS = 64
"""Elements from which on an error is given up that is out of reach if what is left falls as 1/m^3."""

SMALL = 16
"""Elements up to which every smaller size is tried: there a larger set does not always leave less."""

_POWER = 1.5  # what is left falls about as m to the minus this


def draws_for(variance: float, error: float) -> int:
    """How many draws leave a mean square of at most error^2."""
    ratio = min(math.sqrt(variance) / error, 1e300)
    if ratio > 1 << 31:  # whose square may not be a float
        return math.ceil(ratio) ** 2
    return max(1, math.ceil(ratio * ratio * (1 - 1e-12)))


def distinct_draws(draws: int, group: Distribution) -> int:
    """How many elements, drawn without repeats, leave as much as so many independent draws.

    m of N leave variance / m times (N - m) / (N - 1): that of r draws where m = N r / (N - 1 + r).
    """
    if not isinstance(group, Group) or not group.is_finite:
        return draws
    return -(-group.order * draws // (group.order - 1 + draws))


def smallest_within(spectrum: Spectrum, error: float, most: int) -> PredictedSet | None:
    """The smallest set of at most so many elements that leaves at most `error`, if there is one."""
    return Sizes(spectrum, error * error, most).smallest()


Family: TypeAlias = Callable[[int], PredictedSet | None]
"""The best set of so many elements, or so many cosets, of one kind."""


class Sizes:
    """The search for the smallest size: of elements, of cosets of subgroups, of lattices."""

    def __init__(self, spectrum: Spectrum, allowed: float, most: int) -> None:
        self.spectrum, self.allowed = spectrum, allowed
        self.known: list[PredictedSet] = []
        self.found: PredictedSet | None = None
        for one in known_sets(spectrum, most):
            self.known.append(one)
            if one.left <= allowed:  # larger ones are not needed
                self.found = one
                break
        self.most = min(most, MOST_SEARCHED, self.found.sample.m - 1 if self.found else most)

    def smallest(self) -> PredictedSet | None:
        """Of all families, one after the other, each below what those before it have reached."""
        for unit, first, family in self.families():
            self.reach(unit, first, family)
        found = self.found
        if takes_all(self.spectrum.group) and found is not None and found.sample.m < FINE:
            return least([found, select(self.spectrum, found.sample.m, self.known)])
        return found

    def families(self) -> Iterator[tuple[int, Callable[[int], int], Family]]:
        """Elements of one, a guess of how many, and the search for so many."""
        spectrum = self.spectrum
        if isinstance(spectrum.blocks, Bands):
            yield 1, lambda most: min(4, most), self._any
            return
        kernel, group = kernel_of(spectrum), spectrum.group
        even: list[PredictedSet] = []
        if any(lattice_designs(group, None)):
            yield 1, lambda most: min(4, most), self._lattice
            halves = (m for m in range(2, self.most // 2 + 1) if group.order % m == 0)
            even += lattices_of(spectrum, halves)
        good = [one for one in (*self.known, *even) if one.sample.m > 1]
        good.sort(key=lambda one: one.left)
        most = MOST_STARTS * (2 if takes_all(group) and group.moduli else 1)
        for H in subgroups(good, self.most)[:most]:
            cosets = _Searched(self, kernel.over(H.sample.elements), H)
            yield H.sample.m, cosets.first, cosets
        starts = [one for one in good if one.sample.m <= self.most][:MOST_STARTS]
        shared = takes_all(group)
        for some in [starts] if shared else [[], *([one] for one in starts)]:
            alone = _Searched(self, kernel, None, some, begin=0 if shared else len(some))
            yield 1, alone.first, alone

    def reach(self, unit: int, first: Callable[[int], int], family: Family) -> None:
        """Bracket the least number of units that is enough, by its logarithm."""
        top = self.most // unit + 1  # enough, or not looked at
        low, enough, too_much = 0, 0.0, math.inf
        at = first(top - 1) if top > 1 else 0
        fine = takes_all(self.spectrum.group)
        while top - low > 1 and ((top * unit <= FINE and fine) or top - low > 1 + top // 64):
            at = min(max(at, low + 1), top - 1)
            over, size = self._tried(at, unit, family)
            if over <= 1:
                top, enough = size, over
            elif at * unit >= HOPELESS and over > (top / at) ** 3:
                return
            else:
                low, too_much = at, over
            at = self._between(low, too_much, top, enough)
        for at in range(low - 1, 0, -1) if top * unit <= SMALL else ():
            self._tried(at, unit, family)

    def _tried(self, at: int, unit: int, family: Family) -> tuple[float, int]:
        """What so many units leave, of what is allowed, and how many were taken."""
        one = family(at)
        if one is None:
            return math.inf, at
        over = one.left / max(self.allowed, np.finfo(float).tiny)
        if over <= 1 and one.sample.m <= self.most:
            self.found, self.most = one, one.sample.m - 1
        return over, min(at, -(-one.sample.m // unit))

    def _between(self, low: int, too_much: float, top: int, enough: float) -> int:
        """Where the line through both ends, of logarithms, reaches what is allowed."""
        if not low:
            return int(top * max(enough, 1e-6) ** (1 / _POWER))
        if not enough:
            return math.ceil(low * min(4.0, too_much ** (1 / _POWER)))
        if too_much == math.inf:
            return (low + top) // 2
        power = (math.log(too_much) - math.log(enough)) / math.log(top / low)
        return math.ceil(low * too_much ** (1 / power))

    def _lattice(self, m: int) -> PredictedSet | None:
        found = [*lattices(self.spectrum, m)]
        return least(found) if found else None

    def _any(self, m: int) -> PredictedSet:
        ready = [one for one in self.known if one.sample.m <= m]
        return least([*ready, *searched(self.spectrum, m, ready)])


class _Searched:
    """Elements or cosets that are searched for, each size from the nearest one before it."""

    def __init__(
        self,
        sizes: Sizes,
        kernel: SpectrumKernel,
        H: PredictedSet | None,
        starts: Sequence[PredictedSet] = (),
        begin: int = 0,
    ) -> None:
        self.sizes, self.kernel, self.H = sizes, kernel, H
        self.unit = 1 if H is None else H.sample.m
        self.fixed = 0 if H is None else 1
        self.begin = begin
        rows = [one.sample.elements for one in starts if one.sample.m <= sizes.most]
        self.choosing = KernelSearch(kernel, sizes.most // self.unit, rows)
        self.chosen: dict[int, Rows] = {}

    def first(self, most: int) -> int:
        """As many as the greedy choice needs."""
        begin = min(self.begin, len(self.choosing.starts) - 1)
        chosen = self.choosing.first_within(self.sizes.allowed, most, begin)
        self.greedy = chosen
        return len(chosen)

    def __call__(self, count: int) -> PredictedSet:
        tried = [
            self._predicted(self.choosing.resized(start, count, self.fixed))
            for start in self._starts(count)
        ]
        one, self.chosen[count] = min(tried, key=lambda each: each[0].left)
        return one

    def _starts(self, count: int) -> Iterator[Rows]:
        """The nearest size that was searched; the greedy choice; what was found; what is known."""
        few, warm = count * self.unit < FINE, bool(self.chosen)
        if warm:
            yield self.chosen[min(self.chosen, key=lambda known: abs(known - count))]
        if few or self.H is not None or not warm:
            yield self.greedy[:count]
        if self.H is not None or (warm and not few):
            return
        found, group = self.sizes.found, self.kernel.group
        if found is not None and takes_all(group):
            yield group._rank(found.sample.elements)
        if few:
            yield from (start for start in self.choosing.starts[1:] if len(start) <= count)
            if takes_all(group):
                half = self.choosing.rows[self.choosing.resized(self.greedy[:1], count // 2 or 1)]
                yield group._rank(doubled(self.kernel, half))
                even = self.sizes._lattice(count)
                if even is not None:
                    yield group._rank(even.sample.elements)

    def _predicted(self, chosen: Rows) -> tuple[PredictedSet, Rows]:
        rows, spectrum = self.choosing.rows[chosen], self.sizes.spectrum
        if self.H is None:
            return predicted(spectrum, rows), chosen
        group, H = spectrum.group, self.H.sample.elements
        union = group._compose(rows[:, None], H[None]).reshape(-1, group.width)
        return predicted(spectrum, union, "cosets", f"{len(rows)} cosets of {self.H.name}"), chosen
