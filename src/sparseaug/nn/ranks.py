"""The little that is needed of `torch.distributed`; without it there is one rank, number 0."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import torch
from torch import Tensor
from torch import distributed as dist

from sparseaug.actions.arrays import this_rank
from sparseaug.errors import ArgumentError


def sum_over_ranks(values: Tensor) -> Tensor:
    """The sum of every rank's `values`, in place and the same on all of them."""
    if this_rank()[1] > 1:
        dist.all_reduce(values)
    return values


def require_same(like: Tensor, /, **named: Iterable[Tensor | bytes]) -> None:
    """Raise an `ArgumentError` on every rank unless all ranks hold the same by each name.

    `like` is a tensor on the device that this rank computes on.
    """
    num_ranks = this_rank()[1]
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
                f"{name} differs between ranks 0 and {int(differing[0])}; use one seed or file on all."
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
