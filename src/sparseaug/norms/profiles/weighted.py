"""Profiles of weighted means, to judge other people's quadratures: our own S has no weights.

The mean of pi over rows g_j with weights w_j, divided by their sum, is that over a sample in which g_j
occurs w_j m / sum w times: with numbers that are no integers in the place of counts, all blocks come
from where those of S do. Negative weights are allowed, as some of Lebedev's rules have them; then means
have norms up to size = sum |w| / sum w, and what was rounded counts so many times. No zero is claimed:
weights are floats.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sparseaug._checks import Progress
from sparseaug._floats import gamma, up
from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.degrees.counts import Degree, Part
from sparseaug.groups.degrees.graded import no_degrees
from sparseaug.groups.fourier import Block, irrep_means
from sparseaug.groups.representations import listed_irreps
from sparseaug.norms.irreps import announce_irreps, largest_norms, reported
from sparseaug.norms.profiles.levels import levels_of_parts, part_of
from sparseaug.norms.profiles.result import Levels
from sparseaug.norms.rotations.bands import band_blocks, band_limit
from sparseaug.sampling import GroupSample


@dataclass(frozen=True, eq=False)
class Weighted:
    """Distinct elements, how often each occurs in m if it may be no integer, and sum |w| / sum w."""

    group: Group
    elements: Rows
    often: Floats
    m: int
    size: float

    @classmethod
    def of(cls, S: GroupSample, weights: Floats) -> Weighted:
        """S with a weight for each of its rows."""
        scaled = weights / abs(weights).max()
        total = math.fsum(scaled)
        rows, place = np.unique(S.elements, axis=0, return_inverse=True)
        often = np.zeros(len(rows))
        np.add.at(often, place.reshape(-1), scaled * (S.m / total))
        size = max(1.0, up(up(math.fsum(abs(scaled))) / total))
        return cls(S.group, rows, often, S.m, size)

    def counts(self) -> tuple[Rows, Floats]:
        """As those of S, of any sign and size."""
        return self.elements, self.often

    def widened(self, block: Block) -> Block:
        """With the error of weights: each count within gamma(k + 5), k rows, of its true value."""
        length = up(math.sqrt(len(block.values))) + 1
        own = up(gamma(len(self.elements) + 5) * length)
        return block._replace(error=up(self.size * up(block.error + own)))


def weighted_levels(
    S: GroupSample, weights: Floats, most: int | None, progress: Progress
) -> Levels:
    """Levels and parts of the weighted mean, by irreps one by one or by bands of rotations."""
    weighted = Weighted.of(S, weights)
    find = _of_irreps if S.group.is_finite else _of_bands
    parts: list[Part] = []

    def blocks() -> Iterator[tuple[Degree, Block]]:
        for degree, block in find(weighted, most, progress):
            wide = weighted.widened(block)
            parts.append(part_of(degree, wide, None))
            yield degree, wide

    norms = largest_norms(blocks(), at_most=weighted.size)
    whole = S.group.is_finite and most is None
    return Levels(tuple(levels_of_parts(parts, norms)), tuple(parts), whole)


def _of_bands(S: Weighted, most: int | None, progress: Progress) -> Iterator[tuple[Degree, Block]]:
    highest = band_limit(S.group, most)
    for degree, block in band_blocks(S, highest):
        yield degree, block
        progress(degree, highest)


def _of_irreps(S: Weighted, most: int | None, progress: Progress) -> Iterator[tuple[Degree, Block]]:
    group = S.group
    irreps = listed_irreps(group, None if group.factors else most)
    degrees: dict[str, Degree | None] = {irrep.name: irrep.degree for irrep in irreps}
    if group.factors:
        known = group.degrees(whole=True)
        degrees = dict(zip(known.names, known.degrees, strict=True))
    if None in degrees.values():
        raise no_degrees(group)
    announce_irreps(S, irreps)
    for block in reported(irrep_means(S, irreps), len(irreps), progress):
        yield degrees[block.label] or 0, block
