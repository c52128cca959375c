"""Rotations by l or frequency: one block per irrep, those of both parities for O(n).

Mean squares are fractions where the rows of S are integers, and zeros exact; otherwise they are the
middle of a proved interval, and no zero is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sparseaug.sampling import GroupSample
from sparseaug.spectral.profiles.bounds import largest_norms, square_interval
from sparseaug.spectral.profiles.result import Degree, Level, Number, Part
from sparseaug.spectral.result import Block, Norm, Progress
from sparseaug.spectral.rotations.bands import band_blocks
from sparseaug.spectral.rotations.counts import exact_squares

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
            parts.append(_part(degree, block, square))
            yield degree, block
            if progress:
                progress(degree, highest)

    norms = largest_norms(blocks())
    return [
        _level(ell, [p for p in parts if p.degree == ell], norm) for ell, norm in norms.items()
    ], parts


def _part(degree: int, block: Block, square: Fraction | None) -> Part:
    d = len(block.values)
    if not block.error and not block.values.any():
        square = Fraction(0)
    if square is not None:
        return Part(block.label, degree, d, d * d, square, square == 0)
    low, high = square_interval(block)
    return Part(block.label, degree, d, d * d, 0.5 * (low + high) / d, None if low == 0 else False)


def _level(degree: Degree, parts: list[Part], norm: Norm) -> Level:
    weight = sum(part.weight for part in parts)
    total: Number = sum((part.weight * part.mean_square for part in parts), Fraction(0))
    exact = all(part.exact for part in parts)
    return Level(degree, norm.upper, norm.lower, total / weight, exact, "" if exact else norm.block)
