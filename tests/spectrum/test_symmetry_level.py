"""The level of test_invariance where ties are many and rounding could break them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import sparseaug as sa
from studies import invariance_tests as study
from tests.spectrum.test_symmetry_test import is_exact, whole_orbit

REFLECT = sa.linear(sa.cyclic(2), np.stack([np.eye(4), np.diag([-1.0, 1, 1, 1])]))


@pytest.mark.parametrize("apart", [1e-5, 2e-6, 1e-6, 7e-7, 3e-7, 1e-8, 1e-12])
def test_tiny_distances_do_not_break_ties_for_the_data_as_they_are(apart):
    for action, x in (
        (REFLECT, study.beside(3, [1.0], apart)),
        (study.turns(5, 3), study.beside(3, [1.0, 0.0], apart)),
    ):
        draws = action.group.order**3
        pvalues = [
            sa.test_invariance(one, action, draws=draws).pvalue for one in whole_orbit(action, x)
        ]
        assert is_exact(pvalues)
        assert min(pvalues) <= 0.5  # and not by never rejecting


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e150])
def test_the_pvalue_is_the_same_in_all_units(scale, rng):
    x = rng.normal(size=(6, 4))
    plain = sa.test_invariance(x, REFLECT, draws=99)
    assert 0 < plain.pvalue < 1
    found = sa.test_invariance(scale * x, REFLECT, draws=99)
    assert found.pvalue == plain.pvalue
    assert found.values == pytest.approx(scale * plain.values, rel=1e-9, abs=0)


def test_pvalues_of_hostile_laws_are_never_too_small():
    """20 p-values per law and statistic: it fails for an exact test with probability below 1e-5."""
    lines = itertools.product(study.laws().items(), study.STATISTICS)
    for (title, law), name in lines:
        found = study.pvalues(law, name, 20)
        assert study.tail(found) > 1e-5 / 2000, (title, name)


@pytest.mark.parametrize(
    "action",
    [sa.flip_signs(sa.sign_flips(1), axis=-2), sa.permute_axis(sa.symmetric(5), axis=-2)],
)
def test_energy_is_that_of_all_pairs(action, rng):
    n = 150
    x = rng.normal(size=(n, 5, 8)) if action.group.order > 2 else rng.normal(size=(n, 1, 40))
    x[7] = x[90]
    for S in ("full", sa.GroupSample.full(action.group)):
        test = sa.test_invariance(x, action, S, draws=7, seed=1)
        assert test.values[0] == pytest.approx(_energy(x), rel=1e-11)


def _energy(x):
    n = len(x)
    return -cdist(x.reshape(n, -1), x.reshape(n, -1)).sum() / n**2


def test_matrices_that_are_a_group_to_eight_digits_do_not_break_ties():
    turn = study.turns(3, 3)
    action = sa.linear(turn.group, turn.matrices(turn.group.all_elements()).round(8))
    sets = whole_orbit(turn, study.beside(3, [1.0, 0.0], 0.0))
    pvalues = [sa.test_invariance(one, action, draws=26).pvalue for one in sets]
    assert is_exact(pvalues)
    assert min(pvalues) < 1
