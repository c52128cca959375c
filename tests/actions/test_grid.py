"""Reversed axes, and vectors that turn with the grid they are on."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa


@pytest.mark.parametrize("size", [1, 4, 5])
def test_flip_is_that_of_numpy_on_an_axis_of_any_length(size, rng):
    x = rng.normal(size=(3, size, 2))
    for axis in (1, 2, -1, -2):
        moved = sa.flip(axis)([[0], [1]], x)
        assert np.array_equal(moved, np.stack([x, np.flip(x, axis)]))


def test_a_flip_and_the_sign_of_a_component_move_together(rng):
    """The two-element group of a flip is that of one sign, so that targets may change sign with it."""
    mirror = sa.flip(-1)
    x, y = rng.normal(size=(4, 5)), rng.normal(size=(4, 1))
    S = sa.GroupSample(mirror.group, [[1]])
    moved, target = sa.augment(mirror, S, x, y, y_action=sa.flip_signs(sa.sign_flips(1)))
    assert np.array_equal(moved, x[:, ::-1])
    assert np.array_equal(target, -y)


def gradient(images):
    """Periodic differences along rows and columns, (n, 2, rows, columns)."""
    steps = [np.roll(images, -1, axis) - np.roll(images, 1, axis) for axis in (1, 2)]
    return np.stack(steps, axis=1)


@pytest.mark.parametrize(
    ("move", "group"),
    [
        (sa.rotate_grid, sa.dihedral(4)),
        (sa.rotate_grid, sa.cyclic(4)),
        (sa.move_grid, sa.grid_symmetries(6)),
    ],
)
def test_the_gradient_of_a_moved_image_is_the_moved_gradient(move, group, rng):
    images = rng.integers(-99, 99, (3, 6, 6)).astype(float)
    rows = group.all_elements()
    moved = move(group)(rows, images)
    expected = np.stack([gradient(copies) for copies in moved])
    assert np.array_equal(move(group, vectors=1)(rows, gradient(images)), expected)
    last = move(group, (1, 2), vectors=-1)(rows, np.moveaxis(gradient(images), 1, -1))
    assert np.array_equal(np.moveaxis(last, -1, 2), expected)
