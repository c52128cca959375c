"""`design` and `designs`: the best known S for a group, without an oracle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparseaug._checks import check_choice, check_flag, check_integer, check_text
from sparseaug._floats import down
from sparseaug.designs.catalogue import (
    JUDGED,
    LARGEST_ORDER,
    MOST_SEARCHED,
    SEARCHED,
    best_to_degree,
    candidates,
    is_listed,
    known,
    sized,
)
from sparseaug.designs.offers import MOST_ENTRIES, Designs, Offer
from sparseaug.designs.selector import best, nested, search
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Group, as_group, format_order
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.sampling import GroupSample, Origin
from sparseaug.spectral import deviation
from sparseaug.spectral.spectrum import Spectrum, prior, require_spectrum


def design(
    group: Group | str,
    *,
    m: int | None = None,
    degree: int | None = None,
    name: str | None = None,
    spectrum: Spectrum | None = None,
    objective: str = "prediction",
    identity: bool = False,
) -> GroupSample:
    """S by construction and by search: no oracle call, the same on every machine.

    With `m` and `spectrum`, the S of at most m elements that leaves least of this model: it minimises
    `spectrum.predict(S)`, at the upper end of its error bar. With `m` alone the same for a prior in
    which low degrees matter most, the share of degree k as 1 / k^3; measure with `orbit_spectrum` where
    a model is at hand. With objective="deviation" the worst function counts instead.

    With `degree` alone, the smallest known S that is exact, D_S f = 0, for all functions f of at most
    that degree. With `m` and `degree`, an exact one of at most m elements if one is known, else the best
    of the records and of a search, judged on the functions of at most that degree. With `name`, that row
    of `designs(group)`.

    The degree of a function is the number of coordinates it looks at: points of a permutation,
    signs, cyclic factors, and in a product all of them together; of rotations it is l, or the
    frequency. `S.translate(oracle)` makes any design unbiased.

    Args:
        group: the group.
        m: number of elements, at most (exactly, for a name).
        degree: of the functions that count, from 1 to the number of coordinates.
        name: "nested" for a greedy choice whose rows `S.elements[:k]` are the greedy choice of k, for
            every k; "search" for greedy choice and exchanges; "lattice" for shifts; or any other name in
            `designs(group)`.
        spectrum: of the model, from `orbit_spectrum`.
        objective: "prediction", or "deviation" for the largest error over all functions.
        identity: put the identity first, by a translate of S if it is not in it.

    Returns:
        The sample, with `calls == 0` and an origin that names the construction.

    Raises:
        ArgumentError: m, degree or name is out of range, or no design of that degree has so few
        elements. UnsupportedError: no construction is known; the message names the nearest.
        GroupTooLargeError: the design is known, and too large to be listed.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.roll(sa.cyclic(60))
        >>> x = np.random.default_rng(0).normal(size=(20, 60))
        >>> f = lambda x: np.tanh(x[:, :30].sum(axis=1))
        >>> spectrum = sa.orbit_spectrum(f, act, x)
        >>> S = sa.design(act.group, m=8, spectrum=spectrum)
        >>> round(spectrum.predict(S).relative, 4), round(spectrum.predict(8).relative, 4)
        (0.0124, 0.125)
        >>> S = sa.design(sa.symmetric(7), degree=2)
        >>> S.origin.design, S.m, S.calls, round(sa.deviation(S, degree=2).value, 12)
        ('AGL(1,7)', 42, 0, 0.0)
        >>> S = sa.design(sa.cyclic(91), m=10, objective="deviation")
        >>> S.origin.design, round(sa.deviation(S).value, 6), round(sa.deviation(S).floor, 6)
        ('Singer set over GF(9)', 0.3, 0.3)
        >>> S = sa.design(sa.rotations(3), degree=5)
        >>> S.origin.design, S.m, round(sa.deviation(S, degree=5).value, 12)
        ('icosahedron', 60, 1e-12)
    """
    group = as_group(group)
    if m is not None:
        m = check_integer("m", m, at_least=1)
    if degree is not None:
        degree = require_degree(group, degree)
    objective = check_choice("objective", objective, ("prediction", "deviation"))
    if name is not None:
        name = check_text("name", name)
    if spectrum is not None:
        _require_judge(spectrum, group, m, degree, name, objective)
    identity = check_flag("identity", identity)
    chosen = _chosen(group, m, degree, name, spectrum, objective)
    return _with_identity(chosen) if identity else chosen


def _chosen(
    group: Group,
    m: int | None,
    degree: int | None,
    name: str | None,
    spectrum: Spectrum | None,
    objective: str,
) -> GroupSample:
    if m is not None and degree is None and objective == "prediction":
        by = _prior(group) if spectrum is None else spectrum
        if by is not None and name in (None, *KERNEL_SEARCHES):
            if name is not None or not group.is_finite or m < group.order:
                _check_searched(m)
            return KERNEL_SEARCHES.get(name or "", best)(by, m).sample
    if name is not None:
        offer = _by_name(group, name, m, degree)
    elif degree is not None and m is None:
        offer = _smallest_exact(group, degree)
    elif degree is not None and m is not None:
        offer = _best_by_degree(group, m, degree)
    elif m is not None:
        offer = _best_whole(group, m)
    else:
        raise ArgumentError("give m, degree, or a name of designs(group); neither was given.")
    return build(group, offer, degree)


SMALL_ORDER = 5000
"""Elements of a group in which a search takes about a second at most."""

KERNEL_SEARCHES = {"search": search, "nested": nested}


def _prior(group: Group) -> Spectrum | None:
    """None where the group has no degrees: there the deviation counts."""
    try:
        return prior(group)
    except (UnsupportedError, GroupTooLargeError):
        return None


def _require_judge(
    spectrum: Any, group: Group, m: int | None, degree: int | None, name: str | None, objective: str
) -> None:
    """A spectrum of this group, by which alone S is to be judged."""
    require_spectrum(spectrum)
    if spectrum.group != group:
        raise ArgumentError(
            f"spectrum is of {spectrum.group.name}, not of {group.name}; measure it with an action of "
            "this group."
        )
    if m is None:
        raise ArgumentError("spectrum needs m, the number of elements; or use choose with error=.")
    if degree is not None or objective == "deviation":
        other = "degree" if degree is not None else "objective='deviation'"
        raise ArgumentError(f"spectrum and {other} judge S in two ways; give one of them.")
    if name is not None and name not in KERNEL_SEARCHES:
        raise ArgumentError(
            f"name={shorten(name)} is a construction, which no spectrum changes; leave one of them out."
        )


def _with_identity(S: GroupSample) -> GroupSample:
    """The identity first: moved there, or S translated so that its first element is it."""
    group, rows = S.group, S.elements
    same = np.flatnonzero((rows == group.identity()).all(axis=1))
    if len(same):
        order = np.r_[same[0], np.delete(np.arange(len(rows)), same[0])]
        return GroupSample(group, rows[order], 0, S.origin)
    rest = group.compose(group.inverse(rows[:1]), rows[1:])
    return GroupSample(group, np.concatenate([group.identity(), rest]), 0, S.origin)


def designs(group: Group | str) -> Designs:
    """The designs that are known for a group: name, m, the degree it is exact to, deviation, source.

    The deviation is the whole one, where a theorem gives it. A proper subgroup has deviation 1,
    which is not a defect where it is exact to the degree that matters.

    Args:
        group: the group.

    Returns:
        A table to print, to iterate over, or to turn into JSON data by `to_dict()`.

    Examples:
        >>> import sparseaug as sa
        >>> for offer in sa.designs(sa.symmetric(7)):
        ...     if offer.degree in (2, 5, 7):
        ...         print(offer.name, offer.m, offer.degree)
        AGL(1,7) 42 2
        A7 2520 5
        full 5040 7
    """
    group = as_group(group)
    offers = known(group)
    offers.sort(key=lambda offer: math.inf if offer.m is None else offer.m)
    return Designs(group, tuple(offers))


def build(group: Group, offer: Offer, degree: int | None = None) -> GroupSample:
    """The sample of an offer; a `GroupTooLargeError` if its rows are too many.

    Its origin names the construction, and the degree where a search was judged by one.
    """
    if offer.build is None or not offer.fits(group.width):
        raise GroupTooLargeError(
            f"m={shorten(offer.m)} elements of {group.width} integers, the size of {offer.name}, are "
            f"too many: at most {MOST_ENTRIES} integers are listed; lower m or degree."
        )
    judged = offer.name in SEARCHED and degree is not None
    name = f"{offer.name} by degree {degree}" if judged else offer.name
    return GroupSample(group, offer.build(), 0, Origin("design", design=name))


def _smallest_exact(group: Group, degree: int) -> Offer:
    fitting = candidates(group, degree=degree)
    if fitting:
        return fitting[0]
    offers = [offer for offer in known(group) if offer.m is not None]
    exact = [offer for offer in offers if offer.degree >= degree]
    if exact:
        least = min(exact, key=lambda offer: offer.m or 0)
        raise GroupTooLargeError(
            f"degree={shorten(degree)}: the smallest design of {group.name} that is known, "
            f"{least.name}, has {least.m} elements, too many to list{_nearest(offers, degree)}."
        )
    raise UnsupportedError(
        f"degree={shorten(degree)}: no design of {group.name} that is exact to that degree is known"
        f"{_nearest(offers, degree)}{_searchable(group, degree)}."
    )


def _best_by_degree(group: Group, m: int, degree: int) -> Offer:
    best = best_to_degree(group, m, degree)
    if best is None:
        least = next(iter(candidates(group, degree=degree)), None)
        size = "" if least is None else f": the smallest, {least.name}, has {least.m}"
        raise UnsupportedError(
            f"m={shorten(m)}: no design of {group.name} with so few elements is exact to "
            f"degree={degree}{size}; raise m or lower degree."
        )
    if best.name in JUDGED:
        _check_searched(m)
    return best


def _best_whole(group: Group, m: int) -> Offer:
    """A flat set where its theorem is good enough, else the search, whichever has less deviation."""
    if is_listed(group) and m >= group.order:
        return next(offer for offer in known(group) if offer.name == "full")
    flat = candidates(group, most=m, deviation=down(1.0), m=m)
    flattest = min(flat, key=lambda offer: offer.deviation or 0.0, default=None)
    searched = any(one.is_record and one.m == m for one in flat)  # for hours
    if flattest is not None and (searched or _is_near_floor(group, flattest, m)):
        return flattest
    found = next((offer for offer in sized(group, m) if offer.name == "search"), None)
    if found is None:
        if flattest is not None:
            return flattest
        if not group.is_finite:
            sizes = [one.m for one in candidates(group, deviation=down(1.0))]
            more = f"raise m to {sizes[0]} or more, or " if sizes else ""
            raise UnsupportedError(
                f"m={shorten(m)}: no S of so few elements with a deviation below 1 on all functions is "
                f"known for {group.name}; {more}give degree=."
            )
        raise UnsupportedError(
            f"{group.name} of order {format_order(group)} is too large to be searched whole, above "
            f"{LARGEST_ORDER} elements, and has no construction for m={shorten(m)}: give degree= "
            "(known: sparseaug.designs(group)), or draw a pool and use thin."
        )
    _check_searched(m)
    if flattest is None:
        return found
    sample = build(group, found)
    if deviation(sample).value >= (flattest.deviation or 0.0):
        return flattest
    return Offer(found.name, m, 0, found.source, build=lambda: sample.elements)


def _is_near_floor(group: Group, flat: Offer, m: int) -> bool:
    """Whether a search for m elements is not worth its time: in large groups it misses the floor.

    By sets of m elements it was measured to leave 1.3 to 2 times the floor, and in small ones less.
    """
    order = group.order if group.is_finite else math.inf
    floor = math.sqrt(max(0.0, 1 - m / order) / m)
    return order > SMALL_ORDER and (flat.deviation or 0.0) <= 1.3 * floor


def _by_name(group: Group, name: str, m: int | None, degree: int | None) -> Offer:
    offers = known(group, m, degree)
    same = [offer for offer in offers if offer.name == name]
    if not same:
        names = ", ".join(dict.fromkeys(offer.name for offer in offers)) or "none"
        raise ArgumentError(
            f"name={shorten(name)} is not a design of {group.name}; known are {names}."
        )
    fixed = next((offer for offer in same if offer.build is not None and offer.m is not None), None)
    if fixed is None:
        need = "m" if m is None else "degree"
        raise ArgumentError(f"name={name!r} of {group.name} needs {need}: {same[0].sizes}.")
    if m is not None and fixed.m != m:
        raise ArgumentError(
            f"m={shorten(m)} does not fit name={name!r}, which has {fixed.m} elements."
        )
    if degree is not None and fixed.degree < degree and name not in SEARCHED:
        raise ArgumentError(
            f"name={name!r} is exact to degree {fixed.degree}, not degree={degree}."
        )
    if name in SEARCHED:
        _check_searched(fixed.m or 0)
    return fixed


def _check_searched(m: int) -> None:
    if m > MOST_SEARCHED:
        raise ArgumentError(
            f"m={shorten(m)} is too many for a search, which ends at {MOST_SEARCHED}."
        )


def _nearest(offers: list[Offer], degree: int) -> str:
    """The exact designs on both sides of this degree."""
    below = [offer for offer in offers if 0 < offer.degree < degree]
    above = [offer for offer in offers if offer.degree > degree]
    near = []
    if below:
        near.append(min(below, key=lambda offer: (-offer.degree, offer.m or 0)))
    if above:
        near.append(min(above, key=lambda offer: (offer.degree, offer.m or 0)))
    if not near:
        return ""
    text = " and ".join(f"degree {o.degree} with {o.m} elements ({o.name})" for o in near)
    return f"; the nearest: {text}"


def _searchable(group: Group, degree: int) -> str:
    if any(offer.name == "search" for offer in known(group, 1, degree)):
        return f"; with m= a search finds one that is nearly exact to degree {degree}"
    return ""
