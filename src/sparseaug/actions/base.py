"""What an action is: elements (k, width) and data (n, ...) give moved data (k, n, ...).

It works in two steps. `prepare` turns elements into a few plain arrays (indices, signs, matrices),
with NumPy; `apply` uses them on the data, in operations that NumPy, torch and JAX all have. So the data
may live on any device, gradients flow through `apply`, and prepared arrays can be kept and reused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from numpy.typing import NDArray

from sparseaug._checks import check_type
from sparseaug.actions.arrays import (
    Array,
    Shape,
    as_numpy,
    library,
    map_leaves,
    require_samples,
    shapes_of,
    to_namespace_of,
)
from sparseaug.errors import ArgumentError, ElementError
from sparseaug.groups import Distribution, Group, Rows, as_group

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
    any_form: bool = False  # whether it moves every tuple or dict of arrays, as a whole

    @property
    def distribution(self) -> Distribution:
        """What its elements are of: the group, or a distribution that is none."""
        return self.group

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
        """Every element applied to every sample: (k, n, ...). Elements: rows, a sample, or "full"."""
        rows = self.rows(elements)
        action = self.over(x)
        require_samples(x)
        prepared = action.prepare(rows, shapes_of(x))
        return action.apply(action.place(prepared, x), map_leaves(lambda array: array[None], x))

    def over(self, x: Any) -> Action:
        """The action that moves data of the form of x: itself, for an array.

        Raises an `ArgumentError` for a tuple or dict of arrays that it does not know how to move.
        """
        if not self.any_form and not hasattr(x, "shape") and isinstance(x, tuple | Mapping):
            raise ArgumentError(f"x is a {type(x).__name__}, but one array is moved; use together.")
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
        """The rows of a sample S (checked when it was made), of all of a group for "full", or rows,
        checked now.
        """
        if isinstance(elements, str) and elements == "full":
            return self.group.all_elements()
        given, own = getattr(elements, "distribution", None), self.distribution
        if not isinstance(given, Distribution) or not hasattr(elements, "elements"):
            try:
                rows = as_numpy(elements) if library(elements) else elements
            except (TypeError, RuntimeError) as error:
                raise ElementError("elements is traced; keep rows out of jit and grad.") from error
            return own.check(rows)
        if given != own:
            raise ArgumentError(f"S is a sample of {given.name}; the action wants {own.name}.")
        return elements.elements


def require_action(action: Any, name: str = "action") -> None:
    """Raise an `ArgumentError` unless it is an action."""
    check_type(name, action, Action, "an action; try sparseaug.permute_axis(group)")


def require_same_group(action: Action, along: Any, name: str) -> None:
    """Raise an `ArgumentError` unless `along` is None or an action of the same group."""
    if along is None:
        return
    require_action(along, name)
    if along.distribution != action.distribution:
        one, other = along.distribution.name, action.distribution.name
        raise ArgumentError(f"{name} is of {one}, but action is of {other}; use one group.")


def axes_from_end(axes: Sequence[int], ndim: int) -> Shape:
    """`axes` of an array with `ndim` axes counted from the end; the sample axis 0 is refused."""
    counted = tuple([axis - ndim if axis >= 0 else axis for axis in axes])
    if min(counted) <= -ndim or max(counted) >= 0 or len(set(counted)) < len(counted):
        given = f"{'axis' if len(axes) == 1 else 'axes'}={axes} are not axes of one sample of x"
        raise ArgumentError(f"{given}; give 1..{ndim - 1} or -1..-{ndim - 1}, as axis 0 counts.")
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
        raise ArgumentError(f"x has {given} entries on {what}, but {group.name} moves {wanted}.")
