"""Tests of invariance: their level on hostile laws, and power and time next to SciPy's permutation test.

    python -m studies.invariance_tests [data sets] [p-values per law] [law ...]

Paired differences: 24 numbers of which the signs are random if nothing happened, shifted by 0, 0.4
and 0.8 standard deviations. Two samples: 13 numbers, the first 6, shifted by twice that, against the
last 7. Each row is the share of data sets with p <= 0.05 and the milliseconds of one test. A level
above 0.05 by more than 4 standard errors fails the study, and so does, of a test with as many moves as
SciPy's, a power below it by more than 4 standard errors of both. Subgroups of fewer elements lose some
power, and the table says how much.

Then laws that are exactly invariant and full of ties: near-duplicates, scales from 1e-12 to 1e12 and
beyond in one sample, fixed points, outliers, single precision. By default 10,000 p-values per law and
statistic, each with data and a seed of its own, few moves and few samples. P(p <= a) <= a is tested at
the LEVELS by exact binomial tails; the table shows shares at three levels, and the smallest tail. The
whole study fails for a test of the right level with probability at most FALSE_ALARM (Bonferroni).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from scipy import stats

import sparseaug as sa
from sparseaug.actions.prepared import PreparedAction

LEVEL = 0.05
LEVELS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.375, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FALSE_ALARM = 1e-3
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
                x[:, None], one, statistic=size, seed=int(rng.integers(1 << 32))
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
                x[None], many, draws=127, seed=int(rng.integers(1 << 32)), **together
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
                x[None], action, draws=999, seed=int(rng.integers(1 << 32)), **together
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


@dataclass(frozen=True)
class Law:
    """Data that are exactly invariant: fixed samples, each moved by a uniform element.

    Attributes:
        action: how they move
        base: samples before they move (n, ...), of this random generator
        S: the subgroup
        draws: moves that are drawn
    """

    action: sa.actions.Action
    base: Callable[[np.random.Generator], Any]
    S: Any = "full"
    draws: int = 39

    def data(self, rng: np.random.Generator) -> Any:
        """One data set."""
        group, x = self.action.group, self.base(rng)
        if self.S == "full":
            rows = group.sample(len(x), rng)
        else:
            rows = self.S.elements[rng.integers(self.S.m, size=len(x))]
        return PreparedAction(self.action, rows, memory=0).each(x, np.arange(len(x)))


def beside(n: int, first: Any, size: float, dtype: Any = np.float64) -> Any:
    """n samples: the same first entries, and `size` in an entry of their own."""
    first = np.broadcast_to(np.asarray(first, dtype), (n, np.size(first)))
    return np.concatenate([first, size * np.eye(n, dtype=dtype)], axis=1)


def turns(order: int, still: int) -> sa.actions.Action:
    """C_order turns the first two entries; so many others stay."""
    angles = 2 * np.pi * np.arange(order) / order
    matrices = np.tile(np.eye(2 + still), (order, 1, 1))
    matrices[:, 0, 0] = matrices[:, 1, 1] = np.cos(angles)
    matrices[:, 1, 0] = np.sin(angles)
    matrices[:, 0, 1] = -matrices[:, 1, 0]
    return sa.linear(sa.cyclic(order), matrices)


def laws() -> dict[str, Law]:
    """Of each kind of tie that a test may break."""
    reflect = sa.linear(sa.cyclic(2), np.stack([np.eye(4), np.diag([-1.0, 1, 1, 1])]))
    sets, signs = sa.permute_axis(sa.symmetric(3)), sa.flip_signs(sa.sign_flips(2))
    turn, six = sa.rotate_grid(sa.dihedral(4)), sa.permute_axis(sa.symmetric(6))
    three = sa.GroupSample.generated(six.group, [[1, 2, 0, 3, 4, 5]])
    signed = sa.signed_permute(sa.hyperoctahedral(2))
    return {
        "C2, +-1 beside 1e-6": Law(reflect, lambda rng: beside(3, [1.0], 1e-6), draws=7),
        "C5, a turn beside 1e-6": Law(turns(5, 6), lambda rng: beside(6, [1.0, 0.0], 1e-6)),
        "C5, a turn beside 1e-8": Law(turns(5, 4), lambda rng: beside(4, [1.0, 0.0], 1e-8)),
        "C3, single precision": Law(
            turns(3, 4), lambda rng: beside(4, [1.0, 0.5], 1e-4, np.float32)
        ),
        "SO3, one orbit": Law(
            sa.rotate(sa.rotations(3)), lambda rng: np.tile([3.0, 4.0, 0.0], (4, 1)), draws=19
        ),
        "S3, bits": Law(sets, lambda rng: rng.integers(0, 2, (5, 3))),
        "S3, fixed points and one other": Law(
            sets, lambda rng: np.array([[7.0] * 3] * 4 + [[0.0, 1.0, 2.0]]), draws=19
        ),
        "S3, 1e12, 1 and 1e-12 in a sample": Law(
            sets, lambda rng: np.tile([1e12, 1, 1e-12], (4, 1))
        ),
        "S3, 1e8 and last digits": Law(sets, lambda rng: 1e8 + 1e-8 * rng.integers(0, 3, (5, 3))),
        "S3, one outlier of 1e12": Law(
            sets, lambda rng: rng.normal(size=(5, 3)) * [[1e12], [1], [1], [1], [1]]
        ),
        "Z2^2, 1e-12": Law(signs, lambda rng: 1e-12 * rng.normal(size=(5, 2))),
        "Z2^2, 1e12, duplicates": Law(signs, lambda rng: np.full((5, 2), 1e12) + rng.integers(2)),
        "Z2^2, 1e-310": Law(signs, lambda rng: 1e-310 * rng.integers(0, 4, (4, 2))),
        "D4, images of integers, fixed center": Law(
            turn, lambda rng: rng.integers(0, 2, (4, 3, 3))
        ),
        "D4, heavy tails": Law(turn, lambda rng: rng.standard_cauchy((4, 2, 2))),
        "C3 in S6, near-duplicates": Law(
            six, lambda rng: 1.0 + 1e-9 * rng.integers(0, 2, (5, 6)), three
        ),
        "B2, ties": Law(signed, lambda rng: np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 1.0]])),
    }


def weighted(x: Any) -> float:
    """A function that all entries enter, for samples that move together."""
    return float(x.reshape(-1) @ 0.7 ** np.arange(x.size))


STATISTICS: dict[str, dict[str, Any]] = {
    "energy": {"statistic": "energy"},
    "function, together": {"statistic": weighted, "move": "together"},
}


def pvalues(law: Law, name: str, count: int) -> list[float]:
    """p-values of data sets of this law, each with a seed of its own."""
    given, found = STATISTICS[name], []
    for k in range(count):
        rng = np.random.default_rng([k, 22])
        x = law.data(rng)
        if given.get("move") == "together":  # all samples by one element
            row = (
                law.action.group.sample(1, rng) if law.S == "full" else law.S.elements[k % law.S.m]
            )
            x = law.action(np.reshape(row, (1, -1)), law.base(rng))[0]
        options: dict[str, Any] = {"draws": law.draws, "seed": k, **given}
        found.append(sa.test_invariance(x, law.action, law.S, **options).pvalue)
    return found


def tail(found: list[float]) -> float:
    """The least probability, over the levels, of so many p-values at or below a level."""
    p = np.asarray(found)
    counts = [int((p <= a * (1 + 1e-12)).sum()) for a in LEVELS]
    return float(min(stats.binom.sf(np.array(counts) - 1, len(p), LEVELS)))


def levels(console: Console, count: int, names: Sequence[str]) -> bool:
    """Print the table of the laws; whether a level is exceeded."""
    table = Table(title=f"{count} p-values per line", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("law", "statistic", "p <= 0.01", "p <= 0.05", "p <= 0.25", "least tail"):
        table.add_column(heading, justify="left" if heading in ("law", "statistic") else "right")
    failed, most = False, FALSE_ALARM / (len(laws()) * len(STATISTICS) * len(LEVELS))
    for title, law in laws().items():
        if names and not any(name in title for name in names):
            continue
        for name in STATISTICS:
            found = pvalues(law, name, count)
            shares = [np.mean(np.asarray(found) <= a) for a in (0.01, 0.05, 0.25)]
            least = tail(found)
            failed |= least < most
            table.add_row(title, name, *(f"{share:.4f}" for share in shares), f"{least:.2g}")
    console.print(table)
    console.print(f"a tail below {most:.1g} fails")
    return failed


def main(count: str = "400", each: str = "10000", *names: str) -> int:
    """Print all tables; 1 if a limit is not kept."""
    console = Console(width=110)
    failed = levels(console, int(each), names)
    if int(count):
        failed |= beside_scipy(console, int(count))
    return int(failed)


def beside_scipy(console: Console, count: int) -> bool:
    """Print the tables of power and time; whether a level or a power is not kept."""
    failed = False
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
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
