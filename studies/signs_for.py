"""`signs` on eight statistics next to the usual ways to draw signs: what is left of the squared error.

    python -m studies.signs_for --out signs_for.csv

Of each statistic the mean over m rows of d signs is compared with its mean over all 2^d, for new
parameters and a new seed every time. "left" is the mean-square error divided by that of m independent
random rows, which leave 1; "noise" twice its standard error. Rivals: random rows all different, each row
followed by its negative, and signs of scrambled Sobol points.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

import sparseaug as sa
from studies.pages.tables import write_table

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
Rng = np.random.Generator
Statistic = Callable[[Rows, Rng], Floats]


def powers(rows: Rows, rng: Rng, *, sizes: tuple[int, ...]) -> Floats:
    """A random combination of products of so many signs."""
    d, total = rows.shape[1], np.zeros(len(rows))
    for size in sizes:
        for _ in range(2 * d):
            total += rng.normal() * rows[:, rng.permutation(d)[:size]].prod(axis=1)
    return total


def quadratic(rows: Rows, rng: Rng) -> Floats:
    a = rng.normal(size=(rows.shape[1],) * 2)
    return np.asarray(np.einsum("ri,ij,rj->r", rows, a, rows, optimize=True))


def of_sum(function: Callable[[Any], Any], rows: Rows, rng: Rng) -> Floats:
    """A function of a weighted sum of the signs."""
    return np.asarray(function(rows @ rng.normal(size=rows.shape[1])))


STATISTICS: dict[str, tuple[bool, Statistic]] = {
    "trace x'Ax": (True, quadratic),
    "size of a sum": (True, partial(of_sum, np.abs)),
    "square of a sum up to 2": (True, partial(of_sum, lambda s: np.minimum(s**2, 2))),
    "products of 2 and 4": (True, partial(powers, sizes=(2, 4))),
    "sum": (False, partial(of_sum, lambda s: s)),
    "tanh of a sum": (False, partial(of_sum, np.tanh)),
    "products of 1 and 3": (False, partial(powers, sizes=(1, 3))),
    "relu of a sum": (False, partial(of_sum, lambda s: np.maximum(s, 0.3))),
}
"""Whether it stays the same when all signs flip, which is what even=True is for; and the statistic."""


def different(d: int, m: int, rng: Rng) -> Rows:
    """Random rows, no two of them equal."""
    numbers = rng.permutation(1 << d)[:m]
    return np.asarray(1 - 2 * (numbers[:, None] >> np.arange(d) & 1))


def pairs(d: int, m: int, rng: Rng) -> Rows:
    half = rng.choice([-1, 1], size=(-(-m // 2), d))
    return np.stack([half, -half], axis=1).reshape(-1, d)[:m]


def sobol(d: int, m: int, rng: Rng) -> Rows:
    points = qmc.Sobol(d, rng=rng).random(1 << (m - 1).bit_length())[:m]
    return np.where(points < 0.5, -1, 1)


def makers(*, even: bool) -> dict[str, Callable[[int, int, Rng], Rows]]:
    return {
        "signs": lambda d, m, rng: sa.signs(d, m, even=even, rng=rng),
        "different": different,
        "pairs": pairs,
        "Sobol": sobol,
    }


def cell(name: str, d: int, m: int, repeats: int) -> dict[str, Any]:
    """One statistic at one size: what each way of drawing leaves."""
    even, statistic = STATISTICS[name]
    every = np.array(list(product([-1, 1], repeat=d)))
    ways = makers(even=even)
    errors = np.empty((repeats, len(ways)))
    variance = 0.0
    for seed in range(repeats):
        values = statistic(every, np.random.default_rng(seed))
        variance += float(values.var()) / m / repeats
        for k, make in enumerate(ways.values()):
            rows = make(d, m, np.random.default_rng([seed, k]))
            errors[seed, k] = statistic(rows, np.random.default_rng(seed)).mean() - values.mean()
    left = (errors**2).mean(axis=0) / variance
    noise = 2 * (errors**2).std(axis=0)[0] / np.sqrt(repeats) / variance
    return {
        **{"statistic": name, "even": even, "d": d, "m": m},
        **{way: f"{value:.3f}" for way, value in zip(ways, left, strict=True)},
        "noise": f"{noise:.3f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("signs_for.csv"))
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--sizes", nargs="+", default=["7,8", "8,5", "8,16", "11,12", "12,24"])
    given = parser.parse_args()
    sizes = [tuple(int(part) for part in size.split(",")) for size in given.sizes]
    rows = [cell(name, d, m, given.repeats) for name in STATISTICS for d, m in sizes]
    write_table(given.out, rows)


if __name__ == "__main__":
    main()
