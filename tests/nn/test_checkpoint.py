"""`descend(checkpoint=)` on modules: the checkpoint of another run is refused by name."""

from __future__ import annotations

import functools

import pytest
import torch
from torch import nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import FileFormatError
from tests.runs import Stopping

ACT = sa.permute_axis(sa.symmetric(4))
X = torch.linspace(-1, 1, 24).reshape(6, 4) ** 3
Y = X.sum(1, keepdim=True)


def network(*, activation=nn.Tanh, frozen=0.5, dtype=torch.float32):
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(4, 5), activation(), nn.Linear(5, 1))
    with torch.no_grad():
        module[0].bias.fill_(frozen)
    module[0].bias.requires_grad_(False)
    return module.to(dtype)


def mean_absolute(prediction, target):
    return (prediction - target).abs().mean()


def one_shot(*, module=None, loss=None, x=X, y=Y, act=ACT, seed=0, y_action=None):
    module = module or network()
    dtype = next(module.parameters()).dtype
    S = sa.Oracle(act.group, seed=seed).draw(5)
    data = (x.to(dtype), y.to(dtype))
    return sann.ModuleRisk(module, loss or nn.MSELoss(), data, act, S, y_action=y_action)


def streaming(*, seed=3, start=4, batch=2):
    oracle = sa.Oracle(ACT.group, seed=seed)
    oracle.advance_to(start)
    return sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, oracle, batch=batch)


def run(path, risk, *, theta=None, stop=None):
    start = risk.theta if theta is None else theta
    risk = Stopping(risk, stop) if stop else risk
    kept = sa.descent.Checkpoint(path, every=4)
    return sa.descend(risk, start, step_size=0.05, num_steps=20, checkpoint=kept)


CHANGES = {
    "S": (one_shot, {"seed": 1}),
    "inputs": (one_shot, {"x": X + 1e-3}),
    "targets": (one_shot, {"y": Y + 1e-3}),
    "loss": (one_shot, {"loss": mean_absolute}),
    "loss ": (one_shot, {"loss": functools.partial(nn.functional.mse_loss, reduction="mean")}),
    "module": (one_shot, {"module": network(activation=nn.ReLU)}),
    "module ": (one_shot, {"module": network(frozen=0.25)}),
    "action": (one_shot, {"act": sa.permute_axis(sa.permutation_group([[1, 2, 3, 0]]))}),
    "oracle seed": (streaming, {"seed": 4}),
    "first draw": (streaming, {"start": 6}),
    "batch": (streaming, {"batch": 3}),
}


@pytest.mark.parametrize("name", list(CHANGES))
def test_the_checkpoint_of_another_module_run_is_refused_by_name(name, tmp_path):
    make, changed = CHANGES[name]
    path = tmp_path / "run.safetensors"
    with pytest.raises(KeyboardInterrupt):
        run(path, make(), stop=9)
    with pytest.raises(FileFormatError, match=rf"another run: other .*{name.strip()}"):
        run(path, make(**changed))
    resumed, whole = run(path, make()), run(tmp_path / "new", make())
    assert torch.equal(resumed.last, whole.last)
    assert torch.equal(resumed.best, whole.best)
    assert resumed.trace.to_dict() == whole.trace.to_dict()


def test_a_module_in_half_precision_is_resumed_to_the_same_bits(tmp_path):
    path = tmp_path / "run.safetensors"

    def make():
        return one_shot(module=network(dtype=torch.bfloat16))

    with pytest.raises(KeyboardInterrupt):
        run(path, make(), stop=9)
    resumed, whole = run(path, make()), run(tmp_path / "new", make())
    assert resumed.last.dtype == torch.bfloat16
    assert torch.equal(resumed.last, whole.last)


def test_the_same_rows_in_another_order_are_another_run(tmp_path):
    """Sums over them differ in the last bits."""
    path, risk = tmp_path / "run.safetensors", one_shot()
    run(path, risk)
    other = sa.GroupSample(ACT.group, risk.sample.elements[::-1], risk.sample.calls)
    turned = sann.ModuleRisk(risk.module, risk.loss, risk.data, ACT, other)
    with pytest.raises(FileFormatError, match="another run: other order of S "):
        run(path, turned, theta=one_shot().theta)


def test_targets_that_move_by_another_action_are_another_run(tmp_path):
    path, y = tmp_path / "run.safetensors", X * 2
    module = nn.Linear(4, 4)
    run(path, one_shot(module=module, y=y, y_action=ACT))
    theta = one_shot(module=module, y=y).theta
    with pytest.raises(FileFormatError, match="other y_action"):
        run(path, one_shot(module=module, y=y), theta=theta)


def test_a_module_trained_on_words_states_the_calls_behind_their_letters():
    S = sa.Oracle(ACT.group, seed=0).draw(5)
    risk = sann.ModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, S.words(2, 9))
    assert risk.calls == 5
