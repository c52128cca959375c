"""The limit on single gradients that the layers give: above all that is seen, and refused by name."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import UnsupportedError
from sparseaug.nn.risk import layer_limits
from sparseaug.nn.risk.layer_limits import derived_limit

TURN = sa.rotate_grid(sa.dihedral(4))
IMAGES = torch.tensor(np.random.default_rng(0).normal(size=(5, 2, 6, 6)))
LABELS = torch.tensor([0, 1, 2, 1, 0])
ROWS = IMAGES.reshape(5, -1)[:, :6].clone()
SHIFT = sa.roll(sa.cyclic(6), axes=(-1,))


def norm(module: nn.Module) -> nn.Module:
    """With statistics and weights that are not those of the start."""
    generator = torch.Generator().manual_seed(3)
    for name in ("running_mean", "weight", "bias"):
        getattr(module, name).data.normal_(generator=generator)
    module.running_var.uniform_(0.5, 3, generator=generator)
    return module.eval()


CONVS = {
    "zeros": nn.Conv2d(2, 3, 3, padding=1),
    "circular": nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"),
    "stride": nn.Conv2d(2, 3, 3, stride=2),
    "groups": nn.Conv2d(2, 4, 3, groups=2, padding=2, dilation=2),
}
NETWORKS = {
    "linear": lambda: nn.Sequential(nn.Flatten(), nn.Linear(72, 3)),
    "tanh": lambda: nn.Sequential(nn.Flatten(), nn.Linear(72, 8), nn.Tanh(), nn.Linear(8, 3)),
    "gelu": lambda: nn.Sequential(nn.Flatten(), nn.Linear(72, 8), nn.GELU(), nn.Linear(8, 3)),
    "softmax": lambda: nn.Sequential(
        nn.Flatten(), nn.Linear(72, 8), nn.Softmax(1), nn.Linear(8, 3)
    ),
    "places": lambda: nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Flatten(), nn.Linear(48, 3)),
    "norms": lambda: nn.Sequential(
        norm(nn.BatchNorm2d(2)),
        nn.Conv2d(2, 3, 3),
        norm(nn.BatchNorm2d(3)),
        nn.ReLU(),
        *(nn.Flatten(), nn.Linear(48, 3)),
    ),
    "pools": lambda: nn.Sequential(
        *(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1)),
        *(nn.AvgPool2d(2, 1), nn.Flatten(), nn.Linear(16, 3)),
    ),
    **{
        name: lambda conv=conv: nn.Sequential(conv, nn.ReLU(), nn.Flatten(), nn.LazyLinear(3))
        for name, conv in CONVS.items()
    },
}
LOSSES = {
    "cross-entropy": (functional.cross_entropy, LABELS),
    "squared": (nn.MSELoss(), functional.one_hot(LABELS, 3).double()),
    "Huber": (nn.HuberLoss(delta=0.3), functional.one_hot(LABELS, 3).double()),
}


def risk_of(module: nn.Module, loss=functional.mse_loss, y=None) -> sann.ModuleRisk:
    module = module.double()
    module(IMAGES[:1])  # a lazy layer finds its shape
    y = functional.one_hot(LABELS, 3).double() if y is None else y
    return sann.ModuleRisk(module, loss, (IMAGES, y), TURN, None)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", NETWORKS)
def test_no_gradient_of_a_sample_is_longer_than_the_layers_allow(name, loss):
    """Mean over samples of the largest norm over the group, with large and small parameters."""
    for seed, scale in enumerate((0.1, 1.0, 3.0)):
        torch.manual_seed(seed)
        risk = risk_of(NETWORKS[name](), *LOSSES[loss])
        generator = torch.Generator().manual_seed(seed)
        noise = torch.randn(risk.size, generator=generator, dtype=torch.float64)
        risk.load(scale * noise / math.sqrt(10))
        most = []
        parameters = list(risk.module.parameters())
        for i, copies in enumerate(TURN(TURN.group.all_elements(), IMAGES).swapaxes(0, 1)):
            losses = [risk.loss(risk.module(x[None]), risk.data[1][i : i + 1]) for x in copies]
            gradients = [torch.autograd.grad(loss, parameters) for loss in losses]
            most.append(max(math.hypot(*(float(g.norm()) for g in each)) for each in gradients))
        limit = derived_limit(risk)
        assert np.mean(most) <= limit < math.inf


def test_a_conv_of_one_image_without_its_axis_of_channels_is_refused():
    """torch takes (1, 64, 64) for one image, not for one sample of 64 x 64; the rule counts samples."""
    layer = nn.Conv2d(1, 1, 3, padding=1).double()
    nn.init.ones_(layer.weight)
    data = torch.ones(1, 64, 64).double(), torch.zeros(1, 64, 64).double()
    risk = sann.ModuleRisk(nn.Sequential(layer), nn.MSELoss(), data, TURN, None)
    with pytest.raises(UnsupportedError, match="takes the samples of an x of 3 axes for channels"):
        derived_limit(risk)


def grid(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(1, *shape, generator=generator, dtype=torch.float64)


HALVES = torch.tensor([[0.0, 0.0, -1e3]]).double()  # softmax (1/2, 1/2, 0)
ATTAINED = {
    "linear": (nn.Linear(6, 4), grid(6)),
    "relu": (nn.ReLU(), grid(6).abs()),
    "tanh": (nn.Tanh(), 1e-9 * grid(6)),
    "gelu": (nn.GELU(), torch.full((1, 6), math.sqrt(2)).double()),
    "softmax": (nn.Softmax(1), HALVES),
    "max": (
        nn.MaxPool2d(3, 2),
        torch.eye(5).double()[2].outer(torch.eye(5).double()[2])[None, None],
    ),
    "avg": (nn.AvgPool2d(2), grid(1, 4, 4)),
    "norm": (norm(nn.BatchNorm2d(2)), grid(2, 3, 3)),
    **{name: (conv, grid(2, 6, 6)) for name, conv in CONVS.items()},
}


@pytest.mark.parametrize("name", ATTAINED)
def test_the_slope_of_a_layer_is_the_largest_norm_of_its_derivative(name):
    """By singular values of the Jacobian, at a point where it is attained."""
    layer, a = ATTAINED[name]
    layer = layer.double()
    with torch.no_grad():
        rule = layer_limits._rule(layer, a, layer(a))
    jacobian = torch.autograd.functional.jacobian(layer, a).reshape(-1, a.numel())
    norm = float(torch.linalg.matrix_norm(jacobian, 2))
    assert norm * (1 - 1e-12) <= rule.slope <= norm * (1 + 1e-9)


@pytest.mark.parametrize("name", ATTAINED)
def test_the_rule_of_a_layer_bounds_its_output_and_the_derivatives_of_its_parameters(name):
    """For random inputs, large and small, and random derivatives of the loss by the output."""
    layer, point = ATTAINED[name]
    layer = layer.double()
    generator = torch.Generator().manual_seed(1)
    for scale in (0.0, 0.01, 1.0, 100.0):
        noise = torch.randn(point.shape, generator=generator, dtype=torch.float64)
        for a in (scale * noise, scale * noise.abs(), point):
            out = layer(a)
            with torch.no_grad():
                rule = layer_limits._rule(layer, a, out)
            length = np.array([float(a.norm())])
            most = min(rule.factor * length[0] + rule.shift, rule.cap)
            assert float(out.detach().norm()) <= most * (1 + 1e-12)
            for delta in (
                torch.ones_like(out),
                torch.randn(out.shape, generator=generator).double(),
            ):
                for parameter, times in rule.parameters:
                    (found,) = torch.autograd.grad(
                        (out * delta).sum(), parameter, retain_graph=True
                    )
                    allowed = float(times(length)[0]) * float(delta.norm())
                    assert float(found.norm()) <= allowed * (1 + 1e-12)


def test_the_limit_is_attained_by_one_linear_layer():
    """Squared loss, one output, no bias: |2 (w x - y)| |x| with w along x and y opposite."""
    x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    module = nn.Linear(2, 1, bias=False).double()
    with torch.no_grad():
        module.weight.copy_(x / 5)
    act = sa.flip_signs(sa.sign_flips(2))
    risk = sann.ModuleRisk(module, nn.MSELoss(), (x, torch.tensor([[-7.0]]).double()), act, None)
    seen = float(risk.gradient(risk.theta).norm())
    assert seen <= derived_limit(risk) <= seen * (1 + 1e-10)


def test_a_parameter_of_two_layers_gets_the_sum_of_both_derivatives():
    shared = nn.Linear(6, 6, bias=False).double()
    with torch.no_grad():
        shared.weight.copy_(torch.eye(6))
    x = torch.ones(1, 6, dtype=torch.float64)
    module = nn.Sequential(shared, shared)
    risk = sann.ModuleRisk(module, nn.MSELoss(), (x, -x), SHIFT, None)
    seen = float(risk.gradient(risk.theta).norm())
    assert seen <= derived_limit(risk) <= seen * (1 + 1e-10)


def test_frozen_parameters_do_not_count():
    module = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6)).double()
    whole = derived_limit(sann.ModuleRisk(module, nn.MSELoss(), (ROWS, ROWS), SHIFT, None))
    module[0].requires_grad_(False)
    assert derived_limit(sann.ModuleRisk(module, nn.MSELoss(), (ROWS, ROWS), SHIFT, None)) < whole


def test_the_matrix_of_a_small_convolution_only_lowers_the_limit(monkeypatch):
    risk = risk_of(NETWORKS["zeros"]())
    small = derived_limit(risk)
    monkeypatch.setattr(layer_limits, "_DENSE", 0)
    assert small <= derived_limit(risk)


def test_deriving_a_limit_draws_no_random_numbers():
    risk, state = risk_of(NETWORKS["pools"]()), torch.get_rng_state()
    derived_limit(risk)
    assert torch.equal(state, torch.get_rng_state())


def hooked() -> nn.Module:
    module = nn.Sequential(nn.Linear(6, 6))
    module[0].register_forward_hook(lambda layer, args, out: 100 * out)
    return module


class Mine(nn.Linear):
    def forward(self, x):
        return 100 * super().forward(x)


class Named(nn.Sequential):
    """As users name the parts of a network: it only says which layers there are."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__(*(layers or (nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 6))))


class Forward(Named):
    def forward(self, x):
        return 100 * super().forward(x)


class Call(Named):
    def __call__(self, x):
        return 100 * super().__call__(x)


class Twice(Named):
    def __iter__(self):
        yield from (self[0], self[0])


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.branch = nn.Linear(6, 6)

    def forward(self, x):
        return x + self.branch(x)


def patched(module: nn.Module, layer: nn.Module) -> nn.Module:
    """The module, of which one layer (or all of it) computes something else."""
    before = layer.forward
    layer.forward = lambda x: 100 * before(x)
    return module


def test_a_subclass_of_sequential_that_only_names_its_layers_has_their_limit():
    inner = Named()
    plain = nn.Sequential(*inner, nn.ReLU()).double()
    named = Named(inner, nn.ReLU()).double()
    limits = [
        derived_limit(sann.ModuleRisk(module, nn.MSELoss(), (ROWS, ROWS), SHIFT, None))
        for module in (plain, named)
    ]
    assert limits[0] == limits[1]


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        (nn.Sequential(nn.Linear(6, 6), nn.SiLU()), {}, "the layer SiLU is not known"),
        (Mine(6, 6), {}, "the layer Mine is not known"),
        (hooked(), {}, "Linear has hooks"),
        (Forward(nn.Linear(6, 6)), {}, "Forward has a forward of its own"),
        (Call(nn.Linear(6, 6)), {}, "Call has a __call__ of its own"),
        (Twice(nn.Linear(6, 6)), {}, "Twice has a __iter__ of its own"),
        (patched(net := Named(), net), {}, "Named has a forward of its own"),
        (patched(net := nn.Sequential(nn.Linear(6, 6)), net), {}, "Sequential has a forward of its"),
        (patched(net := nn.Sequential(nn.Linear(6, 6)), net[0]), {}, "Linear has a forward of its"),
        (
            nn.Sequential(Residual(), nn.Linear(6, 6)),
            {},
            r"the layer Residual is not known .* x \+ f\(x\).*nn.audit largest=.*A limit by hand",
        ),
        (nn.utils.parametrizations.weight_norm(nn.Linear(6, 6)), {}, "Linear is not known"),
        (nn.Sequential(nn.Linear(6, 6), nn.GELU("tanh")), {}, "approximate='tanh'"),
        (nn.Linear(6, 6), {"loss": nn.L1Loss()}, "the loss L1Loss is not known"),
        (nn.Linear(6, 6), {"loss": lambda p, y: ((p - y) ** 4).mean(1)}, "the loss <lambda>"),
        (
            nn.Linear(6, 6),
            {"action": sa.custom_action(SHIFT.group, lambda g, x: SHIFT(g, x))},
            "the action is 'custom'",
        ),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused_by_name(module, options, message):
    made = {"loss": nn.MSELoss(), "action": SHIFT, **options}
    risk = sann.ModuleRisk(module.double(), made["loss"], (ROWS, ROWS), made["action"], None)
    with pytest.raises(UnsupportedError, match=message):
        derived_limit(risk)


def test_weights_of_classes_and_ignored_targets_are_refused():
    module = nn.Linear(6, 6).double()
    for loss, y in (
        (nn.CrossEntropyLoss(reduction="none", weight=torch.ones(6).double()), LABELS),
        (nn.CrossEntropyLoss(reduction="none"), torch.softmax(ROWS, 1)),
        (nn.CrossEntropyLoss(ignore_index=2, reduction="none"), LABELS),
    ):
        risk = sann.ModuleRisk(module, loss, (ROWS, y), SHIFT, None)
        with pytest.raises(UnsupportedError, match="CrossEntropyLoss with weights"):
            derived_limit(risk)


@pytest.mark.parametrize("loss", [nn.MSELoss(), nn.HuberLoss(delta=1e3)])
@pytest.mark.parametrize("outputs", [(1, 64), (64, 1)])
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_targets_that_broadcast_against_the_outputs_are_refused(loss, outputs):
    """64 outputs for one target: the derivative is 8 times as long as that of one residual."""
    made, wanted = outputs
    module = nn.Linear(6, made).double()
    y = torch.full((5, wanted), 100.0, dtype=torch.float64)
    risk = sann.ModuleRisk(module, loss, (ROWS, y), SHIFT, None)
    with pytest.raises(UnsupportedError, match="broadcast"):
        derived_limit(risk)


def test_softmax_forgets_a_norm_that_overflows():
    module = nn.Sequential(nn.Linear(6, 6), nn.Softmax(1)).double()
    nn.init.constant_(module[0].bias, 1e200)
    risk = sann.ModuleRisk(module, nn.MSELoss(), (ROWS, ROWS), SHIFT, None)
    assert float(risk.gradient(risk.theta).norm()) <= derived_limit(risk) < 1e3


def test_a_limit_that_overflows_is_refused():
    """The outputs are finite, as all units are off; the product of the norms is not."""
    module = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 6)).double()
    for layer in (module[0], module[2]):
        nn.init.constant_(layer.weight, 1e150)
    nn.init.constant_(module[0].bias, -1e160)
    risk = sann.ModuleRisk(module, nn.MSELoss(), (ROWS, ROWS), SHIFT, None)
    with pytest.raises(UnsupportedError, match="too large for a float"):
        derived_limit(risk)


def test_deriving_a_limit_leaves_the_data_alone():
    x = ROWS.clone()
    module = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(6, 6)).double()
    derived_limit(sann.ModuleRisk(module, nn.MSELoss(), (x, ROWS), SHIFT, None))
    assert torch.equal(x, ROWS)


class Compared:
    """A loss that cannot be a key of a dictionary."""

    def __eq__(self, other):
        return True

    def __call__(self, p, y):
        return ((p - y) ** 2).mean()


def test_a_loss_without_a_hash_is_refused_by_name():
    risk = sann.ModuleRisk(nn.Linear(6, 6).double(), Compared(), (ROWS, ROWS), SHIFT, None)
    with pytest.raises(UnsupportedError, match="the loss Compared is not known"):
        derived_limit(risk)
