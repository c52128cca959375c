"""Next to the paper's experiment, on its seeds: products, batches of streaming, the first steps.

    python -m studies.paper.beyond [FOLDER] [--seeds 10]

products    one-shot with 4, 16 and 64 elements that are all subproducts of 2, 4 and 6 draws; next to the
            draws of the figure (4, 16, 64 calls), to 2 and 6 draws, and to the whole group: final test
            risk and full-gradient norm over the calls
streaming   b = 8 next to b = 1: does the fluctuation come from b?
first       the full-gradient norm at each of the first 40 steps
starts      with --starts: claims of the paper that hold, and clipped entries, for each init_std

It leaves `beyond.json` in the folder, which `python -m studies paper --out FOLDER` shows in report.html.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from sparseaug.descent import Box, descend
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import augmented_risk, streaming_risk
from sparseaug.sampling import GroupSample
from studies.paper.config import Config
from studies.paper.problem import Problem
from studies.paper.quantities import Evaluation
from studies.paper.runner import reproduce
from studies.paper.sentences import claims
from studies.sealed import load_json, save_json

FILE = "beyond.json"
FIRST = 40
"""Steps that are looked at one by one."""

CALLS = (2, 4, 6)
"""Draws of which all subproducts are taken: 4, 16 and 64."""


STARTS = (0.1, 0.25, 0.5, 1.0)
"""Standard deviations of the start, which the paper does not give."""


class Contender(NamedTuple):
    """One run for each seed."""

    name: str
    kind: str  # "draws", "products", "full", "streaming", "none"
    calls: int
    elements: int  # that a step averages over
    risk: Callable[[Problem, Any], Any]  # given the risk over the whole group


def contenders(config: Config) -> list[Contender]:
    """Rows of the tables, by kind."""

    def on(S: GroupSample | None, given: Problem) -> Any:
        return augmented_risk(given.model, given.train, given.action, S)

    def draws(m: int, given: Problem, _: Any) -> Any:
        return on(given.sample(m), given)

    def products(c: int, given: Problem, _: Any) -> Any:
        return on(given.oracle(f"products of {c}").products(c), given)

    def streaming(b: int, given: Problem, _: Any) -> Any:
        name = "streaming" if b == 1 else f"streaming of {b}"
        return streaming_risk(given.model, given.train, given.action, given.oracle(name), batch=b)

    rows = [Contender("none", "none", 0, 1, lambda p, _: on(None, p))]
    rows += [
        Contender(f"{m} draws", "draws", m, m, partial(draws, m))
        for m in sorted({*CALLS, *config.sample_sizes})
    ]
    rows += [
        Contender(
            f"products of {c}",
            "products",
            c,
            2**c,
            partial(products, c),
        )
        for c in CALLS
    ]
    rows += [
        Contender(
            f"streaming, b = {b}",
            "streaming",
            b * config.num_steps,
            b,
            partial(streaming, b),
        )
        for b in (1, 8)
    ]
    rows.append(Contender("full group", "full", 720, 720, lambda p, full: full))
    return rows


def run(config: Config, seeds: int) -> dict[str, Any]:
    """All rows, over seeds: final risk and norm, the first norms, the late spread, clipped entries."""
    rows: dict[str, dict[str, Any]] = {
        each.name: {"kind": each.kind, "calls": each.calls, "elements": each.elements}
        for each in contenders(config)
    }
    for seed in range(seeds):
        given = Problem(config, seed)
        evaluation = Evaluation.over_the_group(given)
        for each in contenders(config):
            found = _end(given, each.risk(given, evaluation.train), evaluation)
            for name, value in found.items():
                rows[each.name].setdefault(name, []).append(value)
    return {"seeds": seeds, "config": config.to_dict(), "rows": rows}


def _end(given: Problem, risk: Any, evaluation: Evaluation) -> dict[str, Any]:
    visited: list[Floats] = [given.start]
    project = Box(given.config.box)

    def keep(theta: Floats) -> Floats:
        visited.append(project(theta))
        return visited[-1]

    steps = given.config.num_steps
    done = descend(
        risk, given.start, step_size=given.config.step_size, num_steps=steps, project=keep
    )
    norm = [float(np.linalg.norm(evaluation.train.gradient(t))) for t in visited[: FIRST + 1]]
    late = [
        float(np.linalg.norm(evaluation.train.gradient(t)))
        for t in visited[steps // 2 :: steps // 50 or 1]
    ]
    return {
        "test_risk": float(evaluation.test.value(done.last)),
        "gradient_norm": float(np.linalg.norm(evaluation.train.gradient(done.last))),
        "first": norm,
        "late_spread": float(np.std(late) / np.mean(late)),
        "clipped": int(done.clipped),
    }


def starts(folder: Path, seeds: int) -> list[dict[str, Any]]:
    """The experiment from other starts: which claims hold, and what was clipped."""
    found = []
    for std in STARTS:
        config = Config(init_std=std, seeds=seeds)
        results = reproduce(config, folder / f"start-{std}").table
        verdicts = claims(results)
        clipped = sum(int(m.clipped.sum()) for m in results.methods.values() if m.clipped.size)
        missed = [claim.text for claim in verdicts if not claim.holds]
        found.append({"init_std": std, "of": len(verdicts), "missed": missed, "clipped": clipped})
    return found


def read(folder: Path) -> dict[str, Any] | None:
    """What was found, if it was asked for."""
    return load_json(folder / FILE) if (folder / FILE).exists() else None


def table(found: dict[str, Any]) -> Table:
    """Medians and means by name."""
    shown = Table(
        "S",
        "calls",
        "elements",
        "test risk, mean",
        "median",
        "gradient norm, mean",
        "median",
        "late spread, mean",
        title=f"the paper's experiment, {found['seeds']} seeds",
        box=box.SIMPLE_HEAD,
    )
    for name, row in found["rows"].items():
        cells = [f"{row['calls']:,}", f"{row['elements']:,}"]
        for what in ("test_risk", "gradient_norm"):
            cells += [f"{np.mean(row[what]):.4f}", f"{np.median(row[what]):.4f}"]
        shown.add_row(name, *cells, f"{np.mean(row['late_spread']):.2f}")
    return shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep in the folder."""
    parser = argparse.ArgumentParser(description="Next to the paper's experiment.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("paper"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="100 steps")
    parser.add_argument("--starts", action="store_true", help="the table of init_std too: minutes")
    given = parser.parse_args(arguments)
    with threadpool_limits(1):
        found = run(Config.shortened() if given.quick else Config(), given.seeds)
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.starts:
        found["starts"] = starts(given.folder, given.seeds)
    save_json(given.folder / FILE, found)
    Console(width=120).print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
