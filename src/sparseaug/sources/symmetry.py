"""What a source gives: a group and how it moves arrays, ready for an `Oracle`.

The operations of a crystal or a molecule move sites from place to place, and turn vectors and tensors.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import fields_as_json, to_json
from sparseaug._checks import check_flag, check_integer
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import Shape, gather, namespace
from sparseaug.actions.base import Kind, axes_from_end, require_size
from sparseaug.actions.linear import require_floats
from sparseaug.errors import ArgumentError, GroupError, GroupTooLargeError, SymmetryWarning
from sparseaug.groups import Group, Rows
from sparseaug.groups.permutations import invert_permutations

Floats: TypeAlias = NDArray[np.float64]
Rotations: TypeAlias = tuple[tuple[tuple[float, ...], ...], ...]

HIGHEST_RANK = 16
"""Indices of a tensor: 3^16 components take 344 MB."""


@dataclass(frozen=True, repr=False)
class Symmetry:
    """A group found in data, and its action on arrays (n, ...) that belong to the data.

    Args:
        group: the group that was found
        action: how it moves arrays (n, ...) that belong to the data
    """

    group: Group
    action: Action

    def to_dict(self) -> dict[str, Any]:
        """The group, its order and what else was found, as JSON data; actions follow from them."""
        found = fields_as_json(self, "group", "action", "vectors", "nodes")
        return {"group": self.group.to_dict(), "order": to_json(self.group.order), **found}

    def __repr__(self) -> str:
        # without the order, which may take long to compute
        return f"{type(self).__name__}({self.group.name})"


@final
@dataclass(frozen=True, repr=False)
class MoveSites(Action):
    """(g.x)[p(i)] = R x[i] on arrays (n, sites, ...), with p and R of each element by its index.

    Without rotations only the sites move; without images there are no sites, x is (n, 3, ..., 3).
    With rotations the last `rank` axes hold Cartesian tensors, and R turns each of their indices.

    Args:
        group: the operations
        images: for each element, where each site goes; none for one tensor without sites
        rotations: for each element its Cartesian matrix R; none to move sites only
        rank: how many of the last axes hold a tensor
    """

    group: Group
    images: tuple[tuple[int, ...], ...]
    rotations: Rotations = ()
    rank: int = 1

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return "linear" if self.rotations else "entries"

    @property
    def parts(self) -> int:  # type: ignore[override]
        return bool(self.images) + bool(self.rotations)

    def moved_axes(self, ndim: int) -> frozenset[int]:
        tensors = range(-self.rank, 0) if self.rotations else ()
        return frozenset((*(-ndim,) * bool(self.images), *tensors))

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        operation = elements[:, 0]
        if self.images:
            require_size(shape[1], len(self.images[0]), "axis 1", self.group)
        if self.rotations:
            # ranks are not guessed: an axis of 3 that would not be turned is refused
            first = 1 + bool(self.images)
            between, indices = shape[first : -self.rank], shape[first:][-self.rank :]
            if indices != (3,) * self.rank or 3 in between or (between and not self.images):
                axes = "n, sites, ..." if self.images else "with sites=False n"
                said = f"{_kind(self.rank)} of axes {axes}{', 3' * self.rank}, no other axis of 3"
                raise ArgumentError(f"x has shape {shape}; give {said}, or use tensors(rank).")
        index = (self._sources[operation],) if self.images else ()
        return index + ((self._matrices[operation],) if self.rotations else ())

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        if self.images:
            x = gather(x, prepared[0], axes_from_end((1,), x.ndim - 1))
        return _turn(x, prepared[-1], self.rank) if self.rotations else x

    def __repr__(self) -> str:
        where = f"{len(self.images[0])} sites" if self.images else "no sites"
        what = f"{_kind(self.rank)} on " if self.rotations else ""
        return f"MoveSites({self.group.name}, {what}{where})"

    @cached_property
    def _sources(self) -> NDArray[np.int64]:
        return invert_permutations(np.array(self.images, np.int64))

    @cached_property
    def _matrices(self) -> Floats:
        return np.array(self.rotations)


@dataclass(frozen=True, eq=False, repr=False)
class SiteSymmetry(Symmetry):
    """The operations of a crystal or a molecule, which move sites and turn what stands on them.

    Args:
        group: the operations
        action: moves arrays (n, sites, ...) from site to site
        vectors: moves Cartesian vectors (n, sites, ..., 3) and turns them
    """

    vectors: MoveSites

    def tensors(self, rank: int, *, sites: bool = True) -> Action:
        """The action on Cartesian tensors: T -> R T R^T for rank 2, R in each of `rank` indices.

        Args:
            rank: number of indices: 1 for vectors and dipoles, 2 for stresses and polarisabilities,
                3 for piezoelectric and 4 for elastic tensors
            sites: True: one tensor for each site, (n, sites, ..., 3, ..., 3), and sites change
                places; False: one for the whole crystal or molecule, (n, 3, ..., 3)

        These are true tensors; axial vectors, such as magnetic moments, change sign otherwise.

        Examples:
            >>> import numpy as np
            >>> from sparseaug.sources import crystal
            >>> cube = crystal((3.0 * np.eye(3), [[0, 0, 0]], [84]))
            >>> dielectric = np.diag([1.0, 2.0, 3.0])[None]
            >>> moved = cube.tensors(2, sites=False)(cube.group.all_elements(), dielectric)
            >>> moved.mean(axis=0)[0].round(12) + 0.0
            array([[2., 0., 0.],
                   [0., 2., 0.],
                   [0., 0., 2.]])
        """
        rank = check_integer("rank", rank, at_least=1, below=HIGHEST_RANK + 1)
        images = self.vectors.images if check_flag("sites", sites) else ()
        return replace(self.vectors, images=images, rank=rank)


def as_tuples(matrices: Floats) -> Rotations:
    """Matrices (k, 3, 3) as an action holds them, so that equal actions are equal."""
    return tuple(tuple(map(tuple, matrix)) for matrix in matrices.tolist())


def warn_of_more(
    name: str, tolerance: float, count: int, what: str, find: Callable[[float], int]
) -> None:
    """Positions of too few digits lose operations one by one, without any other sign of it."""
    wider = 10 * tolerance
    try:
        more = find(wider)
    except (ArgumentError, GroupTooLargeError):  # sites merge at that distance
        return
    if more > count:
        told = f"{name}={tolerance:g} finds {count} operations of {what}, {name}={wider:g} finds {more}"
        remedy = f"if the positions are no more accurate than that, give {name}={wider:g}."
        warnings.warn(f"{told}; {remedy}", SymmetryWarning, stacklevel=3)


def not_a_group(reason: str, name: str) -> GroupError:
    """What was found within the tolerance of this name is not a group, and what to do."""
    return GroupError(
        f"the operations found within {name} do not form a group: {reason}; give a smaller {name}, or "
        "positions with more digits."
    )


def _turn(x: Array, matrices: Array, rank: int) -> Array:
    """R in each of the last `rank` axes of x (1 or k, ...), with matrices R (k, 3, 3).

    The last index is turned and becomes the first of them, as often as there are indices.
    """
    require_floats(x)
    xp = namespace(x)
    transposed = xp.moveaxis(matrices, -1, -2)
    for _ in range(rank):
        flat = xp.reshape(x, (x.shape[0], math.prod(x.shape[1:-1]), 3))
        turned = xp.matmul(flat, transposed)
        x = xp.moveaxis(xp.reshape(turned, (turned.shape[0], *x.shape[1:])), -1, -rank)
    return x


def _kind(rank: int) -> str:
    return "vectors" if rank == 1 else f"tensors of rank {rank}"
