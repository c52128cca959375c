"""The units of S_n and A_n: partitions, whose characters are integers of the cycle type.

Partners of g are g k t k^-1 with t a cycle: a function of few coordinates hardly changes under a short
one. Above n = 12 the irreps of degree 1 to 3 are units, and what lies above is four units of one degree,
"above 3", that stand for the degrees 4, 6, 9 and all: of degree j the character at q is about the chance
(a/n)^j that j coordinates are among the a that q leaves in place.

The variances of all partitions from the values on all of S_n: Clausen's recursion.

Every element of S_k is c h with h in S_(k-1) and c one of the k transpositions (i, k - 1), or nothing:

    sum over S_k of v(g) pi(g) = sum_c pi(c) [sum over S_(k-1) of v(c h) pi(h)],

and in Young's form the bracket is block diagonal, one block for each shape with a box less. On A_n the
values are 0 elsewhere; a self-conjugate shape is two halves of half the dimension there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group, Rows, symmetric
from sparseaug.groups.young import (
    Partition,
    characters_at,
    conjugate,
    dimension,
    partitions,
    restrict,
    young_matrices,
)
from sparseaug.orbits.spectrum.units import Floats
from sparseaug.sampling import GroupSample
from sparseaug.spectral.profiles.counting import (
    LARGEST_N,
    POLYNOMIALS,
    counted_shapes,
    cycle_codes,
    cycle_type,
    fixed_points,
    is_first,
    shape_degree,
    shape_part,
)
from sparseaug.spectral.profiles.result import Degree

ABOVE = (4, 6, 9, math.inf)
"""Degrees that stand for all above 3; infinite: only the identity has a character."""

_CYCLES = 6  # lengths, at most


@dataclass(frozen=True, eq=False)
class Shapes:
    """The partitions of n but the first; on A_n one of two conjugates."""

    group: Group
    shapes: tuple[Partition, ...]
    names: tuple[str, ...]
    degrees: tuple[Degree, ...]
    meaning: str = "coordinates at a time"

    @classmethod
    def of(cls, group: Group) -> Shapes:
        n, even = group.width, group.even
        if n > LARGEST_N:
            shapes = tuple((n - sum(mu), *mu) for mu in POLYNOMIALS)
            above: list[Degree] = ["above 3"] * len(ABOVE)
            names = [*map(str, shapes), *(f"about {j}" for j in ABOVE)]
            return cls(group, shapes, tuple(names), (*(n - s[0] for s in shapes), *above))
        shapes = tuple(p for p in partitions(n)[1:] if not even or is_first(p))
        parts = [shape_part(shape, even, 0, 1) for shape in shapes]
        degrees = tuple(shape_degree(shape, even) for shape in shapes)
        return cls(group, shapes, tuple(part.name for part in parts), degrees)

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        n = self.group.width
        if n > LARGEST_N:
            return self._of_short_cycles(rows)
        codes, index = np.unique(cycle_codes(rows), return_inverse=True)
        found = [characters_at(cycle_type(code, n)) for code in codes.tolist()]
        sizes = np.array([dimension(shape) for shape in self.shapes])
        table = np.array([[at.get(shape, 0) for shape in self.shapes] for at in found])
        return table / sizes, index.reshape(-1)

    def _of_short_cycles(self, rows: Rows) -> tuple[Floats, Rows]:
        n = self.group.width
        once, twice, thrice = fixed_points(rows, 3)
        numbers = np.stack([once, (twice - once) // 2, (thrice - once) // 3], axis=1)
        kinds, index = np.unique(numbers, axis=0, return_inverse=True)
        sizes = [dimension(shape) for shape in self.shapes]
        columns: list[Any] = [
            [value(a, b, c) / size for a, b, c in kinds.tolist()]
            for value, size in zip(POLYNOMIALS.values(), sizes, strict=True)
        ]
        kept = kinds[:, 0] / n
        columns += [kept**j if j < math.inf else kept == 1 for j in ABOVE]
        return np.array(columns, np.float64).T, index.reshape(-1)

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """g k t k^-1, t a cycle whose length goes round from 2 to n - 1, on A_n from 3, odd ones."""
        n, step = self.group.width, 1 + self.group.even
        lengths = np.arange(1 + step, max(n, 2 + step), step)
        if len(lengths) > _CYCLES:
            places = np.geomspace(1, len(lengths), _CYCLES).round().astype(int) - 1
            lengths = lengths[np.unique(places)]
        t = np.tile(np.arange(n), (len(g), 1))
        for i, length in enumerate(lengths.tolist()):
            t[i :: len(lengths), :length] = np.roll(np.arange(length), -1)
        group = self.group
        return group.compose(group.compose(group.compose(g, k), t), group.inverse(k))

    def mean_squares(self, S: GroupSample) -> Floats:
        parts = counted_shapes(S)
        if parts is None:
            raise UnsupportedError(
                f"m={S.m} is too large to count the quotients of S in {S.group.name}; use fewer "
                "elements."
            )
        squares = [float(part.mean_square) for part in parts]
        if S.group.width > LARGEST_N:
            # sum over all pi of d_pi^2 ||pi(S)||_F^2 / d_pi is |G| times the share of equal pairs
            order, counts = S.group.order, S.counts()[1]
            equal = order * sum(c * c for c in counts.tolist()) / S.m**2
            known = sum(part.weight for part in parts)
            rest = equal - 1 - sum(float(part.mean_square) * part.weight for part in parts)
            squares += [max(0.0, rest / (order - 1 - known))] * len(ABOVE)
        return np.array(squares)

    def spreads(self, S: GroupSample) -> float:
        return 0.0

    def variances(self, values: NDArray[Any]) -> Floats:
        if self.group.width > LARGEST_N:
            raise GroupTooLargeError(f"{self.group.name} is too large to be listed; give calls=.")
        return young_variances(self.group, self.shapes, values)


_ENTRIES = 1 << 22  # of values that are transformed together


def young_variances(group: Group, shapes: tuple[Partition, ...], values: NDArray[Any]) -> Floats:
    """var of each shape, from the values (order, p) of S_n or A_n in rank order, summed over p."""
    n = group.width
    rows = _cosets(n)
    inside = np.flatnonzero(group.contains(rows))
    place = group.rank(rows[inside])
    found = np.zeros(len(shapes))
    step = max(1, _ENTRIES // len(rows))
    for start in range(0, values.shape[1], step):
        some = values[:, start : start + step]
        spread = np.zeros((len(rows), some.shape[1]))
        spread[inside] = some[place]
        blocks = _transform(n, spread)
        for u, shape in enumerate(shapes):
            size = dimension(shape)
            halves = 2 if group.even and shape == conjugate(shape) and size > 1 else 1
            found[u] += size / halves * float(np.linalg.norm(blocks[shape] / len(values)) ** 2)
    return found


def _swaps(k: int, n: int) -> Rows:
    """The transpositions (i, k - 1) for i < k, the last of which is the identity, on n points."""
    rows = np.tile(np.arange(n), (k, 1))
    rows[np.arange(k), np.arange(k)] = k - 1
    rows[:, k - 1] = np.arange(k)
    return rows


def _cosets(n: int) -> Rows:
    """All elements as c_n c_(n-1) ... c_2, the first factor slowest."""
    group = symmetric(n)
    rows = group.identity()
    for k in range(2, n + 1):
        rows = group.compose(_swaps(k, n)[:, None], rows[None]).reshape(-1, n)
    return rows


def _transform(n: int, values: Floats) -> dict[Partition, Floats]:
    """sum of v(g) pi(g) for all shapes, (p, d, d), from values (n!, p) in the order of `_cosets`."""
    count = values.shape[1]
    level: dict[Partition, Floats] = {(1,): values[:, :, None, None]}
    for k in range(2, n + 1):
        above: dict[Partition, Floats] = {}
        for shape in partitions(k):
            matrices = young_matrices(shape, _swaps(k, k))
            columns, start = [], 0
            for smaller, _ in restrict(shape):
                d = dimension(smaller)
                blocks = level[smaller].reshape(-1, k, count, d, d)
                part = matrices[:, :, start : start + d]
                columns.append(np.einsum("iab,lipbc->lpac", part, blocks, optimize=True))
                start += d
            above[shape] = np.concatenate(columns, axis=-1)
        level = above
    return {shape: blocks[0] for shape, blocks in level.items()}
