"""Offers for groups of permutations: S_n and A_n.

The degree of a function is the number of coordinates it looks at. A set that moves ordered t-tuples
evenly is exact to degree t (`transitive`); a t-transitive group is such a set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from sparseaug.designs.field import LARGEST, prime_power
from sparseaug.designs.offers import Offer
from sparseaug.designs.transitive import (
    affine,
    cyclic_shifts,
    even_latin_square,
    has_even_latin_square,
    projective,
)
from sparseaug.groups import Rows, Symmetric, alternating, mathieu

_LISTED = 12
"""n up to which n! / 2 is worth a row in the table."""

_LARGEST_SQUARE = 8192
"""n up to which n rows of n images are made."""

_MATHIEU = {11: (4, 7920), 12: (5, 95040), 22: (3, 443520), 23: (4, 10200960), 24: (5, 244823040)}
"""Points: transitivity and order. The rows of M23 and M24 are too many to list."""


def permutations(group: Symmetric) -> Iterator[Offer]:
    """Transitive sets of S_n, and those of them that are even for A_n."""
    n, even = group.n, group.even
    if n < 3:
        return
    if not even or n % 2:
        yield Offer(
            "cyclic shifts",
            n,
            1,
            "C_n moves every point to every point once",
            _subgroup(group, n),
            build=partial(cyclic_shifts, n),
        )
    elif n <= _LARGEST_SQUARE and has_even_latin_square(n):
        yield Offer(
            "even Latin square",
            n,
            1,
            "a prolonged Latin square with rows of one parity",
            build=partial(even_latin_square, n),
        )
    yield from _linear(group)
    if n in _MATHIEU:
        t, order = _MATHIEU[n]
        yield Offer(
            f"M{n}",
            order,
            t,
            f"{t}-transitive (Mathieu 1861, 1873)",
            _subgroup(group, order),
            build=partial(_all_rows, n),
        )
    if not even and 4 <= n <= _LISTED:
        yield Offer(
            f"A{n}",
            math.factorial(n) // 2,
            n - 2,
            "the even permutations, (n-2)-transitive",
            1.0,
            build=alternating(n).all_elements,
        )


def _linear(group: Symmetric) -> Iterator[Offer]:
    """AGL(1, n), and PSL(2, n - 1), PGL(2, n - 1)."""
    n, even = group.n, group.even
    if 3 < n <= LARGEST and prime_power(n) and (not even or n % 2 == 0):
        yield Offer(
            f"AGL(1,{n})",
            n * (n - 1),
            2,
            f"x -> a x + b over GF({n}), sharply 2-transitive",
            _subgroup(group, n * (n - 1)),
            build=partial(affine, n),
        )
    q = n - 1
    if not 3 < q <= LARGEST or not prime_power(q):
        return
    order, half = (q + 1) * q * (q - 1), q % 2 + 1
    if half == 2:
        yield Offer(
            f"PSL(2,{q})",
            order // 2,
            2,
            f"x -> (a x + b) / (c x + d), a d - b c a square in GF({q})",
            _subgroup(group, order // 2),
            build=partial(projective, q, special=True),
        )
    if half == 1 or not even:
        yield Offer(
            f"PGL(2,{q})",
            order,
            3,
            f"x -> (a x + b) / (c x + d) over GF({q}), sharply 3-transitive",
            _subgroup(group, order),
            build=partial(projective, q),
        )


def _subgroup(group: Symmetric, order: int) -> float:
    """The deviation of a subgroup: it fixes a vector of some other irrep unless it is everything."""
    return 0.0 if math.isclose(math.log(order), group.log_order) else 1.0


def _all_rows(points: int) -> Rows:
    return mathieu(points).all_elements()
