"""A user's own function as an action, held to the laws on the first data of each shape that it moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

from numpy.typing import NDArray

from sparseaug._checks import check_callable
from sparseaug.actions.arrays import (
    Array,
    Shape,
    as_numpy,
    is_traced,
    library,
    namespace,
    type_name,
)
from sparseaug.actions.base import Action
from sparseaug.actions.laws import is_moved, require_law
from sparseaug.errors import ArgumentError
from sparseaug.groups import Group, Rows, as_group

_COMPARED = 8
"""Samples on which a user's function must keep the laws."""

_PAIRS = 2
"""Random elements b on which a user's function must be an action, besides generators."""


@final
@dataclass(frozen=True)
class CustomAction(Action):
    """A user's function (elements (k, width), x (n, ...)) -> (k, n, ...)."""

    group: Group
    function: Callable[[Rows, Array], Array]
    _tried: set[Shape] = field(default_factory=set, init=False, repr=False, compare=False)

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """A copy of the rows, which the function may change; it does the rest."""
        return (elements.copy(),)

    def place(self, prepared: Sequence[NDArray[Any]], x: Array) -> list[Array]:
        """Rows stay NumPy's wherever x lives."""
        return list(prepared)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Call the function; once per element where each has data of its own."""
        rows = as_numpy(prepared[0])
        if (few := untried(self._tried, x)) is not None:
            self._require_law(few[:1])
        if x.shape[0] == 1 or not len(rows):
            return self._moved(rows, x[0])
        moved = [self._moved(rows[j : j + 1], x[j]) for j in range(len(rows))]
        return namespace(x).concatenate(moved)

    def _require_law(self, x: Array) -> None:
        """The law on this sample; not again for others of its shape if it is one that moves."""
        shape = tuple(x.shape[1:])
        alone = CustomAction(self.group, self.function)  # which is not tried while it is
        alone._tried.add(shape)
        require_law(alone, x, pairs=_PAIRS)
        if is_moved(alone, x):
            self._tried.add(shape)

    def _moved(self, rows: Rows, x: Array) -> Array:
        """What the function makes of x, which must be an array of x's library, (k, n, ...)."""
        y = self.function(rows, x)
        wanted = (len(rows), *x.shape)
        if library(y) != library(x) or tuple(y.shape) != wanted:
            given = f"function returned a {type_name(y)} of shape {getattr(y, 'shape', None)}"
            raise ArgumentError(f"{given}; return a {type_name(x)} {wanted}.")
        return y


def untried(tried: set[Shape], x: Array) -> Array | None:
    """Samples (n, ...) of x (k, n, ...) to try a user's function on, where their shape is new.

    None of data without values. Two threads may both try; a set takes both answers.
    """
    if tuple(x.shape[2:]) in tried or not math.prod(x.shape) or is_traced(x):
        return None
    return x[0][:_COMPARED]


def custom_action(group: Group | str, function: Callable[[Rows, Array], Array]) -> CustomAction:
    """An action by a user's own function.

    The laws of a left action are tried on the first sample of each shape, wherever it is first used;
    `sparseaug.testing.check_action` tries them at once, with more elements.

    Args:
        group: any group
        function: maps elements (k, width) and x (n, ...) to the moved samples (k, n, ...)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> def swap(elements, x):
        ...     return np.where(elements[:, :, None] == 1, x[:, ::-1], x)
        >>> act = sa.custom_action(sa.cyclic(2), swap)
        >>> act(np.array([[1]]), np.array([[1.0, 2.0]]))
        array([[[2., 1.]]])
    """
    check_callable("function", function)
    return CustomAction(as_group(group), function)
