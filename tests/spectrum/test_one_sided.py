"""Spectra that keep places: what they predict, and the sets that are chosen by them."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError


def tour(x):
    return np.linalg.norm(np.diff(x, axis=1), axis=2).sum(axis=1)


def left_of(S, f, x):
    """The mean square over all h, by enumeration, of the mean over S h less that over the group."""
    group = S.group
    act = sa.permute_axis(group, axis=1)
    every = group.all_elements()
    values = f(act(every, x).reshape(-1, *x.shape[1:])).reshape(len(every), -1)
    moved = group.rank(group.compose(S.elements[:, None], every[None]).reshape(-1, group.width))
    means = values[moved].reshape(S.m, len(every), -1).mean(axis=0)
    return float(((means - values.mean(axis=0)) ** 2).mean())


@pytest.mark.parametrize("group", [sa.symmetric(4), sa.dihedral(4), sa.cyclic(4)])
def test_the_prediction_is_the_mean_over_translates_on_one_side(group):
    """Bars at four times their length: fails by chance less than once in 10^5 runs."""
    x = np.random.default_rng(0).normal(size=(64, 4, 2))
    act = sa.permute_axis(group, axis=1)
    spectrum = sa.orbit_spectrum(tour, act, x, by="places", calls=2000)
    for seed in range(3):
        S = sa.Oracle(group, seed).draw(3)
        found = spectrum.predict(S)
        assert abs(found.value - left_of(S, tour, x)) < 4 * found.error + 0.02 * found.variance
    assert spectrum.predict(5).value == spectrum.variance / 5


def test_few_draws_do_not_add_their_noise_to_the_variance():
    """64 draws of 23 dimensions: with the diagonal terms it would be 1.36 on average."""
    x = np.random.default_rng(0).normal(size=(64, 4, 2))
    act = sa.permute_axis(sa.symmetric(4), axis=1)
    alone, found = sa.GroupSample(act.group, act.group.identity()), []
    for seed in range(4):
        oracle = sa.Oracle(act.group, seed)
        spectrum = sa.orbit_spectrum(tour, act, x, by="places", calls=64, oracle=oracle)
        found.append(spectrum.predict(alone).value)
        assert spectrum.shares.keys() == {1, 2, 3, "higher"}
    assert np.mean(found) < 1.1 * sa.orbit_spectrum(tour, act, x).variance


def test_it_tells_balances_apart_that_the_spectrum_by_degree_does_not():
    x = np.random.default_rng(1).normal(size=(32, 6, 2))
    act = sa.permute_axis(sa.symmetric(6), axis=1)
    spectrum = sa.orbit_spectrum(tour, act, x, by="places")
    both = sa.orbit_spectrum(tour, act, x)
    moved = np.random.default_rng(2).permutation(6)
    S = sa.GroupSample(act.group, np.argsort(sa.orders(6, 6, balance="neighbours"), axis=1))
    T = sa.GroupSample(act.group, moved[S.elements])  # the same orders with other places
    assert both.predict(S).value == pytest.approx(both.predict(T).value)
    assert spectrum.predict(S).relative < 0.04 < 0.1 < spectrum.predict(T).relative


def test_a_chosen_set_is_not_worse_than_the_right_balance():
    x = np.random.default_rng(3).normal(size=(16, 6, 2))
    act = sa.permute_axis(sa.symmetric(6), axis=1)
    spectrum = sa.orbit_spectrum(tour, act, x, by="places")
    S = sa.design(act.group, m=12, spectrum=spectrum, identity=True)
    assert (S.m, S.calls) == (12, 0)
    assert (S.elements[0] == np.arange(6)).all()
    assert (
        left_of(S, tour, np.random.default_rng(4).normal(size=(8, 6, 2))) < 1e-20
    )  # as neighbours


STATISTICS = {
    "neighbours": tour,
    "positions": lambda x: np.tanh(x[:, -1, 0]),
    "first": lambda x: np.abs(x[:, :2, 0].sum(axis=1)),
}


@pytest.mark.parametrize("balance", STATISTICS)
def test_what_is_chosen_for_an_error_is_not_larger_than_the_right_balance(balance):
    x = np.random.default_rng(3).normal(size=(16, 5, 2))
    act = sa.permute_axis(sa.symmetric(5), axis=1)
    spectrum = sa.orbit_spectrum(STATISTICS[balance], act, x, by="places")
    for part in (0.5, 0.2):
        error = part * spectrum.variance**0.5
        found = sa.choose(spectrum, error=error)
        rows = np.argsort(sa.orders(5, found.draws, balance=balance), axis=1)
        right = (sa.GroupSample(act.group, rows[:m]) for m in range(1, len(rows) + 1))
        enough = (S.m for S in right if spectrum.predict(S).upper <= error**2)
        assert found.sample.m <= next(enough, found.draws)
        assert found.prediction.rms_upper <= error


def test_too_few_inputs_are_refused():
    with pytest.raises(ArgumentError, match="four or more"):
        sa.orbit_spectrum(
            tour, sa.permute_axis(sa.symmetric(4), axis=1), np.ones((3, 4, 2)), by="places"
        )
