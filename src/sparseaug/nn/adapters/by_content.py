"""Which element of S moves a datum that has no index: a function of (S, seed, epoch, content).

So a transform holds no generator: workers, ranks and resumed runs choose alike, and equal data are
moved alike. The epoch is in shared memory, where persistent workers see it change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import final

import numpy as np
import torch

from sparseaug.actions.arrays import require_dense
from sparseaug.errors import check_integer
from sparseaug.sampling import GroupSample
from sparseaug.sampling.keys import keyed_rng


@final
class ContentKey:
    """Chooses one of the elements of S, `rows`, by the content of named tensors."""

    def __init__(self, S: GroupSample, seed: int) -> None:
        # in sorted order, so that the multiset alone decides, as its hash says
        self.rows = S.elements[np.lexsort(S.elements.T[::-1])]
        self.seed = check_integer("seed", seed, below=1 << 64)
        self._epoch = torch.zeros(1, dtype=torch.int64).share_memory_()

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return int(self._epoch[0])

    def set_epoch(self, epoch: int) -> None:
        """Choose again in this epoch."""
        self._epoch[0] = check_integer("epoch", epoch, below=1 << 63)

    def choose(self, tensors: Mapping[str, torch.Tensor]) -> int:
        """The number of a row, uniform over contents."""
        digest = hashlib.sha256()
        for name in sorted(tensors):
            require_dense(name, tensors[name])
            tensor = tensors[name].detach().cpu().contiguous()
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            # the bytes themselves, for every dtype, also those that NumPy lacks
            digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
        index = int.from_bytes(digest.digest()[:8], "little")
        rng = keyed_rng(self.seed, "choice by content", step=self.epoch, index=index)
        return int(rng.integers(len(self.rows)))
