"""The group-sampling oracle: each fresh element is one call, counted here and nowhere else."""

from __future__ import annotations

import math
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, final

import numpy as np

from sparseaug._checks import check_array, check_callable, check_flag, check_integer, require_memory
from sparseaug.errors import ArgumentError, LargeSampleWarning, OracleBudgetError, shorten
from sparseaug.groups import Distribution, Group, Rows, format_order
from sparseaug.groups.distributions.base import group_of
from sparseaug.groups.distributions.described import as_distribution
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.origin import Origin
from sparseaug.sampling.sample import GroupSample

Source: TypeAlias = Callable[[np.random.Generator], Sequence[int]]

_BLOCK = 256  # draws that share a key; part of what a seed means, never to be changed


@final
class Oracle:
    """Draws independent uniform elements of a group, counts them, and stops at its budget.

    Draw number i depends on (seed, i) alone: `draw(64)` gives what `draw(10)` and `draw(54)` give,
    on any machine, in any process.

    A source finds one element at a time, at a cost. It is called once per draw with a generator
    keyed by (seed, i). A row that is not an element is refused (its call counts); rows found
    before a failure are kept for the next draw.

    Threads may share an oracle: a draw is made as a whole before the next one begins, so that no
    element is handed out twice, the count is exact and the budget holds. A source is called by one
    thread at a time, in the order of its calls, while the other threads wait. A copy, such as the
    one that a worker process receives, or one forked while another thread draws, continues from
    the same
    draw and counts for itself: give every process its own seed, or draw before the processes start.

    Args:
        group: what to draw from: a group or its name, or a distribution that is no group
        seed: the same seed gives the same elements on every machine
        budget: most calls it makes; no limit if None
        source: `source(rng)` returns one row; uniform elements are drawn if None

    Examples:
        >>> import sparseaug as sa
        >>> oracle = sa.Oracle(sa.symmetric(6), seed=0, budget=100)
        >>> S = oracle.draw(64)
        >>> oracle.calls, oracle.remaining
        (64, 36)
    """

    def __init__(
        self,
        group: Distribution | str,
        seed: int = 0,
        budget: int | None = None,
        *,
        source: Source | None = None,
    ) -> None:
        distribution = as_distribution(group, "group")
        if source is not None:
            check_callable("source", source, "source(rng)")
        self.distribution = distribution
        self.seed = check_integer("seed", seed, below=1 << 64)
        self.budget = None if budget is None else check_integer("budget", budget)
        self._source = source
        self._asking = False  # whether `source` is being called
        self._calls = 0
        self._last: tuple[int, Rows] = (-1, self._empty())
        self._kept: list[tuple[int, Rows]] = []  # found by `source`, not yet handed out
        self._charged = 0  # calls of `source` that are in the cost of a sample
        self._lock = threading.RLock()
        _ORACLES.add(self)

    @property
    def group(self) -> Group:
        """The distribution that is drawn from, where it is a group's."""
        return group_of(self.distribution)

    @property
    def calls(self) -> int:
        """Elements freshly drawn so far."""
        return self._calls

    @property
    def remaining(self) -> int | float:
        """Calls left of the budget, infinite without one."""
        return math.inf if self.budget is None else self.budget - self._calls

    @property
    def has_source(self) -> bool:
        """Whether it calls a source for each element, and cannot skip any."""
        return self._source is not None

    def draw(self, m: int, *, identity: bool = False, distinct: bool = False) -> GroupSample:
        """The next m elements, as a sample that cost m calls.

        Args:
            m: how many elements, counted with multiplicity.
            identity: put the identity first and draw the other m - 1: a model that is trained on S
                sees every sample unmoved as well.
            distinct: without replacement: duplicates are redrawn. Each draw is a call, so S may
                cost more than m.

        Returns:
            The sample, its cost in `calls`.

        Examples:
            >>> import sparseaug as sa
            >>> S = sa.Oracle(sa.dihedral(4), seed=0).draw(4, identity=True)
            >>> S.m, S.calls, S.elements[0].tolist()
            (4, 3, [0, 0])
            >>> S = sa.Oracle(sa.dihedral(4), seed=0).draw(6, distinct=True)
            >>> len(S.counts()[0]), S.calls
            (6, 9)
        """
        m = check_integer("m", m, at_least=1)
        identity, distinct = check_flag("identity", identity), check_flag("distinct", distinct)
        large, said = self._exceeds_group(m), ""
        if large:
            said = f"of {self.group.name}, which has {format_order(self.group)} elements; use "
            said += "GroupSample.full(group), all of them at no call"
        if large and distinct:
            raise ArgumentError(f"m={shorten(m)} distinct elements {said}.")
        S = self._draw(m, identity, distinct)
        if large:
            warnings.warn(f"m={m} draws {said}.", LargeSampleWarning, stacklevel=2)
        return S

    def products(self, calls: int, *, repeats: int = 1) -> GroupSample:
        """All ordered subproducts of a few draws: the mean-square error of 2^c draws for c calls.

            {g_1^e_1 ... g_c^e_c : e in {0, 1}^c},   m = 2^c

        What averaging a function over them leaves has in mean square, over the draws and over the
        points of an orbit, exactly 2^-c of the function's variance, as for 2^c independent draws
        (`sparseaug.theory.products` has the proof; at one point it may differ by 4^-c times what its
        square differs). Large errors may be more frequent than with draws. Every set holds the
        identity, so that joining several costs accuracy: the mean square is then 1 + (repeats - 1) /
        2^(calls / repeats) times that of m draws. The copies, and so the work, are those of m elements.

        Args:
            calls: how many elements are drawn
            repeats: sets that are joined, each of calls / repeats draws: m = repeats 2^(calls /
                repeats)

        Examples:
            >>> import sparseaug as sa
            >>> S = sa.Oracle(sa.symmetric(7), seed=0).products(calls=6)
            >>> S.m, S.calls
            (64, 6)
        """
        calls = check_integer("calls", calls, at_least=1, below=1 << 63)
        repeats = check_integer("repeats", repeats, at_least=1, below=calls + 1)
        if calls % repeats:
            raise ArgumentError(f"calls={calls} is not a multiple of repeats={repeats}; give one.")
        each = calls // repeats
        require_memory("calls", repeats << min(each, 64), self.group.width, "subproducts")
        drawn, sets = self.fresh(calls), []
        for start in range(0, calls, each):
            rows = self.group.identity()
            for g in drawn.elements[start : start + each]:
                rows = np.concatenate([rows, self.group.compose(rows, g[None])])
            sets.append(rows)
        origin = replace(drawn.origin, kind="products", length=each)
        return GroupSample(self.group, np.concatenate(sets), drawn.calls, origin)

    def fresh(self, m: int) -> GroupSample:
        """The next m elements for one use, as a streaming step or an audit takes them.

        They are those of `draw(m)`, without the warning that all of a small group would be fewer.

        Args:
            m: how many elements.
        """
        return self._draw(check_integer("m", m, at_least=1), False, False)

    def _draw(self, m: int, identity: bool, distinct: bool) -> GroupSample:
        with self._lock:
            if self._asking:
                raise ArgumentError("source draws from its own oracle; use another oracle.")
            first = self.group.identity() if identity else self._empty()
            wanted = m - len(first)
            self._require_budget(m, wanted)
            require_memory("m", m, self.distribution.width, "elements")
            rows, used = self._new(first, wanted) if distinct else (self._peek(wanted), wanted)
            start, stop = self._take(used)
        draws = ((self.seed, start, stop),) if stop > start else ()
        origin = Origin(
            "oracle", self.seed, start, draws=draws, identity=identity, distinct=distinct
        )
        if self.has_source:
            origin = replace(origin, kind="source", sourced=(self.seed,))
        return GroupSample(self.distribution, np.concatenate([first, rows]), stop - start, origin)

    def advance_to(self, calls: int) -> None:
        """Count `calls` draws as made, without making them, as a resumed run must.

        Only forwards, and only for uniform draws: a source must be called.
        """
        with self._lock:
            calls = check_integer("calls", calls, at_least=self._calls, below=1 << 63)
            if self.has_source and calls != self._calls:
                raise ArgumentError(f"{calls=} cannot be reached: a source must be called; draw.")
            if self.budget is not None and calls > self.budget:
                raise OracleBudgetError(f"calls={calls} is above the budget of {self.budget}.")
            self._calls = calls

    def _new(self, first: Rows, wanted: int) -> tuple[Rows, int]:
        """The next rows that are neither in `first` nor drawn before, and how many draws that takes."""
        draws = wanted
        while True:
            self._require_budget(wanted, draws)
            rows = np.concatenate([first, self._peek(draws)])
            fresh = np.sort(np.unique(rows, axis=0, return_index=True)[1])[len(first) :][:wanted]
            if len(fresh) == wanted:
                return rows[fresh], int(fresh[-1]) + 1 - len(first) if wanted else 0
            # a source is asked for what is missing and no more; our own draws cost nothing to look
            # at
            draws += max(wanted - len(fresh), 0 if self.has_source else draws // 4)

    def _peek(self, count: int) -> Rows:
        """The next so many rows, which stay to be taken."""
        if self._source is not None:
            self._ask(self._source, count)
            return np.concatenate([self._empty(), *(row for _, row in self._kept[:count])])
        start, stop = self._calls, self._calls + count
        blocks = [
            self._block(i // _BLOCK, max(0, start - i), min(_BLOCK, stop - i))
            for i in range(start - start % _BLOCK, stop, _BLOCK)
        ]
        return np.concatenate(blocks) if blocks else self._empty()

    def _empty(self) -> Rows:
        return np.empty((0, self.distribution.width), self.distribution.row_dtype)

    def _take(self, count: int) -> tuple[int, int]:
        """Hand out the next so many rows: from which call to which they are charged.

        Rows of a source that were refused are in the cost of the sample that the next good one is
        in.
        """
        if not self.has_source:
            self._calls += count
            return self._calls - count, self._calls
        start = stop = self._charged
        if count:
            stop = self._kept[count - 1][0] + 1
            self._kept = self._kept[count:]
            # last: a process that is forked in between charges them, as refused
            self._charged = stop
        return start, stop

    def _block(self, index: int, start: int, stop: int) -> Rows:
        """Some of the draws that share a key; the last block is kept, for small draws in a row."""
        if index != self._last[0]:
            rng = keyed_rng(self.seed, "oracle", index=index)
            self._last = index, self.distribution.sample(_BLOCK, rng)
        return self._last[1][start:stop]

    def _exceeds_group(self, m: int) -> bool:
        of = self.distribution
        return math.log(m) > of.log_order and m > self.group.order

    def _require_budget(self, m: int, draws: int) -> None:
        """Raise an `OracleBudgetError` unless the budget allows so many more draws."""
        made = self._calls + draws - len(self._kept)
        if self.budget is not None and made > self.budget:
            raise OracleBudgetError(
                f"drawing m={shorten(m)} would make {shorten(made)} oracle calls of a budget of "
                f"{shorten(self.budget)}; raise budget= or lower m."
            )

    def _ask(self, source: Source, count: int) -> None:
        """Ask the source until so many good rows are there."""
        while len(self._kept) < count:
            index = self._calls
            rng = keyed_rng(self.seed, "oracle source", index=index)
            self._calls += 1
            name = f"element of oracle call {self._calls}"
            self._asking = True
            try:
                row = check_array(name, source(rng), self.distribution.row_dtype)
            finally:
                self._asking = False
            self._kept.append((index, self.distribution.check(row[None], name)))

    def __getstate__(self) -> dict[str, Any]:
        """A copy, taken between two draws; a lock cannot travel, and the copy gets one of its own."""
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _kept=list(state["_kept"]), _lock=threading.RLock())
        _ORACLES.add(self)

    def __repr__(self) -> str:
        return (
            f"Oracle({self.distribution.name}, seed={self.seed}, calls={self.calls}, "
            f"budget={shorten(self.budget)})"
        )


_ORACLES: weakref.WeakSet[Oracle] = weakref.WeakSet()


def _after_fork() -> None:
    """In a forked process: new locks, since a thread that held one did not come along."""
    for oracle in _ORACLES:
        oracle._lock, oracle._asking = threading.RLock(), False


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_after_fork)


def require_oracle(oracle: Any, group: Distribution) -> None:
    """Raise an `ArgumentError` unless it is an oracle of this group or distribution."""
    if not isinstance(oracle, Oracle) or oracle.distribution != group:
        raise ArgumentError(f"oracle={shorten(oracle)} is not an Oracle of {group.name}; give one.")
