"""Symmetric and alternating groups: every irrep's norm is bounded, several at a time.

Up to n = 12 the blocks are made by Clausen's recursion and verified by Cholesky factorisation; above,
irreps of more than a thousand dimensions are applied to vectors, and Lanczos bounds their norms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparseaug.errors import ArgumentError, UnsupportedError, check_integer, need, shorten
from sparseaug.groups.young import Partition, conjugate, dimension, partitions
from sparseaug.sampling import GroupSample
from sparseaug.spectral.effort import announce
from sparseaug.spectral.general.irreps import largest_norm
from sparseaug.spectral.result import Block, Norm, Progress, larger_norm, shared, stated
from sparseaug.spectral.verify.lanczos import FAILURE_PROBABILITY, STARTS, lanczos_norm
from sparseaug.spectral.verify.verified import root_lower, root_upper
from sparseaug.spectral.young.clausen import gram_blocks, in_batches, mean_blocks
from sparseaug.spectral.young.steps import Elements, irrep_operator

LARGEST_N = 12
"""Up to here every block is made; S_13 has one of dimension 21450, 3.7 GB."""

LARGEST_APPLIED = 14
"""Up to here large irreps are applied to vectors: S_13 in two minutes, S_14 in fifteen, by estimate."""

GRAM_FROM = 11
"""From here on A^T A comes from the transform, which takes less time than the product."""

GRAM_SAMPLE = 1024
"""Unless S is larger: the transform goes over all m^2 quotients."""

BATCH = 1 << 31
"""Bytes of blocks that are made at a time (at least one block)."""

TRANSFORM_THREADS = 8
"""With sixteen, which wait for fresh pages of memory, all of S_12 took longer than with eight."""

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
    rows, move = np.array(S.elements), _mover(device)
    one_by_one = n < GRAM_FROM or power > 1 or S.m > GRAM_SAMPLE
    large = [] if one_by_one and n <= LARGEST_N else _largest_first(shapes)
    small = [shape for shape in shapes if shape not in large]

    def count(done: int, total: int) -> None:
        if progress:
            progress(len(small) + done, len(shapes))

    if n == LARGEST_N and blocks is None:  # 40 s on one core, 2.9 GB; blocks and products take 150
        seconds = 150.0 if one_by_one else 60.0 / jobs
        announce(f"the norm on all irreps of {group.name}", seconds=seconds, memory=3e9)
    found = largest_norm(
        mean_blocks(rows, shapes=small, threads=min(jobs, TRANSFORM_THREADS)),
        total=len(shapes),
        power=power,
        progress=progress,
        move=move,
    )
    if n > LARGEST_N:
        chance = shared(failure_probability, len(large))
        return stated(_applied(S, large, found, power, chance, jobs, count), failure_probability)
    return _factored(rows, large, found, move, 1 if device else jobs, count)


def _factored(
    rows: NDArray[np.int64],
    shapes: Sequence[Partition],
    found: Norm,
    move: Callable[[Any], Any],
    jobs: int,
    progress: Progress,
) -> Norm:
    """The largest of `found` and of these irreps' norms, from their Gram matrices.

    A matrix that is more than its share of the work has all threads to itself; the others have one each.
    """
    share = sum(dimension(shape) ** 3 for shape in shapes) / jobs
    norms: list[Norm] = []

    def verify(block: Block) -> Norm:
        gram = move(block.values)
        upper = root_upper(gram, block.error, at_most=found.upper)
        if upper <= found.upper:
            return found
        return Norm(min(1.0, upper), root_lower(gram, block.error), str(block.label))

    for batch in in_batches(shapes, BATCH):
        made = gram_blocks(rows, shapes=batch, threads=min(jobs, TRANSFORM_THREADS))
        blocks = list(made)[::-1]
        heavy = [block for block in blocks if len(block.values) ** 3 > share]
        for some, threads in ((heavy, jobs), (blocks[len(heavy) :], 1)):
            with (
                threadpool_limits(threads, user_api="blas"),
                ThreadPoolExecutor(jobs // threads) as pool,
            ):
                for norm in pool.map(verify, some):
                    norms.append(norm)
                    progress(len(norms), len(shapes))
        del blocks, heavy, some
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
