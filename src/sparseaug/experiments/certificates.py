"""Certified bounds of the full-gradient norm along the one-shot runs: what the paper could not show.

In results.json, `certificates` has for each one-shot method lists over the seeds. At each evaluated
step, bounds of ||grad R_n^G||, as `sparseaug.certificate` has them:
    spectral           by the exact deviation of S
    kernel             by the discrepancy of S on the training data
    a-priori           by the paper's theorem, with B over the box, before S is known
    a-priori-at-theta  the same with B at the iterate
and for each S:
    deviation          the norm of Pi_S - Pi_G, certain
    a-priori-bound     what the paper promises for it, with probability 1 - delta
    sharp-bound        the same without the paper's roundings (`theory.sharp`)
    floor              what no S of that size is below
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sparseaug.certificate import Evidence, certify
from sparseaug.experiments.config import Config
from sparseaug.experiments.folder import Folder
from sparseaug.experiments.parts import Arrays, Part
from sparseaug.experiments.problem import ENUMERATED, Problem
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import MomentRisk
from sparseaug.spectral import deviation
from sparseaug.theory import sharp_deviation_bound, symmetric_dimension_sum

DELTA = 0.05
"""Chance of failing of what is promised before S is drawn."""


def certify_seed(config: Config, seed: int, folder: Path) -> None:
    """Bound the finished one-shot runs of a seed that have no bounds in the folder yet."""
    files, given = Folder(folder, config), Problem(config, seed)
    if given.action.group.order > ENUMERATED:
        return  # the exact deviation of S would take longer than the experiment
    full: MomentRisk | None = None
    with threadpool_limits(1):
        for m in config.sample_sizes:
            name = files.certificate(f"one-shot-{m}")
            if not files.has(seed, name):
                started = time.perf_counter()
                full = full or given.full_risk(given.train)
                theta = files.load_part(seed, f"one-shot-{m}").arrays["theta"]
                arrays = bounds(given, m, theta, full)
                files.save_part(seed, name, Part(0, time.perf_counter() - started, arrays))


def bounds(given: Problem, m: int, iterates: Floats, full: MomentRisk) -> Arrays:
    """All that stands above, for the iterates (evaluations, 2 R) of one run.

    `certify` compares every certain bound with the exact norm, which it takes from the full risk.
    """
    S = given.sample(m)
    found = deviation(S, delta=DELTA)
    evidence = Evidence(given.model, given.train, given.action, S, found, full=full)
    box, kinds = given.config.box, ("spectral", "kernel", "a-priori")
    curves = [certify(theta, evidence, kinds=kinds, delta=DELTA, box=box) for theta in iterates]
    near = [certify(theta, evidence, kinds=("a-priori",), delta=DELTA) for theta in iterates]
    dimensions = symmetric_dimension_sum(given.config.group_size)
    return {
        **{kind: np.array([each[kind].bound for each in curves]) for kind in kinds},
        "a-priori-at-theta": np.array([each["a-priori"].bound for each in near]),
        "deviation": np.array(found.value),
        "a-priori-bound": np.array(found.bound),
        "sharp-bound": np.array(sharp_deviation_bound(m, dimensions, DELTA)),
        "floor": np.array(found.floor),
    }
