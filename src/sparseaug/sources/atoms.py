"""Relabellings of identical atoms: all permutations within each species."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.actions import permute_axis
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import permutation_group
from sparseaug.groups.permutations import Rows
from sparseaug.sources.symmetry import Symmetry

MOST_ATOMS = 1 << 14


def identical_atoms(
    counts: Sequence[int] | None = None,
    *,
    species: Sequence[Hashable] | None = None,
    axis: int = 1,
) -> Symmetry:
    """The relabellings of identical atoms, and how they move an axis: S_9 x S_8 x S_4, for instance.

    Args:
        counts: how many atoms of each species there are, for atoms that are sorted by species.
        species: instead, the species of each atom in its order: symbols, atomic numbers or any other
            labels; atoms of one species need not be neighbours.
        axis: the axis of the atoms, 1 for positions (n, atoms, 3).

    Returns:
        `group` and `action`; the group is known as a product of symmetric groups, so that the
        deviation of its samples is exact.

    Examples:
        >>> water = identical_atoms(species=["O", "H", "H"])
        >>> water.group.order, water.group.generators().tolist()
        (2, [[0, 2, 1]])
        >>> identical_atoms([9, 8, 4]).group.order == 362880 * 40320 * 24
        True
    """
    if (counts is None) == (species is None):
        raise ArgumentError("counts and species say the same; give one of them.")
    blocks = _blocks_of_counts(counts) if species is None else _blocks_of_species(species)
    total = sum(map(len, blocks))
    generators = [row for block in blocks for row in _generators(block, total)]
    rows = generators or [list(range(total))]
    label = f"relabellings of {total} atoms of {len(blocks)} species"
    group = permutation_group(rows, label=label)
    return Symmetry(group, permute_axis(group, axis))


def _blocks_of_counts(counts: Any) -> list[Rows]:
    sizes = [check_integer("counts", count, at_least=1) for count in _listed("counts", counts)]
    _require_atoms("counts", sum(sizes))
    return np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])


def _blocks_of_species(species: Any) -> list[Rows]:
    labels = _listed("species", species)
    _require_atoms("species", len(labels))
    places: dict[Hashable, list[int]] = {}
    for i, label in enumerate(labels):
        try:
            same = bool(label == label)  # unlike NaN
            places.setdefault(label, []).append(i)
        except Exception as error:  # no hash, or a foreign object
            raise ArgumentError(f"species[{i}]={shorten(label)} is not a label.") from error
        if not same:
            raise ArgumentError(f"species[{i}]={shorten(label)} does not equal itself.")
    return [np.array(block) for block in places.values()]


def _listed(name: str, value: Any) -> list[Any]:
    try:
        if isinstance(value, str | bytes | dict | set | frozenset):
            raise TypeError
        return list(value)
    except Exception as error:  # no list, or a foreign object
        raise ArgumentError(
            f"{name}={shorten(value)} is not a list; give one entry each."
        ) from error


def _require_atoms(name: str, total: int) -> None:
    if not 1 <= total <= MOST_ATOMS:
        raise ArgumentError(f"{name} has {total} atoms; give 1 to {MOST_ATOMS}.")


def _generators(block: Rows, total: int) -> list[list[int]]:
    """The swap of the first two atoms of a block and its long cycle."""
    images = []
    for moved in {2, len(block)} if len(block) > 1 else ():
        image = np.arange(total)
        image[block[:moved]] = np.roll(block[:moved], -1)
        images.append(image.tolist())
    return images
