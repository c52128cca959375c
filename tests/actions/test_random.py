"""Random pipelines and random affine maps: one row is one map, in every process and library."""

import pickle
import random

import numpy as np
import pytest
from scipy.ndimage import affine_transform

import sparseaug as sa
from sparseaug.errors import ArgumentError

torch = pytest.importorskip("torch")


def mess(x, rng):
    """Draws from every generator there is."""
    noise = rng.normal() + random.random() + np.random.rand()  # noqa: S311, NPY002
    return x * (noise + torch.rand(()).item())


def test_a_row_is_one_map_and_global_generators_are_put_back():
    act = sa.random_transform(mess)
    S = sa.Oracle(act.distribution, seed=0).draw(5)
    before = random.getstate(), np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002
    copies = act(S, np.ones((3, 4)))
    assert random.getstate() == before[0]
    assert (np.random.get_state()[1] == before[1]).all()  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), before[2])
    assert (copies == copies[:, :1, :1]).all()
    assert len(np.unique(copies)) == 5
    np.testing.assert_array_equal(copies, pickle.loads(pickle.dumps(act))(S, np.ones((3, 4))))


def test_the_function_may_write_and_change_the_shape_but_not_differ_in_it():
    def crop(x, rng):
        x += 1
        start = rng.integers(3)
        return x[start : start + 4]

    act, x = sa.random_transform(crop), np.arange(12.0).reshape(2, 6)
    S = sa.Oracle(act.distribution).draw(8)
    assert act(S, x).shape == (8, 2, 4)
    assert x[0, 0] == 0
    ragged = sa.random_transform(lambda x, rng: x[rng.integers(3) :])
    with pytest.raises(ArgumentError, match="return one shape"):
        ragged(sa.Oracle(ragged.distribution).draw(8), x)
    other = sa.random_transform(lambda x, rng: x.tolist())
    with pytest.raises(ArgumentError, match="function returned a list"):
        other(sa.Oracle(other.distribution).draw(1), x)


def test_a_batch_function_must_move_each_sample_by_the_same_map():
    shift = sa.random_transform(lambda x, rng: x + rng.normal(), batch=True)
    S = sa.Oracle(shift.distribution).draw(3)
    alone = sa.random_transform(lambda x, rng: x + rng.normal(), name=shift.pipeline)
    x = np.random.default_rng(0).random((5, 4))
    np.testing.assert_array_equal(shift(S, x), alone(S, x))
    noise = sa.random_transform(lambda x, rng: x + rng.normal(size=x.shape), batch=True)
    with pytest.raises(ArgumentError, match="otherwise than alone"):
        noise(sa.Oracle(noise.distribution).draw(1), x)


def test_dicts_and_tuples_go_through_the_function_as_a_whole():
    def move(sample, rng):
        k = int(rng.integers(4))
        return {"image": np.roll(sample["image"], k, -1), "mask": np.roll(sample["mask"], k, -1)}

    act, x = sa.random_transform(move), np.random.default_rng(0).random((3, 8))
    moved = act(sa.Oracle(act.distribution).draw(4), {"image": x, "mask": x > 0.5})
    np.testing.assert_array_equal(moved["mask"], moved["image"] > 0.5)
    pair = sa.random_transform(lambda x, rng: (x[0] + rng.normal(), x[1]))
    S = sa.Oracle(pair.distribution).draw(2)
    first, second = sa.augment(pair, S, (x, x))
    assert first.shape == (6, 8)
    assert (second[3:] == x).all()


def test_affine_maps_equal_those_of_scipy():
    rng = np.random.default_rng(0)
    x = rng.random((1, 9, 11))
    act = sa.random_affine(degrees=40, translate=0.2, scale=(0.7, 1.3), shear=15)
    rows = act.distribution.sample(6, rng)
    moved = act(rows, x)
    for row, image in zip(rows, moved[:, 0], strict=True):
        turn, skew = np.deg2rad(row[0]), np.tan(np.deg2rad(row[4]))
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        A = rotation @ np.array([[1, skew], [0, 1]]) * row[3]  # on (x, y), y downwards
        back = np.linalg.inv(A)[::-1, ::-1]  # on (row, column)
        centre, shift = np.array([4.0, 5.0]), row[[2, 1]] * (9, 11)
        padded = np.pad(x[0], 3)
        offset = centre - back @ (centre + shift) + 3
        wanted = affine_transform(padded, back, offset, output_shape=(9, 11), order=1)
        np.testing.assert_allclose(image, wanted, atol=1e-9)


def test_affine_and_color_agree_between_libraries_and_have_gradients():
    act = sa.product_action(sa.random_color(0.3, 0.3, 0.3), sa.random_affine(degrees=20, shear=5))
    S = sa.Oracle(act.distribution).draw(4)
    x = torch.rand(2, 3, 8, 8, dtype=torch.float64, requires_grad=True)
    moved = act(S, x)
    np.testing.assert_allclose(moved.detach().numpy(), act(S, x.detach().numpy()), atol=1e-12)
    moved.sum().backward()
    assert x.grad.abs().sum() > 0
    with pytest.raises(ArgumentError, match="floats"):
        sa.random_affine(degrees=5)([[0.0, 0, 0, 1, 0]], np.zeros((1, 4, 4), np.uint8))
    with pytest.raises(ArgumentError, match="3 or 1"):
        sa.random_color(0.1)([[1.0, 1, 1]], np.zeros((1, 2, 4, 4)))


def test_color_is_that_of_its_definition():
    x = np.random.default_rng(0).random((1, 3, 4, 4))
    moved = sa.random_color(0.5, 0.5, 0.5, clip=False)([[1.2, 0.6, 1.5]], x)[0, 0]
    grey = lambda y: np.tensordot([0.299, 0.587, 0.114], y, 1)  # noqa: E731
    y = 1.2 * x[0]
    y = 0.6 * y + 0.4 * grey(y).mean()
    np.testing.assert_allclose(moved, 1.5 * y - 0.5 * grey(y), atol=1e-12)
    assert sa.random_color(0.5)([[1.5, 1.0, 1.0]], x).max() <= 1


def test_a_chain_moves_by_the_second_first_whatever_the_shapes():
    grow = sa.random_transform(lambda x, rng: np.concatenate([x, x], -1))
    act = sa.product_action(sa.random_affine(translate=(0.25, 0.25)), grow)
    S = sa.Oracle(act.distribution).draw(2)
    assert act(S, np.ones((3, 4, 4))).shape == (2, 3, 4, 8)
    flips = sa.product_action(sa.flip(), sa.random_transform(lambda x, rng: x))
    rows = np.array([[1, 7]])
    np.testing.assert_array_equal(flips(rows, np.array([[1.0, 2.0]]))[0], [[2.0, 1.0]])
