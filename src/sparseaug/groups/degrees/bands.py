"""The irreps of rotations: l or the frequency, up to 8, with both parities where there are reflections.

phi depends on the angle omega of q alone: sin((2l+1) omega/2) / ((2l+1) sin(omega/2)) for l of
SO(3), cos (k omega) for the frequency k, times the parity's sign. Angles are put into 4,096 cells,
the identity in one of its own. Partners of g are g k t k^-1 with t a turn by one of a few angles: a
function of low degree hardly changes under a small one. What lies above 8 is four blocks of one
degree, "above 8", that stand for l = 10, 14, 20 and all: of the last only the identity has a
character.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.degrees.blocks import Degrees, Floats
from sparseaug.groups.degrees.counts import Degree
from sparseaug.groups.permutations import Rows
from sparseaug.groups.quotients import Multiset, over_quotients

if TYPE_CHECKING:
    from sparseaug.groups.rotations import Rotations

HIGHEST = 8
"""Degree up to which each is a block of its own."""

ABOVE = (10, 14, 20, math.inf)

_ONE_BY_ONE = 64  # l up to which the worst of those above 8 is looked for
_CELLS = 4096
_ANGLES = (0.15, 0.3, 0.5, 0.8, 1.2, 2.0)  # of partners


@dataclass(frozen=True, eq=False)
class Bands(Degrees):
    """SO(2), SO(3), O(2) or O(3)."""

    group: Rotations

    @cached_property
    def parts(self) -> tuple[tuple[float, int], ...]:
        """l or frequency, and parity."""
        signed = self.group.reflections
        parities = (1, -1) if signed and self.group.n == 3 else (1,)
        found = [(float(k), sign) for k in (*range(1, HIGHEST + 1), *ABOVE) for sign in parities]
        return tuple([(0.0, -1), *found] if signed else found)  # the determinant

    @property
    def names(self) -> tuple[str, ...]:
        space, signed = self.group.n == 3, self.group.reflections
        letter, mark = ("l" if space else "k"), {1: "+", -1: "-"}
        return tuple(
            f"{letter}={k:g}{mark[parity] if signed and (space or not k) else ''}"
            for k, parity in self.parts
        )

    @property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(int(k) if k <= HIGHEST else f"above {HIGHEST}" for k, _ in self.parts)

    @property
    def levels(self) -> Floats:
        return np.array([min(max(1.0, k), 30.0) for k, _ in self.parts])

    @property
    def copies(self) -> Floats:
        return np.array([1.0 if k <= HIGHEST else math.inf for k, _ in self.parts])

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        half, bits = self._halves(rows), self._bits(rows)
        cell = np.minimum((half * (2 * _CELLS / np.pi)).astype(np.int64), _CELLS - 1)
        cell = np.where(half < 1e-9, _CELLS, cell) + (_CELLS + 1) * bits
        centres = np.append((np.arange(_CELLS) + 0.5) * np.pi / (2 * _CELLS), 0.0)
        both = [self._phi(centres, np.full(len(centres), bit)) for bit in (0, 1)]
        kinds, index = np.unique(cell, return_inverse=True)
        return np.concatenate(both)[kinds], index.reshape(-1)

    def exactly(self, rows: Rows) -> Floats:
        return self._phi(self._halves(rows), self._bits(rows))

    def above(self, rows: Rows, highest: int) -> Floats:
        """phi (k, 2 (highest - 7)) of l = 9 to highest of O(3), then a bound on |phi| for all above.

        Of both parities in turn: |sin(n t) / (n sin t)| is at most 1 and 1 / (n sin t).
        """
        half, sign = self._halves(rows), 1.0 - 2.0 * self._bits(rows)
        sine = np.maximum(np.sin(half), 1e-9)
        odd = 2 * np.arange(HIGHEST + 1, highest + 2) + 1
        values = np.sin(odd * half[:, None]) / (odd * sine[:, None])
        values[half < 1e-9] = 1.0
        values[:, -1] = np.minimum(1.0, 1 / (odd[-1] * sine))
        both = np.stack([values, values * sign[:, None]], axis=2)
        both[:, -1] = values[:, -1:]
        return both.reshape(len(rows), -1)

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """g k t k^-1 with the angle of t going round."""
        group = self.group
        angles = np.array(_ANGLES)[np.arange(len(g)) % len(_ANGLES)]
        t = np.repeat(group.identity(), len(g), axis=0)
        if group.n == 3:
            t[:, 0], t[:, 3] = np.cos(angles / 2), np.sin(angles / 2)
            t[:, :4] /= np.sqrt((t[:, :4] ** 2).sum(axis=1, keepdims=True))
        else:
            t[:, 0] = angles
        return group._compose(group._compose(group._compose(g, k), t), group._inverse(k))

    def mean_squares(self, S: Multiset) -> Floats:
        """At the angles of all quotients, not in cells."""
        return np.maximum(over_quotients(S, self.exactly, len(self.parts)), 0.0)

    def _bounds(self, S: Multiset, squares: Floats) -> Floats:
        """SO(3), O(3): |phi_l(q)| <= 1 / ((2l + 1) sin(omega / 2)): the l up to 64 one by one.

        In the plane no S is good above its size: some frequency has all angles near multiples of 2 pi.
        """
        found = np.where(np.isinf(self.copies), 1.0, squares)
        if self.group.n == 3:
            above = partial(self.above, highest=_ONE_BY_ONE)
            count = 2 * (_ONE_BY_ONE - HIGHEST + 1)
            by_parity = over_quotients(S, above, count).reshape(-1, 2)
            for u in np.flatnonzero(np.isinf(self.copies)):
                found[u] = by_parity[:, int(self.parts[u][1] < 0)].max()
        return found

    def _halves(self, rows: Rows) -> Floats:
        """Half of the angle of each row, from 0 to pi/2."""
        if self.group.n == 2:
            angle = np.minimum(rows[:, 0], 2 * np.pi - rows[:, 0])
            return np.asarray(np.clip(angle / 2, 0.0, np.pi / 2))
        w, x, y, z = rows[:, :4].T
        return np.asarray(np.arctan2(np.sqrt(x * x + y * y + z * z), abs(w)))

    def _bits(self, rows: Rows) -> NDArray[np.int64]:
        signed = self.group.reflections
        return rows[:, -1].astype(np.int64) if signed else np.zeros(len(rows), np.int64)

    def _phi(self, half: Floats, bits: NDArray[np.int64]) -> Floats:
        """phi of every block (k, blocks) at these half angles."""
        columns = []
        same = half < 1e-9
        sine = np.where(same, 1.0, np.sin(half))
        for degree, parity in self.parts:
            sign = np.where(bits == 1, float(parity), 1.0)
            if degree == math.inf:
                value = same.astype(np.float64)
            elif self.group.n == 3:
                n = 2 * degree + 1
                value = np.where(same, 1.0, np.sin(n * half) / (n * sine))
            else:
                value = np.cos(2 * degree * half) * np.where((bits == 1) & (degree > 0), 0.0, 1.0)
            columns.append(sign * value)
        return np.stack(columns, axis=1)
