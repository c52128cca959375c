"""Rotations by l or frequency: one block per irrep, those of both parities for O(n)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sparseaug._checks import Progress
from sparseaug.groups import Group
from sparseaug.groups.degrees.counts import Degree, Part
from sparseaug.groups.fourier import Block
from sparseaug.norms.irreps import largest_norms
from sparseaug.norms.profiles.levels import levels_of_parts, part_of
from sparseaug.norms.profiles.result import Levels
from sparseaug.norms.rotations.bands import band_blocks
from sparseaug.norms.rotations.squares import exact_squares
from sparseaug.sampling import GroupSample

USUAL_DEGREE = 16
"""Of a profile where no degree is given."""

USUAL_IN_PRODUCTS = 4
"""The same for products with other groups, which have many irreps of each degree."""


def band_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels and parts up to degree `most`."""
    highest = band_limit(S.group, most)
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


def band_limit(group: Group, most: int | None) -> int:
    """The degree up to which a profile of rotations goes."""
    usual = USUAL_IN_PRODUCTS if group.factors else USUAL_DEGREE
    return usual if most is None else most
