"""Rotations in PyTorch: data sets, orbits, averages, states, invariance."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from tests.extras import optional

torch = optional("torch")
sann = optional("sparseaug.nn")

SPACE = sa.rotations(3)
ACT = sa.rotate(SPACE)
S = sa.Oracle(SPACE, seed=0).draw(6)


def points(n=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn((n, 5, 3), generator=generator)


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(15, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)
    )


def test_a_data_set_holds_every_rotated_copy():
    x, y = points(), torch.arange(4.0)
    data = sann.OneShotDataset(torch.utils.data.TensorDataset(x, y), ACT, S)
    moved = ACT(S, x)
    assert len(data) == 24
    for item in range(24):
        copy, target = data[item]
        candidates = moved[:, int(target)]
        assert (candidates - copy).abs().amax(dim=(1, 2)).min() < 1e-6


def test_streaming_rotates_by_fresh_elements_that_are_counted():
    oracle = sa.Oracle(SPACE, seed=1)
    data = sann.StreamingDataset(
        torch.utils.data.TensorDataset(points(), torch.zeros(4)), ACT, oracle
    )
    first = [data[i][0] for i in range(4)]
    for x, copy in zip(points(), first, strict=True):
        assert torch.allclose(x @ x.T, copy @ copy.T, atol=1e-5)  # a rotation of the same points
        assert not torch.allclose(x, copy, atol=1e-3)


def test_a_module_keeps_the_bits_of_its_rows_in_every_precision(tmp_path):
    orbit = sann.OrbitBatch(ACT, S, sample_shape=(5, 3))
    for change in (orbit.half, orbit.float, orbit.double):
        change()
        assert orbit.sample == S
        assert orbit.sample.elements.tobytes() == S.elements.tobytes()
    x = points(2).double()
    assert np.allclose(orbit(x).reshape(6, 2, 5, 3).numpy(), ACT(S, x.numpy()), atol=1e-14)
    other = sann.OrbitBatch(ACT, sa.Oracle(SPACE, seed=9).draw(3), sample_shape=(5, 3))
    other.load_state_dict(orbit.state_dict())
    assert other.sample == S
    assert other.sample.origin == S.origin


def test_an_average_over_a_design_is_nearly_invariant_and_over_draws_it_is_not():
    model, x = network(), points(8)
    turned = ACT(sa.Oracle(SPACE, seed=5).draw(16), x)

    def spread(S):
        average = sann.OrbitAverage(model, ACT, S)
        with torch.no_grad():
            values = torch.stack([average(y) for y in turned])
        return float(values.std(dim=0).mean())

    design = sa.design(SPACE, degree=5)
    draws = sa.Oracle(SPACE, seed=3).draw(60)
    assert spread(design) < 0.1 * spread(draws)


def test_invariance_errors_are_measured_on_draws():
    found = sa.invariance_error(lambda x: (x**2).sum(axis=(1, 2)), ACT, SPACE, np.ones((2, 5, 3)))
    assert found.max < 1e-12
    uneven = sa.invariance_error(lambda x: x[:, 0, 0], ACT, SPACE, np.ones((2, 5, 3)), calls=64)
    assert uneven.mean > 0.1


def test_a_risk_over_rotations_has_the_gradient_of_its_mean():
    model = network().double()
    x, y = points(3).double(), torch.zeros((3, 1), dtype=torch.float64)
    loss = torch.nn.functional.mse_loss
    risk = sann.ModuleRisk(model, loss, (x, y), ACT, S)
    copies = torch.cat(list(ACT(S, x)))
    direct = loss(model(copies), y.repeat(6, 1))
    value, gradient = risk.value_and_gradient(risk.theta)
    assert float(value) == pytest.approx(float(direct.detach()), rel=1e-10)
    direct.backward()
    expected = torch.cat([p.grad.ravel() for p in model.parameters()])
    assert torch.allclose(gradient, expected, atol=1e-10)
