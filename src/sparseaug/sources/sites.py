"""How the operations of a crystal move arrays: sites change places, vectors and tensors turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_array, check_integer
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import Shape, dtype_kind, gather, namespace
from sparseaug.actions.base import Kind, axes_from_end, require_size
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.groups.permutations import are_permutations, invert_permutations

Rotations: TypeAlias = tuple[tuple[tuple[float, ...], ...], ...]

HIGHEST_RANK = 16
"""Indices of a tensor: 3^16 components take 344 MB."""


@final
@dataclass(frozen=True, repr=False)
class MoveSites(Action):
    """(g.x)[p(i)] = R x[i] on arrays (n, sites, ...), with p and R of each element by its index.

    Without rotations only the sites move. With them the last `rank` axes hold Cartesian tensors, and
    R turns each of their indices.

    Args:
        group: the operations
        images: for each element, where each site goes
        rotations: for each element its Cartesian matrix R; none to move sites only
        rank: how many of the last axes hold a tensor
    """

    group: Group
    images: tuple[tuple[int, ...], ...]
    rotations: Rotations = ()
    rank: int = 1

    def __post_init__(self) -> None:
        _require_operations(self.group)
        images = check_array("images", self.images)
        listed = isinstance(self.images, tuple) and images.ndim == 2
        if not listed or len(images) != self.group.order or not are_permutations(images).all():
            raise ArgumentError(
                f"images={shorten(self.images)} is not one permutation of the sites for each of "
                f"{self.group.order} operations."
            )
        if not isinstance(self.rotations, tuple) or self.rotations:
            _require_matrices(self.rotations, self.group)
        check_integer("rank", self.rank, at_least=1, below=HIGHEST_RANK + 1)

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return "linear" if self.rotations else "entries"

    @property
    def parts(self) -> int:  # type: ignore[override]
        return 2 if self.rotations else 1

    def moved_axes(self, ndim: int) -> frozenset[int]:
        tensors = range(-self.rank, 0) if self.rotations else ()
        return frozenset((-ndim, *tensors))

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        operation = elements[:, 0]
        require_size(shape[1], len(self.images[0]), "axis 1", self.group)
        index = self._sources[operation]
        if not self.rotations:
            return (index,)
        between, indices = shape[2 : -self.rank], shape[2:][-self.rank :]
        if indices != (3,) * self.rank:
            raise ArgumentError(
                f"x has shape {shape}; give {_kind(self.rank)} on sites as "
                f"(n, sites, ...{', 3' * self.rank})."
            )
        if 3 in between:
            more = self.rank + between.count(3)
            raise ArgumentError(
                f"x has shape {shape}, which may hold tensors of rank {more}: move those by "
                f"tensors({more}); where it holds several {_kind(self.rank)} for each site, move "
                f"them one at a time as (n, sites{', 3' * self.rank})."
            )
        return index, self._matrices[operation]

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        y = gather(x, prepared[0], axes_from_end((1,), x.ndim - 1))
        return _turn(y, prepared[1], self.rank) if self.rotations else y

    def __repr__(self) -> str:
        what = f"{_kind(self.rank)} on " if self.rotations else ""
        return f"MoveSites({self.group.name}, {what}{len(self.images[0])} sites)"

    @cached_property
    def _sources(self) -> NDArray[np.int64]:
        return invert_permutations(np.array(self.images, np.int64))

    @cached_property
    def _matrices(self) -> NDArray[np.float64]:
        return np.array(self.rotations)


@final
@dataclass(frozen=True, repr=False)
class TurnTensors(Action):
    """g.T = R T (rank 1), R T R^T (rank 2), R in every index of Cartesian tensors (n, 3, ..., 3).

    Args:
        group: the operations
        rotations: for each element its Cartesian matrix R
        rank: number of indices of the tensor
    """

    group: Group
    rotations: Rotations
    rank: int
    kind = "linear"

    @property
    def sample_shape(self) -> Shape:  # type: ignore[override]
        return (3,) * self.rank

    def __post_init__(self) -> None:
        _require_operations(self.group)
        _require_matrices(self.rotations, self.group)
        check_integer("rank", self.rank, at_least=1, below=HIGHEST_RANK + 1)

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        if shape[1:] != (3,) * self.rank:
            raise ArgumentError(
                f"x has shape {shape}; with sites=False give {_kind(self.rank)} as "
                f"(n{', 3' * self.rank}), one for the whole crystal."
            )
        return (self._matrices[elements[:, 0]],)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        return _turn(x, prepared[0], self.rank)

    def __repr__(self) -> str:
        return f"TurnTensors({self.group.name}, {_kind(self.rank)})"

    @cached_property
    def _matrices(self) -> NDArray[np.float64]:
        return np.array(self.rotations)


def tensor_action(vectors: MoveSites, rank: int, sites: bool) -> Action:
    """The action on Cartesian tensors of this rank, by the operations that `vectors` moves by."""
    rank = check_integer("rank", rank, at_least=1, below=HIGHEST_RANK + 1)
    if not isinstance(sites, bool):
        raise ArgumentError(f"sites={shorten(sites)} is not known; give True or False.")
    if sites:
        return MoveSites(vectors.group, vectors.images, vectors.rotations, rank)
    return TurnTensors(vectors.group, vectors.rotations, rank)


def as_tuples(matrices: NDArray[np.float64]) -> Rotations:
    """Matrices (k, 3, 3) as an action holds them."""
    return tuple(tuple(map(tuple, matrix)) for matrix in matrices.tolist())


def _require_operations(group: Any) -> None:
    if not isinstance(group, Group) or group.width != 1:
        raise ArgumentError(f"group={shorten(group)} is not a group given by a table.")


def _require_matrices(rotations: Any, group: Group) -> None:
    """One 3 x 3 matrix for each operation, as tuples, so that equal actions are equal."""
    try:
        shape = np.array(rotations, np.float64).shape
        hash(rotations)
    except Exception as error:  # ragged, text, lists
        raise ArgumentError(f"rotations={shorten(rotations)} are not tuples of numbers.") from error
    if shape != (group.order, 3, 3):
        raise ArgumentError(
            f"rotations has shape {shape}; give one 3 x 3 matrix for each of {group.order} operations."
        )


def _turn(x: Array, matrices: Array, rank: int) -> Array:
    """R in each of the last `rank` axes of x (1 or k, ...), with matrices R (k, 3, 3).

    The last index is turned and becomes the first of them, as often as there are indices.
    """
    if dtype_kind(x) not in "fc":
        raise ArgumentError(f"x has dtype {x.dtype}; turning needs floating point: convert x.")
    xp = namespace(x)
    transposed = xp.moveaxis(matrices, -1, -2)
    for _ in range(rank):
        flat = xp.reshape(x, (x.shape[0], math.prod(x.shape[1:-1]), 3))
        turned = xp.matmul(flat, transposed)
        x = xp.moveaxis(xp.reshape(turned, (turned.shape[0], *x.shape[1:])), -1, -rank)
    return x


def _kind(rank: int) -> str:
    return "vectors" if rank == 1 else f"tensors of rank {rank}"
