"""S_n and A_n by degree: counts of cycle types, and norms of the blocks that the counts leave.

Up to n = 12 by Clausen's transform, one verified norm per degree. Above, degrees 1 to 3: the norm on
t-tuples of points is the largest of the degrees up to t, so it is an upper bound for degree t; and
||pi(S)|| <= ||pi(S)||_F, which is known exactly, is another. Up to n = 64 degree 2 has its own
(`pairs`).

The norm of D_S on degree 2 of S_n alone, for n in the dozens: unordered and signed pairs of points.

Functions of unordered pairs hold the irreps (n), (n-1, 1) and (n-2, 2); signed pairs e_a ^ e_b hold
(n-1, 1) and (n-2, 1, 1). With W the incidence of points and pairs and V the signed one, which takes
e_a ^ e_b to e_b - e_a,
    P = (W'W - 2 J / (n - 1)) / (n - 2)   and   P = V'V / n
are the projections onto the irreps of degree below 2, since W W' = (n - 2) I + J and V V' = n I - J. The
mean A of S commutes with P, so its norm on degree 2 is that of A (1 - P). Times m and the denominators
that is a matrix of integers below m n^2, exact in float64; one division is all that is rounded.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress
from sparseaug._floats import UNIT, up
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Rows
from sparseaug.groups.degrees.counts import Degree, Part, summed
from sparseaug.groups.degrees.shapes import LARGEST_N, Shapes
from sparseaug.groups.fourier import Block
from sparseaug.groups.quotients import coset_of, too_many
from sparseaug.groups.symmetric import Symmetric
from sparseaug.groups.young import Partition, dimension
from sparseaug.norms.clausen import gram_blocks, mean_blocks
from sparseaug.norms.irreps import largest_norms, reported
from sparseaug.norms.norm import Norm, announce, larger_norm
from sparseaug.norms.profiles.blocks import levels, root_above, root_below
from sparseaug.norms.profiles.result import Levels
from sparseaug.norms.symmetric import GRAM_FROM, GRAM_SAMPLE
from sparseaug.norms.tuples import TUPLE_CODES, permutation_module_norm
from sparseaug.norms.verified import root_lower, root_upper
from sparseaug.sampling import GroupSample

LARGEST_DEGREE = 3
"""Degree up to which groups above n = 12 have a profile."""

_ENTRIES = 10_000_000  # tuples times distinct elements: where Lanczos takes seconds


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
    n, rows = S.group.width, np.array(S.elements)
    if n == LARGEST_N and max(map(dimension, shapes)) > 5000:
        announce(f"the profile on all irreps of {S.group.name}", seconds=150.0, memory=3e9)
    bounds: dict[str, Any] = {}
    if n >= GRAM_FROM and S.m <= GRAM_SAMPLE:
        blocks = gram_blocks(rows, shapes=list(shapes))
        bounds = {"upper": root_upper, "lower": root_lower}
    else:
        blocks = mean_blocks(rows, shapes=list(shapes))
    if n < GRAM_FROM:
        # 30 MB in all for n = 10; the largest of a degree first, as its norm tends to be the largest
        blocks = iter(sorted(blocks, key=lambda block: -len(block.values)))
    each = reported(blocks, len(shapes), progress)
    return largest_norms(((shapes[block.label], block) for block in each), **bounds)


def _low_degrees(S: GroupSample, most: int | None, progress: Progress) -> Levels:
    n, m = S.group.width, S.m
    if most is not None and most > LARGEST_DEGREE:
        raise UnsupportedError(
            f"degree={most} of {S.group.name} is out of reach: above S{LARGEST_N} profiles go up "
            f"to degree {LARGEST_DEGREE}."
        )
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
        elif count.total and n**t <= TUPLE_CODES and math.perm(n, t) * S.m <= _ENTRIES:
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
        found = permutation_module_norm(S, degree=t, progress=progress)
    except GroupTooLargeError:
        return norm, Norm(1.0, 0.0)
    if found.upper < norm.upper:
        upper, failure = found.upper, found.failure_probability
    else:
        upper, failure = norm.upper, norm.failure_probability
    certain = below.failure_probability == 0.0 and found.lower > below.upper
    lower = max(norm.lower, found.lower) if certain else norm.lower
    return Norm(max(upper, lower), lower, found.block if certain else "", failure), found


MOST_PAIRED = 64
"""Points up to which the matrices, of side n (n - 1) / 2, are verified: 2016, some seconds."""


def degree_two_norm(S: GroupSample) -> Norm:
    """Bounds of the norm on the irreps (n-2, 2) and (n-2, 1, 1) of S_n or A_n."""
    n = S.group.width
    rows, counts = S.counts()
    first, second = np.triu_indices(n, 1)
    pairs = np.arange(len(first))
    number = np.zeros((n, n), np.int64)
    number[first, second] = number[second, first] = pairs
    left, right = rows[:, first], rows[:, second]
    targets, signs = number[left, right], np.where(left < right, 1, -1)
    incidence = np.zeros((n, len(pairs)))
    incidence[first, pairs], incidence[second, pairs] = 1.0, 1.0
    signed = np.array(incidence)
    signed[first, pairs] = -1.0
    even = (n - 1) * (n - 2) * np.eye(len(pairs)) - (n - 1) * incidence.T @ incidence + 2.0
    odd = n * np.eye(len(pairs)) - signed.T @ signed
    blocks = [
        _block(f"({n - 2}, 2)", _sums(targets, counts), even, (n - 1) * (n - 2) * S.m),
        _block(f"({n - 2}, 1, 1)", _sums(targets, counts[:, None] * signs), odd, n * S.m),
    ]
    return largest_norms((2, block) for block in blocks)[2]


def _sums(targets: Rows, weights: Rows) -> NDArray[np.float64]:
    """The sum over S of the matrices that send pair j to +- pair targets[j]: integers."""
    size = targets.shape[1]
    weights = np.broadcast_to(weights if weights.ndim == 2 else weights[:, None], targets.shape)
    codes = targets * size + np.arange(size)
    flat = np.bincount(codes.ravel(), weights.ravel().astype(np.float64), size * size)
    return flat.reshape(size, size).astype(np.float64)


def _block(
    name: str, sums: NDArray[np.float64], rest: NDArray[np.float64], denominator: int
) -> Block:
    values = (sums @ rest) / float(denominator)
    return Block(name, values, up(4 * UNIT * float(np.linalg.norm(values))))
