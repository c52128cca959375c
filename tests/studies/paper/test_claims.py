"""The claims on made-up results: each holds where it should, and fails when its sentence is false."""

from __future__ import annotations

import numpy as np
import pytest

from studies.paper import Config, claims
from studies.paper.sentences import Difference

CONFIG = Config(seeds=5)
ENDS = {
    "none": (0.20, 0.9),
    "full": (0.040, 0.010),
    "streaming": (0.041, 0.2),
    "one-shot-4": (0.10, 0.5),
    "one-shot-16": (0.045, 0.1),
    "one-shot-64": (0.0405, 0.03),
}
CALLS = {
    "none": 0,
    "full": 720,
    "streaming": 500,
    "one-shot-4": 4,
    "one-shot-16": 16,
    "one-shot-64": 64,
}
ORDER = [
    "train",
    "test",
    "4 to 16",
    "16 to 64",
    "tracks full",
    "tracks streaming",
    "smallest",
    "approaches",
    "fluctuates",
    "calls",
]


def made_up(ends=ENDS, calls=CALLS, seeds=5, waves=("streaming",)):
    """Curves that fall to these risks and gradient norms, with a little noise a seed."""
    noise = np.random.default_rng(0).normal(size=(len(ends), seeds, 1))
    fall = 1 + 5 * np.exp(-np.arange(21) / 3)
    results = {"config": {**CONFIG.to_dict(), "seeds": seeds}}
    for (method, (risk, norm)), each in zip(ends.items(), noise, strict=True):
        risks = (risk + 2e-4 * each) * fall
        norms = norm * (1 + 0.01 * each) * fall
        if method in waves:
            norms = norms * (1 + 0.5 * np.cos(np.pi * np.arange(21)))
        results[method] = {
            "oracle_calls": calls[method],
            "step": list(range(0, 501, 25)),
            "train_risk": risks.tolist(),
            "test_risk": risks.tolist(),
            "gradient_norm": norms.tolist(),
            "identity_test_risk": risks.tolist(),
        }
    return results


def failing(results):
    found = claims(results)
    assert len(found) == len(ORDER)
    return [name for name, claim in zip(ORDER, found, strict=True) if not claim.holds]


def test_all_claims_hold_where_all_are_true():
    assert failing(made_up()) == []


@pytest.mark.parametrize(
    ("method", "end", "names"),
    [
        ("one-shot-4", (0.21, 0.5), {"train", "test"}),
        ("one-shot-16", (0.101, 0.1), {"4 to 16", "16 to 64"}),
        ("one-shot-16", (0.075, 0.1), {"16 to 64"}),
        ("one-shot-64", (0.052, 0.03), {"tracks full", "tracks streaming"}),
        ("streaming", (0.055, 0.2), {"tracks streaming"}),
        ("full", (0.040, 0.05), {"smallest"}),
        ("one-shot-64", (0.0405, 0.11), {"approaches"}),
    ],
)
def test_a_claim_that_is_false_is_not_said_to_hold(method, end, names):
    found = set(failing(made_up({**ENDS, method: end})))
    assert names <= found
    assert found <= names | {"16 to 64", "4 to 16"}


def test_a_smooth_streaming_norm_does_not_fluctuate():
    assert failing(made_up(waves=())) == ["fluctuates"]


def test_a_full_norm_that_fluctuates_too_says_nothing_about_streaming():
    assert "fluctuates" in failing(made_up(waves=("streaming", "full")))


def test_a_miscounted_call_is_seen():
    assert failing(made_up(calls={**CALLS, "streaming": 501})) == ["calls"]


def test_one_seed_shows_nothing_but_the_calls():
    found = [claim.holds for claim in claims(made_up(seeds=1))]
    assert found == [False] * 9 + [True]


def test_the_interval_is_student_s():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    found = Difference.of(values)
    # t(0.975, 3) = 3.182446 (tables), times sqrt(5/3) / 2
    assert found.mean == 2.5
    assert found.half == pytest.approx(3.182446 * np.sqrt(5 / 3) / 2, rel=1e-6)
