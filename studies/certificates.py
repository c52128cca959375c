"""No certificate below the truth: a finished experiment, and a grid of other groups.

    python -m studies paper --out paper && python -m studies.certificates paper

For each iterate that `reproduce` evaluated, of every seed and method, all kinds of certificate are
compared with the exact full-gradient norm of results.json. The grid has S_8 and S_9, whose truth is in
closed form, and Z_2^12, D_12, C_8 x C_8 and B_4, with iterates along one-shot and unaugmented runs. Each
bound must be at least the norm. `words` is asked for three times: on S itself, on fewer words than the
group has elements, and as many as there are by default.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import sparseaug as sa
from sparseaug.certificate import Evidence, certify, words
from studies.paper import Config, Folder
from studies.paper.problem import Problem
from studies.sealed import load_json

GRID: dict[str, tuple[sa.actions.Action, tuple[int, ...]]] = {
    "S8": (sa.permute_axis(sa.symmetric(8)), (8,)),
    "S9": (sa.permute_axis(sa.symmetric(9)), (9,)),
    "Z2^12": (sa.flip_signs(sa.sign_flips(12)), (12,)),
    "D12": (sa.permute_axis(sa.dihedral(12)), (12,)),
    "C8xC8": (sa.roll(sa.abelian(8, 8)), (8, 8)),
    "B4": (sa.signed_permute(sa.hyperoctahedral(4)), (4,)),
}
WORDS = {"words, W = S": 1, "words, 300": 300}


class Tally:
    """Bounds by group of runs and kind: how many, how many below, and how loose."""

    def __init__(self) -> None:
        self.ratios: dict[str, list[float]] = {}
        self.last: dict[str, list[float]] = {}
        self.below = 0

    def compare(self, name: str, evidence: Evidence, theta: Any, truth: float, last: bool) -> None:
        """All kinds at one iterate; `truth` is a computed number, good to twelve digits."""
        found = {kind: one.bound for kind, one in certify(theta, evidence).items()}
        if "words" in found:
            for label, number in WORDS.items():
                found[label] = words(evidence, theta, words=number).bound
        for kind, bound in found.items():
            key = f"{name}, {kind}"
            self.ratios.setdefault(key, []).append(bound / truth)
            self.below += bound < truth * (1 - 1e-12)
            if last:
                self.last.setdefault(key, []).append(bound / truth)

    def report(self) -> None:
        """A line for each kind, then the count of all."""
        print(f"{'runs, kind':<28} bounds  tightest  median at the end")
        for key, ratios in self.ratios.items():
            end = f"{np.median(self.last[key]):.4g}" if key in self.last else ""
            print(f"{key:<28} {len(ratios):>6}  {min(ratios):<8.4g}  {end}")
        count = sum(map(len, self.ratios.values()))
        print(f"{count} bounds, {self.below} below the full-gradient norm", flush=True)


def of_experiment(path: Path, tally: Tally) -> None:
    """Every seed, method and evaluation of a finished experiment."""
    results = load_json(path / "results.json")
    config = Config.from_dict(results["config"])
    files = Folder(path, config)
    for seed in track(range(config.seeds), description="the experiment", transient=True):
        problem = Problem(config, seed)
        full = problem.full_risk(problem.train)
        for method in config.methods:
            S = problem.sample(int(method.split("-")[-1])) if "one-shot" in method else None
            kind: Any = S if S is not None or method == "none" else method
            evidence = Evidence(problem.model, problem.train, problem.action, kind, full=full)
            iterates = files.load_part(seed, method).arrays["theta"]
            truths = results[method]["gradient_norm"][seed]
            for step, (theta, truth) in enumerate(zip(iterates, truths, strict=True)):
                tally.compare(method, evidence, theta, truth, step == len(truths) - 1)


def on_grid(tally: Tally, seeds: int = 5) -> None:
    """Other groups: 16 samples, 48 centres, S of 8 and 32 draws and none."""
    for name, (action, shape) in GRID.items():
        for seed in range(seeds):
            for m in (0, 8, 32):
                evidence, iterates = _runs(action, shape, seed, m)
                for step, theta in enumerate(iterates):
                    truth = float(np.linalg.norm(evidence.full_risk.gradient(theta)))
                    tally.compare(f"{name}, m={m}", evidence, theta, truth, step == 3)


def _runs(
    action: sa.actions.Action, shape: tuple[int, ...], seed: int, m: int
) -> tuple[Evidence, Iterator[Any]]:
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(-1, 1, (16, *shape)), rng.uniform(-1, 1, (48, *shape))
    scale = (np.prod(shape) / 6) ** 0.5  # points are as far apart as the paper's
    model = sa.KernelModel(sa.GaussianKernel(1.25 * scale), z)
    S = sa.Oracle(action.group, seed=seed).draw(m) if m else None
    y = np.sort(abs(x.reshape(16, -1)), axis=1)[:, -1]
    evidence = Evidence(model, (x, y), action, S)
    start = rng.normal(0, 0.5, model.size)
    steps = (1, 30, 300, 3000)
    return evidence, (
        sa.descend(evidence.sparse_risk, start, step_size=0.05, num_steps=n).last for n in steps
    )


def main() -> None:
    started = time.perf_counter()
    tally = Tally()
    on_grid(tally)
    tally.report()
    of_experiment(Path(sys.argv[1] if len(sys.argv) > 1 else "paper"), tally)
    tally.report()
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
