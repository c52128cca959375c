"""Random pipelines in PyTorch: loaders with workers, modules, averages, audits."""

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import NotAGroupError, UnsupportedError

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from sparseaug import nn as sann  # noqa: E402


def shake(x, rng):
    """Of torch's global generator, NumPy's global one and the row's own."""
    shift = int(rng.integers(4)) + int(np.random.randint(2))  # noqa: NPY002
    return torch.roll(x, shift, -1) + 0.1 * torch.randn(x.shape)


X, Y = torch.linspace(0, 1, 60).reshape(10, 6), torch.arange(10)
ACT = sa.random_transform(shake)
S = sa.Oracle(ACT.distribution, seed=0).draw(4)
COPIES = ACT(S, X).flatten(0, 1)


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_loaders_with_workers_give_the_copies_of_this_process(context):
    data = sann.OneShotDataset(TensorDataset(X, Y), ACT, S)
    loader = DataLoader(data, batch_size=7, num_workers=2, multiprocessing_context=context)
    found = [torch.cat(part) for part in zip(*loader, strict=True)]
    assert torch.equal(found[0], COPIES)
    assert torch.equal(found[1], Y.repeat(4))


def test_batches_averages_and_their_state_dicts():
    orbit, model = sann.OrbitBatch(ACT, S), torch.nn.Linear(6, 2)
    assert torch.equal(orbit(X), COPIES)
    other = sann.OrbitBatch(ACT, sa.Oracle(ACT.distribution, seed=9).draw(4))
    other.load_state_dict(orbit.state_dict())
    assert other.sample == S
    assert torch.equal(other(X), COPIES)
    average = sann.OrbitAverage(model, ACT, S)
    wanted = model(COPIES).reshape(4, 10, 2).mean(0)
    torch.testing.assert_close(average(X), wanted)
    with pytest.raises(NotAGroupError):
        sann.OrbitAverage(model, ACT, S, output_action=ACT)


def test_a_network_descends_and_is_audited_by_fresh_draws():
    data = X, X.sum(1, keepdim=True)
    module, loss = torch.nn.Linear(6, 1), torch.nn.MSELoss()
    risk = sann.ModuleRisk(module, loss, data, ACT, S)
    run = sa.descend(risk, risk.theta, step_size=0.05, num_steps=20)
    assert risk.value(run.best) < risk.value(risk.theta)
    fresh = sa.Oracle(ACT.distribution, seed=5)
    found = sann.audit(risk, run.best, fresh, calls=64, largest=50.0)
    assert fresh.calls == 64
    assert 0 < found.bound < 50
    with pytest.raises(UnsupportedError, match="largest="):
        sa.certify(run, oracle=sa.Oracle(ACT.distribution, seed=6), kinds=["audited"])
