"""The largest error over the box that the study finds, against all corners of small boxes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from sparseaug.certificate import Evidence
from sparseaug.risk import augmented_risk
from studies.paper import Config, Problem
from studies.paper.box import gap, largest_error, largest_norm, smoothness


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_error_is_that_of_a_corner_and_below_what_the_theorem_promises(seed):
    given = Problem(Config(group_size=4, train=9, test=2, centers=4, box=1.5, seeds=6), seed)
    S = given.sample(5)
    known = Evidence(given.model, given.train, given.action, S)
    risk, full = known.sparse_risk, known.full_risk
    errors = [
        np.linalg.norm(risk.gradient(theta) - full.gradient(theta))
        for theta in (1.5 * np.array(signs) for signs in product((-1.0, 1.0), repeat=8))
    ]
    found = largest_error(given, known)
    assert found == pytest.approx(max(errors), rel=1e-9)
    assert found <= known.known_deviation.value * largest_norm(given, known)


def test_constants_of_the_box_hold_for_every_single_element():
    given = Problem(Config(group_size=3, train=9, test=2, centers=4, box=1.5), 0)
    known = Evidence(given.model, given.train, given.action, given.sample(2))
    rng, L = np.random.default_rng(0), smoothness(given, known)
    for seed in range(20):
        S = given.oracle(f"element {seed}").fresh(1)
        risk = augmented_risk(given.model, given.train, given.action, S)
        assert risk.value(given.start) <= gap(given, known)
        one, two = rng.uniform(-1.5, 1.5, (2, 8))
        change = np.linalg.norm(risk.gradient(one) - risk.gradient(two))
        assert change <= L * np.linalg.norm(one - two)
