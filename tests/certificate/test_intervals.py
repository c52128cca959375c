"""Bounds of a mean: against exact laws, never failing more often than stated."""

from __future__ import annotations

from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from sparseaug.certificate.intervals import betting, binomial


@pytest.mark.parametrize("delta", [0.3, 0.05, 1e-9, 1e-200])
@pytest.mark.parametrize(
    ("wrong", "count"), [(0, 1), (0, 50), (1, 50), (7, 50), (49, 50), (158, 1000)]
)
def test_the_binomial_ends_are_those_of_exact_tails_and_never_inside_them(wrong, count, delta):
    mpmath.mp.dps = 250
    p = mpmath.mpf(binomial(wrong, count, delta).upper)

    def tail(q):
        return mpmath.fsum(
            mpmath.binomial(count, j) * q**j * (1 - q) ** (count - j) for j in range(wrong + 1)
        )

    assert tail(p) <= delta
    # and not far beyond: a number a little smaller has a larger tail
    room = min(p, 1 - p) * mpmath.mpf("1e-6") + mpmath.mpf("1e-15")
    assert p == 1 or tail(p - room) > delta
    low = binomial(count - wrong, count, delta).lower
    assert low <= 1 - p <= low + 1e-15


LAWS = {
    "rare": lambda rng, n: (rng.random(n) < 0.01).astype(float),
    "half": lambda rng, n: (rng.random(n) < 0.5).astype(float),
    "uniform": lambda rng, n: rng.random(n),
    "skewed": lambda rng, n: rng.random(n) ** 8,
    "constant": lambda rng, n: np.full(n, 0.3),
}
MEANS = {"rare": 0.01, "half": 0.5, "uniform": 0.5, "skewed": 1 / 9, "constant": 0.3}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("horizon", [None, 400])
def test_betting_fails_at_most_as_often_as_stated(law, horizon):
    """300 runs, delta 0.1 a side; with a horizon at any of 10 looks. A false alarm: 1e-6."""
    rng, missed = np.random.default_rng(1), np.zeros(2)
    for _ in range(300):
        x = LAWS[law](rng, 400)
        looks = [400] if horizon is None else range(40, 401, 40)
        ends = [betting(x[:k], 0.1, horizon=horizon) for k in looks]
        missed += [any(e.lower > MEANS[law] for e in ends), any(e.upper < MEANS[law] for e in ends)]
    assert missed.max() <= binom.isf(1e-6, 300, 0.1)


def test_a_mean_of_many_is_enumerated():
    """All sequences of four losses of 0, 1/2 or 1: the exact chance of missing, for three laws."""
    for law in ([0.2, 0.3, 0.5], [0.9, 0.05, 0.05], [0.01, 0.0, 0.99]):
        mean, missed = 0.5 * law[1] + law[2], np.zeros(2)
        for which in product(range(3), repeat=4):
            chance = np.prod([law[k] for k in which])
            lower, upper = betting(np.array(which) / 2, 0.2)
            missed += chance * np.array([lower > mean, upper < mean])
        assert missed.max() <= 0.2
