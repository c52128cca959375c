"""The units of rotations: l or the frequency, up to 8, with both parities where there are reflections.

phi depends on the angle omega of q alone: sin((2l+1) omega/2) / ((2l+1) sin(omega/2)) for l of
SO(3), cos (k omega) for the frequency k, times the parity's sign. Angles are put into 4,096 cells,
the identity in one of its own. Partners of g are g k t k^-1 with t a turn by one of a few angles: a
function of low degree hardly changes under a small one. What lies above 8 is four units of one
degree, "above 8", that stand for l = 10, 14, 20 and all: of the last only the identity has a
character.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError
from sparseaug.groups import Group, Rows
from sparseaug.orbits.spectrum.units import Floats
from sparseaug.sampling import GroupSample
from sparseaug.spectral.profiles.result import Degree

HIGHEST = 8
"""Degree up to which each is a unit of its own."""

ABOVE = (10, 14, 20, math.inf)

_CELLS = 4096
_ANGLES = (0.15, 0.3, 0.5, 0.8, 1.2, 2.0)  # of partners
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class Bands:
    """SO(2), SO(3), O(2) or O(3)."""

    group: Group
    kinds: tuple[tuple[float, int], ...]  # l or frequency, and parity
    names: tuple[str, ...]
    degrees: tuple[Degree, ...]
    meaning: str

    @classmethod
    def of(cls, group: Group) -> Bands:
        space, signed = group.width >= 4, group.width in (2, 5)
        parities = (1, -1) if signed and space else (1,)
        orders = (*range(1, HIGHEST + 1), *ABOVE)
        kinds = [(float(order), parity) for order in orders for parity in parities]
        kinds = [(0.0, -1), *kinds] if signed else kinds  # the determinant
        letter, mark = ("l" if space else "k"), {1: "+", -1: "-"}
        names = [
            f"{letter}={order:g}{mark[parity] if signed and (space or not order) else ''}"
            for order, parity in kinds
        ]
        above = f"above {HIGHEST}"
        degrees = tuple(int(order) if order <= HIGHEST else above for order, _ in kinds)
        return cls(group, tuple(kinds), tuple(names), degrees, "l" if space else "frequency")

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        half, bits = self._halves(rows), self._bits(rows)
        cell = np.minimum((half * (2 * _CELLS / np.pi)).astype(np.int64), _CELLS - 1)
        cell = np.where(half < 1e-9, _CELLS, cell) + (_CELLS + 1) * bits
        centres = np.append((np.arange(_CELLS) + 0.5) * np.pi / (2 * _CELLS), 0.0)
        both = [self._phi(centres, np.full(len(centres), bit)) for bit in (0, 1)]
        kinds, index = np.unique(cell, return_inverse=True)
        return np.concatenate(both)[kinds], index.reshape(-1)

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """g k t k^-1 with the angle of t going round."""
        group = self.group
        angles = np.array(_ANGLES)[np.arange(len(g)) % len(_ANGLES)]
        t = np.repeat(group.identity(), len(g), axis=0)
        if group.width >= 4:
            t[:, 0], t[:, 3] = np.cos(angles / 2), np.sin(angles / 2)
            t[:, :4] /= np.sqrt((t[:, :4] ** 2).sum(axis=1, keepdims=True))
        else:
            t[:, 0] = angles
        return group.compose(group.compose(group.compose(g, k), t), group.inverse(k))

    def mean_squares(self, S: GroupSample) -> Floats:
        rows, counts = S.counts()
        if len(rows) > 1 << 13:
            raise GroupTooLargeError(
                f"m={S.m} is too large for the quotients of S; use at most {1 << 13} elements."
            )
        inverses = S.group.inverse(rows)
        total = np.zeros(len(self.kinds))
        step = max(1, _CHUNK // (len(rows) * len(self.kinds)))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            products = S.group.compose(inverses[part, None], rows[None])
            flat = products.reshape(-1, S.group.width)
            weights = (counts[part, None] * counts[None]).ravel()
            total += weights @ self._phi(self._halves(flat), self._bits(flat))
        return np.maximum(total / S.m**2, 0.0)

    def spreads(self, S: GroupSample) -> float:
        return 0.0

    def variances(self, values: NDArray[Any]) -> Floats:
        raise GroupTooLargeError(f"{self.group.name} cannot be listed; give calls=.")

    def _halves(self, rows: Rows) -> Floats:
        """Half of the angle of each row, from 0 to pi/2."""
        if self.group.width < 4:
            angle = np.minimum(rows[:, 0], 2 * np.pi - rows[:, 0])
            return np.asarray(np.clip(angle / 2, 0.0, np.pi / 2))
        w, x, y, z = rows[:, :4].T
        return np.asarray(np.arctan2(np.sqrt(x * x + y * y + z * z), abs(w)))

    def _bits(self, rows: Rows) -> NDArray[np.int64]:
        signed = self.group.width in (2, 5)
        return rows[:, -1].astype(np.int64) if signed else np.zeros(len(rows), np.int64)

    def _phi(self, half: Floats, bits: NDArray[np.int64]) -> Floats:
        """phi of every unit (k, units) at these half angles."""
        columns = []
        same = half < 1e-9
        sine = np.where(same, 1.0, np.sin(half))
        for order, parity in self.kinds:
            sign = np.where(bits == 1, float(parity), 1.0)
            if order == math.inf:
                value = same.astype(np.float64)
            elif self.group.width >= 4:
                n = 2 * order + 1
                value = np.where(same, 1.0, np.sin(n * half) / (n * sine))
            else:
                value = np.cos(2 * order * half) * np.where((bits == 1) & (order > 0), 0.0, 1.0)
            columns.append(sign * value)
        return np.stack(columns, axis=1)
