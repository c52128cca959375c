"""`choose`: the smallest S that leaves no more than an error, of all that can be made.

m uniform draws leave variance / m in expectation, so that many are enough at most, or all of the group.
Below that: the constructions of the catalogue, and what the search finds, by bisection on m. All are
judged by the spectrum of the model, at the upper end of the error bar.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from sparseaug._archive import fields_as_json
from sparseaug._checks import LIMITS, Progress, check_integer, check_progress, check_real, silent
from sparseaug._tables import Shown
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
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees.bands import Bands
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectrum.spectrum import Prediction, Spectrum, require_spectrum

MOST_SEARCHED = 512
"""Elements of a set that is searched for on the way to an error."""

FINE = 128
"""Elements up to which every size is tried in groups that can be listed; above, to within 2 %."""

HOPELESS = 64
"""Elements from which on an error is given up that is out of reach if what is left falls as 1/m^3."""

SMALL = 16
"""Elements up to which every smaller size is tried: there a larger set does not always leave less."""

_POWER = 1.5  # what is left falls about as m to the minus this


@dataclass(frozen=True)
class Choice(Shown):
    """The smallest S for an error, and what independent draws would need.

    Attributes:
        sample: S
        name: of the design; "search", "full"; "draws" where nothing needs fewer elements, and "identity"
            where one element is enough
        prediction: what averaging over S leaves
        draws: how many independent draws reach the error, in expectation
        error: that was asked for: root mean square, in the units of the outputs
        note: what to do where most of what S may leave is the error bar; empty otherwise
    """

    sample: GroupSample
    name: str
    prediction: Prediction
    draws: int
    error: float
    note: str = ""

    @property
    def distinct(self) -> int:
        """How many draws reach the error in expectation if none is drawn twice: at most the order."""
        return distinct_draws(self.draws, self.sample.group)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return fields_as_json(self)

    def __str__(self) -> str:
        reached = f"rms at most {self.prediction.rms_upper:.3g} of {self.error:g} allowed"
        text = (
            f"{self.name}, m = {self.sample.m:,} ({reached}); distinct draws need {self.distinct:,}"
        )
        return f"{text}\n{self.note}" if self.note else text


def choose(
    spectrum: Spectrum,
    *,
    error: float,
    max_m: int | None = None,
    oracle: Oracle | None = None,
    progress: Progress | None = None,
) -> Choice:
    """The smallest S whose average is within `error` of the mean over the group.

    It is the smallest of everything that can be made: constructions, subgroups and unions of their
    cosets, sets found by a search for this spectrum, the full group, independent draws. The error is a
    root mean square in the units of the outputs: over inputs, summed over the outputs, in expectation
    over translates of S. A set is taken only if its prediction is within the error at the upper end of
    its bar. Without any averaging the error is the root of the variance: give error=0.1 *
    spectrum.variance**0.5 for a tenth of it.

    Args:
        spectrum: of the function, from `orbit_spectrum`
        error: what may be left
        max_m: most elements of S; by default as many as independent draws need
        oracle: draws S where nothing else is smaller; by default one with a large seed of its own
        progress: called before each search with two numbers, how many are done and of about how many

    Returns:
        The `Choice`: `sample`, `prediction`, `draws`, how many draws would be needed, and a `note`
        where a smaller S may be enough and the error bar is too wide to be sure.

    Raises:
        ArgumentError: nothing reaches the error with max_m elements; the message says what is nearest.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(7))
        >>> x = np.random.default_rng(0).normal(size=(20, 7))
        >>> f = lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2])
        >>> print(sa.choose(sa.orbit_spectrum(f, act, x), error=0.04))
        3 cosets of cyclic shifts, m = 21 (rms at most 0.0355 of 0.04 allowed); distinct draws need 308
    """
    require_spectrum(spectrum)
    error = check_real("error", error, above=0)
    watch = check_progress(progress)
    group = spectrum.group
    if oracle is not None:
        require_oracle(oracle, group)
    limit = None if max_m is None else check_integer("max_m", max_m, at_least=1, below=1 << 62)
    draws = draws_for(spectrum.predict(1).upper, error)
    if draws == 1:
        alone = GroupSample(group, group.identity())
        return Choice(alone, "identity", spectrum.predict(1), draws, error)
    most = draws if limit is None else min(draws, limit)
    found = smallest_within(spectrum, error, most, progress=watch)
    note = _note(spectrum, error, found)
    if found is not None:
        return Choice(found.sample, found.name, found.prediction, draws, error, note)
    if draws > most or 8 * draws * group.width > LIMITS["sample"].most:
        nearest = select(spectrum, min(most, MOST_SEARCHED))
        raise ArgumentError(
            f"error={error:g} needs {shorten(draws)} independent draws, more than "
            f"{f'max_m={limit}' if limit else 'fit in memory'}, and the best set of at most "
            f"{min(most, MOST_SEARCHED)} elements, {nearest.name} with m={nearest.sample.m}, leaves up "
            f"to {nearest.prediction.rms_upper:.3g}; raise error or max_m. {note}".rstrip()
        )
    if oracle is None:
        oracle = Oracle(group, int(keyed_rng(0, "choose").integers(1 << 63)))
    sample = oracle.fresh(draws)
    return Choice(sample, "draws", spectrum.predict(draws), draws, error, note)


def draws_for(variance: float, error: float) -> int:
    """How many draws leave a mean square of at most error^2."""
    ratio = min(math.sqrt(variance) / error, 1e300)
    if ratio > 1 << 31:  # whose square may not be a float
        return math.ceil(ratio) ** 2
    return max(1, math.ceil(ratio * ratio * (1 - 1e-12)))


def distinct_draws(draws: int, group: Group) -> int:
    """How many elements, drawn without repeats, leave as much as so many independent draws.

    m of N leave variance / m times (N - m) / (N - 1): that of r draws where m = N r / (N - 1 + r).
    """
    if not group.is_finite:
        return draws
    return -(-group.order * draws // (group.order - 1 + draws))


def smallest_within(
    spectrum: Spectrum, error: float, most: int, progress: Progress = silent
) -> PredictedSet | None:
    """The smallest set of at most so many elements that leaves at most `error`, if there is one."""
    return Sizes(spectrum, error * error, most, progress).smallest()


Family: TypeAlias = Callable[[int], PredictedSet | None]
"""The best set of so many elements, or so many cosets, of one kind."""


class Sizes:
    """The search for the smallest size: of elements, of cosets of subgroups, of lattices."""

    def __init__(
        self,
        spectrum: Spectrum,
        allowed: float,
        most: int,
        progress: Progress = silent,
    ) -> None:
        self.spectrum, self.allowed, self.progress = spectrum, allowed, progress
        self.known: list[PredictedSet] = []
        self.searches = 0
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
            return least([found, select(self.spectrum, found.sample.m)])
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
            over, size = self._tried(at, unit, family, top - low)
            if over <= 1:
                top, enough = size, over
            elif at * unit >= HOPELESS and over > (top / at) ** 3:
                return
            else:
                low, too_much = at, over
            at = self._between(low, too_much, top, enough)
        for at in range(low - 1, 0, -1) if top * unit <= SMALL else ():
            self._tried(at, unit, family, at)

    def _tried(self, at: int, unit: int, family: Family, left: int) -> tuple[float, int]:
        """What so many units leave, of what is allowed, and how many were taken."""
        self.progress(self.searches, self.searches + left.bit_length())
        self.searches += 1
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
            yield group.rank(found.sample.elements)
        if few:
            yield from (start for start in self.choosing.starts[1:] if len(start) <= count)
            if takes_all(group):
                half = self.choosing.rows[self.choosing.resized(self.greedy[:1], count // 2 or 1)]
                yield group.rank(doubled(self.kernel, half))
                even = self.sizes._lattice(count)
                if even is not None:
                    yield group.rank(even.sample.elements)

    def _predicted(self, chosen: Rows) -> tuple[PredictedSet, Rows]:
        rows, spectrum = self.choosing.rows[chosen], self.sizes.spectrum
        if self.H is None:
            return predicted(spectrum, rows), chosen
        group, H = spectrum.group, self.H.sample.elements
        union = group.compose(rows[:, None], H[None]).reshape(-1, group.width)
        return predicted(spectrum, union, "cosets", f"{len(rows)} cosets of {self.H.name}"), chosen


def _note(spectrum: Spectrum, error: float, found: PredictedSet | None) -> str:
    """What to do where most of what a set may leave is its error bar."""
    wide = found is None or 2 * found.prediction.value <= error * error
    if not wide or not len(spectrum.replicates):
        return ""
    return (
        f"A smaller S may be enough: sets are judged by the upper ends of their error bars, which are "
        f"wide after {spectrum.calls} calls. Measure with calls={4 * spectrum.calls}."
    )
