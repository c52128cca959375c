"""What the PyTorch layer asks of its arguments: flags, choices, dense tensors, models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sparseaug.errors import ArgumentError, SparseAugError, check_integer, shorten

MOST_CALLS = 10**9
"""Below this many draws or steps in one call: more of them take days, and memory beyond any machine."""

MOST_COPIES = 1 << 63
"""Below this, a number of copies is one that torch can count to."""


def check_flag(name: str, value: Any) -> bool:
    """True or False as it is, or an `ArgumentError`: a list or an array is neither."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name}={shorten(value)} is neither True nor False; give one of them.")
    return bool(value)


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """One of the allowed words, or an `ArgumentError` that lists them."""
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(f'"{word}"' for word in allowed)
        raise ArgumentError(f"{name}={shorten(value)} is unknown; give {words}.")
    return value


def check_chunk(chunk_size: Any) -> int | None:
    """How many copies to take at once, or None."""
    if chunk_size is None:
        return None
    return check_integer("chunk_size", chunk_size, at_least=1, below=MOST_COPIES)


def require_dense(name: str, x: Tensor) -> None:
    """Raise an `ArgumentError` unless the tensor's entries lie in memory, one by one."""
    if x.layout is not torch.strided or x.is_meta:
        kind = "no memory" if x.is_meta else f"layout {x.layout}"
        raise ArgumentError(f"{name} is a tensor with {kind}; give a dense one, as x.to_dense().")


def require_tensor(name: str, x: Any, axes: int) -> None:
    """Raise an `ArgumentError` unless x is a tensor with at least this many axes."""
    if not isinstance(x, Tensor):
        raise ArgumentError(f"{name}={shorten(x)} is not a tensor; convert it, torch.as_tensor.")
    if x.layout is not torch.strided:  # one without memory is on another device than S
        require_dense(name, x)
    if x.ndim < axes:
        raise ArgumentError(f"{name} has shape {tuple(x.shape)}; give at least {axes} axes.")


def require_outputs(y: Any, count: int) -> Tensor:
    """What a model returned, or an `ArgumentError` unless it is a tensor with so many rows."""
    if not isinstance(y, Tensor) or y.ndim < 1 or len(y) != count:
        given = f"shape {tuple(y.shape)}" if isinstance(y, Tensor) else f"a {type(y).__name__}"
        raise ArgumentError(f"model returned {given}; return ({count}, ...).")
    return y


def call_model(model: Callable[[Any], Any], x: Any) -> Any:
    """model(x); what it cannot take is an `ArgumentError` with the shape and the type of x."""
    if torch.compiler.is_compiling():
        return model(x)
    try:
        return model(x)
    except (SparseAugError, torch.OutOfMemoryError):
        raise
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        raise ArgumentError(
            f"model failed on x of shape {tuple(x.shape)} and dtype {x.dtype}: {error}"
        ) from error
