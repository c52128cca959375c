"""Every action on JAX arrays: the numbers of NumPy, under jit, grad and vmap over the data.

`test_jax.py` runs these in a process of their own: JAX starts threads, and where it is imported no
other test may fork workers for a data loader. So it is imported by fixtures only.
"""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.actions.custom import CustomAction
from sparseaug.errors import ArgumentError, ElementError

K = 4


@pytest.fixture(scope="session")
def jax() -> ModuleType:
    return importlib.import_module("jax")


@pytest.fixture(scope="session")
def jnp(jax: ModuleType) -> ModuleType:
    return jax.numpy


def swap(elements, x):
    return x[:, np.argsort(elements, axis=1)].swapaxes(0, 1)


DATA = np.arange(30.0).reshape(2, 3, 5) - 7
SOME = {
    "entries": (sa.permute_axis(sa.symmetric(5)), DATA),
    "signs": (sa.signed_permute(sa.hyperoctahedral(3), axis=1), DATA),
    "function": (sa.custom_action(sa.symmetric(3), swap), DATA[..., 0]),
}


def test_every_action_under_jit_grad_and_vmap(moving, rng, jax, jnp):
    """In one program, as each takes a while to compile. Whole numbers: exact in float32.

    The actions of the suite are orthogonal: the derivative of <w, g x> by x is g^-1 w.
    """
    action, x = moving
    a = action.group.sample(K, rng)
    w = rng.integers(-9, 9, (K, *x.shape)).astype(np.float32)
    batches = np.stack([x, x + 1, 2 * x])
    each = np.stack([x + j for j in range(K)])
    prepared = action.prepare(a, x.shape)

    @jax.jit
    def program(data, batches, each):
        moved = action(a, data)
        slope = jax.grad(lambda data: (w * action(a, data)).sum())(data)
        by_batch = jax.vmap(lambda data: action(a, data))(batches)
        return moved, slope, by_batch, action.apply(prepared, each)

    found = program(*map(jnp.asarray, (x, batches, each)))
    moved, slope, by_batch, of_its_own = map(np.asarray, found)
    assert np.array_equal(moved, action(a, x))
    back = action.group.inverse(a)
    assert np.array_equal(slope, sum(action(back[j : j + 1], w[j])[0] for j in range(K)))
    for batch, one in zip(batches, by_batch, strict=True):
        assert np.array_equal(one, action(a, batch))
    assert np.array_equal(of_its_own, action.apply(prepared, each))


@pytest.mark.parametrize("name", SOME)
def test_jax_arrays_come_back_as_jax_arrays_of_their_dtype(name, rng, jax, jnp):
    action, x = SOME[name]
    a = action.group.sample(K, rng)
    for dtype in (jnp.float32, jnp.bfloat16):
        moved = action(a, jnp.asarray(x, dtype))
        assert isinstance(moved, jax.Array)
        assert moved.dtype == dtype
        assert np.array_equal(np.asarray(moved, np.float64), action(a, x))


def test_pairs_of_adjacency_and_features_move_under_jit(rng, jax, jnp):
    action = sa.permute_nodes(sa.symmetric(5))
    a = action.group.sample(K, rng)
    graphs = rng.integers(0, 9, (3, 5, 5)), rng.integers(0, 9, (3, 5, 2))
    moved = jax.jit(lambda pair: action(a, pair))(tuple(map(jnp.asarray, graphs)))
    for found, wanted in zip(moved, action(a, graphs), strict=True):
        assert isinstance(found, jax.Array)
        assert np.array_equal(np.asarray(found), wanted)


def test_whole_numbers_stay_whole(rng, jnp):
    for action, shape in (
        (sa.permute_axis(sa.symmetric(4)), (2, 4)),
        (sa.move_grid(sa.grid_symmetries(3)), (2, 3, 3)),
        (sa.move_grid(sa.grid_symmetries(3), vectors=1), (2, 2, 3, 3)),
        (sa.signed_permute(sa.hyperoctahedral(4)), (2, 4)),
    ):
        x = jnp.asarray(rng.integers(-9, 9, shape), jnp.int32)
        assert action(action.group.sample(3, rng), x).dtype == jnp.int32


def test_copies_of_jax_data_are_jax_data(rng, jax, jnp):
    S = sa.Oracle(sa.symmetric(3), seed=0).draw(4)
    act = sa.permute_axis(S.group)
    x, y = rng.normal(size=(5, 3)).astype(np.float32), np.arange(5, dtype=np.int32)
    moved, targets = sa.augment(act, S, jnp.asarray(x), jnp.asarray(y))
    assert isinstance(moved, jax.Array)
    assert isinstance(targets, jax.Array)
    wanted = sa.augment(act, S, x, y)
    assert np.array_equal(np.asarray(moved), wanted[0])
    assert np.array_equal(np.asarray(targets), wanted[1])


def test_rows_may_be_jax_integers_but_not_traced_ones(rng, jax, jnp):
    action = sa.permute_axis(sa.symmetric(4))
    a, x = action.group.sample(3, rng), jnp.asarray(rng.normal(size=(2, 4)))
    assert np.array_equal(np.asarray(action(jnp.asarray(a), x)), np.asarray(action(a, x)))
    with pytest.raises(ElementError, match="elements is traced"):
        jax.jit(lambda rows: action(rows, x))(jnp.asarray(a))


def test_a_users_function_gets_numpy_rows_inside_a_product(rng, jax, jnp):
    kinds = []

    def reverse(elements, x):
        kinds.append(type(elements))
        return jnp.where(elements[:, :, None, None] == 1, x[..., ::-1], x)

    own = sa.custom_action(sa.cyclic(2), reverse)
    action = sa.product_action(sa.permute_axis(sa.symmetric(3), 1), own)
    a, x = action.group.sample(K, rng), jnp.asarray(rng.normal(size=(2, 3, 4)))
    moved = jax.jit(lambda data: action(a, data))(x)
    for j, row in enumerate(a):
        wanted = action.first(row[None, :3], own(row[None, 3:], x)[0])[0]
        assert np.array_equal(np.asarray(moved[j]), np.asarray(wanted))
    assert set(kinds) == {np.ndarray}
    assert isinstance(own, CustomAction)


def test_kernels_take_samples_that_are_jax_arrays(rng, jnp):
    k = sa.GaussianKernel(1.0)
    x = rng.normal(size=(4, 3)).astype(np.float32)
    assert np.array_equal(k(jnp.asarray(x), x), k(x, x))
    with pytest.raises(ArgumentError, match=r"^x is traced"):
        importlib.import_module("jax").jit(lambda data: k(data, x))(jnp.asarray(x))


def test_what_jax_holds_beyond_numbers_is_refused(jax):
    keys = jax.random.split(jax.random.key(0), (2, 3))
    with pytest.raises(ArgumentError, match=r"^x has shape"):
        sa.permute_axis(sa.symmetric(3))([[0, 1, 2]], keys)


def test_rotations_under_jit_grad_and_vmap(rng, jax, jnp):
    space = sa.rotations(3)
    x = rng.standard_normal((4, 5, 3)).astype(np.float32)
    for action, data in (
        (sa.rotate(space), x),
        (sa.rotate(space, rank=2), x[:, :3]),
        (sa.product_action(sa.permute_axis(sa.symmetric(5), 1), sa.rotate(space)), x),
    ):
        rows = action.group.sample(K, rng)

        @jax.jit
        def program(y, act=action, a=rows):
            return act(a, y), jax.grad(lambda z: (act(a, z) ** 2).sum())(y)

        moved, slope = program(jnp.asarray(data))
        assert isinstance(moved, jax.Array)
        assert np.allclose(np.asarray(moved), action(rows, data), atol=1e-5)
        assert np.allclose(np.asarray(slope), 2 * K * data, atol=1e-3)  # lengths do not change


def test_a_loss_in_jax_gives_the_gradients_of_numpy(jax):
    jnp = jax.numpy
    x = np.random.default_rng(0).uniform(-1, 1, (12, 3))
    y, theta = x.sum(1) ** 2, np.random.default_rng(1).normal(size=8)
    act = sa.permute_axis(sa.symmetric(3))
    model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
    S = sa.Oracle(act.group, seed=0).draw(5)

    def one(theta, point, target):
        phi = jnp.exp(-((point - x[:4]) ** 2).sum(axis=1) / 2)
        return (phi @ (theta[:4] * theta[4:]) - target) ** 2 / 2

    both = jax.jit(jax.vmap(jax.value_and_grad(one), (None, 0, 0)))
    risk = sa.custom_risk(lambda *given: both(*map(jnp.asarray, given)), (x, y), act, S)
    same = sa.custom_risk(model.losses, (x, y), act, S)
    assert np.allclose(risk.gradient(theta), same.gradient(theta), rtol=1e-4, atol=1e-5)
    run = sa.descend(risk, theta, step_size=0.05, num_steps=5)
    assert sa.certify(run)["exact"].truth > 0
