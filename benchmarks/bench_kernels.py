"""Exact moments over S_12 next to the operations of enumeration; permanents by three ways."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.kernels import GaussianKernel, full_moments, kernel_discrepancy, sample_moments
from sparseaug.kernels.permanents import permanents

Floats = NDArray[np.float64]
T = TypeVar("T")
CONSOLE = Console(highlight=False)


def permanents_two_ways() -> None:
    rng = np.random.default_rng(0)
    for n, count in ((8, 4096), (12, 512), (16, 16)):
        x, w = rng.uniform(-1, 1, (n, 1, count)), rng.uniform(-1, 1, (1, n, count))
        entries = np.exp(-((x - w) ** 2) / 1.25**2)
        narrow = np.exp(-((x - w) ** 2) / 0.2**2)
        compare(
            f"{count} permanents of size {n}: seconds each",
            {
                "subsets": partial(permanents, entries),
                "Glynn": partial(_glynn, entries),
            },
            rounds=3,
            units=dict.fromkeys(("subsets", "Glynn"), count),
            limit="Largest relative difference between Glynn and subsets: "
            f"{_difference(entries):.1e} at sigma = 1.25, {_difference(narrow):.1e} at sigma = 0.2; "
            f"subsets are proved to {n * (n + 1) / 2 * 2.0**-53:.1e}.",
        )


def moments_of_s12() -> None:
    rng = np.random.default_rng(0)
    x, z = np.sort(rng.uniform(-1, 1, (128, 12))), rng.uniform(-1, 1, (160, 12))
    kernel, action = GaussianKernel(1.25), sa.permute_axis(sa.symmetric(12))
    y = x.sum(axis=1)
    full, seconds = _timed(partial(full_moments, kernel, action, x, y, z))
    few, seconds_few = _timed(
        partial(sample_moments, kernel, action, sa.Oracle(action.group, seed=0).draw(64), x, y, z)
    )
    pairs = 128 * (160 * 161 // 2 + 160)
    ours = pairs * 12 * 2**11
    # enumeration: kernel values (12 differences and squares) and one product for each pair of centres
    theirs = 128 * math.factorial(12) * (160 * 12 + 160 * 161 // 2)
    a_pair = math.factorial(12) / (12 * 2**11)
    CONSOLE.print(
        f"Moments over all {action.group.order} elements of S12, 128 samples, 160 centres: "
        f"{seconds:.1f} s for {pairs} permanents.\n"
        f"  {ours:.2e} multiplications; enumeration, with shared kernel values: {theirs:.2e} "
        f"({theirs / ours:.0f} times as many); a pair by itself: {a_pair:.0f} terms of 12 factors "
        f"for each one of ours, {12 * a_pair:.1e} times as many multiplications.\n"
        f"  Enumeration at the speed of sample_moments (64 elements in {seconds_few:.2f} s): "
        f"{seconds_few / 64 * action.group.order / 86400:.0f} days.\n"
        f"  Entries of A are exact to {full.error:.1e}; 64 random elements are off by "
        f"{abs(few.A - full.A).max():.1e}.\n"
    )


def other_large_groups() -> None:
    rng = np.random.default_rng(0)
    for action, d, count in (
        (sa.flip_signs(sa.sign_flips(1000)), 1000, 32),
        (sa.signed_permute(sa.hyperoctahedral(10)), 10, 32),
        (sa.permute_axis(sa.symmetric(14)), 14, 16),
    ):
        kernel = GaussianKernel(math.sqrt(d) / 2)
        x, z = rng.uniform(-1, 1, (count, d)), rng.uniform(-1, 1, (count, d))
        full, seconds = _timed(partial(full_moments, kernel, action, x, np.ones(count), z))
        CONSOLE.print(
            f"Moments over {action.group.name}, {count} samples, {count} centres: {seconds:.2f} s, "
            f"exact to {full.error:.1e}."
        )


def gain_of_the_discrepancy() -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-1, 1, (128, 6)))
    action = sa.permute_axis(sa.symmetric(6))
    for m in (4, 16, 64):
        S = sa.Oracle(action.group, seed=0).draw(m)
        found, seconds = _timed(partial(kernel_discrepancy, GaussianKernel(1.25), action, S, x))
        deviation = sa.deviation(S).value
        CONSOLE.print(
            f"S6, m = {m}: deviation {deviation:.3f}; on 128 samples the largest discrepancy is "
            f"{found.largest:.3f}, the mean {found.per_sample.mean():.3f}, pooled {found.pooled:.4f}; "
            f"gain {deviation / found.largest:.2f} ({seconds:.2f} s)."
        )


def _glynn(entries: Floats) -> Floats:
    """2^(1-n) sum over signs, the first +1, of their product times prod_j sum_i sign_i a_ij."""
    n = len(entries)
    results = []
    for start in range(0, entries.shape[2], 8):
        block = entries[:, :, start : start + 8]
        sums, signs = block[0][None], np.ones(1)
        for row in block[1:]:
            sums, signs = np.concatenate([sums + row, sums - row]), np.concatenate([signs, -signs])
        results.append(signs @ sums.prod(axis=1) / 2 ** (n - 1))
    return np.concatenate(results)


def _difference(entries: Floats) -> float:
    exact = permanents(entries)
    return float(abs(_glynn(entries) / exact - 1).max())


def _timed(way: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    result = way()
    return result, time.perf_counter() - start


if __name__ == "__main__":
    permanents_two_ways()
    moments_of_s12()
    other_large_groups()
    gain_of_the_discrepancy()
