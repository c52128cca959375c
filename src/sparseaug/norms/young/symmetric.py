"""S_n and A_n: the norm of every irrep, whole and by degree.

Up to n = 12 the blocks are made by Clausen's recursion and verified by Cholesky factorisation, one norm
per degree: the largest block of S_13 has 21,450 rows, 3.7 GB, and its factorisation takes ten minutes.
Above, degrees 1 to 3: the norm on t-tuples of points is the largest of the degrees up to t, so it is an
upper bound for degree t; and ||pi(S)|| <= ||pi(S)||_F, which is known exactly from the cycle types, is
another. Up to n = 64 degree 2 has its own (`pairs`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import cast

import numpy as np

from sparseaug._checks import LIMITS, Progress, silent
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups.degrees.counts import Degree, Part, summed
from sparseaug.groups.degrees.shapes import LARGEST_N, Shapes
from sparseaug.groups.fourier import Block
from sparseaug.groups.quotients import coset_of, too_many
from sparseaug.groups.symmetric import Symmetric
from sparseaug.groups.young import Partition, dimension
from sparseaug.norms.coordinates import coordinates_norm
from sparseaug.norms.irreps import largest_norm, largest_norms, reported
from sparseaug.norms.norm import Norm, announce, larger_norm
from sparseaug.norms.profiles.levels import levels, root_above, root_below
from sparseaug.norms.profiles.result import Levels
from sparseaug.norms.young.clausen import mean_blocks
from sparseaug.norms.young.pairs import MOST_PAIRED, degree_two_norm
from sparseaug.sampling import GroupSample

LARGEST_DEGREE = 3
"""Degree up to which groups above n = 12 have a profile."""

SORTED_N = 10
"""Points up to which all blocks are held at once."""

_ENTRIES = 10_000_000  # tuples times distinct elements: where Lanczos takes seconds

HEAVY = 5000
"""Dimension of the irreps of S_12 that take most of its time."""


def symmetric_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """The norm of D_S on S_n or A_n.

    On A_n the irreps of a partition and its conjugate agree, and those of a self-conjugate one split
    in two halves, whose larger norm is that of the whole: so one of each pair of conjugates is enough.
    """
    shapes = Shapes(cast(Symmetric, S.group)).shapes
    announce_shapes(S, shapes, f"the norm on all irreps of {S.group.name}")
    blocks = mean_blocks(np.array(S.elements), shapes=shapes)
    return largest_norm(blocks, total=len(shapes), progress=progress)


def announce_shapes(S: GroupSample, shapes: Collection[Partition], what: str) -> None:
    """Say what the large irreps of S_12 take."""
    if S.group.width == LARGEST_N and max(map(dimension, shapes)) > HEAVY:
        announce(what, seconds=100.0, memory=5e9)


def permutation_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels and parts of a sample of S_n or A_n."""
    if S.group.width > LARGEST_N:
        return _low_degrees(S, most, progress)
    parts = _counted(S, most)
    shapes = {_shape(part): part.degree for part in parts if not part.exact}
    norms = _of_coset(S, parts)
    if norms is None:
        norms = _norms(S, shapes, progress) if shapes else {}
    return Levels(tuple(levels(summed(parts, S.m), norms, S.m)), tuple(parts), most is None)


def _of_coset(S: GroupSample, parts: list[Part]) -> dict[Degree, Norm] | None:
    """The norms of a coset of a subgroup, 0 or 1, at the first part of each degree; else None."""
    if coset_of(S) is None:
        return None
    return {part.degree: Norm(1.0, 1.0, part.name) for part in reversed(parts) if not part.exact}


def _counted(S: GroupSample, most: int | None) -> list[Part]:
    parts = Shapes(cast(Symmetric, S.group)).counted(S, most)
    if parts is None:
        raise too_many(S, ", or deviation(S, degree=)")
    return parts


def _shape(part: Part) -> Partition:
    return tuple(int(x) for x in part.name.rstrip("+-").strip("()").split(",") if x)


def _norms(
    S: GroupSample, shapes: dict[Partition, Degree], progress: Progress
) -> dict[Degree, Norm]:
    rows = np.array(S.elements)
    announce_shapes(S, list(shapes), f"the profile on all irreps of {S.group.name}")
    # 30 MB in all for n = 10; the largest of a degree first, as its norm tends to be the largest
    blocks: Iterable[Block] = mean_blocks(rows, shapes=list(shapes))
    if S.group.width <= SORTED_N:
        blocks = sorted(blocks, key=lambda block: -len(block.values))
    each = reported(blocks, len(shapes), progress)
    return largest_norms((shapes[block.label], block) for block in each)


def _low_degrees(S: GroupSample, most: int | None, progress: Progress) -> Levels:
    n, m = S.group.width, S.m
    if most is not None and most > LARGEST_DEGREE:
        raise UnsupportedError(f"degree={most} is out of reach above S{LARGEST_N}; give at most 3.")
    parts = _counted(S, most or LARGEST_DEGREE)
    counts = summed(parts, m)
    if (known := _of_coset(S, parts)) is not None:
        return Levels(tuple(levels(counts, known, m)), tuple(parts), False)
    norms: dict[Degree, Norm] = {}
    below = Norm(0.0, 0.0)
    for count in counts:
        t = int(count.degree)
        own = [part for part in parts if part.degree == t]
        upper = min(1.0, max(root_above(Fraction(p.mean_square) * p.dimension) for p in own))
        lower = root_below(max(Fraction(part.mean_square) for part in own))
        norm = Norm(upper, lower)
        if count.total and t == 2 and n <= MOST_PAIRED:
            norm = degree_two_norm(S)
            below = larger_norm(below, norm)
        elif (
            count.total and n**t <= LIMITS["tuple codes"].most and math.perm(n, t) * S.m <= _ENTRIES
        ):
            norm, below = _with_tuples(S, t, norm, below, progress)
        elif count.total:
            below = Norm(1.0, 0.0)  # of the degrees up to t nothing better is known
        norms[t] = norm
    return Levels(tuple(levels(counts, norms, m)), tuple(parts), False)


def _with_tuples(
    S: GroupSample, t: int, norm: Norm, below: Norm, progress: Progress
) -> tuple[Norm, Norm]:
    """Better bounds for degree t from those of all degrees up to t, and these.

    If the norm up to degree t is above the one up to t - 1, it is attained at degree t.
    """
    try:
        found = coordinates_norm(S, degree=t, progress=progress)
    except GroupTooLargeError:
        return norm, Norm(1.0, 0.0)
    if found.upper < norm.upper:
        upper, failure = found.upper, found.failure_probability
    else:
        upper, failure = norm.upper, norm.failure_probability
    certain = below.failure_probability == 0.0 and found.lower > below.upper
    lower = max(norm.lower, found.lower) if certain else norm.lower
    return Norm(max(upper, lower), lower, found.block if certain else "", failure), found
