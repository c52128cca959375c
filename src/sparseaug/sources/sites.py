"""How the operations of a crystal move arrays: sites change places, vectors turn as well."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action, Array
from sparseaug.actions.base import (
    Kind,
    Shape,
    axes_from_end,
    dtype_kind,
    gather,
    namespace,
    require_size,
)
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows, TableGroup
from sparseaug.groups.shuffle import invert_permutations


@final
@dataclass(frozen=True, repr=False)
class MoveSites(Action):
    """(g.x)[p(i)] = R x[i] on arrays (n, sites, ...), with p and R of each element by its index.

    Without rotations only the sites move. With them the last axis holds Cartesian vectors.
    """

    group: TableGroup
    images: tuple[tuple[int, ...], ...]
    rotations: tuple[tuple[tuple[float, ...], ...], ...] = ()

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """Sites change places; vectors are multiplied by matrices."""
        return "linear" if self.rotations else "entries"

    @property
    def parts(self) -> int:  # type: ignore[override]
        """Index arrays, and matrices where vectors turn."""
        return 2 if self.rotations else 1

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """The index arrays p^-1, and the matrices (k, 3, 3)."""
        operation = elements[:, 0]
        require_size(shape[1], len(self.images[0]), "axis 1", self.group)
        index = self._sources[operation]
        if not self.rotations:
            return (index,)
        if len(shape) < 3 or shape[-1] != 3:
            raise ArgumentError(
                f"x has shape {shape}; give vectors on sites as (n, sites, ..., 3)."
            )
        return index, self._matrices[operation]

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Gather, then multiply."""
        y = gather(x, prepared[0], axes_from_end((1,), x.ndim - 1, "axis"))
        if not self.rotations:
            return y
        if dtype_kind(y) not in "fc":
            raise ArgumentError(f"x has dtype {y.dtype}; turning needs floating point: convert x.")
        xp = namespace(y)
        flat = xp.reshape(y, (y.shape[0], math.prod(y.shape[1:-1]), 3))
        return xp.reshape(xp.matmul(flat, xp.moveaxis(prepared[1], -1, -2)), y.shape)

    def __repr__(self) -> str:
        what = "vectors on " if self.rotations else ""
        return f"MoveSites({self.group.name}, {what}{len(self.images[0])} sites)"

    @cached_property
    def _sources(self) -> NDArray[np.int64]:
        return invert_permutations(np.array(self.images, np.int64))

    @cached_property
    def _matrices(self) -> NDArray[np.float64]:
        return np.array(self.rotations)
