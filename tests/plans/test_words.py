"""Random words: the inequality they are planned by, and that real ones keep it."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

import sparseaug as sa
from sparseaug.plans import sampled_words
from sparseaug.theory import sharp_sample_size


@pytest.mark.parametrize("eps", [1.9, 0.5, 0.1, 1e-3])
@pytest.mark.parametrize("delta", [0.05, 1e-300])
@pytest.mark.parametrize("bits", [1, 6, 4000])
def test_words_satisfy_their_inequality_and_few_less_do_not(eps, delta, bits):
    D = 2**bits
    C, B = 1.5, 0.75
    found = sampled_words(eps, delta, dimension_sum=D, C=C, B=B)
    if found.length == 1:
        assert found.size == found.m == sharp_sample_size(eps, delta, dimension_sum=D, C=C, B=B)
        return
    with mpmath.workdps(60):
        tau, m, M = mpmath.mpf(found.deviation), found.m, found.size
        letters = 4 * D * mpmath.exp(-m * tau**2 / (2 * (1 + tau / 3)))
        assert letters <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -12)  # tau is a rounded float
        bias = tau**found.length
        t = mpmath.mpf(eps) / (2 * C * B) - bias

        def failing(size):
            return 4 * D * mpmath.exp(-size * t**2 / (2 * (1 + (1 + bias) * t / 3)))

        assert failing(M) <= delta < failing(M - 3)


def test_equality_of_the_split_with_half_of_delta():
    """2D and delta stand for D and delta/2."""
    found = sampled_words(0.1, 0.05, dimension_sum=75, C=1.0, B=2.0)
    assert found.m == sa.theory.sharp_deviation_sample_size(0.5, dimension_sum=75, delta=0.025)
    assert found.deviation == sa.theory.sharp_deviation_bound(
        found.m, dimension_sum=75, delta=0.025
    )


def test_drawn_words_have_the_deviation_they_are_planned_for():
    """50 draws, each of which fails with probability at most 10^-3."""
    group, eps = sa.symmetric(4), 1.0
    found = sampled_words(eps, 1e-3, dimension_sum=group.dimension_sum().value, C=1.0, B=2.0)
    assert found.length > 1
    for seed in range(50):
        S = sa.Oracle(group, seed=seed).draw(found.m)
        W = S.words(length=found.length, size=found.size, seed=seed)
        assert sa.deviation(W).value <= Fraction(eps) / 4
