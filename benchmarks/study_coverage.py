"""How often the a-priori bounds fail, and how tight they are: many draws of S, exact norms.

    python benchmarks/study_coverage.py [draws]

For each group, m and delta: the number of draws whose deviation is above the paper's bound and above
the sharper one, with the Clopper-Pearson upper limit (95 %) of the failure probability, and the ratio
of the mean deviation to each bound. The failure probability must be below delta.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import beta

import sparseaug as sa

GROUPS = ("S4", "S5", "D6", "Z2^6", "C30")
SIZES = (8, 32, 128)
DELTAS = (0.5, 0.1, 0.01)


class Row(NamedTuple):
    group: str
    m: int
    delta: float
    draws: int
    failures: int
    sharp_failures: int
    limit: float
    tightness: float
    sharp_tightness: float


def deviations(name: str, m: int, draws: int, seed: int = 0) -> NDArray[np.float64]:
    """The deviations of `draws` independent samples of m elements, all blocks at once."""
    g = sa.group(name)
    rows = np.concatenate(list(g.elements()))
    rng = np.random.default_rng([seed, m])
    chosen = rng.integers(0, g.order, (draws, m))  # g.order is small, so is what this rounds
    counts = np.zeros((draws, g.order))
    np.add.at(counts, (np.arange(draws)[:, None], chosen), 1 / m)
    worst = np.zeros(draws)
    irreps = g.irreps()
    next(irreps)
    for irrep in irreps:
        matrices = irrep.matrices(rows)
        means = (counts @ matrices.reshape(g.order, -1)).reshape(draws, *matrices.shape[1:])
        worst = np.maximum(worst, np.linalg.norm(means, ord=2, axis=(1, 2)))
    return worst


def study(draws: int) -> Iterator[Row]:
    for name in GROUPS:
        g = sa.group(name)
        total = sum(irrep.dimension for irrep in g.irreps()) - 1
        for m in SIZES:
            found = deviations(name, m, draws)
            for delta in DELTAS:
                paper = sa.theory.deviation_bound(m, g.order, delta)
                sharp = sa.theory.sharp_deviation_bound(m, total, delta)
                # 1e-12 against the rounding of the norms; a bound of 1 cannot fail
                failures = int((found > paper + 1e-12).sum())
                sharp_failures = int((found > sharp + 1e-12).sum())
                most = max(failures, sharp_failures)
                limit = float(beta.ppf(0.95, most + 1, draws - most))
                mean = float(found.mean())
                yield Row(
                    name,
                    m,
                    delta,
                    draws,
                    failures,
                    sharp_failures,
                    limit,
                    mean / paper,
                    mean / sharp,
                )


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    table = Table(box=box.SIMPLE_HEAD, title=f"{draws:,} draws each", title_justify="left")
    for heading in (
        "group",
        "m",
        "delta",
        "fails",
        "sharper fails",
        "95 % limit",
        "tight",
        "sharper",
    ):
        table.add_column(heading, justify="left" if heading == "group" else "right")
    total = len(GROUPS) * len(SIZES) * len(DELTAS)
    rows = list(track(study(draws), total=total, description="drawing", transient=True))
    for row in rows:
        table.add_row(
            row.group,
            str(row.m),
            f"{row.delta:g}",
            str(row.failures),
            str(row.sharp_failures),
            f"{row.limit:.2g}",
            f"{row.tightness:.2f}",
            f"{row.sharp_tightness:.2f}",
        )
    Console().print(table)
    broken = [row for row in rows if row.limit >= row.delta]
    print(f"{len(broken)} of {len(rows)} limits are not below their delta")


if __name__ == "__main__":
    main()
