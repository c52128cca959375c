"""How often bounds that hold with a probability fail: those of draws of S, and those of audits.

    python -m studies.bounds [draws]

A-priori: for each group, m and delta: the number of draws whose deviation is above the paper's bound
and above the sharper one, with the Clopper-Pearson upper limit (95 %) of the failure probability, and
the ratio of the mean deviation to each bound. The failure probability must be below delta.

Audits: vectors of known mean and range, of the kinds that make intervals fail; how often the mean of N
is farther from it than the radius says, at N = 256 alone and at any of N = 1, 2, 4, ..., 1024.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import beta

import sparseaug as sa
from sparseaug.certificate.concentration import Seen, radius

GROUPS = ("S4", "S5", "D6", "Z2^6", "C30")
SIZES = (8, 32, 128)
DELTAS = (0.5, 0.1, 0.01)
AUDIT_DELTAS = (0.5, 0.2, 0.05)
LOOKS = 2 ** np.arange(11)
FIXED = 256
AT_ONCE = 500  # audits in memory


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
                paper = sa.theory.deviation_bound(m, order=g.order, delta=delta)
                sharp = sa.theory.sharp_deviation_bound(m, dimension_sum=total, delta=delta)
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


Vectors = Callable[[np.random.Generator, int], NDArray[np.float64]]


class Law(NamedTuple):
    """Vectors (audits, 1024, p) of known mean; none is longer than `largest` or farther than
    `reach`."""

    draw: Vectors
    mean: NDArray[np.float64]
    largest: float
    reach: float = math.inf


def laws() -> dict[str, Law]:
    """Fair and rare points, hardly any spread in a large range, directions, and translates of S."""
    zero = np.zeros(1)
    rng = np.random.default_rng(7)
    table = rng.normal(size=(24, 8)) * rng.exponential(1, (24, 1)) ** 2  # by elements of S_4
    table -= table.mean(axis=0) - 0.1
    g = sa.symmetric(4)
    everything, S = g.all_elements(), sa.Oracle(g, seed=0).draw(4)
    places = [g.rank(g.compose(S.elements, row[None])) for row in everything]
    cosets = np.stack([table[p].mean(axis=0) for p in places])

    def points(chance: float) -> Law:
        def draw(rng: np.random.Generator, audits: int) -> NDArray[np.float64]:
            return (rng.random((audits, LOOKS[-1], 1)) < chance).astype(float)

        return Law(draw, np.array([chance]), 1.0)

    def fair(rng: np.random.Generator, audits: int) -> NDArray[np.float64]:
        return rng.choice([-1.0, 1.0], (audits, LOOKS[-1], 1))

    def narrow(rng: np.random.Generator, audits: int) -> NDArray[np.float64]:
        return 0.3 + 1e-4 * rng.uniform(-1, 1, (audits, LOOKS[-1], 1))

    def sphere(rng: np.random.Generator, audits: int) -> NDArray[np.float64]:
        v = rng.normal(size=(audits, LOOKS[-1], 8))
        return np.asarray(v / np.linalg.norm(v, axis=2, keepdims=True))

    def of(rows: NDArray[np.float64]) -> Law:
        longest = float(np.linalg.norm(table, axis=1).max())
        reach = float(np.linalg.norm(rows - rows.mean(axis=0), axis=1).max())
        picked = lambda rng, k: rows[rng.integers(0, 24, (k, LOOKS[-1]))]  # noqa: E731
        return Law(picked, table.mean(axis=0), longest, reach)

    return {
        "+1 or -1": Law(fair, zero, 1.0, 1.0),
        "1 or 0, 1 of 10": points(0.1),
        "1 or 0, 1 of 1000": points(0.001),
        "spread 1e-4 of the range": Law(narrow, np.array([0.3]), 1.0),
        "sphere in 8 dimensions": Law(sphere, np.zeros(8), 1.0, 1.0),
        "elements of S4": of(table),
        "cosets in S4": of(cosets),
    }


class AuditRow(NamedTuple):
    law: str
    delta: float
    audits: int
    fixed: int
    anytime: int
    limit: float


def study_audits(audits: int) -> Iterator[AuditRow]:
    """Failures of the radius at N = 256, and at any look."""
    for name, law in laws().items():
        rng = np.random.default_rng(0)
        fixed, anytime = dict.fromkeys(AUDIT_DELTAS, 0), dict.fromkeys(AUDIT_DELTAS, 0)
        for start in range(0, audits, AT_ONCE):
            y = law.draw(rng, min(AT_ONCE, audits - start))
            broken = {delta: np.zeros((len(LOOKS), len(y)), bool) for delta in AUDIT_DELTAS}
            for look, N in enumerate(LOOKS):
                means = y[:, :N].mean(axis=1)
                off = np.linalg.norm(means - law.mean, axis=1)
                spread = np.sqrt(((y[:, :N] - means[:, None]) ** 2).sum(axis=2).mean(axis=1))
                sizes = np.linalg.norm(means, axis=1)
                least = Seen(int(N), float(sizes.min()), float(spread.min()))
                for delta in AUDIT_DELTAS:
                    limits = {"largest": law.largest, "reach": law.reach}
                    # the radius grows with mean and spread, so most need not be computed
                    for i in np.flatnonzero(off > 0.99 * radius(least, delta, **limits)):
                        seen = Seen(int(N), float(sizes[i]), float(spread[i]))
                        # 1e-12 against the rounding of the means here
                        broken[delta][look, i] = off[i] > radius(seen, delta, **limits) + 1e-12
            for delta, found in broken.items():
                fixed[delta] += int(found[LOOKS.tolist().index(FIXED)].sum())
                anytime[delta] += int(found.any(axis=0).sum())
        for delta in AUDIT_DELTAS:
            limit = float(beta.ppf(0.95, anytime[delta] + 1, audits - anytime[delta]))
            yield AuditRow(name, delta, audits, fixed[delta], anytime[delta], limit)


def show_audits(audits: int, console: Console) -> None:
    table = Table(box=box.SIMPLE_HEAD, title=f"{audits:,} audits each", title_justify="left")
    for heading in ("vectors", "delta", "fails at 256", "fails at any N", "95 % limit"):
        table.add_column(heading, justify="left" if heading == "vectors" else "right")
    rows = list(study_audits(audits))
    for row in rows:
        fails = (f"{row.delta:g}", str(row.fixed), str(row.anytime), f"{row.limit:.2g}")
        table.add_row(row.law, *fails)
    console.print(table)
    broken = [row for row in rows if row.limit >= row.delta]
    console.print(f"{len(broken)} of {len(rows)} limits are not below their delta")


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
    show_audits(draws, Console())


if __name__ == "__main__":
    main()
