"""The group-sampling oracle: each fresh element is one call, counted here and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import final

import numpy as np

from sparseaug.errors import ArgumentError, OracleBudgetError, check_integer, shorten
from sparseaug.groups import Group, Rows
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.sample import GroupSample, Origin

_BLOCK = 256  # draws that share a key; part of what a seed means, never to be changed


@final
class Oracle:
    """Draws independent uniform elements of a group, counts them, and stops at its budget.

    Draw number i depends on (seed, i) alone: `draw(64)` gives what `draw(10)` and `draw(54)` give,
    on any machine, in any process.

    `source`, if given, finds one element at a time, at a cost: `source(rng)` returns one row, and
    is called once per draw with a generator keyed by (seed, i). A row that is no element is refused
    (its call counts); rows found before a failure are kept for the next draw.

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
        source: Callable[[np.random.Generator], Sequence[int]] | None = None,
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
        self._calls = 0
        self._kept: list[Rows] = []  # found by `source`, not yet handed out

    @property
    def calls(self) -> int:
        """Elements freshly drawn so far."""
        return self._calls

    @property
    def remaining(self) -> int | float:
        """Calls left of the budget, infinite without one."""
        return math.inf if self.budget is None else self.budget - self._calls

    def draw(self, m: int) -> GroupSample:
        """The next m elements, as a sample that cost m calls."""
        m = check_integer("m", m, at_least=1)
        start = self._calls - len(self._kept)
        if self.budget is not None and start + m > self.budget:
            raise OracleBudgetError(
                f"drawing m={m} would make {start + m} oracle calls of a budget of {self.budget}; "
                "raise budget= or lower m."
            )
        rows = self._generated(start, m) if self._source is None else self._found(m)
        return GroupSample(self.group, rows, m, Origin("oracle", self.seed, start=start))

    def _generated(self, start: int, m: int) -> Rows:
        blocks = range(start // _BLOCK, (start + m - 1) // _BLOCK + 1)
        rows = np.concatenate(
            [
                self.group.sample(_BLOCK, keyed_rng(self.seed, "oracle", index=block))
                for block in blocks
            ]
        )
        self._calls += m
        return rows[start - blocks.start * _BLOCK :][:m]

    def _found(self, m: int) -> Rows:
        assert self._source is not None  # noqa: S101  (for the type checker)
        while len(self._kept) < m:
            rng = keyed_rng(self.seed, "oracle source", index=self._calls)
            self._calls += 1
            row = np.asarray(self._source(rng))[None]
            self._kept.append(self.group.check(row, f"element of oracle call {self._calls}"))
        rows, self._kept = self._kept[:m], self._kept[m:]
        return np.concatenate(rows)

    def __repr__(self) -> str:
        return (
            f"Oracle({self.group.name}, seed={self.seed}, calls={self.calls}, budget={self.budget})"
        )
