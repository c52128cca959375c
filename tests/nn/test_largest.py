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
ONE_HOT = functional.one_hot(LABELS, 3).double()
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
    "linear": lambda: [nn.Flatten(), nn.Linear(72, 3)],
    "tanh": lambda: [nn.Flatten(), nn.Linear(72, 8), nn.Tanh(), nn.Linear(8, 3)],
    "places": lambda: [nn.Linear(6, 4), nn.ReLU(), nn.Flatten(), nn.Linear(48, 3)],
    "norms": lambda: [
        *(norm(nn.BatchNorm2d(2)), nn.Conv2d(2, 3, 3), norm(nn.BatchNorm2d(3)), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(48, 3)),
    ],
    "pools": lambda: [
        *(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1)),
        *(nn.Flatten(), nn.Linear(36, 3)),
    ],
    **{
        name: lambda conv=conv: [conv, nn.ReLU(inplace=True), nn.Flatten(), nn.LazyLinear(3)]
        for name, conv in CONVS.items()
    },
}
LOSSES = {
    "cross-entropy": (functional.cross_entropy, LABELS),
    "squared": (nn.MSELoss(), ONE_HOT),
    "Huber": (nn.HuberLoss(delta=0.3), ONE_HOT),
}


def image_risk(name: str, loss=functional.mse_loss, y=ONE_HOT) -> sann.ModuleRisk:
    module = nn.Sequential(*NETWORKS[name]()).double()
    module(IMAGES[:1])  # a lazy layer finds its shape
    return sann.ModuleRisk(module, loss, (IMAGES, y), TURN, None)


def row_risk(module: nn.Module, loss=None, y=ROWS, action=SHIFT) -> sann.ModuleRisk:
    return sann.ModuleRisk(module.double(), loss or nn.MSELoss(), (ROWS, y), action, None)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", NETWORKS)
def test_no_gradient_of_a_sample_is_longer_than_the_layers_allow(name, loss):
    """Mean over samples of the largest norm over the group, with large and small parameters."""
    for seed, scale in enumerate((0.1, 1.0, 3.0)):
        torch.manual_seed(seed)
        risk = image_risk(name, *LOSSES[loss])
        generator = torch.Generator().manual_seed(seed)
        noise = torch.randn(risk.size, generator=generator, dtype=torch.float64)
        risk.load(scale * noise / math.sqrt(10))
        most = []
        parameters = list(risk.module.parameters())
        for i, copies in enumerate(TURN(TURN.group.all_elements(), IMAGES).swapaxes(0, 1)):
            losses = [risk.loss(risk.module(x[None]), risk.data[1][i : i + 1]) for x in copies]
            gradients = [torch.autograd.grad(loss, parameters) for loss in losses]
            most.append(max(math.hypot(*(float(g.norm()) for g in each)) for each in gradients))
        before, state = risk.data[0].clone(), torch.get_rng_state()
        assert np.mean(most) <= derived_limit(risk) < math.inf
        assert torch.equal(risk.data[0], before)  # layers that work in place leave the data alone
        assert torch.equal(torch.get_rng_state(), state)


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


UNIT = torch.eye(5).double()[2]
ATTAINED = {
    "linear": (nn.Linear(6, 4), grid(6)),
    "relu": (nn.ReLU(), grid(6).abs()),
    "tanh": (nn.Tanh(), 1e-9 * grid(6)),
    "max": (nn.MaxPool2d(3, 2), UNIT.outer(UNIT)[None, None]),
    "norm": (norm(nn.BatchNorm2d(2)), grid(2, 3, 3)),
    **{name: (conv, grid(2, 6, 6)) for name, conv in CONVS.items()},
}


@pytest.mark.parametrize("name", ATTAINED)
def test_the_rule_of_a_layer_bounds_its_output_and_derivatives_and_its_slope_is_attained(name):
    """Singular values of the Jacobian at one point; random inputs and derivatives of the loss."""
    layer, point = ATTAINED[name]
    layer = layer.double()

    def rule_at(a):
        with torch.no_grad():
            return layer_limits._RULES[type(layer)](layer, a, layer(a))

    jacobian = torch.autograd.functional.jacobian(layer, point).reshape(-1, point.numel())
    slope = float(torch.linalg.matrix_norm(jacobian, 2))
    assert slope * (1 - 1e-12) <= rule_at(point).slope <= slope * (1 + 1e-9)
    generator = torch.Generator().manual_seed(1)
    for scale in (0.0, 0.01, 1.0, 100.0):
        noise = torch.randn(point.shape, generator=generator, dtype=torch.float64)
        for a in (scale * noise, scale * noise.abs(), point):
            out, rule, length = layer(a), rule_at(a), np.array([float(a.norm())])
            most = min(rule.factor * length[0] + rule.shift, rule.cap)
            assert float(out.detach().norm()) <= most * (1 + 1e-12)
            random = torch.randn(out.shape, generator=generator).double()
            for delta in (torch.ones_like(out), random):
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
    risk = sann.ModuleRisk(nn.Sequential(shared, shared), nn.MSELoss(), (x, -x), SHIFT, None)
    seen = float(risk.gradient(risk.theta).norm())
    assert seen <= derived_limit(risk) <= seen * (1 + 1e-10)


class Forward(nn.Sequential):
    def forward(self, x):
        return 100 * super().forward(x)


class Compared:
    """A loss that cannot be a key of a dictionary."""

    def __eq__(self, other):
        return True

    def __call__(self, p, y):
        return ((p - y) ** 2).mean()


def large() -> nn.Module:
    """The outputs are finite, as all units are off; the product of the norms is not."""
    module = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 6)).double()
    for layer in (module[0], module[2]):
        nn.init.constant_(layer.weight, 1e150)
    nn.init.constant_(module[0].bias, -1e160)
    return module


LINEAR, LOSS = nn.Linear(6, 6), nn.CrossEntropyLoss
CUSTOM = sa.custom_action(SHIFT.group, lambda g, x: SHIFT(g, x))
WEIGHTED = LOSS(reduction="none", weight=torch.ones(6).double())
UNKNOWN = {
    r"the layer SiLU is not known .* x \+ f\(x\).*nn.audit largest=": (
        nn.Sequential(LINEAR, nn.SiLU()),
        {},
    ),
    "Forward has a forward of its own": (Forward(LINEAR), {}),
    "the loss L1Loss is not known": (LINEAR, {"loss": nn.L1Loss()}),
    "the loss Compared is not known": (LINEAR, {"loss": Compared()}),
    "the action is 'custom'": (LINEAR, {"action": CUSTOM}),
    "CrossEntropyLoss with weights": (LINEAR, {"loss": WEIGHTED, "y": LABELS}),
    "soft or ignored": (LINEAR, {"loss": LOSS(), "y": torch.softmax(ROWS, 1)}),
    "ignored targets": (LINEAR, {"loss": LOSS(ignore_index=2, reduction="none"), "y": LABELS}),
    "too large for a float": (large(), {}),
}


@pytest.mark.parametrize("message", UNKNOWN)
def test_what_is_not_known_is_refused_by_name(message):
    module, options = UNKNOWN[message]
    with pytest.raises(UnsupportedError, match=message):
        derived_limit(row_risk(module, **options))


@pytest.mark.parametrize(("made", "wanted"), [(1, 64), (64, 1)])
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_targets_that_broadcast_against_the_outputs_are_refused(made, wanted):
    """64 outputs for one target: the derivative is 8 times as long as that of one residual."""
    y = torch.full((5, wanted), 100.0, dtype=torch.float64)
    for loss in (nn.MSELoss(), nn.HuberLoss(delta=1e3)):
        with pytest.raises(UnsupportedError, match="broadcast"):
            derived_limit(row_risk(nn.Linear(6, made), loss, y))
