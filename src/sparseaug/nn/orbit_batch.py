"""The m copies of a batch, made on the device where the batch is: S and its index arrays are buffers.

Nothing is drawn here. The same S serves every step, so indices, signs and matrices are prepared once
for a shape of sample and travel with the module; a batch then costs one gather.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from sparseaug._checks import check_integer
from sparseaug.actions import Action, PreparedAction
from sparseaug.actions.arrays import Shape, has_channels_last, leaves, map_leaves
from sparseaug.actions.base import require_action
from sparseaug.actions.prepared import Distinct, distinct
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.nn.checks import require_tensor
from sparseaug.nn.states import EXTRA, digest_of, facts_of, kept_rows, rows_in, sample_in
from sparseaug.sampling import GroupSample
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.sample import as_sample

Which: TypeAlias = slice | Sequence[int] | Tensor | None

_MOST_CELLS = 1 << 24
"""Entries of all copies of a batch up to which their sources are kept, 64 MiB."""


class OrbitBatch(nn.Module):
    """Move every sample of a batch by every element of S: (B, ...) becomes (B m, ...).

    Args:
        action: how the group moves one sample
        S: the sample, of the action's group; kept in the state dict: its rows `elements`, and where
            they came from
        sample_shape: shape of one sample, without the sample axis; by default the first batch tells;
            a tuple or dict of shapes where several arrays move together

    Copy j B + i is sample i moved by element j, as `sparseaug.augment` has it. A batch of another
    shape or precision prepares again, which compiled code cannot do: give `sample_shape`, or one
    batch before compiling. Loading a state dict adopts its S with its seed and calls, if that is one
    of the same group. x may be a tuple or a dict of tensors where the action moves them together
    (`sparseaug.together`); so are the copies then. Copies of a batch with its channels last
    (`torch.channels_last`) have them last too.

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
    group_digest: Tensor  # which group the rows belong to: rows alone do not tell C4 from C8

    def __init__(
        self, action: Action, S: GroupSample | Literal["full"], *, sample_shape: Any = None
    ) -> None:
        super().__init__()
        require_action(action)
        S = as_sample(S, action.distribution)
        self.action = action
        self._given = S
        self._like: Any = None  # one sample without memory, as those that it is prepared for
        self._prepared_for: tuple[list[Shape], list[torch.dtype] | None] = [], None
        self._count = 0  # of prepared arrays
        self._once: tuple[Any, Distinct | None] = None, None
        self._kept_cells: tuple[Any, Tensor | None] = None, None
        self.register_buffer("elements", kept_rows(S.elements))
        self.register_buffer("group_digest", digest_of(S.distribution))
        self._equal()
        if sample_shape is not None:
            try:
                self._prepare(_sample_without_memory(sample_shape))
            except (ArgumentError, TypeError, RuntimeError) as error:  # torch's, of huge sizes
                raise ArgumentError(
                    f"sample_shape={shorten(sample_shape)} does not fit: {error}"
                ) from error

    @property
    def m(self) -> int:
        """Number of elements of S."""
        return self.elements.shape[0]

    @property
    def sample(self) -> GroupSample:
        """S: the one given, or the one that a state dict or another rank brought."""
        rows = rows_in(self.elements, self.action.distribution)
        if not np.array_equal(rows, self._given.elements):
            self._given = GroupSample(self.action.distribution, rows)
        return self._given

    def _equal(self) -> Distinct | None:
        """What is equal among the elements of S, for means over S; None where all differ."""
        if torch.compiler.is_compiling() or self.elements.is_meta:
            return self._once[1]
        now = self.elements.data_ptr(), _version(self.elements), self.elements.device, self.m
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
        cells = self._cells(action, x) if which is None else None
        if cells is not None:
            as_stored = _as_stored(x)
            copies = as_stored.reshape(-1).index_select(0, cells).reshape(-1, *as_stored.shape[1:])
            return copies if as_stored is x else copies.movedim(-1, 1)
        moved = action.apply(self._prepared(which), map_leaves(lambda part: part[None], x))
        return map_leaves(lambda part, like: _stored_as(like, part.flatten(0, 1)), moved, x)

    def _cells(self, action: Action, x: Any) -> Tensor | None:
        """Where each entry of all copies of such a batch comes from; None where that is not better.

        On an accelerator one launch is most of the time of a small batch, and this needs one. The
        index is kept for the last batch size, until S changes.
        """
        if action.kind != "entries" or not isinstance(x, Tensor) or torch.compiler.is_compiling():
            return None
        if not _is_accelerator(x.device) or self.m * x.numel() > _MOST_CELLS:
            return None
        last = has_channels_last(x)
        now = x.shape, last, x.device, [_version(part) for part in self._parts()]
        if self._kept_cells[0] != now:
            numbers = torch.arange(x.numel(), device=x.device).reshape(_as_stored(x).shape)
            numbers = numbers.movedim(-1, 1) if last else numbers
            cells = action.apply(self._parts(), numbers[None]).flatten(0, 1)
            cells = (cells.movedim(1, -1) if last else cells).reshape(-1)
            self._kept_cells = now, cells.to(torch.int32)  # at most _MOST_CELLS
        return self._kept_cells[1]

    def move_each(self, x: Any, which: Which = None) -> Any:
        """Data x[j] (B, ...) moved by element j alone: (m, B, ...) stays (m, B, ...).

        Args:
            x: data (m, B, ...)
            which: positions in S; all if None
        """
        action = self._ready(x, 1)
        prepared = self._prepared(which)
        for part in leaves(x):
            if len(part) != len(prepared[0]):
                raise ArgumentError(
                    f"x has {len(part)} entries on axis 0, but which names {len(prepared[0])} "
                    "elements; give one entry for each."
                )
        return action.apply(prepared, x)

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

    def subset(self, step: int, size: int, *, seed: int = 0) -> Tensor:
        """Positions in S for a step: each ceil(m / size) steps go through all of S once.

        A function of its arguments alone, so it is the same on every rank and after a resume.

        Args:
            step: the number of the step, from 0
            size: elements per step
            seed: of the order in which S is used

        Examples:
            >>> import torch
            >>> import sparseaug as sa
            >>> from sparseaug.nn import OrbitBatch
            >>> orbit = OrbitBatch(sa.roll(sa.cyclic(9), (-1,)), sa.Oracle(sa.cyclic(9)).draw(4))
            >>> sorted(torch.cat([orbit.subset(step, 2) for step in (0, 1)]).tolist())
            [0, 1, 2, 3]
        """
        step = check_integer("step", step)
        size = check_integer("size", size, at_least=1, below=self.m + 1)
        turn, place = divmod(step, -(-self.m // size))
        order = keyed_rng(seed, "orbit subset", step=turn).permutation(self.m)
        chosen = order[place * size : (place + 1) * size]
        return torch.as_tensor(chosen, device=self.elements.device)

    def extra_repr(self) -> str:
        return f"{type(self.action).__name__} of {self.action.distribution.name}, m={self.m}"

    def _apply(self, fn: Any, recurse: bool = True) -> OrbitBatch:
        """As torch has it; matrices are then made again, from the rows, in the new precision."""
        try:
            super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        except (AssertionError, RuntimeError) as error:  # torch's, where there is no such device
            raise ArgumentError(
                f"device cannot hold S: {error}; give one that is there."
            ) from error
        now = {part.dtype for part in self._parts() if _is_number(part.dtype)}
        if now and now.isdisjoint(self._prepared_for[1] or ()) and not self.elements.is_meta:
            (dtype,) = now  # to which torch has brought all of them
            self._prepare(map_leaves(lambda part: part.to(dtype), self._like))
        self._equal()
        return self

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """As torch has it, but a state that does not fit is an `ArgumentError` and changes nothing."""
        require_loadable(self, state_dict, strict=strict)
        return super().load_state_dict(state_dict, strict, assign)

    def get_extra_state(self) -> Tensor:
        """Calls, origin and hash of S."""
        return facts_of(self._given if self.elements.is_meta else self.sample)

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
            if part.device != self.elements.device:
                raise ArgumentError(
                    f"x is on {part.device}, but S is on {self.elements.device}; "
                    f"move one of them, as with .to({str(part.device)!r})."
                )
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
        self._kept_cells = None, None
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


def require_loadable(
    module: nn.Module, state_dict: Any, *, strict: bool, others: bool = False
) -> dict[str, Rows]:
    """The rows of every S in a state dict of `module`, by prefix; an `ArgumentError` if one is amiss.

    With `strict` each `OrbitBatch` in the module must find its S, and where there are no `others`
    (parameters of a model) nothing else may stand in the state dict. Nothing is loaded here.
    """
    if not isinstance(state_dict, Mapping) or not all(isinstance(key, str) for key in state_dict):
        raise ArgumentError(
            f"state_dict={shorten(state_dict)} is not a mapping by names; give what state_dict returned."
        )
    parts = {
        f"{name}." if name else "": part
        for name, part in module.named_modules()
        if isinstance(part, OrbitBatch)
    }
    known = [prefix + name for prefix in parts for name in ("elements", "group_digest", EXTRA)]
    missing = [key for key in known if key not in state_dict]
    unknown = [] if others else [key for key in state_dict if key not in known]
    if strict and (missing or unknown):
        some = any(key in state_dict for key in module.state_dict())
        raise ArgumentError(
            f"state_dict lacks {shorten(missing)} and has {shorten(unknown)} besides; give what "
            f"state_dict returned{', or strict=False' if some else ''}."
        )
    return {
        prefix: sample_in(state_dict, prefix, part.action.distribution).elements
        for prefix, part in parts.items()
        if f"{prefix}elements" in state_dict
    }


def positions(which: slice | Sequence[int] | Tensor, m: int, device: torch.device) -> Tensor:
    """`which` as a 1-D tensor of positions in 0..m-1 on the device."""
    if isinstance(which, slice):
        which = list(range(m)[which])
    if not isinstance(which, Tensor):
        try:
            if getattr(which, "ndim", 1) != 1:  # as a frame has, which lists its columns
                raise TypeError("it has several axes")
            given = list(which)
        except Exception as error:  # whatever a foreign object raises
            raise ArgumentError(
                f"which={shorten(which)} is not a slice, a list or a 1-D tensor; give positions in "
                f"0..{m - 1}."
            ) from error
        listed = [check_integer("which", position, below=m) for position in given]
        which = torch.tensor(listed, dtype=torch.int64)
    if which.ndim != 1 or not len(which) or _is_number(which.dtype) or which.dtype == torch.bool:
        raise ArgumentError(
            f"which has shape {tuple(which.shape)} and dtype {which.dtype}; give a slice, a list or "
            f"a 1-D integer tensor of some positions in 0..{m - 1}."
        )
    if which.device.type == "cpu" and not torch.compiler.is_compiling():
        for position in (which.min(), which.max()):
            check_integer("which", int(position), below=m)
    return which.to(device, torch.int64)


def _sample_without_memory(sample_shape: Any) -> Any:
    """One sample of these shapes, in the default precision."""
    if isinstance(sample_shape, Mapping):
        return {name: _sample_without_memory(part) for name, part in sample_shape.items()}
    if not isinstance(sample_shape, Sequence) or isinstance(sample_shape, str | bytes):
        raise ArgumentError("it is not a tuple; give one such as (3, 8, 8).")
    if sample_shape and all(isinstance(part, Sequence | Mapping) for part in sample_shape):
        return tuple(map(_sample_without_memory, sample_shape))
    shape = [check_integer("sample_shape", size) for size in sample_shape]
    return torch.empty((1, *shape), device="meta")


def _without_memory(x: Tensor, leading: int) -> Tensor:
    """One sample of x, whose sample axis is axis `leading`."""
    return torch.empty((1, *x.shape[1 + leading :]), dtype=x.dtype, device="meta")


def _as_stored(x: Tensor) -> Tensor:
    """x (B, ...) with its axes in the order of memory, where its channels are last there."""
    return x.movedim(1, -1) if has_channels_last(x) else x


def _stored_as(x: Tensor, copies: Tensor) -> Tensor:
    """The copies with their channels last in memory, where those of x are; most are so already."""
    if not has_channels_last(x):
        return copies
    return copies.movedim(1, -1).contiguous().movedim(-1, 1)


def _number(dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.zeros((), dtype=dtype if _is_number(dtype) else torch.float32, device=device)


def _is_accelerator(device: torch.device) -> bool:
    return device.type not in ("cpu", "meta")


def _version(tensor: Tensor) -> int | None:
    """What grows when a tensor is changed in place, as other ranks do; inference has none."""
    return None if tensor.is_inference() else tensor._version


def _is_number(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex
