"""What an action is: elements (k, width) and data (n, ...) give moved data (k, n, ...).

It works in two steps. `prepare` turns elements into a few plain arrays (indices, signs, matrices),
with NumPy; `apply` uses them on the data, in operations that NumPy, torch and JAX all have. So the data
may live on any device, gradients flow through `apply`, and prepared arrays can be kept and reused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer, check_type
from sparseaug.actions.arrays import (
    Array,
    Shape,
    as_numpy,
    leaves,
    library,
    map_leaves,
    require_samples,
    shapes_of,
    to_namespace_of,
)
from sparseaug.errors import ArgumentError, ElementError, LawError, shorten
from sparseaug.groups import Group, Rows, as_group

Kind: TypeAlias = Literal["entries", "signs", "linear", "custom"]
"""What the elements of an action do to a sample:

"entries"  move entries to other places
"signs"    that, and change signs: exact in floating point, and an isometry, like "entries"
"linear"   multiply by matrices, with rounding
"custom"   what a user's function does: nothing is known of data it was not tried on
"""

LAWS: dict[Kind, str] = {
    "entries": "",
    "signs": "",
    "linear": "the matrices are exactly those of an action, as they are within rounding",
    "custom": "the action's function is an action of the group, as it is where it was tried",
}
"""What a claim about all samples rests on, by the kind of the action; nothing where that is proved."""

_GENERATORS = 16  # of a group that are tried together: the first ones

KINDS: tuple[Kind, ...] = ("entries", "signs", "linear", "custom")
"""From the strictest to the loosest."""


@dataclass(frozen=True)
class WholeAxis:
    """One axis of `size` entries that a group moves in all possible ways of one sort."""

    axis: int
    size: int
    by: Literal["permutations", "flips", "signed permutations"]


class Action(ABC):
    """A left action of `group` on arrays: act(ab, x) = act(a, act(b, x)).

    All that the library asks of an action: its `kind`, and the traits below, whose defaults hold
    for every action.
    """

    group: Group
    axes: tuple[int, ...] = ()  # of x that it acts on; none where that is not known
    parts: int = 1  # number of arrays that `prepare` returns
    kind: Kind = "custom"  # what its elements do to a sample, as far as it is known
    lawful: bool = True  # by construction; False where it depends on the shape of a sample
    # from which kernels read closed forms of means over the group
    whole_axis: WholeAxis | None = None
    relabels_nodes: ClassVar[bool] = False  # of graphs
    names: tuple[str, ...] = ()  # of the arrays that it moves together, where they are a dict
    sample_shape: Shape | None = None  # that samples must have, where the action alone tells

    @abstractmethod
    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """What `apply` needs of these elements for data of this shape (n, ...).

        Args:
            elements: rows of integers (k, width), one per element
            shape: the shape of the data, (n, ...)
        """

    @abstractmethod
    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Move x (1 or k, n, ...) by k elements: (k, n, ...). Of k data, element j moves x[j].

        Args:
            prepared: what `prepare` returned, as arrays of the library of x
            x: data (1, n, ...) or (k, n, ...)
        """

    def __call__(self, elements: Any, x: Array) -> Array:
        """Every element applied to every sample: (k, n, ...). `elements` may also be a sample S."""
        rows = self.rows(elements)
        action = self.over(x)
        require_samples(x)
        prepared = action.prepare(rows, shapes_of(x))
        return action.apply(action.place(prepared, x), map_leaves(lambda array: array[None], x))

    def over(self, x: Any) -> Action:
        """The action that moves data of the form of x: itself, for an array.

        Raises an `ArgumentError` for a tuple or dict of arrays that it does not know how to move.
        """
        if not hasattr(x, "shape") and isinstance(x, tuple | Mapping):
            raise ArgumentError(
                f"x is a {type(x).__name__}, but {type(self).__name__} moves one array; give "
                "sparseaug.together an action for each array in it."
            )
        return self

    def place(self, prepared: Sequence[NDArray[Any]], x: Array) -> list[Array]:
        """What was prepared, where `apply` wants it for this x: in its library, on its device.

        Args:
            prepared: what `prepare` returned
            x: the data
        """
        return [to_namespace_of(x, array) for array in prepared]

    def moved_axes(self, ndim: int) -> frozenset[int] | None:
        """The axes of samples with `ndim` axes that it acts on, from the end; None if unknown."""
        return frozenset(axes_from_end(self.axes, ndim + 1)) if self.axes else None

    def named(self) -> dict[str, Action]:
        """The actions on the entries of a dict, by name; none where it moves no dict."""
        return {}

    def rows(self, elements: Any) -> Rows:
        """The rows of a sample S of this group (checked when it was made), or rows, checked now."""
        group = getattr(elements, "group", None)
        if not isinstance(group, Group) or not hasattr(elements, "elements"):
            try:
                rows = as_numpy(elements) if library(elements) else elements
            except (TypeError, RuntimeError) as error:
                raise ElementError(
                    "elements is traced and has no values yet; rows stay outside of jit, grad and "
                    "vmap: give a NumPy array or a sample."
                ) from error
            return self.group.check(rows)
        if group != self.group:
            raise ArgumentError(
                f"S is a sample of {group.name}, but the action is of {self.group.name}; "
                "use one group."
            )
        return elements.elements


def broken_law(action: Action, x: Array, a: Rows, b: Rows) -> str:
    """Which law of a left action fails on these samples and elements (k, width), or ""."""
    require_action(action)
    group = action.group
    a, b = group.check(a, "a"), group.check(b, "b")
    if not len(b):
        raise ArgumentError("b has no rows; give at least one element to check the laws with.")
    if getattr(x, "is_meta", False):
        raise ArgumentError("x is a tensor without values (device meta); give one with values.")
    moved_by_b = action(b, x)
    first = map_leaves(lambda y: y[0], moved_by_b)
    if not _same(action(group.identity(), x), x):
        return "the identity moves x"
    if not _same(action(a, first), action(group.compose(a, b[:1]), x)):
        return "act(compose(a, b), x) differs from act(a, act(b, x))"
    return ""


def require_law(
    action: Action, x: Array, *, seed: int = 0, pairs: int = 16, name: str = "x"
) -> None:
    """Raise a `LawError` unless the laws of a left action hold on x for generators and some others."""
    require_action(action)
    seed = check_integer("seed", seed)
    pairs = check_integer("pairs", pairs, at_least=1, below=1 << 20)
    if not require_samples(x, name):
        raise ArgumentError(f"{name} is empty; give at least one sample to check the laws on.")
    rng = np.random.default_rng(seed)
    for a, b in _pairs(action.group, pairs, rng):
        reason = broken_law(action, x, a, b)
        if reason:
            raise LawError(
                f"{type(action).__name__} is not a left action of {action.group.name}: {reason}; "
                "for permutations (g.x)[g(i)] = x[i]."
            )


def _pairs(group: Group, pairs: int, rng: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """Elements a (k, width), and one b: first generators, then random ones.

    Of a group that is not abelian some generator does not commute with b: there a right action shows.
    """
    few = group.generators()[:_GENERATORS]
    if len(few):
        left = group.compose(few[:, None], few[None])
        apart = (left != left.swapaxes(0, 1)).any(axis=(0, 2))
        yield few, few[[int(apart.argmax())]]
    for _ in range(pairs):
        yield group.sample(8, rng), group.sample(1, rng)


def is_moved(action: Action, x: Array) -> bool:
    """Whether some generator moves these samples, so that laws were seen to hold on them."""
    few = action.group.generators()[:_GENERATORS]
    return not len(few) or not _same(action(few, x), x)


def require_action(action: Any, name: str = "action") -> None:
    """Raise an `ArgumentError` unless it is an action."""
    check_type(name, action, Action, "an action; try sparseaug.permute_axis(group)")


def require_same_group(action: Action, along: Any, name: str) -> None:
    """Raise an `ArgumentError` unless `along` is None or an action of the same group."""
    if along is None:
        return
    if not isinstance(along, Action):
        raise ArgumentError(f"{name}={shorten(along)} is neither an action nor None.")
    if along.group != action.group:
        raise ArgumentError(
            f"{name} is of {along.group.name}, but action is of {action.group.name}; "
            "one element moves both: use one group."
        )


def axes_from_end(axes: Sequence[int], ndim: int) -> Shape:
    """`axes` of an array with `ndim` axes counted from the end; the sample axis 0 is refused."""
    counted = tuple([axis - ndim if axis >= 0 else axis for axis in axes])
    if min(counted) <= -ndim or max(counted) >= 0 or len(set(counted)) < len(counted):
        raise ArgumentError(
            f"{f'axis={axes[0]}' if len(axes) == 1 else f'{axes=}'} is not an axis of one sample; x has "
            f"{ndim} axes, the first counts the samples: give 1..{ndim - 1} or -1..-{ndim - 1}."
        )
    return counted


def suitable_group(suits: Callable[[Group], Any], given: Group | str, what: str) -> Any:
    """The group, or the one of that name; an `ArgumentError` with `what` where it does not suit."""
    group = as_group(given)
    if not suits(group):
        raise ArgumentError(f"group {group.name} {what}.")
    return group


def require_size(given: int, wanted: int | None, what: str, group: Group) -> None:
    """Raise an `ArgumentError` unless the moved axis has as many entries as the group moves."""
    if given != wanted:
        raise ArgumentError(
            f"x has {given} entries on {what}, but {group.name} moves {wanted}; "
            "choose another axis or a group of that size."
        )


def _same(left: Array, right: Array) -> bool:
    if isinstance(left, tuple | Mapping):
        return all(map(_same, leaves(left), leaves(right)))
    left, right = as_numpy(left), as_numpy(right)
    if np.broadcast_shapes(left.shape, right.shape) != left.shape:
        return False
    tolerance = min(1e3 * float(np.finfo(left.dtype).eps), 1e-3) if left.dtype.kind in "fc" else 0.0
    return not differences(left, right, tolerance).any()


def differences(left: NDArray[Any], right: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    """Where two arrays differ by more than `tolerance` of the largest entry; NaN equals NaN."""
    differ = (left != right) & ~((left != left) & (right != right))
    if tolerance and differ.any():
        # half precision has no room for the difference, nor for the product with a tolerance
        wide = np.result_type(left.dtype, np.float64)
        left, right = left.astype(wide), right.astype(wide)
        scale = abs(right[np.isfinite(right)]).max(initial=0.0)
        with np.errstate(invalid="ignore"):  # of infinities
            differ &= ~(abs(left - right) <= tolerance * scale)
    return np.asarray(differ)
