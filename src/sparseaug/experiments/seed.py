"""One seed: every method from the same start, evaluated over the whole group as it goes.

Each finished method is a file, so that a seed that was stopped resumes with the next method.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sparseaug.descent import box, descend
from sparseaug.experiments.config import Config
from sparseaug.experiments.folder import Folder
from sparseaug.experiments.methods import Method
from sparseaug.experiments.parts import Part
from sparseaug.experiments.problem import Problem
from sparseaug.experiments.quantities import QUANTITIES, Evaluation
from sparseaug.kernels.arrays import Floats


def run_seed(config: Config, seed: int, folder: Path) -> None:
    """Run what is missing of one seed and leave it in the folder.

    Matrix products take one thread, whatever is set: so that their sums have one order.
    """
    files, given = Folder(folder, config), Problem(config, seed)
    with threadpool_limits(1):
        files.save_replay(seed, given.replay())
        missing = [each for each in config.all_methods() if not files.has(seed, each.name)]
        if not missing:
            return
        evaluation = Evaluation.over_the_group(given)
        for method in missing:
            files.save_part(seed, method.name, run_method(given, method, evaluation))


def run_method(given: Problem, method: Method, evaluation: Evaluation) -> Part:
    """Descend by one method and keep every quantity at the evaluated iterates, with these."""
    started = time.perf_counter()
    config, iterates = given.config, list[Floats]()

    def keep(theta: Floats) -> dict[str, float]:
        iterates.append(theta)
        return {}

    run = descend(
        method.risk(given, evaluation.train),
        given.start,
        step_size=config.step_size,
        num_steps=config.num_steps,
        project=box(config.box),
        evaluate=keep,
        eval_every=config.eval_every,
    )
    arrays = {
        each.name: np.array([each.at(evaluation, t) for t in iterates]) for each in QUANTITIES
    }
    arrays |= {"step": run.trace["step"], "theta": np.stack(iterates)}
    return Part(run.calls, time.perf_counter() - started, arrays)
