"""How far a model is from invariant: model(g x) compared with model(x), for each g of a group or S.

The model is any callable, on torch tensors or NumPy arrays: a module, or an estimator's `predict`. The
report has the errors by element, and what they say of the whole group.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import fields_as_json
from sparseaug._checks import check_integer, check_real
from sparseaug._floats import UNIT, text_up
from sparseaug._tables import Shown
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import (
    as_numpy,
    dtype_kind,
    joined,
    leaves,
    map_leaves,
    namespace,
    require_dense,
)
from sparseaug.actions.base import require_same_group
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, Rows, as_group
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.distinct import distinct
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.models import (
    MOST_CALLS,
    call_by_rows,
    check_chunk,
    choose_output,
    evaluating,
    other_shapes,
    require_inputs,
    require_model,
    usual_chunk,
)

ALL_ELEMENTS = 10_000  # groups up to this order are enumerated


def invariance_error(
    model: Callable[..., Any],
    action: Action,
    S_or_group: GroupSample | Group,
    x: Array,
    *,
    output_action: Action | None = None,
    chunk_size: int | None = None,
    delta: float = 0.05,
    calls: int = 256,
) -> InvarianceReport:
    """Compare model(g x) with model(x), for every g of a sample or group.

    Args:
        model: any callable (n, ...) -> (n, ...), called as model(x), as model(*x) where x is a tuple
            and as model(**x) where it is a dict; a torch module is put in eval mode meanwhile. Several
            outputs in a tuple or dict are compared together
        action: how x moves; `sparseaug.together` for several inputs
        S_or_group: a group of at most 10,000 elements is enumerated, of a larger one `calls`
            elements are drawn, other ones than an `Oracle` draws with a small seed; or a sample
            S. What is said of the whole group holds for an S of a size fixed before it was drawn,
            that the model has not been trained on, nor averaged over
        x: samples (n, ...), a torch tensor or NumPy array; or a tuple or dict of them
        output_action: for outputs that move along: then model(g x) - g model(x);
            `sparseaug.together` for several
        chunk_size: how many moved copies go through the model at once; by default 1024, or n if
            more
        delta: how often `exceeding` may fail
        calls: elements drawn of a group that is too large to enumerate

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> def first(x):
        ...     return x[:, 0]
        >>> act = sa.permute_axis(sa.symmetric(3))
        >>> print(sa.invariance_error(first, act, act.group, np.array([[1.0, 2.0, 3.0]])))
        invariance error over all 6 elements of S3: mean 1 (relative 1), max 2 at [2, 1, 0]
    """
    require_model(model)
    n = require_inputs(action, x)
    require_same_group(action, output_action, "output_action")
    delta = check_real("delta", delta, above=0, below=1)
    chunk = usual_chunk(check_chunk(chunk_size), n)
    S, exact = _elements(action, S_or_group, calls)
    # what does not move is refused before the model sees it
    action(S.elements[:1], map_leaves(lambda part: part[:1], x))
    with evaluating(model):
        base = _outputs(model, x, n, chunk)
        errors = []
        step = max(1, chunk // n)
        once = distinct(S.elements)
        for start in range(0, len(once.first), step):
            rows = S.elements[once.first[start : start + step]]
            copies = joined(action(rows, x))
            moved = _outputs(model, copies, len(rows) * n, chunk)
            expected = map_leaves(lambda part: part[None], base)
            expected = expected if output_action is None else output_action(rows, base)
            errors.append(_errors(moved, expected, rows))
    every = np.concatenate(errors)[once.number]
    return _report(S, every, base, exact, delta, isinstance(S_or_group, GroupSample))


def _elements(action: Action, given: Any, calls: int) -> tuple[GroupSample, bool]:
    """The elements to look at, and whether they are all of the group."""
    count = check_integer("calls", calls, at_least=2, below=MOST_CALLS)
    if not isinstance(given, Group | str):
        return as_sample(given, action.group, "S_or_group"), False
    if given == "full":
        return GroupSample.full(action.group), True
    given = as_group(given, "S_or_group")
    if given != action.group:
        wrong = f"S_or_group={shorten(given)} is not the action's group"
        raise ArgumentError(f"{wrong}; give S or {action.group.name}.")
    if given.order <= ALL_ELEMENTS:
        return GroupSample(given, given.all_elements()), True
    # training may have drawn S with any small seed: these elements must not be those of S
    return Oracle(given, int(keyed_rng(0, "invariance error").integers(1 << 63))).fresh(
        count
    ), False


def _outputs(model: Callable[..., Any], x: Any, n: int, chunk: int) -> Any:
    """The model's outputs for n samples, `chunk` samples at a time."""
    pieces = []
    for start in range(0, n, chunk):
        some = slice(start, min(n, start + chunk))
        part = map_leaves(lambda part, some=some: part[some], x)
        y = call_by_rows("model", model, part, some.stop - start)
        for output in leaves(y):
            require_dense("the output of model", output)
        pieces.append(y)
    return map_leaves(lambda *some: namespace(some[0]).concatenate(some), *pieces)


def _are_labels(y: Any) -> bool:
    """Whether outputs are labels, or numbers; some of each are an `ArgumentError`."""
    kinds = {dtype_kind(part) in "fc" for part in leaves(y)}
    if len(kinds) > 1:
        one = choose_output(y).removeprefix(", ")
        raise ArgumentError(f"model returned numbers and labels; give {one}.")
    return kinds == {False}


def _flat(y: Any, axes: int) -> NDArray[Any]:
    """All outputs side by side behind so many axes."""
    parts = [as_numpy(part) for part in leaves(y)]
    return np.concatenate([part.reshape(*part.shape[:axes], -1) for part in parts], axis=axes)


def _errors(moved: Any, expected: Any, rows: Rows) -> NDArray[np.float64]:
    """The error of every row's element, from outputs (k n, ...) and (1 or k, n, ...)."""
    shapes = [tuple(part.shape[2:]) for part in leaves(expected)]
    found = [tuple(part.shape[1:]) for part in leaves(moved)]
    if found != shapes:
        raise other_shapes("model", shapes, found)
    wanted, given = _flat(expected, 2), _flat(moved, 1)
    given = given.reshape(len(rows), *wanted.shape[1:])
    if _are_labels(expected):
        return np.asarray((given != wanted).any(axis=2).mean(axis=1))
    with np.errstate(invalid="ignore"):  # of what is not finite
        differences = _doubles(given) - _doubles(wanted)
    for j in np.flatnonzero(~np.isfinite(differences).all(axis=(1, 2))):
        moved = shorten(rows[j].tolist())
        raise ArgumentError(f"model returned non-finite outputs for x moved by {moved}.")
    return np.array([_root_mean_square(difference) for difference in differences])


@dataclass(frozen=True, eq=False)
class InvarianceReport(Shown):
    """The invariance error of a model, element by element.

    Attributes:
        group: name of the group
        elements: the elements looked at, one per row
        errors: for each, the root mean square over samples and outputs of model(g x) - model(x);
            for labels (outputs that are not floating point) the fraction of samples whose label
            changes
        exact: whether the elements are all of the group
        exceeding: with probability 1 - delta at most this fraction of the group has a larger error
            than `max`: 0 if exact, 1 - delta^(1/m) for independent draws, else None
        delta: of the one above
        calls: elements freshly drawn for this report
        scale: root mean square of model(x); 1 for labels
        eps: rounding unit of the outputs; 0 for labels
    """

    group: str
    elements: Rows
    errors: NDArray[np.float64]
    exact: bool
    exceeding: float | None
    delta: float
    calls: int
    scale: float
    eps: float

    @property
    def mean(self) -> float:
        """Of the errors."""
        return float(np.mean(self.errors))

    @property
    def max(self) -> float:
        """Of the errors."""
        return float(self.errors.max())

    @property
    def relative(self) -> float:
        """mean / scale."""
        return self.mean / self.scale if self.scale else (np.inf if self.mean else 0.0)

    @property
    def worst(self) -> Rows:
        """The element with the largest error."""
        return self.elements[int(np.argmax(self.errors))]

    def to_dict(self) -> dict[str, Any]:
        """All fields, and what follows from them, as JSON data."""
        follows = {"mean": self.mean, "max": self.max, "relative": self.relative}
        return {**fields_as_json(self), **follows, "worst": self.worst.tolist()}

    def __repr__(self) -> str:
        return f"InvarianceReport({self})"

    def __str__(self) -> str:
        # what is said to be exceeded by few, or by none, is rounded up
        text = (
            f"invariance error over {'all ' * self.exact}{len(self.errors)} elements of {self.group}: "
            f"mean {self.mean:.3g} (relative {self.relative:.3g}), max {text_up(self.max, 4)} at "
            f"{shorten(self.worst.tolist())}"
        )
        if self.exact or self.exceeding is None:
            return text
        fraction = text_up(self.exceeding, 4)
        return f"{text}; at most {fraction} of the group exceeds it (delta {self.delta})"


def _report(
    S: GroupSample, errors: NDArray[np.float64], base: Any, exact: bool, delta: float, given: bool
) -> InvarianceReport:
    """What follows from the errors of the elements of S."""
    exceeding = 0.0 if exact else None
    if not exact and S.origin.is_uniform and S.origin.kind == "oracle":
        # log and expm1 are off by an ulp each and the quotient by half of one; t / (e^t - 1) <= 1, so
        # all three are at most 3 * 2^-52 of the result
        exceeding = min(1.0, -math.expm1(math.log(delta) / S.m) * (1 + 8 * UNIT))
    labels = _are_labels(base)
    eps = [float(namespace(part).finfo(part.dtype).eps) for part in leaves(base) if not labels]
    scale = 1.0 if labels else _root_mean_square(_doubles(_flat(base, 1)))
    errors.flags.writeable = False
    calls = 0 if given else S.calls
    return InvarianceReport(
        S.group.name,
        S.elements,
        errors,
        exact,
        exceeding,
        delta,
        calls,
        scale,
        max(eps, default=0.0),
    )


def _root_mean_square(values: NDArray[Any]) -> float:
    """Scaled by the largest, so that no square overflows or vanishes."""
    peak = float(abs(values).max(initial=0.0))
    return peak * float(np.sqrt(np.mean(np.square(abs(values) / peak)))) if peak else 0.0


def _doubles(y: Array) -> NDArray[Any]:
    """Outputs in double precision."""
    array = as_numpy(y)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
