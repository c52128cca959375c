"""The irreps of S_n and A_n: partitions, whose characters are integers of the cycle type.

The degree of a partition is n - lambda_1: functions of k coordinates at a time contain exactly the
degrees up to k. Partners of g are g k t k^-1 with t a cycle: a function of few coordinates hardly
changes under a short one. Above n = 12 the irreps of degree 1 to 3 are blocks, and what lies above is
four blocks of one degree, "above 3", that stand for the degrees 4, 6, 9 and all: of degree j the
character at q is about the chance (a/n)^j that j coordinates are among the a that q leaves in place.

The variances of all partitions from the values on all of S_n: Clausen's recursion.

Every element of S_k is c h with h in S_(k-1) and c one of the k transpositions (i, k - 1), or nothing:

    sum over S_k of v(g) pi(g) = sum_c pi(c) [sum over S_(k-1) of v(c h) pi(h)],

and in Young's form the bracket is block diagonal, one block for each shape with a box less. On A_n the
values are 0 elsewhere; a self-conjugate shape is two halves of half the dimension there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups import young
from sparseaug.groups.degrees.blocks import Degrees, Floats, of_copies
from sparseaug.groups.degrees.counts import Degree, Part
from sparseaug.groups.permutations import Rows, compose_permutations, fixed_points
from sparseaug.groups.quotients import Multiset, quotients, tally, too_many
from sparseaug.groups.young import Partition, characters_at, conjugate, dimension, partitions

if TYPE_CHECKING:
    from sparseaug.groups.symmetric import Symmetric

LARGEST_N = 12
"""S_n whose irreps are all counted; above, those of degree 1 to 3."""

ABOVE = (4, 6, 9, math.inf)
"""Degrees that stand for all above 3; infinite: only the identity has a character."""

_CYCLES = 6  # lengths, at most
_ENTRIES = 1 << 22  # of values that are transformed together
_WORK = 1 << 31  # integers of the cycles of all quotients


@dataclass(frozen=True, eq=False)
class Shapes(Degrees):
    """The partitions of n but the first; on A_n one of two conjugates."""

    group: Symmetric

    @cached_property
    def shapes(self) -> tuple[Partition, ...]:
        """The partitions."""
        n = self.group.n
        if self.above:
            return tuple((n - sum(mu), *mu) for mu in POLYNOMIALS)
        return tuple(p for p in partitions(n)[1:] if not self.group.even or is_first(p))

    @cached_property
    def above(self) -> tuple[float, ...]:
        """The degrees that stand for all above 3, where irreps are not listed."""
        return ABOVE if self.group.n > LARGEST_N else ()

    @cached_property
    def _dimensions(self) -> tuple[int, ...]:
        return tuple(map(dimension, self.shapes))

    @property
    def names(self) -> tuple[str, ...]:
        named = tuple(shape_name(shape, self.group.even) for shape in self.shapes)
        return (*named, *(f"about {j}" for j in self.above))

    @cached_property
    def degrees(self) -> tuple[Degree, ...]:
        own = (shape_degree(shape, self.group.even) for shape in self.shapes)
        return (*own, *["above 3"] * len(self.above))

    @property
    def levels(self) -> Floats:
        own = [float(d) for d in self.degrees if isinstance(d, int)]
        return np.array(own + [float(min(j, 12)) for j in self.above])

    @property
    def sizes(self) -> Floats:
        return np.array([float(d) ** 2 for d in self._dimensions] + [1.0] * len(self.above))

    @property
    def low(self) -> dict[int, int]:
        found = enumerate(zip(self.shapes, self.degrees, strict=False))
        even = self.group.even
        return {u: dimension(p) for u, (p, k) in found if k == 1 and not is_halved(p, even)}

    @property
    def copies(self) -> Floats:
        own = [1.0 + is_halved(shape, self.group.even) for shape in self.shapes]
        return np.array(own + [math.inf] * len(self.above))

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        codes, index = np.unique(self._codes(rows), return_inverse=True)
        table = np.array([self._at(code)[1] for code in codes.tolist()])
        table = table.reshape(len(codes), len(self.shapes))
        if self.above:
            kept = codes // (self.group.n + 1) ** 2 / self.group.n
            above = [kept**j if j < math.inf else kept == 1 for j in ABOVE]
            table = np.column_stack([table, *above])
        return table, index.reshape(-1)

    def _codes(self, rows: Rows) -> Rows:
        """The class of each row as an integer; above n = 12 how many cycles of length 1, 2, 3 it has."""
        if not self.above:
            return cycle_codes(rows)
        n = self.group.n
        once, twice, thrice = fixed_points(rows, 3)
        return (once * (n + 1) + (twice - once) // 2) * (n + 1) + (thrice - once) // 3

    def _at(self, code: int) -> tuple[list[int], list[float]]:
        """chi and chi / d of all shapes on the rows of this code."""
        if code not in self._known:
            n = self.group.n
            if not self.above:
                at = characters_at(cycle_type(code, n))
                values = [at.get(shape, 0) for shape in self.shapes]
            else:
                rest, c = divmod(code, n + 1)
                a, b = divmod(rest, n + 1)
                values = [value(a, b, c) for value in POLYNOMIALS.values()]
            ratios = [value / d for value, d in zip(values, self._dimensions, strict=True)]
            self._known[code] = values, ratios
        return self._known[code]

    @cached_property
    def _known(self) -> dict[int, tuple[list[int], list[float]]]:
        """Those of the codes that were met."""
        return {}

    def partners(self, g: Rows, k: Rows, rng: np.random.Generator) -> Rows:
        """g k t k^-1, t a cycle whose length goes round from 2 to n - 1, on A_n from 3, odd ones."""
        group, n, step = self.group, self.group.n, 1 + self.group.even
        lengths = np.arange(1 + step, max(n, 2 + step), step)
        if len(lengths) > _CYCLES:
            places = np.geomspace(1, len(lengths), _CYCLES).round().astype(int) - 1
            lengths = lengths[np.unique(places)]
        t = np.tile(np.arange(n), (len(g), 1))
        for i, length in enumerate(lengths.tolist()):
            t[i :: len(lengths), :length] = np.roll(np.arange(length), -1)
        return group._compose(group._compose(group._compose(g, k), t), group._inverse(k))

    def counted(self, S: Multiset, most: int | None = None) -> list[Part] | None:
        """The irreps of degree up to `most`, each with its mean square; None if quotients are too many.

        Above n = 12 up to degree 3. On A_n a partition stands for its conjugate too, and the two halves
        of a self-conjugate one, each of dimension d / 2, are one part of weight d^2 / 2.
        """
        even, chunks = self.group.even, quotients(S)
        if chunks is None:
            return None
        often: dict[int, int] = {}
        for rows, weights in chunks:
            for code, count in tally(self._codes(rows), weights):
                often[code] = often.get(code, 0) + count
        totals = [0] * len(self.shapes)
        for code, count in often.items():
            totals = [t + count * value for t, value in zip(totals, self._at(code)[0], strict=True)]
        found = []
        for shape, total in zip(self.shapes, totals, strict=True):
            degree = shape_degree(shape, even)
            if most is None or degree <= most:
                d, name = dimension(shape), shape_name(shape, even)
                square, halves = Fraction(total, S.m**2 * d), 2 if is_halved(shape, even) else 1
                found.append(Part(name, degree, d // halves, d * d // halves, square, not total))
        return found

    def mean_squares(self, S: Multiset) -> Floats:
        parts = self.counted(S)
        if parts is None:
            raise too_many(S)
        squares = [float(part.mean_square) for part in parts]
        if self.above:
            # sum over all pi of d_pi^2 ||pi(S)||_F^2 / d_pi is |G| times the share of equal pairs
            order, counts = self.group.order, S.counts()[1]
            equal = order * sum(c * c for c in counts.tolist()) / S.m**2
            known = sum(part.weight for part in parts)
            rest = equal - 1 - sum(float(part.mean_square) * part.weight for part in parts)
            squares += [max(0.0, rest / (order - 1 - known))] * len(ABOVE)
        return np.array(squares)

    def _bounds(self, S: Multiset, squares: Floats) -> Floats:
        """Above n = 12: degrees 0 to 3 times the sign, and |chi(q)|^2 <= |C(q)| for all the others.

        The squares of the characters at q sum to the order of its centraliser, and the dimension of the
        others is at least that of the smallest.
        """
        found = of_copies(squares, self.copies)
        n, even, chunks = self.group.n, self.group.even, quotients(S)
        if not self.above or chunks is None or len(S.counts()[0]) ** 2 * n * n > _WORK:
            return found
        from scipy.special import gammaln  # takes a tenth of a second to import

        smallest = smallest_above(n, even=even)
        with_sign, others = np.zeros(1 + len(POLYNOMIALS)), 0.0
        for rows, often in chunks:
            cycles = cycle_numbers(rows)
            centralisers = cycles @ np.log(np.arange(1, n + 1)) + gammaln(cycles + 1).sum(axis=1)
            others += float(often @ np.exp(np.minimum(0.0, centralisers / 2 - math.log(smallest))))
            table, index = self.characters(rows)
            signed = often * (1 - 2 * ((n - cycles.sum(axis=1)) % 2))
            each = np.bincount(index, signed, len(table)) @ table[:, : len(POLYNOMIALS)]
            with_sign += np.append(signed.sum(), each)
        found[len(POLYNOMIALS) :] = max(others, 0.0 if even else with_sign.max()) / S.m**2
        return found

    def variances(self, values: NDArray[Any]) -> Floats:
        if self.above:
            return super().variances(values)
        return young_variances(self.group, self.shapes, values)


def shape_degree(shape: Partition, even: bool) -> int:
    """n - lambda_1; on A_n the smaller one of the conjugates."""
    longest = max(shape[0], len(shape)) if even else shape[0]
    return sum(shape) - longest


def shape_name(shape: Partition, even: bool) -> str:
    """The partition; on A_n with both signs where it stands for two halves."""
    return f"{shape}+-" if is_halved(shape, even) else str(shape)


def is_halved(shape: Partition, even: bool) -> bool:
    """Whether it is two irreps of A_n, each of half the dimension."""
    return even and shape == conjugate(shape) and dimension(shape) > 1


def is_first(shape: Partition) -> bool:
    """Whether it stands for itself and its conjugate on A_n, and is not trivial there."""
    return shape >= conjugate(shape) and len(shape) > 1


def cycle_codes(rows: Rows) -> Rows:
    """One integer per row, which `cycle_type` turns into the cycle type."""
    n = rows.shape[1]
    codes = np.zeros(len(rows), np.int64)
    for fixed in fixed_points(rows, n // 2):
        codes *= n + 1
        codes += fixed
    return codes


def cycle_type(code: int, n: int) -> Partition:
    """From the fixed points of q, ..., q^(n // 2): those of q^k are the sum of d a_d over d | k.

    What they leave, if anything, is one longer cycle: two do not fit.
    """
    half = n // 2
    fixed = [0] * (half + 1)
    for k in range(half, 0, -1):
        code, fixed[k] = divmod(code, n + 1)
    cycles: list[int] = []
    number: dict[int, int] = {}
    for k in range(1, half + 1):
        number[k] = (fixed[k] - sum(d * number[d] for d in number if k % d == 0)) // k
        cycles += [k] * number[k]
    if sum(cycles) < n:
        cycles.append(n - sum(cycles))
    return tuple(reversed(cycles))


def cycle_numbers(rows: Rows) -> Rows:
    """How many cycles of length 1, 2, ..., n each row has, (k, n)."""
    n = rows.shape[1]
    found = np.stack(list(fixed_points(rows, n)), axis=1)
    for k in range(1, n + 1):  # q^k fixes the points on cycles whose length divides k
        found[:, 2 * k - 1 :: k] -= found[:, k - 1 : k]
    return found // np.arange(1, n + 1)


def smallest_above(n: int, *, even: bool) -> float:
    """The least dimension of an irrep of S_n or A_n of degree 4 or more, whose conjugate is too.

    From n = 16 on that of (n - 4, 4), as Rasala (1977) shows for large n and the list up to 40.
    """
    shapes = partitions(n) if n < 16 else [(n - 4, 4)]
    return min(
        dimension(shape) / (1 + is_halved(shape, even))
        for shape in shapes
        if shape_degree(shape, True) > 3
    )


# James and Kerber 1981, 2.3: characters as polynomials in the numbers of short cycles.
POLYNOMIALS: dict[Partition, Callable[[int, int, int], int]] = {
    (1,): lambda a, b, c: a - 1,
    (2,): lambda a, b, c: a * (a - 3) // 2 + b,
    (1, 1): lambda a, b, c: (a - 1) * (a - 2) // 2 - b,
    (3,): lambda a, b, c: a * (a - 1) * (a - 5) // 6 + b * (a - 1) + c,
    (2, 1): lambda a, b, c: a * (a - 2) * (a - 4) // 3 - c,
    (1, 1, 1): lambda a, b, c: (a - 1) * (a - 2) * (a - 3) // 6 - (a - 1) * b + c,
}
"""The character of (n - |mu|, mu) for n >= 6."""


def young_variances(
    group: Symmetric, shapes: tuple[Partition, ...], values: NDArray[Any]
) -> Floats:
    """var of each shape, from the values (order, p) of S_n or A_n in rank order, summed over p."""
    n = group.n
    rows = _cosets(n)
    inside = np.flatnonzero(group.contains(rows))
    place = group._rank(rows[inside])
    found = np.zeros(len(shapes))
    step = max(1, _ENTRIES // len(rows))
    for start in range(0, values.shape[1], step):
        some = values[:, start : start + step]
        spread = np.zeros((len(rows), some.shape[1]))
        spread[inside] = some[place]
        blocks = _transform(n, spread)
        for u, shape in enumerate(shapes):
            size = dimension(shape)
            halves = 2 if is_halved(shape, group.even) else 1
            found[u] += size / halves * float(np.linalg.norm(blocks[shape] / len(values)) ** 2)
    return found


def _swaps(k: int, n: int) -> Rows:
    """The transpositions (i, k - 1) for i < k, the last of which is the identity, on n points."""
    rows = np.tile(np.arange(n), (k, 1))
    rows[np.arange(k), np.arange(k)] = k - 1
    rows[:, k - 1] = np.arange(k)
    return rows


@lru_cache(maxsize=128)
def _matrices_of_swaps(shape: Partition) -> Floats:
    """pi of these transpositions, for every block of columns again."""
    k = sum(shape)
    return young.young_matrices(shape, _swaps(k, k))


def _cosets(n: int) -> Rows:
    """All elements as c_n c_(n-1) ... c_2, the first factor slowest."""
    rows = np.arange(n)[None]
    for k in range(2, n + 1):
        rows = compose_permutations(_swaps(k, n)[:, None], rows[None]).reshape(-1, n)
    return rows


def _transform(n: int, values: Floats) -> dict[Partition, Floats]:
    """sum of v(g) pi(g) for all shapes, (p, d, d), from values (n!, p) in the order of `_cosets`."""
    count = values.shape[1]
    level: dict[Partition, Floats] = {(1,): values[:, :, None, None]}
    for k in range(2, n + 1):
        above: dict[Partition, Floats] = {}
        for shape in partitions(k):
            matrices = _matrices_of_swaps(shape)
            columns, start = [], 0
            for smaller, _ in young.restrict(shape):
                d = dimension(smaller)
                blocks = level[smaller].reshape(-1, k, count, d, d)
                part = matrices[:, :, start : start + d]
                columns.append(np.einsum("iab,lipbc->lpac", part, blocks, optimize=True))
                start += d
            above[shape] = np.concatenate(columns, axis=-1)
        level = above
    return {shape: blocks[0] for shape, blocks in level.items()}
