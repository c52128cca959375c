"""The m copies of a batch, made on the device where the batch is: S and its index arrays are buffers.

Nothing is drawn here. The same S serves every step, so indices, signs and matrices are prepared once
for a shape of sample and travel with the module; a batch then costs one gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from sparseaug._checks import check_integer, check_list, check_type
from sparseaug.actions import Action, PreparedAction
from sparseaug.actions.arrays import Shape, describe, leaves, map_leaves, require_dense
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError
from sparseaug.nn.states import facts_of, kept_rows, rows_in, sample_in
from sparseaug.sampling import GroupSample
from sparseaug.sampling.distinct import Distinct, distinct
from sparseaug.sampling.sample import as_sample

Which: TypeAlias = slice | Sequence[int] | Tensor | None


class OrbitBatch(nn.Module):
    """Move every sample of a batch by every element of S: (B, ...) becomes (B m, ...).

    Args:
        action: how the group moves one sample
        S: the sample, of the action's group; kept in the state dict: its rows `elements`, and where
            they came from

    Copy j B + i is sample i moved by element j, as `sparseaug.augment` has it. The first batch, and
    one of another shape or precision, prepares what moves it, which compiled code cannot do: call it
    on one batch before `torch.compile` or `torch.export`. Loading a state dict adopts its S with its
    seed and calls, if that is one of the same group. x may be a tuple or a dict of tensors where the
    action moves them together (`sparseaug.together`); so are the copies then.

    Examples:
        >>> import sparseaug as sa, torch
        >>> from sparseaug.nn import OrbitBatch
        >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
        >>> orbit = OrbitBatch(sa.permute_axis(S.group), S)
        >>> orbit(torch.tensor([[1, 2, 3]]))
        tensor([[1, 2, 3], [3, 1, 2]])
        >>> orbit.repeat(torch.tensor([6]))
        tensor([6, 6])
    """

    elements: Tensor

    def __init__(self, action: Action, S: GroupSample | Literal["full"]) -> None:
        super().__init__()
        require_action(action)
        S = as_sample(S, action.distribution)
        self.action = action
        self._given = S
        self._like: Any = None  # one sample without memory, as those that it is prepared for
        self._prepared_for: tuple[list[Shape], list[torch.dtype] | None] = [], None
        self._count = 0  # of prepared arrays
        self._once: tuple[Any, Distinct | None] = None, None
        self.register_buffer("elements", kept_rows(S.elements))
        self._equal()

    @property
    def m(self) -> int:
        """Number of elements of S."""
        return self.elements.shape[0]

    @property
    def sample(self) -> GroupSample:
        """S: the one given, or the one that a state dict or another rank brought."""
        if not self.elements.is_meta:
            rows = rows_in(self.elements, self.action.distribution)
            if not np.array_equal(rows, self._given.elements):
                self._given = GroupSample(self.action.distribution, rows)
        return self._given

    def _equal(self) -> Distinct | None:
        """What is equal among the elements of S, for means over S; None where all differ."""
        if torch.compiler.is_compiling() or self.elements.is_meta:
            return self._once[1]
        # other ranks change it in place, which its version tells; tensors of inference have none
        version = None if self.elements.is_inference() else self.elements._version
        now = self.elements.data_ptr(), version, self.elements.device, self.m
        if self._once[0] != now:
            found = distinct(self.elements.cpu().numpy())
            tensors = [torch.as_tensor(part, device=self.elements.device) for part in found]
            self._once = now, Distinct(*tensors) if len(found.first) < self.m else None
        return self._once[1]

    def forward(self, x: Any, which: Which = None) -> Any:
        """The copies of x (B, ...): (B m, ...), or (B k, ...) for k positions in S.

        `which` names the elements of S for this step: a slice, a list, or a 1-D integer tensor. A
        tensor on an accelerator is not checked, since that would wait for the device.
        """
        action = self._ready(x, 0)
        moved = action.apply(self._prepared(which), map_leaves(lambda part: part[None], x))
        return map_leaves(lambda part: part.flatten(0, 1), moved)

    def _move_each(self, x: Any, which: Which) -> Any:
        """Data x[j] (m, B, ...) moved by element j alone."""
        return self._ready(x, 1).apply(self._prepared(which), x)

    def repeat(self, y: Tensor, which: Which = None) -> Tensor:
        """Targets y (B, ...) that do not move, once per element: (B m, ...), laid out as the copies.

        Targets that move have an `OrbitBatch(y_action, S)` of their own.

        Args:
            y: targets (B, ...)
            which: positions in S; all if None
        """
        require_tensor("y", y, 1)
        copies = self.m if which is None else len(positions(which, self.m, y.device))
        return y.expand(copies, *y.shape).flatten(0, 1)

    def extra_repr(self) -> str:
        return f"{type(self.action).__name__} of {self.action.distribution.name}, m={self.m}"

    def _apply(self, fn: Any, recurse: bool = True) -> OrbitBatch:
        """As torch has it; matrices are then made again, from the rows, in the new precision."""
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        now = {part.dtype for part in self._parts() if _is_number(part.dtype)}
        if now and now.isdisjoint(self._prepared_for[1] or ()) and not self.elements.is_meta:
            (dtype,) = now  # to which torch has brought all of them
            self._prepare(map_leaves(lambda part: part.to(dtype), self._like))
        self._equal()
        return self

    def get_extra_state(self) -> Tensor:
        """Calls, origin and hash of S."""
        return facts_of(self.sample)

    def set_extra_state(self, state: Any) -> None:
        """Nothing: `_load_from_state_dict` takes these facts with the rows that they belong to."""

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Adopt the S of the state dict, or raise an error if it is not one of this group."""
        S = None
        if f"{prefix}elements" in state_dict:
            S = sample_in(state_dict, prefix, self.action.distribution)
            self.elements = self.elements.new_empty(S.elements.shape)  # m may differ
        super()._load_from_state_dict(state_dict, prefix, *rest)
        if S is not None:
            self._given = S
        if self._like is not None:
            self._prepare(self._like)
        self._equal()

    def _ready(self, x: Any, leading: int) -> Action:
        """Check x, whose sample axis is axis `leading`, prepare for it if need be; what moves it."""
        action = self.action.over(x)
        parts = leaves(x)
        for part in parts:
            require_tensor("x", part, 2 + leading)
        shapes, dtypes = self._prepared_for
        same = shapes == [tuple(part.shape[1 + leading :]) for part in parts]
        if not same or (dtypes is not None and dtypes != [part.dtype for part in parts]):
            self._prepare(map_leaves(lambda part: _without_memory(part, leading), x))
        return action

    def _prepare(self, like: Any) -> None:
        """Make what `apply` needs for samples like this one; floating arrays in its precision.

        They are buffers, not kept by the `PreparedAction`: torch moves, broadcasts and exports them.
        """
        rows, device = rows_in(self.elements, self.action.distribution), self.elements.device
        here = map_leaves(lambda part: _number(part.dtype, device).expand(part.shape), like)
        with torch.inference_mode(False):  # else no later gradient could go through it
            prepared = PreparedAction(self.action, rows).prepared(here)
        for k, array in enumerate(prepared):
            tensor = array if isinstance(array, Tensor) else torch.as_tensor(array, device=device)
            self.register_buffer(f"prepared_{k}", tensor.contiguous(), persistent=False)
        self._like, self._count = like, len(prepared)
        exact = not any(_is_number(part.dtype) for part in self._parts())
        shapes = [tuple(part.shape[1:]) for part in leaves(like)]
        self._prepared_for = shapes, None if exact else [part.dtype for part in leaves(like)]

    def _parts(self) -> list[Tensor]:
        return [getattr(self, f"prepared_{k}") for k in range(self._count)]

    def _prepared(self, which: Which) -> list[Tensor]:
        if which is None:
            return self._parts()
        chosen = positions(which, self.m, self.elements.device)
        return [part.index_select(0, chosen) for part in self._parts()]


def require_tensor(name: str, x: Any, axes: int) -> None:
    """Raise an `ArgumentError` unless x is a dense tensor with at least this many axes."""
    check_type(name, x, Tensor, "a tensor; convert it, torch.as_tensor")
    require_dense(name, x)
    if x.ndim < axes:
        raise ArgumentError(f"{name} has shape {tuple(x.shape)}; give at least {axes} axes.")


def positions(which: slice | Sequence[int] | Tensor, m: int, device: torch.device) -> Tensor:
    """`which` as a 1-D tensor of positions in 0..m-1 on the device."""
    if isinstance(which, slice):
        which = list(range(m)[which])
    if not isinstance(which, Tensor):
        # a frame would list its columns
        given: list[Any] = check_list("which", which) if getattr(which, "ndim", 1) == 1 else [which]
        listed = [check_integer("which", position, below=m) for position in given]
        which = torch.tensor(listed, dtype=torch.int64)
    if which.ndim != 1 or not len(which) or _is_number(which.dtype) or which.dtype == torch.bool:
        raise ArgumentError(f"which is {describe(which)}; give positions in 0..{m - 1}.")
    if which.device.type == "cpu" and not torch.compiler.is_compiling():
        for position in (which.min(), which.max()):
            check_integer("which", int(position), below=m)
    return which.to(device, torch.int64)


def _without_memory(x: Tensor, leading: int) -> Tensor:
    """One sample of x, whose sample axis is axis `leading`."""
    return torch.empty((1, *x.shape[1 + leading :]), dtype=x.dtype, device="meta")


def _number(dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.zeros((), dtype=dtype if _is_number(dtype) else torch.float32, device=device)


def _is_number(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex
