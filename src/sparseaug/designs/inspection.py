"""What an inspection of a list of transformations found, as a report and as JSON data.

`inspect(rows, group=...)`: what a list of transformations averages, what it misses, what to use.

A list that somebody else wrote is an S like any other. Its profile says on which degrees it is exact;
the subgroup that its quotients generate says whether all of it lies in one coset, which no average over
it can see beyond; and the table of designs says which known S does better, or as well with fewer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, combinations
from textwrap import wrap
from types import MappingProxyType
from typing import Any, final

import numpy as np

from sparseaug._floats import text_up
from sparseaug.designs.choose import build, designs
from sparseaug.designs.offers import Offer
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    UnsupportedError,
    shorten,
    shorten_text,
)
from sparseaug.groups import Group, Rows, as_group, cyclic, direct_product, format_order
from sparseaug.groups.degrees import Degree
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample
from sparseaug.spectral.deviation import deviation
from sparseaug.spectral.generation import generated_order
from sparseaug.spectral.profiles.counting import counted
from sparseaug.spectral.profiles.profile import profile
from sparseaug.spectral.profiles.result import Profile, degree_size

WIDTH = 100


@final
@dataclass(frozen=True)
class Instead:
    """A design that can be used instead: `sa.design(group, name=name)`.

    Attributes:
        name: of the design
        m: number of elements; it costs no oracle call
        exact: the degrees on which it is exact
        better: degrees on which it is exact and the inspected list is not
        calls: oracle calls
    """

    name: str
    m: int
    exact: tuple[Degree, ...]
    better: tuple[Degree, ...]
    calls: int = 0


@final
@dataclass(frozen=True, eq=False)
class Inspection:
    """What `inspect` found; `str` is a report.

    Attributes:
        sample: the rows, as an S
        profile: by degree; None where the group has no degrees or is too large
        factors: the profile of each factor of a product alone, by name
        order: of the subgroup H such that S lies in one coset of H; None where that is out of reach
        index: |G| / |H|: above 1 the deviation is 1
        deviation: an upper bound; None where it is out of reach
        misses: the degrees on which S is not exact
        findings: what is wrong with the list, or worth knowing, in sentences
        instead: designs, the smallest first
    """

    sample: GroupSample
    profile: Profile | None
    factors: Mapping[str, Profile]
    order: int | None
    index: int | None
    deviation: float | None
    misses: tuple[Degree, ...]
    findings: tuple[str, ...]
    instead: tuple[Instead, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data; the index in hexadecimal, since it may have any length."""
        return {
            "group": self.sample.group.name,
            "m": self.sample.m,
            "sha256": self.sample.sha256,
            "profile": None if self.profile is None else self.profile.to_dict(),
            "factors": {name: one.to_dict() for name, one in self.factors.items()},
            "order": None if self.order is None else hex(self.order),
            "index": None if self.index is None else hex(self.index),
            "deviation": self.deviation,
            "misses": list(self.misses),
            "findings": list(self.findings),
            "instead": [
                {**vars(one), "exact": list(one.exact), "better": list(one.better)}
                for one in self.instead
            ],
        }

    def __str__(self) -> str:
        lines = [] if self.profile is None else [str(self.profile), ""]
        if self.profile is None:
            lines = [f"{shorten_text(self.sample.group.name)}, m = {self.sample.m}", ""]
        for finding in self.findings:
            lines += wrap(f"- {finding}", WIDTH, subsequent_indent="  ")
        if self.instead:
            lines += ["", "instead, without an oracle call:"]
            lines += [f"  {_offered(one)}" for one in self.instead]
        return "\n".join(lines)


def in_words(degrees: tuple[Degree, ...]) -> str:
    """Degrees in words: 1 to 3, or names."""
    numbers = [degree for degree in degrees if isinstance(degree, int)]
    if len(numbers) == len(degrees) and numbers == list(range(numbers[0], numbers[-1] + 1)):
        word = "degree" if len(numbers) == 1 else "degrees"
        return f"{word} {numbers[0]}" + (f" to {numbers[-1]}" if len(numbers) > 1 else "")
    return shorten_text(", ".join(map(str, degrees)))


def _offered(one: Instead) -> str:
    more = f", where S is not on {in_words(one.better)}" if one.better else ""
    return f"{one.name}: m = {one.m}, exact on {in_words(one.exact)}{more}"


_WHOLE_N = 7  # S_n up to which all degrees are looked at, in a second; above, degree 1 to 3
_MOST_FACTORS = 12  # that are looked at one by one and in pairs
_MOST_COMBINATIONS = 1 << 20  # of two factors
_MOST_OFFERED = 1 << 16  # elements of a design that is offered
_MOST_NAMED = 3  # designs that are offered, of those with fewer and of those with more elements
_QUOTIENTS = 1 << 26  # integers in the quotients of one that are counted: some tenths of a second
_WORSE = 1.5  # times the mean square of draws: less than that is luck
_ROUNDED = (
    1e-9  # norms of rows that were rounded are that near to 0 and 1 where exact ones are there
)
_WHOLE_ORDER = 5_000  # order up to which the deviation of a group without degrees is computed


def inspect(rows: Any, group: Group | str | None = None) -> Inspection:
    """What a given list of transformations averages, what it misses, and what to use instead.

    Args:
        rows: one row of numbers per element, or a `GroupSample`
        group: the group they are from, or its name; may be left out for a `GroupSample`

    Returns:
        An `Inspection`: a report by `str`, `.misses`, `.index`, `.findings`, `.instead`.

    Raises:
        ElementError: a row is not an element of the group.

    Examples:
        >>> import sparseaug as sa
        >>> zipped = [[i % 4, i % 6] for i in range(12)]    # 4 class orders and 6 column orders, zipped
        >>> found = sa.inspect(zipped, group="C4xC6")
        >>> found.deviation, found.index, found.misses
        (1.0, 2, (2,))
        >>> found.findings[-1], found.instead[0].name
        ('C4 and C6: 12 of 24 combinations occur; they are zipped, not crossed.', 'full')
        >>> crossed = [[i, j] for i in range(4) for j in range(6)]
        >>> sa.inspect(crossed, group="C4xC6").deviation
        0.0
    """
    S = _sample(rows, group)
    found = _profile(S)
    order = generated_order(S)
    index = None if order is None else S.group.order // order
    factors, pairs = _factors(S)
    misses = () if found is None else tuple(one.degree for one in found.levels if not one.exact)
    value = _deviation(S, found, index)
    findings = [
        *_coset(order, index),
        *_repeated(S),
        *_exactness(S, found),
        *pairs,
        *_against_draws(found),
    ]
    instead = _instead(S, found)
    findings += _fewer(S, found, instead)
    smaller = [one for one in instead if one.m <= S.m]
    larger = [one for one in instead if one.m > S.m]
    return Inspection(
        S,
        found,
        MappingProxyType(factors),
        order,
        index,
        value,
        misses,
        tuple(findings),
        (*smaller[-_MOST_NAMED:], *larger[:_MOST_NAMED]),
    )


def _sample(rows: Any, group: Any) -> GroupSample:
    if isinstance(rows, GroupSample):
        if group is not None and as_group(group) != rows.group:
            raise ArgumentError(
                f"rows is a sample of {rows.group.name}, not of group={shorten(group)}; leave group out."
            )
        return rows
    return as_sample(rows, as_group(group), "rows")


def _profile(S: GroupSample) -> Profile | None:
    group = S.group
    most = 3 if group.transform == "young" and group.width > _WHOLE_N else None
    try:
        return profile(S, degree=most)
    except (UnsupportedError, GroupTooLargeError):
        return None


def _deviation(S: GroupSample, found: Profile | None, index: int | None) -> float | None:
    if index is not None and index > 1:
        return 1.0
    if found is not None and found.whole:
        return max((level.norm for level in found.levels), default=0.0)
    small = found is None and S.group.log_order < 10 and S.group.order <= _WHOLE_ORDER
    return deviation(S).value if small else None


def _factors(S: GroupSample) -> tuple[dict[str, Profile], list[str]]:
    """The profile of each factor alone, and what is wrong with pairs of them."""
    group = S.group
    parts = group.factors or tuple(map(cyclic, group.moduli or ()))
    if not 2 <= len(parts) <= _MOST_FACTORS:
        return {}, []
    columns = [own for _, own in _apart(group, S.elements)]
    names = [part.name for part in parts]
    names = [name if names.count(name) == 1 else f"{name}[{i}]" for i, name in enumerate(names)]
    found = {}
    for name, part, own in zip(names, parts, columns, strict=True):
        one = _profile(GroupSample(part, own)) if part.order > 1 else None
        if one is not None:
            found[name] = one
    said = [
        _together(
            direct_product(parts[i], parts[j]),
            np.hstack([columns[i], columns[j]]),
            names[i],
            names[j],
        )
        for i, j in combinations(range(len(parts)), 2)
    ]
    return found, [text for text in said if text][:3]


def _together(both: Group, rows: Rows, first: str, second: str) -> str:
    """What is wrong with the combinations of two factors; empty where nothing is."""
    if both.log_order > math.log(_MOST_COMBINATIONS) or not (both.factors or both.moduli):
        return ""
    S, pairs = GroupSample(both, rows), both.order
    _, counts = S.counts()
    if len(counts) == pairs:
        least, most = counts.min(), counts.max()
        uneven = f"{first} and {second}: their combinations occur {least} to {most} times."
        return uneven if least < most else ""
    part = f"{first} and {second}: {len(counts)} of {pairs} combinations occur"
    order = generated_order(S)
    alone = [generated_order(GroupSample(one, own)) for one, own in _apart(both, rows)]
    if order is not None and None not in alone and order < math.prod(filter(None, alone)):
        return f"{part}; they are zipped, not crossed."
    return f"{part}." if S.m >= pairs else ""


def _apart(both: Group, rows: Rows) -> list[tuple[Group, Rows]]:
    parts = both.factors or tuple(map(cyclic, both.moduli or ()))
    ends = list(accumulate(part.width for part in parts))
    columns = np.split(rows, ends[:-1], axis=1)
    return [(one, own.astype(one.row_dtype)) for one, own in zip(parts, columns, strict=True)]


def _coset(order: int | None, index: int | None) -> list[str]:
    if order is None or index is None or index == 1:
        return []
    if order == 1:
        return ["S is one element: nothing is averaged, and its deviation is 1."]
    return [
        f"S lies in one coset of a subgroup of order {order}, index {shorten(index)}: it cannot average "
        "what that subgroup leaves alone, and its deviation is 1."
    ]


def _repeated(S: GroupSample) -> list[str]:
    _, counts = S.counts()
    if counts.min() == counts.max():
        times = int(counts[0])
        return [f"Every element occurs {times} times: {len(counts)} do the same."] * (times > 1)
    return [f"{S.m - len(counts)} of {S.m} elements repeat others, not all equally often."]


def _exactness(S: GroupSample, found: Profile | None) -> list[str]:
    if found is None:
        return [f"{shorten_text(S.group.name)} has no profile by degree that is in reach."]
    if len(found.exact) == len(found.levels):
        which = "everywhere" if found.whole else f"to degree {found.exact_to}"
        return [f"S is exact {which}: it averages as all {format_order(S.group)} elements do."]
    said = []
    if found.exact:
        said.append(f"S is exact on {in_words(found.exact)} ({found.meaning}).")
    blind = [level for level in found.levels if level.lower > 1 - _ROUNDED]
    rest = [level for level in found.levels if not level.exact and level not in blind]
    tiny = [level for level in rest if level.norm < _ROUNDED]
    if blind:
        names = in_words(tuple(level.degree for level in blind))
        said.append(f"S is blind on {names}: some function there is not averaged at all.")
    for levels in filter(None, (tiny, [level for level in rest if level not in tiny])):
        worst = max(levels, key=lambda level: level.norm)
        names = in_words(tuple(level.degree for level in levels))
        said.append(
            f"On {names} S leaves at most {text_up(worst.norm, 3)} of what is to be averaged out."
        )
    return said


def _against_draws(found: Profile | None) -> list[str]:
    """Where as many uniform draws have a smaller mean square."""
    if found is None:
        return []
    worse = [level for level in found.levels if level.mean_square * found.m > _WORSE]
    if not worse:
        return []
    most = max(worse, key=lambda level: level.mean_square)
    times = float(most.mean_square) * found.m
    where = in_words(tuple(level.degree for level in worse))
    return [
        f"{found.m} uniform draws would do better on {where}: the mean square of S is up to {times:.3g} "
        "times theirs."
    ]


def _instead(S: GroupSample, found: Profile | None) -> list[Instead]:
    """For each size of degree the smallest known design that is exact up to it."""
    if found is None:
        return []
    mine = {one.degree for one in found.levels if one.exact or one.norm < _ROUNDED}
    best = list[Instead]()
    sizes: set[int] = set()
    last = max((degree_size(level.degree) for level in found.levels), default=0)
    for offer in designs(S.group):  # the smallest first
        if last in sizes:
            break
        if offer.m is None or offer.m > _MOST_OFFERED or not offer.fits(S.group.width):
            continue
        exact = _exact_on(S.group, offer, found)
        reached = _reached(exact, found)
        if not exact or not reached or reached in sizes or (sizes and reached < max(sizes)):
            continue
        sizes.add(reached)
        better = tuple(degree for degree in exact if degree not in mine)
        if better or offer.m < S.m:
            best.append(Instead(offer.name, offer.m, exact, better))
    return best


def _exact_on(group: Group, offer: Offer, found: Profile) -> tuple[Degree, ...]:
    """The degrees on which a design is exact: counted; of rotations those of its construction.

    None of them where counting takes too long.
    """
    degrees = tuple(level.degree for level in found.levels)
    if offer.name == "full":
        return degrees
    if not group.is_finite:
        return tuple(degree for degree in degrees if degree_size(degree) <= offer.degree)
    counts = counted(build(group, offer), work=_QUOTIENTS) or []
    return tuple(c.degree for c in counts if not c.total and c.degree in found.norms)


def _reached(exact: tuple[Degree, ...], found: Profile) -> int:
    """The design is exact on every degree up to this size."""
    wrong = [degree_size(one.degree) for one in found.levels if one.degree not in exact]
    return min(wrong) - 1 if wrong else max(map(degree_size, exact), default=0)


def _fewer(S: GroupSample, found: Profile | None, instead: list[Instead]) -> list[str]:
    if found is None or not found.exact:
        return []
    same = [one for one in instead if one.m < S.m and set(found.exact) <= set(one.exact)]
    if same:
        return [f"{same[0].m} elements are exact wherever S is: {same[0].name}."]
    near = [one for one in instead if one.m < S.m]
    if near:
        return [f"{near[-1].m} elements are exact on {in_words(near[-1].exact)}: {near[-1].name}."]
    return []
