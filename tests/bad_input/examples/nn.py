"""Good arguments for the PyTorch layer."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from tests.bad_input.judge import Fresh, Table

G = sa.symmetric(4)
ACT = sa.permute_axis(G)
S = sa.Oracle(G, seed=0).draw(4)
X = torch.tensor(np.random.default_rng(0).normal(size=(6, 4)))
Y = X.sum(1, keepdim=True)
DATASET = TensorDataset(X, Y)
MODULE = nn.Linear(4, 1).double()
MOVED = ("array of NaN", "complex array", "complex tensor", "tensor without memory")  # data
ITEMS = ("text", "array", "array of NaN", "list", "never")  # which are looked at when taken
NUMBERS = {"k": ("array", "list", "nested 50 deep")}
SOME = ("set", "generator", "dict")  # anything that lists numbers of elements


def same(x: Any) -> Any:
    return x


oracle = partial(sa.Oracle, G, seed=9)
copies = partial(sann.OneShotDataset, DATASET, ACT, S)
module = partial(deepcopy, MODULE)
orbit = partial(sann.OrbitBatch, ACT, S)
average = partial(sann.OrbitAverage, same, ACT, S)


def sampler() -> sann.OrbitBatchSampler:
    return sann.OrbitBatchSampler(copies(), 4)


def stream() -> sann.StreamingDataset:
    return sann.StreamingDataset(DATASET, ACT, oracle())


def loader() -> sann.ResumableLoader:
    return sann.ResumableLoader(copies(), batch_sampler=sampler())


def risk() -> sann.ModuleRisk:
    return sann.ModuleRisk(module(), nn.MSELoss(), (X, Y), ACT, S)


RISK = risk()
THETA = RISK.theta
good = Table(
    {
        **{"action": ACT, "S": S, "S_or_group": S, "x": X, "y": Y, "y_action": None},
        **{"output_action": None, "dataset": DATASET, "k": 3, "index": 1, "indices": [1, 2]},
        **{"epoch": 1, "position": 1, "fractions": [0.5, 0.5], "rng": 0, "batch_size": 4},
        **{"copies": "spread", "shuffle": True, "seed": 0, "drop_last": False, "rank": 0},
        **{"num_ranks": 1, "even": True, "which": [0, 1], "step": 1},
        **{"size": 2, "model": same, "chunk_size": None, "delta": 0.05},
        **{"output_range": (0, 1), "calls": 4, "tolerance": None, "theta": THETA},
        **{"module": Fresh(module), "loss": nn.MSELoss(), "data": (X, Y)},
        **{"oracle": Fresh(oracle), "largest": 100.0, "translates_of": S, "until": 1.0},
        "risk": Fresh(risk),
    },
    takes={"x": MOVED, "y": MOVED, "which": SOME},
)


def of_data() -> Any:
    yield good(sann.OneShotDataset, takes={"dataset": ITEMS})
    yield good(sann.StreamingDataset, takes={"dataset": ITEMS})
    for name in ("__getitem__", "__getitems__", "split"):
        yield good.on(copies, name)
    yield good.on(copies, "source_index", takes=NUMBERS)
    yield good.on(copies, "element_index", takes=NUMBERS, k=[3])
    yield good(sann.OrbitBatchSampler, dataset=Fresh(copies))
    yield good.on(sampler, "set_epoch")
    yield good(
        sann.ResumableLoader,
        "dataset",
        via=lambda **given: next(iter(sann.ResumableLoader(**given))),
        dataset=Fresh(copies),
        batch_sampler=Fresh(sampler),
    )
    for name in ("__getitem__", "__getitems__", "set_epoch"):
        yield good.on(stream, name)
    for make in (loader, stream):
        yield good.on(make, "load_state_dict", state=make().state_dict())


def of_models() -> Any:
    yield good(sann.OrbitBatch)
    for name in ("forward", "repeat"):
        yield good.on(orbit, name)
    average_of = {"via": lambda **given: sann.OrbitAverage(**given)(X)}
    moved = "model action S output_action chunk_size"
    yield good(sann.OrbitAverage, moved, **average_of)
    yield good(sann.OrbitAverage, "model action x", S="choose", error=1.0)
    for make, name in ((average, "forward"), (average, "statistics")):
        yield good.on(make, name)
    yield good.on(average, "invariance_bound")


def of_risks() -> Any:
    data = {"takes": {"x": (), "y": ()}}
    yield good(sann.ModuleRisk)
    for name in ("value", "gradient", "value_and_gradient", "require_theta", "on"):
        yield good.on(lambda: RISK, name, **data)
    yield good.on(lambda: RISK, "exact")
    yield good(sann.ModuleRisk.audited)
    yield good(sann.audit)
    yield good.on(risk, "load")


EXAMPLES = [*of_data(), *of_models(), *of_risks()]
