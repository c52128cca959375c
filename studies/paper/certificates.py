"""Certified bounds of the full-gradient norm along the one-shot runs: what the paper could not show."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sparseaug.certificate import Evidence, a_priori, certify
from sparseaug.kernels.arrays import Floats
from sparseaug.norms import deviation
from sparseaug.risk import MomentRisk
from studies.paper.config import Config
from studies.paper.folder import Folder
from studies.paper.kinds import BOUNDS, DELTA, FACTS
from studies.paper.methods import one_shot
from studies.paper.parts import Arrays, Part
from studies.paper.problem import ENUMERATED, Problem


def certify_seed(config: Config, seed: int, folder: Path) -> None:
    """Bound the finished one-shot runs of a seed that have no bounds in the folder yet."""
    files, given = Folder(folder, config), Problem(config, seed)
    if given.action.group.order > ENUMERATED:
        return  # the exact deviation of S would take longer than the experiment
    full: MomentRisk | None = None
    with threadpool_limits(1):
        for m in config.sample_sizes:
            method = one_shot(m).name
            if not files.has(seed, files.certificate(method)):
                started = time.perf_counter()
                full = full or given.full_risk(given.train)
                theta = files.load_part(seed, method).arrays["theta"]
                arrays = bounds(given, m, theta, full)
                part = Part(0, time.perf_counter() - started, arrays)
                files.save_part(seed, files.certificate(method), part)


def bounds(given: Problem, m: int, iterates: Floats, full: MomentRisk) -> Arrays:
    """Every bound and fact of `kinds`, for the iterates (evaluations, 2 R) of one run.

    `certify` compares every certain bound with the exact norm, which it takes from the full risk.
    """
    S = given.sample(m)
    found = deviation(S, delta=DELTA)
    evidence = Evidence(given.model, given.train, given.action, S, found, full=full)
    arrays: Arrays = {fact.name: np.array(fact.value(given, evidence)) for fact in FACTS}
    kinds, box = [bound.kind for bound in BOUNDS], given.config.box
    rows = [certify(theta, evidence, kinds=kinds, delta=DELTA) for theta in iterates]
    for bound in BOUNDS:
        made = [row[bound.kind] for row in rows]
        if bound.kind == "a-priori":
            over = box if bound.over_box else None
            made = [
                a_priori(evidence, theta, delta=DELTA, box=over, by="paper") for theta in iterates
            ]
        arrays[bound.name] = np.array([one.bound for one in made])
    return arrays
