"""A pilot on the paper's experiment: predicted next to measured discrepancy, and m for eps.

    python -m studies.pilot [seeds]

For each seed theta is where one-shot with 16 draws ends. There the pilot predicts the root mean square
of ||grad R^S - grad R^G||, from all 720 gradients and from 64 draws, and 40 samples (draws, or
translates of the design on both sides) measure it. m for eps is what the pilot says, for draws from 64
gradients, for designs of no more elements from all of them; next to the smallest m whose measured
discrepancy is at most eps / 2, and next to the paper's bound with C = 1 and B of the kernel model.
Exits with 1 if a prediction from all gradients, or one for draws from 64, is off by more than a factor
of 1.5; if m for eps is off by more than 2; or if the paper's bound is not.
"""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import sparseaug as sa
from sparseaug.designs.constructions import fixed_designs
from sparseaug.kernels import gradient_norms
from studies.paper.config import Config
from studies.paper.problem import Problem

SIZES = (4, 16, 64, 120)
EPS = (0.4, 0.2, 0.1, 0.05)
TIMES = 40


class Found(NamedTuple):
    ratios: dict[tuple[str, str, int], float]  # predicted over measured
    sizes: dict[float, Sizes]


class Sizes(NamedTuple):
    draws: int  # by the pilot from 64
    enough: int  # draws that are enough, as measured
    exact: int  # draws, by the pilot from all
    design: int | None  # the same
    smallest: int | None  # design that is enough, of no more elements than draws
    paper: int


def designed(group: Any, m: int) -> sa.GroupSample:
    """The design of m elements: by search, and PGL(2,5) where its construction has as many."""
    return sa.design(group, degree=3) if m == 120 else sa.design(group, m=m, objective="deviation")


def study(seed: int, designs: dict[int, sa.GroupSample]) -> Found:
    """One seed."""
    given = Problem(Config(), seed)
    parts = given.model, given.train, given.action
    risk = sa.augmented_risk(*parts, given.sample(16))
    run = sa.descend(
        risk, given.start, step_size=0.05, num_steps=500, project=sa.descent.Box(given.config.box)
    )
    theta = np.asarray(run.best)
    full = given.full_risk(given.train).gradient(theta)
    oracle = sa.Oracle(given.action.group, seed=1000 + seed)
    pilots = {
        "all 720": sa.pilot(risk, theta, oracle),
        "64 draws": sa.pilot(risk, theta, oracle, calls=64),
    }

    def measured(S: Any) -> float:
        """Of `TIMES` samples made by S()."""
        off = [sa.augmented_risk(*parts, S()).gradient(theta) - full for _ in range(TIMES)]
        return float(np.sqrt(np.mean(np.square(np.linalg.norm(off, axis=1)))))

    ratios = {}
    for m in SIZES:
        S = designs[m]
        found = {
            "draws": measured(lambda m=m: oracle.fresh(m)),
            "design": measured(lambda S=S: S.translate(oracle, side="both")),
        }
        for name, pilot in pilots.items():
            ratios[name, "draws", m] = pilot.predict(m).rms / found["draws"]
            ratios[name, "design", m] = pilot.predict(S).rms / found["design"]
    return Found(ratios, {eps: sizes(given, theta, full, pilots, oracle, eps) for eps in EPS})


def sizes(
    given: Problem,
    theta: Any,
    full: Any,
    pilots: dict[str, sa.plans.Pilot],
    oracle: sa.Oracle,
    eps: float,
) -> Sizes:
    """What the pilots say, what is enough, and what the paper's bound says."""
    group = given.action.group
    everything = given.model, given.train, given.action
    vectors = np.concatenate(
        [
            v
            for _, v in sa.augmented_risk(*everything, None)._element_gradients(
                theta, group.all_elements()
            )
        ]
    )

    def works(rows: list[Any]) -> bool:
        off = [vectors[group.rank(each)].mean(axis=0) - full for each in rows]
        return float(np.mean(np.square(np.linalg.norm(off, axis=1)))) <= (eps / 2) ** 2

    planned = pilots["64 draws"].plan(eps).row("draws").m or 0
    least = next(
        m
        for m in sorted({math.ceil(1.1**k) for k in range(120)})
        if works([oracle.fresh(m).elements for _ in range(200)])
    )
    exact = pilots["all 720"].plan(eps)
    most = exact.row("draws").m or 0
    names = [one.name for one in fixed_designs(group) if one.m and one.m <= most and one.m < 720]
    made = (sa.design(group, name=name) for name in names)
    good = (
        S.m for S in made if works([S.translate(oracle, side="both").elements for _ in range(50)])
    )
    smallest = next(good, None)
    half = len(theta) // 2
    B = gradient_norms(
        given.model.kernel, given.model.centers, theta[:half], theta[half:], given.train[1]
    ).B
    paper = sa.theory.sample_size(eps, 0.05, order=group.order, C=1.0, B=B)
    return Sizes(planned, least, most, exact.row("design").m, smallest, paper)


def _span(numbers: list[int | None]) -> str:
    known = sorted(n for n in numbers if n is not None)
    text = f"{known[0]}-{known[-1]}" if known else "none"
    return text + (" or none" if known and len(known) < len(numbers) else "")


def main(seeds: int = 10) -> int:
    """Print both tables; 1 if a limit is not kept."""
    group = sa.symmetric(6)
    designs = {m: designed(group, m) for m in SIZES}
    found = [study(seed, designs) for seed in track(range(seeds), description="seeds")]
    console, failed = Console(), False
    table = Table(title="predicted over measured: least, median, largest", title_justify="left")
    table.box = box.SIMPLE_HEAD
    for heading in ("pilot", "S", "m", "least", "median", "largest"):
        table.add_column(heading, justify="left" if heading in ("pilot", "S") else "right")
    for key in found[0].ratios:
        values = np.array([one.ratios[key] for one in found])
        table.add_row(*map(str, key), *(f"{v:.3f}" for v in np.quantile(values, (0, 0.5, 1))))
        if key[0] == "all 720" or key[1] == "draws":
            failed |= bool(values.min() < 1 / 1.5 or values.max() > 1.5)
    console.print(table)
    table = Table(title="m for eps over seeds", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in (
        "eps",
        "draws",
        "enough",
        "off by",
        "all: off by",
        "design",
        "enough",
        "paper",
        "times enough",
    ):
        table.add_column(heading, justify="right")
    for eps in EPS:
        rows = [one.sizes[eps] for one in found]
        off = [max(one.draws / one.enough, one.enough / one.draws) for one in rows]
        best = [min(one.exact, one.design or 720) for one in rows]
        truth = [min(one.enough, one.smallest or 720) for one in rows]
        apart = [max(a / b, b / a) for a, b in zip(best, truth, strict=True)]
        times = [one.paper / one.enough for one in rows]
        failed |= max(*off, *apart) > 2 or min(times) <= 2
        table.add_row(
            f"{eps:g}",
            _span([one.draws for one in rows]),
            _span([one.enough for one in rows]),
            f"{max(off):.2f}",
            f"{max(apart):.2f}",
            _span([one.design for one in rows]),
            _span([one.smallest for one in rows]),
            f"{np.median([one.paper for one in rows]):.2g}",
            f"{np.median(times):.2g}",
        )
    console.print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
