"""Reversed axes, and which groups rotate vectors."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError


@pytest.mark.parametrize("size", [1, 4, 5])
def test_flip_is_that_of_numpy_on_an_axis_of_any_length(size, rng):
    x = rng.normal(size=(3, size, 2))
    for axis in (1, 2, -1, -2):
        moved = sa.flip(axis)([[0], [1]], x)
        assert np.array_equal(moved, np.stack([x, np.flip(x, axis)]))


def test_two_flips_make_a_product():
    x = np.arange(6.0).reshape(1, 2, 3)
    both = sa.product_action(sa.flip(-1), sa.flip(-2))
    assert both.group.order == 4
    assert np.array_equal(both([[1, 1]], x)[0], x[:, ::-1, ::-1])


def test_a_flip_and_the_sign_of_a_component_move_together(rng):
    """The two-element group of a flip is that of one sign, so that targets may change sign with it."""
    mirror = sa.flip(-1)
    x, y = rng.normal(size=(4, 5)), rng.normal(size=(4, 1))
    S = sa.GroupSample(mirror.group, [[1]])
    moved, target = sa.augment(mirror, S, x, y, y_action=sa.flip_signs(sa.sign_flips(1)))
    assert np.array_equal(moved, x[:, ::-1])
    assert np.array_equal(target, -y)


def test_a_group_without_rotations_does_not_rotate_vectors():
    with pytest.raises(ArgumentError, match="D5 does not rotate vectors"):
        sa.rotate(sa.dihedral(5))
