"""What is wrong with a given S, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, combinations, count, groupby

import numpy as np

from sparseaug.designs.instead import ROUNDED
from sparseaug.designs.selection import is_quick, select
from sparseaug.errors import GroupTooLargeError, UnsupportedError, shorten, shorten_text
from sparseaug.groups import Group, Rows, cyclic, direct_product
from sparseaug.groups.degrees import Degree
from sparseaug.norms.generation import generated_order
from sparseaug.norms.profiles.result import Level, Profile
from sparseaug.sampling import GroupSample
from sparseaug.spectrum.spectrum import prior

_MOST_FACTORS = 12  # that are looked at in pairs
_MOST_COMBINATIONS = 1 << 20  # of two factors
_WORSE = 1.5  # times the mean square of draws: less than that is luck


def findings_of(S: GroupSample, found: Profile | None, order: int | None) -> Iterator[str]:
    """What is wrong with S; with weights of its rows, by its profile alone."""
    if order is not None and order < S.group.order:
        index = shorten(S.group.order // order)
        yield (
            f"S lies in one coset of a subgroup of order {order}, index {index}: it cannot average "
            "what that subgroup leaves alone, and its deviation is 1."
        )
    if found is None:
        yield f"{shorten_text(S.group.name)} has no profile by degree that is in reach."
    else:
        yield from _compared(S, found)
    if found is None or not found.weighted:
        repeated = S.m - len(S.counts()[0])
        if repeated:
            yield f"{repeated} of {S.m} elements repeat others."
        yield from _pairs(S)
        yield from _by_prior(S)


def _compared(S: GroupSample, found: Profile) -> Iterator[str]:
    """Where S averages nothing, and where distinct draws would do better."""
    blind = [level for level in found.levels if level.lower > 1 - ROUNDED]
    if blind:
        yield f"S is blind on {_in_words(blind)}: some function there is not averaged at all."
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


def _pairs(S: GroupSample) -> Iterator[str]:
    """Pairs of factors of a product that do not occur in all combinations."""
    parts = _apart(S.group, S.elements)
    if len(parts) > _MOST_FACTORS:
        return
    names = [part.name for part, _ in parts]
    names = [name if names.count(name) == 1 else f"{name}[{i}]" for i, name in enumerate(names)]
    for (first, one), (second, other) in combinations(zip(names, parts, strict=True), 2):
        text = _combinations([one, other])
        if text:
            yield f"{first} and {second}: {text}"


def _combinations(parts: list[tuple[Group, Rows]]) -> str:
    """How many combinations of two factors occur; empty where that says nothing."""
    both = direct_product(*(part for part, _ in parts))
    if both.log_order > math.log(_MOST_COMBINATIONS):
        return ""
    S = GroupSample(both, np.hstack([rows for _, rows in parts]))
    text = f"{len(S.counts()[0])} of {both.order} combinations occur"
    order = generated_order(S)
    alone = [generated_order(GroupSample(part, rows)) for part, rows in parts]
    if order is not None and None not in alone and order < math.prod(filter(None, alone)):
        return f"{text}; they are zipped, not crossed."
    return f"{text}." if len(S.counts()[0]) < both.order <= S.m else ""


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
