"""Symmetric and alternating groups: blocks by Clausen's recursion, norms verified one by one."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from sparseaug.errors import ArgumentError, UnsupportedError, need, shorten
from sparseaug.groups.young import Partition, conjugate, partitions
from sparseaug.sampling import GroupSample
from sparseaug.spectral.effort import announce
from sparseaug.spectral.general.irreps import largest_norm
from sparseaug.spectral.result import Norm, Progress
from sparseaug.spectral.verify.threads import Threads
from sparseaug.spectral.verify.verified import root_lower, root_upper
from sparseaug.spectral.young.clausen import gram_blocks, mean_blocks

LARGEST_N = 12
"""S_13 has a block of dimension 21450, 3.7 GB, and takes an hour."""

GRAM_FROM = 11
"""From here on A^T A comes from the transform, which takes less time than the product."""

GRAM_SAMPLE = 1024
"""Unless S is larger: the transform goes over all m^2 quotients."""


def symmetric_norm(
    S: GroupSample,
    *,
    power: int = 1,
    progress: Progress | None = None,
    device: str | None = None,
    blocks: Collection[str] | None = None,
) -> Norm:
    """The norm of D_S^power on S_n or A_n; `blocks` asks for some irreps only, by name.

    On A_n the irreps of a partition and its conjugate agree, and those of a self-conjugate one split
    in two halves, whose larger norm is that of the whole: so one of each pair of conjugates is enough.
    """
    group = S.group
    if group.transform != "young":
        raise ArgumentError(f"S is of {group.name}; Young's form is for symmetric(n).")
    n = group.width
    if n > LARGEST_N:
        raise UnsupportedError(
            f"{group.name} is too large for all its irreps (at most n={LARGEST_N}); restrict the norm "
            "with degree=1 or 2."
        )
    even = group.order < math.factorial(n)  # A_n
    shapes = [p for p in partitions(n)[1:] if not even or _first_of_pair(p)]
    if blocks is not None:
        shapes = [p for p in shapes if str(p) in blocks]
    elif n == LARGEST_N:  # 148 s and 2.9 GB measured for S_12, 2 s and 0.7 GB for S_11
        announce(f"the norm on all irreps of {group.name}", seconds=120.0, memory=3e9)
    rows = np.array(S.elements)
    if power == 1 and n >= GRAM_FROM and S.m <= GRAM_SAMPLE:
        return _by_gram(rows, shapes, progress, device)
    return largest_norm(
        mean_blocks(rows, shapes=shapes),
        total=len(shapes),
        power=power,
        progress=progress,
        move=_mover(device),
    )


def _by_gram(
    rows: Any, shapes: list[Partition], progress: Progress | None, device: str | None
) -> Norm:
    worst, lower, name = 0.0, 0.0, ""
    move, threads = _mover(device), Threads()
    for done, block in enumerate(gram_blocks(rows, shapes=shapes)):
        with threads.for_size(len(block.values)):
            gram = move(block.values)
            upper = root_upper(gram, block.error, at_most=worst or None)
            if not name or upper > worst:
                worst, lower, name = upper, root_lower(gram, block.error), str(block.label)
        if progress:
            progress(done + 1, len(shapes))
    return Norm(min(1.0, worst), lower, name)


def _first_of_pair(partition: Partition) -> bool:
    """Whether it stands for itself and its conjugate on A_n, and is not trivial there."""
    return partition >= conjugate(partition) and len(partition) > 1


def _mover(device: str | None) -> Any:
    if device is None:
        return lambda matrix: matrix
    torch = need("torch", f"device={shorten(device)}", extra="sparseaug[torch]")

    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"device={shorten(device)} is not available; leave it out to use the processor."
        ) from error
    return lambda matrix: torch.as_tensor(np.ascontiguousarray(matrix), device=device)
