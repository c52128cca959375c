"""What a deviation says: bounds rounded outward, and the a-priori bound only where it is about S."""

from __future__ import annotations

import json

import pytest

import sparseaug as sa

G = sa.symmetric(5)


def not_uniform():
    drawn = sa.Oracle(G, seed=0).draw(40)
    return {
        "given": sa.GroupSample(G, drawn.elements),
        "words": drawn.words(2, 40),
        "until": sa.draw_until(sa.Oracle(G, seed=0), target=0.5).sample,
        "until, at its first batch": sa.draw_until(sa.Oracle(G, seed=0), target=0.99).sample,
    }


@pytest.mark.parametrize("kind", list(not_uniform()))
def test_the_a_priori_bound_is_not_said_of_a_sample_that_was_not_drawn_uniformly(kind):
    S = not_uniform()[kind]
    for found in (sa.deviation(S), sa.deviation(S, degree=2)):
        assert found.bound is None
        assert json.loads(json.dumps(found.to_dict()))["bound"] is None
        assert "a-priori" not in str(found)
        assert "at most" in str(found)


def test_it_is_said_of_draws_of_an_oracle_and_of_a_source():
    for source in (None, lambda rng: G.sample(1, rng)[0]):
        found = sa.deviation(sa.Oracle(G, seed=0, source=source).draw(200))
        assert found.bound == sa.theory.deviation_bound(200, order=120, delta=0.05)
        printed = float(str(found).split("a-priori bound  ")[1].split()[0])
        assert found.bound <= printed <= found.bound * (1 + 1e-5)


def test_draw_until_says_that_its_size_was_not_fixed_beforehand():
    oracle = sa.Oracle(G, seed=0)
    oracle.draw(3)
    S = sa.draw_until(oracle, target=0.5).sample
    assert (S.origin.kind, S.origin.draws) == ("until", ((0, 3, 3 + S.m),))
    assert S.calls == S.m
