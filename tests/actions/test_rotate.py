"""Rotations of coordinates, vectors and tensors, in NumPy and torch, alone and together."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.testing import check_action
from tests.extras import optional

torch = optional("torch")

SPACE, ALL = sa.rotations(3), sa.orthogonal(3)
CASES = {
    "coordinates": (sa.rotate(SPACE), (2, 5, 3)),
    "axis 1": (sa.rotate(SPACE, 1), (2, 3, 4)),
    "one vector, reflections too": (sa.rotate(ALL), (4, 3)),
    "the plane": (sa.rotate(sa.orthogonal(2)), (3, 2)),
    "tensors": (sa.rotate(ALL, rank=2), (2, 3, 3)),
    "tensors in the middle": (sa.rotate(SPACE, 2, rank=2), (2, 3, 3, 4)),
    "relabelled atoms": (
        sa.product_action(sa.permute_axis(sa.symmetric(4), 1), sa.rotate(SPACE)),
        (2, 4, 3),
    ),
}


@pytest.fixture(params=list(CASES))
def turning(request):
    action, shape = CASES[request.param]
    return action, np.random.default_rng(1).standard_normal(shape)


def test_rotations_are_a_left_action(turning):
    check_action(*turning)


def test_every_axis_is_multiplied_by_the_matrix(rng):
    S = SPACE.sample(6, rng)
    R = SPACE.matrices(S)
    x, T = rng.standard_normal((2, 5, 3)), rng.standard_normal((2, 3, 3))
    assert np.allclose(sa.rotate(SPACE)(S, x), np.einsum("kij,naj->knai", R, x), atol=1e-14)
    moved = sa.rotate(SPACE, 1)(S, x.swapaxes(1, 2))
    assert np.allclose(moved, np.einsum("kij,naj->knia", R, x), atol=1e-14)
    expected = np.einsum("kij,njl,kml->knim", R, T, R)
    assert np.allclose(sa.rotate(SPACE, rank=2)(S, T), expected, atol=1e-13)


def test_a_quadratic_form_moves_along_with_its_vectors(rng):
    x = {
        "positions": rng.standard_normal((2, 4, 3)),
        "forces": rng.standard_normal((2, 4, 3)),
        "stress": rng.standard_normal((2, 3, 3)),
    }
    vector = sa.rotate(ALL)
    act = sa.together(positions=vector, forces=vector, stress=sa.rotate(ALL, rank=2))
    moved = act(ALL.sample(7, rng), x)
    work = np.einsum("nai,nai->n", x["positions"], x["forces"])
    energy = np.einsum("nai,nij,naj->n", x["positions"], x["stress"], x["positions"])
    for k in range(7):
        part = {name: array[k] for name, array in moved.items()}
        assert np.allclose(np.einsum("nai,nai->n", part["positions"], part["forces"]), work)
        turned = np.einsum("nai,nij,naj->n", part["positions"], part["stress"], part["positions"])
        assert np.allclose(turned, energy)


def test_torch_agrees_and_is_differentiable(turning, rng):
    action, x = turning
    rows = action.group.sample(3, rng)
    tensor = torch.tensor(x, requires_grad=True)
    assert np.allclose(action(rows, tensor).detach().numpy(), action(rows, x), atol=1e-13)
    assert torch.autograd.gradcheck(lambda t: action(rows, t), (tensor,))
    single = action(rows, torch.tensor(x, dtype=torch.float32))
    assert single.dtype == torch.float32
    assert np.allclose(single.numpy(), action(rows, x), atol=1e-5)


def test_forces_of_a_rotated_energy_are_rotated_forces_by_gradcheck(rng):
    """E(R x) with gradient R^T F(R x): what training on forces relies on, second derivatives too."""
    rows = SPACE.sample(2, rng)
    act = sa.rotate(SPACE)
    weights = torch.tensor(rng.standard_normal((3, 4)))

    def energy(x):
        return torch.tanh(act(rows, x) @ weights).sum(dim=(-1, -2, -3))

    x = torch.tensor(rng.standard_normal((1, 3, 3)), requires_grad=True)
    assert torch.autograd.gradcheck(energy, (x,))
    assert torch.autograd.gradgradcheck(energy, (x,))
