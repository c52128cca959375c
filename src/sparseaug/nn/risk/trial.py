"""How many copies to compute at once: a short trial of a few sizes, on the copies themselves.

A processor is fastest while a chunk stays near its caches, an accelerator wants work for all its
cores; where that is depends on the module. So a few sizes are timed, from small to large, and the one
with the least time per copy is taken. The result of the risk changes by rounding alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import distributed as dist

from sparseaug.nn.risk.ranks import this_rank

# The largest are the sizes beyond which no device that was measured gains; each other is a quarter of
# the next, since a factor of two changes the time per copy by less than a trial can tell.
SIZES_CPU = (256, 1024, 4096, 16384)
SIZES_ACCELERATOR = (8192, 32768, 131072)
_SECONDS = (
    0.1  # for one size; a module that is slower than that per chunk gains nothing from larger ones
)
_GAIN = 0.95  # a larger chunk takes more memory: only for at least 5 % less time per copy


@final
@dataclass
class Chunk:
    """The chunk size of a risk and of the same risk over other samples, which share this object."""

    given: int | None
    device: torch.device
    found: int | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        return SIZES_CPU if self.device.type == "cpu" else SIZES_ACCELERATOR

    @property
    def size(self) -> int:
        """The one given, or found, or while there is neither the largest that is tried."""
        return self.given or self.found or self.sizes[-1]

    def wants_trial(self, copies: int) -> bool:
        """Whether none is known yet and the sizes make a difference for so many copies."""
        return self.given is None and self.found is None and copies > self.sizes[0]

    def find(self, compute: Callable[[int], int], copies: int) -> None:
        """Time `compute`, which takes a chunk of at most so many copies and says how many it took."""
        sizes = [size for size in self.sizes if size < copies]
        found = fastest(lambda size: _timed(compute, size, self.device), sizes)
        self.found = _of_first_rank(found, self.device)


def fastest(per_copy: Callable[[int], float], sizes: Sequence[int]) -> int:
    """The size with the least time per copy, tried in order while a chunk takes a moment only.

    Examples:
        >>> fastest({1: 3e-6, 4: 1e-6, 16: 2e-6}.__getitem__, [1, 4, 16])
        4
        >>> fastest({1: 3.0}.__getitem__, [1, 4, 16])
        1
    """
    best, least = sizes[0], per_copy(sizes[0])
    for size in sizes[1:]:
        if size * least > _SECONDS:
            break
        try:
            found = per_copy(size)
        except torch.OutOfMemoryError:
            break
        if found < _GAIN * least:
            best, least = size, found
    return best


def _timed(compute: Callable[[int], int], size: int, device: torch.device) -> float:
    """Seconds per copy: the best of several runs, since others use the machine too."""
    best, begun = math.inf, time.perf_counter()
    for _ in range(20):
        _wait(device)
        start = time.perf_counter()
        took = compute(size)
        _wait(device)
        end = time.perf_counter()
        best = min(best, (end - start) / took)
        if end - begun > _SECONDS / 2:
            break
    return best


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _of_first_rank(value: int, device: torch.device) -> int:
    """The first rank's value: chunks decide the order of sums, which all ranks share."""
    if this_rank()[1] == 1:
        return value
    place = device if dist.get_backend() == "nccl" else torch.device("cpu")
    told = torch.tensor(value, device=place)
    dist.broadcast(told, 0)
    return int(told)
