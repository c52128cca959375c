"""How far averages over subproducts are off: mean square and tail, and how to split a budget of calls.

    python -m studies.products [seeds]

A function on S_7 (a small network of the row, of all degrees) is averaged over all ordered subproducts
of c draws, over 2^c draws, and over R sets that share 12 calls. Per row: the mean square over that of as
many draws, next to theory, and the 95 % point of |error| over its root mean square and over sigma.

With q = 2^(-c/R) and rho = z(e)^2 / sigma^2, z the function less its mean, one set of c/R draws
leaves q + q^2 (rho - 1) of sigma^2 in mean square, as E (z(e) + z(g))^2 / 4 = (z(e)^2 + sigma^2) / 4,
and q z(e) on average. Where z has one length at all points, as in an RKHS, rho is 1. Exits with 1 if a
mean square is off that by more than five standard errors.
"""

from __future__ import annotations

import sys

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import sparseaug as sa
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats

BUDGET = 12
SPLITS = (1, 2, 3, 4, 6)
SIZES = (4, 6, 8)


def main(seeds: int = 300) -> int:
    """Measure and print."""
    group = sa.symmetric(7)
    rng = np.random.default_rng(0)
    W, w = rng.normal(size=(7, 7, 16)), rng.normal(size=16)

    def f(rows: Rows) -> Floats:
        return np.asarray(np.tanh(0.7 * W[np.arange(7), rows].sum(axis=1)) @ w)

    every = f(group.all_elements())
    truth, variance = every.mean(), every.var()
    rho = float((f(group.identity())[0] - truth) ** 2 / variance)
    table = Table(
        *("S", "calls", "elements", "mean square / (sigma^2 / m)", "standard error"),
        *("theory", "95 % / rms", "95 % / sigma"),
        title=f"{group.name}, {seeds} seeds",
        box=box.SIMPLE_HEAD,
    )
    failed = False
    cases = [(f"products of {c}", c, 1) for c in SIZES]
    cases += [(f"{r} sets of {BUDGET // r} draws", BUDGET, r) for r in SPLITS]
    cases += [(f"{2**c} draws", 2**c, 0) for c in SIZES]
    for name, calls, repeats in cases:
        errors, m = [], 0
        for seed in range(seeds):
            oracle = sa.Oracle(group, seed=1000 * calls + 100_000 * repeats + seed)
            S = oracle.products(calls, repeats=repeats) if repeats else oracle.fresh(calls)
            errors.append(f(S.elements).mean() - truth)
            m = S.m
        squares = np.array(errors) ** 2 / variance
        ratio, error = squares.mean() * m, squares.std() * m / seeds**0.5
        theory = 1.0
        if repeats:
            q = 0.5 ** (calls // repeats)
            theory = m * ((q + q * q * (rho - 1)) / repeats + (1 - 1 / repeats) * q * q * rho)
        failed |= abs(ratio - theory) > 5 * error
        tail = float(np.quantile(np.sqrt(squares), 0.95))
        share = tail / squares.mean() ** 0.5
        cells = (f"{ratio:.2f}", f"{error:.2f}", f"{theory:.2f}", f"{share:.2f}")
        table.add_row(name, f"{calls}", f"{m:,}", *cells, f"{tail:.4f}")
    Console(width=120).print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
