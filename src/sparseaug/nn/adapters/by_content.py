"""Which element of S moves a datum that has no index: a function of (S, seed, epoch, content).

So a transform holds no generator: workers, ranks and resumed runs choose alike, and equal data are
moved alike. The epoch is in shared memory, where persistent workers see it change; and so are some
contents, until an epoch is set: when they come again it is a second pass that nobody chose.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from typing import final

import numpy as np
import torch

from sparseaug._checks import check_integer
from sparseaug.actions.arrays import require_dense
from sparseaug.errors import SparseAugWarning
from sparseaug.sampling import GroupSample
from sparseaug.sampling.keys import keyed_rng

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

    def content(self, tensors: Mapping[str, torch.Tensor]) -> int:
        """64 bits of the hash of these tensors."""
        digest = hashlib.sha256()
        for name in sorted(tensors):
            require_dense(name, tensors[name])
            tensor = tensors[name].detach().cpu().resolve_conj().resolve_neg().contiguous()
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            # the bytes themselves, for every dtype, also those that NumPy lacks
            digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
        return int.from_bytes(digest.digest()[:8], "little")

    def choose(self, content: int) -> int:
        """The number of a row, uniform over contents."""
        rng = keyed_rng(self.seed, "choice by content", step=self.epoch, index=content)
        return int(rng.integers(len(self.rows)))

    def notice(self, content: int) -> None:
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
                    stacklevel=3,
                )
