"""Arrays of NumPy, torch and JAX: one door for data, and the operations that all three have.

Neither torch nor JAX is imported here: an array of theirs proves that somebody did. Data of any other
type are refused, never converted. What an action prepares (indices, signs, matrices) is made with NumPy;
for torch it goes to the data's device, for JAX it stays, a constant of whatever traces the data.

Data that belong together: an array, or a tuple or dict of such data.

All that is said of an array x (n, ...) is said of every array in it; their number of samples n is one.
A function of several arrays takes a tuple as f(*x) and a dict as f(**x).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError

Array: TypeAlias = Any  # a NumPy array, a torch tensor or a JAX array
Shape: TypeAlias = tuple[int, ...]


def require_data(x: Array, name: str = "x") -> None:
    """Raise an `ArgumentError` unless x is an array (n, ...) of numbers, with an axis per sample."""
    require_library(x, name)
    if dtype_kind(x) not in ("b", "i", "u", "f", "c") or x.ndim < 2:
        raise ArgumentError(f"{name} has shape {tuple(x.shape)}, {x.dtype}; give numbers (n, ...).")


def require_library(x: Any, name: str = "x") -> None:
    """Raise an `ArgumentError` unless x is a dense array of NumPy, torch or JAX.

    A subclass of NumPy's arrays, such as a masked one, would come back as another type.
    """
    if not library(x):
        raise ArgumentError(f"{name} is a {type_name(x)}; give an array of NumPy, torch or JAX.")
    require_dense(name, x, values=False)


def require_dense(name: str, x: Any, *, values: bool = True) -> None:
    """Raise an `ArgumentError` for a torch tensor whose entries do not lie here, one by one.

    Without `values` those of device meta, which have none, are taken.
    """
    if not is_tensor(x):
        return
    dense = x.layout is namespace(x).strided and not (x.is_nested or is_sharded(x))
    # torch does not compute in 8 bits
    if not dense or (values and x.is_meta) or (x.is_floating_point() and x.element_size() < 2):
        given = f"{name} is a {type_name(x)} of {x.layout}, {x.dtype} on {x.device}"
        raise ArgumentError(f"{given}; give a dense one of 16 bits or more, as x.to_dense().")


def is_sharded(x: Any) -> bool:
    """Whether x is a tensor of torch.distributed.tensor, which need not be imported."""
    return hasattr(x, "full_tensor")


def this_rank() -> tuple[int, int]:
    """This process's rank in torch.distributed, and how many there are; without it 0 of 1."""
    dist = sys.modules.get("torch.distributed")
    if dist is None or not dist.is_available() or not dist.is_initialized():
        return 0, 1
    return dist.get_rank(), dist.get_world_size()


def type_name(value: object) -> str:
    """The type of a value with the package it comes from, as pandas.DataFrame."""
    kind = type(value)
    package = kind.__module__.split(".")[0]
    return kind.__qualname__ if package == "builtins" else f"{package}.{kind.__qualname__}"


def is_tensor(x: Any) -> bool:
    """Whether x is a torch tensor; torch is not imported to find out.

    Unlike array_api_compat's test it keeps no cache, which torch.compile would warn of.
    """
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def library(x: Any) -> str:
    """ "torch", "jax" or "numpy", whose array x is; "" where it is none of theirs."""
    if is_tensor(x):
        return "torch"
    if type(x) in (np.ndarray, np.memmap):
        return "numpy"
    jax = sys.modules.get("jax")  # traced data count as its arrays too
    return "jax" if jax is not None and isinstance(x, getattr(jax, "Array", ())) else ""


def namespace(x: Array) -> Any:
    """torch, jax.numpy or NumPy, for functions that all have under one name."""
    if is_tensor(x):
        return sys.modules["torch"]
    return sys.modules["jax"].numpy if library(x) == "jax" else np


def dtype_kind(x: Array) -> str:
    """NumPy's letter for the kind of numbers in x; "u" for all that torch calls unsigned."""
    if is_tensor(x):
        if x.is_floating_point() or x.is_complex():
            return "c" if x.is_complex() else "f"
        return "i" if x.dtype.is_signed else "u"
    kind = str(getattr(x.dtype, "kind", ""))
    if kind == "V" and library(x) == "jax":  # bfloat16 and the like, unknown to NumPy
        xp = namespace(x)
        numbers = {"f": xp.floating, "i": xp.signedinteger, "u": xp.unsignedinteger}
        return next((one for one, some in numbers.items() if xp.issubdtype(x.dtype, some)), "")
    return kind


def as_numpy(value: Any) -> NDArray[Any]:
    """Elements or data as a NumPy array, fetched from the device if they are there.

    Raises a TypeError or a RuntimeError for data that are only traced and have no values yet.
    """
    if is_tensor(value):
        tensor = value.detach().cpu().resolve_conj().resolve_neg()
        # NumPy has no bfloat16
        return np.asarray(tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor)
    if library(value) == "jax" and dtype_kind(value) == "f" and value.dtype.kind == "V":
        return np.asarray(value.astype(np.float32))
    return np.asarray(value)


def is_traced(x: Array) -> bool:
    """Whether x stands for data to come, under jax.jit or torch.compile, say: it has no values."""
    if is_tensor(x) and namespace(x).compiler.is_compiling():
        return True
    try:
        as_numpy(x[:1])
    except (TypeError, RuntimeError):
        return True
    return False


def to_namespace_of(x: Array, array: NDArray[Any]) -> Array:
    """`array` for use with x, on x's device; floating-point arrays in x's precision."""
    if not is_tensor(x):
        return array.astype(x.dtype, copy=False) if array.dtype.kind == "f" else array
    array = array if array.flags.writeable else array.copy()  # a tensor would share the memory
    tensor = namespace(x).asarray(array, device=x.device)
    return tensor.to(x.dtype) if array.dtype.kind == "f" else tensor


def has_channels_last(x: Array) -> bool:
    """Whether a tensor (n, channels, ...) has its channels last in memory, and nothing else moved."""
    return x.ndim > 2 and not x.is_contiguous() and x.movedim(1, -1).is_contiguous()


def gather(x: Array, index: Array, axes: Shape) -> Array:
    """y[j] = x[index[j]] on the flattened `axes` of x (1 or k, n, ...), with index (k, size).

    `axes` count from the end. NumPy is fastest gathering whole rows, which leaves the result a
    transposed view; torch is fastest with its own gather, or with rows where some follow the axes, as
    the channels do in memory that has them last: they stay there.
    """
    if is_tensor(x) and x.shape[0] and 2 - x.ndim not in axes and has_channels_last(x[0]):
        rows = gather(x.movedim(2, -1), index, tuple(axis - 1 for axis in axes))
        return rows.movedim(-1, 2)
    if is_tensor(x) and axes[-1] < -1 and axes == tuple(range(axes[0], axes[-1] + 1)):
        return _gather_rows(x, index, axes)
    last = tuple(range(-len(axes), 0))
    xp = namespace(x)
    x = xp.moveaxis(x, axes, last) if axes != last else x
    shape = x.shape[1:]
    size = index.shape[1]
    x = x.reshape((x.shape[0], math.prod(shape) // max(size, 1), size))
    if is_tensor(x):
        full = (index.shape[0], *x.shape[1:])
        y: Array = x.expand(full).gather(-1, index[:, None, :].expand(full))
    elif x.shape[0] != 1:
        y = xp.take_along_axis(x, index[:, None, :], axis=-1)
    elif xp is np:
        y = np.ascontiguousarray(x[0].T).take(index, axis=0).swapaxes(1, 2)
    else:
        y = xp.moveaxis(xp.take(x[0], index, axis=-1), 1, 0)
    y = y.reshape((index.shape[0], *shape))
    return xp.moveaxis(y, last, axes) if axes != last else y


def _gather_rows(x: Array, index: Array, axes: Shape) -> Array:
    """`gather` for a tensor whose `axes` stand side by side, with others behind: those are rows."""
    k, size = index.shape
    blocks = math.prod(x.shape[1 : x.ndim + axes[0]])  # of `size` rows each, per entry of axis 0
    starts = size * namespace(x).arange(x.shape[0] * blocks, device=x.device)
    rows = starts.reshape(x.shape[0], blocks, 1) + index[:, None, :]
    table = x.reshape((x.shape[0] * blocks * size, math.prod(x.shape[axes[-1] + 1 :])))
    return table.index_select(0, rows.reshape(k * blocks * size)).reshape((k, *x.shape[1:]))


def leaves(x: Any) -> list[Array]:
    """The arrays in x, in order.

    Examples:
        >>> from sparseaug.actions.arrays import leaves
        >>> leaves((1, {"a": 2, "b": (3, 4)}))
        [1, 2, 3, 4]
    """
    if hasattr(x, "shape"):  # most data: the search in abstract types is slow
        return [x]
    if isinstance(x, Mapping):
        x = tuple(x.values())
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


def map_leaves(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """The function of every array in x (and of those in the same places of others), in x's form."""
    if hasattr(x, "shape"):
        return function(x, *others)
    if isinstance(x, Mapping):
        return {
            name: map_leaves(function, part, *(other[name] for other in others))
            for name, part in x.items()
        }
    if not isinstance(x, tuple):
        return function(x, *others)
    parts = [map_leaves(function, *some) for some in zip(x, *others, strict=True)]
    return x._make(parts) if hasattr(x, "_make") else tuple(parts)


def shapes_of(x: Any) -> Any:
    """The shape of x, or those of its arrays in x's form."""
    return map_leaves(lambda array: tuple(array.shape), x)


def joined(moved: Any) -> Any:
    """Data (k, n, ...) as (k n, ...)."""
    return map_leaves(
        lambda y: namespace(y).reshape(y, (y.shape[0] * y.shape[1], *y.shape[2:])), moved
    )


def describe(x: Any) -> str:
    """Shapes and types of data, in words."""
    arrays = leaves(x)
    shapes, types = [tuple(array.shape) for array in arrays], [array.dtype for array in arrays]
    if len(arrays) == 1:
        return f"shape {shapes[0]} and dtype {types[0]}"
    return f"shapes {', '.join(map(str, shapes))} and dtypes {', '.join(map(str, types))}"


def require_samples(x: Any, name: str = "x") -> int:
    """The number of samples of the arrays in x, or an `ArgumentError` unless they have one."""
    arrays = leaves(x)
    for array in arrays:
        require_data(array, name)
    # neither len nor int nor a set: torch.export would take the number for a constant
    if not arrays or any(array.shape[0] != arrays[0].shape[0] for array in arrays[1:]):
        counts = [len(array) for array in arrays]
        raise ArgumentError(f"{name} holds arrays of {counts} samples; give as many in each.")
    count: int = arrays[0].shape[0]
    return count


def call(function: Callable[..., Any], x: Any) -> Any:
    """function(x); of a tuple function(*x), of a dict function(**x)."""
    if isinstance(x, Mapping):
        return function(**x)
    return function(*x) if isinstance(x, tuple) else function(x)
