"""Symmetric and alternating groups: every irrep's norm is bounded, several at a time.

The blocks are made by Clausen's recursion and verified by Cholesky factorisation, up to n = 12: the
largest block of S_13 has 21,450 rows, 3.7 GB, and its factorisation takes ten minutes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparseaug._checks import LIMITS, Progress, require_work, silent
from sparseaug.groups.degrees.shapes import is_first
from sparseaug.groups.fourier import Block
from sparseaug.groups.young import Partition, dimension, partitions
from sparseaug.norms.irreps import largest_norm
from sparseaug.norms.norm import Norm, announce, larger_norm
from sparseaug.norms.verified import root_lower, root_upper
from sparseaug.norms.young.clausen import gram_blocks, in_batches, mean_blocks
from sparseaug.norms.young.induction import enough_memory
from sparseaug.sampling import GroupSample

LARGEST_N = LIMITS["young"].most
"""Up to here every block is made and verified."""

REMEDY = "restrict the norm with degree=1 or 2"

GRAM_FROM = 11
"""From here on A^T A comes from the transform, which takes less time than the product."""

GRAM_SAMPLE = 1024
"""Unless S is larger: the transform goes over all m^2 quotients."""

BATCH = 1 << 32
"""Bytes of blocks that are made at a time: all of S_12, whose transform takes half as long as in two."""

ALONE = 1.8
"""Of one factorisation 16 threads make half as many operations a second as of 16 side by side."""

SMALL = 1000
"""Irreps up to this dimension take no time: they are done first, one after the other."""


def symmetric_norm(
    S: GroupSample,
    *,
    progress: Progress = silent,
    device: str | None = None,
    n_jobs: int | None = None,
) -> Norm:
    """The norm of D_S on S_n or A_n.

    On A_n the irreps of a partition and its conjugate agree, and those of a self-conjugate one split
    in two halves, whose larger norm is that of the whole: so one of each pair of conjugates is enough.
    The result does not depend on `n_jobs`: small irreps come first, and each of the others is compared
    with the largest norm among those.
    """
    group = S.group
    n = group.width
    what, jobs = f"the norm on all irreps of {group.name}", n_jobs or joblib.cpu_count()
    require_work("young", n, what, remedy=REMEDY)
    even = group.order < math.factorial(n)  # A_n
    shapes = [p for p in partitions(n)[1:] if not even or is_first(p)]
    rows = np.array(S.elements)
    one_by_one = n < GRAM_FROM or S.m > GRAM_SAMPLE
    large = [] if one_by_one else [s for s in shapes if dimension(s) > SMALL]
    large.sort(key=dimension, reverse=True)
    small = [shape for shape in shapes if shape not in large]

    def count(done: int, total: int) -> None:
        progress(len(small) + done, len(shapes))

    if n == LARGEST_N:  # blocks and products take 150 s; else 30 s on one core
        seconds, memory = (150.0, 3e9) if one_by_one else (60.0 / jobs, 4e9 + 2.5e8 * jobs)
        if not one_by_one and device not in (None, "cpu"):  # on an H200 1.4 s, 12.4 GB
            seconds, memory = 5.0, 13e9
        announce(what, seconds=seconds, memory=memory)
    with nullcontext() if device is None else enough_memory(device):
        found = largest_norm(
            mean_blocks(rows, shapes=small, threads=jobs, device=device),
            total=len(shapes),
            progress=progress,
        )
        if large:
            threads = jobs if device is None else 1
            found = _factored(rows, large, found, threads, count, device)
        return found


def _factored(
    rows: NDArray[np.int64],
    shapes: Sequence[Partition],
    found: Norm,
    jobs: int,
    progress: Progress,
    device: str | None,
) -> Norm:
    """The largest of `found` and of these irreps' norms, from their Gram matrices.

    A matrix of more than ALONE shares of the work has all threads to itself; the others have one each.
    """
    share = sum(dimension(shape) ** 3 for shape in shapes) / jobs
    largest, done = found, 0

    def verify(block: Block) -> Norm:
        upper = root_upper(block.values, block.error, at_most=found.upper)
        if upper <= found.upper:
            return found
        return Norm(min(1.0, upper), root_lower(block.values, block.error), str(block.label))

    for batch in in_batches(shapes, BATCH):
        made = gram_blocks(rows, shapes=batch, threads=jobs, device=device)
        blocks = list(made)  # the largest last, from where they are taken, and let go once verified
        heavy = sum(len(block.values) ** 3 > ALONE * share for block in blocks)
        for count, threads in ((heavy, jobs), (len(blocks) - heavy, 1)):
            with (
                threadpool_limits(threads, user_api="blas"),
                ThreadPoolExecutor(jobs // threads) as pool,
            ):
                for norm in pool.map(verify, (blocks.pop() for _ in range(count))):
                    largest, done = larger_norm(largest, norm), done + 1
                    progress(done, len(shapes))
    return largest
