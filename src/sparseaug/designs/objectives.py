"""What a search minimises: anything that gives a kernel between elements, or an energy of its own.

If k(s, t) is a positive-definite kernel, S leaves (1/m^2) sum_{s,t in S} k(s, t). The potential
P(g) = sum_{s in S} k(s, g) says what g would add, and an exchange of g for h changes the sum by twice
the difference of their potentials. So an objective may be given by the columns of a kernel on a list of
candidates, computed or measured (`Columns(gram.__getitem__, len(gram))`), or by the kernel between rows
(`Between`). Which kernels: `prediction`. Energies of higher order, which tend to a largest norm and not
to a sum of squares: `worst_case` and `low_degree`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]
Elements: TypeAlias = NDArray[Any]

Scores: TypeAlias = Callable[[Any], Values]
"""One score for each element, the lower the better."""

TIE = 1e-9
"""Relative difference below which numbers count as equal: the winner is the same on every machine."""

EXCHANGES = 200_000_000
"""Potentials looked at by exchanges, a second or so; on every machine the same."""

PASSES = 30

_KEPT = 1 << 25  # entries of columns that are cached: 256 MB


class Objective(ABC):
    """How much S leaves, in energies of one or several orders.

    Attributes:
        orders: of the energies that are lowered one after the other
        greedy_order: of the energy by which the greedy choice goes
        tried: how many elements are tried in place of one
        new_last: whether what comes in stands last, so that among equals the older ones leave first
    """

    orders: tuple[int, ...] = (1,)
    greedy_order = 1
    tried = 1
    new_last = False

    @abstractmethod
    def scores(self, chosen: Elements, k: int, out: int | None = None) -> Scores:
        """What elements add to the energy of these but the one at `out`, to first order."""

    @abstractmethod
    def energy(self, chosen: Elements, k: int) -> float:
        """Of order k, for comparison with sets of the same size."""

    def norm(self, chosen: Elements) -> float:
        """What the result of several orders is chosen by."""
        return self.energy(chosen, self.orders[-1])

    def tries(self, m: int) -> int:
        """Exchanges that are looked at, by all orders together."""
        return PASSES * m

    def exchange_order(self, chosen: Elements, k: int, after: int = -1) -> Sequence[int]:
        """Which places are looked at, from the first on or from the one after an exchange."""
        return [(after + 1 + i) % len(chosen) for i in range(len(chosen))]

    def lower(
        self, scores: Scores, old: Elements, new: Elements, place: int, energy: float, k: int
    ) -> float | None:
        """The energy with another element at this place, if it is lower."""
        found = self.energy(new, k)
        return found if found < energy * (1.0 - TIE) else None


class Quadratic(Objective):
    """The sum of a kernel over all pairs: the scores are exact."""

    scale: float  # of the kernel

    def lower(
        self, scores: Scores, old: Elements, new: Elements, place: int, energy: float, k: int
    ) -> float | None:
        before, after = scores(np.concatenate([s[place : place + 1] for s in (old, new)])).tolist()
        return energy + 2 * (after - before) if after < before - TIE * self.scale else None

    def energy(self, chosen: Elements, k: int) -> float:
        return float(self.scores(chosen, k)(chosen).sum())


@final
class Columns(Quadratic):
    """A kernel on a list of candidates, by its columns; elements are places in the list."""

    def __init__(self, column: Callable[[int], Values], count: int) -> None:
        self.count = count
        self._make, self._columns = column, dict[int, Values]()
        self.scale = float(np.abs(self.column(0)).max())
        self._known = np.zeros(0, np.int64)
        self._potential = np.zeros(count)

    def column(self, place: int) -> Values:
        """k(s, g) for all candidates g, s the one at this place."""
        if place not in self._columns:
            if len(self._columns) * self.count > _KEPT:
                self._columns.clear()
            self._columns[place] = np.asarray(self._make(place), np.float64)
        return self._columns[place]

    def potential(self, chosen: Elements) -> Values:
        """The sum of the columns of these; from that of the set before, where one place has changed."""
        known = self._known
        if chosen is known:
            return self._potential
        if len(chosen) == len(known) and (changed := np.flatnonzero(chosen != known)).size <= 1:
            for place in changed.tolist():
                difference = self.column(int(chosen[place])) - self.column(int(known[place]))
                self._potential = self._potential + difference
        else:
            same = len(chosen) > len(known) and np.array_equal(chosen[: len(known)], known)
            total = self._potential.copy() if same else np.zeros(self.count)
            for place in chosen[len(known) if same else 0 :].tolist():
                total += self.column(place)
            self._potential = total
        self._known = chosen
        return self._potential

    def scores(self, chosen: Elements, k: int, out: int | None = None) -> Scores:
        total = self.potential(chosen)
        rest = total if out is None else total - self.column(int(chosen[out]))
        return rest.__getitem__

    def tries(self, m: int) -> int:
        return min(EXCHANGES // max(1, self.count), PASSES * m)


@final
class Between(Quadratic):
    """A kernel between rows: potentials(chosen, rows) are its sums over the chosen, for each row."""

    def __init__(
        self, potentials: Callable[[Elements, Elements], Values], scale: float, tries: int = 0
    ) -> None:
        self._potentials, self.scale, self._tries = potentials, scale, tries

    def scores(self, chosen: Elements, k: int, out: int | None = None) -> Scores:
        rest = chosen if out is None else np.delete(chosen, out, axis=0)
        return lambda rows: self._potentials(rest, rows)

    def tries(self, m: int) -> int:
        return self._tries or super().tries(m)
