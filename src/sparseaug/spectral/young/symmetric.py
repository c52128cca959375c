"""Symmetric and alternating groups: every irrep's norm is bounded, several at a time.

Up to n = 12 the blocks are made by Clausen's recursion and verified by Cholesky factorisation; above,
irreps of more than a thousand dimensions are applied to vectors, and Lanczos bounds their norms.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparseaug.errors import ArgumentError, UnsupportedError, check_integer
from sparseaug.groups.young import Partition, conjugate, dimension, partitions
from sparseaug.sampling import GroupSample
from sparseaug.spectral.effort import announce
from sparseaug.spectral.general.irreps import largest_norm
from sparseaug.spectral.result import Block, Norm, Progress, larger_norm, shared, stated
from sparseaug.spectral.verify.lanczos import FAILURE_PROBABILITY, STARTS, lanczos_norm
from sparseaug.spectral.verify.verified import root_lower, root_upper
from sparseaug.spectral.young.clausen import gram_blocks, in_batches, mean_blocks
from sparseaug.spectral.young.kernels_torch import enough_memory
from sparseaug.spectral.young.steps import Elements, irrep_operator

LARGEST_N = 12
"""Up to here every block is made; S_13 has one of dimension 21450, 3.7 GB."""

LARGEST_APPLIED = 14
"""Up to here large irreps are applied to vectors: on 16 cores S_13 in 29 s, S_14 in 146."""

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
    power: int = 1,
    progress: Progress | None = None,
    device: str | None = None,
    blocks: Collection[str] | None = None,
    n_jobs: int | None = None,
    failure_probability: float = FAILURE_PROBABILITY,
) -> Norm:
    """The norm of D_S^power on S_n or A_n; `blocks` asks for some irreps only, by name.

    On A_n the irreps of a partition and its conjugate agree, and those of a self-conjugate one split
    in two halves, whose larger norm is that of the whole: so one of each pair of conjugates is enough.
    The result does not depend on `n_jobs`: small irreps come first, and each of the others is compared
    with the largest norm among those.
    """
    group = S.group
    if group.transform != "young":
        raise ArgumentError(f"S is of {group.name}; Young's form is for symmetric(n).")
    n = group.width
    if n > LARGEST_APPLIED:
        raise UnsupportedError(
            f"{group.name} is too large for all its irreps (at most S{LARGEST_APPLIED}); restrict the "
            "norm with degree=1 or 2."
        )
    jobs = joblib.cpu_count() if n_jobs is None else check_integer("n_jobs", n_jobs, at_least=1)
    even = group.order < math.factorial(n)  # A_n
    shapes = [p for p in partitions(n)[1:] if not even or _first_of_pair(p)]
    if blocks is not None:
        shapes = [p for p in shapes if str(p) in blocks]
    rows = np.array(S.elements)
    one_by_one = n < GRAM_FROM or power > 1 or S.m > GRAM_SAMPLE
    large = [] if one_by_one and n <= LARGEST_N else _largest_first(shapes)
    small = [shape for shape in shapes if shape not in large]

    def count(done: int, total: int) -> None:
        if progress:
            progress(len(small) + done, len(shapes))

    if n == LARGEST_N and blocks is None:  # blocks and products take 150 s; else 30 s on one core
        seconds, memory = (150.0, 3e9) if one_by_one else (60.0 / jobs, 4e9 + 2.5e8 * jobs)
        if not one_by_one and device not in (None, "cpu"):  # on an H200 1.4 s, 12.4 GB
            seconds, memory = 5.0, 13e9
        announce(f"the norm on all irreps of {group.name}", seconds=seconds, memory=memory)
    with enough_memory(device):
        found = largest_norm(
            mean_blocks(rows, shapes=small, threads=jobs, device=device),
            total=len(shapes),
            power=power,
            progress=progress,
        )
        if n > LARGEST_N:
            chance = shared(failure_probability, len(large))
            return stated(
                _applied(S, large, found, power, chance, jobs, count), failure_probability
            )
        return _factored(rows, large, found, 1 if device else jobs, count, device)


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
    norms: list[Norm] = []

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
                    norms.append(norm)
                    progress(len(norms), len(shapes))
    return reduce(larger_norm, norms, found)


def _applied(
    S: GroupSample,
    shapes: Sequence[Partition],
    found: Norm,
    power: int,
    chance: float,
    jobs: int,
    progress: Progress,
) -> Norm:
    """The largest of `found` and of these irreps' norms, by Lanczos; each fails with `chance`."""
    elements = Elements(*S.counts())
    n, k = S.group.width, len(elements.ends)
    # 16 steps of each start refute a norm above those of small irreps, and 0.9 ns move one entry by one
    # transposition; twice that is said, since more steps may be needed.
    moves = sum(map(dimension, shapes)) * k * n * (n - 1) / 4
    announce(
        f"the norm on all irreps of {S.group.name}",
        seconds=2 * 9e-10 * STARTS * 16 * 2 * power * moves / jobs,
        instead="restrict the norm with degree=1 or 2.",
    )

    def bound(shape: Partition) -> Norm:
        norm = lanczos_norm(
            irrep_operator(shape, elements),
            power=power,
            key=f"{S.sha256} {shape}",
            failure_probability=chance,
            at_most=found.upper,
        )
        return norm.at(str(shape))

    norms: list[Norm] = []
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(jobs) as pool:
        for norm in pool.map(bound, shapes):
            norms.append(norm)
            progress(len(norms), len(shapes))
    return reduce(larger_norm, norms, found)


def _largest_first(shapes: Iterable[Partition]) -> list[Partition]:
    return sorted((s for s in shapes if dimension(s) > SMALL), key=dimension, reverse=True)


def _first_of_pair(partition: Partition) -> bool:
    """Whether it stands for itself and its conjugate on A_n, and is not trivial there."""
    return partition >= conjugate(partition) and len(partition) > 1
