"""R_n^S of a module: value and gradient against plain sums, the loop, optimisers, refusals."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.actions.custom import CustomAction
from sparseaug.descent import NonFiniteError
from sparseaug.errors import ArgumentError, FileFormatError
from sparseaug.nn.risk import module_risk, tiles
from tests.runs import Stopping

# sums of a few thousand terms of size one, in float64
ROUNDING = 1e-12
close = functools.partial(torch.testing.assert_close, rtol=ROUNDING, atol=ROUNDING)

ACT = sa.permute_axis(sa.symmetric(4))
X = torch.tensor(np.random.default_rng(0).normal(size=(7, 4)))
Y = X.square().sum(1, keepdim=True) + X[:, :1]


def network(inputs: int = 4, outputs: int = 1, seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(inputs, 5), nn.Tanh(), nn.Linear(5, outputs)).double()


def on_s(m: int = 5, seed: int = 0, **rest) -> sann.ModuleRisk:
    S = sa.Oracle(ACT.group, seed=seed).draw(m)
    return sann.ModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, S, **rest)


def streaming(seed: int = 5) -> sann.StreamingModuleRisk:
    oracle = sa.Oracle(ACT.group, seed=seed)
    return sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, oracle, batch=3)


def plain_gradient(risk: sann.ModuleRisk, copies: torch.Tensor, targets: torch.Tensor):
    """One forward-backward of ready-made copies by the module's own parameters."""
    value = risk.loss(risk.module(copies), targets).mean()
    parts = torch.autograd.grad(value, list(risk.module.parameters()))
    return value.detach(), torch.cat([part.reshape(-1) for part in parts])


def reorder(rows: np.ndarray, x: torch.Tensor) -> torch.Tensor:
    """A user's own action, by permutations of three entries."""
    return x[:, torch.tensor(np.argsort(rows, axis=1))].swapaxes(0, 1)


LOSSES = {
    "squares": (nn.MSELoss(), "real"),
    "squares of each sample": (nn.MSELoss(reduction="none"), "real"),
    "smooth L1": (functional.smooth_l1_loss, "real"),
    "cross entropy": (nn.CrossEntropyLoss(), "label"),
    "weighted cross entropy": (
        nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 5.0]).double(), reduction="none"),
        "label",
    ),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_value_and_gradient_are_those_of_the_materialised_copies(moving, loss):
    action, x = moving
    if isinstance(action, CustomAction):  # the suite's is written for NumPy
        action = sa.custom_action(action.group, reorder)
    x = torch.tensor(x) / 50
    function, kind = LOSSES[loss]
    y = torch.arange(len(x)) % 3 if kind == "label" else x.flatten(1).repeat(1, 2)[:, :3] ** 2
    model = nn.Sequential(nn.Flatten(), network(x[0].numel(), 3))
    S = sa.Oracle(action.group, seed=1).draw(5)
    risk = sann.ModuleRisk(model, function, (x, y), action, S, chunk_size=3)
    value, gradient = plain_gradient(risk, *sa.augment(action, S, x, y))
    assert abs(risk.value(risk.theta) - float(value)) <= ROUNDING * abs(float(value))
    close(risk.gradient(risk.theta), gradient)


def test_chunks_change_rounding_and_nothing_else(monkeypatch):
    whole = on_s()
    for chunk_size in (1, 3, 7, 8, 20, 1000):
        risk = on_s(chunk_size=chunk_size)
        close(risk.gradient(risk.theta), whole.gradient(whole.theta))
        monkeypatch.setattr(module_risk, "_KEPT", 0)  # the copies are made again each time
        again = on_s(chunk_size=chunk_size)
        assert torch.equal(risk.gradient(risk.theta), again.gradient(risk.theta))
        monkeypatch.undo()


@pytest.mark.parametrize("n", [1, 3, 10])
@pytest.mark.parametrize("m", [1, 4, 7])
def test_tiles_cover_every_copy_once_in_order_within_the_chunk(n, m):
    for num_ranks in (1, 2, 3, 5):
        for chunk_size in (1, 2, 3, 10, 25, 100):
            seen = []
            for rank in range(num_ranks):
                for tile in tiles.tiles(*tiles.share(n * m, rank, num_ranks), n, chunk_size):
                    assert 1 <= len(tile) <= chunk_size
                    js = range(tile.elements.start, tile.elements.stop)
                    some = range(tile.samples.start, tile.samples.stop)
                    seen += [j * n + i for j in js for i in some]
            assert seen == list(range(n * m))


@pytest.mark.parametrize(("dtype", "parts"), [(torch.float16, 3000), (torch.bfloat16, 1000)])
def test_many_chunks_add_up_in_half_precision(dtype, parts):
    """Parts of about 1 / parts: a sum in float16 would stop growing at 0.7, in bfloat16 at 1 / 4."""
    x, model = torch.rand(parts, 4, generator=torch.Generator().manual_seed(0)), nn.Linear(4, 1)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    data = (x.to(dtype), torch.ones(parts, 1, dtype=dtype))
    risk = sann.ModuleRisk(model.to(dtype), nn.MSELoss(), data, ACT, None, chunk_size=1)
    value, gradient = risk.value_and_gradient(risk.theta)
    expected = torch.cat([-2 * x.mean(0), torch.tensor([-2.0])])
    assert abs(float(value) - 1) <= 1e-3
    assert gradient.dtype == dtype
    torch.testing.assert_close(gradient.float(), expected, rtol=2e-2, atol=0)


def test_streaming_steps_follow_the_oracles_draws():
    draws, risk = sa.Oracle(ACT.group, seed=5), streaming()
    for step in range(3):
        expected = on_s().on(draws.draw(3)).gradient(risk.theta)
        assert torch.equal(risk.at_step(step).gradient(risk.theta), expected)


def test_fit_with_plain_sgd_takes_the_steps_of_descend():
    risk = on_s()
    run = sa.descend(risk, risk.theta, step_size=0.05, num_steps=10)
    trace = risk.fit(torch.optim.SGD(risk.module.parameters(), lr=0.05), num_steps=10)
    close(risk.theta, run.last)
    assert trace["gradient_norm"][0] == run.trace["gradient_norm"][0]
    assert trace["step"].tolist() == list(range(10))
    assert set(trace["calls"].tolist()) == {5}


@pytest.mark.parametrize("name", ["Adam", "LBFGS"])
def test_fit_takes_ordinary_optimisers_leaves_frozen_parameters_alone_and_stops_when_told(name):
    risk, seen = on_s(), []
    weight = risk.module[0].weight.requires_grad_(False)
    risk = sann.ModuleRisk(risk.module, risk.loss, risk.data, ACT, risk.sample)
    before, trained = weight.clone(), [p for p in risk.module.parameters() if p.requires_grad]
    optimizer = getattr(torch.optim, name)(trained, lr=0.02)
    trace = risk.fit(optimizer, num_steps=99, callback=lambda s: seen.append(s) or s.step == 19)
    assert [s.step for s in seen] == list(range(20)) == trace["step"].tolist()
    assert risk.value(risk.theta) < trace["value"][0]
    assert torch.equal(weight, before)


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_a_loss_that_is_not_finite_stops_fit_and_the_parameters_are_put_back(line_search):
    asked, calm = [], [True]

    def loss(prediction, target):
        asked.append(1)
        return (prediction - target) ** 2 / (calm[0] or len(asked) < 4)

    risk = sann.ModuleRisk(network(), loss, (X, Y), ACT, None)
    before = risk.theta
    optimizer = torch.optim.LBFGS(risk.module.parameters(), line_search_fn=line_search)
    asked.clear()
    calm[0] = False
    with pytest.raises(NonFiniteError, match=r"loss is .* at step 0") as caught:
        risk.fit(optimizer, num_steps=1)
    assert len(asked) == 4  # after the optimiser had moved the parameters
    assert torch.equal(risk.theta, before)
    assert torch.equal(caught.value.best, before)


def batch_norm() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1)).double()


def zero_at_the_end() -> nn.Module:
    model = network()
    nn.init.zeros_(model[2].weight)
    return model


OTHER = network()
BAD = {  # what is no mean over samples of a function of theta
    "module has BatchNorm1d at '1'": {"module": batch_norm()},
    "loss is not a mean": {"loss": nn.MSELoss(reduction="sum")},
    "loss is not a mean over samples: .* gradients": {  # values agree, as all predictions are equal
        "module": zero_at_the_end(), "loss": lambda p, t: ((p - t[:, 0]) ** 2).mean()
    },
    "module or loss does not take": {"loss": lambda p, t: (p.detach() - t) ** 2},
    "loss is inf": {"loss": lambda p, t: (p - t).square().sum(1) / 0},
    "module or loss computes": {"module": OTHER, "loss": lambda p, t: p.mean() + OTHER[0].bias.sum()},
    "data has numbers that are not finite": {"data": (X / 0, Y)},
    "y_action does not move": {"y_action": ACT},
}  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_what_is_no_mean_over_samples_is_refused(message):
    given = {"module": network(), "loss": nn.MSELoss(), "data": (X, Y), "action": ACT, "S": None}
    with pytest.raises(ArgumentError, match="^" + message):
        sann.ModuleRisk(**{**given, **BAD[message]})


def test_class_weights_are_found_however_rare_the_class():
    """5000 samples of one class and one of another, whose place no spread of eight samples hits."""
    y = torch.zeros(5001, dtype=torch.int64)
    y[17] = 1
    x = X[:1].repeat(5001, 1)
    weighted = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 50.0]).double())
    with pytest.raises(ArgumentError, match="loss is not a mean"):
        sann.ModuleRisk(network(4, 2), weighted, (x, y), ACT, None)
    y[17] = -100  # what cross entropy leaves out of its mean
    with pytest.raises(ArgumentError, match="loss is not a mean"):
        sann.ModuleRisk(network(4, 2), nn.CrossEntropyLoss(), (x, y), ACT, None)


def test_what_is_changed_later_is_refused_then():
    risk = sann.ModuleRisk(batch_norm().eval(), nn.MSELoss(), (X, Y), ACT, None)
    risk.module.train()
    for ask in (risk.value, risk.gradient):
        with pytest.raises(ArgumentError, match="module has BatchNorm1d"):
            ask(risk.theta)
    risk = on_s()
    with pytest.raises(ArgumentError, match="optimizer holds none"):
        risk.fit(torch.optim.SGD(network().parameters(), lr=0.1), num_steps=1)
    risk.module[0].weight.requires_grad_(False)
    with pytest.raises(ArgumentError, match="module trains other parameters"):
        risk.fit(torch.optim.SGD(risk.module.parameters(), lr=0.1), num_steps=1)


RUNS = {  # a run, and another whose checkpoint it is not, by what differs
    "one-shot": (on_s, "S ", functools.partial(on_s, seed=1)),
    "streaming": (streaming, "oracle seed", functools.partial(streaming, seed=4)),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_resumes_to_the_same_bits_and_refuses_the_checkpoint_of_another(name, tmp_path):
    make, differs, other = RUNS[name]
    options = {"step_size": 0.05, "num_steps": 20}
    kept = sa.descent.Checkpoint(tmp_path / "run.safetensors", every=4)
    whole, stopped = make(), make()
    expected = sa.descend(whole, whole.theta, **options)
    with pytest.raises(KeyboardInterrupt):
        sa.descend(Stopping(stopped, 13), stopped.theta, checkpoint=kept, **options)
    with pytest.raises(FileFormatError, match=rf"another run: other .*{differs}"):
        sa.descend(other(), stopped.theta, checkpoint=kept, **options)
    resumed = make()
    run = sa.descend(resumed, resumed.theta, checkpoint=kept, **options)
    assert torch.equal(run.last, expected.last)
    assert (run.calls, run.trace.to_dict()) == (expected.calls, expected.trace.to_dict())


def test_targets_may_move_along():
    rotate = sa.linear(sa.groups.cube_rotations())
    x = torch.tensor(np.random.default_rng(1).normal(size=(5, 3)))
    S = sa.Oracle(rotate.group).draw(6)
    data, options = (x, x.flip(-1)), {"y_action": rotate, "chunk_size": 4}
    risk = sann.ModuleRisk(network(3, 3), nn.MSELoss(), data, rotate, S, **options)
    value, gradient = plain_gradient(risk, *sa.augment(rotate, S, *data, y_action=rotate))
    assert abs(risk.value(risk.theta) - float(value)) <= ROUNDING
    close(risk.gradient(risk.theta), gradient)
