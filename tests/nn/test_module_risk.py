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
from sparseaug.nn.risk import tiles
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


def test_chunks_change_rounding_and_nothing_else():
    whole = on_s()
    for chunk_size in (1, 3, 7, 8, 20, 1000):
        risk = on_s(chunk_size=chunk_size)
        close(risk.gradient(risk.theta), whole.gradient(whole.theta))


@pytest.mark.parametrize("n", [1, 3, 10])
@pytest.mark.parametrize("m", [1, 4, 7])
def test_tiles_cover_every_copy_once_in_order_within_the_chunk(n, m):
    for num_ranks in (1, 2, 3, 5):
        for chunk_size in (1, 2, 3, 10, 25, 100):
            seen = []
            for rank in range(num_ranks):
                for tile in tiles.tiles(*tiles.share(n * m, rank, num_ranks), n, chunk_size):
                    seen.append([j * n + i for j in tile[0] for i in tile[1]])
                    assert 1 <= len(seen[-1]) <= chunk_size
            assert [k for part in seen for k in part] == list(range(n * m))


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


@pytest.mark.parametrize("name", ["SGD", "LBFGS"])
def test_optimisers_take_the_whole_gradient_and_leave_frozen_parameters_alone(name):
    risk = on_s()
    weight = risk.module[0].weight.requires_grad_(False)
    risk = sann.ModuleRisk(risk.module, risk.loss, risk.data, ACT, risk.sample)
    before, run = weight.clone(), sa.descend(risk, risk.theta, step_size=0.05, num_steps=10)
    optimizer = getattr(torch.optim, name)(risk.parameters, lr=0.05)
    values = [float(optimizer.step(risk.backward)) for _ in range(10)]
    assert values[-1] < values[0]
    assert torch.equal(weight, before)
    if name == "SGD":
        close(risk.theta, run.last)


def test_a_step_from_a_loss_that_is_not_finite_is_not_made():
    risk = on_s()
    optimizer = torch.optim.SGD(risk.parameters, lr=1e200)
    optimizer.step(risk.backward)
    with pytest.raises(NonFiniteError, match="lower the learning rate"):
        optimizer.step(risk.backward)
    assert bool(torch.isfinite(risk.theta).all())


def test_a_gradient_of_other_parameters_than_those_that_train_is_refused():
    for before, after in ((True, False), (False, True)):
        risk = on_s()
        risk.module[0].weight.requires_grad_(before)
        risk = sann.ModuleRisk(risk.module, risk.loss, risk.data, ACT, risk.sample)
        risk.module[0].weight.requires_grad_(after)
        with pytest.raises(ArgumentError, match="make the risk again"):
            risk.backward()


def test_a_checkpoint_of_a_loss_with_other_settings_is_refused(tmp_path):
    def run(delta):
        risk = on_s()
        risk = sann.ModuleRisk(risk.module, nn.HuberLoss(delta=delta), risk.data, ACT, risk.sample)
        start = torch.zeros_like(risk.theta)
        return sa.descend(risk, start, step_size=0.1, num_steps=2, checkpoint=tmp_path / "run")

    run(1.0), run(1.0)
    with pytest.raises(FileFormatError, match="other loss"):
        run(0.1)


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
    "loss is not a mean over samples: inf": {"loss": lambda p, t: (p - t).square().sum(1) / 0},
    "module or loss uses": {"module": OTHER, "loss": lambda p, t: p.mean() + OTHER[0].bias.sum()},
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


def shifted(by: float):
    return lambda p, t: (p - t - by).square().mean()


def frozen(value: float) -> nn.Module:
    module = network()
    nn.init.constant_(module[0].bias.requires_grad_(False), value)
    return module


def with_buffer(value: float) -> nn.Module:
    module = network()
    module.register_buffer("scale", torch.tensor(value), persistent=False)
    return module


def of(*, module=None, loss=None, data=None, action=ACT, seed=0) -> sann.ModuleRisk:
    S = sa.Oracle(action.group, seed=seed).draw(5)
    return sann.ModuleRisk(module or network(), loss or nn.MSELoss(), data or (X, Y), action, S)


CHANGES = {  # arguments of two runs, by what differs
    "S": ({"seed": 0}, {"seed": 1}),
    "inputs": ({}, {"data": (X + 1e-9, Y)}),
    "targets": ({}, {"data": (X, Y + 1e-9)}),
    "action": ({}, {"action": sa.permute_axis(sa.permutation_group([[1, 2, 3, 0], [1, 0, 2, 3]]))}),
    "loss": ({"loss": shifted(0.0)}, {"loss": shifted(1.0)}),
    "module of a frozen parameter": ({"module": frozen(0.0)}, {"module": frozen(1.0)}),
    "module of a buffer": ({"module": with_buffer(0.0)}, {"module": with_buffer(1.0)}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_run_resumes_to_the_same_bits_and_refuses_the_checkpoint_of_another(name, tmp_path):
    own, other = CHANGES[name]
    options = {"step_size": 0.05, "num_steps": 20}
    kept = sa.descent.Checkpoint(tmp_path / "run.safetensors", every=4)
    risk = of(**own)
    expected = sa.descend(risk, risk.theta, **options)
    with pytest.raises(KeyboardInterrupt):
        sa.descend(Stopping(risk, 13), risk.theta, checkpoint=kept, **options)
    with pytest.raises(FileFormatError, match=rf"another run: other .*{name.split()[0]} "):
        sa.descend(of(**other), risk.theta, checkpoint=kept, **options)
    again = of(**own)
    run = sa.descend(again, again.theta, checkpoint=kept, **options)
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
