"""`design`: the best known S for a group, without an oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sparseaug._checks import check_choice, check_flag, check_integer, check_text
from sparseaug._floats import down
from sparseaug.designs.constructions import (
    Design,
    best_by_degree,
    fixed_designs,
    known_designs,
    sized_designs,
)
from sparseaug.designs.constructions.recorded import recorded
from sparseaug.designs.places import best_by_places
from sparseaug.designs.selection import PredictedSet, nested, search, select
from sparseaug.designs.worst_case import LARGEST_ORDER, is_listed
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Distribution, Group, as_group
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.groups.distributions.described import as_distribution
from sparseaug.norms import deviation
from sparseaug.sampling import GroupSample
from sparseaug.spectrum.orbit_spectrum import AnySpectrum, varied_by
from sparseaug.spectrum.pool import PoolSpectrum
from sparseaug.spectrum.spectrum import Spectrum, prior

OBJECTIVES = {
    "prediction": "by a prior, the share of degree k as 1/k^3",
    "deviation": "in the worst case",
}
"""By what a set of m elements may be judged, and what the command says of it; the first is usual. Of a
group that has no degrees both are the deviation."""

SMALL_ORDER = 5000
"""Elements of a group in which a search takes about a second at most."""

MOST_SEARCHED = 10_000
"""Elements that a search may be asked for."""

KERNEL_SEARCHES: dict[str | None, Callable[[Spectrum, int], PredictedSet]] = {
    None: select,
    "search": search,
    "nested": nested,
}


def design(
    group: Distribution | str,
    *,
    m: int | None = None,
    degree: int | None = None,
    name: str | None = None,
    spectrum: AnySpectrum | None = None,
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
    of `records(group)`.

    The degree of a function is the number of coordinates it looks at: points of a permutation,
    signs, cyclic factors, and in a product all of them together; of rotations it is l, or the
    frequency. `S.translate(oracle)` makes any design unbiased.

    Args:
        group: the group; or, with a spectrum that was measured on a pool, any distribution.
        m: number of elements, at most (exactly, for a name).
        degree: of the functions that count, from 1 to the number of coordinates.
        name: "nested" for a greedy choice by the spectrum or prior whose rows `S.elements[:k]` are the
            greedy choice of k, for every k; "search" for greedy choice and exchanges; "lattice" for
            shifts; or any other name in `records(group)`.
        spectrum: of the model, from `orbit_spectrum`. One measured with by="places" sees which places
            of an order interact, and S is the best balance of `orders` or better; average over
            `S.translate(oracle)`, which moves items alone.
        objective: "prediction", or "deviation" for the largest error over all functions.
        identity: put the identity first, by a translate of S if it is not in it.

    Returns:
        The sample, with `calls == 0` and an origin that names the construction.

    Raises:
        ArgumentError: m, degree or name is out of range, or does not go with a spectrum.
        UnsupportedError: no construction is known, or none of so few elements; the message names the
            nearest.
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
    if m is not None:
        m = check_integer("m", m, at_least=1)
    objective = check_choice("objective", objective, tuple(OBJECTIVES))
    name = None if name is None else check_text("name", name)
    identity = check_flag("identity", identity)
    if spectrum is not None:
        if m is None or degree is not None or objective != "prediction":
            given = f"spectrum with m={m}, degree={shorten(degree)} and objective={objective!r}"
            raise ArgumentError(f"{given} judges sets of m elements; give m= alone.")
        found = _for_model(group, spectrum, m, name)
    else:
        group = as_group(group)
        degree = None if degree is None else require_degree(group, degree)
        found = _known(group, m, degree, name, objective)
    return _with_identity(found) if identity else found


def _for_model(
    group: Distribution | str, spectrum: AnySpectrum, m: int, name: str | None
) -> GroupSample:
    """The best m elements by a spectrum alone."""
    of = varied_by(spectrum)
    given = as_distribution(group) if isinstance(spectrum, PoolSpectrum) else as_group(group)
    if of != given:
        raise ArgumentError(f"spectrum is of {of.name}, not of {given.name}; measure it on that.")
    if isinstance(spectrum, Spectrum):
        searches = tuple(one for one in KERNEL_SEARCHES if one)
        most = MOST_SEARCHED
    elif isinstance(spectrum, PoolSpectrum):
        searches, most = ("nested",), len(spectrum.rows)
    else:
        searches, most = (), MOST_SEARCHED
    if name is not None and name not in searches:
        raise ArgumentError(f"name={shorten(name)} does not go with this spectrum; leave it out.")
    check_integer("m", m, below=most + 1)
    if isinstance(spectrum, Spectrum):
        return KERNEL_SEARCHES[name](spectrum, m).sample
    if isinstance(spectrum, PoolSpectrum):
        return spectrum._sample_at(spectrum._best_places(m, nested=name == "nested"))
    return best_by_places(spectrum, m)


def _known(
    group: Group, m: int | None, degree: int | None, name: str | None, objective: str
) -> GroupSample:
    """By a prior, by degree, by name or in the worst case."""
    if m is not None and degree is None and objective == "prediction" and name in KERNEL_SEARCHES:
        by = _prior(group)
        if by is not None:
            if name is not None or not group.is_finite or m < group.order:
                _check_searched(m)
            return KERNEL_SEARCHES[name](by, m).sample
    if name is not None:
        one = _by_name(group, name, m, degree)
    elif degree is not None:
        one = _smallest_exact(group, degree) if m is None else _best_by_degree(group, m, degree)
    elif m is not None:
        one = _best_whole(group, m)
    else:
        raise ArgumentError("give m, degree, or a name of records(group); neither was given.")
    if degree is not None and one.kind == "search":
        one = replace(one, name=f"{one.name} by degree {degree}")
    return one.sample()


def _prior(group: Group) -> Spectrum | None:
    """None where the group has no degrees: there the deviation counts."""
    try:
        return prior(group)
    except (UnsupportedError, GroupTooLargeError):
        return None


def _with_identity(S: GroupSample) -> GroupSample:
    """The identity first: moved there, or S translated so that its first element is it."""
    group, rows = S.group, S.elements
    same = np.flatnonzero((rows == group.identity()).all(axis=1))
    if len(same):
        order = np.r_[same[0], np.delete(np.arange(len(rows)), same[0])]
        return GroupSample(group, rows[order], 0, S.origin)
    rest = group._compose(group._inverse(rows[:1]), rows[1:])
    return GroupSample(group, np.concatenate([group.identity(), rest]), 0, S.origin)


def _smallest_exact(group: Group, degree: int) -> Design:
    fitting = fixed_designs(group, degree=degree)
    if fitting:
        return fitting[0]
    exact = [one for one in known_designs(group) if one.m is not None and one.degree > 0]
    nearest = max(exact, key=lambda one: (one.fits, one.degree), default=None)
    known = (
        f"{nearest.name} with {nearest.m} elements to degree {nearest.degree}"
        if nearest
        else "none"
    )
    large = any(one.degree >= degree for one in exact)
    raise (GroupTooLargeError if large else UnsupportedError)(
        f"degree={degree}: no exact design of {group.name} {'can be listed' if large else 'is known'}; "
        f"the nearest: {known}; lower degree, or give m= where the group is searched."
    )


def _best_by_degree(group: Group, m: int, degree: int) -> Design:
    best = best_by_degree(group, m, degree)
    if best is None:
        least = _smallest_exact(group, degree)
        known = f"{least.name}, the smallest exact to degree={degree}, has {least.m} elements"
        raise UnsupportedError(f"m={shorten(m)}: {known} of {group.name}; raise m or lower degree.")
    if best.kind == "search":
        _check_searched(m)
    return best


def _best_whole(group: Group, m: int) -> Design:
    """A flat set where its theorem is good enough, else the search, whichever has less deviation."""
    if is_listed(group) and m >= group.order:
        return next(one for one in known_designs(group) if one.kind == "full")
    flat = fixed_designs(group, most=m, deviation=down(1.0), m=m)
    flattest = min(flat, key=lambda one: one.deviation or 0.0, default=None)
    searched = any(one.kind == "record" and one.m == m for one in flat)  # for hours
    if flattest is not None and (searched or _is_near_floor(group, flattest, m)):
        return flattest
    found = next((one for one in sized_designs(group, m) if one.kind == "search"), None)
    if found is None:
        if flattest is not None:
            return flattest
        large = f"m={shorten(m)}: {group.name} has more than {LARGEST_ORDER} elements to search"
        raise UnsupportedError(f"{large}; give degree=, an m of records(group), or use thin.")
    _check_searched(m)
    if flattest is None:
        return found
    rows = found.rows()
    made = replace(found, build=lambda: rows)
    return flattest if deviation(made.sample()).value >= (flattest.deviation or 0.0) else made


def _is_near_floor(group: Group, flat: Design, m: int) -> bool:
    """Whether a search for m elements is not worth its time: in large groups it misses the floor.

    By sets of m elements it was measured to leave 1.3 to 2 times the floor, and in small ones less.
    """
    order = group.order if group.is_finite else math.inf
    floor = math.sqrt(max(0.0, 1 - m / order) / m)
    return order > SMALL_ORDER and (flat.deviation or 0.0) <= 1.3 * floor


def _by_name(group: Group, name: str, m: int | None, degree: int | None) -> Design:
    every = known_designs(group, m, degree)
    same = [one for one in (*every, *recorded(group)) if one.name == name]
    if not same:
        names = ", ".join(dict.fromkeys(one.name for one in every)) or "none"
        raise ArgumentError(f"name={shorten(name)} is no design of {group.name}; known: {names}.")
    found = next((one for one in same if one.build is not None and one.m is not None), None)
    if found is None:
        need = "m" if m is None else "degree"
        raise ArgumentError(f"name={name!r} of {group.name} needs {need}: {same[0].sizes}.")
    if found.kind == "search":
        _check_searched(found.m or 0)
    elif (m not in (None, found.m)) or found.degree < (degree or 0):
        known = f"name={name!r} has {found.m} elements and is exact to degree {found.degree}"
        raise ArgumentError(f"m={m}, degree={degree}: {known}; leave m and degree out.")
    return found


def _check_searched(m: int) -> None:
    check_integer("m", m, below=MOST_SEARCHED + 1)
