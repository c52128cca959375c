"""Small experiments and a small run, for tests of files, kills and damage."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import sparseaug as sa
from studies.paper import Config

TINY = Config(
    group_size=3,
    train=6,
    test=5,
    centers=4,
    num_steps=6,
    eval_every=3,
    sample_sizes=(2, 4, 8),
    seeds=2,
)
SMALL = Config(
    group_size=4,
    train=12,
    test=10,
    centers=8,
    num_steps=30,
    eval_every=10,
    sample_sizes=(2, 4, 8),
    seeds=2,
)


class Stopping:
    """A risk that stops the run before this step; a checkpoint cannot tell it from the risk itself."""

    def __init__(self, risk: Any, step: int) -> None:
        self.risk, self.step = risk, step

    def __getattr__(self, name: str) -> Any:
        return getattr(self.risk, name)

    def at_step(self, step: int) -> Any:
        if step == self.step:
            raise KeyboardInterrupt
        return self.risk.at_step(step)


def run_with_checkpoint(path: os.PathLike[str], stop: int = 0) -> sa.descent.Run | None:
    """A run with a checkpoint at every fifth step, resumed if there is one; None if stopped."""
    x = np.sort(np.random.default_rng(0).uniform(-1, 1, (6, 3)), axis=1)
    model = sa.KernelModel(sa.GaussianKernel(1.25), x[:4])
    action = sa.permute_axis(sa.symmetric(3))
    S = sa.Oracle(action.group, seed=0).draw(5)
    risk = sa.augmented_risk(model, (x, x.sum(axis=1)), action, S)
    kept = sa.descent.Checkpoint(path, every=5)
    options: dict[str, Any] = {"step_size": 0.1, "num_steps": 15, "eval_every": 4}
    try:
        risk = Stopping(risk, stop) if stop else risk
        return sa.descend(risk, np.ones(8), checkpoint=kept, **options)
    except KeyboardInterrupt:
        return None
