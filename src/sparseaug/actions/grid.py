"""What belongs to images: reverse an axis, and turn the vectors that live on a grid along with it.

A quarter turn r and the flip s of `rotate_grid`, as matrices on vectors in three frames:

             components       r               s
down-right   (row, column)    [0 -1; 1 0]     [1 0; 0 -1]
right-down   (column, row)    [0 1; -1 0]     [-1 0; 0 1]
right-up     (x, y)           [0 -1; 1 0]     [-1 0; 0 1]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer
from sparseaug.actions.arrays import Array, Shape, gather
from sparseaug.actions.base import Action, axes_from_end, require_group, require_size
from sparseaug.actions.linear import multiply_along
from sparseaug.actions.permute import MoveGrid, RotateGrid, move_grid, rotate_grid
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Abelian, Dihedral, GridSymmetries, Group, Rows
from sparseaug.groups.grid import turned

Components: TypeAlias = Literal["down-right", "right-down", "right-up"]

_FRAMES: dict[str, Rows] = {  # orthogonal, from (down, right) to these components
    "down-right": np.array([[1, 0], [0, 1]]),
    "right-down": np.array([[0, 1], [1, 0]]),
    "right-up": np.array([[0, 1], [-1, 0]]),
}


@final
@dataclass(frozen=True)
class Flip(Action):
    """(g.x)[n-1-i] = x[i] on one axis of any length n, where g is not the identity."""

    group: Abelian
    axis: int
    kind = "entries"

    def moved_axes(self, ndim: int) -> frozenset[int]:
        return frozenset(axes_from_end((self.axis,), ndim + 1, "axis"))

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        (axis,) = axes_from_end((self.axis,), len(shape), "axis")
        forward = np.arange(shape[axis])
        return (np.where(elements == 1, forward[::-1], forward),)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        return gather(x, prepared[0], axes_from_end((self.axis,), x.ndim - 1, "axis"))


@final
@dataclass(frozen=True)
class TurnVectors(Action):
    """g.v = A_g v on one axis of two components; with a grid, (g.v)[g(p)] = A_g v[p]."""

    group: Group
    axis: int
    components: Components
    grid: RotateGrid | MoveGrid | None
    kind = "signs"

    @property
    def parts(self) -> int:  # type: ignore[override]
        return 2 if self.grid is None else 3

    def moved_axes(self, ndim: int) -> frozenset[int]:
        places = frozenset() if self.grid is None else self.grid.moved_axes(ndim)
        return places | frozenset(axes_from_end((self.axis,), ndim + 1, "axis"))

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """Which component each one comes from, with which sign; and where grid cells come from."""
        (axis,) = axes_from_end((self.axis,), len(shape), "axis")
        require_size(shape[axis], 2, f"axis {self.axis}, which holds the components", self.group)
        if self.grid is not None and axis in axes_from_end(self.grid.axes, len(shape), "grid"):
            raise ArgumentError(
                f"grid={self.grid.axes} and axis={self.axis} name one axis of x, of shape {shape}; "
                "components have an axis of their own."
            )
        matrices = _matrices(self.group, elements, self.components)
        index = abs(matrices).argmax(axis=2)
        signs = np.take_along_axis(matrices, index[:, :, None], 2)[:, :, 0]
        return index, signs, *(() if self.grid is None else self.grid.prepare(elements, shape))

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        index, signs, *places = prepared
        if self.grid is not None:
            x = self.grid.apply(places, x)
        y = gather(x, index, axes_from_end((self.axis,), x.ndim - 1, "axis"))
        return multiply_along(y, signs, self.axis)


def flip(axis: int = -1) -> Flip:
    """Reverse one axis of any length, as `numpy.flip`: the group is cyclic(2), whose row [1] reverses.

    On images (n, ..., rows, columns) the last axis flips left to right, the one before it upside down;
    `product_action(flip(-1), flip(-2))` does either.

    Args:
        axis: of x (n, ...)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> mirror = sa.flip(-1)
        >>> mirror(mirror.group.all_elements(), np.array([[1, 2, 3]]))
        array([[[1, 2, 3]],
               [[3, 2, 1]]])
    """
    return Flip(Abelian((2,)), check_integer("axis", axis, at_least=-64, below=64))


def turn_vectors(
    group: Group,
    axis: int = -1,
    *,
    components: Components = "down-right",
    grid: tuple[int, int] | None = None,
) -> TurnVectors:
    """Turn vectors in the plane of images as `rotate_grid` and `move_grid` turn the images.

    One vector for each image, (n, 2): a velocity or a gradient, which does not change when the
    image is shifted. With `grid`, one for each pixel, (n, 2, rows, columns) or (n, rows, columns, 2):
    pixels change places and their vectors turn.

    Args:
        group: dihedral(4), cyclic(4) or grid_symmetries(n), as for the images
        axis: of x (n, ...), which holds the two components
        components: what they are: "down-right" for steps along rows and columns, as
            `numpy.gradient` gives; "right-down" for (x, y) in pixels, as in optical flow; "right-up"
            for (x, y) of mathematics
        grid: the two axes of the grid, where each pixel has a vector

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> turn = sa.actions.turn_vectors(sa.dihedral(4), components="right-up")
        >>> turn([[1, 0], [0, 1]], np.array([[1.0, 0.0]])) + 0.0      # to the right: up, and to the left
        array([[[ 0.,  1.]],
               [[-1.,  0.]]])
    """
    require_group(group)
    if group not in (Dihedral(4), Abelian((4,))) and not isinstance(group, GridSymmetries):
        raise ArgumentError(
            f"group {group.name} does not turn a square; give dihedral(4), cyclic(4) or "
            "grid_symmetries(n)."
        )
    axis = check_integer("axis", axis, at_least=-64, below=64)
    if not isinstance(components, str) or components not in _FRAMES:
        raise ArgumentError(
            f"components={shorten(components)} is not known; give 'down-right', 'right-down' or "
            "'right-up'."
        )
    return TurnVectors(group, axis, components, None if grid is None else _moved(group, grid))


def _moved(group: Group, axes: Any) -> RotateGrid | MoveGrid:
    try:
        if isinstance(group, GridSymmetries):
            return move_grid(group, axes)
        return rotate_grid(group, axes)
    except ArgumentError as error:
        raise ArgumentError(f"grid={shorten(axes)}: {error}") from error


def _matrices(group: Group, elements: Rows, components: str) -> Rows:
    """A_g (k, 2, 2) in these components."""
    square = np.zeros((len(elements), 2), np.int64)
    square[:, : min(group.width, 2)] = elements[
        :, -2:
    ]  # (a, f), the last of (t1, t2, a, f), or (a,)
    columns = turned(square[:, None], np.eye(2, dtype=np.int64))
    frame = _FRAMES[components]
    return frame @ columns.swapaxes(1, 2) @ frame.T
