"""How many copies to compute at once: as many as keep what the module makes near the caches.

A few copies go through the module, and what its parts return is counted. On a processor a chunk is
fastest while all of it is some megabytes; an accelerator wants work for all its cores. Nothing is
timed, so that the same module and data have the same chunks, and the same bits, in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor, nn

# Measured on one core (networks of 32, 128 and 512 hidden units, a small convolutional one): within 15 %
# of the best of these sizes, and 16384 copies at once up to twice as slow.
SIZES_CPU = (256, 1024, 4096, 16384)
_ENTRIES_CPU = 1 << 21

SIZES_ACCELERATOR = (8192, 32768, 131072)
_ENTRIES_ACCELERATOR = 1 << 28  # a gigabyte in single precision


@final
@dataclass
class Chunk:
    """The chunk size of a risk and of the same risk over other samples, which share this object."""

    given: int | None
    device: torch.device
    found: int | None = None

    @property
    def size(self) -> int:
        """The one given, or found, or while there is neither the largest."""
        return self.given or self.found or self._sizes[-1]

    def wants_trial(self, copies: int) -> bool:
        """Whether none is known yet and the sizes make a difference for so many copies."""
        return self.given is None and self.found is None and copies > self._sizes[0]

    def find(self, entries: int) -> None:
        """Take the largest size whose chunks, of so many entries per copy, are not too large.

        Examples:
            >>> chunk = Chunk(None, torch.device("cpu"))
            >>> chunk.find(513)
            >>> chunk.size
            1024
        """
        most = _ENTRIES_CPU if self.device.type == "cpu" else _ENTRIES_ACCELERATOR
        fitting = [size for size in self._sizes if size * entries <= most]
        self.found = max(fitting, default=self._sizes[0])

    @property
    def _sizes(self) -> tuple[int, ...]:
        return SIZES_CPU if self.device.type == "cpu" else SIZES_ACCELERATOR


def count_entries(module: nn.Module, compute: Callable[[], Any]) -> int:
    """How many numbers the parts of a module return while `compute` runs.

    Examples:
        >>> model = nn.Sequential(nn.Linear(2, 5), nn.ReLU())
        >>> count_entries(model, lambda: model(torch.ones(1, 2)))
        10
    """
    total = 0

    def count(part: nn.Module, inputs: Any, output: Any) -> None:
        nonlocal total
        total += output.numel() if isinstance(output, Tensor) else 0

    parts = [part for part in module.modules() if not any(part.children())]
    hooks = [part.register_forward_hook(count) for part in parts]
    try:
        compute()
    finally:
        for hook in hooks:
            hook.remove()
    return total
