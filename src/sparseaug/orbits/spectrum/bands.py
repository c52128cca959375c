"""The units of rotations: l or the frequency, up to 8, with both parities where there are reflections.

phi depends on the angle omega of q alone: sin((2l+1) omega/2) / ((2l+1) sin(omega/2)) for l of
SO(3), cos (k omega) for the frequency k, times the parity's sign. Angles are put into 4,096 cells,
the identity in one of its own. Partners of g are g k t k^-1 with t a turn by one of a few angles: a
function of low degree hardly changes under a small one. What lies above 8 is four units of one
degree, "above 8", that stand for l = 10, 14, 20 and all: of the last only the identity has a
character.

Degrees of any group that permutes points and can be listed: functions of k points at a time.

The functions of k points of G are spanned by "g moves these k points to those k": the irreps that
occur in the action on ordered k-tuples, whose character X_k(g) counts the tuples that g fixes.
Convolution with X_k multiplies the isotypic part of pi by its multiplicity over d_pi, so the projection
onto these functions is the one onto the space where the convolution is not 0. On class functions, with
the classes weighted by their sizes, it is a symmetric matrix of as many rows as there are classes; the
projection of |G| [g = e] is the kernel K_k, and degree k has sum of d_pi chi_pi = K_k - K_(k-1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group, Rows
from sparseaug.orbits.spectrum.units import Floats, quotient_squares, spread_between
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


MOST_PRODUCTS = 1 << 24
"""Classes times elements: seconds."""

MOST_WHOLE = 2000
"""Order of groups of which all pairs of elements are looked at."""

_ZERO = 1e-9  # eigenvalues are 0, or multiplicities over d_pi <= sqrt |G|: at least 2^-12


@dataclass(frozen=True, eq=False)
class Points:
    """All irreps of one degree together, for a group with a faithful action on few points."""

    group: Group
    labels: Rows
    kernels: Floats
    meaning: str = "points at a time"
    partners: None = None

    @classmethod
    def of(cls, group: Group, *, whole: bool) -> Points:
        faithful = group.faithful()
        if faithful is None:
            raise UnsupportedError(
                f"the irreps of {group.name} have no degree, and it does not permute few points; "
                "spectra are for permutations, signed permutations, abelian and dihedral groups, and "
                "products."
            )
        if group.order > (MOST_WHOLE if whole else MOST_PRODUCTS):
            raise GroupTooLargeError(
                f"{group.name} is too large to find the degrees of its irreps."
            )
        elements = group.all_elements()
        labels, first = _classes(group, elements)
        if len(first) * len(elements) > MOST_PRODUCTS:
            raise GroupTooLargeError(
                f"{group.name} has {len(first)} classes, too many to find the degrees of its irreps."
            )
        images = faithful.images(elements)
        fixed = (images == np.arange(faithful.points)).sum(axis=1).astype(np.float64)
        return cls(group, labels, np.array(list(_kernels(group, elements, labels, first, fixed))))

    @property
    def degrees(self) -> tuple[Degree, ...]:
        """From 1 to as many points as tell all elements apart."""
        return tuple(range(1, len(self.kernels) + 1))

    @property
    def names(self) -> tuple[str, ...]:
        """The degrees."""
        return tuple(str(degree) for degree in self.degrees)

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        table = self.kernels.T / self.kernels[:, self.labels[0]]
        return table, self.labels[self.group.rank(rows)]

    def mean_squares(self, S: GroupSample) -> Floats:
        return quotient_squares(self, S)

    def spreads(self, S: GroupSample) -> Floats:
        return spread_between(self.mean_squares(S))

    def variances(self, values: NDArray[Any]) -> Floats:
        """sum_gh <v(g), v(h)> K(g^-1 h) / |G|^2."""
        elements = self.group.all_elements()
        inverses = self.group.inverse(elements)
        sums = np.zeros(self.kernels.shape[1])
        step = max(1, (1 << 20) // len(elements))
        for start in range(0, len(elements), step):
            part = slice(start, start + step)
            products = self.group.compose(inverses[part, None], elements[None])
            index = self.labels[self.group.rank(products.reshape(-1, self.group.width))]
            gram = values[part] @ values.T
            sums += np.bincount(index, gram.ravel(), minlength=len(sums))
        return np.maximum(self.kernels @ sums / len(elements) ** 2, 0.0)


def _classes(group: Group, elements: Rows) -> tuple[Rows, Rows]:
    """The class of each rank, and the first element of each class."""
    count = len(elements)
    edges = [
        group.rank(group.compose(group.compose(s[None], elements), group.inverse(s[None])))
        for s in group.generators()
    ]
    sources = np.tile(np.arange(count), len(edges))
    targets = np.concatenate([np.zeros(0, np.int64), *edges])
    graph = coo_array((np.ones(len(sources)), (sources, targets)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels, np.unique(labels, return_index=True)[1]


def _kernels(
    group: Group, elements: Rows, labels: Rows, first: Rows, fixed: Floats
) -> Iterator[Floats]:
    """K_k - K_(k-1) on the classes, for k = 1, 2, ... until all functions are reached."""
    count, sizes = len(elements), np.sqrt(np.bincount(labels))
    inverses = group.inverse(elements)
    products = [labels[group.rank(group.compose(inverses, t[None]))] for t in elements[first]]
    start = np.zeros(len(first))
    start[labels[0]] = count  # the identity has rank 0, and a class of its own
    below, weights = np.ones(len(first)), np.ones(count)
    for k in range(count):
        weights = weights * np.maximum(fixed - k, 0.0)
        sums = [np.bincount(index, weights, minlength=len(first)) / count for index in products]
        matrix = sizes[:, None] * np.array(sums) / sizes
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        kept = vectors[:, values > _ZERO * values[-1]]
        kernel = kept @ (kept.T @ (sizes * start)) / sizes
        yield kernel - below
        if kernel[labels[0]] > count - 0.5:
            return
        below = kernel
