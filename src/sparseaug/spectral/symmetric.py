"""Symmetric and alternating groups: every irrep's norm is bounded, several at a time.

Up to n = 12 the blocks are made by Clausen's recursion and verified by Cholesky factorisation; above,
irreps of more than a thousand dimensions are applied to vectors, and Lanczos bounds their norms.

One irrep of S_n as an operator on vectors: its block is never made.

The largest block of S_13 has 21,450 rows, 3.7 GB, and its factorisation takes ten minutes. A vector has
21,450 entries, and an element moves it by about n^2 / 4 adjacent transpositions, each of which mixes
entries in pairs: runs of neighbours with neighbours, in the order of `tableaux`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparseaug._checks import LIMITS, Progress, require_work, silent
from sparseaug._compiled import attempt
from sparseaug._floats import UNIT, gamma
from sparseaug.errors import UnsupportedError
from sparseaug.groups.degrees.shapes import is_first
from sparseaug.groups.fourier import Block
from sparseaug.groups.young import Partition, dimension, partitions, restrict
from sparseaug.sampling import GroupSample
from sparseaug.spectral.clausen import gram_blocks, in_batches, mean_blocks
from sparseaug.spectral.induction import descend, enough_memory
from sparseaug.spectral.irreps import largest_norm
from sparseaug.spectral.lanczos import FAILURE_PROBABILITY, STARTS, Operator, Vector, lanczos_norm
from sparseaug.spectral.norm import Norm, announce, equal_share, larger_norm, restate
from sparseaug.spectral.verified import root_lower, root_upper

LARGEST_N = 12
"""Up to here every block is made; S_13 has one of dimension 21450, 3.7 GB."""

LARGEST_APPLIED = LIMITS["young"].most
"""Up to here large irreps are applied to vectors: on 16 cores S_13 in 29 s, S_14 in 146."""

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
    failure_probability: float = FAILURE_PROBABILITY,
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
    large = [] if one_by_one and n <= LARGEST_N else [s for s in shapes if dimension(s) > SMALL]
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
        if n > LARGEST_N:
            chance = equal_share(failure_probability, len(large))
            found = _applied(S, large, found, chance, jobs, count)
            return restate(found, failure_probability)
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


def _applied(
    S: GroupSample,
    shapes: Sequence[Partition],
    found: Norm,
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
        seconds=2 * 9e-10 * STARTS * 16 * 2 * moves / jobs,
        instead=f"{REMEDY}.",
    )

    def bound(shape: Partition) -> Norm:
        norm = lanczos_norm(
            irrep_operator(shape, elements),
            key=f"{S.sha256} {shape}",
            failure_probability=chance,
            at_most=found.upper,
        )
        return norm.at(str(shape))

    largest = found
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(jobs) as pool:
        for done, norm in enumerate(pool.map(bound, shapes), start=1):
            largest = larger_norm(largest, norm)
            progress(done, len(shapes))
    return largest


class Elements:
    """Distinct elements as products of adjacent transpositions, weighted by how often they occur."""

    def __init__(self, rows: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        self.n = rows.shape[1]
        self.weights = counts / counts.sum()
        words = _words(rows)
        self.ends = np.cumsum([len(word) for word in words])
        self.letters = np.concatenate([*words, np.empty(0, np.int64)])
        self.reversed = np.concatenate([*(word[::-1] for word in words), np.empty(0, np.int64)])


def irrep_operator(shape: Partition, elements: Elements) -> Operator:
    """The mean of pi(g_j); its transpose is the mean of pi(g_j^-1), the words read backwards.

    Raises:
        UnsupportedError: without numba, since hours are no help.
    """
    kernel = attempt("sparseaug.spectral.young_numba", lambda module: module.weighted_sum)
    if kernel is None:
        raise UnsupportedError(
            f"all irreps of S{elements.n} need numba (pip install 'sparseaug[fast]'); without it "
            f"{REMEDY}."
        )
    per_letter = list(_runs(shape))[::-1]
    at = np.cumsum([0, *map(len, per_letter)])
    runs, distance = np.split(np.concatenate(per_letter), [3], axis=1)
    mixes = np.hstack([1 / distance, np.sqrt((distance - 1) * (distance + 1)) / abs(distance)])

    def by(letters: NDArray[np.int64]) -> Callable[[Vector], Vector]:
        def apply(v: Vector) -> Vector:
            product: Any = kernel(letters, elements.ends, elements.weights, runs, at, mixes, v)
            return product

        return apply

    rounding = _rounding(elements.n, len(elements.ends))
    return Operator(dimension(shape), by(elements.letters), by(elements.reversed), rounding)


# A transposition computes c x + s y with coefficients within 2 u: off by at most sqrt(2) gamma(4)
# times the vector's length, as for `young_rounding`, and at most n (n-1) / 2 of them follow each
# other. The sum of k weighted vectors of equal length, with weights within u and of sum 1, adds
# gamma(k + 1). The factor 1.01 covers the products of these errors, all below 1e-9.
def _rounding(n: int, k: int) -> float:
    steps = n * (n - 1) // 2
    return 1.01 * (1.4142135623730952 * gamma(4) * steps + gamma(k + 1) + UNIT)


def _runs(shape: Partition) -> Iterator[NDArray[np.int64]]:
    """Rows (i, j, length, r) for the transposition of letters k and k + 1; k = n - 1 first.

    Tableaux that agree in all letters but these two, k + 1 in the box a and k in b, or the other way
    round, are neighbours of neighbours: below them lie the same tableaux mu of k - 1 letters. With
    r = content(a) - content(b) above 1 the two are mixed; with r = -1 there is no other one, and the
    sign changes (j = i); with r = 1 nothing happens.
    """
    offsets = {shape: np.zeros(1, np.int64)}
    for _ in range(sum(shape) - 1):
        rows = [np.empty((0, 4), np.int64)]
        for larger, starts in offsets.items():
            places = _places(larger)
            for (mu, a, b), first in places.items():
                if a - b == -1 or a - b > 1:
                    second = first if a - b == -1 else places[mu, b, a]
                    size, r = np.full((2, len(starts)), [[dimension(mu)], [a - b]])
                    rows.append(np.stack([starts + first, starts + second, size, r], axis=1))
        yield np.concatenate(rows)
        offsets = descend(offsets)


def _places(larger: Partition) -> dict[tuple[Partition, int, int], int]:
    """Where the tableaux of `larger` begin whose last two letters have these contents."""
    found, offset = {}, 0
    for smaller, a in restrict(larger):
        inner = offset
        for mu, b in restrict(smaller):
            found[mu, a, b] = inner
            inner += dimension(mu)
        offset += dimension(smaller)
    return found


def _words(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The transpositions of each element in the order in which they are applied, by bubble sort."""
    left, n = rows.copy(), rows.shape[1]
    network = [k for end in range(n - 1, 0, -1) for k in range(end)]
    used = np.zeros((len(network), len(rows)), np.bool_)
    for step, k in enumerate(network):
        used[step] = left[:, k] > left[:, k + 1]
        swapped = left[used[step], k : k + 2]
        left[used[step], k : k + 2] = swapped[:, ::-1]
    letters = np.array(network, np.int64)
    return [letters[chosen] for chosen in used.T]
