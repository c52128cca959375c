"""What a result depends on, by name and hash, the same in every process: how a checkpoint, a store or
the state of a loader tells another run from its own.

Arrays count by their entries, an object by its class and what pickle would keep of it, a torch module by
its layers, their public attributes, weights and buffers, a function by its code, its defaults and the
values that it closes over. What else a function depends on, a global variable say, cannot be seen. Where
data are at hand, an action is told by its effect on some of them, whatever its code.
"""

from __future__ import annotations

import hashlib
import math
import random
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from sparseaug._archive import canonical_json
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, library, map_leaves
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Distribution
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.sample import GroupSample

_Known = dict[int, tuple[Any, Any]]  # objects by id, and what was told of them
_LARGE = 1 << 63
_RANDOM = np.random.Generator, np.random.RandomState, random.Random  # with a state of the process
_SOME = 16  # elements, and samples, by which an action is told


def fingerprint(*values: Any) -> str:
    """SHA-256 of what can be told of values.

    Examples:
        >>> from sparseaug.sampling.identity import fingerprint
        >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
        False
    """
    try:
        return hashlib.sha256(canonical_json(describe(values))).hexdigest()
    except RecursionError as error:
        raise ArgumentError(
            f"{shorten(values)} refers to objects nested too deeply to tell; let it hold less."
        ) from error


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


def describe(value: Any, known: _Known | None = None) -> Any:
    """A value as JSON data; of an object that says nothing of its state, the class."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if -_LARGE < value < _LARGE else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, bytes | bytearray):
        return ["bytes", value.hex()]
    known = {} if known is None else known
    if id(value) not in known:
        known[id(value)] = value, "itself"  # held, so that no other object gets its id
        known[id(value)] = value, _described(value, known)
    return known[id(value)][1]


def settings_of(module: Any) -> dict[str, Any]:
    """What layers hold besides layers and tensors; the state of torch itself has private names."""
    return {
        f"{prefix}.{name}": value
        for prefix, layer in module.named_modules()
        for name, value in vars(layer).items()
        if name != "training" and not name.startswith("_")
    }


def _described(value: Any, known: _Known) -> Any:
    if isinstance(value, Distribution):
        return value.to_dict()
    if library(value) or isinstance(value, np.ndarray | np.generic):
        return _array(value, known)
    if isinstance(value, CodeType):
        parts = (value.co_code.hex(), value.co_names, value.co_consts)
        return [describe(part, known) for part in parts]
    if is_dataclass(value) and not isinstance(value, type):
        facts = {field.name: describe(getattr(value, field.name), known) for field in fields(value)}
        return {"class": _name(type(value)), **facts}
    if isinstance(value, tuple | list):
        return [describe(part, known) for part in value]
    if isinstance(value, set | frozenset):
        return sorted((describe(part, known) for part in value), key=canonical_json)
    if isinstance(value, Mapping):
        if all(isinstance(name, str) for name in value):
            return {name: describe(part, known) for name, part in value.items()}
        return sorted((describe([*pair], known) for pair in value.items()), key=canonical_json)
    return _function(value, known) if callable(value) else _object(value, known)


def _function(value: Any, known: _Known) -> Any:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.nn.Module):
        tensors = {**dict(value.named_parameters()), **dict(value.named_buffers())}
        told = describe([tensors, settings_of(value)], known)
        return [_name(type(value)), printed(value), told]
    if isinstance(value, partial):
        return describe([value.func, value.args, value.keywords], known)
    if isinstance(value, FunctionType):
        cells = []
        for cell in value.__closure__ or ():
            with suppress(ValueError):  # nothing was assigned yet
                cells.append(cell.cell_contents)
        parts = (value.__code__, value.__defaults__, value.__kwdefaults__, cells)
        return [_name(value), *(describe(part, known) for part in parts)]
    if isinstance(value, MethodType):
        return describe([value.__func__, value.__self__], known)
    if hasattr(value, "__wrapped__"):  # functools.wraps, jax.jit
        return [_name(value), describe(value.__wrapped__, known)]
    if isinstance(value, type):
        return [_name(value), printed(value)]
    told = _object(value, known)
    return [told, describe(type(value).__call__, known)] if hasattr(value, "__dict__") else told


def _object(value: Any, known: _Known) -> Any:
    """What pickle would keep: arguments, attributes and entries, hashed, as many may refer to it."""
    kept: Any = printed(value) if callable(value) else None
    if not isinstance(value, _RANDOM):
        with suppress(Exception):  # locks, open files: whatever refuses
            kept = value.__reduce_ex__(2)
    if isinstance(kept, tuple):  # what makes it, its arguments, attributes, entries
        kept = [list(part) if isinstance(part, Iterator) else part for part in kept[1:]]
    return [_name(value), hashlib.sha256(canonical_json(describe(kept, known))).hexdigest()]


def _array(value: Any, known: _Known) -> Any:
    array = np.ascontiguousarray(as_numpy(value))
    if array.dtype.hasobject:
        return [list(array.shape), describe(array.reshape(-1).tolist(), known)]
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8)
    return [str(value.dtype), list(value.shape), hashlib.sha256(plain.data).hexdigest()]


def _name(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        value, name = type(value), type(value).__qualname__
    return f"{getattr(value, '__module__', '')}.{name}"
