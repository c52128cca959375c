"""Translates: unbiased on every side, counted, and as good as the theorem says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, OracleBudgetError

GROUPS = {"S4": sa.symmetric(4), "D6": sa.dihedral(6), "Z2^4": sa.sign_flips(4)}


def oracle_of(group, rows):
    """An oracle that hands out these rows, one after the other."""
    given = iter(rows)
    return sa.Oracle(group, source=lambda rng: next(given))


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize("name", GROUPS)
def test_the_mean_over_all_translates_is_the_whole_group(name, side):
    group = GROUPS[name]
    S = sa.Oracle(group, seed=3).draw(5)
    everything = group.all_elements()
    translators = [[h] for h in everything]
    if side == "both":
        translators = [[h, k] for h in everything for k in everything]
    counts = np.zeros(group.order, np.int64)
    for rows in translators:
        T = S.translate(oracle_of(group, rows), side=side)
        assert (T.m, T.calls) == (5, 5 + len(rows))
        np.add.at(counts, group.rank(T.elements), 1)
    assert set(counts.tolist()) == {5 * len(translators) // group.order}


def test_the_sides_are_what_they_say():
    group = sa.symmetric(4)
    S = sa.design(group, degree=1)
    h, k = group.unrank([5, 17])
    right = S.translate(oracle_of(group, [h]), side="right")
    left = S.translate(oracle_of(group, [h]), side="left")
    both = S.translate(oracle_of(group, [h, k]), side="both")
    assert np.array_equal(right.elements, group.compose(S.elements, h))
    assert np.array_equal(left.elements, group.compose(h, S.elements))
    assert np.array_equal(both.elements, group.compose(group.compose(k, S.elements), h))
    assert right != left


def test_ten_thousand_random_translates_of_a_design_are_unbiased():
    """Hoeffding: values within [0, 1], 10,000 independent ones: off by 0.0341 with chance 2e-10."""
    group = sa.symmetric(7)
    S = sa.design(group, degree=1)
    weights = np.random.default_rng(0).normal(size=(7, 7, 7, 7))

    def v(rows):  # a function of pairs of coordinates, not one that S is exact on
        total = sum(
            weights[i, j, rows[..., i], rows[..., j]] for i in range(7) for j in range(7) if i != j
        )
        return 1 / (1 + np.exp(-total / 5))

    oracle = sa.Oracle(group, seed=1)
    h = oracle.draw(10_000).elements
    means = v(group.compose(S.elements[None], h[:, None])).mean(axis=1)
    assert np.array_equal(means[0], v(S.translate(sa.Oracle(group, seed=1)).elements).mean())
    limit = math.sqrt(math.log(2 / 2e-10) / (2 * 10_000))
    assert abs(means.mean() - v(group.all_elements()).mean()) < limit
    assert means.std() > 0.001


def products(group):
    everything = group.all_elements()
    table = group.compose(everything[:, None], everything[None])
    return group.rank(table.reshape(-1, group.width)).reshape(group.order, group.order)


def test_the_mean_square_error_of_translates_is_predicted_by_the_spectrum_on_s5():
    """sum_pi var_pi(v) ||pi(S)||_F^2 / d_pi over all k, h; over right translates ||D_S v||^2."""
    group = sa.symmetric(5)
    table, everything = products(group), group.all_elements()
    inverse = group.rank(group.inverse(everything))
    v = np.random.default_rng(2).normal(size=group.order)
    for S in (sa.design(group, degree=1), sa.design(group, degree=2), sa.Oracle(group).draw(9)):
        ranks = group.rank(S.elements)
        errors = np.array(
            [v[table[table[k][ranks]]].mean(axis=0) - v.mean() for k in range(group.order)]
        )  # (k, h)
        predicted = 0.0
        for irrep in list(group.irreps())[1:]:
            d = irrep.dimension
            character = np.trace(irrep.matrices(everything), axis1=1, axis2=2).real
            part = d / group.order * character[table[:, inverse]] @ v  # the isotypic part of v
            mean = irrep.matrices(S.elements).mean(axis=0)
            predicted += (part**2).mean() * (abs(mean) ** 2).sum() / d
        assert (errors**2).mean() == pytest.approx(predicted, abs=1e-12)
        bound = sa.deviation(S).value ** 2 * v.var()
        assert (errors[0] ** 2).mean() <= bound * (1 + 1e-12)


def test_a_translate_of_a_design_stays_exact_and_keeps_its_name(tmp_path):
    group = sa.symmetric(7)
    S = sa.design(group, degree=2)
    oracle = sa.Oracle(group, seed=5)
    T = S.translate(oracle, side="both")
    assert oracle.calls == T.calls == 2
    assert (T.origin.kind, T.origin.design, T.origin.side) == ("translate", "AGL(1,7)", "both")
    assert T.origin.parents == (S.sha256,)
    assert T.origin.draws == ((5, 0, 2),)
    assert not T.origin.is_uniform
    assert sa.deviation(T, degree=2).value < 1e-12
    T.save(tmp_path / "T.safetensors")
    again = sa.GroupSample.load(tmp_path / "T.safetensors")
    assert again == T
    assert again.origin == T.origin


def test_translates_are_refused_where_they_would_not_be_unbiased():
    group = sa.symmetric(5)
    S = sa.design(group, degree=1)
    with pytest.raises(ArgumentError, match="not an Oracle of S5"):
        S.translate(sa.Oracle(sa.symmetric(6)))
    with pytest.raises(ArgumentError, match="oracle="):
        S.translate(None)
    with pytest.raises(ArgumentError, match="side='up'"):
        S.translate(sa.Oracle(group), side="up")
    drawn = sa.Oracle(group, seed=0).draw(4)
    with pytest.raises(ArgumentError, match="repeats draws of S"):
        drawn.translate(sa.Oracle(group, seed=0))
    oracle = sa.Oracle(group, seed=0, budget=1)
    with pytest.raises(OracleBudgetError):
        S.translate(oracle, side="both")
    assert S.translate(oracle).calls == oracle.calls == 1


def test_words_keep_the_calls_behind_them_when_translated():
    group = sa.symmetric(5)
    oracle = sa.Oracle(group, seed=0)
    words = oracle.draw(8).words(length=2, size=16)
    T = words.translate(oracle)
    assert (T.calls, T.calls_behind) == (1, 9)
