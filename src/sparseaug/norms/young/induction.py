"""The fast transform from S_(l-1) to S_l: y_sigma = sum_i pi_sigma(t_i) x_i for every shape sigma.

x_1, ..., x_l are vectors of one irrep rho of S_(l-1), t_i = (i, i+1, ..., l) represents the cosets,
and sigma runs through rho plus one box. Written plainly this takes l^2 / 2 transpositions; here it
is a cascade of small orthogonal mixes in place, about ten multiplications for each number of y.

SciPy applies it by one sparse product for each stage of the cascade.
"""

# Derivation. Induction in stages. For a path of boxes taken off rho down to a shape tau of k boxes
# let P be the projection on the tableaux of rho that follow it, and for kappa = tau + box
#     Y(tau, kappa) = sum_{i <= k+1} pi_kappa(t_i) P x_i          (the same transform, for S_(k+1)).
# Since t_i = t'_i s_k with t'_i in S_k (i <= k) and t_(k+1) = 1, and since s_k takes P x_i, in the
# part of tau - b (letter k in b, letter k + 1 in a, r = content(a) - content(b)), to
#     1/r times itself  plus  sqrt(1 - 1/r^2) times its copy in kappa - b,
# the vector Y(tau, kappa) consists of the blocks
#     in tau:             P x_(k+1) + sum_b (1/r) Y(tau - b, tau),
#     in tau' = kappa - b: sqrt(1 - 1/r^2) Y(tau - b, tau')        for the other corners b of kappa.
# Induction is unitary up to scalars: with z = sqrt(dim kappa / ((k+1) dim tau)) Y the map x -> z is
# orthogonal. In these units the second kind of block does not change at all,
#     (1 - 1/r^2) k dim(tau - b) dim(kappa) = (k+1) dim(tau) dim(tau')            (hook lengths),
# so it stays where it is in memory, and the first kind is an orthogonal matrix on the c + 1 blocks
# (c corners of tau), whose entries are signed square roots of rationals:
#     z(kappa)|tau = sqrt(dim kappa / ((k+1) dim tau)) P x_(k+1)
#         + sum_b (1/r) sqrt(k dim(kappa) dim(tau - b) / (k+1)) / dim(tau) z(tau - b, tau).

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.young import Partition, dimension, extend, restrict


class Mix(NamedTuple):
    """One orthogonal matrix, applied to many groups of rows: column g of `rows` is a group."""

    matrix: NDArray[np.float64]
    rows: NDArray[np.int32]


class Extension(NamedTuple):
    """One larger shape: its rows start:end of y; the smaller one's columns begin at `column`."""

    shape: Partition
    start: int
    end: int
    column: int


ENTRIES = 1 << 17
"""Numbers that are worked on at a time, one megabyte: the cascade then runs in cache."""


class Transform(NamedTuple):
    """The stages of one induction, each a sparse matrix; then y[j] = scale[j] z[source[j]]."""

    stages: list[csr_array]
    source: NDArray[np.int32]
    scale: NDArray[np.float64]
    extensions: tuple[Extension, ...]

    def induce(self, values: Floats, children: NDArray[np.int64]) -> Floats:
        """y (nodes, rows, columns), where x_i of a node is values[children[node, i - 1]], or 0."""
        rows, width = len(self.source), values.shape[2]
        result = np.empty((len(children), rows, width))
        step = max(1, ENTRIES // (rows * width))
        for start in range(0, len(children), step):
            some = children[start : start + step]
            block = values[some]
            block[some < 0] = 0.0
            state = block.transpose(1, 2, 0, 3).reshape(rows, -1)
            for stage in self.stages:
                state[: stage.shape[0]] = stage @ state[: stage.shape[0]]
            y = (self.scale[:, None] * state[self.source]).reshape(rows, -1, width)
            result[start : start + step] = y.transpose(1, 0, 2)
        return result


@lru_cache(maxsize=256)
def transform(shape: Partition) -> Transform:
    """That takes l copies of the irrep `shape` of S_(l-1) to S_l; those of S_1 to S_10 take 20 MB."""
    size, copies = dimension(shape), sum(shape) + 1
    stages: list[csr_array] = []
    offsets = {shape: np.zeros(1, dtype=np.int64)}
    while () not in offsets:  # from the full shape downwards; applied the other way round
        mixes = []
        for smaller, starts in offsets.items():
            node = _node(smaller)
            copy, row = node.slots
            rows = ((copy * size + row)[:, :, None] + starts).reshape(len(copy), -1)
            mixes.append(Mix(node.matrix, rows.astype(np.int32)))
        stages.append(_stage(mixes, (sum(smaller) + 1) * size))
        offsets = _one_letter_down(offsets)
    node = _node(shape)
    extensions, source, scale, end = [], [], [], 0
    for larger, _ in extend(shape):
        copy, row = node.places[larger]
        start, end = end, end + len(row)
        blocks = [smaller for smaller, _ in restrict(larger)]
        column = sum(map(dimension, blocks[: blocks.index(shape)]))
        extensions.append(Extension(larger, start, end, column))
        source.append(copy * size + row)
        scale.append(np.full(len(row), math.sqrt(copies * size / len(row))))
    return Transform(
        stages=stages[::-1],
        source=np.concatenate(source).astype(np.int32),
        scale=np.concatenate(scale),
        extensions=tuple(extensions),
    )


@cache
def _node(tau: Partition) -> _Node:
    """The mix of one shape, from those of the smaller ones."""
    k, size = sum(tau), dimension(tau)
    slots = [(np.full(size, k), np.arange(size))]  # x_(k+1), then one slot for each corner
    inside, offset = {}, 0
    for smaller, content in restrict(tau):
        node = _node(smaller)
        places = {s: (copy, row + offset) for s, (copy, row) in node.places.items()}
        inside[content] = places
        slots.append(places[tau])
        offset += dimension(smaller)
    matrix = np.empty((len(slots), len(slots)))
    places_above: dict[Partition, _Places] = {}
    for j, (kappa, a) in enumerate(extend(tau)):
        above = dimension(kappa)
        matrix[j, 0] = math.sqrt(above / ((k + 1) * size))
        for c, (smaller, b) in enumerate(restrict(tau), start=1):
            squared = k * above * dimension(smaller) / ((k + 1) * (size * (a - b)) ** 2)
            matrix[j, c] = math.copysign(math.sqrt(squared), a - b)
        blocks = [slots[j] if b == a else inside[b][s] for s, b in restrict(kappa)]
        copies, rows = zip(*blocks, strict=True)
        places_above[kappa] = np.concatenate(copies), np.concatenate(rows)
    copies, rows = zip(*slots, strict=True)
    return _Node(matrix, (np.stack(copies), np.stack(rows)), places_above)


def _one_letter_down(
    offsets: dict[Partition, NDArray[np.int64]],
) -> dict[Partition, NDArray[np.int64]]:
    """First rows of every block one letter further down, by shape, from those of the blocks here."""
    found: dict[Partition, list[NDArray[np.int64]]] = {}
    for shape, starts in offsets.items():
        offset = 0
        for smaller, _ in restrict(shape):
            found.setdefault(smaller, []).append(starts + offset)
            offset += dimension(smaller)
    return {shape: np.sort(np.concatenate(starts)) for shape, starts in found.items()}


_Places = tuple[NDArray[np.int64], NDArray[np.int64]]


class _Node(NamedTuple):
    """What the mix of one shape looks like, relative to the first row of its block.

    A place is (copy, row): row `row` of the block within x_(copy + 1).
    """

    matrix: NDArray[np.float64]
    slots: _Places
    """Where the mixed blocks lie: shape (c + 1, dimension)."""
    places: dict[Partition, _Places]
    """For each larger shape, where its rows lie after the mix."""


def _stage(mixes: list[Mix], size: int) -> csr_array:
    """Rows of the mixes, and rows of the identity for all others; act on the first rows of a block."""
    lengths = np.ones(size, dtype=np.int32)
    for mix in mixes:
        lengths[mix.rows] = len(mix.rows)
    ends = np.concatenate([[0], np.cumsum(lengths)], dtype=np.int32)
    columns = np.repeat(np.arange(size, dtype=np.int32), lengths)
    entries = np.ones(len(columns))
    for mix in mixes:
        at = ends[mix.rows][:, :, None] + np.arange(len(mix.rows))
        columns[at] = mix.rows.T
        entries[at] = mix.matrix[:, None]
    return csr_array((entries, columns, ends), shape=(size, size))
