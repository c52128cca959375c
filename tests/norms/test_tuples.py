"""Restricted norms against dense brute force and against sums over irreps."""

from __future__ import annotations

import itertools
from fractions import Fraction
from itertools import combinations, product

import mpmath
import numpy as np
import pytest

import sparseaug as sa
from sparseaug.norms import tuples
from sparseaug.norms.abelian.low_weight import low_weight_norm
from sparseaug.norms.coordinates import coordinates_norm
from sparseaug.norms.tuples import Tuples


def test_the_bound_with_a_failure_probability_is_above_the_dense_one(monkeypatch):
    S = sa.Oracle(sa.symmetric(12), seed=4).draw(24)
    turns = sa.Oracle(sa.permutation_group([[*range(1, 40), 0]]), seed=4).draw(5)  # many orbits
    for sample in (S, turns):
        exact = coordinates_norm(sample, degree=2)
        with monkeypatch.context() as patch:
            patch.setattr(tuples, "DENSE_DIMENSION", 0)
            likely = coordinates_norm(sample, degree=2)
        assert likely.failure_probability == 1e-9
        assert likely.lower <= exact.upper
        assert exact.lower <= likely.upper <= exact.upper * (1 + 1e-7)


def brute_force(S: sa.GroupSample, degree: int) -> float:
    moduli = S.group.moduli
    best = 0.0
    for weight in range(1, degree + 1):
        for chosen in combinations(range(len(moduli)), weight):
            for frequency in product(*(range(1, moduli[i]) for i in chosen)):
                angle = sum(
                    a * S.elements[:, i] / moduli[i] for a, i in zip(frequency, chosen, strict=True)
                )
                best = max(best, abs(np.exp(2j * np.pi * angle).mean()))
    return float(best)


@pytest.mark.parametrize("moduli", [(2,) * 7, (3, 4), (2, 5, 2, 3), (1, 2, 1, 6), (9,)])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_low_weight_norm_equals_brute_force_over_characters(moduli, degree):
    for seed, m in enumerate((1, 3, 10, 32)):
        S = sa.Oracle(sa.abelian(*moduli), seed=seed).draw(m)
        truth = brute_force(S, degree)
        norm = low_weight_norm(S, degree=degree)
        assert norm.lower <= truth + 1e-14
        assert truth - 1e-14 <= norm.upper <= truth + 1e-10
        assert norm.failure_probability == 0.0


@pytest.mark.parametrize("moduli", [(3, 4), (2, 5, 2, 3), (9,), (7, 7)])
def test_low_weight_norms_enclose_40_digits(moduli):
    for seed in range(12):
        S = sa.Oracle(sa.abelian(*moduli), seed=seed).draw(3 + seed)
        norm = low_weight_norm(S, degree=len(moduli))
        with mpmath.workdps(40):
            truth = mpmath.mpf(0)
            for a in product(*map(range, moduli)):
                if any(a):
                    angles = [
                        sum(mpmath.mpf(x * y % n) / n for x, y, n in zip(a, g, moduli, strict=True))
                        for g in S.elements.tolist()
                    ]
                    truth = max(truth, abs(sum(mpmath.expjpi(2 * t) for t in angles)) / S.m)
            truth = min(truth, mpmath.mpf(1))
            assert norm.lower <= truth <= norm.upper


def test_sign_flips_enclose_the_exact_fraction_for_any_number_of_elements():
    for m in (7, 48, 301, 5000, 70_001):
        S = sa.GroupSample(
            sa.sign_flips(3),
            np.concatenate([np.zeros((m - 9, 3), int), np.eye(3, dtype=int).repeat(3, axis=0)])
            if m > 10
            else sa.Oracle(sa.sign_flips(3), seed=m).draw(m).elements,
        )
        norm = low_weight_norm(S, degree=2)
        signs = 1 - 2 * S.elements
        sums = [signs[:, i].sum() for i in range(3)]
        sums += [(signs[:, i] * signs[:, j]).sum() for i, j in combinations(range(3), 2)]
        exact = Fraction(max(abs(int(value)) for value in sums), m)
        assert Fraction(norm.lower) <= exact <= Fraction(norm.upper)


@pytest.mark.parametrize("n", [2, 3, 4, 6])
@pytest.mark.parametrize("degree", [1, 2])
def test_generators_that_agree_on_a_tuple_give_the_orbits_of_tuples(n, degree):
    """An edge that stands twice must be one: SciPy 1.17 never ends on two."""
    swap = np.array([[1, 0, *range(2, n)]])
    labels = Tuples(n, degree, n).orbits(np.concatenate([swap, swap]))
    tuples = list(itertools.permutations(range(n), degree))
    orbits = {frozenset((t, tuple(swap[0, list(t)].tolist()))) for t in tuples}
    number = 1 if labels is None else len(set(labels.tolist()))
    assert number == len(orbits)
