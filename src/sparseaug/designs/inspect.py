"""`inspect`: what a list of transformations averages, what it misses, and what to use instead.

A list that somebody else wrote is an S like any other. Its profile says on which degrees it is exact;
the subgroup that its quotients generate says whether all of it lies in one coset, which no average over
it can see beyond; and the table of designs says which known S does better, or as well with fewer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, combinations, count, groupby
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from sparseaug._archive import to_json
from sparseaug._checks import check_not_negative, check_weights
from sparseaug._floats import text_up
from sparseaug._tables import Shown, Table
from sparseaug.designs.constructions import Design, fixed_designs
from sparseaug.designs.selection import is_quick, select
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    UnsupportedError,
    shorten,
    shorten_text,
)
from sparseaug.groups import Group, Rows, as_group, cyclic, direct_product, format_order
from sparseaug.groups.degrees import Degree
from sparseaug.groups.degrees.counts import degree_size
from sparseaug.groups.degrees.graded import counted
from sparseaug.norms.deviation import deviation
from sparseaug.norms.generation import generated_order
from sparseaug.norms.methods import as_known
from sparseaug.norms.profiles.profile import profile
from sparseaug.norms.profiles.result import Level, Profile
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.spectrum import prior


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


@final
@dataclass(frozen=True, eq=False)
class Inspection(Shown):
    """What `inspect` found; `str` is a report.

    Attributes:
        sample: the rows, as an S
        profile: by degree; None where the group has no degrees or is too large
        order: of the subgroup H such that S lies in one coset of H; None where that is out of reach
        index: |G| / |H|: above 1 the deviation is 1
        deviation: an upper bound; None where it is out of reach
        exact: the degrees on which S is exact: proved in integers; of rotations, and with weights, a
            norm up to `tolerance` counts as 0
        misses: the degrees on which S is not exact
        tolerance: what counts as 0 where rows or weights are rounded; 0 where integers decide
        findings: what is wrong with the list, or worth knowing, in sentences
        instead: designs, the smallest first
    """

    sample: GroupSample
    profile: Profile | None
    order: int | None
    index: int | None
    deviation: float | None
    exact: tuple[Degree, ...]
    misses: tuple[Degree, ...]
    tolerance: float
    findings: tuple[str, ...]
    instead: tuple[Instead, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return {
            "group": self.sample.group.name,
            "m": self.sample.m,
            "sha256": self.sample.sha256,
            "profile": None if self.profile is None else self.profile.to_dict(),
            "order": to_json(self.order),
            "index": to_json(self.index),
            "deviation": self.deviation,
            "exact": list(self.exact),
            "misses": list(self.misses),
            "tolerance": self.tolerance,
            "findings": list(self.findings),
            "instead": [
                {**vars(one), "exact": list(one.exact), "better": list(one.better)}
                for one in self.instead
            ],
        }

    def _table(self) -> Table:
        title = f"{shorten_text(self.sample.group.name)}, m = {self.sample.m:,}"
        table = Table((), (), title=title) if self.profile is None else self.profile._table()
        known = {"exact on": self.exact, "not exact on": self.misses}
        verdict = "; ".join(f"{said} {in_words(found)}" for said, found in known.items() if found)
        notes = [f"- {finding}" for finding in self.findings]
        if self.instead:
            notes.append("instead, without an oracle call:")
        for one in self.instead:
            more = f", where S is not on {in_words(one.better)}" if one.better else ""
            notes.append(f"- {one.name}: m = {one.m:,}, exact on {in_words(one.exact)}{more}")
        return replace(table, title=f"{verdict}\n{table.title}", notes=[*table.notes, *notes])


def in_words(degrees: tuple[Degree, ...]) -> str:
    """Degrees in words: numbers in runs, or names.

    Examples:
        >>> from sparseaug.designs.inspect import in_words
        >>> in_words((1, 2, 3, 5)), in_words((4,)), in_words(("S3", "S3 x C4"))
        ('degrees 1 to 3, 5', 'degree 4', 'S3, S3 x C4')
    """
    numbers = [degree for degree in degrees if isinstance(degree, int)]
    if len(numbers) < len(degrees):
        return shorten_text(", ".join(map(str, degrees)))
    place = count()
    runs = [list(run) for _, run in groupby(numbers, lambda n: n - next(place))]
    texts = [f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return ("degree " if len(numbers) == 1 else "degrees ") + ", ".join(texts)


_WHOLE_N = 7  # S_n up to which all degrees are looked at, in a second; above, degree 1 to 3
_MOST_FACTORS = 12  # that are looked at in pairs
_MOST_COMBINATIONS = 1 << 20  # of two factors
_MOST_OFFERED = 1 << 16  # elements of a design that is offered
_MOST_NAMED = 3  # designs that are offered, of those with fewer and of those with more elements
_QUOTIENTS = 1 << 26  # integers in the quotients of one that are counted: some tenths of a second
_WORSE = 1.5  # times the mean square of draws: less than that is luck
_ROUNDED = 1e-9  # so near to 0 and 1 are the norms of designs of rounded rows
_WHOLE_ORDER = 5_000  # order up to which the deviation of a group without degrees is computed


def inspect(
    rows: Any,
    group: Group | str | None = None,
    *,
    weights: ArrayLike | None = None,
    tolerance: float = 1e-9,
) -> Inspection:
    """What a given list of transformations averages, what it misses, and what to use instead.

    Args:
        rows: one row of numbers per element, or a `GroupSample`
        group: the group they are from, or its name; may be left out for a `GroupSample`
        weights: of the rows, as quadratures have them; divided by their sum (see `profile`)
        tolerance: a norm up to this counts as 0 for rotations, whose rows are rounded, and with
            weights. Of other groups integers decide.

    Returns:
        An `Inspection`: a report by `str`, `.exact`, `.misses`, `.index`, `.findings`, `.instead`.

    Raises:
        ElementError: a row is not an element of the group.

    Examples:
        >>> import sparseaug as sa
        >>> zipped = [[i % 4, i % 6] for i in range(12)]    # 4 class orders and 6 column orders, zipped
        >>> found = sa.inspect(zipped, group="C4xC6")
        >>> found.deviation, found.index, found.misses
        (1.0, 2, (2,))
        >>> found.findings[-2], found.instead[0].name
        ('C4 and C6: 12 of 24 combinations occur; they are zipped, not crossed.', 'full')
        >>> crossed = [[i, j] for i in range(4) for j in range(6)]
        >>> sa.inspect(crossed, group="C4xC6").deviation
        0.0
        >>> sa.inspect(sa.design("SO3", degree=5)).exact
        (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 14)
    """
    S = _sample(rows, group)
    shares = None if weights is None else check_weights(weights, S.m)
    least = check_not_negative("tolerance", tolerance, at_most=1e-3)
    if S.group.is_finite and shares is None:
        least = 0.0
    found = _profile(S, shares)
    exact = () if found is None else _exact(found, least)
    order = generated_order(S)
    index = None if order is None else S.group.order // order
    instead = _instead(S, found, exact)
    fewer = [one for one in instead if one.m <= S.m][-_MOST_NAMED:]
    more = [one for one in instead if one.m > S.m][:_MOST_NAMED]
    return Inspection(
        sample=S,
        profile=found,
        order=order,
        index=index,
        deviation=_deviation(S, found, index),
        exact=exact,
        misses=() if found is None else tuple(d for d in found.norms if d not in exact),
        tolerance=least,
        findings=(
            *_findings(S, found, exact, order, instead, least),
            *(_by_prior(S) if shares is None else ()),
        ),
        instead=(*fewer, *more),
    )


def _sample(rows: Any, group: Any) -> GroupSample:
    if isinstance(rows, GroupSample):
        if group is not None and as_group(group) != rows.group:
            raise ArgumentError(
                f"rows is a sample of {rows.group.name}, not of group={shorten(group)}; leave group out."
            )
        return rows
    return as_sample(rows, as_group(group), "rows")


def _exact(found: Profile, tolerance: float) -> tuple[Degree, ...]:
    return tuple(one.degree for one in found.levels if one.exact or one.norm <= tolerance)


def _profile(S: GroupSample, weights: ArrayLike | None) -> Profile | None:
    group = S.group.known_as().group
    most = 3 if group.transform == "young" and group.width > _WHOLE_N else None
    if weights is not None:
        return profile(S, degree=most, weights=weights)
    try:
        return profile(S, degree=most)
    except (UnsupportedError, GroupTooLargeError):
        return None


def _deviation(S: GroupSample, found: Profile | None, index: int | None) -> float | None:
    if index is not None and index > 1 and not (found and found.weighted):
        return 1.0
    if found is not None and found.whole:
        return max((level.norm for level in found.levels), default=0.0)
    small = found is None and S.group.log_order < 10 and S.group.order <= _WHOLE_ORDER
    return deviation(S).value if small else None


def _by_prior(S: GroupSample) -> Iterator[str]:
    """Whether as many elements chosen for a typical model leave much less of it."""
    try:
        by = prior(S.group)
        if not is_quick(by, S.m):
            return
        mine, other = by.predict(S), select(by, S.m)
    except (GroupTooLargeError, UnsupportedError):
        return
    if mine.value > _WORSE * other.prediction.value + 1e-12:
        name = shorten_text(S.group.name, 20)
        yield (
            f"Of a typical model, where low degrees matter most, S leaves {mine.relative:.3g} of the "
            f"variance and design({name}, m={other.sample.m}) {other.prediction.relative:.3g}; for your "
            "own model give it spectrum=."
        )


def _pairs(S: GroupSample) -> list[str]:
    """What is wrong with pairs of factors of a product, of three of them."""
    parts = _apart(S.group, S.elements)
    if len(parts) > _MOST_FACTORS:
        return []
    names = [part.name for part, _ in parts]
    names = [name if names.count(name) == 1 else f"{name}[{i}]" for i, name in enumerate(names)]
    wrong = []
    for (first, (part, own)), (second, (other, its)) in combinations(
        zip(names, parts, strict=True), 2
    ):
        text = _pair_text(direct_product(part, other), np.hstack([own, its]))
        wrong += [f"{first} and {second}: {text}"] if text else []
    return wrong[:3]


def _pair_text(both: Group, rows: Rows) -> str:
    """What is wrong with the combinations of two factors; empty where nothing is."""
    if both.log_order > math.log(_MOST_COMBINATIONS) or not (both.factors or both.moduli):
        return ""
    S, pairs = GroupSample(both, rows), both.order
    _, counts = S.counts()
    if len(counts) == pairs:
        least, most = counts.min(), counts.max()
        return f"their combinations occur {least} to {most} times." if least < most else ""
    text = f"{len(counts)} of {pairs} combinations occur"
    order = generated_order(S)
    alone = [generated_order(GroupSample(one, own)) for one, own in _apart(both, rows)]
    if order is not None and None not in alone and order < math.prod(filter(None, alone)):
        return f"{text}; they are zipped, not crossed."
    return f"{text}." if S.m >= pairs else ""


def _apart(group: Group, rows: Rows) -> list[tuple[Group, Rows]]:
    """The factors of a product, or of an abelian group, each with its columns; none of others."""
    parts = group.factors or tuple(map(cyclic, group.moduli or ()))
    ends = accumulate(part.width for part in parts)
    return [
        (part, rows[:, end - part.width : end].astype(part.row_dtype))
        for part, end in zip(parts, ends, strict=True)
    ]


def _findings(
    S: GroupSample,
    found: Profile | None,
    exact: tuple[Degree, ...],
    order: int | None,
    instead: list[Instead],
    tolerance: float,
) -> Iterator[str]:
    """What is wrong with S, or worth knowing, in sentences."""
    if order == 1 < S.group.order:
        yield "S is one element: nothing is averaged, and its deviation is 1."
    elif order is not None and order < S.group.order:
        index = shorten(S.group.order // order)
        yield (
            f"S lies in one coset of a subgroup of order {order}, index {index}: it cannot average "
            "what that subgroup leaves alone, and its deviation is 1."
        )
    if found is None or not found.weighted:
        yield from _repeated(S)
    if found is None:
        yield f"{shorten_text(S.group.name)} has no profile by degree that is in reach."
        yield from _pairs(S)
        return
    yield from _exactness(S, found, exact, tolerance)
    if not found.weighted:
        yield from _pairs(S)
    drawn = 1 / found.m  # the mean square of draws, of distinct ones where there are so many
    if not found.weighted and S.group.is_finite and found.m < S.group.order:
        drawn *= (S.group.order - found.m) / (S.group.order - 1)
    worse = [level for level in found.levels if level.mean_square > _WORSE * drawn]
    if worse:
        most = float(max(level.mean_square for level in worse)) / drawn
        yield (
            f"{found.m} distinct draws would do better on {_in_words(worse)}: the mean square of S is "
            f"up to {most:.3g} times theirs."
        )
    if exact and (near := [one for one in instead if one.m < S.m]):
        reached = _reached(exact, found)
        one = next((one for one in near if _reached(one.exact, found) >= reached), near[-1])
        where = "wherever S is" if set(exact) <= set(one.exact) else f"on {in_words(one.exact)}"
        yield f"{one.m} elements are exact {where}: {one.name}."


def _repeated(S: GroupSample) -> Iterator[str]:
    _, counts = S.counts()
    times = int(counts.min())
    if times < counts.max():
        yield f"{S.m - len(counts)} of {S.m} elements repeat others, not all equally often."
    elif times > 1:
        yield f"Every element occurs {times} times: {len(counts)} do the same."


def _exactness(
    S: GroupSample, found: Profile, exact: tuple[Degree, ...], tolerance: float
) -> Iterator[str]:
    counts_as = ""
    if set(exact) != set(found.exact):
        left = text_up(max(found.norms[degree] for degree in exact), 3)
        counts_as = (
            f", up to rounding: its norm there is at most {left}, and {tolerance:g} counts as 0"
        )
    if len(exact) == len(found.levels):
        which = "everywhere" if found.whole else f"to degree {_reached(exact, found)}"
        every = f"it averages as all {format_order(S.group)} elements do"
        yield f"S is exact {which}{counts_as}: {every}."
        return
    if exact:
        yield f"S is exact on {in_words(exact)} ({found.meaning}){counts_as}."
    blind = [level for level in found.levels if level.lower > 1 - _ROUNDED]
    rest = [level for level in found.levels if level.degree not in exact and level not in blind]
    if blind:
        yield f"S is blind on {_in_words(blind)}: some function there is not averaged at all."
    if rest:
        left = text_up(max(level.norm for level in rest), 3)
        yield f"On {_in_words(rest)} S leaves at most {left} of what is to be averaged out."


def _in_words(levels: list[Level]) -> str:
    return in_words(tuple(level.degree for level in levels))


def _instead(S: GroupSample, found: Profile | None, mine: tuple[Degree, ...]) -> list[Instead]:
    """For each size of degree the smallest known design that is exact up to it."""
    if found is None:
        return []
    best = list[Instead]()
    sizes: set[int] = set()
    last = max((degree_size(level.degree) for level in found.levels), default=0)
    for one in fixed_designs(S.group, most=_MOST_OFFERED):  # the smallest first
        if last in sizes:
            break
        exact = _exact_on(S, one, found)
        reached = _reached(exact, found)
        if not exact or not reached or reached in sizes or (sizes and reached < max(sizes)):
            continue
        sizes.add(reached)
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
            return _exact(profile(one.sample(), degree=highest), _ROUNDED)
        return tuple(degree for degree in degrees if degree_size(degree) <= one.degree)
    counts = counted(as_known(one.sample()), work=_QUOTIENTS) or []
    return tuple(c.degree for c in counts if not c.total and c.degree in found.norms)


def _reached(exact: tuple[Degree, ...], found: Profile) -> int:
    """The design is exact on every degree up to this size."""
    wrong = [degree_size(one.degree) for one in found.levels if one.degree not in exact]
    return min(wrong) - 1 if wrong else max(map(degree_size, exact), default=0)
