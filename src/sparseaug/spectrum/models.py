"""Models as they are given: any callable, on NumPy arrays, torch tensors or JAX arrays.

torch is not imported here: a module of its proves that somebody did.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from array_api_compat import is_array_api_obj

from sparseaug._checks import check_callable, check_integer
from sparseaug.actions import Action
from sparseaug.actions.arrays import (
    call,
    describe,
    leaves,
    map_leaves,
    require_dense,
    require_samples,
)
from sparseaug.actions.base import require_action
from sparseaug.actions.laws import require_law
from sparseaug.errors import ArgumentError, SparseAugError, shorten

MOST_CALLS = 10**9
"""Below this many draws or steps in one call: more of them take days, and memory beyond any machine."""

MOST_COPIES = 1 << 63
"""Below this, a number of copies is one that torch can count to."""

_COPIES = 1024  # that go through a model at once by default: a usual batch


def require_model(model: Any) -> None:
    """Raise an `ArgumentError` unless it can be called."""
    check_callable("model", model, "a module or model.predict")


def require_inputs(action: Any, x: Any) -> int:
    """The number of samples that the action moves, at least one, or an `ArgumentError`."""
    require_action(action)
    action.over(x)
    n = require_samples(x)
    for part in leaves(x):
        require_dense("x", part)
    if not n:
        raise ArgumentError("x is empty; give at least one sample.")
    return n


def try_moving(action: Action, x: Any) -> None:
    """Refuse samples that do not move, or not by the laws of a left action where those are not known."""
    action(action.distribution.example(), map_leaves(lambda part: part[:1], x))
    by_law = action.distribution.is_group
    if by_law and (action.kind == "custom" or not action.lawful):
        require_law(action, map_leaves(lambda part: part[:2], x), pairs=2)


def check_chunk(chunk_size: Any) -> int | None:
    """How many copies to take at once, or None."""
    if chunk_size is None:
        return None
    return check_integer("chunk_size", chunk_size, at_least=1, below=MOST_COPIES)


def usual_chunk(chunk_size: int | None, n: int) -> int:
    """The chunk size given, or 1024 copies, or the n samples of a batch if these are more."""
    return chunk_size or max(_COPIES, n)


def call_model(model: Callable[..., Any], x: Any) -> Any:
    """model(x), model(*x) or model(**x); what it cannot take is an `ArgumentError` that describes x."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_compiling():
        return call(model, x)
    try:
        return call(model, x)
    except SparseAugError:
        raise
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        if torch is not None and isinstance(error, torch.OutOfMemoryError):
            raise
        raise ArgumentError(f"model failed on x of {describe(x)}: {error}") from error


def call_by_rows(name: str, model: Callable[..., Any], x: Any, n: int) -> Any:
    """What `call_model` gives: an array, or a tuple or dict of arrays, each with one row for each of n
    samples; or an `ArgumentError`.
    """
    y = call_model(model, x)
    parts = leaves(y)
    wrong = [part for part in parts if not _has_rows(part, n)]
    if wrong or not parts:
        part = wrong[0] if wrong else y
        given = f"a {type(part).__name__} of shape {getattr(part, 'shape', None)}"
        rows = "return arrays of one row each, alone or in a tuple or dict"
        raise ArgumentError(f"{name} returned {given} for {n} samples; {rows}{choose_output(y)}.")
    return y


def other_shapes(name: str, first: list[Any], later: list[Any]) -> ArgumentError:
    """The outputs of one sample had other shapes where it was moved."""
    said, found = (", ".join(map(str, shapes)) for shapes in (first, later))
    return ArgumentError(
        f"{name} returned {said} per sample at first and {found} for moved samples; return one shape."
    )


def _has_rows(part: Any, n: int) -> bool:
    return is_array_api_obj(part) and part.ndim >= 1 and len(part) == n


def choose_output(y: Any) -> str:
    """How to measure one output of a model that returns several."""
    if isinstance(y, Mapping) and y:
        return f", one of several as in lambda x: model(x)[{shorten(next(iter(y)))}]"
    return ", one of several as in lambda x: model(x)[0]" if isinstance(y, tuple | list) else ""


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """A torch module in eval mode, without gradients; every part gets its own mode back after."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    parts = list(model.modules()) if isinstance(model, torch.nn.Module) else []
    modes = [part.training for part in parts]
    try:
        for part in parts:
            part.training = False
        with torch.no_grad():
            yield
    finally:
        for part, mode in zip(parts, modes, strict=True):
            part.training = mode
