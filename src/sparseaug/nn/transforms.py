"""A transform in the manner of torchvision v2, and which element of S moves a datum without an index.

That is a function of (S, seed, epoch, content). So a transform holds no generator: workers, ranks and
resumed runs choose alike, and equal data are moved alike. The epoch is in shared memory, where
persistent workers see it change; and so are some contents, until an epoch is set: when they come again
it is a second pass that nobody chose.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from typing import Any, Literal, final

import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from sparseaug._checks import check_integer
from sparseaug.actions import Action
from sparseaug.actions.arrays import require_dense
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError, SparseAugWarning, UnsupportedError, shorten
from sparseaug.sampling import GroupSample
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.sample import as_sample

_WATCHED = 64  # contents that are watched for a second pass


class RepeatedEpochWarning(SparseAugWarning):
    """A second pass without `set_epoch`: data are moved by the elements of the first one again."""


@final
class ContentKey:
    """Chooses one of the elements of S, `rows`, by the content of named tensors."""

    def __init__(self, S: GroupSample, seed: int) -> None:
        # in sorted order, so that the multiset alone decides, as its hash says
        self.rows = S.elements[np.lexsort(S.elements.T[::-1])]
        self.seed = check_integer("seed", seed, below=1 << 64)
        self._epoch = torch.zeros(1, dtype=torch.int64).share_memory_()
        # whether an epoch was set or the warning given; if not, some contents, and which came again
        self._told = torch.tensor([len(self.rows) == 1]).share_memory_()
        self._watched = torch.zeros((2, _WATCHED), dtype=torch.int64).share_memory_()

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return int(self._epoch[0])

    def set_epoch(self, epoch: int) -> None:
        """Choose again in this epoch."""
        self._epoch[0] = check_integer("epoch", epoch, below=1 << 63)
        self._told[0] = True

    def choose(self, tensors: Mapping[str, torch.Tensor], *, watch: bool) -> int:
        """The number of a row, uniform over contents, which may be watched for a second pass."""
        content = _hash(tensors)
        if watch:
            self._notice(content)
        rng = keyed_rng(self.seed, "choice by content", step=self.epoch, index=content)
        return int(rng.integers(len(self.rows)))

    def _notice(self, content: int) -> None:
        """Warn, once, when all contents that are watched have come again, with no epoch ever set.

        The first content of each place of a table is watched, so that workers may write to it at
        once: all that can happen is that one content is watched in place of another. A single one
        is not a pass over a data set.
        """
        if self._told[0]:
            return
        mark, place = content >> 1, content % _WATCHED  # a mark fits into 63 bits
        if self._watched[0, place] == 0:
            self._watched[0, place] = mark
        elif self._watched[0, place] == mark:
            self._watched[1, place] = 1
            watched, again = torch.count_nonzero(self._watched, dim=1).tolist()
            if watched == again > 1:
                self._told[0] = True
                warnings.warn(
                    f"data that were moved before come again and set_epoch was never called, so each is "
                    f"moved by the same one of {len(self.rows)} elements in every pass; call "
                    "set_epoch(epoch) before each epoch, or set_epoch(0) once if this is meant.",
                    RepeatedEpochWarning,
                    stacklevel=4,
                )


def _hash(tensors: Mapping[str, torch.Tensor]) -> int:
    """64 bits of the hash of these tensors."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().resolve_conj().resolve_neg().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        # the bytes themselves, for every dtype, also those that NumPy lacks
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


@final
class OrbitTransform(torch.nn.Module):
    """Move all images of a call by one element of S, chosen by (seed, epoch, content).

    Args:
        action: how the group moves one image (C, H, W); axes best count from the end, as for masks
            (H, W)
        S: the sample
        seed: of the choice

    Inputs are any nest of tuples, lists and dicts. As in v2, tensors of the types Image, Video and
    Mask are moved and keep their type; a plain tensor is moved if it is the first one and there is no
    Image or Video; the rest passes through. Boxes and key points cannot be moved and are refused.

    Call `set_epoch` before each epoch; without it every pass over the data moves an image by the same
    element, and a `RepeatedEpochWarning` says so, once, when a second pass is noticed.

    Examples:
        >>> import torch, sparseaug as sa
        >>> turn = sa.rotate_grid(sa.cyclic(4))
        >>> transform = OrbitTransform(turn, sa.GroupSample(turn.group, [[1]]))
        >>> transform(torch.tensor([[[1, 2], [3, 4]]]), 7)
        (tensor([[[2, 4], [1, 3]]]), 7)
    """

    def __init__(self, action: Action, S: GroupSample | Literal["full"], *, seed: int = 0) -> None:
        super().__init__()
        require_action(action)
        S = as_sample(S, action.group)
        self.action = action
        self.S = S
        self._key = ContentKey(S, seed)

    def set_epoch(self, epoch: int) -> None:
        """Choose again in this epoch."""
        self._key.set_epoch(epoch)

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """The number of the element for these inputs, by the content of the first one."""
        tensors = isinstance(flat_inputs, list) and all(map(torch.is_tensor, flat_inputs))
        if not tensors or not flat_inputs:
            raise ArgumentError(
                f"flat_inputs={shorten(flat_inputs)} hold no image; give tensors (C, H, W)."
            )
        return self._choose(flat_inputs[0], watch=False)

    def _choose(self, image: torch.Tensor, *, watch: bool) -> dict[str, Any]:
        require_dense("the image of inputs", image)
        plain = image.as_subclass(torch.Tensor)
        return {"element": self._key.choose({"image": plain}, watch=watch)}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """One input moved by the element of these params.

        Args:
            inpt: one of the inputs of a call
            params: what `make_params` returned
        """
        if not isinstance(inpt, torch.Tensor):
            raise ArgumentError(
                f"inpt={shorten(inpt)} is not a tensor; convert it first (v2.ToImage)."
            )
        require_dense("inpt", inpt)
        if not isinstance(params, dict) or "element" not in params:
            raise ArgumentError(
                f"params={shorten(params)} are not those that make_params returned."
            )
        number = check_integer('params["element"]', params["element"], below=len(self._key.rows))
        plain = inpt.as_subclass(torch.Tensor)
        row = self._key.rows[number][None]
        try:
            return self.action(row, plain[None])[0, 0].as_subclass(type(inpt))
        except ArgumentError as error:
            raise ArgumentError(f"inpt, one of the inputs, does not move: {error}") from error

    def forward(self, *inputs: Any) -> Any:
        """The inputs, with what is an image moved."""
        try:
            flat, spec = tree_flatten(inputs[0] if len(inputs) == 1 else inputs)
        except RecursionError as error:
            raise ArgumentError("inputs are nested too deep; give tensors.") from error
        chosen = _which_move(flat)
        images = [inpt for inpt, moves in zip(flat, chosen, strict=True) if moves]
        if not images:
            raise ArgumentError(
                f"inputs={shorten(inputs)} hold no image; give a tensor (C, H, W) or a tv_tensor."
            )
        params = self._choose(images[0], watch=True)
        moved = [
            self.transform(inpt, params) if moves else inpt
            for inpt, moves in zip(flat, chosen, strict=True)
        ]
        return tree_unflatten(moved, spec)

    def extra_repr(self) -> str:
        return f"{self.action!r}, {self.S!r}, seed={self._key.seed}"


def _which_move(flat: list[Any]) -> list[bool]:
    """For each input, whether it is moved."""
    kinds = [_kind(inpt) for inpt in flat]
    plain_moves = not {"Image", "Video"} & set(kinds)
    chosen = []
    for kind in kinds:
        chosen.append(kind in ("Image", "Video", "Mask") or (kind == "plain" and plain_moves))
        plain_moves = plain_moves and kind != "plain"
    return chosen


def _kind(inpt: Any) -> str:
    """ "Image", "Video", "Mask", "plain" or "other", by the names of the input's classes."""
    names = [base.__name__ for base in type(inpt).__mro__]
    if isinstance(inpt, torch.Tensor):
        if {"BoundingBoxes", "KeyPoints"} & set(names):
            raise UnsupportedError(
                f"inputs hold {names[0]}, but an action moves arrays of pixels, not coordinates; "
                "take them out, or turn them into a Mask."
            )
        return next((name for name in names if name in ("Image", "Video", "Mask")), "plain")
    if "Image" in names:  # PIL's
        raise ArgumentError(
            f"inputs hold {shorten(inpt)}, which is not a tensor; convert it first (v2.ToImage)."
        )
    return "other"
