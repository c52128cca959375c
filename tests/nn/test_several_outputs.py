"""Models that return a dict, a tuple or a named tuple: averaged leaf by leaf, or refused by name."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import torch
from torch import nn

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.nn import InvarianceMetric, ModuleRisk, OrbitAverage

GRIDS = sa.rotate_grid(sa.dihedral(4))
STILL = sa.custom_action(GRIDS.group, lambda g, x: x.expand(len(g), *x.shape))
S = sa.Oracle(GRIDS.group, seed=0).draw(7)


class Pair(NamedTuple):
    mask: torch.Tensor
    logits: torch.Tensor


FORMS = {  # of a mask that moves with the image and logits that stay, and how they move
    "dict": (
        lambda mask, logits: {"mask": mask, "logits": logits},
        {"mask": GRIDS, "logits": STILL},
    ),
    "tuple": (lambda mask, logits: (mask, logits), (GRIDS, None)),
    "named": (Pair, (GRIDS, STILL)),
}
each_form = pytest.mark.parametrize("form", FORMS)


def images():
    return torch.randn(5, 1, 4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def networks():
    torch.manual_seed(0)
    head = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 2))
    return nn.Conv2d(1, 1, 3, padding=1).double(), head.double()


def parts(y):
    return list(y.values()) if isinstance(y, dict) else list(y)


@each_form
@pytest.mark.parametrize("chunk_size", [None, 4])
def test_each_is_the_average_of_that_output_alone(form, chunk_size):
    make, moves = FORMS[form]
    together = sa.together(**moves) if form == "dict" else sa.together(*moves)
    conv, head = networks()
    options = {"chunk_size": chunk_size}
    pair = OrbitAverage(lambda x: make(conv(x), head(x)), GRIDS, S, together, **options)
    alone = [
        OrbitAverage(conv, GRIDS, S, GRIDS, **options),
        OrbitAverage(head, GRIDS, S, **options),
    ]
    x = images()
    found, seen = pair(x), pair.statistics(x)
    assert type(found) is type(make(1, 2))
    torch.testing.assert_close(parts(found), [one(x) for one in alone])
    torch.testing.assert_close(parts(seen.std), [one.statistics(x).std for one in alone])
    likely = parts(seen.estimated_error(pair.deviation))
    torch.testing.assert_close(likely, [pair.deviation.value * std for std in parts(seen.std)])
    assert parts(seen.to_dict()["mean"])[1] == parts(seen.mean)[1].tolist()


@each_form
def test_outputs_that_stay_need_no_action(form):
    make, head, x = FORMS[form][0], networks()[1], images()
    found = OrbitAverage(lambda x: make(head(x), 2 * head(x)), GRIDS, S)(x)
    expected = OrbitAverage(head, GRIDS, S)(x)
    torch.testing.assert_close(parts(found), [expected, 2 * expected])


@pytest.mark.parametrize("several", [False, True])
def test_the_repr_of_statistics_is_one_line_without_its_tensors(several):
    head = networks()[1]
    seen = OrbitAverage(lambda x: (head(x), x) if several else head(x), GRIDS, S).statistics(
        images()
    )
    shapes = "shapes (5, 2), (5, 1, 4, 4)" if several else "shape (5, 2)"
    assert repr(seen).startswith(f"OrbitStatistics({shapes} and dtype")
    assert repr(seen).endswith(", m=7)")
    assert len(repr(seen)) < 105


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (lambda y: {"logits": y, "label": y.argmax(1)}, r"torch.int64 .* not labels"),
        (lambda y: {"logits": y, "loss": y.mean()}, r"model returned shape \(\)"),
        (lambda y: {"logits": y, "hidden": None}, "model returned a NoneType"),
        (lambda y: [y, y], "model returned a list"),
        (lambda y: {}, "model returned an empty dict"),
    ],
)
def test_an_output_that_is_not_a_row_of_numbers_for_each_sample_is_refused(outputs, message):
    head = networks()[1]
    with pytest.raises(ArgumentError, match=message):
        OrbitAverage(lambda x: outputs(head(x)), GRIDS, S)(images())


def test_a_metric_says_how_to_choose_one():
    for outputs in (lambda x: {"logits": x}, lambda x: (x, x)):
        with pytest.raises(
            ArgumentError, match=r"returned a (dict|tuple).* lambda x: model\(x\)\["
        ):
            InvarianceMetric(outputs, GRIDS, S).update(images())


def test_a_risk_gives_them_to_the_loss():
    class Named(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = networks()[1]

        def forward(self, x):
            return {"logits": self.inner(x), "none": None}

    def loss(prediction, y):
        return (prediction["logits"] - y).square().mean(1)

    x, named = images(), Named()
    data = x, x[:, 0, 0, :2]
    risks = (
        ModuleRisk(named, loss, data, GRIDS, S),
        ModuleRisk(named.inner, nn.MSELoss(), data, GRIDS, S),
    )
    gradients = [risk.gradient(risk.theta) for risk in risks]
    torch.testing.assert_close(*gradients)
    assert float(gradients[0].norm()) > 0
