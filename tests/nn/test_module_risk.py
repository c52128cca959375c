"""R_n^S of a module: value and gradient against plain sums, the loop, the optimisers, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.actions.combine import CustomAction
from sparseaug.descent import NonFiniteError
from sparseaug.errors import ArgumentError, GroupTooLargeError
from sparseaug.nn.risk import module_risk, tiles
from sparseaug.nn.risk.trial import _samples_to_try
from tests.runs import Stopping

# sums of a few thousand terms of size one, in float64
ROUNDING = 1e-12

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
    parameters = list(risk.module.parameters())
    value = risk.loss(risk.module(copies), targets)
    parts = torch.autograd.grad(value.mean(), parameters)
    return value.detach().mean(), torch.cat([part.reshape(-1) for part in parts])


def reorder(rows: np.ndarray, x: torch.Tensor) -> torch.Tensor:
    """A user's own action, by permutations of three entries."""
    return x[:, torch.tensor(np.argsort(rows, axis=1))].swapaxes(0, 1)


LOSSES = {
    "squares": (nn.MSELoss(), "real"),
    "squares of each sample": (nn.MSELoss(reduction="none"), "real"),
    "Huber": (functional.huber_loss, "real"),
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
    copies, targets = sa.augment(action, S, x, y)
    value, gradient = plain_gradient(risk, copies, targets)
    assert abs(risk.value(risk.theta) - float(value)) <= ROUNDING * abs(float(value))
    torch.testing.assert_close(risk.gradient(risk.theta), gradient, rtol=ROUNDING, atol=ROUNDING)
    # and the gradient is the derivative of the value
    theta, direction = risk.theta, torch.linspace(-1, 1, risk.size).double()
    step = 1e-5
    slope = (risk.value(theta + step * direction) - risk.value(theta - step * direction)) / 2 / step
    assert abs(float(gradient @ direction) - slope) <= 1e-6 * max(1.0, abs(slope))


def test_the_sample_that_is_the_group_gives_the_full_risk():
    everything = sa.GroupSample(ACT.group, np.concatenate(list(ACT.group.elements()))[::-1])
    full = sann.ModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, "full", chunk_size=10)
    one_shot = full.on(everything)
    theta = full.theta
    each = [
        full.on(sa.GroupSample(ACT.group, row[None])).gradient(theta) for row in everything.elements
    ]
    for other in (one_shot.gradient(theta), torch.stack(each).mean(0)):
        assert float((full.gradient(theta) - other).abs().max()) <= ROUNDING
    assert (full.calls, full.method, one_shot.method) == (0, "full", "one-shot")


def test_chunks_change_rounding_and_nothing_else():
    whole = on_s()
    for chunk_size in (1, 2, 3, 7, 8, 20, 35, 1000):
        risk = on_s(chunk_size=chunk_size)
        torch.testing.assert_close(
            risk.gradient(risk.theta), whole.gradient(whole.theta), rtol=ROUNDING, atol=ROUNDING
        )
        assert torch.equal(risk.gradient(risk.theta), risk.gradient(risk.theta))


class TestTheTrialOfChunks:
    """300 samples under S_4: more copies than the smallest chunk that is tried."""

    X = torch.tensor(np.random.default_rng(1).normal(size=(300, 4)))

    def risk(self, S, **rest):
        return sann.ModuleRisk(network(), nn.MSELoss(), (self.X, self.X[:, :1]), ACT, S, **rest)

    @pytest.fixture
    def tried(self, monkeypatch):
        """What was counted by each trial."""
        counted, count = [], tiles.count_entries

        def record(module, compute):
            counted.append(count(module, compute))
            return counted[-1]

        monkeypatch.setattr(module_risk, "count_entries", record)
        return counted

    def test_it_happens_once_for_a_risk_and_those_over_other_samples(self, tried):
        risk = self.risk("full")
        assert len(tried) == 1
        assert risk.chunk_size == max(
            size for size in tiles.SIZES_CPU if size * tried[0] <= 1 << 21
        )
        others = [risk.on(sa.Oracle(ACT.group, seed=seed).draw(20)) for seed in range(3)]
        assert {other.chunk_size for other in others} == {risk.chunk_size}
        assert len(tried) == 1

    def test_streaming_tries_at_its_first_step_at_the_latest(self, tried):
        x = self.X[:100]
        oracle = sa.Oracle(ACT.group)
        risk = sann.StreamingModuleRisk(
            network(), nn.MSELoss(), (x, x[:, :1]), ACT, oracle, batch=9
        )
        assert tried == []
        sizes = {risk.at_step(step).chunk_size for step in range(3)}
        assert len(sizes) == len(tried) == 1

    def test_it_does_not_happen_for_few_copies_or_a_given_size(self, tried):
        assert self.risk("full", chunk_size=7).chunk_size == 7
        assert on_s().chunk_size == 16384
        assert tried == []

    def test_it_is_the_same_in_every_run_and_leaves_the_module_as_it_was(self):
        model = network()
        before = {name: value.clone() for name, value in model.state_dict().items()}
        data = self.X, self.X[:, :1]
        risk = sann.ModuleRisk(model, nn.MSELoss(), data, ACT, "full")
        again = sann.ModuleRisk(model, nn.MSELoss(), data, ACT, "full")
        assert again.chunk_size == risk.chunk_size
        assert torch.equal(again.gradient(again.theta), risk.gradient(risk.theta))
        given = sann.ModuleRisk(model, nn.MSELoss(), data, ACT, "full", chunk_size=333)
        found, expected = risk.gradient(risk.theta), given.gradient(given.theta)
        assert float((found - expected).abs().max()) <= ROUNDING
        assert all(torch.equal(model.state_dict()[name], value) for name, value in before.items())
        assert all(parameter.grad is None for parameter in model.parameters())
        assert not any(part._forward_hooks for part in model.modules())

    def test_wide_modules_get_small_chunks(self):
        sizes = []
        for width in (8, 128, 2000):
            model = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 1)).double()
            data = self.X.repeat(4, 1), self.X[:, :1].repeat(4, 1)
            sizes.append(sann.ModuleRisk(model, nn.MSELoss(), data, ACT, "full").chunk_size)
        assert sizes == [16384, 4096, 256]


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
                    seen += [
                        j * n + i for j in js for i in range(tile.samples.start, tile.samples.stop)
                    ]
            assert seen == list(range(n * m))


def test_targets_may_move_along():
    rotate = sa.linear(sa.groups.cube_rotations())
    x = torch.tensor(np.random.default_rng(1).normal(size=(5, 3)))
    S = sa.Oracle(rotate.group).draw(6)
    risk = sann.ModuleRisk(
        network(3, 3), nn.MSELoss(), (x, x.flip(-1)), rotate, S, y_action=rotate, chunk_size=4
    )
    copies, targets = sa.augment(rotate, S, x, x.flip(-1), y_action=rotate)
    value, gradient = plain_gradient(risk, copies, targets)
    assert abs(risk.value(risk.theta) - float(value)) <= ROUNDING
    torch.testing.assert_close(risk.gradient(risk.theta), gradient, rtol=ROUNDING, atol=ROUNDING)


class Tied(nn.Module):
    """tanh(x W^T) W^T: one matrix under two names."""

    def __init__(self) -> None:
        super().__init__()
        self.there, self.back = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
        self.back.weight = self.there.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.back(self.there(x).tanh())


def test_tied_parameters_count_once_and_get_the_whole_gradient():
    torch.manual_seed(0)
    S = sa.Oracle(ACT.group).draw(5)
    risk = sann.ModuleRisk(Tied().double(), nn.MSELoss(), (X, X), ACT, S, chunk_size=4)
    copies, targets = sa.augment(ACT, S, X, X)
    _, gradient = plain_gradient(risk, copies, targets)
    assert risk.size == 16
    torch.testing.assert_close(risk.gradient(risk.theta), gradient, rtol=ROUNDING, atol=ROUNDING)


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
    assert abs(risk.value(risk.theta) - 1) <= 1e-3
    assert gradient.dtype == dtype
    torch.testing.assert_close(gradient.float(), expected, rtol=2e-2, atol=0)
    trace = risk.fit(torch.optim.SGD(model.parameters(), lr=0.1), num_steps=1)
    assert abs(trace["gradient_norm"][0] - float(expected.norm())) <= 2e-2


class KernelNetwork(nn.Module):
    """f(x) = sum_r a_r b_r exp(-|x - z_r|^2 / 2 sigma^2) as a module."""

    def __init__(self, centers: np.ndarray, theta: np.ndarray) -> None:
        super().__init__()
        self.register_buffer("centers", torch.tensor(centers))
        a, b = torch.tensor(theta).chunk(2)
        self.a, self.b = nn.Parameter(a.clone()), nn.Parameter(b.clone())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        squares = ((x[:, None] - self.centers) ** 2).sum(-1)
        return torch.exp(-squares / 2) @ (self.a * self.b)


@pytest.mark.parametrize("S", ["full", None, "one-shot"])
def test_it_agrees_with_the_kernel_model_and_its_moments(S):
    rng = np.random.default_rng(3)
    x, centers, theta = rng.normal(size=(9, 4)), rng.normal(size=(5, 4)), rng.normal(size=10)
    y = x.sum(1)
    S = sa.Oracle(ACT.group).draw(8) if S == "one-shot" else S
    reference = sa.augmented_risk(sa.KernelModel(sa.GaussianKernel(1.0), centers), (x, y), ACT, S)
    module = KernelNetwork(centers, theta)
    data = (torch.tensor(x), torch.tensor(y))
    risk = sann.ModuleRisk(module, lambda p, t: (p - t) ** 2 / 2, data, ACT, S)
    assert abs(risk.value(risk.theta) - reference.value(theta)) <= 1e-10
    assert np.abs(risk.gradient(risk.theta).numpy() - reference.gradient(theta)).max() <= 1e-10
    assert risk.calls == reference.calls


def test_descend_follows_it_by_every_method_with_exact_counts():
    steps = {"step_size": 0.05, "num_steps": 30}
    one_shot = on_s(m=6)
    run = sa.descend(one_shot, one_shot.theta, method="one-shot", **steps)
    assert run.calls == 6
    assert one_shot.value(run.last) < one_shot.value(one_shot.theta)
    for S, calls in (("full", 0), (None, 0)):
        risk = one_shot.on(S)
        assert sa.descend(risk, risk.theta, method=risk.method, **steps).calls == calls
    oracle = sa.Oracle(ACT.group, seed=5)
    streaming = sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, oracle, batch=3)
    run = sa.descend(streaming, streaming.theta, method="streaming", **steps)
    assert run.calls == oracle.calls == 90


def test_streaming_steps_follow_the_oracles_draws():
    draws = sa.Oracle(ACT.group, seed=5)
    streaming = sann.StreamingModuleRisk(
        network(), nn.MSELoss(), (X, Y), ACT, sa.Oracle(ACT.group, seed=5), batch=2
    )
    for step in range(3):
        risk, S = streaming.at_step(step), draws.draw(2)
        expected = on_s().on(S).gradient(streaming.theta)
        assert torch.equal(risk.gradient(streaming.theta), expected)


@pytest.mark.parametrize("method", ["one-shot", "streaming"])
def test_a_run_resumed_from_its_checkpoint_gives_the_same_bits(tmp_path, method):
    def risk():
        if method == "one-shot":
            return on_s()
        oracle = sa.Oracle(ACT.group, seed=2)
        return sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, oracle, batch=2)

    options = {"step_size": 0.05, "num_steps": 20}
    whole = risk()
    expected = sa.descend(whole, whole.theta, **options)
    stopped, kept = risk(), sa.descent.Checkpoint(tmp_path / "run.safetensors", every=4)
    with pytest.raises(KeyboardInterrupt):
        sa.descend(Stopping(stopped, 13), stopped.theta, checkpoint=kept, **options)
    resumed = risk()
    run = sa.descend(resumed, resumed.theta, checkpoint=kept, **options)
    assert torch.equal(run.last, expected.last)
    assert run.calls == expected.calls


def test_fit_with_plain_sgd_takes_the_steps_of_descend():
    risk = on_s()
    run = sa.descend(risk, risk.theta, step_size=0.05, num_steps=10)
    trace = risk.fit(torch.optim.SGD(risk.module.parameters(), lr=0.05), num_steps=10)
    torch.testing.assert_close(risk.theta, run.last, rtol=ROUNDING, atol=ROUNDING)
    assert trace["gradient_norm"][0] == run.trace["gradient_norm"][0]
    assert trace["step"].tolist() == list(range(10))
    assert set(trace["calls"].tolist()) == {5}


@pytest.mark.parametrize("name", ["Adam", "AdamW", "LBFGS", "RMSprop"])
def test_fit_takes_ordinary_optimisers(name):
    risk = on_s()
    optimizer = getattr(torch.optim, name)(risk.module.parameters(), lr=0.02)
    trace = risk.fit(optimizer, num_steps=20)
    assert trace["value"][-1] < 0.9 * trace["value"][0]
    assert risk.value(risk.theta) < trace["value"][0]


def test_fit_calls_back_after_every_step_and_stops_when_told():
    risk, seen = on_s(), []
    optimizer = torch.optim.SGD(risk.module.parameters(), lr=0.01)
    trace = risk.fit(optimizer, num_steps=100, callback=lambda s: seen.append(s) or s.step == 4)
    assert [s.step for s in seen] == [0, 1, 2, 3, 4]
    assert len(trace) == 5
    assert isinstance(seen[0], sann.FitStep)


def test_fit_leaves_frozen_parameters_alone():
    model = network()
    model[0].weight.requires_grad_(False)
    before = model[0].weight.clone()
    risk = sann.ModuleRisk(model, nn.MSELoss(), (X, Y), ACT, None)
    assert risk.size == sum(p.numel() for p in model.parameters()) - before.numel()
    risk.fit(torch.optim.Adam([p for p in model.parameters() if p.requires_grad]), num_steps=3)
    assert torch.equal(model[0].weight, before)


def test_fit_refuses_parameters_that_were_frozen_or_freed_after_the_risk_was_made():
    for frozen in (True, False):
        model = network()
        model[0].weight.requires_grad_(frozen)
        risk = sann.ModuleRisk(model, nn.MSELoss(), (X, Y), ACT, None)
        model[0].weight.requires_grad_(not frozen)
        with pytest.raises(ArgumentError, match="module requires a gradient of other parameters"):
            risk.fit(torch.optim.SGD(model.parameters(), lr=0.1), num_steps=1)


def test_streaming_fit_counts_a_batch_a_step():
    oracle = sa.Oracle(ACT.group, seed=5)
    risk = sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, oracle, batch=3)
    trace = risk.fit(torch.optim.LBFGS(risk.module.parameters()), num_steps=4)
    assert trace["calls"].tolist() == [3, 6, 9, 12]
    assert oracle.calls == 12


def test_a_loss_that_is_not_finite_stops_fit_before_the_step():
    def loss(prediction, target):
        return torch.where(prediction > -1e9, (prediction - target) ** 2, prediction) / (calm[0])

    calm = [torch.tensor(1.0).double()]
    risk = sann.ModuleRisk(network(), loss, (X, Y), ACT, None)
    before = risk.theta
    calm[0] = torch.tensor(0.0).double()
    with pytest.raises(NonFiniteError, match=r"loss is .* at step 0") as caught:
        risk.fit(torch.optim.SGD(risk.module.parameters(), lr=0.1), num_steps=3)
    assert caught.value.step == 0
    assert torch.equal(risk.theta, before)
    with pytest.raises(NonFiniteError, match="step 0"):
        sa.descend(risk, before, step_size=0.1, num_steps=3)


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_lbfgs_that_meets_a_loss_that_is_not_finite_is_put_back(line_search):
    asked, calm = [], [True]

    def loss(prediction, target):
        asked.append(1)
        return (prediction - target) ** 2 / (calm[0] or len(asked) < 4)

    risk = sann.ModuleRisk(network(), loss, (X, Y), ACT, None)
    before = risk.theta
    optimizer = torch.optim.LBFGS(risk.module.parameters(), line_search_fn=line_search)
    asked.clear()
    calm[0] = False
    with pytest.raises(NonFiniteError, match="step 0") as caught:
        risk.fit(optimizer, num_steps=1)
    assert len(asked) == 4  # after the optimiser had moved the parameters
    assert torch.equal(risk.theta, before)
    assert torch.equal(caught.value.best, before)


def test_load_writes_theta_into_the_module_and_back():
    risk = on_s()
    theta = torch.arange(risk.size).double()
    risk.load(theta)
    assert torch.equal(risk.theta, theta)
    assert torch.equal(risk.module[0].weight.detach().flatten(), theta[:20])


def batch_norm() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1)).double()


NAN = X.clone()
NAN[2, 1] = torch.nan

BAD = {
    "S of another group": ({"S": sa.Oracle(sa.symmetric(5)).draw(3)}, "S is a sample of S5"),
    "a module without parameters": ({"module": nn.Identity()}, "module has no parameter"),
    "batch norm": ({"module": batch_norm()}, "module has BatchNorm1d at '1'"),
    "dropout": ({"module": nn.Sequential(network(), nn.Dropout(0.5))}, "module has Dropout"),
    "mixed precision": ({"module": nn.Sequential(nn.Linear(4, 4), network())}, "module has param"),
    "single precision data": ({"data": (X.float(), Y)}, "module does not take x"),
    "a module for other shapes": ({"module": network(3)}, "module does not take x of shape"),
    "data that is no pair": ({"data": X}, "data="),
    "NumPy data": ({"data": (X.numpy(), Y.numpy())}, "data="),
    "unequal data": ({"data": (X, Y[:3])}, "data has samples"),
    "no data": ({"data": (X[:0], Y[:0])}, "data has samples"),
    "NaN in the data": ({"data": (NAN, Y)}, "data has x that is not finite"),
    "data that the group does not move": ({"data": (X[:, :3], Y)}, "x has 3 entries on axis -1"),
    "data elsewhere": ({"data": (X.to("meta"), Y)}, "data has x on meta, but the module"),
    "a sum": ({"loss": nn.MSELoss(reduction="sum")}, "loss is not a mean"),
    "targets that broadcast": (
        {"loss": lambda p, t: ((p - t[:, 0]) ** 2).mean()},
        "loss is not a mean",
    ),
    "a loss that is a number": ({"loss": lambda p, t: 1.0}, "loss returned 1.0"),
    "labels for squares": ({"loss": nn.CrossEntropyLoss(), "data": (X, Y.long() + 7)}, "loss"),
    "an infinite loss": ({"loss": lambda p, t: (p - t).sum(1) / 0}, "loss is"),
    "a loss without a gradient": ({"loss": lambda p, t: (p.detach() - t) ** 2}, "loss has no grad"),
    "targets that the group does not move": ({"y_action": ACT}, "y_action does not move"),
    "targets of another group": ({"y_action": sa.flip_signs(sa.sign_flips(1))}, "y_action is of"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_answered_by_name(case):
    changed, message = BAD[case]
    given = {"module": network(), "loss": nn.MSELoss(), "data": (X, Y), "action": ACT, "S": None}
    with pytest.raises(ArgumentError, match="^" + message.replace("[", r"\[")):
        sann.ModuleRisk(**{**given, **changed})


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


def test_the_trial_stays_within_the_data_however_many_samples_there_are():
    n = (1 << 24) + 4  # n - 1 is no float32
    assert _samples_to_try(torch.zeros(1).expand(n))[-1] == n - 1
    labels = torch.zeros(1, dtype=torch.uint8).expand(n)
    assert _samples_to_try(labels) == _samples_to_try(torch.zeros(1).expand(n))
    assert _samples_to_try(torch.tensor([[0, 0], [0, 0], [0, 7], [7, 0]] * 5))[:3] == [0, 2, 5]


def test_a_module_that_is_put_in_training_mode_later_is_refused_then():
    risk = sann.ModuleRisk(batch_norm().eval(), nn.MSELoss(), (X, Y), ACT, None)
    risk.module.train()
    for ask in (risk.value, risk.gradient):
        with pytest.raises(ArgumentError, match="module has BatchNorm1d"):
            ask(risk.theta)


def test_a_linear_action_refuses_integers():
    rotate = sa.linear(sa.groups.cube_rotations())
    x = torch.arange(12).reshape(4, 3)
    with pytest.raises(ArgumentError, match=r"x has dtype torch.int64; matrices need"):
        sann.ModuleRisk(network(3), nn.MSELoss(), (x, Y[:4]), rotate, None)


def test_a_group_too_large_is_not_enumerated():
    act = sa.permute_axis(sa.symmetric(20))
    x = torch.zeros(2, 20).double()
    with pytest.raises(GroupTooLargeError):
        sann.ModuleRisk(network(20), nn.MSELoss(), (x, Y[:2]), act, "full")


@pytest.mark.parametrize(
    "theta",
    [np.zeros(31), torch.zeros(30).double(), torch.zeros(31), torch.zeros(31).double().to("meta")],
)
def test_theta_must_fit_the_module(theta):
    with pytest.raises(ArgumentError, match=r"^theta"):
        on_s().gradient(theta)


def test_fit_refuses_an_optimiser_of_another_model():
    with pytest.raises(ArgumentError, match="optimizer holds none"):
        on_s().fit(torch.optim.SGD(network().parameters(), lr=0.1), num_steps=1)

    class Idle(torch.optim.SGD):
        def step(self, closure=None):
            return None

    risk = on_s()
    with pytest.raises(ArgumentError, match=r"optimizer=.*does not call the closure"):
        risk.fit(Idle(risk.module.parameters(), lr=0.1), num_steps=1)
    with pytest.raises(ArgumentError, match="oracle="):
        sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), ACT, sa.Oracle(sa.symmetric(5)))


def test_targets_that_broadcast_are_found_while_all_predictions_are_equal():
    """Then the values agree, and the gradients tell."""
    model = network()
    with torch.no_grad():
        model[2].weight.zero_()
    with pytest.raises(ArgumentError, match=r"^loss is not a mean over samples: .* gradients"):
        sann.ModuleRisk(model, lambda p, t: ((p - t) ** 2).mean(), (X, Y[:, 0]), ACT, None)


def test_a_streaming_risk_asks_for_an_action():
    with pytest.raises(ArgumentError, match="action=None is not an action"):
        sann.StreamingModuleRisk(network(), nn.MSELoss(), (X, Y), None, sa.Oracle(ACT.group))


def test_few_copies_are_made_once_and_many_are_made_anew(monkeypatch):
    made = []

    def counted(rows, x):
        made.append(len(rows))
        return reorder(rows, x)

    act = sa.custom_action(sa.symmetric(3), counted)
    data = (X[:, :3].clone(), Y)
    S = sa.GroupSample(act.group, [[1, 2, 0], [0, 2, 1], [2, 1, 0], [0, 1, 2]])
    for kept, calls in ((1 << 26, 4), (0, 12)):
        monkeypatch.setattr(module_risk, "_KEPT", kept)
        risk = sann.ModuleRisk(network(3), nn.MSELoss(), data, act, S, chunk_size=7)
        made.clear()
        for _ in range(2):
            value, gradient = risk.value_and_gradient(risk.theta)
        assert risk.value(risk.theta) == float(value)
        assert len(made) == calls
        copies, targets = sa.augment(act, S, *data)
        _, expected = plain_gradient(risk, copies, targets)
        torch.testing.assert_close(gradient, expected, rtol=ROUNDING, atol=ROUNDING)


def test_another_sample_has_copies_of_its_own():
    first, other = on_s(seed=0), on_s(seed=1)
    before = first.gradient(first.theta)  # the copies under the first S are kept now
    assert torch.equal(first.on(other.sample).gradient(first.theta), other.gradient(other.theta))
    assert torch.equal(first.gradient(first.theta), before)
    assert not torch.equal(before, other.gradient(other.theta))
