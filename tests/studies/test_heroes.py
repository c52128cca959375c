"""The three results of the first page: the rivals are what they are called, bounds are rounded down."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from studies.heroes.claims import at_least
from tests.extras import REASON


def test_a_bound_is_rounded_down():
    assert at_least(0.48849) == "48.8 %"
    assert at_least(0.5) == "50.0 %"


def test_principal_axes_are_exact_where_moments_differ_and_arbitrary_where_they_are_equal():
    pytest.importorskip("ase", reason=REASON.format("ase"))
    from studies.heroes.rotations import SPACE, frames

    turns = SPACE.matrices(SPACE.sample(8, np.random.default_rng(0)))
    any_ = np.random.default_rng(1).normal(size=(5, 3))
    any_ -= any_.mean(axis=0)
    methane = np.array([[0, 0, 0], [1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    for x, exact in ((any_, True), (methane, False)):
        four = np.stack([frames((x @ R.T)[None]) for R in turns])[:, :, 0]  # (turns, 4, atoms, 3)
        change = np.exp(four @ [1.0, 0.5, 0.2]).mean(axis=(1, 2)).std()
        assert (change < 1e-12) == exact
        lengths = np.linalg.norm(four, axis=3)
        assert np.allclose(lengths, np.linalg.norm(x, axis=1))


def test_distances_do_not_change_when_a_molecule_is_turned():
    pytest.importorskip("ase", reason=REASON.format("ase"))
    from studies.heroes.rotations import distances

    turn = sa.rotate(sa.rotations(3))
    x = np.random.default_rng(0).normal(size=(4, 6, 3))
    moved = turn(sa.Oracle(turn.group, seed=0).draw(3), x)
    assert np.allclose([distances(one) for one in moved], distances(x))
