"""Actions made of others, or of a user's function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from array_api_compat import is_array_api_obj
from numpy.typing import NDArray

from sparseaug.actions.base import (
    Action,
    Array,
    Shape,
    as_numpy,
    namespace,
    require_data,
    require_group,
    require_law,
)
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, Rows, direct_product


@final
@dataclass(frozen=True)
class ProductAction(Action):
    """(g, h).x = g.(h.x), for two actions on the same array that commute."""

    first: Action
    second: Action

    @cached_property
    def group(self) -> Group:  # type: ignore[override]
        """The direct product of the two groups."""
        return direct_product(self.first.group, self.second.group)

    @property
    def parts(self) -> int:  # type: ignore[override]
        """Both actions' arrays."""
        return self.first.parts + self.second.parts

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """Both actions' arrays, one after the other."""
        middle = self.first.group.width
        return (
            *self.first.prepare(elements[:, :middle], shape),
            *self.second.prepare(elements[:, middle:], shape),
        )

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """The second action's part first."""
        middle = self.first.parts
        return self.first.apply(prepared[:middle], self.second.apply(prepared[middle:], x))


@final
@dataclass(frozen=True)
class CustomAction(Action):
    """A user's function (elements (k, width), x (n, ...)) -> (k, n, ...)."""

    group: Group
    function: Callable[[Rows, Array], Array]

    def __call__(self, elements: Any, x: Array) -> Array:
        """The function applied to a copy of the rows, which stay NumPy's wherever x lives."""
        rows = self.rows(elements)
        require_data(x)
        return self.apply((rows.copy(),), x[None])

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """The rows themselves: the function does the rest."""
        return (elements.copy(),)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Call the function; once per element where each has data of its own."""
        rows = as_numpy(prepared[0])
        if x.shape[0] == 1 or not len(rows):
            y = self.function(rows, x[0])
        else:
            moved = [self.function(rows[j : j + 1], x[j]) for j in range(len(rows))]
            y = namespace(x).concat(moved)
        if not is_array_api_obj(y):
            raise ArgumentError(f"function returned {shorten(y)}; return an array (k, n, ...).")
        if tuple(y.shape) != (len(rows), *x.shape[1:]):
            raise ArgumentError(
                f"function returned shape {tuple(y.shape)}; for {len(rows)} elements and x of "
                f"shape {tuple(x.shape[1:])} return {(len(rows), *x.shape[1:])}."
            )
        return y


def product_action(a: Action, b: Action) -> ProductAction:
    """The direct product acts on one array by both: (g, h).x = g.(h.x). The two must commute.

    Actions on different axes do; `sparseaug.testing.check_action` tells of others.

    >>> import sparseaug as sa
    >>> reorder, flip = sa.permute_axis(sa.symmetric(4), 1), sa.flip_signs(sa.sign_flips(3))
    >>> sa.product_action(reorder, flip).group.name
    'S4xZ2^3'
    """
    for name, action in (("a", a), ("b", b)):
        if not isinstance(action, Action):
            raise ArgumentError(f"{name}={shorten(action)} is not an action.")
    return ProductAction(a, b)


def custom_action(
    group: Group, function: Callable[[Rows, Array], Array], *, samples: Array | None = None
) -> CustomAction:
    """An action by a user's own function (elements (k, width), x (n, ...)) -> (k, n, ...).

    With `samples`, the laws of a left action are checked on them at once.

    >>> import numpy as np, sparseaug as sa
    >>> def swap(elements, x):
    ...     return np.where(elements[:, :, None] == 1, x[:, ::-1], x)
    >>> act = sa.custom_action(sa.cyclic(2), swap, samples=np.array([[1.0, 2.0]]))
    >>> act(np.array([[1]]), np.array([[1.0, 2.0]]))
    array([[[2., 1.]]])
    """
    require_group(group)
    if not callable(function):
        raise ArgumentError(f"function={shorten(function)} cannot be called.")
    action = CustomAction(group, function)
    if samples is not None:
        require_law(action, samples)
    return action
