"""Sets of shifts, sign flips, turns and grids: orthogonal arrays, flat spectra, lattices.

The degree of a character of C_n1 x C_n2 x ... is the number of its non-zero frequencies: functions
of that many coordinates at a time, under sign flips. For shifts of a grid what matters is how long
a frequency is; there the lattices are good, whose whole deviation is 1.

Flat spectra: difference sets, squares and cubes. If every non-zero element is a difference of lambda
pairs of S, then |chi(S)|^2 = (m - lambda)/m^2 for all characters chi != 1, which is the floor: no S of
m elements does better.

Lattices: the mean of a subgroup S of C_n1 x C_n2 x ... is 1 on the characters that are trivial on S,
its dual, and 0 on all others: S is exact for all frequencies shorter than the shortest one of its dual
but 0. The length of a frequency f is the root of sum_i min(f_i, n_i - f_i)^2, in cycles around each
axis. An element of a grid, of a polygon or of their products is a shift times one of a few turns and
flips. S = L F, a lattice L of shifts and all turns and flips F: on an irrep its mean is that of L times
that of F. It vanishes where the shifts have frequencies that are shorter than the shortest one of the
dual of L, since turns and flips keep lengths; and where the shifts have frequency 0, as F is everything
there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import accumulate, product
from typing import NamedTuple

import numpy as np

from sparseaug._floats import up
from sparseaug.balance.binary import strength_name, strength_rows, strength_size, strengths
from sparseaug.balance.field import LARGEST, Field, field, prime_power
from sparseaug.designs.arrays import mixed_rows, mixed_size
from sparseaug.designs.offers import Offer
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Abelian, Group, Rows

_MOST_FACTORS = 4096
_LARGEST_ROUNDED = 2048  # points; all generators of as many are tried
_LARGEST_MODULUS = 1 << 20  # numbers up to here are factorised


def flips(group: Abelian) -> Iterator[Offer]:
    """Orthogonal arrays of signs, and the cubes."""
    d = group.width
    if set(group.moduli) != {2} or d < 2:
        return
    for t in strengths(d):
        m, source = strength_size(d, t), f"orthogonal array of strength {t}"
        if m < 1 << d:
            yield Offer(strength_name(d, t), m, t, source, build=partial(strength_rows, d, t))
    k = d // 2
    if d % 2 == 0 and k % 2 and k >= 3 and 1 << k <= LARGEST:
        whole, source = up(math.sqrt(2.0 / (1 << k))), "(x, x^3): flat spectrum (Gold 1968)"
        yield Offer(f"cubes over GF({1 << k})", 1 << k, 1, source, whole, build=partial(cubes, k))


def shifts(group: Abelian) -> Iterator[Offer]:
    """Difference sets and squares, and arrays with mixed levels."""
    moduli = group.moduli
    if len(moduli) == 1 and (q := singer_order(moduli[0])):
        name, source = (
            f"Singer set over GF({q})",
            "every difference once: meets the floor (Singer 1938)",
        )
        whole = up(math.sqrt(q) / (q + 1))
        yield Offer(name, q + 1, 0, source, whole, build=partial(singer_set, q))
    if len(moduli) == 2 and moduli[0] == moduli[1] and _is_odd_prime(moduli[0]):
        p, source = moduli[0], "(x, x^2): Gauss sums, flat spectrum"
        whole = up(1.0 / math.sqrt(p))
        yield Offer(f"squares mod {p}", p, 0, source, whole, build=partial(squares, p))
    if set(moduli) <= {1, 2} or len(moduli) > _MOST_FACTORS or max(moduli) > _LARGEST_MODULUS:
        return
    for t in range(1, min(group.width, 4)):
        m, source = mixed_size(moduli, t), "orthogonal array with mixed levels (Bush 1952)"
        if m is not None and math.log(m) < group.log_order - 1e-9:
            yield Offer(
                f"array of strength {t}", m, t, source, build=partial(mixed_rows, moduli, t)
            )


def _is_odd_prime(n: int) -> bool:
    return n % 2 == 1 and n <= _LARGEST_MODULUS and prime_power(n) == (n, 1)


def singer_order(n: int) -> int | None:
    """The prime power q with n = q^2 + q + 1; None if there is none.

    >>> from sparseaug.designs.shifts import singer_order
    >>> singer_order(91), singer_order(90)
    (9, None)
    """
    q = (math.isqrt(4 * n - 3) - 1) // 2
    return q if q >= 2 and q * q + q + 1 == n and q <= LARGEST and prime_power(q) else None


def singer_set(q: int) -> Rows:
    """q + 1 elements of C_n, n = q^2 + q + 1, with every difference once (Singer 1938).

    A matrix that permutes the points of the projective plane over GF(q) in one cycle numbers them by
    0..n-1; the points of a line are the set, as two points lie on one line and two lines share one.

    >>> from sparseaug.designs.shifts import singer_set
    >>> singer_set(3).ravel()
    array([0, 1, 3, 9])
    """
    F = field(q)
    n = q * q + q + 1
    lines = (_line_of_cycle(F, n, *abc) for abc in product(range(q), range(q), range(1, q)))
    return next(line[:, None] for line in lines if line is not None)  # every plane has such a cycle


def squares(p: int) -> Rows:
    """{(x, x^2)} in C_p x C_p, p an odd prime: |chi(S)| is 1/sqrt(p) or 0.

    A character is exp(2 pi i (a x + b x^2) / p): a Gauss sum if b != 0, and 0 if b = 0.
    """
    x = np.arange(p)
    return np.stack([x, x * x % p], axis=1)


def cubes(k: int) -> Rows:
    """{(x, x^3)} in Z_2^(2k) over GF(2^k), k odd: |chi(S)| is 2^(-(k-1)/2) or 0 (Gold 1968).

    The character of (a, b) is the sum of (-1)^Tr(a x + b x^3). Its square sums over the y for which
    x^2 y + x y^2 is linear in x by a trace that vanishes: y = 0 and, as 3 is prime to 2^k - 1, one
    more.
    """
    x = np.arange(1 << k)
    y = field(1 << k).power(x, 3)
    bits = np.arange(k)
    return np.concatenate([x[:, None] >> bits & 1, y[:, None] >> bits & 1], axis=1)


def _line_of_cycle(F: Field, n: int, a: int, b: int, c: int) -> Rows | None:
    """The numbers i with s_i = 0 for the recursion s_(i+3) = a s_(i+2) + b s_(i+1) + c s_i.

    None unless the points (s_i, s_(i+1), s_(i+2)), up to scalars, are all different for i = 0..n-1.
    """
    table = F.multiply(np.array([[a], [b], [c]]), np.arange(F.q)).tolist()
    window, sequence = (0, 0, 1), []
    for i in range(n):
        if i and window[:2] == (0, 0):
            return None
        sequence.append(window[0])
        following = F.add(F.add(table[0][window[2]], table[1][window[1]]), table[2][window[0]])
        window = (window[1], window[2], int(following))
    return np.flatnonzero(np.array(sequence) == 0) if window[:2] == (0, 0) else None


MOST_SHIFTS = 1 << 20
MOST_AXES = 3
"""Shifts and axes up to which all lattices are compared, in a second or two."""


class Axes(NamedTuple):
    """Which columns of a row are shifts, modulo what, and what the other columns may be."""

    columns: tuple[int, ...]
    moduli: tuple[int, ...]
    rest: Rows  # (turns and flips, width), 0 in the columns of shifts


def axes(group: Group) -> Axes | None:
    """The shifts of the group; None if it has none, or more than are compared."""
    found = _axes(group)
    if found is None or len(found.moduli) > MOST_AXES:
        return None
    return found if 1 < math.prod(found.moduli) <= MOST_SHIFTS else None


def lattice(group: Group, m: int) -> tuple[Rows, float]:
    """The best lattice of m elements with all turns and flips, and the frequency it is exact below."""
    shifts = axes(group)
    if shifts is None:
        raise ArgumentError(f"{group.name} has no shifts of which lattices are known.")
    count, left = divmod(m, len(shifts.rest))
    points = None if left or not count else best_lattice(shifts.moduli, count)
    if points is None and not left and count and len(shifts.moduli) <= 2:
        points = rounded_lattice(shifts.moduli, count)
    if points is None:
        total = math.prod(shifts.moduli)
        sizes = [len(shifts.rest) * k for k in range(1, total + 1) if total % k == 0]
        below = max((size for size in sizes if size < m), default=sizes[0])
        above = min((size for size in sizes if size > m), default=sizes[-1])
        raise ArgumentError(
            f"m={shorten(m)} is not the size of a lattice of {group.name}; the nearest are "
            f"{below} and {above}."
        )
    rows = np.repeat(shifts.rest, len(points), axis=0)
    rows[:, list(shifts.columns)] = np.tile(points, (len(shifts.rest), 1))
    return rows, math.sqrt(shortest_dual(points, shifts.moduli))


def _axes(group: Group) -> Axes | None:
    """Of shifts, of polygons and grids that are turned as well, and of products of these."""
    k = group.shift_axes
    if not k:
        return _axes_of_product(group) if group.factors else None
    rest = [(0,) * k + others for others in product(*map(range, group.radices[k:]))]
    return Axes(tuple(range(k)), group.radices[:k], np.array(rest))


def _axes_of_product(group: Group) -> Axes | None:
    starts = [0, *accumulate(factor.width for factor in group.factors)]
    columns: list[int] = []
    moduli: list[int] = []
    rest = np.zeros((1, 0), np.int64)
    for factor, start in zip(group.factors, starts, strict=False):
        part = _axes(factor)
        if part is None:
            return None
        columns += [start + column for column in part.columns]
        moduli += part.moduli
        rest = np.concatenate(
            [np.repeat(rest, len(part.rest), axis=0), np.tile(part.rest, (len(rest), 1))], axis=1
        )
    return Axes(tuple(columns), tuple(moduli), rest)


def best_lattice(moduli: tuple[int, ...], m: int) -> Rows | None:
    """The subgroup of m elements whose dual has the longest shortest frequency; None if there is none.

    Among equals the one with the fewest such frequencies, then the first.

    >>> from sparseaug.designs.shifts import best_lattice
    >>> best_lattice((4, 4), 8).tolist()
    [[0, 0], [0, 2], [1, 1], [1, 3], [2, 0], [2, 2], [3, 1], [3, 3]]
    """
    index, rest = divmod(math.prod(moduli), m)
    if rest:
        return None
    merits = [(_merit(basis, moduli), basis) for basis in _sublattices(moduli, index)]
    _, best = min(merits, key=lambda each: each[0])
    steps = np.array(moduli) // best.diagonal()
    rows = _all_below(steps) @ best % moduli
    return rows[np.lexsort(rows.T[::-1])]


def rounded_lattice(moduli: tuple[int, ...], m: int) -> Rows | None:
    """m even points of one or two axes, rounded to shifts: where no lattice has m elements.

    On two axes they are (i, z i) / m with the z whose shortest dual frequency is longest.

    >>> from sparseaug.designs.shifts import rounded_lattice
    >>> rounded_lattice((10,), 4).ravel().tolist(), rounded_lattice((7, 7), 3).tolist()
    ([0, 2, 5, 8], [[0, 0], [2, 2], [5, 5]])
    """
    if m > min(math.prod(moduli), _LARGEST_ROUNDED):
        return None
    i, z = np.arange(m), np.arange(m)
    if len(moduli) == 2:
        first = (-z[:, None] * np.arange(m)) % m  # f1 + z f2 = 0 mod m
        squares = np.minimum(first, m - first) ** 2 + np.minimum(i, m - i) ** 2
        squares[:, 0] = m * m
        z = z[squares.min(axis=1).argmax()] * i % m
    turns = np.stack([i, z], axis=1)[:, : len(moduli)] / m
    return np.rint(turns * np.array(moduli)).astype(np.int64) % moduli


def frequency_lengths(frequencies: Rows, moduli: tuple[int, ...]) -> Rows:
    """Squared lengths of frequencies (k, w)."""
    folded = np.minimum(frequencies, np.array(moduli) - frequencies)
    return (folded**2).sum(axis=1)


def shortest_dual(points: Rows, moduli: tuple[int, ...]) -> int:
    """The squared length of the shortest frequency but 0 that is trivial on all these points.

    For a subgroup of m points, below n1^2 + n2^2 + ... and one above it where every frequency is
    cancelled.

    >>> from sparseaug.designs.shifts import best_lattice, shortest_dual
    >>> shortest_dual(best_lattice((8, 8), 32), (8, 8))
    32
    """
    indicator = np.zeros(moduli)
    indicator[tuple(points.T)] = 1.0
    dual = np.argwhere(np.abs(np.fft.fftn(indicator)) > 0.5 * len(points))
    lengths = frequency_lengths(dual, moduli)
    return int(lengths[lengths > 0].min(initial=sum(n * n for n in moduli) + 1))


def _merit(basis: Rows, moduli: tuple[int, ...]) -> tuple[int, int]:
    """Smaller is better: minus the square of the shortest dual length, and how many have it.

    f is in the dual if basis diag(1/n) f is whole, hence f = diag(n) basis^-1 z; since basis is
    triangular, z_i below its diagonal entry gives every f mod n once. diag(n) basis^-1 is whole, as
    the lattice holds all n_i e_i.
    """
    weights = np.rint(np.linalg.solve(basis.T.astype(float), np.diag(moduli)).T).astype(np.int64)
    dual = _all_below(basis.diagonal()) @ weights.T % moduli
    lengths = frequency_lengths(dual, moduli)[1:]  # the first is f = 0
    shortest = int(lengths.min(initial=1 << 62))
    return -shortest, int((lengths == shortest).sum())


def _sublattices(moduli: tuple[int, ...], index: int) -> Iterator[Rows]:
    """Lattices of this index in Z^k that hold all n_i e_i: triangular bases in normal form."""
    n, k = moduli[0], len(moduli)
    if k == 1:
        if n % index == 0:
            yield np.array([[index]])
        return
    for a in range(1, n + 1):
        if n % a or index % a:
            continue
        for inner in _sublattices(moduli[1:], index // a):
            for offset in product(*(range(d) for d in inner.diagonal().tolist())):
                if _contains(inner, np.array(offset) * (n // a)):
                    below = np.zeros((k - 1, 1), np.int64)
                    yield np.block([[np.array([[a]]), np.array([offset])], [below, inner]])


def _contains(basis: Rows, vector: Rows) -> bool:
    """Whether the lattice with this upper triangular basis holds the vector."""
    for i, row in enumerate(basis):
        times, rest = divmod(int(vector[i]), int(row[i]))
        if rest:
            return False
        vector = vector - times * row
    return True


def _all_below(sizes: Rows) -> Rows:
    """All vectors with 0 <= z_i < sizes[i], counted with the last entry fastest."""
    return np.indices(tuple(sizes.tolist())).reshape(len(sizes), -1).T
