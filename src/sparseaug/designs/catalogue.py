"""The table of constructions: every way to make S without an oracle, one row each.

A row says which groups it is for and what it offers one of them: name, size, the degree
it is exact to, a source, and how to build the rows. A new construction is one function and one row
here. `candidates` selects from it; `design`, `designs`, `choose`, `plan`, `pilot.plan`, `inspect` and
the command ask nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sparseaug._floats import text_up
from sparseaug.balance.binary import LARGEST_ARRAY, strengths
from sparseaug.designs.arrays import mixed_rows, mixed_size, near_rows
from sparseaug.designs.descent import (
    LARGEST_POINTS,
    LARGEST_SIGNS,
    STARTS,
    search_permutations,
    search_signs,
)
from sparseaug.designs.offers import Offer
from sparseaug.designs.permutations import permutations
from sparseaug.designs.records import Record, records_of
from sparseaug.designs.rotations import rotation_offers
from sparseaug.designs.search import (
    Averages,
    Characters,
    Translations,
    best,
    best_of_pool,
    greedy,
    greedy_order,
)
from sparseaug.designs.shifts import axes, flips, lattice, shifts
from sparseaug.errors import UnsupportedError, shorten
from sparseaug.groups import Group, Hyperoctahedral, Rows, sign_flips, symmetric
from sparseaug.sampling import GroupSample
from sparseaug.spectral import deviation
from sparseaug.spectral.norm import announce

LARGEST_ORDER = 1_000_000
"""Order up to which the search lists the whole group."""

LARGEST_N = 100
"""Points up to which permutations are searched by degree 1 and 2."""

MOST_FACTORS = 64
"""Factors of a product that are crossed."""

MOST_SEARCHED = 10_000
"""Elements that a search may be asked for."""

JUDGED = ("search", "crossed fraction")
"""Designs of any size that are judged on a degree if one is given."""

SEARCHED = ("nested", *JUDGED)


@dataclass(frozen=True)
class Construction:
    """One row of the table: `offers(group, m, degree)` for a group with this `transform`.

    `m` and `degree` are what was asked for, or None: constructions of a fixed size need neither.
    """

    transform: str  # of the groups that it is for; empty: for all
    offers: Callable[[Any, int | None, int | None], Iterator[Offer]]


def known(group: Group, m: int | None = None, degree: int | None = None) -> list[Offer]:
    """All offers for the group; those of any size for this m and degree.

    A group that is known to be one of a family has the family's offers: neither norms nor degrees
    change, only the highest one where some points stay or move in pairs.
    """
    family, _, back = group.known_as()
    offers = [
        offer
        for row in CONSTRUCTIONS
        if row.transform in ("", family.transform)
        for offer in row.offers(family, m, degree)
    ]
    records = [
        _offer(one)
        for one in records_of(family)
        if one.criterion in ("exact", "deviation") and not any(_is_as_good(o, one) for o in offers)
    ]
    offers = [*records, *offers]
    if family is group:
        return offers

    def carried(offer: Offer) -> Offer:
        make, everything = offer.build, offer.degree == family.highest_degree
        return replace(
            offer,
            degree=group.highest_degree or 0 if everything else offer.degree,
            build=None if make is None else lambda: back(make()),
        )

    return list(map(carried, offers))


def candidates(
    group: Group,
    *,
    most: float = math.inf,
    degree: int | None = None,
    deviation: float | None = None,
    m: int | None = None,
) -> list[Offer]:
    """The designs of fixed size that can be made, the smallest first: where every choice starts.

    Args:
        group: of the designs
        most: elements
        degree: only those that are exact to it
        deviation: only those whose whole deviation is at most this, by a theorem
        m: that was asked for, where the sizes of a construction are many
    """
    found = [
        offer
        for offer in known(group, m)
        if offer.m is not None
        and not (m and offer.sizes)
        and offer.m <= most
        and offer.fits(group.width)
        and (degree is None or offer.degree >= degree)
        and (deviation is None or (offer.deviation is not None and offer.deviation <= deviation))
    ]
    return sorted(found, key=lambda offer: offer.m or 0)


def sized(group: Group, m: int, degree: int | None = None) -> list[Offer]:
    """The designs that are made for this m and degree: lattices, searches."""
    offers = known(group, m, degree)
    return [offer for offer in offers if offer.sizes and offer.build is not None]


def best_to_degree(group: Group, m: int, degree: int) -> Offer | None:
    """The smallest design of at most m elements that is exact to a degree, else the best by it."""
    exact = candidates(group, most=m, degree=degree)
    if exact:
        return exact[0]
    search = next((one for one in sized(group, m, degree) if one.name in JUDGED), None)
    record = _least_by_degree(group, m, degree)
    if record is None or search is None or search.build is None:
        return search if record is None else _offer(record)
    if (record.m, record.degree) == (m, degree):
        return _offer(record)
    rows = search.build()
    left = deviation(GroupSample(group, rows), degree=degree).value
    return _offer(record) if record.value <= left else replace(search, build=lambda: rows)


def _least_by_degree(group: Group, m: int, degree: int) -> Record | None:
    """Of the records that are judged on all functions of at most this degree, and perhaps more."""
    of_degree = [
        one
        for one in records_of(group)
        if one.criterion == "deviation" and (one.degree or 0) >= degree and one.m <= m
    ]
    return min(of_degree, key=lambda one: one.value, default=None)


def is_listed(group: Group) -> bool:
    """Whether the search goes through the whole group."""
    return group.log_order <= math.log(LARGEST_ORDER) + 1e-9


def averages(group: Group, degree: int | None = None) -> Averages:
    """The search's view of a group that can be listed; by degree for abelian groups only."""
    return Translations(group) if group.moduli is None else Characters(group.moduli, degree)


def _offer(record: Record) -> Offer:
    offer = Offer(record.design, record.m, 0, record.source, is_record=True, build=record.rows)
    if record.degree is None:
        return replace(offer, deviation=record.value)
    if record.criterion == "exact":
        return replace(offer, degree=record.degree)
    left = f"deviation {text_up(record.value, 4)} to degree {record.degree}"
    return replace(offer, promise=left)


def _is_as_good(offer: Offer, record: Record) -> bool:
    """Whether a construction, which has a name, makes the record unnecessary."""
    if offer.m is None or offer.sizes or offer.m > record.m:
        return False
    if record.degree is not None:
        return offer.degree >= record.degree
    return offer.deviation is not None and offer.deviation <= record.value


def _fixed(offers: Callable[[Any], Iterator[Offer]]) -> Callable[..., Iterator[Offer]]:
    return lambda group, m, degree: offers(group)


def _whole(group: Group, m: int | None, degree: int | None) -> Iterator[Offer]:
    if is_listed(group):
        yield Offer(
            "full",
            group.order,
            group.highest_degree or 0,
            "every element once",
            0.0,
            build=group.all_elements,
        )


def _lattices(group: Group, m: int | None, degree: int | None) -> Iterator[Offer]:
    shifts = axes(group)
    if shifts is None:
        return
    several = len(shifts.rest)
    sizes = "any" if len(shifts.moduli) <= 2 else f"any divisor of {math.prod(shifts.moduli)}"
    yield Offer(
        "lattice",
        m,
        0,
        "subgroup whose dual has the longest shortest frequency",
        promise="exact on low frequencies",
        sizes=sizes if several == 1 else f"{several} x {sizes}",
        build=None if m is None else lambda: lattice(group, m)[0],
    )


def _searches(group: Group, m: int | None, degree: int | None) -> Iterator[Offer]:
    listed, degrees = is_listed(group), searched_degrees(group)
    if (not listed and not degrees) or (
        not listed and degree is not None and degree not in degrees
    ):
        return
    for name, source in _SEARCHES.items():
        ready = m is not None and (listed or degree is not None)
        only = "" if listed else f", by degree {' or '.join(map(str, degrees))}"
        yield Offer(
            name,
            m if ready else None,
            0,
            source,
            sizes=f"any{only}",
            build=partial(_searched, group, m or 1, degree, name) if ready else None,
        )


def searched_degrees(group: Group) -> tuple[int, ...]:
    """The degrees by which elements are searched for without listing the group."""
    if group.transform == "young" and 2 < group.width <= LARGEST_N:
        return (1, 2)
    if group.moduli is not None and set(group.moduli) == {2} and 2 < group.width <= LARGEST_SIGNS:
        return () if is_listed(group) else (2, 3)
    return ()


_SEARCHES = {
    "nested": "greedy, every prefix is the choice of fewer (Wigderson and Xiao 2008)",
    "search": "greedy choice and swaps",
}


def _searched(group: Group, m: int, degree: int | None, name: str) -> Rows:
    swaps = name == "search"
    if degree is not None and degree in searched_degrees(group):
        if group.moduli is not None:
            _announce_signs(group.width, m, swaps=swaps)
            return search_signs(group.width, m, degree, swaps=swaps)
        _announce_tuples(group, m, degree, swaps=swaps)
        return search_permutations(group, m, degree, swaps=swaps)
    if degree is not None and group.irreps_have_degrees:
        pool = group.all_elements()
        return pool[best_of_pool(group, pool, m, degree)]
    view = averages(group, degree)
    announce_search(group, view, m)
    return group.unrank((best if swaps else greedy)(view, m))


def _announce_signs(d: int, m: int, *, swaps: bool) -> None:
    """Some d / 2 flips of the best of d signs, each a product of d^3, and m d^2 for the means."""
    step = 4e-10 * (d**4 + 2.0 * m * d**2)
    announce(
        f"the search for m={m} flips of {d} signs",
        seconds=m * step * (10.0 if swaps else 1.0),
        instead="lower m, or take an exact design.",
    )


def announce_search(group: Group, view: Averages, m: int) -> None:
    """2k - 1 averages for each element in turn, over half of them in the mean; 10 ns a step."""
    announce(
        f"the search for m={shorten(m)} of the {group.order} elements of {group.name}",
        seconds=1e-8 * (2 * greedy_order(view.order) - 1) * m * view.cost(max(1, m // 2)),
        memory=8.0 * m * group.order if group.moduli is None else 0.0,
        instead="lower m, give degree=, or draw a pool and use thin with degree=.",
    )


def _announce_tuples(group: Group, m: int, degree: int, *, swaps: bool) -> None:
    """A descent takes some n steps of all moves at all tuples; matrices take dimension^3 each time."""
    n = group.width
    matrices = n <= LARGEST_POINTS[degree]
    moves = math.comb(n, 3) * 2 if group.even else math.comb(n, 2)
    size = n if degree == 1 else math.comb(n, 2)
    looked = 2 * degree * size if matrices else n * m / 2
    step = 3e-9 * moves * looked * n * STARTS + (4e-10 * 8 * size**3 if matrices else 0.0)
    announce(
        f"the search for m={shorten(m)} permutations of {n} points by degree {degree}",
        seconds=m * step * (4.0 if swaps else 1.0),
        memory=8.0 * moves * n * 3,
        instead="lower m, or draw a pool and use thin.",
    )


def _products(group: Group, m: int | None, degree: int | None) -> Iterator[Offer]:
    if 0 < len(group.factors) <= MOST_FACTORS:
        yield from _crossings(group.factors, (1, 2, 3), m, degree)


def _signed(group: Hyperoctahedral, m: int | None, degree: int | None) -> Iterator[Offer]:
    """A row is a permutation and signs: t coordinates of both are exact if t of each are."""
    if 2 <= group.n <= LARGEST_ARRAY:
        factors = (symmetric(group.n), sign_flips(group.n))
        yield from _crossings(factors, strengths(group.n), m, degree)


def _crossings(
    factors: tuple[Group, ...], degrees: Iterable[int], m: int | None, degree: int | None
) -> Iterator[Offer]:
    """Designs of the factors, crossed; and as many rows near to that as asked for."""
    crossed: dict[str, Offer] = {}
    for t in degrees:
        parts = [part for factor in factors if (part := _smallest(factor, t)) is not None]
        levels = [part.m or 1 for part in parts]
        size = mixed_size(levels, max(2, t)) if len(parts) == len(factors) else None
        if size is None:
            break
        if any(part.name != "full" for part in parts):
            name = "crossed " + " x ".join(part.name for part in parts)
            crossed[name] = Offer(
                name,
                size,
                t,
                "an array of the factors' designs, never zipped",
                build=partial(_crossed, parts, partial(mixed_rows, levels, max(2, t))),
            )
    yield from crossed.values()
    ready = m is not None and degree is not None
    yield Offer(
        "crossed fraction",
        m if ready else None,
        0,
        "near-orthogonal array of the factors' designs",
        sizes="any, by degree",
        build=partial(_fraction, factors, m or 1, degree or 1) if ready else None,
    )


def _smallest(group: Group, degree: int) -> Offer | None:
    """The smallest offer that is exact to this degree, or to the highest that the group has."""
    wanted = min(degree, group.highest_degree or 0)
    return next(iter(candidates(group, degree=wanted)), None) if wanted else None


def _fraction(factors: tuple[Group, ...], m: int, degree: int) -> Rows:
    """m rows near strength 2; a factor whose exact design is larger than m has one of m elements."""
    parts = []
    for factor in factors:
        own = min(degree, factor.highest_degree or degree)
        part = best_to_degree(factor, m, own)
        if part is None:
            raise UnsupportedError(
                f"m={shorten(m)}: no design of {factor.name} with so few elements is known by degree "
                f"{own}; raise m, or lower degree."
            )
        parts.append(part)
    return _crossed(parts, partial(near_rows, [part.m or 1 for part in parts], m))


def _crossed(parts: list[Offer], array: Callable[[], Rows]) -> Rows:
    levels = array()
    columns = [part.build() for part in parts if part.build is not None]
    return np.concatenate([c[index] for c, index in zip(columns, levels.T, strict=True)], axis=1)


CONSTRUCTIONS: tuple[Construction, ...] = (
    Construction("wigner", rotation_offers),
    Construction("young", _fixed(permutations)),
    Construction("signed", _signed),
    Construction("characters", _fixed(flips)),
    Construction("characters", _fixed(shifts)),
    Construction("", _products),
    Construction("", _lattices),
    Construction("", _searches),
    Construction("", _whole),
)
"""Every construction; among offers of one size the earlier one is taken."""
