"""Audits that look and stop: their delta, their shares of it, their roundings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import sparseaug as sa
from sparseaug.certificate.anytime import Limits, Sums, run_audit, share_of
from sparseaug.errors import ArgumentError

G = sa.cyclic(64)


def values_of(values):
    """vectors= of run_audit: one number for each element of C_64, as a vector of length 1."""
    return lambda fresh: [np.asarray(values, float)[fresh.elements[:, 0]][:, None]]


@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_an_audit_that_stops_when_it_likes_fails_less_often_than_delta(delta):
    """The worst of stops: at `until` just below the truth. 80 audits, chance of more below 1e-6."""
    values = np.where(np.arange(64) < 32, 1.0, -0.5)
    truth = abs(values.mean())
    below = 0
    for seed in range(80):
        _, upper = run_audit(
            values_of(values),
            1,
            sa.Oracle(G, seed),
            Limits(1.0),
            calls=200,
            delta=delta,
            until=0.999 * truth,
        )
        below += upper < truth
    assert below <= stats.binom.ppf(1 - 1e-6, 80, delta)


def test_it_stops_where_the_bound_is_reached_and_where_it_cannot_be():
    values = np.where(np.arange(64) < 34, 0.5, -0.5)  # mean 1/32
    options = {"calls": 100_000, "delta": 0.05}
    oracle = sa.Oracle(G)
    _, upper = run_audit(values_of(values), 1, oracle, Limits(0.5), until=0.1, **options)
    assert upper <= 0.1
    assert oracle.calls < 20_000
    oracle = sa.Oracle(G)
    lower, _ = run_audit(values_of(values + 0.5), 1, oracle, Limits(1.0), until=0.1, **options)
    assert lower > 0.1
    assert oracle.calls < 1000
    oracle, options = sa.Oracle(G), {"calls": 500, "delta": 0.05}
    limited = run_audit(values_of(values), 1, oracle, Limits(0.5), until=1e-3, **options)
    assert oracle.calls == 500
    assert run_audit(values_of(values), 1, sa.Oracle(G), Limits(0.5), **options) == limited


def test_the_ends_cover_vectors_that_are_off_by_their_rounding():
    """Vectors shorter or longer by `off`, all of them: the ends of the exact ones are inside."""
    rng = np.random.default_rng(0)
    v = 0.3 + 0.1 * rng.normal(size=(4000, 1))
    for off in (1e-3, 1e-2):
        ends = {}
        for sign in (-1, 0, 1):
            sums = Sums(1)
            sums.add(v + sign * off)
            ends[sign] = sums.interval(Limits(1.0, off=off if sign else 0.0), 0.05)
        for sign in (-1, 1):
            assert ends[sign][0] <= ends[0][0]
            assert ends[sign][1] >= ends[0][1]


def test_the_spread_is_that_of_the_vectors_and_is_not_lost_next_to_a_large_mean():
    v = 1e6 + np.array([[-1.0], [1.0]] * 500)
    sums = Sums(1)
    sums.add(v)
    lower, upper = sums.interval(Limits(2e6, reach=2.0), 0.05)
    assert upper - 1e6 >= math.sqrt(2 * math.log(2 / 0.05) / 1000)
    assert lower <= 1e6 <= upper


def test_audits_of_one_iterate_share_delta_and_the_same_audit_is_one():
    audits = {}
    oracle, total = sa.Oracle(G), 0.0
    for k in range(1, 40):
        part, number = share_of(audits, b"theta", oracle, None, 1.0, 0.05)
        again = share_of(audits, b"theta", sa.Oracle(G, 0), None, 1.0, 0.05)
        assert number == k
        assert again == share_of(audits, b"theta", sa.Oracle(G, 0), None, 1.0, 0.05)
        total += part
        oracle.draw(1)
    assert 0.05 * 0.999 < total <= 0.05
    assert share_of(audits, b"other", oracle, None, 1.0, 0.05) == (0.05 * 0.75, 1)
    same = [share_of({}, b"", sa.Oracle(G, 3), None, 1.0, delta)[0] for delta in (0.05, 0.1)]
    assert same == [0.05 * 0.75, 0.1 * 0.75]
    source = sa.Oracle(G, source=lambda rng: [0])
    assert [share_of(audits, b"s", source, None, 1.0, 0.1)[1] for _ in range(3)] == [1, 2, 3]
    for _ in range(250):
        assert share_of(audits, b"s", source, None, 1.0, 0.1)[0] > 0
    with pytest.raises(ArgumentError, match="shared by 254 audits"):
        share_of(audits, b"s", source, None, 1.0, 1e-175)
