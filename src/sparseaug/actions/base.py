"""What an action is: elements (k, width) and data (n, ...) give moved data (k, n, ...).

It works in two steps. `prepare` turns elements into a few plain arrays (indices, signs, matrices),
with NumPy; `apply` uses them on the data, in operations that NumPy and torch both have. So the data
may live on any device, gradients flow through `apply`, and prepared arrays can be kept and reused.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from array_api_compat import is_array_api_obj
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, LawError, check_integer, shorten
from sparseaug.groups import Group, Rows

Array: TypeAlias = Any  # a NumPy array or a torch tensor
Shape: TypeAlias = tuple[int, ...]


class Action(ABC):
    """A left action of `group` on arrays: act(ab, x) = act(a, act(b, x))."""

    group: Group
    parts: int = 1  # number of arrays that `prepare` returns

    @abstractmethod
    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """What `apply` needs of these elements for data of this shape (n, ...)."""

    @abstractmethod
    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Move x (1 or k, n, ...) by k elements: (k, n, ...). Of k data, element j moves x[j]."""

    def __call__(self, elements: Any, x: Array) -> Array:
        """Every element applied to every sample: (k, n, ...). `elements` may also be a sample S."""
        rows = self.rows(elements)
        require_data(x)
        prepared = self.prepare(rows, tuple(x.shape))
        return self.apply([to_namespace_of(x, array) for array in prepared], x[None])

    def rows(self, elements: Any) -> Rows:
        """The rows of a sample S of this group (checked when it was made), or rows, checked now."""
        group = getattr(elements, "group", None)
        if group is None or not hasattr(elements, "elements"):
            return self.group.check(as_numpy(elements))
        if group != self.group:
            raise ArgumentError(
                f"S is a sample of {group.name}, but the action is of {self.group.name}; "
                "use one group."
            )
        return elements.elements


def broken_law(action: Action, x: Array, a: Rows, b: Rows) -> str:
    """Which law of a left action fails on these samples and elements (k, width), or ""."""
    group = action.group
    moved_by_b = action(b, x)
    first = moved_by_b[0] if not isinstance(moved_by_b, tuple) else tuple(y[0] for y in moved_by_b)
    if not _same(action(group.identity(), x), x):
        return "the identity moves x"
    if not _same(action(a, first), action(group.compose(a, b[:1]), x)):
        return "act(compose(a, b), x) differs from act(a, act(b, x))"
    return ""


def require_law(action: Action, x: Array, *, seed: int = 0, pairs: int = 16) -> None:
    """Raise a `LawError` unless the laws of a left action hold on x for some random elements."""
    if not len(x[0] if isinstance(x, tuple) else x):
        raise ArgumentError("samples is empty; give at least one sample to check the laws on.")
    rng = np.random.default_rng(seed)
    for _ in range(pairs):
        reason = broken_law(action, x, action.group.sample(8, rng), action.group.sample(1, rng))
        if reason:
            raise LawError(
                f"{type(action).__name__} is not a left action of {action.group.name}: {reason}; "
                "for permutations (g.x)[g(i)] = x[i]."
            )


def gather(x: Array, index: Array, axes: Shape) -> Array:
    """y[j] = x[index[j]] on the flattened `axes` of x (1 or k, n, ...), with index (k, size).

    `axes` count from the end. NumPy is fastest gathering whole rows, which leaves the result a
    transposed view; torch is fastest with its own gather, or with rows where some follow the axes.
    """
    if is_tensor(x) and axes[-1] < -1 and axes == tuple(range(axes[0], axes[-1] + 1)):
        return _gather_rows(x, index, axes)
    last = tuple(range(-len(axes), 0))
    x = namespace(x).moveaxis(x, axes, last) if axes != last else x
    shape = x.shape[1:]
    size = index.shape[1]
    x = x.reshape((x.shape[0], math.prod(shape) // max(size, 1), size))
    if is_tensor(x):
        full = (index.shape[0], *x.shape[1:])
        y: Array = x.expand(full).gather(-1, index[:, None, :].expand(full))
    elif x.shape[0] == 1:
        y = np.ascontiguousarray(x[0].T).take(index, axis=0).swapaxes(1, 2)
    else:
        y = np.take_along_axis(x, index[:, None, :], axis=-1)
    y = y.reshape((index.shape[0], *shape))
    return namespace(y).moveaxis(y, last, axes) if axes != last else y


def is_tensor(x: Any) -> bool:
    """Whether x is a torch tensor; torch is not imported to find out.

    Unlike array_api_compat's test it keeps no cache, which torch.compile would warn of.
    """
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def namespace(x: Array) -> Any:
    """The library of x: torch or NumPy, for functions that both have under one name."""
    return sys.modules["torch"] if is_tensor(x) else np


def dtype_kind(x: Array) -> str:
    """NumPy's letter for the kind of numbers in x; "u" for all that torch calls unsigned."""
    if not is_tensor(x):
        return str(x.dtype.kind)
    if x.is_floating_point() or x.is_complex():
        return "c" if x.is_complex() else "f"
    return "i" if x.dtype.is_signed else "u"


def check_axes(name: str, axes: Any) -> Shape:
    """`axes`, one integer or several different ones, as a tuple."""
    given = axes if isinstance(axes, list | tuple) else (axes,)
    checked = tuple(check_integer(name, axis, at_least=-64, below=64) for axis in given)
    if not checked or len(set(checked)) < len(checked):
        raise ArgumentError(f"{name}={axes} must name different axes of a sample.")
    return checked


def require_group(group: Any) -> None:
    """Raise an `ArgumentError` unless it is a group."""
    if not isinstance(group, Group):
        raise ArgumentError(f"group={shorten(group)} is not a group; try sparseaug.group('S6').")


def axes_from_end(axes: Sequence[int], ndim: int, name: str) -> Shape:
    """`axes` of an array with `ndim` axes counted from the end; the sample axis 0 is refused."""
    counted = tuple([axis - ndim if axis >= 0 else axis for axis in axes])
    if min(counted) <= -ndim or max(counted) >= 0 or len(set(counted)) < len(counted):
        raise ArgumentError(
            f"{name}={axes[0] if len(axes) == 1 else axes} is not an axis of one sample; x has "
            f"{ndim} axes, the first counts the samples: give 1..{ndim - 1} or -1..-{ndim - 1}."
        )
    return counted


def require_size(given: int, wanted: int, what: str, group: Group) -> None:
    """Raise an `ArgumentError` unless the moved axis has as many entries as the group moves."""
    if given != wanted:
        raise ArgumentError(
            f"x has {given} entries on {what}, but {group.name} moves {wanted}; "
            "choose another axis or a group of that size."
        )


def require_data(x: Array) -> None:
    """Raise an `ArgumentError` unless x is an array (n, ...) with at least one axis per sample."""
    if not is_array_api_obj(x):
        raise ArgumentError(f"x={shorten(x)} is not an array; give a NumPy array or torch tensor.")
    if x.ndim < 2:
        raise ArgumentError(f"x has shape {tuple(x.shape)}; give samples as (n, ...), one a row.")


def as_numpy(elements: Any) -> NDArray[Any]:
    """Elements or data as a NumPy array, fetched from the device if they are a tensor."""
    if not is_tensor(elements):
        return np.asarray(elements)
    tensor = elements.detach().cpu()
    # NumPy has no bfloat16
    return np.asarray(tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor)


def to_namespace_of(x: Array, array: NDArray[Any]) -> Array:
    """`array` as an array of x's library on x's device; floating-point arrays in x's precision."""
    if not is_tensor(x):
        return array.astype(x.dtype, copy=False) if array.dtype.kind == "f" else array
    array = array if array.flags.writeable else array.copy()  # a tensor would share the memory
    tensor = namespace(x).asarray(array, device=x.device)
    return tensor.to(x.dtype) if array.dtype.kind == "f" else tensor


def _gather_rows(x: Array, index: Array, axes: Shape) -> Array:
    """`gather` for a tensor whose `axes` stand side by side, with others behind: those are rows."""
    k, size = index.shape
    blocks = math.prod(x.shape[1 : x.ndim + axes[0]])  # of `size` rows each, per entry of axis 0
    starts = size * namespace(x).arange(x.shape[0] * blocks, device=x.device)
    rows = starts.reshape(x.shape[0], blocks, 1) + index[:, None, :]
    table = x.reshape((x.shape[0] * blocks * size, math.prod(x.shape[axes[-1] + 1 :])))
    return table.index_select(0, rows.reshape(k * blocks * size)).reshape((k, *x.shape[1:]))


def _same(left: Array, right: Array) -> bool:
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    left, right = as_numpy(left), as_numpy(right)
    if np.broadcast_shapes(left.shape, right.shape) != left.shape:
        return False
    if left.dtype.kind not in "fc":
        return bool((left == right).all())
    tolerance = min(1e3 * float(np.finfo(left.dtype).eps), 1e-3)
    left, right = left.astype(np.complex128), right.astype(np.complex128)
    scale = float(abs(right).max(initial=0.0))
    return bool(abs(left - right).max(initial=0.0) <= tolerance * scale)
