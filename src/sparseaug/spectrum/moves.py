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


def exact_subgroup(group: Group, S: Any) -> Rows | None:
    """The subgroup that S is, None for all of the group; an `ArgumentError` where p is not exact."""
    if isinstance(S, str) and S == "full":
        return None
    S = as_sample(S, group)
    rows, counts = S.counts()
    found = subgroup_of(group, rows) if counts.min() == counts.max() else None
    if found is None or not (rows == group.identity()).all(axis=1).any():
        what = "not a subgroup" if found is None else "a coset of a subgroup without the identity"
        given = f"S, {S.m} elements of {group.name}, is {what}; no p-value over it is exact"
        raise ArgumentError(f'{given}; give S="full" or GroupSample.generated(group, rows).')
    return rows


@final
class Moves:
    """The moved data sets, the one as it is first.

    Args:
        action: how an element moves a sample
        x: samples (n, ...)
        H: the elements of a subgroup, or None for the whole group
        move: "each" or "together"
        draws: moves that are drawn where all of them would be more
        seed: of the draws
    """

    def __init__(
        self, action: Action, x: Any, H: Rows | None, move: Move, draws: int, seed: int
    ) -> None:
        self.action, self._x, self._seed = action, x, seed
        self._group: Group = action.group
        self._power = len(leaves(x)[0]) if move == "each" else 1
        order = self._group.order if H is None else len(H)
        large = self._power * math.log(order) >= 64
        every = draws + 2 if large else order**self._power
        listed = H is not None and move == "together"
        self.enumerated = every <= draws + 1 or listed
        self.count = every if self.enumerated else draws + 1
        if H is None and self.enumerated:
            H = self._group.all_elements()
        if H is not None:  # the identity first
            H = H[np.argsort((self._group.identity() != H).any(axis=1), kind="stable")]
        self._H = H
        self._oracle = self._started()

    @property
    def calls(self) -> int:
        """Elements freshly drawn for the moves."""
        return self._oracle.calls

    def chunks(self, step: int) -> Iterator[Any]:
        """Data sets (c, n, ...), c at most `step`; the first of all is x itself."""
        self._oracle = self._started()
        for start in range(0, self.count, step):
            rows = self._rows(start, min(self.count, start + step))
            if self._power == 1:
                yield self.action(rows, self._x)
                continue
            count = len(rows) // self._power
            bound = PreparedAction(self.action, rows, memory=0)
            copies = map_leaves(
                lambda part, count=count: namespace(part).concatenate([part] * count), self._x
            )
            moved = bound.each(copies, np.arange(len(rows)))
            yield map_leaves(
                lambda part, count=count: part.reshape(count, self._power, *part.shape[1:]), moved
            )

    def _started(self) -> Oracle:
        return Oracle(self._group, int(keyed_rng(self._seed, _PURPOSE).integers(1 << 63)))

    def _rows(self, start: int, stop: int) -> Rows:
        """The elements of the moves from start to stop, one after the other."""
        n, H = self._power, self._H
        if H is None:
            first = np.repeat(self._group.identity(), 0 if start else n, axis=0)
            missing = n * (stop - start) - len(first)
            return (
                np.concatenate([first, self._oracle.fresh(missing).elements]) if missing else first
            )
        if self.enumerated:
            numbers = np.arange(start, stop)
            return H[np.stack([numbers // len(H) ** i % len(H) for i in range(n)], axis=1).ravel()]
        return H[np.concatenate([self._drawn(j, len(H)) for j in range(start, stop)])]

    def _drawn(self, j: int, order: int) -> NDArray[np.int64]:
        """Which element moves each sample in move j: a function of (seed, j) alone."""
        if not j:
            return np.zeros(self._power, np.int64)
        return keyed_rng(self._seed, _PURPOSE, step=1, index=j).integers(order, size=self._power)


def flat(data: Array) -> NDArray[np.float64]:
    """Data sets (c, n, ...) as float64 (c, n, d), the arrays of a tuple or dict side by side."""
    parts = []
    for part in leaves(data):
        array = as_numpy(part)
        if array.dtype.kind == "c":
            array = np.stack([array.real, array.imag], axis=-1)
        parts.append(array.reshape(*array.shape[:2], -1).astype(np.float64))
    return np.concatenate(parts, axis=2)
