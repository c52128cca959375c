"""A run knows its risk: `certify(run)` needs nothing else, and the risk goes no further."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import Evidence, certify
from sparseaug.risk import DirectRisk

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (5, 4))
PROBLEM = (
    sa.KernelModel(sa.GaussianKernel(1.0), RNG.uniform(-1, 1, (6, 4))),
    (X, X.sum(axis=1)),
    sa.permute_axis(sa.symmetric(4)),
)
GROUP = PROBLEM[2].group
S = sa.Oracle(GROUP, seed=0).draw(8)
THETA = np.random.default_rng(0).normal(0, 0.5, 12)


def streaming(seed: int = 3):
    return sa.risk.streaming_risk(*PROBLEM, sa.Oracle(GROUP, seed=seed))


def plain_sum(S):
    """What a streaming step follows, over a sample that is known."""
    model, _, action = PROBLEM
    return DirectRisk(model, sa.augmented_risk(*PROBLEM, S).data, action, S)


RISKS = {
    "none": (lambda: sa.augmented_risk(*PROBLEM, None), None),
    "full": (lambda: sa.augmented_risk(*PROBLEM, "full"), "full"),
    "one-shot": (lambda: sa.augmented_risk(*PROBLEM, S), S),
    "plain sum": (lambda: plain_sum(S), S),
    "streaming": (streaming, "streaming"),
}


def descend(risk, **options):
    return sa.descend(risk, THETA, **{"step_size": 0.05, "num_steps": 20, **options})


@pytest.mark.parametrize("name", list(RISKS))
def test_a_run_is_certified_with_no_further_argument(name):
    make, averaged = RISKS[name]
    run = descend(make())
    assert certify(run).to_dict() == certify(run, Evidence(*PROBLEM, averaged)).to_dict()
