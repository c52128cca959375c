"""Good arguments of custom risks, mini-batches, Algorithm 1, products and orbit variances."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug import certificate, kernels, risk
from tests.bad_input.judge import Fresh, Table

X = np.random.default_rng(0).uniform(-1, 1, (5, 4))
Y = X.sum(axis=1)
ACT = sa.permute_axis(sa.symmetric(4))
MODEL = sa.KernelModel(sa.GaussianKernel(1.0), X[:3])
S = sa.Oracle(ACT.group, seed=0).draw(8)
THETA = np.full(6, 0.3)
CUSTOM = sa.custom_risk(MODEL.losses, (X, Y), ACT, S, largest=100.0)
oracle = partial(sa.Oracle, "S4", seed=5)

# data are moved whatever they hold
MOVED = (
    "array of NaN",
    "complex array",
    "complex tensor",
    "array of text",
    "tensor without memory",
)

good = Table(
    {
        **{"function": MODEL.losses, "data": (X, Y), "action": ACT, "S": S, "largest": 100.0},
        **{"batch": 2, "risk": CUSTOM, "seed": 0, "theta": THETA, "step": 2, "model": MODEL},
        **{"theta0": THETA, "box": 2.0, "eps": 40.0, "delta": 0.05, "calls": 6, "repeats": 2},
        **{"kernel": MODEL.kernel, "x": X, "oracle": Fresh(oracle)},
    }
)


def streaming() -> Any:
    return sa.custom_risk(MODEL.losses, (X, Y), ACT, oracle())


def of_losses() -> Any:
    yield good(sa.custom_risk)
    yield from map(good, (CUSTOM.value, CUSTOM.gradient))
    yield good(risk.minibatch)
    yield from map(good, (risk.minibatch(CUSTOM, 2).value, risk.minibatch(CUSTOM, 2).gradient))


def of_the_rest() -> Any:
    yield good(sa.one_shot, "model data action eps delta seed theta0 box", also="x")
    yield good.on(oracle, "products")
    yield good(kernels.orbit_variances)
    yield good(
        certificate.a_priori,
        "by",
        evidence=certificate.Evidence(MODEL, (X, Y), ACT, S),
        theta=THETA,
        by="paper",
    )


EXAMPLES = [*of_losses(), *of_the_rest()]
