"""Sets of permutations that move tuples evenly: exact on functions of a few coordinates at a time.

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

from sparseaug.designs.constructions.base import Build, Design
from sparseaug.groups import Rows, Symmetric, alternating, mathieu
from sparseaug.qmc.field import LARGEST, Ring, field, prime_power, prime_powers

_LISTED = 12
"""n up to which n! / 2 is worth a row in the table."""

_LARGEST_SQUARE = 8192
"""n up to which n rows of n images are made."""

_MATHIEU = {11: (4, 7920), 12: (5, 95040), 22: (3, 443520), 23: (4, 10200960), 24: (5, 244823040)}
"""Points: transitivity and order. The rows of M23 and M24 are too many to list."""


def permutation_designs(group: Symmetric) -> Iterator[Design]:
    """Transitive sets of S_n, and those of them that are even for A_n."""
    n, even = group.n, group.even
    build: Build
    if n < 3:
        return
    if not even or n % 2:
        source, build = "C_n moves every point to every point once", partial(cyclic_shifts, n)
        yield Design(group, "cyclic shifts", n, 1, source, _subgroup(group, n), build=build)
    elif n <= _LARGEST_SQUARE and has_even_latin_square(n):
        source = "a prolonged Latin square with rows of one parity"
        yield Design(group, "even Latin square", n, 1, source, build=partial(even_latin_square, n))
    yield from _linear(group)
    if n in _MATHIEU:
        t, order = _MATHIEU[n]
        source, build = f"{t}-transitive (Mathieu 1861, 1873)", lambda: mathieu(n).all_elements()
        yield Design(group, f"M{n}", order, t, source, _subgroup(group, order), build=build)
    if not even and 4 <= n <= _LISTED:
        source, build = "the even permutations, (n-2)-transitive", alternating(n).all_elements
        yield Design(group, f"A{n}", math.factorial(n) // 2, n - 2, source, 1.0, build=build)


def _linear(group: Symmetric) -> Iterator[Design]:
    """AGL(1, n), and PSL(2, n - 1), PGL(2, n - 1)."""
    n, even = group.n, group.even
    if 3 < n <= LARGEST and prime_power(n) and (not even or n % 2 == 0):
        order, source = n * (n - 1), f"x -> a x + b over GF({n}), sharply 2-transitive"
        whole = _subgroup(group, order)
        yield Design(group, f"AGL(1,{n})", order, 2, source, whole, build=partial(affine, n))
    q = n - 1
    if not 3 < q <= LARGEST or not prime_power(q):
        return
    order, source = (q + 1) * q * (q - 1), "x -> (a x + b) / (c x + d)"
    if q % 2:
        half, build = order // 2, partial(projective, q, special=True)
        squares = f"{source}, a d - b c a square in GF({q})"
        yield Design(group, f"PSL(2,{q})", half, 2, squares, _subgroup(group, half), build=build)
    if q % 2 == 0 or not even:
        source = f"{source} over GF({q}), sharply 3-transitive"
        whole = _subgroup(group, order)
        yield Design(group, f"PGL(2,{q})", order, 3, source, whole, build=partial(projective, q))


def _subgroup(group: Symmetric, order: int) -> float:
    """The deviation of a subgroup: it fixes a vector of some other irrep unless it is everything."""
    return 0.0 if math.isclose(math.log(order), group.log_order) else 1.0


def cyclic_shifts(n: int) -> Rows:
    """i -> i + s mod n for s = 0..n-1."""
    points = np.arange(n)
    return (points + points[:, None]) % n


def even_latin_square(n: int) -> Rows:
    """n even permutations that send every point to every point once, n >= 3.

    Odd n: the shifts, which are even. Even n: with k = n - 1 and a ring R of k elements, a product
    of finite fields, take the Latin square i + u j on R and prolong it along the transversal j = i:
    the entries u i + i there become a new last row and column, with a new point * in their place.
    Row i is then the permutation j -> i + u j times a transposition, and the last row is j -> (1 +
    u) j. The parity of multiplication by u on R is c(u), the product of the quadratic characters of
    its parts (the fields are of odd order, so each part is repeated an odd number of times). So all
    rows have one parity if -c(u) = c(1 + u), and a fixed swap turns odd ones even.
    """
    if n % 2:
        return cyclic_shifts(n)
    ring = Ring(n - 1)
    u = ring.turning_unit()
    points = np.arange(n - 1)
    scaled = ring.multiply(u, points)
    square = np.full((n, n), n - 1)
    square[: n - 1, : n - 1] = ring.add(points[:, None], scaled[None])
    square[n - 1, : n - 1] = square[: n - 1, n - 1] = ring.add(points, scaled)
    square[points, points] = n - 1
    if ring.character(u) == 1:  # then the rows are odd
        square[:, [0, 1]] = square[:, [1, 0]]
    return square


def has_even_latin_square(n: int) -> bool:
    """Whether the fields that `even_latin_square` needs are within the tables."""
    return n % 2 == 1 or max(prime_powers(n - 1).values(), default=1) <= LARGEST


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
