"""Good arguments for the PyTorch layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from tests.bad_input.judge import Example, Fresh, key

G = sa.symmetric(4)
ACT = sa.permute_axis(G)
S = sa.Oracle(G, seed=0).draw(4)
X = torch.tensor(np.random.default_rng(0).normal(size=(6, 4)))
Y = X.sum(1, keepdim=True)
MOVED = ("array of NaN", "complex array", "complex tensor", "tensor without memory")  # data
ITEMS = ("text", "array", "array of NaN", "list", "never")  # which are looked at when taken
NUMBERS = ("array", "list", "nested 50 deep")
SOME = ("set", "generator", "dict")  # anything that lists numbers of elements


def oracle() -> sa.Oracle:
    return sa.Oracle(G, seed=9)


def copies() -> sann.OneShotDataset:
    return sann.OneShotDataset(TensorDataset(X, Y), ACT, S)


def sampler() -> sann.OrbitBatchSampler:
    return sann.OrbitBatchSampler(copies(), 4)


def stream() -> sann.StreamingDataset:
    return sann.StreamingDataset(TensorDataset(X, Y), ACT, oracle())


def loader() -> sann.ResumableLoader:
    return sann.ResumableLoader(copies(), batch_sampler=sampler())


MODULE = nn.Linear(4, 1).double()


def module() -> nn.Module:
    return deepcopy(MODULE)


def risk() -> sann.ModuleRisk:
    return sann.ModuleRisk(module(), nn.MSELoss(), (X, Y), ACT, S)


def streaming_risk() -> sann.StreamingModuleRisk:
    return sann.StreamingModuleRisk(module(), nn.MSELoss(), (X, Y), ACT, oracle())


def same(x: Any) -> Any:
    return x


def orbit() -> sann.OrbitBatch:
    return sann.OrbitBatch(ACT, S)


def average() -> sann.OrbitAverage:
    return sann.OrbitAverage(same, ACT, S)


RISK = risk()
THETA = RISK.theta
SGD = torch.optim.SGD(RISK.parameters, lr=0.01)


def of(make: Callable[[], Any], method: str, takes: Any = None, **good: Any) -> Example:
    """A method, on an object made for each call."""
    found = getattr(type(make()), method)
    return Example(
        lambda **given: getattr(make(), method)(**given), good, of=key(found), takes=takes or {}
    )


def of_data() -> Iterator[Example]:
    base = {"dataset": TensorDataset(X, Y), "action": ACT}
    yield Example(sann.OneShotDataset, {**base, "S": S, "y_action": None}, takes={"dataset": ITEMS})
    yield of(copies, "__getitem__", k=3)
    yield of(copies, "__getitems__", indices=[1, 2])
    yield of(copies, "source_index", {"k": NUMBERS}, k=3)
    yield of(copies, "element_index", {"k": NUMBERS}, k=[3])
    yield of(copies, "split", fractions=[0.5, 0.5], rng=0)
    yield Example(
        sann.OrbitBatchSampler,
        {
            **{"dataset": Fresh(copies), "batch_size": 4, "copies": "spread", "shuffle": True},
            **{"seed": 0, "drop_last": False, "rank": 0, "num_ranks": 1, "even": True},
        },
    )
    yield of(sampler, "set_epoch", epoch=1)
    yield Example(
        lambda **given: next(iter(sann.ResumableLoader(**given))),
        {"dataset": Fresh(copies), "batch_sampler": Fresh(sampler)},
        of=key(sann.ResumableLoader),
    )
    yield of(loader, "load_state_dict", state=loader().state_dict())
    yield Example(
        sann.StreamingDataset,
        {**base, "oracle": Fresh(oracle), "y_action": None},
        takes={"dataset": ITEMS},
    )
    yield of(stream, "__getitem__", index=1)
    yield of(stream, "__getitems__", indices=[1])
    yield of(stream, "set_epoch", epoch=1)
    yield of(stream, "load_state_dict", state=stream().state_dict())


def of_models() -> Iterator[Example]:
    yield Example(sann.OrbitBatch, {"action": ACT, "S": S})
    yield of(orbit, "forward", {"x": MOVED, "which": SOME}, x=X, which=[0, 1])
    yield of(orbit, "move_each", x=torch.rand(4, 3, 4), which=None)
    yield of(orbit, "repeat", {"y": MOVED, "which": SOME}, y=Y, which=[0, 1])
    yield of(orbit, "subset", step=0, size=2, seed=0)
    moved = {"model": same, "action": ACT, "S": S, "output_action": None, "chunk_size": None}
    yield Example(
        lambda **given: sann.OrbitAverage(**given)(X),
        moved,
        of=key(sann.OrbitAverage),
    )
    chosen = {"model": same, "action": ACT, "S": "choose", "x": X, "error": 1.0}
    yield Example(sann.OrbitAverage, chosen, takes={"x": MOVED})
    yield of(average, "forward", {"x": MOVED}, x=X)
    yield of(average, "statistics", {"x": MOVED}, x=X)
    yield of(average, "invariance_bound", output_range=(0, 1))
    yield Example(
        sa.invariance_error,
        {
            **{
                "model": same,
                "action": ACT,
                "S_or_group": S,
                "x": X.numpy(),
                "output_action": None,
            },
            **{"chunk_size": None, "delta": 0.05, "calls": 10},
        },
        takes={"x": MOVED},
    )
    yield Example(
        sa.spectrum.assert_invariant,
        {
            **{"model": lambda x: 0 * x[:, 0], "action": ACT, "S_or_group": S, "x": X.numpy()},
            **{"tolerance": None},
        },
        takes={"x": MOVED},
    )


def of_risks() -> Iterator[Example]:
    problem = {"module": Fresh(module), "loss": nn.MSELoss(), "data": (X, Y), "action": ACT}
    options = {"y_action": None, "chunk_size": None}
    audited = {"theta": THETA, "oracle": Fresh(oracle), "delta": 0.05, "largest": 100.0}
    yield Example(sann.ModuleRisk, {**problem, "S": S, **options})
    yield of(risk, "load", theta=THETA)
    for method in ("value", "gradient", "value_and_gradient", "require_theta"):
        yield of(lambda: RISK, method, theta=THETA)
    yield of(lambda: RISK, "on", S=S)
    also = {"calls": 4, "translates_of": S, "until": 1.0}
    yield of(lambda: RISK, "exact", theta=THETA)
    yield Example(sann.ModuleRisk.audited, {"risk": Fresh(risk), **audited, **also})
    yield Example(sann.audit, {"risk": Fresh(risk), **audited, **also})
    steps = {"optimizer": SGD, "num_steps": 2, "callback": None}
    yield Example(lambda **given: RISK.fit(**given), steps, of=key(sann.ModuleRisk.fit))
    yield Example(
        sann.StreamingModuleRisk,
        {**problem, "oracle": Fresh(oracle), "batch": 1, **options},
        also=("x",),
    )
    yield of(streaming_risk, "resume", step=1)
    yield of(streaming_risk, "load", theta=THETA)


EXAMPLES = [*of_data(), *of_models(), *of_risks()]
