"""Groups whose irreps are known, one by one: B_n by n - alpha_1, products by sets of factors.

m^2 ||pi(S)||_F^2 is the sum of chi over the quotients: where characters are integers (S_n, B_n, signs
and their products) it is the one integer within the proved error of the block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from sparseaug._checks import Progress
from sparseaug.groups.degrees import IrrepDegrees
from sparseaug.groups.degrees.counts import Degree, Part, summed
from sparseaug.groups.degrees.graded import counted, no_degrees
from sparseaug.groups.fourier import Block, irrep_means
from sparseaug.groups.quotients import too_many
from sparseaug.groups.representations import listed_irreps
from sparseaug.norms.irreps import largest_norms, reported
from sparseaug.norms.profiles.levels import levels, levels_of_parts, part_of, square_interval
from sparseaug.norms.profiles.result import Levels
from sparseaug.sampling import GroupSample


def irrep_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels and parts of a sample of a group with known irreps, each with a degree."""
    if not S.group.irreps_have_degrees and not S.group.factors:
        raise no_degrees(S.group)
    own = S.group.degrees(whole=True)
    if not isinstance(own, IrrepDegrees):  # of a product: too many, or too large
        listed_irreps(S.group)
    degrees = dict(zip(own.names, own.degrees, strict=True))
    known = counted(S)
    if known is None and S.group.factors and not S.group.has_integer_characters:
        raise too_many(S, ", or deviation(S)")
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


def _exact_square(S: GroupSample, block: Block) -> Fraction | None:
    total = integer_total(block, S.m) if S.group.has_integer_characters else None
    return None if total is None else Fraction(total, S.m * S.m * len(block.values))


def integer_total(block: Block, m: int) -> int | None:
    """sum_ij chi(g_i^-1 g_j) = m^2 ||pi(S)||_F^2 where it is an integer; None if it is not clear."""
    low, high = square_interval(block)
    first = math.ceil(Fraction(low) * m * m)
    last = math.floor(Fraction(high) * m * m)
    return first if first == last else None
