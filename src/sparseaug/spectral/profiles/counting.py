"""Mean squares as exact rationals: characters summed over the quotients of S, in integers.

The mean square of an irrep is ||pi(S)||_F^2 / d = (1/(m^2 d)) sum_ij chi_pi(g_i^-1 g_j), that of a
degree the sum of d^2 times it over the sum of d^2. It is 0 exactly when D_S is 0 there.

- S_n and A_n: cycle types of the quotients, characters by Murnaghan and Nakayama; above n = 12 those of
  degree 1 to 3 are polynomials in the numbers a, b, c of 1-, 2- and 3-cycles.
- Abelian groups and products, factors G_i: the irreps that are non-trivial on exactly the factors F
  have sum of d chi(q) = product over i in F of (|G_i| [q_i = e] - 1).

The quotients g_i^-1 g_j of S, counted: ||pi(S)||_F^2 = (1/m^2) sum_ij chi_pi(g_i^-1 g_j).

There are m^2 of them. Where S is a coset g H of a subgroup, each as often, they are the elements of H,
each m^2 / |H| times: |H| rows instead of m^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug.errors import UnsupportedError
from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees import Degree
from sparseaug.groups.degrees.abelian import weight_coefficients
from sparseaug.groups.degrees.factors import factor_sets
from sparseaug.groups.degrees.shapes import (
    LARGEST_N,
    POLYNOMIALS,
    cycle_codes,
    cycle_type,
    is_first,
    is_halved,
    shape_degree,
    shape_name,
)
from sparseaug.groups.permutations import fixed_points
from sparseaug.groups.product import Product
from sparseaug.groups.young import Partition, characters_at, dimension, partitions
from sparseaug.sampling import GroupSample
from sparseaug.spectral.profiles.result import Part, degree_size

MOST_SETS = 1 << 12
"""Sets of factors of a product that are listed."""


@dataclass(frozen=True)
class Count:
    """sum of d_pi chi_pi over all quotients and the sum of d_pi^2, over the irreps of one degree."""

    degree: Degree
    weight: int
    total: int

    def mean_square(self, m: int) -> Fraction:
        """Of m elements."""
        return Fraction(self.total, m * m * self.weight)


def counted(S: GroupSample, most: int | None = None) -> list[Count] | None:
    """The counts of every degree up to `most`; None for other groups, and if quotients are too many."""
    group = S.group
    if group.transform == "young":
        parts = counted_shapes(S, most)
        return None if parts is None else summed(parts, S.m)
    if group.moduli is not None:
        return _by_weight(S, most)
    return _by_sets(S) if group.factors else None


def counted_quickly(S: GroupSample, work: int) -> list[Count] | None:
    """`counted` where the quotients are so few integers, 64 times as many of signs; else None."""
    most = work << 6 if set(S.group.moduli or ()) == {2} else work
    few = len(S.counts()[0]) ** 2 * S.group.width <= most or coset_of(S) is not None
    return counted(S) if few else None


def exact_degree(counts: Iterable[Count]) -> int:
    """The degree, or number of factors, up to which every count is 0."""
    sizes = [(degree_size(count.degree), count.total) for count in counts]
    wrong = [size for size, total in sizes if total]
    return min(wrong) - 1 if wrong else max((size for size, _ in sizes), default=0)


def summed(parts: Iterable[Part], m: int) -> list[Count]:
    """Parts with exact mean squares, by degree."""
    found: dict[Degree, tuple[int, int]] = {}
    for part in parts:
        weight, total = found.get(part.degree, (0, 0))
        square = Fraction(part.mean_square) * m * m * part.weight
        found[part.degree] = weight + part.weight, total + int(square)
    return [Count(degree, *found[degree]) for degree in sorted(found, key=_by_number)]


def _by_number(degree: Degree) -> tuple[int, str]:
    return (degree, "") if isinstance(degree, int) else (degree.count(" x "), degree)


def counted_shapes(S: GroupSample, most: int | None = None) -> list[Part] | None:
    """The irreps of S_n or A_n of degree up to `most`, each with its mean square; None if too many.

    Above n = 12 up to degree 3. On A_n a partition stands for its conjugate too, and the two halves
    of a self-conjugate one, each of dimension d / 2, are one part of weight d^2 / 2.
    """
    group = S.group
    n, m = group.width, S.m
    even = group.order < math.factorial(n)
    chunks = quotients(S)
    if chunks is None:
        return None
    if n <= LARGEST_N:
        totals = _shape_totals(chunks, n)
        shapes = [p for p in partitions(n)[1:] if not even or is_first(p)]
    else:
        totals = _polynomial_totals(chunks, n)
        shapes = list(totals)
    found = []
    for shape in shapes:
        degree = shape_degree(shape, even)
        if most is None or degree <= most:
            total, d, name = totals[shape], dimension(shape), shape_name(shape, even)
            square, halves = Fraction(total, m * m * d), 2 if is_halved(shape, even) else 1
            found.append(Part(name, degree, d // halves, d * d // halves, square, not total))
    return found


def _shape_totals(chunks: Iterable[tuple[Rows, Rows]], n: int) -> dict[Partition, int]:
    """sum_ij chi(g_i^-1 g_j) of every partition."""
    types: dict[int, int] = {}
    for rows, weights in chunks:
        for code, total in _tally(cycle_codes(rows), weights):
            types[code] = types.get(code, 0) + total
    totals = dict.fromkeys(partitions(n), 0)
    for code, total in types.items():
        for shape, value in characters_at(cycle_type(code, n)).items():
            totals[shape] += total * value
    return totals


def _tally(codes: Rows, weights: Rows) -> Iterator[tuple[Any, int]]:
    """Each code that occurs, or row of codes, and the sum of its weights."""
    unique, places = np.unique(codes, axis=0, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, places.reshape(-1), weights)
    return zip(unique.tolist(), sums.tolist(), strict=True)


def _polynomial_totals(chunks: Iterable[tuple[Rows, Rows]], n: int) -> dict[Partition, int]:
    totals = {(n - sum(mu), *mu): 0 for mu in POLYNOMIALS}
    for rows, weights in chunks:
        once, twice, thrice = fixed_points(rows, 3)
        codes = (once * (n + 1) + (twice - once) // 2) * (n + 1) + (thrice - once) // 3
        for code, total in _tally(codes, weights):
            rest, c = divmod(code, n + 1)
            a, b = divmod(rest, n + 1)
            for mu, value in POLYNOMIALS.items():
                totals[(n - sum(mu), *mu)] += total * value(a, b, c)
    return totals


def _by_weight(S: GroupSample, most: int | None) -> list[Count] | None:
    """By number of non-zero frequencies: the coefficients of prod_i (1 + x (n_i [q_i = 0] - 1)).

    Coordinates of the same modulus count alike: only how many of them are 0 matters.
    """
    moduli = S.group.moduli or ()
    kinds = sorted(set(moduli) - {1})
    columns = [[i for i, n in enumerate(moduli) if n == kind] for kind in kinds]
    sizes = [len(axes) for axes in columns]
    most = sum(sizes) if most is None else min(most, sum(sizes))
    patterns = _zeros(S, columns) if kinds != [2] else _agreements(S, columns[0])
    if patterns is None:
        return None
    totals = [0] * (most + 1)
    for zeros, weights in patterns:
        for pattern, total in _tally(zeros, weights):
            for w, value in enumerate(weight_coefficients(pattern, sizes, kinds, most)):
                totals[w] += total * value
    numbers = weight_coefficients(sizes, sizes, kinds, most)
    return [Count(w, numbers[w], totals[w]) for w in range(1, most + 1)]


def _zeros(S: GroupSample, columns: list[list[int]]) -> Iterator[tuple[Rows, Rows]] | None:
    """How many coordinates of each kind are 0 in the quotients (k, kinds), and how often each occurs."""
    chunks = quotients(S)
    if chunks is None:
        return None
    return (
        (np.stack([(rows[:, axes] == 0).sum(axis=1) for axes in columns], axis=1), weights)
        for rows, weights in chunks
    )


def _agreements(S: GroupSample, axes: list[int]) -> Iterator[tuple[Rows, Rows]] | None:
    """`_zeros` of sign flips: products of signs, d - 2 * distance, by a matrix product in integers.

    float32 holds them below 2^24; 64 of them take as long as one integer of a row of quotients.
    """
    rows, counts = S.counts()
    d, k = len(axes), len(rows)
    if coset_of(S) is not None:
        return _zeros(S, [axes])
    if k * k * d > 64 * WORK or d >= 1 << 24:
        return None
    signs = (1 - 2 * rows[:, axes]).astype(np.float32)
    step = max(1, (1 << 21) // k)

    def chunks() -> Iterator[tuple[Rows, Rows]]:
        for start in range(0, k, step):
            part = slice(start, start + step)
            zeros = (d + (signs[part] @ signs.T).astype(np.int64)) // 2
            yield zeros.reshape(-1, 1), (counts[part, None] * counts[None]).ravel()

    return chunks()


def _by_sets(S: GroupSample) -> list[Count] | None:
    group = S.group
    if 1 << len(group.factors) > MOST_SETS:
        return None
    chunks = quotients(S)
    if chunks is None:
        return None
    patterns: dict[int, int] = {}
    for rows, weights in chunks:
        parts = Product(group.factors).split(rows)
        code = np.zeros(len(rows), np.int64)
        for i, (factor, part) in enumerate(zip(group.factors, parts, strict=True)):
            code += (part == factor.identity()).all(axis=1).astype(np.int64) << i
        for pattern, total in _tally(code, weights):
            patterns[pattern] = patterns.get(pattern, 0) + total
    orders = [factor.order for factor in group.factors]
    found = []
    for chosen, name in factor_sets(group).items():
        total = sum(
            count * math.prod(orders[i] * (pattern >> i & 1) - 1 for i in chosen)
            for pattern, count in patterns.items()
        )
        found.append(Count(name, math.prod(orders[i] - 1 for i in chosen), total))
    return found


WORK = 1 << 31
"""Integers in the rows of all quotients, at most: some ten seconds."""

_CHUNK = 1 << 21  # integers of rows held at a time


def quotients(S: GroupSample) -> Iterator[tuple[Rows, Rows]] | None:
    """Rows of quotients and how often each occurs, in chunks, m^2 in all; None above `WORK`."""
    rows, counts = S.counts()
    subgroup = coset_of(S)
    if subgroup is not None:
        return iter([(subgroup, np.full(len(rows), int(counts[0]) * S.m))])
    if len(rows) ** 2 * S.group.width > WORK:
        return None
    return _pairs(S.group, rows, counts)


def too_many(S: GroupSample, instead: str = "") -> UnsupportedError:
    """What to raise where `quotients` are None; `instead` is what may be used besides."""
    return UnsupportedError(
        f"m={S.m} is too large to count the quotients of S in {S.group.name}; use fewer "
        f"elements{instead}."
    )


def coset_of(S: GroupSample) -> Rows | None:
    """The subgroup H if S is a coset g H, each element as often; None otherwise.

    Then pi(S) = pi(g) P with the projection P onto the vectors that H fixes: its norm is 0 or 1.
    """
    rows, counts = S.counts()
    return subgroup_of(S.group, rows) if counts.min() == counts.max() else None


def _pairs(group: Group, rows: Rows, counts: Rows) -> Iterator[tuple[Rows, Rows]]:
    k = len(rows)
    inverses = group.inverse(rows)
    step = max(1, _CHUNK // (k * max(1, group.width)))
    for start in range(0, k, step):
        part = slice(start, start + step)
        products = group.compose(inverses[part, None], rows[None])
        weights = counts[part, None] * counts[None]
        yield products.reshape(-1, group.width), weights.ravel()


def subgroup_of(group: Group, rows: Rows) -> Rows | None:
    """H if the distinct rows are a coset g H of a subgroup, else None.

    T = g_1^-1 S holds the identity. If T t = T for some elements t of T, and right products with them
    lead from the identity to all of T, then T is the subgroup that they generate. Each new t at least
    doubles what is reached, so there are log2(m) of them.
    """
    translated = group.compose(group.inverse(rows[:1]), rows)
    size = len(translated)
    edges: list[Rows] = []
    reached = np.arange(size) == 0  # g_1^-1 g_1
    while not reached.all():
        t = translated[[int(reached.argmin())]]
        both = np.concatenate([translated, group.compose(translated, t)])
        small = group.log_order < 43  # ranks are integers of 62 bits
        keys = group.rank(both) if small else both
        unique, number = np.unique(keys, axis=0, return_inverse=True)
        if len(unique) > size:
            return None
        number = number.reshape(-1)
        place = np.empty(size, np.int64)
        place[number[:size]] = np.arange(size)
        edges.append(place[number[size:]])
        sources = np.tile(np.arange(size), len(edges))
        graph = csr_array(
            (np.ones(len(sources)), (sources, np.concatenate(edges))), shape=(size, size)
        )
        labels = connected_components(graph, directed=False)[1]
        reached = labels == labels[0]
    return translated
