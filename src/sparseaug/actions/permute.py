"""Actions that move entries: an axis, graph nodes, shifts, turns and flips of a square grid.

Vectors on such a grid change places and turn with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_axes
from sparseaug.actions.arrays import Array, Shape, gather
from sparseaug.actions.base import Action, WholeAxis, axes_from_end, require_size, suitable_group
from sparseaug.actions.linear import multiply_along
from sparseaug.actions.together import Together
from sparseaug.errors import ArgumentError
from sparseaug.groups import Abelian, Dihedral, GridSymmetries, Group, Rows, Symmetric
from sparseaug.groups.grid import turned
from sparseaug.groups.permutations import invert_permutations


class MoveEntries(Action):
    """`prepare` says of each entry on the moved axes, flattened, where it comes from: (k, size)."""

    kind = "entries"

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        return gather(x, prepared[0], axes_from_end(self.axes, x.ndim - 1))


@final
@dataclass(frozen=True)
class PermuteAxis(MoveEntries):
    """(g.x)[g(i)] = x[i] on one axis."""

    group: Group
    axes: tuple[int, ...]

    @property
    def whole_axis(self) -> WholeAxis | None:  # type: ignore[override]
        if isinstance(self.group, Symmetric) and not self.group.even:
            return WholeAxis(self.axes[0], self.group.n, "permutations")
        return None

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """The index arrays g^-1: entry j of g.x is x[g^-1(j)]."""
        (axis,) = axes_from_end(self.axes, len(shape))
        require_size(shape[axis], self.group.points, f"axis {self.axes[0]}", self.group)
        return (invert_permutations(self.group.permutations(elements)),)


@final
@dataclass(frozen=True)
class PermuteNodes(Action):
    """Relabel the nodes of graphs: an adjacency array (n, v, v, ...) or (adjacency, features).

    Features are (n, v, ...); with g.A[g(i), g(j)] = A[i, j] and g.X[g(i)] = X[i].
    """

    group: Group
    axes = (1, 2)
    kind = "entries"
    relabels_nodes = True

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        if len(shape) < 3:
            raise ArgumentError(f"x has shape {shape}; give adjacency arrays (n, v, v).")
        for axis in self.axes:
            require_size(shape[axis], self.group.points, f"axis {axis}", self.group)
        return (invert_permutations(self.group.permutations(elements)),)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        (index,) = prepared
        v = x.shape[2]
        pairs = (index[:, :, None] * v + index[:, None, :]).reshape(index.shape[0], v * v)
        return gather(x, pairs, axes_from_end(self.axes, x.ndim - 1))

    def over(self, x: Any) -> Action:
        """Itself, or for a pair (adjacency, features) it and the features' action together."""
        if not isinstance(x, tuple):
            return super().over(x)
        if len(x) != 2:
            raise ArgumentError(f"x is a tuple of {len(x)}; give (adjacency, features).")
        return Together((self, PermuteAxis(self.group, (1,))))


@final
@dataclass(frozen=True)
class Roll(MoveEntries):
    """Periodic shifts: (g.x)[i + s] = x[i] on each axis, s in steps of size / modulus."""

    group: Abelian
    axes: tuple[int, ...]

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        axes = axes_from_end(self.axes, len(shape))
        index = np.zeros((len(elements), 1), np.int64)
        for axis, modulus, shift in zip(axes, self.group.moduli, elements.T, strict=True):
            size = shape[axis]
            source = (np.arange(size) - shift[:, None] * _step(size, modulus, axis)) % size
            index = (index[:, :, None] * size + source[:, None, :]).reshape(
                len(elements), index.shape[1] * size
            )
        return (index,)


@final
@dataclass(frozen=True)
class MoveGrid(MoveEntries):
    """Flips as `numpy.fliplr`, then quarter turns as `numpy.rot90`, then shifts as `numpy.roll`.

    Of dihedral(4) and cyclic(4) no shifts.
    """

    group: Group
    axes: tuple[int, ...]

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        size = _square(shape, self.axes)
        shifts, turns = _parts_of(elements)
        grids = _turned_grids(size)
        if not shifts.shape[1]:
            return (grids.reshape(8, size * size)[turns @ (1, 4)],)
        step = _step(size, cast(GridSymmetries, self.group).n, self.axes[0])
        i, j = ((np.arange(size) - step * shift[:, None]) % size for shift in shifts.T)
        sources = grids[(turns @ (1, 4))[:, None, None], i[:, :, None], j[:, None, :]]
        return (sources.reshape(len(elements), size * size),)


@final
@dataclass(frozen=True)
class TurnVectors(Action):
    """(g.v)[g(p)] = A_g v[p]: vectors on a grid change places as its cells do, and turn."""

    cells: MoveGrid
    vectors: int
    kind = "signs"
    parts = 3

    @property
    def group(self) -> Group:  # type: ignore[override]
        return self.cells.group

    @property
    def axes(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.vectors, *self.cells.axes)

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """Where cells come from, and which component each one comes from, with which sign.

        A_g has one entry in each row: for an odd number of quarter turns off the diagonal. Its sign is
        the sum of the row, an entry of A_g (1, 1).
        """
        (axis,) = axes_from_end(self.axes[:1], len(shape))
        if axis in axes_from_end(self.cells.axes, len(shape)):
            raise ArgumentError(f"vectors={self.vectors} is in the grid {self.cells.axes} of x.")
        require_size(shape[axis], 2, f"axis {self.vectors}, that of the components", self.group)
        _, square = _parts_of(elements)
        index = (np.arange(2) + square[:, :1]) % 2
        return *self.cells.prepare(elements, shape), index, turned(square, np.ones(2, np.int64))

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        places, index, signs = prepared
        y = gather(self.cells.apply([places], x), index, axes_from_end(self.axes[:1], x.ndim - 1))
        return multiply_along(y, signs, self.axes[:1])


@final
@dataclass(frozen=True)
class Flip(MoveEntries):
    """(g.x)[n-1-i] = x[i] on one axis of any length n, where g is not the identity."""

    group: Abelian
    axes: tuple[int, ...]

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        (axis,) = axes_from_end(self.axes, len(shape))
        forward = np.arange(shape[axis])
        return (np.where(elements == 1, forward[::-1], forward),)


def permute_axis(group: Group | str, axis: int = -1) -> PermuteAxis:
    """Reorder the entries of one axis: (g.x)[g(i)] = x[i].

    Args:
        group: a group that permutes points: symmetric(n), cyclic(n), a permutation_group, ...
        axis: of x (n, ...), as many entries long as there are points

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(3))
        >>> act(np.array([[1, 2, 0]]), np.array([[10, 20, 30]]))
        array([[[30, 10, 20]]])
    """
    return PermuteAxis(_with_points(group), check_axes("axis", axis, 1))


def permute_nodes(group: Group | str) -> PermuteNodes:
    """Relabel graph nodes: both axes of adjacency arrays (n, v, v), and node features with them.

    x is such an array, or the tuple (adjacency, features) with features (n, v, ...).

    Args:
        group: a group that permutes v points, as symmetric(v)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_nodes(sa.symmetric(3))
        >>> edge = np.array([[[0, 1, 0], [0, 0, 0], [0, 0, 0]]])          # from node 0 to node 1
        >>> np.argwhere(act([[1, 2, 0]], edge)[0, 0]).tolist()            # from node 1 to node 2
        [[1, 2]]
    """
    return PermuteNodes(_with_points(group))


def roll(group: Group | str, axes: int | Sequence[int] | None = None) -> Roll:
    """Shift periodically along `axes`, one cyclic factor each: (g.x)[i + g] = x[i].

    Args:
        group: cyclic(n) or abelian(n1, n2, ...), with one modulus for each axis. A modulus may be a
            proper divisor of the axis: cyclic(4) shifts 32 pixels by 0, 8, 16, 24
        axes: of x (n, ...); by default the last ones, as many as the group has moduli

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> sa.roll(sa.cyclic(4))([[1]], np.array([[1, 2, 3, 4]]))
        array([[[4, 1, 2, 3]]])
    """
    what = "does not shift; give cyclic(n) or abelian(n1, n2, ...)"
    shifts = suitable_group(lambda g: isinstance(g, Abelian), group, what)
    axes = check_axes("axes", tuple(range(-shifts.width, 0)) if axes is None else axes)
    if shifts.width != len(axes):
        raise ArgumentError(f"group {shifts.name} has not one modulus for each of axes={axes}.")
    return Roll(shifts, axes)


def flip(axis: int = -1) -> Flip:
    """Reverse one axis of any length, as `numpy.flip`: the group is cyclic(2), whose row [1] reverses.

    It moves entries; `flip_signs` changes the signs of entries, by the group `sign_flips`.
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
    return Flip(Abelian((2,)), check_axes("axis", axis, 1))


def rotate_grid(
    group: Group | str, axes: tuple[int, int] = (-2, -1), *, vectors: int | None = None
) -> MoveGrid | TurnVectors:
    """Turn and flip a square grid exactly, by dihedral(4), or by cyclic(4) for turns only.

    Pixels change places; `move_grid` shifts them as well, and `rotate` turns the components of vectors.
    In a field of vectors both happen at once: each vector changes its place and turns with the grid.

    Args:
        group: its element r^a s^f flips left to right if f, then turns a quarters counter-clockwise
        axes: the two axes of the grid
        vectors: of a field of vectors in the plane, the axis of the two components: steps along `axes`
            in their order, (down, right), as `numpy.gradient` gives. Optical flow (right, down) is
            brought into that order before: flow[:, [1, 0]]

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> sa.rotate_grid(sa.cyclic(4))([[1]], np.array([[[1, 2], [3, 4]]]))
        array([[[[2, 4],
                 [1, 3]]]])
        >>> field = np.zeros((1, 2, 3, 3))
        >>> field[0, 1, 1, 2] = 1.0      # right of the centre, to the right
        >>> turned = sa.rotate_grid(sa.cyclic(4), vectors=1)([[1]], field)[0, 0]
        >>> np.argwhere(turned).tolist(), turned[0, 0, 1].tolist()      # above it, up
        ([[0, 0, 1]], -1.0)
    """
    what = "does not turn a square; give dihedral(4) or cyclic(4)"
    turns = suitable_group(lambda g: g in (Dihedral(4), Abelian((4,))), group, what)
    return _with_vectors(MoveGrid(turns, check_axes("axes", axes, 2)), vectors)


def move_grid(
    group: Group | str, axes: tuple[int, int] = (-2, -1), *, vectors: int | None = None
) -> MoveGrid | TurnVectors:
    """Shift, turn and flip a square grid exactly, by grid_symmetries(n).

    Pixels change places, by more elements than those of `rotate_grid`; `rotate` turns the components of
    vectors instead.

    The element (t1, t2, a, f) flips left to right if f, then turns a quarters counter-clockwise, then
    shifts by t1 and t2: `roll` where a = f = 0, `rotate_grid` where t1 = t2 = 0. The side may be a
    multiple of n: grid_symmetries(7) shifts 28 pixels by 0, 4, ..., 24. On a side of 3 or more all
    8 n^2 elements move the grid differently.

    Args:
        group: grid_symmetries(n)
        axes: the two axes of the grid
        vectors: of a field of vectors, the axis of their components, as `rotate_grid` takes it

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.move_grid(sa.grid_symmetries(3))
        >>> act([[0, 1, 1, 0]], np.arange(9).reshape(1, 3, 3))      # a quarter turn, then one column on
        array([[[[8, 2, 5],
                 [7, 1, 4],
                 [6, 0, 3]]]])
    """
    what = "does not shift, turn and flip a grid; give grid_symmetries(n)"
    grid = suitable_group(lambda g: isinstance(g, GridSymmetries), group, what)
    return _with_vectors(MoveGrid(grid, check_axes("axes", axes, 2)), vectors)


def _with_vectors(cells: Any, vectors: int | None) -> Any:
    """The action on a grid, or that on the vectors of a field on it."""
    return cells if vectors is None else TurnVectors(cells, *check_axes("vectors", vectors, 1))


def _parts_of(elements: Rows) -> tuple[Rows, Rows]:
    """The shifts (k, 2 or 0) and (a, f) of rows (t1, t2, a, f), (a, f) or (a,)."""
    turns = np.zeros((len(elements), 2), np.int64)
    turns[:, : elements.shape[1]] = elements[:, -2:]
    return elements[:, :-2], turns


def _square(shape: Shape, axes: Shape) -> int:
    """The side of the square grid on these axes."""
    rows, columns = (shape[axis] for axis in axes_from_end(axes, len(shape)))
    if rows != columns:
        raise ArgumentError(f"x has a {rows} x {columns} grid on axes {axes}; crop it to a square.")
    return rows


def _step(size: int, modulus: int, axis: int) -> int:
    """How many entries one of `modulus` shifts moves an axis of this size."""
    if size % modulus:
        raise ArgumentError(f"x has {size} entries on axis {axis}; give a multiple of {modulus}.")
    return size // modulus


def _turned_grids(size: int) -> Rows:
    """Where each cell of a turned and flipped grid comes from, (8, size, size), at 4 f + a."""
    grid = np.arange(size * size).reshape(size, size)
    return np.stack([np.rot90(g, a) for g in (grid, grid[:, ::-1]) for a in range(4)])


def _with_points(given: Group | str) -> Group:
    what = "does not permute points; give one that does, as symmetric(n), cyclic(n), dihedral(n)"
    return cast(Group, suitable_group(lambda group: group.points, given, what))
