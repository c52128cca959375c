"""The paper's experiment with designs beside draws of the same m, and the full group.

    python benchmarks/study_reproduction_designs.py [seeds] [samples]

S_6 with the paper's data, model and steps. At m = 6, 12, 60, 120: m uniform draws, and the design of
that size, translated on both sides (two oracle calls); beside them the full group. At the last
iterate: the discrepancy ||grad R^S - grad R^G||, the full-gradient norm and the test risk over the
whole group. One S of six draws says little about six draws: each seed has `samples` independent
ones (8 by default), and as many translates of the design; a figure is the mean over the seeds of
their means, with its standard error. Exits with 1 if the translated PGL(2,5) has more than 1/50 of
the draws' discrepancy at m = 120, or C_6 more than 1/2 at m = 6.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from rich import box as boxes
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

import sparseaug as sa
from sparseaug.experiments.config import Config
from sparseaug.experiments.problem import Problem
from sparseaug.experiments.quantities import Evaluation

DESIGNS = {6: "cyclic shifts", 12: "D_6", 60: "PSL(2,5)", 120: "PGL(2,5)"}
LIMITS = {6: 1 / 2, 120: 1 / 50}
QUANTITIES = ("discrepancy", "full-gradient norm", "test risk")


def main() -> int:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    found: dict[tuple[str, int], list[tuple[float, ...]]] = {}
    for seed in track(range(seeds), "seeds"):
        given = Problem(Config(), seed)
        with threadpool_limits(1):
            evaluation = Evaluation.over_the_group(given)
            found.setdefault(("full", 720), []).append(ended(given, evaluation, evaluation.train))
            for m in DESIGNS:
                for kind, make in (("draws", draws), ("design", design)):
                    each = [
                        ended(given, evaluation, risk_of(given, make(given, m, i)))
                        for i in range(samples)
                    ]
                    found.setdefault((kind, m), []).append(tuple(np.mean(each, axis=0)))
    table = Table(title=f"{seeds} seeds, {samples} S each", box=boxes.SIMPLE_HEAD)
    for heading in ("S", "m", *QUANTITIES):
        table.add_column(heading, justify="left" if heading == "S" else "right")
    for (kind, m), values in found.items():
        table.add_row(DESIGNS[m] if kind == "design" else kind, str(m), *summary(np.array(values)))
    console = Console()
    console.print(table)
    failed = False
    for m, limit in LIMITS.items():
        means = {
            kind: float(np.mean([row[0] for row in found[kind, m]])) for kind in ("draws", "design")
        }
        ratio = means["design"] / means["draws"]
        failed |= ratio > limit
        said = "kept" if ratio <= limit else "NOT KEPT"
        console.print(f"m = {m}: discrepancy {ratio:.4f} of the draws', limit {limit}: {said}")
    return int(failed)


def risk_of(given: Problem, S: sa.GroupSample) -> Any:
    return sa.augmented_risk(given.model, given.train, given.action, S)


def draws(given: Problem, m: int, number: int) -> sa.GroupSample:
    """Uniform draws; the first are those of the experiment."""
    return given.sample(m) if number == 0 else given.oracle(f"one-shot-{m} #{number}").draw(m)


def design(given: Problem, m: int, number: int) -> sa.GroupSample:
    """The design of m elements, translated on both sides."""
    group = given.action.group
    S = dihedral() if m == 12 else sa.design(group, m=m, name=DESIGNS[m])
    return S.translate(given.oracle(f"translate of {DESIGNS[m]} #{number}"), side="both")


def dihedral() -> sa.GroupSample:
    """The symmetries of the hexagon as permutations of its corners."""
    hexagon = sa.dihedral(6)
    return sa.GroupSample(sa.symmetric(6), hexagon.permutations(hexagon.all_elements()))


def ended(given: Problem, evaluation: Evaluation, risk: Any) -> tuple[float, ...]:
    """Descend as the experiment does; the quantities at the last iterate."""
    config, iterates = given.config, []

    def keep(theta: Any) -> dict[str, float]:
        iterates.append(theta)
        return {}

    sa.descend(
        risk,
        given.start,
        step_size=config.step_size,
        num_steps=config.num_steps,
        project=sa.box(config.box),
        evaluate=keep,
        eval_every=config.num_steps,
    )
    theta = iterates[-1]
    full = evaluation.train.gradient(theta)
    return (
        float(np.linalg.norm(risk.gradient(theta) - full)),
        float(np.linalg.norm(full)),
        evaluation.test.value(theta),
    )


def summary(values: Any) -> list[str]:
    errors = values.std(axis=0, ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0 * values[0]
    pairs = zip(values.mean(axis=0), errors, strict=True)
    return [f"{mean:.4g} +- {error:.1g}" for mean, error in pairs]


if __name__ == "__main__":
    sys.exit(main())
