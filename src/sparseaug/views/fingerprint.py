"""What can be told of an action or a function in every process: classes, numbers, arrays, code.

A store is used again only for the same. Of a function these are its code, the values that it closes over
and its defaults; of a partial function its arguments; of a method or a callable object the attributes
that are numbers, text, arrays, or functions; of a torch module its layers and weights. What else it
depends on, a global variable say, cannot be seen: `work` computes one chunk again and compares.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import canonical_json
from sparseaug.actions.arrays import as_numpy, is_tensor, leaves
from sparseaug.groups import Distribution

_Seen = tuple[int, ...]


def describe(value: Any, seen: _Seen = ()) -> Any:
    """A value as JSON data that are the same in every process; of unknown objects, their class."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Distribution):
        return value.to_dict()
    if isinstance(value, np.ndarray | np.generic) or is_tensor(value):
        return _of_array(np.asarray(as_numpy(value)))
    if id(value) in seen:
        return "itself"
    seen = (*seen, id(value))
    if isinstance(value, CodeType):
        parts = (value.co_code.hex(), value.co_names, value.co_consts)
        return [describe(part, seen) for part in parts]
    if is_dataclass(value) and not isinstance(value, type):
        facts = {field.name: describe(getattr(value, field.name), seen) for field in fields(value)}
        return {"class": type(value).__qualname__, **facts}
    if isinstance(value, tuple | list):
        return [describe(part, seen) for part in value]
    if isinstance(value, Mapping):
        return {str(name): describe(part, seen) for name, part in value.items()}
    return _of_callable(value, seen) if callable(value) else _name(type(value))


def fingerprint(value: Any) -> str:
    """SHA-256 of what can be told of a value."""
    return hashlib.sha256(canonical_json(describe(value))).hexdigest()


def of_arrays(x: Any) -> str:
    """SHA-256 of the arrays of samples, with their shapes and dtypes."""
    return fingerprint([as_numpy(array) for array in leaves(x)])


def _of_callable(value: Any, seen: _Seen) -> Any:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.nn.Module):
        return [_name(type(value)), repr(value), describe(dict(value.state_dict()), seen)]
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
        return [describe(value.__func__, seen), _of_object(value.__self__, seen)]
    if hasattr(value, "__wrapped__"):  # functools.wraps, jax.jit
        return [_name(value), describe(value.__wrapped__, seen)]
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return _name(value)  # a class, a builtin, a ufunc
    return [_of_object(value, seen), describe(type(value).__call__, seen)]


def _of_object(value: Any, seen: _Seen) -> Any:
    return [_name(type(value)), describe(getattr(value, "__dict__", {}), seen)]


def _of_array(array: NDArray[Any]) -> Any:
    if array.dtype.hasobject:
        return _name(type(array))
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return [str(array.dtype), list(array.shape), hashlib.sha256(data.data).hexdigest()]


def _name(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        value, name = type(value), type(value).__qualname__
    return f"{getattr(value, '__module__', '')}.{name}"
