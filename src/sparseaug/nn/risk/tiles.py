"""Which copies are computed at once: ranks get runs of copies, runs are cut into rectangles.

Copy j n + i is sample i moved by element j. A rectangle, some elements times some samples, is moved
and averaged in one go; the rectangles, and so the order of all sums, follow from n, m, the chunk size
and the number of ranks alone.

How many copies to compute at once: as many as keep what the module makes near the caches. A few copies
go through the module, and what its parts return is counted. On a processor a chunk is fastest while all
of it is some megabytes; an accelerator wants work for all its cores. Nothing is timed, so that the same
module and data have the same chunks, and the same bits, in every run.

Value and gradient of a risk for one element at a time, of many elements at once: `torch.func.vmap` takes
the gradient of the mean loss over the samples moved by one element, for a chunk of elements in one pass;
where one element's samples are more than a chunk, they come in parts. On a processor a chunk of several
elements has few copies: grouped convolutions, which gradients of several elements at once take, are slow
there, and a pass over some hundred copies is long enough by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import grad_and_value, vmap

from sparseaug.actions import PreparedAction
from sparseaug.actions.arrays import map_leaves
from sparseaug.groups import Rows

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

CHUNK_ON_CPU = 64
"""What calling model and gradient for one more chunk takes, in copies through a small network."""

CHUNK_ON_ACCELERATOR = 1 << 14
"""The same where launches cost: 6 chunks of 92,160 copies in all took four times as long as one."""


@final
@dataclass(frozen=True)
class Tile:
    """Elements first, then samples, as half-open ranges of positions."""

    elements: slice
    samples: slice

    def __len__(self) -> int:
        rows = self.elements.stop - self.elements.start
        return rows * (self.samples.stop - self.samples.start)


def share(total: int, rank: int, num_ranks: int) -> tuple[int, int]:
    """The run of copies of one rank: lengths differ by at most one, and nothing is padded.

    Examples:
        >>> from sparseaug.nn.risk.tiles import share
        >>> [share(10, rank, 3) for rank in range(3)]
        [(0, 3), (3, 6), (6, 10)]
    """
    return total * rank // num_ranks, total * (rank + 1) // num_ranks


def tiles(start: int, stop: int, n: int, chunk_size: int) -> Iterator[Tile]:
    """Rectangles of at most `chunk_size` copies that cover copies `start` to `stop`, in order.

    Examples:
        >>> from sparseaug.nn.risk.tiles import tiles
        >>> [len(tile) for tile in tiles(3, 25, 10, 20)]
        [7, 10, 5]
    """
    while start < stop:
        element, first = divmod(start, n)
        whole = min(chunk_size, stop - start) // n
        if first == 0 and whole:
            tile = Tile(slice(element, element + whole), slice(0, n))
        else:
            last = min(n, first + min(chunk_size, stop - start))
            tile = Tile(slice(element, element + 1), slice(first, last))
        yield tile
        start += len(tile)


def work(counts: NDArray[np.int64], n: int, chunk_size: int, fixed: int) -> int:
    """What a pass over elements with these counts takes: its copies, and a fixed part per chunk.

    A chunk's loss is a mean, so that elements with different counts are in different chunks.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.nn.risk.tiles import work
        >>> work(np.array([1, 1, 1]), 10, 100, 64), work(np.array([1, 3]), 10, 100, 64)
        (94, 148)
    """
    chunks = sum(-(-(last - first) * n // chunk_size) for _, first, last in runs(counts))
    return len(counts) * n + chunks * fixed


def runs(values: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Equal neighbours: the value, where they begin and where they end.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.nn.risk.tiles import runs
        >>> list(runs(np.array([1, 1, 3])))
        [(1, 0, 2), (3, 2, 3)]
    """
    ends = [*np.flatnonzero(np.diff(values)) + 1, len(values)]
    for start, stop in zip([0, *ends[:-1]], ends, strict=True):
        yield int(values[start]), int(start), int(stop)


_VECTORS = 1 << 26  # entries of the gradients of one chunk, which autograd holds twice


_COPIES_ON_CPU = 256  # of several elements in one pass


def element_gradients(
    risk: ModuleRisk, theta: Tensor, rows: Rows
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Values (k,) and gradients (k, P) of the elements, a chunk of them at a time."""
    n = len(risk.data[1])
    leaf = theta.detach()

    def loss(parameters: Tensor, x: Any, y: Tensor) -> Tensor:
        return risk._mean_loss(risk._split(parameters), x, y)

    def single(x: Any, y: Tensor) -> tuple[Tensor, Tensor]:
        parameters = leaf.detach().requires_grad_()
        with torch.enable_grad():
            value = loss(parameters, x, y)
            return torch.autograd.grad(value, parameters)[0][None], value[None]

    many = vmap(grad_and_value(loss), in_dims=(None, 0, None if risk.y_action is None else 0))
    samples = min(n, risk.chunk_size)
    most = risk.chunk_size if leaf.device.type != "cpu" else min(_COPIES_ON_CPU, risk.chunk_size)
    count = max(1, min(most // samples, _VECTORS // max(1, risk.size)))
    for start in range(0, len(rows), count):
        some = rows[start : start + count]
        bound = PreparedAction(risk.action, some, memory=0)
        y_bound = None if risk.y_action is None else PreparedAction(risk.y_action, some, memory=0)
        found: Any
        gradient: Any = 0.0
        value: Any = 0.0
        for first in range(0, n, samples):
            part = slice(first, min(n, first + samples))
            x, y = (map_leaves(lambda a, part=part: a[part], data) for data in risk.data)
            moved = bound(x)
            if y_bound is not None:
                y = y_bound(y)
            if len(some) > 1:
                found = many(leaf, moved, y)
            else:
                one = map_leaves(lambda a: a[0], moved)
                found = single(one, y if y_bound is None else y[0])
            share = (part.stop - first) / n
            gradient = gradient + found[0].detach() * share
            value = value + found[1].detach() * share
        yield _array(value), _array(gradient)


def _array(tensor: Tensor) -> NDArray[Any]:
    """In single precision at least."""
    kept = tensor.to(torch.promote_types(tensor.dtype, torch.float32))
    return np.asarray(kept.cpu())


# Measured on one core (networks of 32, 128 and 512 hidden units, a small convolutional one): within 15 %
# of the best of these sizes, and 16384 copies at once up to twice as slow.
SIZES_CPU = (256, 1024, 4096, 16384)


_ENTRIES_CPU = 1 << 21


SIZES_ACCELERATOR = (8192, 32768, 131072)


_ENTRIES_ACCELERATOR = 1 << 28  # a gigabyte in single precision


@final
@dataclass
class ChunkSize:
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
            >>> import torch
            >>> from sparseaug.nn.risk.tiles import ChunkSize
            >>> chunk = ChunkSize(None, torch.device("cpu"))
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
        >>> import torch
        >>> from torch import nn
        >>> from sparseaug.nn.risk.tiles import count_entries
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
