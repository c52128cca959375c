"""One seed: every method from the same start, evaluated over the whole group as it goes.

Each finished method is a file, so that a seed that was stopped resumes with the next method. Designs
and as many draws come last, in one file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparseaug.descent import Box, Run, descend
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import augmented_risk
from sparseaug.sampling import GroupSample
from studies.paper.compared import KINDS, MEASURED, Compared, compared
from studies.paper.config import Config
from studies.paper.folder import Folder
from studies.paper.methods import Method
from studies.paper.parts import DESIGNS, Part
from studies.paper.problem import Problem
from studies.paper.quantities import QUANTITIES, Evaluation


def run_seed(config: Config, seed: int, folder: Path) -> None:
    """Run what is missing of one seed and leave it in the folder.

    Matrix products take one thread, whatever is set: so that their sums have one order.
    """
    files, given = Folder(folder, config), Problem(config, seed)
    with threadpool_limits(1):
        files.save_replay(seed, given.replay())
        missing = [each for each in config.all_methods() if not files.has(seed, each.name)]
        sizes = [] if files.has(seed, DESIGNS) else compared(config.group_size)
        if not missing and not sizes:
            return
        evaluation = Evaluation.over_the_group(given)
        for method in missing:
            files.save_part(seed, method.name, run_method(given, method, evaluation))
        if sizes:
            files.save_part(seed, DESIGNS, run_designs(given, sizes, evaluation))


def run_method(given: Problem, method: Method, evaluation: Evaluation) -> Part:
    """Descend by one method and keep every quantity at the evaluated iterates, with these."""
    started = time.perf_counter()
    config, visited, project = given.config, [given.start], Box(given.config.box)

    def keep(theta: Floats) -> Floats:
        visited.append(project(theta))
        return visited[-1]

    risk = method.risk(given, evaluation.train)
    run = _descend(given, risk, project=keep, eval_every=config.eval_every)
    iterates = [visited[step] for step in run.trace["step"]]
    arrays = {
        each.name: np.array([each.at(evaluation, t) for t in iterates]) for each in QUANTITIES
    }
    arrays |= {"step": run.trace["step"], "theta": np.stack(iterates)}
    arrays["clipped"] = np.array(run.clipped, np.int64)
    # the paper's table counts |G| calls for the full group, which lists it and draws nothing
    calls = method.calls(config) if method.name == "full" else run.calls
    return Part(calls, time.perf_counter() - started, arrays)


def run_designs(given: Problem, sizes: list[Compared], evaluation: Evaluation) -> Part:
    """Descend on every S of every size, and keep where each run ends, with S and its calls."""
    started = time.perf_counter()
    arrays, total = dict[str, NDArray[Any]](), 0
    for kind in KINDS:
        samples = [size.samples(given, kind) for size in sizes]
        ends = np.array([[_end(given, S, evaluation) for S in row] for row in samples])
        arrays |= {f"{kind}_{name}": ends[..., i].copy() for i, name in enumerate(MEASURED)}
        arrays[f"{kind}_calls"] = np.array([row[0].calls for row in samples], np.int64)
        for size, row in zip(sizes, samples, strict=True):
            arrays[f"{kind}_{size.m}"] = np.stack([S.elements for S in row]).astype(np.uint8)
        total += sum(S.calls for row in samples for S in row)
    return Part(total, time.perf_counter() - started, arrays)


def _end(given: Problem, S: GroupSample, evaluation: Evaluation) -> tuple[float, ...]:
    """The quantities of `MEASURED` at the last iterate."""
    risk = augmented_risk(given.model, given.train, given.action, S)
    project = Box(given.config.box)
    theta = _descend(given, risk, project=project, eval_every=given.config.num_steps).last
    full = evaluation.train.gradient(theta)
    return (
        float(np.linalg.norm(risk.gradient(theta) - full)),
        float(np.linalg.norm(full)),
        evaluation.test.value(theta),
    )


def _descend(given: Problem, risk: Any, **options: Any) -> Run:
    config = given.config
    return descend(
        risk,
        given.start,
        step_size=config.step_size,
        num_steps=config.num_steps,
        **options,
    )
