"""Designs next to draws: the deviation of both, by group and size, and the limit it must keep.

    python -m studies.designs [draws]

For each row: the deviation (whole, or on functions of at most `degree` coordinates) of `draws`
samples of m uniform elements, and of as many sets of scrambled Halton points turned into elements
(digit i of an element is coordinate i times its radix), each a mean with its standard error; of the
design; the floor that no S of m elements can beat; the limit for the design; and how long it took.
The limits are figures that were known before, but for "nested", S20 and S40, which guard against a
loss: they were set above the first results. Exits with 1 if a limit is not kept.
"""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import qmc

import sparseaug as sa
from sparseaug.groups import Group


class Case(NamedTuple):
    group: str
    m: int
    degree: int | None
    limit: float
    name: str | None = None


CASES = (
    Case("C73", 9, None, 0.3144),
    Case("C91", 10, None, 0.3 + 1e-12),
    Case("C29xC29", 29, None, 0.1858),
    Case("C28xC28", 64, None, 0.20),
    Case("Z2^14", 128, None, 0.1251),
    Case("Z2^18", 512, None, 0.0626),
    Case("S5", 32, None, 0.215),
    Case("S6", 16, None, 0.408),
    Case("S6", 64, None, 0.175),
    Case("S6", 64, None, 0.19, "nested"),
    Case("S7", 42, 2, 1e-12),
    Case("S13", 156, 2, 1e-12),
    Case("S10", 90, 2, 0.16),
    Case("S20", 40, 2, 0.30),
    Case("S40", 20, 1, 0.30),
    Case("Z2^31", 32, 2, 0.0),
    Case("Z2^31", 64, 3, 0.0),
    Case("Z2^64", 128, 3, 0.0),
)


class Row(NamedTuple):
    case: Case
    design: str
    drawn: tuple[float, float]
    halton: tuple[float, float]
    value: float
    floor: float
    seconds: float

    @property
    def kept(self) -> bool:
        return self.value <= self.case.limit


def halton_sample(group: Group, m: int, seed: int) -> sa.GroupSample:
    radices = np.array(group.radices)
    points = qmc.Halton(len(radices), scramble=True, seed=seed).random(m)
    digits = np.minimum((points * radices).astype(np.int64), radices - 1)
    return sa.GroupSample(group, group._from_digits(np.ascontiguousarray(digits.T)))


def mean_and_error(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)


def study(case: Case, draws: int) -> Row:
    group = sa.group(case.group)

    def deviation(S: sa.GroupSample) -> float:
        return sa.deviation(S, degree=case.degree).value

    start = time.perf_counter()
    S = sa.design(group, m=case.m, degree=case.degree, name=case.name, objective="deviation")
    seconds = time.perf_counter() - start
    found = sa.deviation(S, degree=case.degree)
    drawn = [deviation(sa.Oracle(group, seed=seed).draw(case.m)) for seed in range(draws)]
    halton = [deviation(halton_sample(group, case.m, seed)) for seed in range(draws)]
    return Row(
        case,
        S.origin.design,
        mean_and_error(drawn),
        mean_and_error(halton),
        found.value,
        found.floor,
        seconds,
    )


def table(rows: list[Row]) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, title="deviation of designs, next to draws of the same m")
    shown.add_column("group", no_wrap=True)
    shown.add_column("design")
    for name in ("m", "degree", "i.i.d.", "Halton", "design", "floor", "limit", "kept", "s"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        shown.add_row(
            row.case.group,
            row.design,
            str(row.case.m),
            str(row.case.degree or "all"),
            "{:.3f} +- {:.3f}".format(*row.drawn),
            "{:.3f} +- {:.3f}".format(*row.halton),
            f"{row.value:.4f}",
            f"{row.floor:.4f}" if row.floor else "-",
            f"{row.case.limit:.4g}",
            "yes" if row.kept else "NO",
            f"{row.seconds:.2f}",
        )
    return shown


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    rows = [study(case, draws) for case in track(CASES, description="designs")]
    Console(width=150).print(table(rows))
    sys.exit(0 if all(row.kept for row in rows) else 1)


if __name__ == "__main__":
    main()
