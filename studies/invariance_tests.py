"""Tests of invariance beside SciPy's permutation test: level, power and time in one run.

    python -m studies.invariance_tests [data sets]

Paired differences: 24 numbers of which the signs are random if nothing happened, shifted by 0, 0.4
and 0.8 standard deviations. Two samples: 13 numbers, the first 6, shifted by twice that, against the
last 7. Each row is the share of data sets with p <= 0.05 and the milliseconds of one test. A level
above 0.05 by more than 4 standard errors fails the study, and so does, of a test with as many moves as
SciPy's, a power below it by more than 4 standard errors of both. Subgroups of fewer elements lose some
power, and the table says how much.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from scipy import stats

import sparseaug as sa

LEVEL = 0.05
SHIFTS = (0.0, 0.4, 0.8)
Test = Callable[[Any, np.random.Generator], float]


def size(x: Any) -> float:
    """The statistic of the paired tests: |mean|."""
    return float(abs(x.mean()))


def difference(x: Any) -> float:
    """The statistic of the two-sample tests."""
    return float(abs(x[..., :6].mean() - x[..., 6:].mean()))


def paired() -> dict[str, Test]:
    """Sign flips of 24 numbers."""
    one, many = sa.flip_signs(sa.sign_flips(1)), sa.flip_signs(sa.sign_flips(24))
    codes = np.random.default_rng(0).permutation(np.arange(1, 128))[:24]
    small = sa.GroupSample.generated(many.group, codes[None] >> np.arange(7)[:, None] & 1)
    large = sa.design(many.group, name="BCH array of strength 4")
    together: dict[str, Any] = {"statistic": size, "move": "together"}

    def scipy(x: Any, rng: np.random.Generator) -> float:
        kind: dict[str, Any] = {"permutation_type": "samples", "vectorized": False}
        found = stats.permutation_test(
            (x,), size, n_resamples=999, alternative="greater", rng=rng, **kind
        )
        return float(found.pvalue)

    return {
        "scipy, 999 resamples": scipy,
        "each sample, 999 draws": lambda x, rng: (
            sa.test_invariance(
                x[:, None], one, statistic="mean", seed=int(rng.integers(1 << 32))
            ).pvalue
        ),
        f"subgroup of {small.m}": lambda x, rng: (
            sa.test_invariance(x[None], many, small, **together).pvalue
        ),
        f"subgroup of {large.m} (BCH)": lambda x, rng: (
            sa.test_invariance(x[None], many, large, **together).pvalue
        ),
        "127 draws and the identity": lambda x, rng: (
            sa.test_invariance(
                x[None],
                many,
                sa.Oracle(many.group, int(rng.integers(1 << 32))).draw(127),
                **together,
            ).pvalue
        ),
    }


def two_samples() -> dict[str, Test]:
    """Permutations of 13 numbers."""
    action = sa.permute_axis(sa.symmetric(13))
    S = sa.design(action.group, degree=2)
    together: dict[str, Any] = {"statistic": difference, "move": "together"}

    def scipy(x: Any, rng: np.random.Generator) -> float:
        def apart(a: Any, b: Any) -> float:
            return float(abs(a.mean() - b.mean()))

        pair = (x[:6], x[6:])
        kind: dict[str, Any] = {"alternative": "greater", "vectorized": False}
        return float(stats.permutation_test(pair, apart, n_resamples=999, rng=rng, **kind).pvalue)

    return {
        "scipy, 999 resamples": scipy,
        f"subgroup of {S.m}, {S.origin.design}": lambda x, rng: (
            sa.test_invariance(x[None], action, S, **together).pvalue
        ),
        "999 draws and the identity": lambda x, rng: (
            sa.test_invariance(
                x[None],
                action,
                sa.Oracle(action.group, int(rng.integers(1 << 32))).draw(999),
                **together,
            ).pvalue
        ),
    }


def shares(test: Test, count: int, shift: float, first: int) -> tuple[float, float]:
    """The share of data sets that are rejected, and milliseconds per test."""
    rejected, start = 0, time.perf_counter()
    for k in range(count):
        rng = np.random.default_rng([k, int(100 * shift)])
        x = rng.normal(size=24 if first == 24 else 13)
        x[:first] += shift if first == 24 else 2 * shift
        rejected += test(x, rng) <= LEVEL
    return rejected / count, 1e3 * (time.perf_counter() - start) / count


def main(count: int = 400) -> int:
    """Print both tables; 1 if a limit is not kept."""
    console, failed = Console(), False
    for title, tests, first in (
        ("paired differences", paired(), 24),
        ("two samples", two_samples(), 6),
    ):
        table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
        for heading in ("test", "level", *(f"power at {s}" for s in SHIFTS[1:]), "ms"):
            table.add_column(heading, justify="left" if heading == "test" else "right")
        reference: list[float] = []
        for name, test in tests.items():
            found = [shares(test, count, shift, first) for shift in SHIFTS]
            rates = [rate for rate, _ in found]
            reference = reference or rates
            failed |= rates[0] > LEVEL + 4 * np.sqrt(LEVEL * (1 - LEVEL) / count)
            if "999" in name or "1024" in name:
                spread = 4 * np.sqrt(0.5 / count)
                failed |= any(r < s - spread for r, s in zip(rates, reference, strict=True))
            table.add_row(name, *(f"{rate:.3f}" for rate in rates), f"{found[-1][1]:.2f}")
        console.print(table)
    console.print(
        f"{count} data sets per figure; standard error at most {0.5 / np.sqrt(count):.3f}"
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
