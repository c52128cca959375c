"""Which moves of the data make a p-value exact.

Let a finite group K act on data sets, and let the law of the data X be that of k X for every k in K.
Then X, k_1 X, ..., k_N X are exchangeable when k_1, ..., k_N are uniform draws from K; and given its
orbit, X is as likely as each other k X. So for any statistic T the share p of the draws and X itself, or
of all k X, with a value of T at least T(X) has P(p <= a) <= a for every a (Hoeffding 1952; Phipson and
Smyth 2010; Hemerik and Goeman 2018). A subgroup of K does as well (Koning and Hemerik 2024). A set that
is neither, even with the identity, does not: balanced permutations reject far too often (Southworth,
Kim and Owen 2009).

K is H itself for one element that moves all samples together, and H^n for n samples that move each by
its own element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import as_numpy, leaves, map_leaves, namespace
from sparseaug.actions.prepared import PreparedAction
from sparseaug.errors import ArgumentError
from sparseaug.groups import Group, Rows
from sparseaug.groups.quotients import subgroup_of
from sparseaug.sampling import Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.sample import as_sample

Move: TypeAlias = Literal["each", "together"]

_PURPOSE = "invariance test"
_LISTED = 1 << 10  # elements up to which they are prepared once, and not for every draw


@final
@dataclass(frozen=True, eq=False)
class Subgroup:
    """H: its elements where they are listed, and whether uniform draws from it stand in `drawn`."""

    group: Group
    rows: Rows | None = None
    drawn: Rows | None = None

    @property
    def order(self) -> int:
        """|H|."""
        return self.group.order if self.rows is None else len(self.rows)


def exact_subgroup(action: Action, S: Any) -> Subgroup:
    """The subgroup that S is, or that it was drawn from; an `ArgumentError` where p is not exact."""
    group = action.group
    if isinstance(S, str) and S == "full":
        return Subgroup(group)
    S = as_sample(S, group)
    rows, counts = S.counts()
    identity = group.identity()
    if S.origin.kind == "oracle":  # with the identity first, which may be among them or not
        kept = S.elements[1:] if S.origin.identity else S.elements
        if S.origin.distinct:
            kept = kept[(kept != identity).any(axis=1)]
        return Subgroup(group, drawn=kept)
    found = subgroup_of(group, rows) if counts.min() == counts.max() else None
    if found is None:
        raise ArgumentError(
            f"S, {S.m} elements of {group.name}, is neither a subgroup nor uniform draws, and a p-value "
            'over such a set is not exact; give S="full", a design that is a subgroup, '
            "GroupSample.generated(group, rows), or oracle.draw(m)."
        )
    if not (rows == identity).all(axis=1).any():
        raise ArgumentError(
            f"S is a coset of a subgroup of order {len(found)} without the identity, and a p-value over "
            "it is not exact; give the subgroup, GroupSample(group, group.compose(group.inverse("
            "S.elements[:1]), S.elements))."
        )
    return Subgroup(group, rows=rows)


@final
class Moves:
    """The moved data sets, the one as it is first.

    Args:
        action: how an element moves a sample
        x: samples (n, ...)
        H: the subgroup
        move: "each" or "together"
        draws: moves that are drawn where all of them would be more
        seed: of the draws
    """

    def __init__(
        self, action: Action, x: Any, H: Subgroup, move: Move, draws: int, seed: int
    ) -> None:
        self.action, self._x, self._n = action, x, len(leaves(x)[0])
        self._seed, self._H = seed, H
        self._apart = move == "each"
        if self._apart and H.drawn is not None:
            raise ArgumentError(
                'S is a list of draws, and move="each" takes an element of its own for every sample; '
                'give S="full" (fresh elements are drawn), a subgroup, or move="together".'
            )
        power = self._n if self._apart else 1
        all_moves = H.order**power if power * math.log(max(1, H.order)) < 64 else None
        few = all_moves is not None and all_moves <= draws + 1
        listed = H.rows is not None and not self._apart
        self.enumerated = H.drawn is None and (few or listed)
        if H.drawn is not None:
            self.count = 1 + len(H.drawn)
        else:
            self.count = all_moves if self.enumerated and all_moves is not None else draws + 1
        rows = H.rows
        if rows is None and (self.enumerated or (self._apart and H.order <= _LISTED)):
            rows = H.group.all_elements()
        if rows is None:
            rows = H.group.identity()[:0]
        self.listed = len(rows)
        self._order = np.argsort((rows != H.group.identity()).any(axis=1), kind="stable")
        self._bound = PreparedAction(action, rows[self._order])  # the identity first
        self._oracle = self._started()

    @property
    def calls(self) -> int:
        """Elements freshly drawn for the moves."""
        return self._oracle.calls

    def chunks(self, step: int) -> Iterator[Any]:
        """Data sets (c, n, ...), c at most `step`; the first of all is x itself."""
        if self._apart and self.listed:
            for which in self.choices(step):
                yield self._each(self._bound, which)
            return
        self._oracle = self._started()
        for start, stop in self._parts(step):
            if self._apart:
                rows = self._rows(self._n, start, stop)
                bound = PreparedAction(self.action, rows, memory=0)
                yield self._each(bound, np.arange(len(rows)).reshape(-1, self._n))
                continue
            if self._H.drawn is not None:
                rows = np.concatenate([self._H.group.identity(), self._H.drawn])[start:stop]
            else:
                rows = self._bound.rows[start:stop] if self.listed else self._rows(1, start, stop)
            yield self.action(rows, self._x)

    def choices(self, step: int) -> Iterator[NDArray[np.int64]]:
        """Which of the `listed` elements moves each sample, (c, n); 0 is the identity."""
        order, n = self.listed, self._n
        self._oracle = self._started()
        for start, stop in self._parts(step):
            if self.enumerated:
                numbers = np.arange(start, stop, dtype=np.int64)
                yield np.stack([numbers // order**i % order for i in range(n)], axis=1)
            elif self._H.rows is not None:
                yield np.stack([self._drawn(j, order) for j in range(start, stop)])
            else:
                ranks = self._H.group.rank(self._rows(n, start, stop))
                yield np.argsort(self._order)[ranks].reshape(-1, n)

    def _parts(self, step: int) -> Iterator[tuple[int, int]]:
        return ((start, min(self.count, start + step)) for start in range(0, self.count, step))

    def _started(self) -> Oracle:
        return Oracle(self._H.group, int(keyed_rng(self._seed, _PURPOSE).integers(1 << 63)))

    def _rows(self, each: int, start: int, stop: int) -> Rows:
        """Fresh elements of the moves from start to stop, `each` of them; those of the first are 1."""
        first = np.repeat(self._H.group.identity(), 0 if start else each, axis=0)
        missing = each * (stop - start) - len(first)
        if not missing:
            return first
        return np.concatenate([first, self._oracle.fresh(missing).elements])

    def _each(self, bound: PreparedAction, which: NDArray[np.int64]) -> Any:
        copies = map_leaves(lambda part: namespace(part).concatenate([part] * len(which)), self._x)
        moved = bound.each(copies, which.ravel())
        return map_leaves(lambda part: part.reshape(*which.shape, *part.shape[1:]), moved)

    def _drawn(self, j: int, order: int) -> NDArray[np.int64]:
        """Which element moves each sample in move j: a function of (seed, j) alone."""
        if not j:
            return np.zeros(self._n, np.int64)
        return keyed_rng(self._seed, _PURPOSE, step=1, index=j).integers(order, size=self._n)


def flat(data: Array) -> NDArray[np.float64]:
    """Data sets (c, n, ...) as float64 (c, n, d), the arrays of a tuple or dict side by side."""
    parts = []
    for part in leaves(data):
        array = as_numpy(part)
        if array.dtype.kind == "c":
            array = np.stack([array.real, array.imag], axis=-1)
        parts.append(array.reshape(*array.shape[:2], -1).astype(np.float64))
    return np.concatenate(parts, axis=2)
