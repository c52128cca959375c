"""`orders` next to `rng.permuted`: seconds, and what is left of the imbalance that each is about.

Limits, on a quiet core: 0.2 s for n <= 12, m <= 500, and 2 s for n = 100, m = 1,000.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.qmc.orders import BALANCES

CASES = ((5, 12, 0.2), (10, 42, 0.2), (12, 500, 0.2), (30, 62, 2.0), (100, 1000, 2.0))


def permuted(n: int, m: int) -> np.ndarray:
    return np.random.default_rng(0).permuted(np.tile(np.arange(n), (m, 1)), axis=1)


def in_a_loop(n: int, m: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([rng.permutation(n) for _ in range(m)])


def random_pairs(n: int, m: int) -> np.ndarray:
    rows = permuted(n, m // 2)
    return np.concatenate([rows, rows[:, ::-1]])


def main() -> None:
    slow = False
    for n, m, limit in CASES:
        ways = {"a loop": partial(in_a_loop, n, m)}
        ways |= {name: partial(sa.orders, n, m, balance=name) for name in BALANCES}
        lines = [f"limit {limit:g} s; left next to random orders, ours and one draw:"]
        for name in BALANCES:
            ours = sa.orders_report(sa.orders(n, m, balance=name)).left[name]
            drawn = random_pairs(n, m) if name == "middle" else permuted(n, m)
            theirs = sa.orders_report(drawn).left[name]
            lines.append(f"  {name:<11} {ours:8.3g} {theirs:8.3g}")
        best = compare(f"{m} orders of {n} items", ways, rounds=3, limit="\n".join(lines))
        slow |= max(best[name] for name in BALANCES) > limit
    sys.exit(slow)


if __name__ == "__main__":
    main()
