"""One search: greedy choice, then exchange, for whatever objective is passed in.

An objective (`objectives`) says how much S leaves, its energy, and what every element would add to that
next to those chosen, its score. The greedy choice takes the least score again and again, so that every
prefix is the greedy choice of fewer. An exchange takes one element out and puts another in its place if
that lowers the energy, until none does. Where an objective has energies of several orders they are
lowered one after the other, and the S of the least norm is returned.

Elements are chosen among those of a list, by their places (`Places`), or by small moves from one to the
next (`Moves`). Nearly equal scores go to the first in a fixed order, so that the result is the same on
every machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.designs.objectives import TIE, Objective, Scores, Values
from sparseaug.groups import Group, Rows
from sparseaug.sampling import keyed_rng

Elements: TypeAlias = NDArray[Any]
"""Places (m,) in a list, or rows (m, width)."""

STARTS = 2
"""Elements from which `Moves` descend to one that is added."""


class Candidates(Protocol):
    """What may be chosen, and in how many passes one order may exchange it."""

    @property
    def passes(self) -> int: ...

    def start(self) -> Elements:
        """The first element of a greedy choice."""

    def objects(self, chosen: Elements) -> Elements:
        """What the objective knows these elements by."""

    def lowest(self, scores: Scores, rest: Elements, old: Elements | None, count: int) -> Elements:
        """The best few, the best first, to add to the rest or to put in place of the old one."""


@final
@dataclass(frozen=True)
class Places:
    """Places in a list of elements: each may be taken any number of times, or once.

    Attributes:
        count: of the list
        listed: what the objective knows them by; their places by default
        once: whether each is taken once at most
        order: in which nearly equal ones are taken; by default a fixed one that looks random
    """

    count: int
    listed: Elements | None = None
    once: bool = False
    order: Rows | None = None
    passes: ClassVar[int] = 1000

    @cached_property
    def _ties(self) -> Rows:
        return tie_order(self.count) if self.order is None else self.order

    def start(self) -> Elements:
        return np.zeros(1, np.int64)

    def objects(self, chosen: Elements) -> Elements:
        return chosen if self.listed is None else self.listed[chosen]

    def lowest(self, scores: Scores, rest: Elements, old: Elements | None, count: int) -> Elements:
        values = scores(slice(None) if self.listed is None else self.listed)
        if not self.once:
            return first_least(values, count, self._ties)
        free = np.delete(np.arange(self.count), rest)
        return free[first_least(values[free], count, self._ties[free])]


@final
@dataclass(frozen=True)
class Moves:
    """Elements that descend: the best of its neighbours again and again, until none scores less.

    Attributes:
        group: of the rows
        neighbours: from one element to its neighbours
        once: whether one step is enough
        passes: over all elements, by the energy of one order
    """

    group: Group
    neighbours: Callable[[Rows], Rows]
    once: bool = False
    passes: int = 2

    def start(self) -> Elements:
        return self.group.identity()

    def objects(self, chosen: Elements) -> Elements:
        return chosen

    def lowest(self, scores: Scores, rest: Elements, old: Elements | None, count: int) -> Elements:
        if old is not None:
            return self._descend(scores, old)[None]
        rng = keyed_rng(0, f"sparseaug design {self.group.name}", index=len(rest))
        ends = np.array([self._descend(scores, row) for row in self.group.sample(STARTS, rng)])
        return ends[first_least(scores(ends), 1)]

    def _descend(self, scores: Scores, row: Rows) -> Rows:
        while True:
            tried = np.concatenate([row[None], self.neighbours(row)])
            found = scores(tried)
            best = int(first_least(found[1:], 1)[0]) + 1 if len(tried) > 1 else 0
            if not found[best] < found[0] - TIE * float(np.abs(found).max()):
                return row
            row = tried[best]
            if self.once:
                return row


def greedy(
    objective: Objective, among: Candidates, m: int, start: Elements | None = None
) -> Elements:
    """m elements, each the best next to those before it, after those of the start."""
    chosen = among.start() if start is None else start
    while len(chosen) < m:
        scores = objective.scores(among.objects(chosen), objective.greedy_order)
        chosen = np.concatenate([chosen, among.lowest(scores, chosen, None, 1)])
    return chosen


def exchange(
    objective: Objective,
    among: Candidates,
    chosen: Elements,
    *,
    k: int = 1,
    tries: int | None = None,
    fixed: int = 0,
) -> tuple[Elements, int]:
    """Elements in turn for better ones, until nothing moves; the first `fixed` stay. And tries left."""
    if len(chosen) < 2 or tries == 0:
        return chosen, tries or 0
    left = objective.tries(len(chosen)) if tries is None else tries
    energy = objective.energy(among.objects(chosen), k)
    places = objective.exchange_order(among.objects(chosen), k)
    turns = deque(place for place in places if place >= fixed)
    while turns and left > 0:
        place = turns.popleft()
        given = among.objects(chosen)
        scores = objective.scores(given, k, out=place)
        rest = np.concatenate([chosen[:place], chosen[place + 1 :]])
        for new in among.lowest(scores, rest, chosen[place], objective.tried):
            left -= 1
            tried = chosen.copy()
            tried[place] = new
            lower = objective.lower(scores, given, among.objects(tried), place, energy, k)
            if lower is not None:
                chosen, energy, after = tried, lower, place
                if objective.new_last:
                    chosen = np.concatenate([np.delete(tried, place, 0), tried[place : place + 1]])
                    after = place - 1
                places = objective.exchange_order(among.objects(chosen), k, after=after)
                turns = deque(one for one in places if one >= fixed)
                break
            if left <= 0:
                break
    return chosen, left


def search(
    objective: Objective, among: Candidates, m: int, start: Elements | None = None
) -> Elements:
    """The greedy choice, or what exchanges make of it where that has a smaller norm."""
    chosen = greedy(objective, among, m, start)
    found = [chosen, *exchanged(objective, among, chosen)]
    if len(objective.orders) == 1:
        return found[-1]  # the energy is the norm
    distinct = [s for i, s in enumerate(found) if not i or not np.array_equal(s, found[i - 1])]
    norms = [objective.norm(among.objects(s)) for s in distinct]
    return distinct[int(first_least(np.array(norms), 1)[0])]


def exchanged(
    objective: Objective, among: Candidates, chosen: Elements, tries: int | None = None
) -> Iterable[Elements]:
    """What exchanges make of S by the energies of one order after the other."""
    left = objective.tries(len(chosen)) if tries is None else tries
    for k in objective.orders:
        used = min(left, among.passes * len(chosen))
        chosen, unused = exchange(objective, among, chosen, k=k, tries=used)
        left -= used - unused
        yield chosen


def first_least(values: Values, count: int, order: Rows | None = None) -> Rows:
    """Where the smallest values are, in order; nearly equal ones by this order, or else by place."""
    count = min(count, len(values))
    tie = TIE * max(float(values.max()), -float(values.min()))
    if count == 1:
        near = np.flatnonzero(values <= values.min() + tie)
        return near[:1] if order is None else near[[np.argmin(order[near])]]
    limit = np.partition(values, count - 1)[count - 1]
    near = np.flatnonzero(values <= limit + tie)
    near = near[np.argsort(values[near], kind="stable")]
    # a class of ties starts where the value leaves the tie of the class before it
    classes = np.cumsum(np.diff(values[near], prepend=values[near[0]]) > tie)
    return near[np.lexsort((near if order is None else order[near], classes))][:count]


def tie_order(count: int) -> Rows:
    """A fixed order that looks random: the finaliser of SplitMix64, in 62 bits.

    In a large group nearly all elements have the same score but a few; the first ones by rank would be
    much alike.
    """
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(2)).astype(np.int64)
