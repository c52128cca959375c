"""The inequality behind audits: each step of its proof in many digits, and its failures counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import stats

from sparseaug.certificate.concentration import Seen, kappa, radius

DELTAS = (0.5, 0.2, 0.05)


@pytest.mark.parametrize("r", [1e-6, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_kappa_pays_for_every_length_and_direction_of_a_vector(r):
    """(1 + s + e^z - 1 - z) exp(-kappa z^2) <= 1 + s for |s| <= z <= r, to 40 digits."""
    with mp.workdps(40):
        k = mpf(float(kappa(np.array([r]))[0])) * (1 + mpf(10) ** -13)
        for z in (mpf(r) * j / 50 for j in range(1, 51)):
            for s in (-z, -z / 2, mpf(0), z / 2, z):
                assert (s + mp.exp(z) - z) * mp.exp(-k * z**2) <= 1 + s
        # and no more than a tenth above the least that does
        z = mpf(r)
        assert k * z**2 <= mpf("1.1") * mp.log(1 + (mp.exp(z) - 1 - z) / (1 - z))


def log_process(T: mpf, N: int, spread: float, b: mpf, unit: float) -> mpf:
    """log of the sum over k, written out again."""
    total = mpf(0)
    for k in range(24):
        step = mpf("0.9") * mpf(2) ** -k / mpf(unit)
        if step * b < 0.99:
            r = step * b
            rate = mp.log(1 + r**2 / (2 * (1 - r / 3) * (1 - r))) / r**2
            exponent = rate * step**2 * N * (mpf(spread) ** 2 + T**2)
            total += mp.cosh(step * N * T) * mp.exp(-exponent) / ((k + 1) * (k + 2))
    return mp.log(total)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_radius_is_the_end_of_the_confidence_set(delta):
    """Above it the process is at least 1 / delta, up to the range itself; a little below it is not."""
    for N, spread, mean, largest, reach in (
        (100, 0.3, 0.1, 1.0, 1.0),
        (1000, 0.01, 0.02, 5.0, math.inf),
        (3000, 1.0, 2.0, 3.0, 4.0),
        (500, 0.0, 0.0, 2.0, 0.5),
    ):
        found = radius(Seen(N, mean, spread), delta, largest=largest, reach=reach)
        unit = min(largest, reach)

        def at(T, N=N, spread=spread, mean=mean, largest=largest, reach=reach, unit=unit):
            b = min(mpf(reach), largest + min(largest, mean + T))
            return log_process(mpf(T), N, spread, b, unit) - mp.log(1 / mpf(delta))

        with mp.workdps(20):
            end = min(reach, 2 * largest)
            assert found < end
            assert all(at(found + (end - found) * j / 40) >= 0 for j in range(41))
            assert at(found * 0.995) < 0


def two_points(chance: float):
    """Two values of mean 0, the first with this probability, and a range of 1."""
    values = np.array([1 - chance, -chance])
    return values / abs(values).max(), np.array([chance, 1 - chance])


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_bound_fails_at_any_number_of_draws_less_often_than_delta(chance, delta):
    """150 paths on two points with a look after 1, 4, 16, ..., 1024 draws.

    More failures than that have a probability below 1e-6 if delta is right.
    """
    values, chances = two_points(chance)
    rng = np.random.default_rng(int(1000 * chance))
    failures = 0
    for _ in range(150):
        y = rng.choice(values, p=chances, size=1024)
        looks = 4 ** np.arange(6)
        failures += any(
            abs(y[:N].mean())
            > radius(Seen(int(N), abs(y[:N].mean()), y[:N].std()), delta, largest=1.0, reach=1.0)
            for N in looks
        )
    assert failures <= stats.binom.ppf(1 - 1e-6, 150, delta)
