"""The group that a source shows, where it is not known in advance."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.stats import binom

import sparseaug as sa
from sparseaug.errors import ArgumentError

HIDDEN = {
    "D6": sa.permutation_group(sa.dihedral(6).permutations(sa.dihedral(6).generators()).tolist()),
    "M11": sa.groups.mathieu(11),
    "A5": sa.alternating(5),
    "S7": sa.symmetric(7),
    "trivial": sa.permutation_group([[0, 1, 2]]),
}


def oracle_of(hidden: sa.groups.Group, seed: int = 0) -> sa.Oracle:
    return sa.Oracle(
        sa.symmetric(hidden.width), seed=seed, source=lambda rng: hidden.sample(1, rng)[0]
    )


@pytest.mark.parametrize("name", HIDDEN)
def test_enough_uniform_draws_show_the_whole_group(name):
    """40 draws miss it with probability below P(Binomial(40, 1/2) < 12) = 0.4 %; the seed is fixed."""
    hidden = HIDDEN[name]
    oracle = oracle_of(hidden)
    S = oracle.draw(40)
    found = oracle.discovered_group()
    assert found.order == hidden.order
    assert hidden.contains(found.generators()).all()
    assert len(found.generators()) <= max(1, math.log2(hidden.order))
    assert oracle.calls == 40
    assert sa.GroupSample(found, S.elements).m == 40


def test_it_grows_with_the_draws_and_never_beyond_the_group():
    hidden = sa.groups.mathieu(11)
    oracle = oracle_of(hidden)
    orders = [oracle.discovered_group().order]
    for _ in range(6):
        oracle.draw(1)
        orders.append(oracle.discovered_group().order)
    assert orders[0] == 1
    assert all(after % before == 0 for before, after in itertools.pairwise(orders))
    assert hidden.order % orders[-1] == 0


def generated(table: np.ndarray, chosen: tuple[int, ...]) -> int:
    """How many elements are products of these, by their ranks."""
    found = {0}
    while True:
        more = found | {int(table[a, b]) for a in found for b in chosen}
        if more == found:
            return len(found)
        found = more


@pytest.mark.parametrize("name", ["S3", "D4", "C6", "Z2^3"])
def test_the_stated_probability_of_a_group_that_is_too_small_is_an_upper_bound(name):
    """All tuples of draws are enumerated."""
    group = sa.group(name)
    every = group.all_elements()
    products = group.compose(every[:, None], every[None]).reshape(-1, group.width)
    table = group.rank(products).reshape(group.order, group.order)
    for m in (1, 2, 3, 4):
        tuples = itertools.product(range(group.order), repeat=m)
        missed = sum(generated(table, one) < group.order for one in tuples) / group.order**m
        assert missed <= binom.cdf(math.floor(math.log2(group.order)) - 1, m, 0.5)
    assert binom.cdf(5, 12, 0.5) == pytest.approx(0.387, abs=1e-3)  # as the page says, |G| = 120
    assert binom.cdf(5, 30, 0.5) == pytest.approx(0.00016, abs=1e-5)


def test_rows_that_were_found_but_not_yet_handed_out_count():
    rows = iter([[1, 0, 2], [0, 2, 1], [9, 9, 9]])
    oracle = sa.Oracle(sa.symmetric(3), source=lambda rng: next(rows))
    with pytest.raises(sa.errors.ElementError):
        oracle.draw(3)
    assert oracle.discovered_group().order == 6


def test_other_groups_of_permutations_are_read_as_permutations():
    oracle = sa.Oracle(sa.dihedral(5), source=lambda rng: [int(rng.integers(5)), 0])
    oracle.draw(6)
    found = oracle.discovered_group()
    assert (found.order, found.width) == (5, 5)


def test_a_copy_goes_its_own_way():
    rows = [[1, 0, 2], [0, 2, 1]]
    oracle = sa.Oracle(sa.symmetric(3), source=_Listed(rows))
    oracle.draw(1)
    copy = pickle.loads(pickle.dumps(oracle))
    oracle.draw(1)
    assert (oracle.discovered_group().order, copy.discovered_group().order) == (6, 2)


class _Listed:
    def __init__(self, rows):
        self.rows = list(rows)

    def __call__(self, rng):
        return self.rows.pop(0)


def test_without_a_source_or_points_it_is_refused():
    with pytest.raises(ArgumentError, match="no source"):
        sa.Oracle(sa.symmetric(3)).discovered_group()
    flips = sa.Oracle(sa.groups.cube_rotations(), source=lambda rng: np.array([0]))
    with pytest.raises(ArgumentError, match="does not permute points"):
        flips.discovered_group()
