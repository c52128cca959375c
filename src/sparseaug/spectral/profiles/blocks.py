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

from sparseaug._floats import UNIT, down, float_above, float_below, gamma, up
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups.degrees import Degree
from sparseaug.groups.representations import LARGEST_DENSE, listed_irreps
from sparseaug.sampling import GroupSample
from sparseaug.spectral.irreps import irrep_means
from sparseaug.spectral.lanczos import Threads
from sparseaug.spectral.norm import Block, Norm, Progress
from sparseaug.spectral.profiles.counting import MOST_SETS, Count, counted, summed
from sparseaug.spectral.profiles.result import Level, Number, Part, degree_size
from sparseaug.spectral.rotations import band_blocks, exact_squares
from sparseaug.spectral.verified import norm_lower, norm_upper


def irrep_levels(
    S: GroupSample, most: int | None, progress: Progress | None
) -> tuple[list[Level], list[Part]]:
    """Levels and parts of a sample of a group with known irreps, each with a degree."""
    if not S.group.irreps_have_degrees and not S.group.factors:
        raise UnsupportedError(
            f"the irreps of {S.group.name} have no degree; profiles are for permutations, signed "
            "permutations, abelian and dihedral groups, rotations, and products."
        )
    irreps = listed_irreps(S.group)[1:]
    large = max(irreps, key=lambda irrep: irrep.dimension, default=None)
    if large is not None and large.dimension > LARGEST_DENSE:
        raise GroupTooLargeError(
            f"{S.group.name} has an irrep of dimension {large.dimension}; a profile takes those up to "
            f"{LARGEST_DENSE}: use deviation(S), or deviation(S, degree=)."
        )
    found = S.group.degrees(whole=True)
    degrees = dict(zip(found.names, found.degrees, strict=True))
    known = counted(S)
    if known is None:
        _require_counts(S)
    zero = {count.degree for count in known or () if not count.total}
    parts: list[Part] = []

    def blocks() -> Iterator[tuple[Degree, Block]]:
        for done, block in enumerate(irrep_means(S), start=1):
            degree = degrees[block.label]
            if most is None or not isinstance(degree, int) or degree <= most:
                part = _part(S, degree, block, degree in zero)
                parts.append(part)
                if not part.exact:
                    yield degree, block
            if progress:
                progress(done, len(irreps))

    norms = largest_norms(blocks())
    if known is None and not all(isinstance(part.mean_square, Fraction) for part in parts):
        return _from_parts(parts, norms), parts
    return levels(summed(parts, S.m) if known is None else known, norms, S.m), parts


def _part(S: GroupSample, degree: Degree, block: Block, zero: bool) -> Part:
    m, d = S.m, len(block.values)
    if zero:
        return Part(block.label, degree, d, d * d, Fraction(0), True)
    total = integer_total(block, m) if S.group.has_integer_characters else None
    if total is not None:
        return Part(block.label, degree, d, d * d, Fraction(total, m * m * d), not total)
    low, high = square_interval(block)
    return Part(
        block.label, degree, d, d * d, 0.5 * (low + high) / d, None if low == 0.0 else False
    )


def _require_counts(S: GroupSample) -> None:
    """Refuse what neither quotients nor integer characters count, for the reason that it has."""
    group = S.group
    if group.has_integer_characters or not group.factors:
        return
    if 1 << len(group.factors) > MOST_SETS:
        raise UnsupportedError(
            f"{group.name} has {len(group.factors)} factors, of which at most {MOST_SETS} sets are "
            "counted: there is no profile; use deviation(S)."
        )
    raise UnsupportedError(
        f"m={S.m} is too large to count the quotients of S in {S.group.name}; use fewer elements, or "
        "deviation(S)."
    )


USUAL_DEGREE = 16
"""Of a profile where no degree is given."""

USUAL_IN_PRODUCTS = 4
"""The same for products with other groups, which have many irreps of each degree."""


def band_levels(
    S: GroupSample, most: int | None, progress: Progress | None
) -> tuple[list[Level], list[Part]]:
    """Levels and parts up to degree `most`."""
    usual = USUAL_IN_PRODUCTS if S.group.factors else USUAL_DEGREE
    highest = usual if most is None else most
    known = exact_squares(S, highest) or {}
    parts: list[Part] = []

    def blocks() -> Iterator[tuple[Degree, Block]]:
        for degree, block in band_blocks(S, highest):
            square = known.get((degree, -1 if block.label.endswith(("-", "det")) else 1))
            parts.append(_band_part(degree, block, square))
            yield degree, block
            if progress:
                progress(degree, highest)

    norms = largest_norms(blocks())
    return _from_parts(parts, norms), parts


def _band_part(degree: int, block: Block, square: Fraction | None) -> Part:
    d = len(block.values)
    if not block.error and not block.values.any():
        square = Fraction(0)
    if square is not None:
        return Part(block.label, degree, d, d * d, square, square == 0)
    low, high = square_interval(block)
    return Part(block.label, degree, d, d * d, 0.5 * (low + high) / d, None if low == 0 else False)


def _from_parts(parts: list[Part], norms: Mapping[Degree, Norm]) -> list[Level]:
    """One level per degree, its mean square as well as those of its irreps are known."""
    degrees = sorted({part.degree for part in parts}, key=degree_size)
    zero = Norm(0.0, 0.0)
    return [_level(k, [p for p in parts if p.degree == k], norms.get(k, zero)) for k in degrees]


def _level(degree: Degree, parts: list[Part], norm: Norm) -> Level:
    weight = sum(part.weight for part in parts)
    total: Number = sum((part.weight * part.mean_square for part in parts), Fraction(0))
    exact = all(part.exact for part in parts)
    return Level(degree, norm.upper, norm.lower, total / weight, exact, "" if exact else norm.block)


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


def largest_norms(blocks: Iterable[tuple[Degree, Block]]) -> dict[Degree, Norm]:
    """Bounds on the largest ||A|| over the blocks A of each degree; the largest ones first are best."""
    worst: dict[Degree, float] = {}
    best: dict[Degree, Block] = {}
    threads = Threads()
    for degree, block in blocks:
        with threads.for_size(len(block.values)):
            upper = norm_upper(block.values, block.error, at_most=worst.get(degree))
        if degree not in best or upper > worst[degree]:
            worst[degree], best[degree] = upper, block
    found = {}
    for degree, block in best.items():
        with threads.for_size(len(block.values)):
            lower = norm_lower(block.values, block.error)
        found[degree] = Norm(min(1.0, worst[degree]), min(1.0, lower), str(block.label))
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
