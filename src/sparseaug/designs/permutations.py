"""Offers for groups of permutations: S_n and A_n.

The degree of a function is the number of coordinates it looks at. A set that moves ordered t-tuples
evenly is exact to degree t (`transitive`); a t-transitive group is such a set.

Sets of permutations that move tuples evenly: exact on functions of a few coordinates at a time.

If the elements of S send every ordered t-tuple of points to every ordered t-tuple equally often,
then the mean of S on the module of t-tuples is that of all of S_n, and D_S vanishes on the degrees
1..t. A t-transitive group does so, by orbits and stabilisers:

    C_n, any Latin square   t = 1   n elements
    AGL(1, q)  x -> a x + b              t = 2   n = q        q (q-1)
    PSL(2, q)  x -> (a x + b)/(c x + d)  t = 2   n = q + 1    (q+1) q (q-1) / gcd(2, q-1)
    PGL(2, q)  the same, any determinant t = 3   n = q + 1    (q+1) q (q-1)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from sparseaug.designs.field import LARGEST, field, prime_power
from sparseaug.designs.offers import Build, Offer
from sparseaug.groups import Rows, Symmetric, alternating, mathieu

_LISTED = 12
"""n up to which n! / 2 is worth a row in the table."""

_MATHIEU = {11: (4, 7920), 12: (5, 95040), 22: (3, 443520), 23: (4, 10200960), 24: (5, 244823040)}
"""Points: transitivity and order. The rows of M23 and M24 are too many to list."""


def permutations(group: Symmetric) -> Iterator[Offer]:
    """Transitive sets of S_n, and those of them that are even for A_n."""
    n, even = group.n, group.even
    build: Build
    if n < 3:
        return
    if not even or n % 2:
        source, build = "C_n moves every point to every point once", partial(cyclic_shifts, n)
        yield Offer("cyclic shifts", n, 1, source, _subgroup(group, n), build=build)
    elif n % 4 == 0:
        source, build = "even shifts and odd reflections, a regular group", partial(even_shifts, n)
        yield Offer("even shifts and reflections", n, 1, source, _subgroup(group, n), build=build)
    yield from _linear(group)
    if n in _MATHIEU:
        t, order = _MATHIEU[n]
        source, build = f"{t}-transitive (Mathieu 1861, 1873)", lambda: mathieu(n).all_elements()
        yield Offer(f"M{n}", order, t, source, _subgroup(group, order), build=build)
    if not even and 4 <= n <= _LISTED:
        source, build = "the even permutations, (n-2)-transitive", alternating(n).all_elements
        yield Offer(f"A{n}", math.factorial(n) // 2, n - 2, source, 1.0, build=build)


def _linear(group: Symmetric) -> Iterator[Offer]:
    """AGL(1, n), and PSL(2, n - 1), PGL(2, n - 1)."""
    n, even = group.n, group.even
    if 3 < n <= LARGEST and prime_power(n) and (not even or n % 2 == 0):
        order, source = n * (n - 1), f"x -> a x + b over GF({n}), sharply 2-transitive"
        whole = _subgroup(group, order)
        yield Offer(f"AGL(1,{n})", order, 2, source, whole, build=partial(affine, n))
    q = n - 1
    if not 3 < q <= LARGEST or not prime_power(q):
        return
    order, source = (q + 1) * q * (q - 1), "x -> (a x + b) / (c x + d)"
    if q % 2:
        half, build = order // 2, partial(projective, q, special=True)
        squares = f"{source}, a d - b c a square in GF({q})"
        yield Offer(f"PSL(2,{q})", half, 2, squares, _subgroup(group, half), build=build)
    if q % 2 == 0 or not even:
        source = f"{source} over GF({q}), sharply 3-transitive"
        whole = _subgroup(group, order)
        yield Offer(f"PGL(2,{q})", order, 3, source, whole, build=partial(projective, q))


def _subgroup(group: Symmetric, order: int) -> float:
    """The deviation of a subgroup: it fixes a vector of some other irrep unless it is everything."""
    return 0.0 if math.isclose(math.log(order), group.log_order) else 1.0


def cyclic_shifts(n: int) -> Rows:
    """i -> i + s mod n for s = 0..n-1."""
    points = np.arange(n)
    return (points + points[:, None]) % n


def even_shifts(n: int) -> Rows:
    """i -> i + s for even s and i -> s - i for odd s, all mod n, n a multiple of 4: n even permutations.

    An even shift is a square, and an odd reflection n / 2 transpositions. Shifts take a point to all
    points of its own parity, reflections to all of the other one.
    """
    points, s = np.arange(n), np.arange(n)[:, None]
    return np.where(s % 2, s - points, s + points) % n


def affine(q: int) -> Rows:
    """AGL(1, q) on the q elements of GF(q)."""
    F = field(q)
    a, b, x = np.ogrid[1:q, 0:q, 0:q]
    return F.add(F.multiply(a, x), b).reshape(-1, q)


def projective(q: int, *, special: bool = False) -> Rows:
    """PGL(2, q) on the projective line: points 0..q-1 are those of GF(q), point q is infinity.

    `special` keeps the determinants that are squares: PSL(2, q).
    """
    F = field(q)
    infinity = q
    # c = 0, d = 1: x -> a x + b
    rows = np.concatenate([affine(q), np.full((q * (q - 1), 1), infinity)], axis=1)
    determinants = np.repeat(np.arange(1, q), q)
    # c = 1: x -> (a x + b) / (x + d) = a + (b - a d) / (x + d), with e = a d - b != 0
    a, d, e, x = np.ogrid[0:q, 0:q, 1:q, 0:q]
    below = F.add(x, d)
    quotient = F.multiply(F.negative(e), F.inverse(np.where(below == 0, 1, below)))
    finite = np.where(below == 0, infinity, F.add(a, quotient))
    shape = (q, q, q - 1, 1)
    images = np.concatenate([finite, np.broadcast_to(a, shape)], axis=3).reshape(-1, q + 1)
    rows = np.concatenate([rows, images])
    determinants = np.concatenate([determinants, np.broadcast_to(e, shape).reshape(-1)])
    return rows[F.is_square(determinants)] if special else rows
