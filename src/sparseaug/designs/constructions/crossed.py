"""Designs of several factors, crossed: an orthogonal array chooses the elements of the factors.

If S_i is exact to degree t on factor i, and the rows of an array of strength t choose the elements of
the S_i, the result is exact to degree t on the product. A factor with other irreps of degree 0 than the
trivial one, as the sign of the flips of D_n, needs one more of strength. A row of B_n is a permutation
and signs: t coordinates of both are exact if t of each are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from sparseaug.designs.constructions.arrays import mixed_rows, mixed_size, near_rows
from sparseaug.designs.constructions.base import Design
from sparseaug.errors import UnsupportedError, shorten
from sparseaug.groups import Group, Hyperoctahedral, Rows, sign_flips, symmetric
from sparseaug.qmc.binary import LARGEST_ARRAY, strengths

MOST_FACTORS = 64
"""Factors of a product that are crossed."""

Smallest = Callable[[Group, int], Design | None]
"""The smallest design that is exact to a degree."""

Best = Callable[[Group, int, int], Design | None]
"""The best of at most m elements by degree."""


def product_designs(
    group: Group, m: int | None, degree: int | None, smallest: Smallest, best: Best
) -> Iterator[Design]:
    """Of the factors of a direct product."""
    if 0 < len(group.factors) <= MOST_FACTORS:
        yield from _crossings(group, group.factors, (1, 2, 3), m, degree, smallest, best)


def signed_designs(
    group: Hyperoctahedral, m: int | None, degree: int | None, smallest: Smallest, best: Best
) -> Iterator[Design]:
    """Of permutations and signs."""
    if 2 <= group.n <= LARGEST_ARRAY:
        factors = (symmetric(group.n), sign_flips(group.n))
        yield from _crossings(group, factors, strengths(group.n), m, degree, smallest, best)


def _crossings(
    group: Group,
    factors: tuple[Group, ...],
    degrees: Iterable[int],
    m: int | None,
    degree: int | None,
    smallest: Smallest,
    best: Best,
) -> Iterator[Design]:
    """Designs of the factors, crossed; and as many rows near to that as asked for."""
    crossed: dict[str, Design] = {}
    free = sum(factor._dimensions_by_degree(0)[0][0] > 1 for factor in factors)
    for t in degrees:
        found = [smallest(factor, min(t, factor.highest_degree or 0)) for factor in factors]
        parts = [part for part in found if part is not None]
        levels = [part.m or 1 for part in parts]
        strength = max(2, free + min(t, len(factors) - free))
        size = mixed_size(levels, strength) if len(parts) == len(factors) else None
        if size is None:
            break
        if any(part.kind != "full" for part in parts):
            name = "crossed " + " x ".join(part.name for part in parts)
            array = partial(mixed_rows, levels, strength)
            source = "an array of the factors' designs, never zipped"
            crossed[name] = Design(
                group, name, size, t, source, build=partial(_crossed, parts, array)
            )
    yield from crossed.values()
    ready = m is not None and degree is not None
    yield Design(
        group,
        "crossed fraction",
        m if ready else None,
        0,
        "near-orthogonal array of the factors' designs",
        sizes="any, by degree",
        kind="search",
        build=partial(_fraction, factors, m or 1, degree or 1, best) if ready else None,
    )


def _fraction(factors: tuple[Group, ...], m: int, degree: int, best: Best) -> Rows:
    """m rows near strength 2; a factor whose exact design is larger than m has one of m elements."""
    parts = []
    for factor in factors:
        own = min(degree, factor.highest_degree or degree)
        part = best(factor, m, own)
        if part is None:
            needed = f"m={shorten(m)}: no design of {factor.name} so small is known by degree {own}"
            raise UnsupportedError(f"{needed}; raise m, or lower degree.")
        parts.append(part)
    return _crossed(parts, partial(near_rows, [part.m or 1 for part in parts], m))


def _crossed(parts: list[Design], array: Callable[[], Rows]) -> Rows:
    columns = zip([part.rows() for part in parts], array().T, strict=True)
    return np.concatenate([rows[index] for rows, index in columns], axis=1)
