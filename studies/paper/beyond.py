"""Next to the paper's experiment, on its seeds: products, batches of streaming, first steps, starts.

rows     one-shot with 4, 16 and 64 elements that are all subproducts of 2, 4 and 6 draws; next to the
         draws of the figure (4, 16, 64 calls), to 2 and 6 draws, to the whole group, and to streaming
         with b = 8 and b = 1 (does the fluctuation come from b?). Of each run the final test risk and
         full-gradient norm, the norm at each of the first 40 steps, how much it fluctuates over the
         last half, and the entries that were clipped
starts   the experiment from other starts, as the paper does not give its own: which of its claims hold,
         and how many entries were clipped

`measure` leaves beyond.json in the folder of the experiment, and report.html shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from sparseaug.descent import Box, descend
from sparseaug.errors import ConfigMismatchError
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import augmented_risk, streaming_risk
from sparseaug.sampling import GroupSample
from studies.paper.config import Config
from studies.paper.parts import Part
from studies.paper.problem import Problem
from studies.paper.quantities import QUANTITIES, Evaluation
from studies.paper.results import MethodResult, Results
from studies.paper.seed import run_method
from studies.paper.sentences import claims
from studies.paper.workers import results_of
from studies.sealed import load_json, save_json

FILE = "beyond.json"
FIRST = 40
"""Steps that are looked at one by one."""

CALLS = (2, 4, 6)
"""Draws of which all subproducts are taken: 4, 16 and 64."""

BATCHES = (1, 8)
"""Fresh elements of a streaming step."""

STARTS = (0.1, 0.25, 0.5, 1.0)
"""Standard deviations of the start, which the paper does not give."""


class Contender(NamedTuple):
    """One run for each seed."""

    name: str
    kind: str  # "none", "draws", "products", "streaming", "full"
    calls: int
    elements: int  # that a step averages over
    risk: Callable[[Problem, Any], Any]  # given the risk over the whole group


def contenders(config: Config) -> list[Contender]:
    """The rows, by kind."""

    def on(S: GroupSample | None, given: Problem) -> Any:
        return augmented_risk(given.model, given.train, given.action, S)

    def draws(m: int, given: Problem, _: Any) -> Any:
        return on(given.sample(m), given)

    def products(c: int, given: Problem, _: Any) -> Any:
        return on(given.oracle(f"products of {c}").products(c), given)

    def streaming(b: int, given: Problem, _: Any) -> Any:
        oracle = given.oracle("streaming" if b == 1 else f"streaming of {b}")
        return streaming_risk(given.model, given.train, given.action, oracle, batch=b)

    order, steps = Problem(config, 0).action.group.order, config.num_steps
    sizes = sorted({*CALLS, *config.sample_sizes})
    return [
        Contender("none", "none", 0, 1, lambda given, _: on(None, given)),
        *(Contender(f"{m} draws", "draws", m, m, partial(draws, m)) for m in sizes),
        *(Contender(f"products of {c}", "products", c, 2**c, partial(products, c)) for c in CALLS),
        *(
            Contender(f"streaming, b = {b}", "streaming", b * steps, b, partial(streaming, b))
            for b in BATCHES
        ),
        Contender("full group", "full", order, order, lambda _, full: full),
    ]


def measure(config: Config, folder: Path, jobs: int | None = None) -> dict[str, Any]:
    """Everything, over the seeds of the experiment; what the folder has already is read.

    Raises:
        ConfigMismatchError: beyond.json is of another config.
    """
    found = read(folder)
    if found is None:
        tasks = [(config, seed) for seed in range(config.seeds)]
        found = {"config": config.to_dict(), **_together(config, results_of(_seed, tasks, jobs))}
        save_json(folder / FILE, found)
    elif found["config"] != config.to_dict():
        raise ConfigMismatchError(f"{folder / FILE} is of another config; remove it.")
    return found


def read(folder: Path) -> dict[str, Any] | None:
    """What the folder has."""
    return load_json(folder / FILE) if (folder / FILE).exists() else None


def _seed(config: Config, seed: int) -> tuple[int, dict[str, Any], dict[float, dict[str, Part]]]:
    """One seed: by row where its run ends, and by start a part for each of the paper's methods."""
    with threadpool_limits(1):
        given = Problem(config, seed)
        evaluation = Evaluation.over_the_group(given)
        rows = {
            each.name: _end(given, each.risk(given, evaluation.train), evaluation)
            for each in contenders(config)
        }
        parts = {}
        for std in STARTS:
            other = Problem(replace(config, init_std=std), seed)  # the same data
            methods = config.all_methods()
            parts[std] = {each.name: run_method(other, each, evaluation) for each in methods}
    return seed, rows, parts


def _together(config: Config, seeds: Any) -> dict[str, Any]:
    found = sorted(seeds, key=lambda one: one[0])
    rows: dict[str, Any] = {}
    for each in contenders(config):
        facts = {"kind": each.kind, "calls": each.calls, "elements": each.elements}
        ends = [of[each.name] for _, of, _ in found]
        rows[each.name] = facts | {name: [end[name] for end in ends] for name in ends[0]}
    return {
        "rows": rows,
        "starts": [_start(config, std, [parts[std] for *_, parts in found]) for std in STARTS],
    }


def _end(given: Problem, risk: Any, evaluation: Evaluation) -> dict[str, Any]:
    config, visited, project = given.config, [given.start], Box(given.config.box)

    def keep(theta: Floats) -> Floats:
        visited.append(project(theta))
        return visited[-1]

    steps = config.num_steps
    done = descend(risk, given.start, step_size=config.step_size, num_steps=steps, project=keep)

    def norm(theta: Floats) -> float:
        return float(np.linalg.norm(evaluation.train.gradient(theta)))

    late = [norm(theta) for theta in visited[steps // 2 :: steps // 50 or 1]]
    return {
        "test_risk": float(evaluation.test.value(done.last)),
        "gradient_norm": norm(done.last),
        "first": [norm(theta) for theta in visited[: FIRST + 1]],
        "late_spread": float(np.std(late) / np.mean(late)),
        "clipped": int(done.clipped),
    }


def _start(config: Config, std: float, seeds: list[dict[str, Part]]) -> dict[str, Any]:
    """The paper's claims from this start."""
    methods = {}
    for name in config.methods:
        parts = [of[name] for of in seeds]
        curves = {q.name: np.stack([part.arrays[q.name] for part in parts]) for q in QUANTITIES}
        clipped = np.array([part.arrays["clipped"] for part in parts])
        methods[name] = MethodResult(name, parts[0].calls, parts[0].arrays["step"], curves, clipped)
    verdicts = claims(Results(replace(config, init_std=std).to_dict(), methods, {}))
    return {
        "init_std": std,
        "of": len(verdicts),
        "missed": [claim.text for claim in verdicts if not claim.holds],
        "clipped": sum(int(each.clipped.sum()) for each in methods.values()),
    }
