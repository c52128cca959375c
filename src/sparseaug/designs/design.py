"""`design`: the best known S for a group, without an oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

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
from sparseaug.designs.selection import nested, search, select
from sparseaug.designs.worst_case import LARGEST_ORDER, is_listed
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Distribution, Group, as_group
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.groups.distributions.described import as_distribution
from sparseaug.norms import deviation
from sparseaug.sampling import GroupSample
from sparseaug.spectrum.one_sided import OneSidedSpectrum
from sparseaug.spectrum.pool import PoolSpectrum, require_variance
from sparseaug.spectrum.spectrum import Spectrum, prior, require_spectrum


def design(
    group: Distribution | str,
    *,
    m: int | None = None,
    degree: int | None = None,
    name: str | None = None,
    spectrum: Spectrum | PoolSpectrum | OneSidedSpectrum | None = None,
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
        name: "nested" for a greedy choice whose rows `S.elements[:k]` are the greedy choice of k, for
            every k; "search" for greedy choice and exchanges; "lattice" for shifts; or any other name in
            `records(group)`.
        spectrum: of the model, from `orbit_spectrum`. One measured with by="places" sees which places
            of an order interact, and S is the best balance of `orders` or better; average over
            `S.translate(oracle)`, which moves items alone.
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
    if isinstance(spectrum, OneSidedSpectrum):
        _require_alone(spectrum, as_group(group), m, degree, name, objective)
        check_flag("identity", identity)  # it is the first element in any case
        return best_by_places(spectrum, check_integer("m", m or 1, at_least=1, below=MOST_SEARCHED))
    if isinstance(spectrum, PoolSpectrum):
        return _from_pool(spectrum, group, m, degree, name, objective, identity=identity)
    group = as_group(group)
    if m is not None:
        m = check_integer("m", m, at_least=1)
    if degree is not None:
        degree = require_degree(group, degree)
    objective = check_choice("objective", objective, tuple(OBJECTIVES))
    if name is not None:
        name = check_text("name", name)
    if spectrum is not None:
        _require_alone(spectrum, group, m, degree, name, objective)
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
            return KERNEL_SEARCHES.get(name or "", select)(by, m).sample
    if name is not None:
        one = _by_name(group, name, m, degree)
    elif degree is not None and m is None:
        one = _smallest_exact(group, degree)
    elif degree is not None and m is not None:
        one = _best_by_degree(group, m, degree)
    elif m is not None:
        one = OBJECTIVES[objective].best(group, m)
    else:
        raise ArgumentError("give m, degree, or a name of records(group); neither was given.")
    if degree is not None and one.kind in SEARCHED:
        one = replace(one, name=f"{one.name} by degree {degree}")
    return one.sample()


def _from_pool(
    spectrum: PoolSpectrum,
    distribution: Any,
    m: Any,
    degree: Any,
    name: Any,
    objective: Any,
    *,
    identity: Any,
) -> GroupSample:
    """The best m rows of the pool, or with name="nested" the greedy choice."""
    if as_distribution(distribution) != spectrum.distribution:
        raise ArgumentError(
            f"spectrum is of {spectrum.distribution.name}, not of {as_distribution(distribution).name}; "
            "measure it with an action of this distribution."
        )
    if name is not None:
        check_choice("name", name, ("nested",))
    check_choice("objective", objective, ("prediction",))
    if degree is not None or check_flag("identity", identity):
        raise ArgumentError(
            "degree and identity do not go with a spectrum from a pool; leave them."
        )
    pool = len(spectrum.rows)
    if m is None or check_integer("m", m, at_least=1) > pool:
        raise ArgumentError(
            f"m={shorten(m)} is not a number of rows of a pool of {pool}; give 1 to {pool}."
        )
    require_variance(spectrum)
    return spectrum._sample_at(spectrum._best_places(m, nested=name == "nested"))


SMALL_ORDER = 5000
"""Elements of a group in which a search takes about a second at most."""

MOST_SEARCHED = 10_000
"""Elements that a search may be asked for."""

SEARCHED = ("search", "nested")
"""Kinds of designs that are searched for: by a degree, if one is given."""

KERNEL_SEARCHES = {"search": search, "nested": nested}


def _prior(group: Group) -> Spectrum | None:
    """None where the group has no degrees: there the deviation counts."""
    try:
        return prior(group)
    except (UnsupportedError, GroupTooLargeError):
        return None


def _require_alone(
    spectrum: Any, group: Group, m: int | None, degree: int | None, name: str | None, objective: str
) -> None:
    """A spectrum of this group, by which alone S is to be judged."""
    if not isinstance(spectrum, OneSidedSpectrum):
        require_spectrum(spectrum)
    if spectrum.group != group:
        raise ArgumentError(
            f"spectrum is of {spectrum.group.name}, not of {group.name}; measure it with an action of "
            "this group."
        )
    given = {"degree": degree, "name": None if name in KERNEL_SEARCHES else name}
    given["objective"] = None if objective == "prediction" else objective
    others = [f"{key}={shorten(value)}" for key, value in given.items() if value is not None]
    if m is None or others:
        found = ", ".join(others) if others else "m=None"
        raise ArgumentError(
            f"spectrum and {found}: a spectrum alone judges sets of m elements; give m= and leave "
            "degree=, objective= and names of constructions out, or use choose with error=."
        )


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
    exact.sort(key=lambda one: (one.degree, one.m))
    listed = "; ".join(f"degree {o.degree} with {o.m} elements ({o.name})" for o in exact[-3:])
    known = f"known are {listed or 'none'}; lower degree, or give m= where the group is searched."
    if exact and exact[-1].degree >= degree:
        raise GroupTooLargeError(
            f"degree={degree}: the designs of {group.name} have too many elements to list: {known}"
        )
    raise UnsupportedError(f"degree={degree}: no design of {group.name} is exact to it; {known}")


def _best_by_degree(group: Group, m: int, degree: int) -> Design:
    best = best_by_degree(group, m, degree)
    if best is None:
        least = _smallest_exact(group, degree)
        raise UnsupportedError(
            f"m={shorten(m)}: the smallest design of {group.name} that is exact to degree={degree}, "
            f"{least.name}, has {least.m} elements; raise m or lower degree."
        )
    if best.kind in SEARCHED:
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
        raise UnsupportedError(
            f"m={shorten(m)}: no S of so few elements with a deviation below 1 on all functions is "
            f"known for {group.name}, and groups above {LARGEST_ORDER} elements are not searched whole; "
            "give degree=, take a larger m of sparseaug.records(group), or draw a pool and use thin."
        )
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
        raise ArgumentError(
            f"name={shorten(name)} is not a design of {group.name}; known are {names}."
        )
    found = next((one for one in same if one.build is not None and one.m is not None), None)
    if found is None:
        need = "m" if m is None else "degree"
        raise ArgumentError(f"name={name!r} of {group.name} needs {need}: {same[0].sizes}.")
    if m is not None and found.m != m:
        raise ArgumentError(
            f"m={shorten(m)} does not fit name={name!r}, which has {found.m} elements."
        )
    if found.kind in SEARCHED:
        _check_searched(found.m or 0)
    elif degree is not None and found.degree < degree:
        raise ArgumentError(
            f"name={name!r} is exact to degree {found.degree}, not degree={degree}."
        )
    return found


def _check_searched(m: int) -> None:
    if m > MOST_SEARCHED:
        raise ArgumentError(
            f"m={shorten(m)} is too many for a search, which ends at {MOST_SEARCHED}."
        )


@dataclass(frozen=True)
class Judge:
    """One row of `OBJECTIVES`: what the command says of it, and the best set of m elements by it."""

    said: str
    best: Callable[[Group, int], Design]


OBJECTIVES = {
    # of a spectrum or a prior; by the deviation in groups that have no degrees
    "prediction": Judge("by a prior, the share of degree k as 1/k^3", _best_whole),
    "deviation": Judge("in the worst case", _best_whole),
}
"""By what a set of m elements may be judged; the first one is usual."""
