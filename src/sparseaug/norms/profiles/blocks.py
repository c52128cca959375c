"""Groups whose irreps are known, one by one: B_n by n - alpha_1, products by sets of factors.

m^2 ||pi(S)||_F^2 is the sum of chi over the quotients: where characters are integers (S_n, B_n, signs
and their products) it is the one integer within the proved error of the block.

Rotations by l or frequency: one block per irrep, those of both parities for O(n).

Mean squares are fractions where the rows of S are integers, and zeros exact; otherwise they are the
middle of a proved interval, and no zero is claimed.

From bounds of norms and counts to the levels of a profile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

import numpy as np

from sparseaug._checks import Progress
from sparseaug._floats import UNIT, down, float_above, float_below, gamma, up
from sparseaug.errors import UnsupportedError
from sparseaug.groups.degrees import IrrepDegrees
from sparseaug.groups.degrees.counts import Count, Degree, Number, Part, degree_size, summed
from sparseaug.groups.degrees.factors import MOST_SETS
from sparseaug.groups.degrees.graded import counted
from sparseaug.groups.fourier import Block, irrep_means
from sparseaug.groups.representations import listed_irreps
from sparseaug.norms.irreps import largest_norms, reported
from sparseaug.norms.norm import Norm
from sparseaug.norms.profiles.result import Level, Levels
from sparseaug.norms.rotations import band_blocks, exact_squares
from sparseaug.sampling import GroupSample


def irrep_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels and parts of a sample of a group with known irreps, each with a degree."""
    if not S.group.irreps_have_degrees and not S.group.factors:
        raise UnsupportedError(
            f"the irreps of {S.group.name} have no degree; profiles are for permutations, signed "
            "permutations, abelian and dihedral groups, rotations, and products."
        )
    own = S.group.degrees(whole=True)
    if not isinstance(own, IrrepDegrees):  # of a product: too many, or too large
        listed_irreps(S.group)
    degrees = dict(zip(own.names, own.degrees, strict=True))
    known = counted(S)
    if known is None and S.group.factors and not S.group.has_integer_characters:
        raise UnsupportedError(
            f"m={S.m} elements of {S.group.name} with {len(S.group.factors)} factors are too many to "
            f"count quotients by sets of factors, of which there may be {MOST_SETS}; use fewer "
            "elements, or deviation(S)."
        )
    zero = {count.degree for count in known or () if not count.total}
    parts: list[Part] = []

    def blocks() -> Iterator[tuple[Degree, Block]]:
        for block in reported(irrep_means(S), len(degrees), progress):
            degree = degrees[block.label]
            if most is None or not isinstance(degree, int) or degree <= most:
                square = Fraction(0) if degree in zero else _exact_square(S, block)
                part = part_of(degree, block, square)
                parts.append(part)
                if not part.exact:
                    yield degree, block

    norms = largest_norms(blocks())
    if known is None and not all(isinstance(part.mean_square, Fraction) for part in parts):
        found = levels_of_parts(parts, norms)
    else:
        found = levels(summed(parts, S.m) if known is None else known, norms, S.m)
    return Levels(tuple(found), tuple(parts), most is None)


def part_of(degree: Degree, block: Block, square: Fraction | None) -> Part:
    """With its mean square where that is known as a fraction, else the middle of an interval."""
    d = len(block.values)
    if square is not None:
        return Part(block.label, degree, d, d * d, square, not square)
    low, high = square_interval(block)
    return Part(
        block.label, degree, d, d * d, 0.5 * (low + high) / d, None if low == 0.0 else False
    )


def _exact_square(S: GroupSample, block: Block) -> Fraction | None:
    total = integer_total(block, S.m) if S.group.has_integer_characters else None
    return None if total is None else Fraction(total, S.m * S.m * len(block.values))


USUAL_DEGREE = 16
"""Of a profile where no degree is given."""

USUAL_IN_PRODUCTS = 4
"""The same for products with other groups, which have many irreps of each degree."""


def band_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels and parts up to degree `most`."""
    highest = band_limit(S, most)
    known = exact_squares(S, highest) or {}
    parts: list[Part] = []

    def blocks() -> Iterator[tuple[Degree, Block]]:
        for degree, block in band_blocks(S, highest):
            square = known.get((degree, -1 if block.label.endswith(("-", "det")) else 1))
            if not block.error and not block.values.any():
                square = Fraction(0)
            parts.append(part_of(degree, block, square))
            yield degree, block
            progress(degree, highest)

    norms = largest_norms(blocks())
    return Levels(tuple(levels_of_parts(parts, norms)), tuple(parts), False)


def band_limit(S: GroupSample, most: int | None) -> int:
    """The degree up to which a profile of rotations goes."""
    usual = USUAL_IN_PRODUCTS if S.group.factors else USUAL_DEGREE
    return usual if most is None else most


def levels_of_parts(parts: list[Part], norms: Mapping[Degree, Norm]) -> list[Level]:
    """One level per degree, its mean square as well as those of its irreps are known."""
    by_degree: dict[Degree, list[Part]] = {}
    for part in parts:
        by_degree.setdefault(part.degree, []).append(part)
    found = []
    for degree in sorted(by_degree, key=degree_size):
        own, norm = by_degree[degree], norms.get(degree, Norm(0.0, 0.0))
        total: Number = sum((part.weight * part.mean_square for part in own), Fraction(0))
        square = total / sum(part.weight for part in own)
        block = "" if (exact := all(part.exact for part in own)) else norm.block
        found.append(Level(degree, norm.upper, norm.lower, square, exact, block))
    return found


def levels(counts: Iterable[Count], norms: Mapping[Degree, Norm], m: int) -> list[Level]:
    """One level per count. Where the count is 0, so is the norm.

    A degree's mean square is a mean of ||pi(S)||_F^2 / d_pi, each at most ||pi(S)||^2: its root is a
    lower bound of the norm.
    """
    found = []
    for count in counts:
        square = count.mean_square(m)
        if not square:
            found.append(Level(count.degree, 0.0, 0.0, square, True))
            continue
        norm = norms[count.degree]
        lower = max(norm.lower, root_below(square))
        upper = max(min(1.0, norm.upper), lower)
        found.append(
            Level(
                count.degree,
                upper,
                min(lower, 1.0),
                square,
                False,
                norm.block if norm.lower >= lower else "",
                norm.failure_probability,
            )
        )
    return found


# |A| + e and |A| - e enclose the true Frobenius norm; the computed sum of N squares errs by
# gamma(2 N + 4) relatively.
def square_interval(block: Block) -> tuple[float, float]:
    """Bounds of ||pi(S)||_F^2 for the true block."""
    values = block.values
    computed = float(np.vdot(values, values).real)
    spread = gamma(2 * values.size + 4) * computed
    high = up(up(math.sqrt(up(computed + up(spread)))) + block.error)
    low = max(0.0, down(down(math.sqrt(max(0.0, down(computed - up(spread))))) - block.error))
    return max(0.0, down(low * low)), up(high * high)


def integer_total(block: Block, m: int) -> int | None:
    """sum_ij chi(g_i^-1 g_j) = m^2 ||pi(S)||_F^2 where it is an integer; None if it is not clear."""
    low, high = square_interval(block)
    first = math.ceil(Fraction(low) * m * m)
    last = math.floor(Fraction(high) * m * m)
    return first if first == last else None


def root_below(square: Fraction) -> float:
    """A float not above the root."""
    return max(0.0, down(math.sqrt(float_below(square))))


def root_above(square: Fraction) -> float:
    """A float not below the root."""
    return up(math.sqrt(float_above(square)) * (1 + 2 * UNIT))
