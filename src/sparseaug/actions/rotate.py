"""Rotations of coordinates, vectors and tensors: every component axis is multiplied by a matrix.

Vectors in the plane of images turn as the images do, exactly: a quarter turn r and the flip s of
`rotate_grid` are, as matrices on vectors in three frames,

             components       r               s
down-right   (row, column)    [0 -1; 1 0]     [1 0; 0 -1]
right-down   (column, row)    [0 1; -1 0]     [-1 0; 0 1]
right-up     (x, y)           [0 -1; 1 0]     [-1 0; 0 1]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_axes, check_integer
from sparseaug.actions.arrays import Array, Shape, dtype_kind, gather, namespace
from sparseaug.actions.base import Action, axes_from_end, require_size
from sparseaug.actions.linear import multiply_along
from sparseaug.actions.permute import MoveGrid, RotateGrid, move_grid, rotate_grid
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import GridSymmetries, Group, Rotations, Rows, as_group
from sparseaug.groups.grid import turned

Components: TypeAlias = Literal["down-right", "right-down", "right-up"]

_FRAMES: dict[str, Rows] = {  # orthogonal, from (down, right) to these components
    "down-right": np.array([[1, 0], [0, 1]]),
    "right-down": np.array([[0, 1], [1, 0]]),
    "right-up": np.array([[0, 1], [-1, 0]]),
}


@final
@dataclass(frozen=True)
class Rotate(Action):
    """(g.x)_i = sum_j R_ij x_j on one axis; rank 2: (g.x)_ij = sum_kl R_ik R_jl x_kl on two."""

    group: Rotations
    axes: tuple[int, ...]
    kind = "linear"

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        for axis in axes_from_end(self.axes, len(shape)):
            require_size(shape[axis], self.group.n, f"axis {axis}", self.group)
        # transposed and contiguous: matmul takes ten times as long for a transposed view
        return (np.ascontiguousarray(self.group.matrices(elements).swapaxes(1, 2)),)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        if dtype_kind(x) not in "fc":
            raise ArgumentError(
                f"x has dtype {x.dtype}; rotations need floating point: convert x first."
            )
        xp = namespace(x)
        for axis in axes_from_end(self.axes, x.ndim - 1):
            last = x if axis == -1 else xp.moveaxis(x, axis, -1)
            flat = last.reshape((x.shape[0], math.prod(last.shape[1:-1]), last.shape[-1]))
            moved = _multiplied(flat, prepared[0], xp)
            x = moved.reshape((moved.shape[0], *last.shape[1:]))
            x = x if axis == -1 else xp.moveaxis(x, -1, axis)
        return x


@final
@dataclass(frozen=True)
class RotateWithGrid(Action):
    """g.v = A_g v on one axis of two components; with a grid, (g.v)[g(p)] = A_g v[p]."""

    group: Group
    components: Components
    grid: RotateGrid | MoveGrid | None
    axes: tuple[int, ...]
    kind = "signs"

    @property
    def parts(self) -> int:  # type: ignore[override]
        return 2 if self.grid is None else 3

    def moved_axes(self, ndim: int) -> frozenset[int]:
        places = None if self.grid is None else self.grid.moved_axes(ndim)
        return frozenset(axes_from_end(self.axes, ndim + 1)) | (places or frozenset())

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """Which component each one comes from, with which sign; and where grid cells come from."""
        (axis,) = axes_from_end(self.axes, len(shape))
        require_size(shape[axis], 2, f"axis {self.axes[0]}, which holds the components", self.group)
        if self.grid is not None and axis in axes_from_end(self.grid.axes, len(shape)):
            raise ArgumentError(
                f"grid={self.grid.axes} and axis={self.axes[0]} name one axis of x, of shape {shape}; "
                "components have an axis of their own."
            )
        matrices = _grid_matrices(self.group, elements, self.components)
        index = abs(matrices).argmax(axis=2)
        signs = np.take_along_axis(matrices, index[:, :, None], 2)[:, :, 0]
        return index, signs, *(() if self.grid is None else self.grid.prepare(elements, shape))

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        index, signs, *places = prepared
        if self.grid is not None:
            x = self.grid.apply(places, x)
        y = gather(x, index, axes_from_end(self.axes, x.ndim - 1))
        return multiply_along(y, signs, self.axes)


def rotate(
    group: Group | str,
    axis: int = -1,
    *,
    rank: int = 1,
    components: Components = "down-right",
    grid: tuple[int, int] | None = None,
) -> Rotate | RotateWithGrid:
    """Rotate the components of vectors along one axis, or of tensors along two.

    It turns values; `rotate_grid` and `move_grid` change the places of pixels instead. By rotations:
    positions (n, atoms, 3), forces and dipoles are vectors; stress, polarisability and the cell's
    strain are tensors of rank 2, (n, 3, 3). Energies do not move: leave them out. `together` moves
    several arrays by one element, and `product_action` relabels atoms as well.

    By the group of an image, vectors in its plane turn exactly as `rotate_grid` and `move_grid` turn the
    image: one vector for each image, (n, 2), as a velocity, which does not change when the image
    is shifted; with `grid` one for each pixel, (n, 2, rows, columns) or (n, rows, columns, 2): pixels
    change places and their vectors turn.

    Args:
        group: rotations(n) or orthogonal(n), n = 2 or 3; for vectors in the plane of images also
            dihedral(4), cyclic(4) or grid_symmetries(n), as for the images
        axis: of x (n, ...), the component axis, as long as the space has dimensions; of tensors the
            last of the two
        rank: 1 for vectors, 2 for tensors, whose component axes stand side by side
        components: with the group of an image, what they are: "down-right" for steps along rows and
            columns, as `numpy.gradient` gives; "right-down" for (x, y) in pixels, as in optical flow;
            "right-up" for (x, y) of mathematics
        grid: with the group of an image, the two axes of the grid, where each pixel has a vector

    Returns:
        An action for NumPy, torch and JAX. The matrices are made in float64 and used in the
        precision of x.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> turn = sa.rotate(sa.rotations(2))
        >>> turn([[np.pi / 2]], np.array([[1.0, 0.0]])).round(6).tolist()
        [[[0.0, 1.0]]]
        >>> space = sa.rotations(3)
        >>> both = sa.together(positions=sa.rotate(space), stress=sa.rotate(space, rank=2))
        >>> x = {"positions": np.ones((1, 5, 3)), "stress": np.eye(3)[None]}
        >>> moved = both(space.generators(), x)
        >>> moved["positions"].shape, np.allclose(moved["stress"], np.eye(3))
        ((3, 1, 5, 3), True)
        >>> turn = sa.rotate("D4", components="right-up")
        >>> turn([[1, 0], [0, 1]], np.array([[1.0, 0.0]])) + 0.0      # to the right: up, and to the left
        array([[[ 0.,  1.]],
               [[-1.,  0.]]])
    """
    group = as_group(group)
    axes = check_axes("axis", axis, 1)
    rank = check_integer("rank", rank, at_least=1, below=3)
    if not isinstance(components, str) or components not in _FRAMES:
        raise ArgumentError(
            f"components={shorten(components)} is not known; give 'down-right', 'right-down' or "
            "'right-up'."
        )
    if isinstance(group, Rotations):
        if grid is not None or components != "down-right":
            raise ArgumentError(
                f"grid and components are for the groups of images, and {group.name} is none."
            )
        return Rotate(group, tuple(range(axes[0] - rank + 1, axes[0] + 1)))
    if rank != 1:
        raise ArgumentError(f"rank={rank} needs rotations or orthogonal, not {group.name}.")
    try:
        axes_of_grid = (-2, -1) if grid is None else grid
        image = isinstance(group, GridSymmetries)
        places = (move_grid if image else rotate_grid)(group, axes_of_grid)
    except ArgumentError as error:
        if grid is not None:
            raise ArgumentError(f"grid={shorten(grid)}: {error}") from error
        raise ArgumentError(
            f"group {group.name} does not rotate vectors; give rotations(n), orthogonal(n) or, for the "
            "plane of images, dihedral(4), cyclic(4) or grid_symmetries(n)."
        ) from error
    return RotateWithGrid(group, components, None if grid is None else places, axes)


def _grid_matrices(group: Group, elements: Rows, components: str) -> Rows:
    """A_g (k, 2, 2) in these components."""
    square = np.zeros((len(elements), 2), np.int64)  # (a, f), the last of (t1, t2, a, f), or (a,)
    square[:, : min(group.width, 2)] = elements[:, -2:]
    columns = turned(square[:, None], np.eye(2, dtype=np.int64))
    frame = _FRAMES[components]
    return frame @ columns.swapaxes(1, 2) @ frame.T


def _multiplied(vectors: Array, matrices: Array, xp: Any) -> Array:
    """Row vectors (1 or k, n, d) times matrices (k, d, d): (k, n, d).

    Vectors that all matrices share are multiplied by all of them side by side, in one product, which
    is twice as fast as one after the other; torch's batched product is a hundred times slower.
    """
    k, d = matrices.shape[0], matrices.shape[-1]
    product = _matmul if xp is np else xp.matmul
    if vectors.shape[0] != 1 or k == 1:
        return product(vectors, matrices)
    wide = xp.moveaxis(matrices, 0, 1).reshape((d, k * d))
    return xp.moveaxis(product(vectors[0], wide).reshape((-1, k, d)), 1, 0)


def _matmul(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """x y, where no infinity becomes a NaN without a word: NumPy reports the invalid operation.

    To look for infinities first would take a tenth of the time of the product.
    """
    try:
        with np.errstate(invalid="raise"):
            return np.matmul(x, y)
    except FloatingPointError as error:
        if np.isinf(x).any():
            raise ArgumentError(
                "x holds an infinity, of which rotations make NaN; replace it first."
            ) from error
    with np.errstate(invalid="ignore"):  # some builds of BLAS report what did not happen
        return np.matmul(x, y)
