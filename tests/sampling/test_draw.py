"""All of a group, the identity in S, and draws without replacement."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, ElementError, LargeSampleWarning


def test_the_identity_comes_first_and_costs_nothing() -> None:
    plain = sa.Oracle(sa.symmetric(5), seed=3).draw(7)
    oracle = sa.Oracle(sa.symmetric(5), seed=3)
    S = oracle.draw(8, identity=True)
    assert S.elements[0].tolist() == [0, 1, 2, 3, 4]
    assert np.array_equal(S.elements[1:], plain.elements)
    assert S.calls == oracle.calls == 7
    assert not S.origin.is_uniform
    alone = sa.Oracle(sa.symmetric(5)).draw(1, identity=True)
    assert (alone.m, alone.calls, alone.origin.draws) == (1, 0, ())


@pytest.mark.parametrize("identity", [False, True])
@pytest.mark.parametrize("m", [1, 5, 8])
def test_without_replacement_elements_are_distinct_and_every_draw_is_a_call(m, identity) -> None:
    oracle = sa.Oracle(sa.dihedral(4), seed=m)
    S = oracle.draw(m, identity=identity, distinct=True)
    assert S.m == len(S.counts()[0]) == m
    assert oracle.calls == S.calls >= m - identity
    assert not S.origin.is_uniform
    # the draws that were used: the first occurrences of them are S, and the last one is needed
    drawn = sa.Oracle(sa.dihedral(4), seed=m).draw(max(1, S.calls)).elements[: S.calls]
    rows = [row.tolist() for row in np.concatenate([sa.dihedral(4).identity()[:identity], drawn])]
    first = [row for i, row in enumerate(rows) if row not in rows[:i]]
    assert S.elements.tolist() == first
    assert rows[-1] not in rows[:-1]


def test_each_set_of_distinct_elements_is_equally_likely() -> None:
    """2,400 pairs of six: chi-squared of 14 degrees stays below 36.1 with probability 0.999."""
    group = sa.cyclic(6)
    oracle = sa.Oracle(group, seed=0)
    pairs = [tuple(sorted(oracle.draw(2, distinct=True).elements[:, 0])) for _ in range(2400)]
    counts = np.unique(pairs, axis=0, return_counts=True)[1]
    assert len(counts) == 15
    assert ((counts - 160) ** 2 / 160).sum() < 36.1


def test_more_distinct_elements_than_there_are_is_refused_and_more_draws_are_warned_of() -> None:
    oracle = sa.Oracle(sa.dihedral(4))
    with pytest.raises(
        ArgumentError,
        match=r"m=9 distinct elements of D4.* GroupSample\.full",
    ):
        oracle.draw(9, distinct=True)
    with pytest.warns(LargeSampleWarning, match=r"m=9 draws of D4, which has 8 elements"):
        assert oracle.draw(9).m == 9


def test_a_source_is_asked_until_there_are_enough_distinct_elements() -> None:
    found = iter([[1], [1], [7], [2], [1], [3], [0]])
    oracle = sa.Oracle(sa.cyclic(4), source=lambda rng: next(found))
    with pytest.raises(ElementError):
        oracle.draw(3, distinct=True)  # [7] is not an element; the rows before it are kept
    S = oracle.draw(3, distinct=True)
    assert S.elements[:, 0].tolist() == [1, 2, 3]
    assert S.calls == oracle.calls == 6
    assert oracle.draw(2, identity=True).elements[:, 0].tolist() == [0, 0]


def test_a_sample_goes_through_json_with_its_seed_and_its_calls() -> None:
    S = sa.Oracle(sa.symmetric(5), seed=9).draw(6, identity=True)
    again = sa.GroupSample.from_dict(json.loads(json.dumps(S.to_dict())))
    assert again == S
    assert (again.calls, again.seed, again.origin) == (5, 9, S.origin)
    data = S.to_dict()
    data["elements"][0] = data["elements"][1]
    with pytest.raises(ArgumentError, match="sha256"):
        sa.GroupSample.from_dict(data)
    for bad in (None, {}, {"group": {}}, "S"):
        with pytest.raises(ArgumentError):
            sa.GroupSample.from_dict(bad)
