"""test_invariance: the level by enumeration of whole orbits, power beside SciPy, what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.spectrum import statistics

SETS = sa.permute_axis(sa.symmetric(4))
SIGNS = sa.flip_signs(sa.sign_flips(6))


def first(x):
    return x[0] @ 0.3 ** np.arange(x.shape[1])


def is_exact(pvalues):
    """P(p <= a) <= a for all a, over equally likely data sets."""
    p = np.sort(np.asarray(pvalues))
    return bool((np.arange(1, len(p) + 1) <= len(p) * p + 1e-9).all())


def whole_orbit(action, x):
    """Every data set (g_1 x_1, ..., g_n x_n): if the null holds, given the orbit, all are as likely."""
    moved = action(action.group.all_elements(), x)
    for which in itertools.product(range(action.group.order), repeat=len(x)):
        yield np.stack([moved[g, i] for i, g in enumerate(which)])


@pytest.mark.parametrize(("n", "statistic"), [(4, "energy"), (3, first)])
def test_the_level_is_exact_over_all_data_sets_of_two_samples_of_Sn(n, statistic, rng):
    sets = sa.permute_axis(sa.symmetric(n))
    x, count = rng.normal(size=(2, n)), sets.group.order**2
    options = {"statistic": statistic, "draws": count - 1}
    tests = [sa.test_invariance(one, sets, **options) for one in whole_orbit(sets, x)]
    assert all(test.enumerated and len(test.values) == count for test in tests)
    pvalues = [test.pvalue for test in tests]
    assert is_exact(pvalues)
    assert min(pvalues) <= 2 / sets.group.order  # and not by never rejecting


def test_the_level_is_exact_over_all_data_sets_of_two_samples_of_sign_flips(rng):
    # the energy stays the same when one element moves all samples: (x_1, g x_2) stand for all
    x = rng.normal(size=(2, 6))
    moved = SIGNS(SIGNS.group.all_elements(), x[1:])[:, 0]
    pvalues = [sa.test_invariance(np.stack([x[0], g]), SIGNS, draws=4095).pvalue for g in moved]
    assert is_exact(pvalues)
    assert min(pvalues) == pytest.approx(1 / 64)


@pytest.mark.parametrize("action", [SETS, SIGNS], ids=["S4", "Z2^6"])
def test_the_level_is_exact_when_all_samples_move_together(action, rng):
    x = rng.normal(size=(3, 4 if action is SETS else 6))
    data = action(action.group.all_elements(), x)
    pvalues = [
        sa.test_invariance(one, action, statistic=first, move="together").pvalue for one in data
    ]
    assert sorted(pvalues) == pytest.approx(np.arange(1, len(data) + 1) / len(data))


@pytest.mark.parametrize("order", [4, 8, 16])
def test_the_level_is_exact_for_a_design_that_is_a_subgroup(order, rng):
    S = sa.GroupSample.generated(SIGNS.group, np.eye(6, dtype=int)[: order.bit_length() - 1])
    x = rng.normal(size=(1, 6))
    pvalues = [
        sa.test_invariance(one, SIGNS, S, statistic=np.sum, move="together").pvalue
        for one in SIGNS(SIGNS.group.all_elements(), x)
    ]
    assert is_exact(pvalues)
    assert min(pvalues) == pytest.approx(1 / order)


def test_a_set_that_is_not_a_subgroup_would_not_be_exact_and_is_refused(rng):
    rows = np.array([[0] * 6, [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]])
    x = rng.normal(size=(1, 6))
    moved = SIGNS(SIGNS.group.all_elements(), x)[:, 0]
    values = np.stack([SIGNS(rows, one[None])[:, 0].sum(1) for one in moved])
    assert not is_exact((values >= values[:, :1]).mean(1))
    with pytest.raises(ArgumentError, match="not a subgroup"):
        sa.test_invariance(
            x, SIGNS, sa.GroupSample(SIGNS.group, rows), statistic=np.sum, move="together"
        )


def test_draws_are_those_of_the_seed_whatever_the_chunks(rng, monkeypatch):
    x = rng.normal(size=(10, 4))
    S = sa.GroupSample.full(SETS.group)
    for sample in ("full", S):
        once = sa.test_invariance(x, SETS, sample, draws=50, seed=3)
        monkeypatch.setattr(statistics, "_ENTRIES", 150)
        again = sa.test_invariance(x, SETS, sample, draws=50, seed=3)
        monkeypatch.undo()
        assert again.values == pytest.approx(once.values, rel=1e-12)
        assert once.calls == (500 if sample == "full" else 0)


def test_energy_is_the_energy_distance_to_the_orbit_average_up_to_a_constant(rng):
    x = rng.normal(size=(5, 4))
    everything = SETS(SETS.group.all_elements(), x).reshape(-1, 4)
    test = sa.test_invariance(x, SETS, draws=9)

    def distance(a, b):
        return np.linalg.norm(a[:, None] - b[None], axis=2).mean()

    found = []
    for j, moved in enumerate([x, np.sort(x, axis=1)]):
        whole = 2 * distance(moved, everything) - distance(everything, everything)
        energy = whole - distance(moved, moved)
        value = sa.test_invariance(moved, SETS, draws=9).statistic
        found.append(energy - value)
        assert j or value == pytest.approx(test.statistic)
    assert found[0] == pytest.approx(found[1], rel=1e-10)


@pytest.mark.parametrize(
    "change",
    [
        {"S": sa.Oracle(SETS.group).draw(5)},
        {"S": sa.GroupSample(SETS.group, [[1, 0, 2, 3]])},
        {"S": sa.GroupSample(SETS.group, [[0, 1, 2, 3]] * 2 + [[1, 0, 2, 3]])},
        {"statistic": lambda x: np.nan},
        {"move": "together"},
        {"x": np.ones((1, 4))},
    ],
)
def test_what_would_not_be_exact_or_does_not_fit_is_refused(change, rng):
    given = {"x": rng.normal(size=(5, 4)), "action": SETS, **change}
    with pytest.raises(ArgumentError):
        sa.test_invariance(**given)
