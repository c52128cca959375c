"""Designs of SO(2), SO(3), O(2), O(3): even angles, solids, unions of cosets, integer quaternions.

A mean over S is exact to degree L if it is 0 on the irreps of degree 1 to L. For a finite subgroup H it
is so while H fixes no vector: V4 to l = 1, the rotations T, O, I of tetrahedron, cube and
icosahedron to l = 2, 3, 5. A union of cosets g_1 H, ..., g_k H needs sum_i D^l(g_i) P_l = 0, with P_l
the projection onto the vectors that H fixes: few equations, and g_i that solve them were found by
least squares, then polished to 20 digits (the records of SO3). The rows are the products, computed in 30
digits and rounded once. What is left is the rounding of the rows, which `deviation(S, degree=L)` bounds:
about 1e-15 and not 0. V4, T and O have integer rows, and are exact.

With the inversion added (O(3)) odd parities cancel, so that twice as many elements are exact to the
same l; likewise the reflections of O(2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from functools import lru_cache, partial
from itertools import product
from typing import TypeAlias

import numpy as np

from sparseaug.designs.constructions.base import Design
from sparseaug.groups import Rotations, Rows
from sparseaug.groups.quaternions import signed
from sparseaug.groups.rotations import TURN, TURN_REST
from sparseaug.groups.wigner import HIGHEST_DEGREE
from sparseaug.norms.rotations.primes import is_suitable, largest_prime, prime_bounds, prime_rows

Quaternion: TypeAlias = tuple[Decimal, ...]

SHOWN = 100
"""Prime norms up to this one are in the table of designs."""

_DIGITS = 30

_SOLIDS = {
    "V4": ("Klein's four-group", 1),
    "T": ("tetrahedron", 2),
    "O": ("cube", 3),
    "I": ("icosahedron", 5),
}


def rotation_designs(group: Rotations, m: int | None) -> Iterator[Design]:
    """What is known for the group; integer quaternions of at most m elements."""
    if group.n == 2:
        yield from _even_angles(group)
        return
    both = 1 + group.reflections
    added = " with inversion" if group.reflections else ""
    for letter, (name, exact) in _SOLIDS.items():
        size = both * len(subgroup(letter))
        source = "a finite group that fixes no vector of these degrees"
        build = partial(_reflected, group, partial(_solid, letter))
        yield Design(group, name + added, size, exact, source, 1.0, build=build)
    primes = [p for p in range(SHOWN) if is_suitable(p)]
    best = None if m is None else largest_prime(m // both)
    for p in primes if best is None else sorted({*primes, best}):
        name = f"integer quaternions of norm {p}{added}"
        source = "Lubotzky, Phillips, Sarnak 1986: for all l"
        build = partial(_reflected, group, partial(prime_rows, p))
        yield Design(group, name, both * (p + 1), 0, source, prime_bounds(p)[1], build=build)


@lru_cache(maxsize=8)
def subgroup(letter: str) -> tuple[Quaternion, ...]:
    """V4, T, O, I, the five-fold dihedral group D5, or C1: unit quaternions up to sign, 30 digits.

    In place of the letter, what generates it: quaternions in decimals, as in a record.
    """
    with localcontext() as context:
        context.prec = _DIGITS
        half, zero = Decimal("0.5"), Decimal(0)
        golden = (1 + Decimal(5).sqrt()) / 2
        corner, x = (half,) * 4, (zero, Decimal(1), zero, zero)
        z = (zero, zero, zero, Decimal(1))
        generators: dict[str, list[Quaternion]] = {
            "C1": [],
            "V4": [x, z],
            "T": [x, corner],
            "O": [(half.sqrt(), half.sqrt(), zero, zero), corner],
            "I": [corner, (golden / 2, half, half / golden, zero)],
            "D5": [(golden / 2, zero, zero, (1 - golden * golden / 4).sqrt()), x],
        }
        found: list[Quaternion] = [(Decimal(1), zero, zero, zero)]
        chosen = generators[letter] if letter in generators else _decimals(letter.split())
        for q in found:  # which grows
            for g in chosen:
                new = _product(q, g)
                if all(abs(_inner(new, old)) < Decimal("0.999") for old in found):
                    found.append(new)
        return tuple(found)


def coset_rows(letter: str, texts: Sequence[str]) -> Rows:
    """Cosets of a subgroup, by quaternions in decimals: products in 30 digits, rounded once.

    Of a set of integer quaternions the rows are these integers.
    """
    if letter == "C1" and not any("." in text for text in texts):
        return signed(np.array([text.split(",") for text in texts], np.float64))
    with localcontext() as context:
        context.prec = _DIGITS
        products = [_product(g, h) for g, h in product(_decimals(texts), subgroup(letter))]
        return _rows(products)


def _decimals(texts: Sequence[str]) -> list[Quaternion]:
    return [tuple(map(Decimal, text.split(","))) for text in texts]


def _solid(letter: str) -> Rows:
    """Integer rows where they are: a multiple of each quaternion is one of small integers."""
    found = subgroup(letter)
    if letter == "I":
        with localcontext() as context:
            context.prec = _DIGITS
            return _rows(found)
    scaled = np.array([[float(x) for x in q] for q in found])
    return signed(np.rint(scaled / np.abs(scaled).max(axis=1, keepdims=True)))


def _rows(found: Sequence[Quaternion]) -> Rows:
    """Each quaternion over its length, rounded to float64; what is below 1e-25 is 0."""
    rows = []
    for q in found:
        length = _inner(q, q).sqrt()
        entries = [x / length for x in q]
        rows.append([0.0 if abs(x) < Decimal("1e-25") else float(x) for x in entries])
    return signed(np.array(rows))


def _reflected(group: Rotations, rows: partial[Rows]) -> Rows:
    return with_reflections(group, rows())


def with_reflections(group: Rotations, turns: Rows) -> Rows:
    """The rotations, and with the inversion or reflection each once more, where the group has it."""
    if not group.reflections:
        return turns
    return np.concatenate([np.insert(turns, turns.shape[1], bit, axis=1) for bit in (0.0, 1.0)])


def _even_angles(group: Rotations) -> Iterator[Design]:
    for exact in range(1, HIGHEST_DEGREE + 1):
        size = (1 + group.reflections) * (exact + 1)
        name = f"{exact + 1} even angles" + (" and their reflections" if group.reflections else "")
        build = partial(_reflected, group, partial(even_angles, exact + 1))
        yield Design(group, name, size, exact, "a sum of all roots of unity is 0", 1.0, build=build)


def even_angles(count: int) -> Rows:
    """0, 1, ... times the full turn over count."""
    turns = np.arange(count)[:, None] / count
    return np.minimum(turns * TURN + turns * TURN_REST, TURN)


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    w, x, y, z = a
    s, t, u, v = b
    return (
        w * s - x * t - y * u - z * v,
        w * t + x * s + y * v - z * u,
        w * u - x * v + y * s + z * t,
        w * v + x * u - y * t + z * s,
    )


def _inner(a: Quaternion, b: Quaternion) -> Decimal:
    return sum((x * y for x, y in zip(a, b, strict=True)), Decimal(0))
