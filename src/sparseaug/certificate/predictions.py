"""What a model returned, as one number in [0, 1] per sample: whether its label is right, or a share of
the bound of a loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from sparseaug._checks import check_callable, check_real
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, joined, leaves, library
from sparseaug.certificate.intervals import Floats
from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling import GroupSample
from sparseaug.spectrum.models import call_by_rows, choose_output

Model: TypeAlias = Callable[..., Any]
Score: TypeAlias = Callable[[Any, Any], Floats]  # of targets and outputs


@final
@dataclass(frozen=True)
class BoundedLoss:
    """A loss of your own for `audit_risk`: numbers between 0 and `bound`, one per sample.

    Args:
        function: function(y, outputs) of the targets and what the model returned for as many
            samples, both NumPy arrays
        bound: no loss is larger; one that is raises an error

    Examples:
        >>> import numpy as np
        >>> from sparseaug.certificate import BoundedLoss
        >>> absolute = BoundedLoss(lambda y, out: np.minimum(abs(y - out), 5.0), bound=5.0)
    """

    function: Callable[[Any, Any], Any]
    bound: float = 1.0

    def __post_init__(self) -> None:
        check_callable("function", self.function, "function(y, outputs)")
        object.__setattr__(self, "bound", check_real("bound", self.bound, above=0))

    def __call__(self, y: Any, outputs: Any) -> Floats:
        """The losses as shares of the bound."""
        found = as_numpy(self.function(y, outputs))
        if found.shape != (len(y),) or found.dtype.kind not in "biuf":
            raise ArgumentError(f"loss returned shape {found.shape}; return ({len(y)},) numbers.")
        losses = found.astype(np.float64)
        if not ((losses >= 0) & (losses <= self.bound)).all():  # NaN too
            found_range = f"{losses.min():g} to {losses.max():g}"
            raise ArgumentError(f"loss is {found_range}, outside [0, bound={self.bound:g}].")
        return losses / self.bound

    @property
    def name(self) -> str:
        """That of the function, or "given"."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return "given" if name == "<lambda>" else str(name)


def right(y: Any, outputs: Any) -> Floats:
    """1 where the label is that of y."""
    if outputs.ndim == 2 and not _names_classes(y, outputs.shape[1]):
        given = f"y holds {shorten(y[0])} where predict returned scores"
        raise ArgumentError(f"{given}; give classes from 0, or labels.")
    labels = labels_of(outputs)
    if _is_text(labels) != _is_text(y):
        given = f"predict returned {shorten(labels[0])}, y holds {shorten(y[0])}"
        raise ArgumentError(f"{given}; give both as text or not.")
    return np.asarray(labels == y, dtype=np.float64)


def outputs_of(model: Model, x: Any) -> Any:
    """What the model returns for x, as a NumPy array with one row per sample."""
    n = len(leaves(x)[0])

    def converted(*args: Any, **named: Any) -> Any:
        found = model(*args, **named)
        # of an API, or of pandas: nothing that could be read in two ways
        is_list = isinstance(found, list) or (hasattr(found, "__array__") and not library(found))
        return np.asarray(found) if is_list else found

    found = call_by_rows("predict", converted, x, n)
    if not library(found):
        given = f"predict returned a {type(found).__name__} of arrays"
        raise ArgumentError(f"{given}; return one array{choose_output(found)}.")
    return as_numpy(found)


def averaged(
    model: Model, action: Action, S: GroupSample, x: Any, *, labels: bool, copies: int
) -> Any:
    """The mean over S of what the model returns for g x, so many copies at once; `labels`, if it
    returns such, vote.
    """
    n = len(leaves(x)[0])
    block = max(1, copies // n)
    cuts = [slice(start, start + block) for start in range(0, S.m, block)]
    parts = [outputs_of(model, joined(action(S.elements[cut], x))) for cut in cuts]
    y = np.concatenate(parts)
    y = y.reshape(S.m, n, *y.shape[1:])
    if y.ndim > 2 or not labels or (y.dtype.kind == "f" and not _are_whole(y)):
        return y.mean(axis=0)
    names, place = np.unique(y, return_inverse=True)
    votes = np.zeros((n, len(names)), dtype=np.int64)
    np.add.at(votes, (np.tile(np.arange(n), S.m), place.reshape(-1)), 1)
    return names[votes.argmax(axis=1)]


def labels_of(outputs: Any) -> Any:
    """Labels (B,) as they are, of scores (B, classes) the number of the largest."""
    if outputs.ndim == 2 and outputs.shape[1] > 1 and outputs.dtype.kind in "biuf":
        if outputs.dtype.kind == "f" and np.isnan(outputs).any():
            raise ArgumentError("predict returned scores that are NaN; return numbers.")
        return outputs.argmax(axis=1)
    if outputs.ndim != 1 or (outputs.dtype.kind == "f" and not _are_whole(outputs)):
        given = f"predict returned {outputs.dtype} {outputs.shape}"
        raise ArgumentError(f"{given}; return labels (B,) or scores (B, c).")
    return outputs


def _names_classes(y: Any, classes: int) -> bool:
    """Whether y holds numbers of classes, from 0."""
    if y.dtype.kind not in "iubf" or not _are_whole(y):
        return False
    return bool((y >= 0).all() and (y < classes).all())


def _is_text(values: Any) -> bool:
    return bool(values.dtype.kind in "US" or isinstance(values[0], str | bytes))


def _are_whole(values: Any) -> bool:
    return bool((values == np.round(values)).all())
