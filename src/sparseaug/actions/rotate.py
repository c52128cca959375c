"""Rotations of coordinates, vectors and tensors: every component axis is multiplied by a matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_axes, check_integer
from sparseaug.actions.arrays import Array, Shape, namespace
from sparseaug.actions.base import Action, axes_from_end, require_size, suitable_group
from sparseaug.actions.linear import matrix_product, require_floats
from sparseaug.groups import Group, Rotations, Rows


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
        require_floats(x)
        xp = namespace(x)
        for axis in axes_from_end(self.axes, x.ndim - 1):
            last = x if axis == -1 else xp.moveaxis(x, axis, -1)
            flat = last.reshape((x.shape[0], math.prod(last.shape[1:-1]), last.shape[-1]))
            moved = _multiplied(flat, prepared[0], xp)
            x = moved.reshape((moved.shape[0], *last.shape[1:]))
            x = x if axis == -1 else xp.moveaxis(x, -1, axis)
        return x


def rotate(group: Group | str, axis: int = -1, *, rank: int = 1) -> Rotate:
    """Rotate the components of vectors along one axis, or of tensors along two.

    It turns values; `rotate_grid` and `move_grid` change the places of pixels instead. Positions
    (n, atoms, 3), forces and dipoles are vectors; stress, polarisability and the cell's
    strain are tensors of rank 2, (n, 3, 3). Energies do not move: leave them out. `together` moves
    several arrays by one element, and `product_action` relabels atoms as well.

    Args:
        group: rotations(n) or orthogonal(n), n = 2 or 3
        axis: of x (n, ...), the component axis, as long as the space has dimensions; of tensors the
            last of the two
        rank: 1 for vectors, 2 for tensors, whose component axes stand side by side

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
        >>> moved["positions"].shape, moved["stress"].shape
        ((3, 1, 5, 3), (3, 1, 3, 3))
    """
    (axis,) = check_axes("axis", axis, 1)
    rank = check_integer("rank", rank, at_least=1, below=3)
    what = "does not rotate vectors; give rotations(n) or orthogonal(n), or use sparseaug.linear"
    turns = suitable_group(lambda g: isinstance(g, Rotations), group, what)
    return Rotate(turns, tuple(range(axis - rank + 1, axis + 1)))


def _multiplied(vectors: Array, matrices: Array, xp: Any) -> Array:
    """Row vectors (1 or k, n, d) times matrices (k, d, d): (k, n, d).

    Vectors that all matrices share are multiplied by all of them side by side, in one product, which
    is twice as fast as one after the other; torch's batched product is a hundred times slower.
    """
    k, d = matrices.shape[0], matrices.shape[-1]
    product = matrix_product if xp is np else xp.matmul
    if vectors.shape[0] != 1 or k == 1:
        return product(vectors, matrices)
    wide = xp.moveaxis(matrices, 0, 1).reshape((d, k * d))
    return xp.moveaxis(product(vectors[0], wide).reshape((-1, k, d)), 1, 0)
