"""Which copies are computed where: ranks get runs of copies, runs are cut into rectangles.

Copy j n + i is sample i moved by element j. A rectangle, some elements times some samples, is moved
and averaged in one go; the rectangles, and so the order of all sums, follow from n, m, the chunk size
and the number of ranks alone.

The little that a risk needs of `torch.distributed`; without it there is one rank, number 0.

What the gradients of a module's risk depend on, by name, for the checkpoints of `descend`.

theta holds the parameters that train; frozen ones and buffers count by their values, the module by its
printed structure, the loss by its name and its buffers. Code inside `forward` is not looked at.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch import distributed as dist

from sparseaug.errors import ArgumentError
from sparseaug.risk.problem import action_sha256, problem_facts, sha256_of

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
        >>> [share(10, rank, 3) for rank in range(3)]
        [(0, 3), (3, 6), (6, 10)]
    """
    return total * rank // num_ranks, total * (rank + 1) // num_ranks


def tiles(start: int, stop: int, n: int, chunk_size: int) -> Iterator[Tile]:
    """Rectangles of at most `chunk_size` copies that cover copies `start` to `stop`, in order.

    Examples:
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
        >>> work(np.array([1, 1, 1]), 10, 100, 64), work(np.array([1, 3]), 10, 100, 64)
        (94, 148)
    """
    chunks = sum(-(-(last - first) * n // chunk_size) for _, first, last in runs(counts))
    return len(counts) * n + chunks * fixed


def runs(values: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Equal neighbours: the value, where they begin and where they end.

    Examples:
        >>> list(runs(np.array([1, 1, 3])))
        [(1, 0, 2), (3, 2, 3)]
    """
    ends = [*np.flatnonzero(np.diff(values)) + 1, len(values)]
    for start, stop in zip([0, *ends[:-1]], ends, strict=True):
        yield int(values[start]), int(start), int(stop)


def this_rank() -> tuple[int, int]:
    """This process's rank, and how many there are."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    return 0, 1


def sum_over_ranks(values: Tensor) -> Tensor:
    """The sum of every rank's `values`, in place and the same on all of them."""
    if this_rank()[1] > 1:
        dist.all_reduce(values)
    return values


def any_rank(answer: bool, like: Tensor) -> bool:
    """Whether any rank says yes; `like` is a tensor on the device that this rank computes on."""
    return bool(sum_over_ranks(torch.tensor(float(answer), device=like.device)))


def require_same(like: Tensor, /, **named: Iterable[Tensor | bytes]) -> None:
    """Raise an `ArgumentError` on every rank unless all ranks hold the same by each name.

    `like` is a tensor on the device that this rank computes on.
    """
    rank, num_ranks = this_rank()
    if num_ranks == 1:
        return
    # a backend for GPUs moves only tensors of the GPU, and each rank has its own
    device = like.device if dist.get_backend() == "nccl" else torch.device("cpu")
    digests = b"".join(map(_digest, named.values()))
    own = torch.tensor(list(digests), dtype=torch.uint8, device=device)
    others = [torch.empty_like(own) for _ in range(num_ranks)]
    dist.all_gather(others, own)
    table = torch.stack(others).cpu().reshape(num_ranks, len(named), 32)
    for position, name in enumerate(named):
        differing = (table[:, position] != table[0, position]).any(dim=1).nonzero().flatten()
        if len(differing):
            raise ArgumentError(
                f"{name} is not the same on all ranks: rank {int(differing[0])} differs from rank 0 "
                f"(this is rank {rank}); build it from the same seed or file on every rank."
            )


def _digest(parts: Iterable[Tensor | bytes]) -> bytes:
    """SHA-256 of bytes, and of the entries, types and shapes of tensors."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, bytes):
            digest.update(part)
            continue
        digest.update(f"{part.dtype} {tuple(part.shape)}".encode())
        if part.numel():
            flat = part.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
            digest.update(flat.view(torch.uint8).numpy().data)
    return digest.digest()


def module_risk_identity(risk: ModuleRisk, S: str) -> dict[str, str]:
    """What a risk over S depends on; `S` is a sha256, "full", "none", or where draws come from."""
    x, y = risk.data
    moves = "none" if risk.y_action is None else action_sha256(risk.y_action, y)
    return {
        "module": _module_sha256(risk.module),
        "loss": _name(risk.loss),
        **dict(problem_facts(x, y, risk.action, S)),
        "y_action": moves,
    }


def _module_sha256(module: nn.Module) -> str:
    structure = [_without_addresses(repr(module))]
    for name, parameter in module.named_parameters():
        kind = "trained" if parameter.requires_grad else sha256_of(parameter)
        structure.append(f"{name} {tuple(parameter.shape)} {parameter.dtype} {kind}")
    return sha256_of(*structure, dict(module.named_buffers()))


def _name(loss: Any) -> str:
    if isinstance(loss, nn.Module):
        return f"{_without_addresses(repr(loss))} {sha256_of(dict(loss.named_buffers()))[:12]}"
    if isinstance(loss, functools.partial):
        return f"partial({_name(loss.func)}, {loss.args}, {loss.keywords})"
    named = loss if hasattr(loss, "__qualname__") else type(loss)
    return f"{named.__module__}.{named.__qualname__}"


def _without_addresses(text: str) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", text)
