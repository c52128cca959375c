"""What is wrong with a given S, or worth knowing, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, combinations, count, groupby

import numpy as np

from sparseaug._floats import text_up
from sparseaug.designs.instead import ROUNDED, Instead, reached
from sparseaug.designs.selection import is_quick, select
from sparseaug.errors import GroupTooLargeError, UnsupportedError, shorten, shorten_text
from sparseaug.groups import Group, Rows, cyclic, direct_product, format_order
from sparseaug.groups.degrees import Degree
from sparseaug.norms.generation import generated_order
from sparseaug.norms.profiles.result import Level, Profile
from sparseaug.sampling import GroupSample
from sparseaug.spectrum.spectrum import prior

_MOST_FACTORS = 12  # that are looked at in pairs
_MOST_COMBINATIONS = 1 << 20  # of two factors
_WORSE = 1.5  # times the mean square of draws: less than that is luck


def findings_of(
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
    weighted = found is not None and found.weighted
    if not weighted:
        yield from _repeated(S)
    if found is None:
        yield f"{shorten_text(S.group.name)} has no profile by degree that is in reach."
    else:
        yield from _exactness(S, found, exact, tolerance)
    if not weighted:
        yield from _pairs(S)
    if found is not None:
        yield from _compared(S, found, exact, instead)
    if not weighted:
        yield from _by_prior(S)


def _compared(
    S: GroupSample, found: Profile, exact: tuple[Degree, ...], instead: list[Instead]
) -> Iterator[str]:
    """Next to distinct draws, and to designs with fewer elements."""
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
        size = reached(exact, found)
        one = next((one for one in near if reached(one.exact, found) >= size), near[-1])
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
        which = "everywhere" if found.whole else f"to degree {reached(exact, found)}"
        every = f"it averages as all {format_order(S.group)} elements do"
        yield f"S is exact {which}{counts_as}: {every}."
        return
    if exact:
        yield f"S is exact on {in_words(exact)} ({found.meaning}){counts_as}."
    blind = [level for level in found.levels if level.lower > 1 - ROUNDED]
    rest = [level for level in found.levels if level.degree not in exact and level not in blind]
    if blind:
        yield f"S is blind on {_in_words(blind)}: some function there is not averaged at all."
    if rest:
        left = text_up(max(level.norm for level in rest), 3)
        yield f"On {_in_words(rest)} S leaves at most {left} of what is to be averaged out."


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


def in_words(degrees: tuple[Degree, ...]) -> str:
    """Degrees in words: numbers in runs, or names.

    Examples:
        >>> from sparseaug.designs.findings import in_words
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


def _in_words(levels: list[Level]) -> str:
    return in_words(tuple(level.degree for level in levels))
