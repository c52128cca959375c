"""One model of one task: every scheme at every m, next to what the spectrum predicts.

error      root mean square distance of the average from the exact mean over the group, over that of one
           uniform view: over inputs, and over repeats of everything that is random
score      of averaged predictions, averaged over repeats, each with every input moved by a uniform
           random element of its own; and its standard deviation
predicted  the same error from the spectrum, for k S h with k, h uniform
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sparseaug.groups import Rows
from sparseaug.sampling import keyed_rng
from studies.rates.part import Result, Task
from studies.views.case import Case, Prepared
from studies.views.orbit import mean_square
from studies.views.schemes import Scheme, designed, drawn, everything
from studies.views.table import CASES


def tasks(quick: bool) -> list[Task]:
    """A task for each model and training seed."""
    found = []
    for case in CASES:
        sizes = list(case.few if quick else case.sizes)
        numbers = {**case.numbers(quick), "sizes": sizes, "repeats": 8 if quick else 100}
        for model in case.models:
            for seed in range(1 if quick else 5):
                found.append({"case": case.name, "model": model, "seed": seed, **numbers})
    return found


def run(task: Task) -> Result:
    """Train, and measure all schemes."""
    case = next(each for each in CASES if each.name == task["case"])
    prepared = case.prepare(task)
    orbit = prepared.orbit
    group = orbit.group
    rows = []
    for scheme in schemes(prepared, task["sizes"], case.degree):
        for m in scheme.sizes:
            predicted = scheme.predict(orbit, m)
            rows.append(
                {
                    "scheme": scheme.name,
                    "kind": scheme.kind,
                    "m": m,
                    "rule": scheme.rule,
                    **measure(case, prepared, scheme, m, task),
                    "predicted": predicted,
                }
            )
    exact = case.score.of(orbit.mean, prepared.target)
    if not group.is_finite:  # no scheme, but what all of them are after
        whole = {"scheme": "full", "kind": "full", "m": None, "rule": "integrated"}
        rows.append({**whole, "error": 0.0, "score": exact, "score_sd": 0.0, "predicted": 0.0})
    return {
        "group": group.name,
        "order": str(group.order) if group.is_finite else "infinite",
        "variance": orbit.variance,
        "shares": orbit.shares,
        "exact": exact,
        "doubt": orbit.doubt(),
        "rows": rows,
    }


def schemes(prepared: Prepared, sizes: list[int], degree: int | None) -> Iterator[Scheme]:
    """All that are measured."""
    group = prepared.orbit.group
    yield from drawn(group, sizes)
    yield from prepared.field
    yield from designed(group, sizes, degree)
    if group.is_finite:
        yield everything(group)


def measure(case: Case, prepared: Prepared, scheme: Scheme, m: int, task: Task) -> dict[str, Any]:
    """The error and the score of one scheme at one m."""
    orbit, target = prepared.orbit, prepared.target
    if scheme.kind == "full":
        return {"error": 0.0, "score": case.score.of(orbit.mean, target), "score_sd": 0.0}
    purpose = f"views: {case.name}, {task['model']}, {scheme.name}"
    rng = keyed_rng(task["seed"], purpose, step=m)
    errors, scores = [], []
    for _ in range(task["repeats"]):
        rows, weights = scheme.views(m, rng)
        values = orbit.at(_placed(scheme, prepared, rows, rng))
        average = values.mean(axis=0) if weights is None else np.tensordot(weights, values, 1)
        errors.append(mean_square(average - orbit.mean))
        scores.append(case.score.of(average, target))
    return {
        "error": float(np.sqrt(np.mean(errors) / orbit.variance)),
        "score": float(np.mean(scores)),
        "score_sd": float(np.std(scores)),
    }


def _placed(scheme: Scheme, prepared: Prepared, rows: Rows, rng: np.random.Generator) -> Rows:
    """The elements that each input is moved by from where it stands: k S h_i, or S h_i."""
    if rows.ndim == 3:  # chosen for each input, whatever its position
        return rows
    group = prepared.orbit.group
    if scheme.moved:
        rows = group.compose(group.sample(1, rng), rows)
    h = group.sample(len(prepared.orbit.mean), rng)
    return np.asarray(group.compose(rows[:, None], h[None]))
