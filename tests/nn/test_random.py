"""What is random or changes while it computes has no certificate: asked when it is made, not when the
risk was built."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError

ACT = sa.flip_signs(sa.sign_flips(4))
X = torch.randn(6, 3, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
Y = X.square().sum((1, 2))[:, None]


class Head(nn.Module):
    """Anything that keeps (B, 3, 4), and one output."""

    def __init__(self, part: nn.Module) -> None:
        super().__init__()
        self.first, self.part, self.last = nn.Linear(4, 4), part, nn.Linear(12, 1)

    def forward(self, x):
        y = self.part(torch.tanh(self.first(x)))
        return self.last((y[0] if isinstance(y, tuple) else y).flatten(1))


class Attention(nn.MultiheadAttention):
    def __init__(self) -> None:
        super().__init__(4, 2, dropout=0.2, batch_first=True)

    def forward(self, x):
        return super().forward(x, x, x)[0]


class Functional(nn.Module):
    """Dropout that no layer tells of, of a small rate."""

    def forward(self, x):
        return functional.dropout(x, 0.001, self.training)


class Noise(nn.Module):
    """With a generator of its own, which is another state than torch's."""

    def __init__(self) -> None:
        super().__init__()
        self.seed = 0

    def forward(self, x):
        self.seed += 1
        generator = torch.Generator().manual_seed(self.seed)
        noise = torch.randn(x.shape, generator=generator, dtype=x.dtype)
        return x + 0.1 * noise if self.training else x


PARTS = {
    "dropout": lambda: nn.Dropout(0.1),
    "attention": Attention,
    "LSTM": lambda: nn.LSTM(4, 4, num_layers=2, dropout=0.2, batch_first=True),
    "RReLU": nn.RReLU,
    "batch norm": lambda: nn.BatchNorm1d(3),
    "instance norm": lambda: nn.InstanceNorm1d(3, track_running_stats=True),
    "functional dropout": Functional,
    "noise": Noise,
}
CERTIFICATES = {
    "exact": lambda risk: risk.exact(risk.theta),
    "audit": lambda risk: sann.audit(risk, risk.theta, sa.Oracle(ACT.group), calls=4, largest=1e6),
}


def risk_of(module: nn.Module) -> sann.ModuleRisk:
    return sann.ModuleRisk(module.double(), nn.MSELoss(), (X, Y), ACT, None)


@pytest.mark.parametrize("name", PARTS)
def test_no_risk_and_no_certificate_of_a_module_in_training_mode(name):
    torch.manual_seed(0)
    module = Head(PARTS[name]()).eval()
    risk = risk_of(module)
    bound = risk.exact(risk.theta).bound
    module.train()
    for ask in CERTIFICATES.values():
        with pytest.raises(ArgumentError, match=r"module\.eval\(\)|mean over samples"):
            ask(risk)
    module.eval()
    assert risk.exact(risk.theta).bound == bound
    with pytest.raises(ArgumentError, match=r"module\.eval\(\)|mean over samples"):
        risk_of(module.train())


def test_a_module_that_is_always_random_is_refused_by_its_random_numbers():
    class Always(nn.Module):
        def forward(self, x):
            return x + 1e-12 * torch.randn_like(x)

    with pytest.raises(ArgumentError, match="draws random numbers"):
        risk_of(Head(Always()).eval())
