"""Which known designs do better than a given S, or as well with fewer elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from sparseaug.designs.constructions import Design, fixed_designs
from sparseaug.groups.degrees import Degree
from sparseaug.groups.degrees.counts import degree_size
from sparseaug.groups.degrees.graded import counted
from sparseaug.norms.methods import as_known
from sparseaug.norms.profiles.profile import profile
from sparseaug.norms.profiles.result import Profile
from sparseaug.sampling import GroupSample

ROUNDED = 1e-9
"""So near to 0 and 1 are the norms of designs of rounded rows."""

_MOST_OFFERED = 1 << 16  # elements of a design that is offered
_QUOTIENTS = 1 << 26  # integers in the quotients of one that are counted: some tenths of a second


@final
@dataclass(frozen=True)
class Instead:
    """A design that can be used instead: `sa.design(group, name=name)`.

    Attributes:
        name: of the design
        m: number of elements; it costs no oracle call
        exact: the degrees on which it is exact
        better: degrees on which it is exact and the inspected list is not
    """

    name: str
    m: int
    exact: tuple[Degree, ...]
    better: tuple[Degree, ...]


def better_designs(
    S: GroupSample, found: Profile | None, mine: tuple[Degree, ...]
) -> list[Instead]:
    """For each size of degree the smallest known design that is exact up to it."""
    if found is None:
        return []
    best, most = list[Instead](), 0
    last = max((degree_size(level.degree) for level in found.levels), default=0)
    for one in fixed_designs(S.group, most=_MOST_OFFERED):  # the smallest first
        if most == last:
            break
        exact = _exact_on(S, one, found)
        size = reached(exact, found)
        if not exact or size <= most:
            continue
        most = size
        better = tuple(degree for degree in exact if degree not in mine)
        m = one.m or 0
        if better or m < S.m:
            best.append(Instead(one.name, m, exact, better))
    return best


def _exact_on(S: GroupSample, one: Design, found: Profile) -> tuple[Degree, ...]:
    """The degrees on which a design is exact: counted; none of them where counting takes too long.

    Of rotations, up to rounding; where there are more of them than in S, those of its construction.
    """
    degrees = tuple(level.degree for level in found.levels)
    if one.kind == "full":
        return degrees
    if not S.group.is_finite:
        if one.degree > 0 and (one.m or 0) < S.m:
            highest = max(map(degree_size, degrees))
            return exact_degrees(profile(one.sample(), degree=highest))
        return tuple(degree for degree in degrees if degree_size(degree) <= one.degree)
    counts = counted(as_known(one.sample()), work=_QUOTIENTS) or []
    return tuple(c.degree for c in counts if not c.total and c.degree in found.norms)


def exact_degrees(found: Profile) -> tuple[Degree, ...]:
    """Those whose norm is 0, or within rounding of it."""
    return tuple(one.degree for one in found.levels if one.exact or one.norm <= ROUNDED)


def reached(exact: tuple[Degree, ...], found: Profile) -> int:
    """The design is exact on every degree up to this size."""
    wrong = [degree_size(one.degree) for one in found.levels if one.degree not in exact]
    return min(wrong) - 1 if wrong else max(map(degree_size, exact), default=0)
