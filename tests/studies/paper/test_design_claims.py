"""Designs next to draws: the claims on made-up tables, and the runs against plain loops."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest

from studies.paper import Comparison, Config, Problem, design_claims, read_comparison
from studies.paper.compared import KINDS, MEASURED, SAMPLES, compared
from studies.paper.folder import Folder
from studies.paper.parts import DESIGNS
from studies.paper.quantities import Evaluation
from studies.paper.runner import reproduce
from studies.paper.seed import run_designs
from tests.runs import SMALL

NAMES = {6: "C_6", 12: "D_6", 60: "PSL(2,5)", 120: "PGL(2,5)"}
ENDS = {  # discrepancy of draws and of the design
    6: (0.25, 0.1),
    12: (0.15, 0.1),
    60: (0.04, 0.02),
    120: (0.026, 0.00014),
}
ORDER = [*(f"less {m}" for m in NAMES), "half", "fiftieth", "as full", "calls"]


def made_up(ends=ENDS, *, seeds=5, full=0.0155, calls=2, last=0.0155):
    noise = np.random.default_rng(0).normal(size=(len(ends), 2, seeds, 3))
    sizes = []
    for (m, pair), each in zip(ends.items(), noise, strict=True):
        size = {"m": m, "design_name": NAMES[m]}
        for kind, value, wave in zip(KINDS, pair, each, strict=True):
            rows = value * (1 + 0.02 * wave)
            norm = np.full_like(rows, last if (m, kind) == (120, "design") else 0.1)
            size[kind] = {
                "oracle_calls": m if kind == "draws" else calls,
                "discrepancy": rows.tolist(),
                "gradient_norm": norm.tolist(),
                "test_risk": np.full_like(rows, 0.044).tolist(),
            }
        sizes.append(size)
    level = {"oracle_calls": 720, "gradient_norm": [full] * seeds, "test_risk": [0.044] * seeds}
    return {"config": {**Config().to_dict(), "seeds": seeds}, "full": level, "sizes": sizes}


def failing(data):
    found = design_claims(Comparison.from_dict(data))
    assert len(found) == len(ORDER)
    return [name for name, claim in zip(ORDER, found, strict=True) if not claim.holds]


def test_all_claims_about_designs_hold_where_all_are_true():
    assert failing(made_up()) == []


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"ends": {**ENDS, 6: (0.25, 0.13)}}, ["half"]),
        ({"ends": {**ENDS, 6: (0.1, 0.1)}}, ["less 6", "half"]),
        ({"ends": {**ENDS, 60: (0.02, 0.02)}}, ["less 60"]),
        ({"ends": {**ENDS, 120: (0.026, 0.0006)}}, ["fiftieth"]),
        ({"last": 0.016}, ["as full"]),
        ({"calls": 1}, ["calls"]),
        ({"seeds": 1}, ORDER[:-1]),
        ({"full": 0.0}, ["as full"]),
    ],
)
def test_a_claim_about_designs_that_is_false_is_not_said_to_hold(changes, names):
    assert failing(made_up(**changes)) == names


def test_ends_equal_plain_loops_over_the_rows_that_were_kept():
    """Features, gradients and risks by hand, from the kept S alone."""
    given = Problem(SMALL, seed=1)
    part = run_designs(given, compared(4)[:2], Evaluation.over_the_group(given))
    everything = np.array(list(permutations(range(4))))
    x, y = given.train
    centers, width = np.array(given.model.centers), 2 * SMALL.sigma**2

    def features(points, rows):
        moved = np.concatenate([points[:, np.argsort(g)] for g in rows])
        return np.exp(-((moved[:, None] - centers) ** 2).sum(-1) / width)

    def gradient(phi, targets, theta):
        a, b = np.split(theta, 2)
        by_c = phi.T @ (phi @ (a * b) - targets) / len(targets)
        return np.concatenate([by_c * b, by_c * a])

    def mean(phi, targets, theta):
        a, b = np.split(theta, 2)
        return ((phi @ (a * b) - targets) ** 2).mean() / 2

    on_all, on_test = features(x, everything), features(given.test[0], everything)
    for kind in KINDS:
        for number in (0, SAMPLES - 1):
            rows = part.arrays[f"{kind}_8"][number]
            phi, targets, theta = features(x, rows), np.tile(y, len(rows)), given.start
            for _ in range(SMALL.num_steps):
                theta = theta - SMALL.step_size * gradient(phi, targets, theta)
                theta = np.clip(theta, -SMALL.box, SMALL.box)
            full = gradient(on_all, np.tile(y, 24), theta)
            expected = {
                "discrepancy": np.linalg.norm(gradient(phi, targets, theta) - full),
                "gradient_norm": np.linalg.norm(full),
                "test_risk": mean(on_test, np.tile(given.test[1], 24), theta),
            }
            for name in MEASURED:
                found = part.arrays[f"{kind}_{name}"][1, number]
                assert found == pytest.approx(expected[name], rel=1e-9), (kind, name)


def test_designs_are_a_file_of_their_own_that_resumes_to_the_same_bytes(tmp_path):
    done = reproduce(SMALL, tmp_path, jobs=1)
    files = Folder(tmp_path, SMALL)
    assert files.count().designs == 2
    whole = (tmp_path / "designs.json").read_bytes()
    assert read_comparison(tmp_path).to_dict() == done.comparison.to_dict()
    assert [(size.m, size.design) for size in done.comparison.sizes] == [
        (4, "C_4"),
        (8, "D_4"),
        (12, "AGL(1,4)"),
    ]
    results = (tmp_path / "results.json").read_bytes()
    assert "sizes" not in json.loads(results)
    files.part_path(1, DESIGNS).unlink()
    (tmp_path / "designs.json").unlink()
    assert read_comparison(tmp_path) is None
    again = reproduce(SMALL, tmp_path, jobs=1)
    assert again.computed == 0
    assert (tmp_path / "designs.json").read_bytes() == whole
    assert (tmp_path / "results.json").read_bytes() == results
