"""What S leaves of each block of functions: its mean square, and how far that may be off inside a block.

The mean square on a block is the mean of its phi over the m^2 quotients of S (`groups.degrees`): of one
irrep ||pi(S)||_F^2 / d_pi. Some kinds of blocks have a faster way, or a more exact one. Where a block
holds several irreps, the variance may sit in any of them: the spread says how far the mean squares of
single irreps are from that of the block, in 19 of 20 cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparseaug._checks import require_work
from sparseaug.errors import UnsupportedError
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.degrees.shapes import ABOVE, LARGEST_N
from sparseaug.sampling import GroupSample
from sparseaug.sampling.keys import keyed_rng
from sparseaug.spectral.irreps import irrep_means
from sparseaug.spectral.profiles.counting import counted_shapes, quotients

_TRIED = 256  # characters of a weight from which their spread is taken
_CHUNK = 1 << 22


def mean_squares(blocks: Degrees, S: GroupSample) -> Floats:
    """Of S on each block."""
    return _FASTER.get(blocks.kind, _of_quotients)(blocks, S)


def spreads(blocks: Degrees, S: GroupSample) -> Floats | float:
    """Of the mean squares of irreps within each block; 0 where every block is one irrep."""
    return _SPREADS[blocks.kind](blocks, S)


def _of_quotients(blocks: Degrees, S: GroupSample) -> Floats:
    chunks = quotients(S)
    if chunks is None:
        raise _too_large(S)
    total = np.zeros(len(blocks.degrees))
    for rows, often in chunks:
        table, index = blocks.characters(rows)
        total += np.bincount(index, often, minlength=len(table)) @ table
    return np.maximum(total / S.m**2, 0.0)


def _too_large(S: GroupSample) -> UnsupportedError:
    return UnsupportedError(
        f"m={S.m} is too large to count the quotients of S in {S.group.name}; use fewer elements."
    )


def _of_irreps(blocks: Any, S: GroupSample) -> Floats:
    found = {block.label: block.values for block in irrep_means(S)}
    return np.array([np.linalg.norm(found[name]) ** 2 / len(found[name]) for name in blocks.names])


def _of_characters(blocks: Any, S: GroupSample) -> Floats:
    table = np.bincount(S.group.rank(S.elements), minlength=S.group.order)
    return np.asarray(blocks.power(table[:, None] * (S.group.order / S.m)))


def _of_frequencies(blocks: Any, S: GroupSample, reduce: Callable[..., Any] = np.mean) -> Floats:
    squares = _of_characters(blocks.characters_alone, S)
    labels = blocks.characters_alone.labels[1:]
    return np.array([reduce(squares[labels == degree]) for degree in blocks.degrees])


def _of_shapes(blocks: Any, S: GroupSample) -> Floats:
    parts = counted_shapes(S)
    if parts is None:
        raise _too_large(S)
    squares = [float(part.mean_square) for part in parts]
    if S.group.width > LARGEST_N:
        # sum over all pi of d_pi^2 ||pi(S)||_F^2 / d_pi is |G| times the share of equal pairs
        order, counts = S.group.order, S.counts()[1]
        equal = order * sum(c * c for c in counts.tolist()) / S.m**2
        known = sum(part.weight for part in parts)
        rest = equal - 1 - sum(float(part.mean_square) * part.weight for part in parts)
        squares += [max(0.0, rest / (order - 1 - known))] * len(ABOVE)
    return np.array(squares)


def _of_tensors(blocks: Any, S: GroupSample) -> Floats:
    return (_of_quotients if S.group.is_finite else _of_rotations)(blocks, S)


def _of_rotations(blocks: Degrees, S: GroupSample) -> Floats:
    """At the angles of all quotients, not in cells."""
    rows, counts = S.counts()
    what = f"the mean squares of m={S.m} rotations"
    require_work("rotations in quotients", len(rows), what, remedy="use fewer")
    inverses = S.group.inverse(rows)
    total = np.zeros(len(blocks.degrees))
    step = max(1, _CHUNK // (len(rows) * len(total)))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        products = S.group.compose(inverses[part, None], rows[None])
        weights = (counts[part, None] * counts[None]).ravel()
        total += weights @ blocks.exactly(products.reshape(-1, S.group.width))
    return np.maximum(total / S.m**2, 0.0)


_FASTER: dict[str, Callable[[Any, GroupSample], Floats]] = {
    "irreps": _of_irreps,
    "characters": _of_characters,
    "frequencies": _of_frequencies,
    "shapes": _of_shapes,
    "bands": _of_rotations,
    "tensors": _of_tensors,
}


def _alone(blocks: Degrees, S: GroupSample) -> float:
    return 0.0


def _between(blocks: Degrees, S: GroupSample) -> Floats:
    """How far numbers from 0 to 1 with these means are from them, at most, in 19 of 20 cases."""
    mean = np.minimum(mean_squares(blocks, S), 1.0)
    return np.asarray(1.96 * np.sqrt(mean * (1 - mean)))


def _of_factors(blocks: Any, S: GroupSample) -> Floats:
    """Of tensor products that hold a block of several irreps: its own spreads are an array."""
    samples = map(GroupSample, S.group.factors, blocks.group.split(S.elements))
    own = [spreads(each, T) for each, T in zip(blocks.factors, samples, strict=True)]
    several = np.array([isinstance(spread, np.ndarray) for spread in own])
    mixed = ((np.array(blocks.places) > 0) & several).any(axis=1)
    return np.where(mixed, _between(blocks, S), 0.0)


def _of_weights(blocks: Degrees, S: GroupSample) -> Floats:
    """From some characters of each weight."""
    moduli = np.array(S.group.moduli or ())
    rows, counts = S.counts()
    rng = keyed_rng(0, "spreads of weights")
    axes = np.flatnonzero(moduli > 1)
    found = []
    for degree in range(1, len(axes) + 1):
        places = rng.permuted(np.tile(np.arange(len(axes)), (_TRIED, 1)), axis=1) < degree
        chosen = np.zeros((_TRIED, len(moduli)))
        chosen[:, axes] = places * rng.integers(1, moduli[axes], (_TRIED, len(axes)))
        angles = 2 * np.pi * ((chosen / moduli) @ rows.T)
        squares = np.abs(np.exp(1j * angles) @ (counts / S.m)) ** 2
        found.append(1.96 * float(squares.std()))
    return np.array(found)


_SPREADS: dict[str, Callable[[Any, GroupSample], Floats | float]] = {
    "irreps": _alone,
    "characters": _alone,
    "frequencies": lambda blocks, S: _of_frequencies(blocks, S, lambda x: 1.96 * x.std()),
    "weights": _of_weights,
    "shapes": _alone,
    "bands": _alone,
    "points": _between,
    "together": _between,
    "factors": _between,
    "tensors": _of_factors,
}
