"""Actions that are linear in the values: sign flips, signed permutations, matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from array_api_compat import array_namespace, is_torch_array
from numpy.typing import ArrayLike, NDArray

from sparseaug.actions.base import (
    Action,
    Array,
    Shape,
    axes_from_end,
    gather,
    require_size,
)
from sparseaug.errors import ArgumentError
from sparseaug.groups import Abelian, Group, Hyperoctahedral, Rows, TableGroup
from sparseaug.groups.shuffle import compose_permutations, invert_permutations


@final
@dataclass(frozen=True)
class FlipSigns(Action):
    """(g.x)[i] = (-1)^g_i x[i] on one axis."""

    group: Abelian
    axis: int

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """The signs as +1 and -1."""
        (axis,) = axes_from_end((self.axis,), len(shape), "axis")
        require_size(shape[axis], self.group.width, f"axis {self.axis}", self.group)
        return (1 - 2 * elements,)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Multiply."""
        return _multiply(x, prepared[0], self.axis)


@final
@dataclass(frozen=True)
class SignedPermute(Action):
    """(g.x)[p(i)] = (-1)^s_i x[i] on one axis."""

    group: Hyperoctahedral
    axis: int
    parts = 2

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """Index arrays p^-1, and the signs that arrive at each place."""
        (axis,) = axes_from_end((self.axis,), len(shape), "axis")
        require_size(shape[axis], self.group.n, f"axis {self.axis}", self.group)
        p, s = self.group.split(elements)
        index = invert_permutations(p)
        return index, 1 - 2 * compose_permutations(s, index)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Gather, then multiply."""
        index, signs = prepared
        y = gather(x, index, axes_from_end((self.axis,), x.ndim - 1, "axis"))
        return _multiply(y, signs, self.axis)


@final
@dataclass(frozen=True)
class Linear(Action):
    """g.x = M(g) x on the last axis."""

    group: Group
    matrices: Callable[[Rows], NDArray[np.float64]]

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """The matrices (k, d, d)."""
        matrices = np.asarray(self.matrices(elements), np.float64)
        if matrices.ndim != 3 or len(matrices) != len(elements):
            raise ArgumentError(
                f"matrices(elements) has shape {matrices.shape}; return ({len(elements)}, d, d)."
            )
        require_size(shape[-1], matrices.shape[-1], "the last axis", self.group)
        return (matrices,)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Multiply every vector by every matrix."""
        xp = array_namespace(x)
        if not xp.isdtype(x.dtype, ("real floating", "complex floating")):
            raise ArgumentError(
                f"x has dtype {x.dtype}; a linear action needs floating point: convert x first."
            )
        (matrices,) = prepared
        flat = xp.reshape(x, (x.shape[0], -1, x.shape[-1]))
        moved = xp.matmul(flat, xp.moveaxis(matrices, -1, -2))
        return xp.reshape(moved, (len(matrices), *x.shape[1:]))


@dataclass(frozen=True, eq=False)
class _ByRank:
    """Matrices listed in rank order, looked up by element."""

    group: Group
    matrices: NDArray[np.float64]

    def __call__(self, elements: Rows) -> NDArray[np.float64]:
        return self.matrices[self.group.rank(elements)]


@dataclass(frozen=True)
class _Own:
    """The matrices that a matrix group is made of."""

    group: TableGroup

    def __call__(self, elements: Rows) -> NDArray[np.float64]:
        return self.group.matrices[elements[:, 0]]


def flip_signs(group: Abelian, axis: int = -1) -> FlipSigns:
    """Change signs along one axis, by sign_flips(d).

    >>> import numpy as np, sparseaug as sa
    >>> sa.flip_signs(sa.sign_flips(2))(np.array([[0, 1]]), np.array([[3.0, 4.0]]))
    array([[[ 3., -4.]]])
    """
    if not isinstance(group, Abelian) or set(group.moduli) != {2}:
        raise ArgumentError(f"group {group} does not flip signs; give sign_flips(d).")
    return FlipSigns(group, axis)


def signed_permute(group: Hyperoctahedral, axis: int = -1) -> SignedPermute:
    """Reorder entries and change signs along one axis, by hyperoctahedral(n)."""
    if not isinstance(group, Hyperoctahedral):
        raise ArgumentError(f"group {group} has no signed permutations; give hyperoctahedral(n).")
    return SignedPermute(group, axis)


def linear(
    group: Group, matrices: Callable[[Rows], NDArray[np.float64]] | ArrayLike | None = None
) -> Linear:
    """Multiply the last axis by M(g): a function rows -> (k, d, d), or all matrices in rank order.

    A `matrix_group` brings its own. The homomorphism M(ab) = M(a) M(b) is checked on generators.

    >>> import numpy as np, sparseaug as sa
    >>> act = sa.linear(sa.cube_rotations())
    >>> act(act.group.generators(), np.eye(3)).shape
    (2, 3, 3)
    """
    if matrices is None:
        if not isinstance(group, TableGroup) or not group.entries:
            raise ArgumentError(f"matrices is missing; {group.name} is not a matrix group.")
        return Linear(group, _Own(group))
    if not callable(matrices):
        array = np.array(matrices, np.float64)
        array.flags.writeable = False
        if array.ndim != 3 or len(array) != group.order:
            raise ArgumentError(
                f"matrices has shape {array.shape}; {group.name} needs one matrix per element in "
                f"rank order, ({group.order}, d, d), or a function of the rows."
            )
        matrices = _ByRank(group, array)
    action = Linear(group, matrices)
    _require_homomorphism(action)
    return action


def _require_homomorphism(action: Linear) -> None:
    """M(a) M(b) = M(ab) for generators a and b = a few random elements; M(e) = 1."""
    group, matrices = action.group, action.matrices
    a = np.concatenate([group.identity(), group.generators()])
    b = np.concatenate([a, group.sample(16, np.random.default_rng(0))])
    pairs = group.compose(a[:, None], b[None]).reshape(-1, group.width)
    left = np.asarray(matrices(a))[:, None] @ np.asarray(matrices(b))[None]
    right = np.asarray(matrices(pairs)).reshape(left.shape)
    scale = max(1.0, float(abs(left).max()))
    unit = np.eye(left.shape[-1])
    if abs(left - right).max() > 1e-8 * scale or abs(matrices(a[:1])[0] - unit).max() > 1e-8:
        raise ArgumentError(
            f"matrices is not a representation of {group.name}: M(ab) must equal M(a) M(b) and "
            "M(identity) must be the unit matrix; list the matrices in rank order."
        )


def _multiply(x: Array, signs: Array, axis: int) -> Array:
    """x (1 or k, n, ...) times signs (k, d) along one axis."""
    if x.dtype in _UNSIGNED or str(x.dtype) in ("torch.uint8", "torch.bool"):
        raise ArgumentError(f"x has dtype {x.dtype}, which has no negative numbers; convert x.")
    (axis,) = axes_from_end((axis,), x.ndim - 1, "axis")
    shape = (signs.shape[0],) + (1,) * (x.ndim + axis - 1) + (-1,) + (1,) * (-axis - 1)
    signs = signs.to(x.dtype) if is_torch_array(x) else signs.astype(x.dtype)
    return x * signs.reshape(shape)


_UNSIGNED = tuple(np.dtype(kind) for kind in ("u1", "u2", "u4", "u8", "?"))
