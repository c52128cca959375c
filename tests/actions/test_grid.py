"""Reversed axes, and vectors that turn with the images they belong to."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError

GROUPS = {"D4": sa.dihedral(4), "C4": sa.cyclic(4), "Grid6": sa.grid_symmetries(6)}


def image_action(group: sa.groups.Group) -> sa.actions.Action:
    return sa.move_grid(group) if group.width == 4 else sa.rotate_grid(group)


def periodic_gradient(images: np.ndarray) -> np.ndarray:
    """Differences along rows and columns, (n, 2, rows, columns)."""
    steps = [np.roll(images, -1, axis) - np.roll(images, 1, axis) for axis in (1, 2)]
    return np.stack(steps, axis=1)


FRAMES = {  # made of differences (down, right), by hand
    "down-right": lambda down, right: (down, right),
    "right-down": lambda down, right: (right, down),
    "right-up": lambda down, right: (right, -down),
}


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("components", FRAMES)
def test_the_gradient_of_a_moved_image_is_the_moved_gradient(name, components, rng):
    group = GROUPS[name]
    images = rng.integers(-99, 99, (3, 6, 6)).astype(float)

    def field(x):
        down, right = np.moveaxis(periodic_gradient(x), 1, 0)
        return np.stack(FRAMES[components](down, right), axis=1)

    S = sa.GroupSample.full(group)
    x, y = sa.augment(
        image_action(group),
        S,
        images,
        field(images),
        y_action=sa.rotate(group, 1, components=components, grid=(-2, -1)),
    )
    assert np.array_equal(field(x), y)


@pytest.mark.parametrize("components", FRAMES)
def test_one_vector_for_each_image_turns_as_the_mean_of_its_field_does(components, rng):
    group = sa.grid_symmetries(5)
    vectors = rng.integers(-99, 99, (4, 2, 5, 5)).astype(float)
    a = group.sample(40, rng)
    field = sa.rotate(group, 1, components=components, grid=(-2, -1))
    one = sa.rotate(group, components=components)
    assert np.array_equal(field(a, vectors).sum(axis=(3, 4)), one(a, vectors.sum(axis=(2, 3))))


def test_a_quarter_turn_takes_right_to_up_and_the_flip_to_left():
    images = np.zeros((1, 3, 3))
    images[0, 1, 2] = 1  # right of the middle
    for row in (sa.dihedral(4).all_elements())[:, None]:
        moved = sa.rotate_grid(sa.dihedral(4))(row, images)[0, 0]
        i, j = np.argwhere(moved)[0] - 1
        for components, frame in FRAMES.items():
            start = np.array([frame(0.0, 1.0)])
            turned = sa.rotate(sa.dihedral(4), components=components)(row, start)[0, 0]
            assert turned.tolist() == list(frame(i, j))


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


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: sa.rotate(sa.dihedral(5)), "D5 does not rotate vectors"),
        (lambda: sa.rotate(sa.dihedral(4), components="xy"), "components='xy'"),
        (lambda: sa.rotate(sa.dihedral(4), grid=(1,)), "grid="),
        (lambda: sa.rotate(sa.dihedral(4), rank=2), "rank=2"),
        (lambda: sa.rotate(sa.rotations(2), grid=(1, 2)), "SO2"),
        (lambda: sa.rotate(sa.dihedral(4))([[0, 0]], np.ones((2, 3))), "components"),
        (
            lambda: sa.rotate(sa.dihedral(4), grid=(-2, -1))([[0, 0]], np.ones((2, 2, 2))),
            "name one axis",
        ),
    ],
)
def test_what_does_not_fit_is_named(make, reason):
    with pytest.raises(ArgumentError) as error:
        make()
    assert reason in str(error.value)
