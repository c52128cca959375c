"""The group-sampling oracle: each fresh element is one call, counted here and nowhere else."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import numpy as np

from sparseaug.errors import (
    ArgumentError,
    ElementError,
    OracleBudgetError,
    check_integer,
    shorten,
)
from sparseaug.groups import Group, Rows
from sparseaug.groups.rows import integer_array
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.origin import Origin
from sparseaug.sampling.sample import GroupSample, require_memory

Source: TypeAlias = Callable[[np.random.Generator], Sequence[int]]

_BLOCK = 256  # draws that share a key; part of what a seed means, never to be changed


@final
class Oracle:
    """Draws independent uniform elements of a group, counts them, and stops at its budget.

    Draw number i depends on (seed, i) alone: `draw(64)` gives what `draw(10)` and `draw(54)` give,
    on any machine, in any process.

    A source finds one element at a time, at a cost. It is called once per draw with a generator keyed
    by (seed, i). A row that is not an element is refused (its call counts); rows found before a
    failure are kept for the next draw.

    Threads may share an oracle: a draw is made as a whole before the next one begins, so that no
    element is handed out twice, the count is exact and the budget holds. A source is called by one
    thread at a time, in the order of its calls, while the other threads wait. A copy, such as the one
    that a worker process receives, continues from the same draw and counts for itself: give every
    process its own seed, or draw before the processes start.

    Args:
        group: what to draw from
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
        group: Group,
        seed: int = 0,
        budget: int | None = None,
        *,
        source: Source | None = None,
    ) -> None:
        if not isinstance(group, Group):
            raise ArgumentError(
                f"group={shorten(group)} is not a group; try sparseaug.group('S6')."
            )
        if source is not None and not callable(source):
            raise ArgumentError(f"source={shorten(source)} cannot be called; give source(rng).")
        self.group = group
        self.seed = check_integer("seed", seed, below=1 << 64)
        self.budget = None if budget is None else check_integer("budget", budget)
        self._source = source
        self._asking = False  # whether `source` is being called
        self._calls = 0
        self._last: tuple[int, Rows] = (-1, np.empty((0, group.width), np.int64))
        self._kept: list[tuple[int, Rows]] = []  # found by `source`, not yet handed out
        self._charged = 0  # calls of `source` that are in the cost of a sample
        self._lock = threading.RLock()

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

    def draw(self, m: int) -> GroupSample:
        """The next m elements, as a sample that cost m calls."""
        m = check_integer("m", m, at_least=1)
        with self._lock:
            if self._asking:
                raise ArgumentError(
                    "source draws from the oracle that called it; give it another oracle."
                )
            made = self._calls + m - len(self._kept)
            if self.budget is not None and made > self.budget:
                raise OracleBudgetError(
                    f"drawing m={shorten(m)} would make {shorten(made)} oracle calls of a budget of "
                    f"{shorten(self.budget)}; raise budget= or lower m."
                )
            require_memory("m", m, self.group.width, "elements")
            if self._source is not None:
                return self._found(m, self._source)
            start = self._calls
            rows = self._generated(start, m)
            self._calls += m
            return GroupSample(self.group, rows, m, Origin("oracle", self.seed, start=start))

    def advance_to(self, calls: int) -> None:
        """Count `calls` draws as made, without making them, as a resumed run must.

        Only forwards, and only for uniform draws: a source must be called.
        """
        with self._lock:
            calls = check_integer("calls", calls, at_least=self._calls, below=1 << 63)
            if self.has_source and calls != self._calls:
                raise ArgumentError(
                    f"calls={calls} cannot be reached without drawing: the source of this oracle must "
                    "be called for each element; draw them instead."
                )
            if self.budget is not None and calls > self.budget:
                raise OracleBudgetError(f"calls={calls} is above the budget of {self.budget}.")
            self._calls = calls

    def _generated(self, start: int, m: int) -> Rows:
        first, last = start // _BLOCK, (start + m - 1) // _BLOCK
        blocks = [self._block(index) for index in range(first, last + 1)]
        return np.concatenate(blocks)[start - first * _BLOCK :][:m]

    def _block(self, index: int) -> Rows:
        """The draws that share a key; the last one is kept, for small draws in a row."""
        if index != self._last[0]:
            rng = keyed_rng(self.seed, "oracle", index=index)
            self._last = index, self.group.sample(_BLOCK, rng)
        return self._last[1]

    def _found(self, m: int, source: Source) -> GroupSample:
        """Ask the source until m good rows are there; refused ones are in the cost of the sample
        that the next good row goes into.
        """
        while len(self._kept) < m:
            index = self._calls
            rng = keyed_rng(self.seed, "oracle source", index=index)
            self._calls += 1
            name = f"element of oracle call {self._calls}"
            self._asking = True
            try:
                row = integer_array(name, source(rng), ElementError)
            finally:
                self._asking = False
            self._kept.append((index, self.group.check(row[None], name)))
        taken, self._kept = self._kept[:m], self._kept[m:]
        start, self._charged = self._charged, taken[-1][0] + 1
        rows = np.concatenate([row for _, row in taken])
        origin = Origin(
            "source",
            self.seed,
            start=start,
            draws=((self.seed, start, self._charged),),
            sourced=(self.seed,),
        )
        return GroupSample(self.group, rows, self._charged - start, origin)

    def __getstate__(self) -> dict[str, Any]:
        """A copy, taken between two draws; a lock cannot travel, and the copy gets one of its own."""
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _kept=list(state["_kept"]), _lock=threading.RLock())

    def __repr__(self) -> str:
        return (
            f"Oracle({self.group.name}, seed={self.seed}, calls={self.calls}, "
            f"budget={shorten(self.budget)})"
        )


def require_oracle(oracle: Any, group: Group) -> None:
    """Raise an `ArgumentError` unless it is an oracle of this group."""
    if not isinstance(oracle, Oracle) or oracle.group != group:
        raise ArgumentError(
            f"oracle={shorten(oracle)} is not an Oracle of {group.name}; use one group."
        )
