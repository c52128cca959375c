"""What a result depends on, by name and hash, the same in every process: how a checkpoint, a store or
the state of a loader tells another run from its own.

Arrays count by their entries, an object by its class and attributes, a torch module by its layers,
weights and buffers, a function by its code, its defaults and the values that it closes over. What else a
function depends on, a global variable say, cannot be seen. Where data are at hand, an action is told by
its effect on some of them, whatever its code.
"""

from __future__ import annotations

import hashlib
import math
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from sparseaug._archive import canonical_json
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, library, map_leaves
from sparseaug.groups import Distribution
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.sample import GroupSample

_Seen = tuple[int, ...]
_SOME = 16  # elements, and samples, by which an action is told


def fingerprint(*values: Any) -> str:
    """SHA-256 of what can be told of values.

    Examples:
        >>> from sparseaug.sampling.identity import fingerprint
        >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
        False
    """
    return hashlib.sha256(canonical_json(describe(values))).hexdigest()


def action_fingerprint(action: Action, x: Any) -> str:
    """SHA-256 of the group, and of what some elements do to some of the samples, from all over them."""
    group = action.distribution
    rows = group.sample(_SOME, keyed_rng(0, "identity of an action"))
    some = map_leaves(lambda array: array[:: max(1, len(array) // _SOME)][:_SOME], x)
    return fingerprint(group, action(rows, some))


def problem_facts(x: Any, y: Any, action: Action, S: GroupSample | str) -> dict[str, str]:
    """Inputs, targets, action and S, which may also be a word such as "full"."""
    return {
        "S": S.sha256 if isinstance(S, GroupSample) else S,
        "inputs": fingerprint(x),
        "targets": fingerprint(y),
        "action": action_fingerprint(action, x),
    }


def order_facts(S: Any) -> dict[str, str]:
    """The order of the rows of a sample, which decides the last bits of sums over it."""
    return {"order of S": fingerprint(S.elements)} if isinstance(S, GroupSample) else {}


def printed(value: Any) -> str:
    """What a value prints of itself, without places in memory, which differ between processes."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def describe(value: Any, seen: _Seen = ()) -> Any:
    """A value as JSON data; of unknown objects, their class."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Distribution):
        return value.to_dict()
    if library(value) or isinstance(value, np.ndarray | np.generic):
        return _array(value)
    if id(value) in seen:
        return "itself"
    seen = (*seen, id(value))
    if isinstance(value, CodeType):
        parts = (value.co_code.hex(), value.co_names, value.co_consts)
        return [describe(part, seen) for part in parts]
    if is_dataclass(value) and not isinstance(value, type):
        facts = {field.name: describe(getattr(value, field.name), seen) for field in fields(value)}
        return {"class": _name(type(value)), **facts}
    if isinstance(value, tuple | list):
        return [describe(part, seen) for part in value]
    if isinstance(value, Mapping):
        return {str(name): describe(part, seen) for name, part in value.items()}
    return _function(value, seen) if callable(value) else _name(type(value))


def _function(value: Any, seen: _Seen) -> Any:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.nn.Module):
        tensors = {**dict(value.named_parameters()), **dict(value.named_buffers())}
        return [_name(type(value)), printed(value), describe(tensors, seen)]
    if isinstance(value, partial):
        return [describe(part, seen) for part in (value.func, value.args, value.keywords)]
    if isinstance(value, FunctionType):
        cells = []
        for cell in value.__closure__ or ():
            with suppress(ValueError):  # nothing was assigned yet
                cells.append(cell.cell_contents)
        parts = (value.__code__, value.__defaults__, value.__kwdefaults__, cells)
        return [_name(value), *(describe(part, seen) for part in parts)]
    if isinstance(value, MethodType):
        own = value.__self__
        told = describe(own, seen) if callable(own) else _attributes(own, seen)
        return [describe(value.__func__, seen), told]
    if hasattr(value, "__wrapped__"):  # functools.wraps, jax.jit
        return [_name(value), describe(value.__wrapped__, seen)]
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return [_name(value), printed(value)]  # a class, a builtin, a ufunc
    return [_attributes(value, seen), describe(type(value).__call__, seen)]


def _attributes(value: Any, seen: _Seen) -> Any:
    return [_name(type(value)), describe(getattr(value, "__dict__", {}), seen)]


def _array(value: Any) -> Any:
    array = np.ascontiguousarray(as_numpy(value))
    if array.dtype.hasobject:
        return _name(type(value))
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8)
    return [str(value.dtype), list(value.shape), hashlib.sha256(plain.data).hexdigest()]


def _name(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        value, name = type(value), type(value).__qualname__
    return f"{getattr(value, '__module__', '')}.{name}"
