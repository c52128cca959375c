"""Groups whose irreps are known, one by one: B_n by n - alpha_1, products by sets of factors.

m^2 ||pi(S)||_F^2 is the sum of chi over the quotients: where characters are integers (S_n, B_n, signs
and their products) it is the one integer within the proved error of the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group, Irrep
from sparseaug.groups.product import Tensor
from sparseaug.sampling import GroupSample
from sparseaug.spectral.general.irreps import irrep_means, listed_irreps
from sparseaug.spectral.general.tensors import LARGEST_DENSE
from sparseaug.spectral.profiles.bounds import (
    integer_total,
    largest_norms,
    levels,
    square_interval,
)
from sparseaug.spectral.profiles.counting import (
    MOST_SETS,
    Count,
    counted,
    factor_sets,
    summed,
)
from sparseaug.spectral.profiles.result import Degree, Level, Part
from sparseaug.spectral.result import Block, Progress


def irrep_levels(
    S: GroupSample, most: int | None, progress: Progress | None
) -> tuple[list[Level], list[Part]]:
    """Levels and parts of a sample of a group with known irreps, each with a degree."""
    irreps = listed_irreps(S.group)[1:]
    large = max(irreps, key=lambda irrep: irrep.dimension, default=None)
    if large is not None and large.dimension > LARGEST_DENSE:
        raise GroupTooLargeError(
            f"{S.group.name} has an irrep of dimension {large.dimension}; a profile takes those up to "
            f"{LARGEST_DENSE}: use deviation(S), or deviation(S, degree=)."
        )
    degrees = irrep_degrees(S.group, irreps)
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
    if known is None:
        known = _counts(S, parts)
    return levels(known, norms, S.m), parts


def irrep_degrees(group: Group, irreps: list[Irrep]) -> dict[str, Degree]:
    """The degree of each irrep but the trivial one, by name."""
    if group.factors:
        trivial = [next(factor.irreps()).name for factor in group.factors]
        names = factor_sets(group)
        return {irrep.name: names[_support(irrep.matrices, trivial)] for irrep in irreps}
    found: dict[str, Degree] = {}
    for irrep in irreps:
        if irrep.degree is None:
            raise UnsupportedError(
                f"the irreps of {group.name} have no degree; profiles are for permutations, signed "
                "permutations, abelian and dihedral groups, and products."
            )
        found[irrep.name] = irrep.degree
    return found


def _support(matrices: Any, trivial: list[str]) -> tuple[int, ...]:
    """The factors on which a tensor product is not trivial."""
    if not isinstance(matrices, Tensor):
        raise UnsupportedError("a product's irreps are tensor products of its factors' irreps.")
    pairs = enumerate(zip(matrices.irreps, trivial, strict=True))
    return tuple(i for i, (irrep, name) in pairs if irrep.name != name)


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


def _counts(S: GroupSample, parts: list[Part]) -> list[Count]:
    if all(isinstance(part.mean_square, Fraction) for part in parts):
        return summed(parts, S.m)
    raise _too_many(S)


def _require_counts(S: GroupSample) -> None:
    """Refuse what neither quotients nor integer characters count, for the reason that it has."""
    group = S.group
    if group.has_integer_characters:
        return
    if not group.factors:
        raise UnsupportedError(
            f"the characters of {group.name} are not integers, and its quotients have no counts by "
            "degree: there is no profile; use deviation(S)."
        )
    if 1 << len(group.factors) > MOST_SETS:
        raise UnsupportedError(
            f"{group.name} has {len(group.factors)} factors, of which at most {MOST_SETS} sets are "
            "counted: there is no profile; use deviation(S)."
        )
    raise _too_many(S)


def _too_many(S: GroupSample) -> UnsupportedError:
    return UnsupportedError(
        f"m={S.m} is too large to count the quotients of S in {S.group.name}; use fewer elements, or "
        "deviation(S)."
    )
