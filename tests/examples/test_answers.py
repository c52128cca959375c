"""Multiple-choice questions in chosen orders: scores come back to their options, and bias is found."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import sparseaug as sa
from examples.answers import answer_orders, answer_spectrum, ask, position_bias

RNG = np.random.default_rng(0)
N, K = 30, 4
KNOWN = RNG.normal(size=(N, K))  # what a fair model thinks of each option
PLACE = np.array([1.0, 0.2, 0.0, -0.3])
AFTER = RNG.normal(size=(K, K))  # what the option before an option does to it
AT = RNG.normal(size=(K, K, K))  # the same, at each place
EVERY = np.repeat(np.array(list(permutations(range(K))))[:, None], N, axis=1)


def fair(questions, orders):
    return np.take_along_axis(KNOWN[questions], orders, axis=1)


def biased(questions, orders):
    """By place, and by the option before."""
    scores = fair(questions, orders) + PLACE
    scores[:, 1:] += AFTER[orders[:, :-1], orders[:, 1:]]
    return scores


def reading(questions, orders):
    """By both together."""
    return biased(questions, orders) + AT[np.roll(orders, 1, axis=1), orders, np.arange(K)]


@pytest.mark.parametrize("k", range(2, 10))
def test_for_each_question_every_option_is_at_each_place_and_after_each_other_equally_often(k):
    orders = answer_orders(k, 3, seed=k)
    assert orders.shape == (k if k % 2 == 0 else 2 * k, 3, k)
    for own in orders.swapaxes(0, 1):
        places, after = np.zeros((k, k), int), np.zeros((k, k), int)
        for order in own:
            places[order, np.arange(k)] += 1
            after[order[:-1], order[1:]] += 1
        assert len(np.unique(places)) == 1
        assert len(np.unique(after[~np.eye(k, dtype=bool)])) == 1
    if k > 4:  # other names for each question; of four options there are few such squares
        assert len({own.tobytes() for own in orders.swapaxes(0, 1)}) == 3


def test_chosen_orders_average_out_places_and_neighbours_and_cyclic_shifts_do_not():
    truth = ask(biased, EVERY).mean(axis=0)
    found = ask(biased, answer_orders(K, N))
    assert np.abs(found.mean(axis=0) - truth).max() < 1e-12
    assert np.abs(found - truth).max() > 0.5
    shifts = np.array([np.roll(np.arange(K), shift) for shift in range(K)])
    shifted = ask(biased, np.repeat(shifts[:, None], N, axis=1))
    assert np.abs(shifted.mean(axis=0) - truth).max() > 0.1


def test_twelve_orders_average_out_what_depends_on_two_options():
    truth = ask(reading, EVERY).mean(axis=0)
    assert np.abs(ask(reading, answer_orders(K, N)).mean(axis=0) - truth).max() > 0.1
    orders = answer_orders(K, N, pairs=True)
    assert orders.shape == (12, N, K)
    assert np.abs(ask(reading, orders).mean(axis=0) - truth).max() < 1e-12


def test_the_spectrum_says_what_depends_on_one_option_and_what_on_two():
    spectrum = answer_spectrum(reading, N, K)
    assert spectrum.shares[1] > 0
    assert spectrum.shares[2] > 0.1
    assert spectrum.shares[3] < 1e-9
    scores = ask(reading, EVERY)
    variance = ((scores - scores.mean(axis=0)) ** 2).sum(axis=2).mean()
    assert spectrum.variance == pytest.approx(variance)
    assert spectrum.predict(sa.design(sa.symmetric(K), degree=2)).value < 1e-12


def test_position_bias_is_found_where_it_is_and_the_level_holds_where_it_is_not():
    assert position_bias(biased, N, K) <= 0.002
    found = [position_bias(fair, N, K, seed=seed) for seed in range(100)]
    # at most 1/20 each: more than 16 of 100 has probability below 2e-5
    assert sum(p <= 0.05 for p in found) <= 16
