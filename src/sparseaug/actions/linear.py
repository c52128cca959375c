"""Actions that are linear in the values: sign flips, signed permutations, matrices."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import check_array, check_axes
from sparseaug.actions.arrays import (
    Array,
    Shape,
    as_numpy,
    dtype_kind,
    gather,
    is_tensor,
    library,
    namespace,
    require_dense,
)
from sparseaug.actions.base import Action, WholeAxis, axes_from_end, require_size, suitable_group
from sparseaug.errors import ArgumentError
from sparseaug.groups import Abelian, Group, Hyperoctahedral, Rows, TableGroup, as_group
from sparseaug.groups.permutations import compose_permutations, invert_permutations


@final
@dataclass(frozen=True)
class FlipSigns(Action):
    """(g.x)[i] = (-1)^g_i x[i] on one axis."""

    group: Abelian
    axes: tuple[int, ...]
    kind = "signs"

    @property
    def whole_axis(self) -> WholeAxis:  # type: ignore[override]
        return WholeAxis(self.axes[0], self.group.width, "flips")

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        (axis,) = axes_from_end(self.axes, len(shape))
        require_size(shape[axis], self.group.width, f"axis {self.axes[0]}", self.group)
        return (1 - 2 * elements,)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        return multiply_along(x, prepared[0], self.axes)


@final
@dataclass(frozen=True)
class SignedPermute(Action):
    """(g.x)[p(i)] = (-1)^s_i x[i] on one axis."""

    group: Hyperoctahedral
    axes: tuple[int, ...]
    parts = 2
    kind = "signs"

    @property
    def whole_axis(self) -> WholeAxis:  # type: ignore[override]
        return WholeAxis(self.axes[0], self.group.n, "signed permutations")

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """Index arrays p^-1, and the signs that arrive at each place."""
        (axis,) = axes_from_end(self.axes, len(shape))
        require_size(shape[axis], self.group.n, f"axis {self.axes[0]}", self.group)
        p, s = self.group.split(elements)
        index = invert_permutations(p)
        return index, 1 - 2 * compose_permutations(s, index)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        index, signs = prepared
        y = gather(x, index, axes_from_end(self.axes, x.ndim - 1))
        return multiply_along(y, signs, self.axes)


@final
@dataclass(frozen=True)
class Linear(Action):
    """g.x = M(g) x on the last axis."""

    group: Group
    matrices: Callable[[Rows], NDArray[np.float64]]
    axes = (-1,)

    def __post_init__(self) -> None:
        """Its kind is "signs" for a list of signed permutation matrices, each of which is compared.

        That depends on values, so it is decided here: torch.compile cannot trace such a decision.
        """
        listed = self.matrices.matrices if isinstance(self.matrices, _Listed) else None
        signs = listed is not None and are_signed_permutations(listed)
        object.__setattr__(self, "kind", "signs" if signs else "linear")

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        matrices = _real_matrices(self.matrices(elements), len(elements))
        require_size(shape[-1], matrices.shape[-1], "the last axis", self.group)
        return (matrices,)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        require_floats(x)
        (matrices,) = prepared
        xp = namespace(x)
        vectors = math.prod(x.shape[1:-1])
        flat = xp.reshape(x, (x.shape[0], vectors, x.shape[-1]))
        transposed = xp.moveaxis(matrices, -1, -2)
        moved = (matrix_product if xp is np else xp.matmul)(flat, transposed)
        return xp.reshape(moved, (len(matrices), *x.shape[1:]))


@dataclass(frozen=True, eq=False)
class _Listed:
    """All matrices in rank order, looked up by element."""

    group: Group
    matrices: NDArray[np.float64]

    def __call__(self, elements: Rows) -> NDArray[np.float64]:
        return self.matrices[self.group.rank(elements)]

    def __repr__(self) -> str:
        return f"matrices {hashlib.sha256(self.matrices.tobytes()).hexdigest()[:16]}"


def flip_signs(group: Group | str, axis: int = -1) -> FlipSigns:
    """Change signs along one axis: (g.x)[i] = (-1)^g_i x[i].

    It is how the group `sign_flips` acts, and it changes values; `flip` reverses an axis instead.

    Args:
        group: sign_flips(d)
        axis: of x (n, ...), d entries long

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> sa.flip_signs(sa.sign_flips(2))(np.array([[0, 1]]), np.array([[3.0, 4.0]]))
        array([[[ 3., -4.]]])
    """
    what = "does not flip signs; give sign_flips(d)"
    flips = suitable_group(lambda g: g.is_signs, group, what)
    return FlipSigns(flips, check_axes("axis", axis, 1))


def signed_permute(group: Group | str, axis: int = -1) -> SignedPermute:
    """Reorder entries and change signs along one axis: (g.x)[p(i)] = (-1)^s_i x[i] for g = (p, s).

    Args:
        group: hyperoctahedral(n)
        axis: of x (n, ...), as many entries long as the group moves

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> sa.signed_permute(sa.hyperoctahedral(2))([[1, 0, 1, 0]], np.array([[3.0, 4.0]]))
        array([[[ 4., -3.]]])
    """
    what = "has no signed permutations; give hyperoctahedral(n)"
    signed = suitable_group(lambda g: isinstance(g, Hyperoctahedral), group, what)
    return SignedPermute(signed, check_axes("axis", axis, 1))


def linear(
    group: Group | str, matrices: Callable[[Rows], NDArray[np.float64]] | ArrayLike | None = None
) -> Linear:
    """Multiply the last axis by a matrix M(g).

    Args:
        group: any group
        matrices: a function rows -> (k, d, d), or a list of all matrices in rank order; a
            `matrix_group` brings its own

    Raises:
        ArgumentError: unless M(ab) = M(a) M(b), which is checked: for a list on all elements.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.linear(sa.groups.cube_rotations())
        >>> act(act.group.generators(), np.eye(3)).shape
        (2, 3, 3)
    """
    group = as_group(group)
    if matrices is None:
        if not isinstance(group, TableGroup) or not group.entries:
            raise ArgumentError(f"matrices is missing; {group.name} is not a matrix group.")
        # which may list the identity anywhere; by rank it is the first
        return Linear(group, _Listed(group, group.matrices[group.all_elements()[:, 0]]))
    others = group.sample(64, np.random.default_rng(0))
    if not callable(matrices):
        others = group.all_elements()  # all of them: then the law is proved
        array = np.array(_real_matrices(matrices, len(others)))
        array.flags.writeable = False
        matrices = _Listed(group, array)
    _require_homomorphism(group, matrices, others)
    return Linear(group, matrices)


def are_signed_permutations(matrices: NDArray[np.float64]) -> bool:
    """Whether each of the matrices (k, d, d) has one entry 1 or -1 in every row and column, else 0."""
    size = abs(matrices)
    return bool(
        ((size == 0) | (size == 1)).all()
        and (size.sum(axis=1) == 1).all()
        and (size.sum(axis=2) == 1).all()
    )


def _require_homomorphism(group: Group, matrices: Callable[[Rows], Any], others: Rows) -> None:
    """M(a) M(b) = M(ab) for all generators a and these b; M(identity) = 1."""
    right = _real_matrices(matrices(others), len(others))
    unit = _real_matrices(matrices(group.identity()), 1)[0]
    errors = [abs(unit - np.eye(len(unit))).max()]
    for a in group.generators():
        left = _real_matrices(matrices(a[None]), 1)
        products = _real_matrices(matrices(group.compose(a[None], others)), len(others))
        errors.append(abs(left @ right - products).max())
    tolerance = 1e-8 * max(1.0, float(abs(right).max()))
    if not all(error <= tolerance for error in errors):  # a NaN fails too
        laws = "M(ab) must be M(a) M(b), and M(identity) the unit matrix, in rank order"
        raise ArgumentError(f"matrices is not a representation of {group.name}: {laws}.")


def _real_matrices(value: Any, count: int) -> NDArray[np.float64]:
    """`value` as real matrices (count, d, d), or an `ArgumentError`."""
    require_dense("matrices", value)
    array = check_array("matrices", as_numpy(value) if library(value) else value, np.float64)
    if array.ndim != 3 or array.shape[1] != array.shape[2] or len(array) != count:
        raise ArgumentError(f"matrices has shape {array.shape}; give ({count}, d, d), by rank.")
    return array


def matrix_product(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """x y, where no infinity becomes a NaN without a word: NumPy reports the invalid operation.

    To look for infinities first would take a tenth of the time of the product.
    """
    try:
        with np.errstate(invalid="raise"):
            return np.matmul(x, y)
    except FloatingPointError as error:
        if np.isinf(x).any():
            raise ArgumentError("x holds an infinity, of which matrices make NaN.") from error
    with np.errstate(invalid="ignore"):  # some builds of BLAS report what did not happen
        return np.matmul(x, y)


def require_floats(x: Array) -> None:
    """Raise an `ArgumentError` for data that this action would round, such as bytes of an image."""
    if dtype_kind(x) not in "fc":
        raise ArgumentError(f"x has dtype {x.dtype}; give floats, of bytes of an image x / 255.")


def multiply_along(x: Array, signs: Array, axes: Shape) -> Array:
    """x (1 or k, n, ...) times signs (k, d) along one axis."""
    if dtype_kind(x) not in "ifc":
        raise ArgumentError(f"x has dtype {x.dtype}, which has no negative numbers; convert x.")
    (axis,) = axes_from_end(axes, x.ndim - 1)
    shape = (signs.shape[0],) + (1,) * (x.ndim + axis - 1) + (signs.shape[1],) + (1,) * (-axis - 1)
    signs = signs.to(x.dtype) if is_tensor(x) else signs.astype(x.dtype)
    return x * signs.reshape(shape)
