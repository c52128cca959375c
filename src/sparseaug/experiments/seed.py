"""One seed: every method from the same start, evaluated over the whole group as it goes.

Each finished method is a file, so that a seed that was stopped goes on with the next method.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from threadpoolctl import threadpool_limits

from sparseaug.descent import box, descend
from sparseaug.experiments.config import Config
from sparseaug.experiments.folder import Folder
from sparseaug.experiments.parts import Part
from sparseaug.experiments.problem import Problem
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import MomentRisk, augmented_risk, streaming_risk


def run_seed(config: Config, seed: int, folder: Path) -> None:
    """Run what is missing of one seed and leave it in the folder.

    Matrix products take one thread, whatever is set: so that their sums have one order.
    """
    files, given = Folder(folder, config), Problem(config, seed)
    with threadpool_limits(1):
        files.save_replay(seed, given.replay())
        missing = [method for method in config.methods if not files.has(seed, method)]
        if not missing:
            return
        evaluation = Evaluation.over_the_group(given)
        for method in missing:
            files.save_part(seed, method, run_method(given, method, evaluation))


@final
@dataclass(frozen=True, eq=False)
class Evaluation:
    """The exact quantities of the paper's figure at any theta."""

    train: MomentRisk
    test: MomentRisk
    identity_test: MomentRisk

    @classmethod
    def over_the_group(cls, given: Problem) -> Evaluation:
        """One pass over all transformed data; then each evaluation costs R^2."""
        identity = augmented_risk(given.model, given.test, given.action, None)
        return cls(given.full_risk(given.train), given.full_risk(given.test), identity)

    def __call__(self, theta: Floats) -> dict[str, float]:
        """The risks and the norm of the full gradient, named as in results.json but for the norm."""
        return {
            "train_risk": self.train.value(theta),
            "test_risk": self.test.value(theta),
            "full_gradient_norm": float(np.linalg.norm(self.train.gradient(theta))),
            "identity_test_risk": self.identity_test.value(theta),
        }


def run_method(given: Problem, method: str, evaluation: Evaluation) -> Part:
    """Descend by one method and keep what was evaluated, with the iterates."""
    started = time.perf_counter()
    config, iterates = given.config, []

    def evaluate(theta: Floats) -> dict[str, float]:
        iterates.append(theta)
        return evaluation(theta)

    run = descend(
        _risk(given, method, evaluation),
        given.start,
        step_size=config.step_size,
        num_steps=config.num_steps,
        project=box(config.box),
        evaluate=evaluate,
        eval_every=config.eval_every,
    )
    names = {"gradient_norm": "full_gradient_norm"}
    columns = ("step", "train_risk", "test_risk", "gradient_norm", "identity_test_risk")
    arrays = {name: run.trace[names.get(name, name)] for name in columns}
    return Part(run.calls, time.perf_counter() - started, {**arrays, "theta": np.stack(iterates)})


def _risk(given: Problem, method: str, evaluation: Evaluation) -> Any:
    if method == "full":
        return evaluation.train
    if method == "streaming":
        oracle, batch = given.oracle(method), given.config.streaming_batch
        return streaming_risk(given.model, given.train, given.action, oracle, batch=batch)
    S = None if method == "none" else given.sample(int(method.removeprefix("one-shot-")))
    return augmented_risk(given.model, given.train, given.action, S)
