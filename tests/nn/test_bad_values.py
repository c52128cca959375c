"""Every public callable of sparseaug.nn with bad values for each argument: answered by name."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError, SparseAugError


class Unequal:
    """Compares with nothing."""

    def __eq__(self, other):
        raise RuntimeError("compared")

    __hash__ = None


class Unsized:
    """Has no length that it would tell."""

    def __len__(self):
        raise RuntimeError("measured")


SQUARE = np.arange(16.0).reshape(4, 4)
READ_ONLY = SQUARE.copy()
READ_ONLY.flags.writeable = False
BAD = {
    "None": None,
    "nan": float("nan"),
    "infinite": float("inf"),
    "negative": -1,
    "huge": 10**30,
    "huger": 10**5000,
    "half": 0.5,
    "true": True,
    "complex": 1j,
    "text": "abc",
    "bytes": b"x",
    "empty": [],
    "ragged": [[1], [2, 3]],
    "mapping": {"a": 1},
    "object": object(),
    "unequal": Unequal(),
    "unsized": Unsized(),
    "number": np.zeros(()),
    "vector": np.zeros(3),
    "nans": SQUARE * np.nan,
    "objects": np.array([None, "a"], object),
    "words": np.full((4, 4), "a"),
    "complexes": SQUARE * 1j,
    "no rows": np.zeros((0, 4)),
    "too wide": np.zeros((4, 5)),
    "read-only": READ_ONLY,
    "strided": np.arange(64.0).reshape(8, 8)[::2, ::-2],
    "integers": torch.arange(16).reshape(4, 4),
    "bfloat16": torch.ones(4, 4, dtype=torch.bfloat16),
    "complex tensor": torch.ones(4, 4) * 1j,
    "nan tensor": torch.full((4, 4), float("nan")),
    "sparse": torch.eye(4).to_sparse(),
    "no memory": torch.empty(4, 4, device="meta"),
    "another group": sa.Oracle(sa.symmetric(5)).draw(3),
    "another action": sa.permute_axis(sa.symmetric(5)),
}

G = sa.symmetric(4)
ACT = sa.permute_axis(G)
S = sa.Oracle(G, seed=0).draw(4)
X = torch.tensor(np.random.default_rng(0).normal(size=(6, 4)))
Y = X.sum(1, keepdim=True)
DEVIATION = sa.deviation(S)
TURN = sa.rotate_grid(sa.dihedral(4))
TURNS = sa.Oracle(TURN.group).draw(4)
IMAGE = torch.rand(3, 4, 4, generator=torch.Generator().manual_seed(0))


def oracle():
    return sa.Oracle(G, seed=9)


def copies():
    return sann.OneShotDataset(TensorDataset(X, Y), ACT, S)


def sampler():
    return sann.OrbitBatchSampler(copies(), 4)


def stream():
    return sann.StreamingDataset(TensorDataset(X, Y), ACT, oracle())


def module():
    torch.manual_seed(0)
    return nn.Linear(4, 1).double()


def risk():
    return sann.ModuleRisk(module(), nn.MSELoss(), (X, Y), ACT, S)


def streaming_risk():
    return sann.StreamingModuleRisk(module(), nn.MSELoss(), (X, Y), ACT, oracle())


def same(x):
    return x


def orbit():
    return sann.OrbitBatch(ACT, S)


def average():
    return sann.OrbitAverage(same, ACT, S, deviation=DEVIATION)


def transform():
    return sann.OrbitTransform(TURN, TURNS)


def graph():
    return SimpleNamespace(
        num_nodes=4, x=torch.rand(4, 2), edge_index=torch.tensor([[0, 1], [1, 2]])
    )


RISK = risk()
SGD = torch.optim.SGD(RISK.parameters, lr=0.01)


@dataclass(frozen=True)
class Fresh:
    """An argument that is made for each call."""

    make: Callable[[], Any]


# what to call, and good arguments
CASES = {
    "OneShotDataset": (
        sann.OneShotDataset,
        {"dataset": TensorDataset(X, Y), "action": ACT, "S": S, "y_action": None},
    ),
    "OneShotDataset[]": (lambda k: copies()[k], {"k": 3}),
    "OneShotDataset[list]": (lambda indices: copies().__getitems__(indices), {"indices": [1, 2]}),
    "source_index": (lambda k: copies().source_index(k), {"k": 3}),
    "element_index": (lambda k: copies().element_index(k), {"k": [3]}),
    "OrbitBatchSampler": (
        sann.OrbitBatchSampler,
        {
            "dataset": Fresh(copies),
            "batch_size": 4,
            "copies": "spread",
            "shuffle": True,
            "seed": 0,
            "drop_last": False,
            "rank": 0,
            "num_ranks": 1,
        },
    ),
    "OrbitBatchSampler.set_epoch": (lambda epoch: sampler().set_epoch(epoch), {"epoch": 1}),
    "OrbitBatchSampler.state_dict": (
        lambda position: sampler().state_dict(position=position),
        {"position": 1},
    ),
    "ResumableLoader": (
        lambda **given: next(iter(sann.ResumableLoader(**given))),
        {"dataset": Fresh(copies), "batch_sampler": Fresh(sampler)},
    ),
    "StreamingDataset": (
        sann.StreamingDataset,
        {"dataset": TensorDataset(X, Y), "action": ACT, "oracle": Fresh(oracle), "y_action": None},
    ),
    "StreamingDataset[]": (lambda index: stream()[index], {"index": 1}),
    "StreamingDataset[list]": (lambda indices: stream().__getitems__(indices), {"indices": [1]}),
    "StreamingDataset.set_epoch": (lambda epoch: stream().set_epoch(epoch), {"epoch": 1}),
    "OrbitBatch": (sann.OrbitBatch, {"action": ACT, "S": S, "sample_shape": (4,)}),
    "OrbitBatch()": (lambda **given: orbit()(**given), {"x": X, "which": [0, 1]}),
    "OrbitBatch.move_each": (
        lambda **given: orbit().move_each(**given),
        {"x": torch.rand(4, 3, 4), "which": None},
    ),
    "OrbitBatch.repeat": (lambda **given: orbit().repeat(**given), {"y": Y, "which": [0, 1]}),
    "OrbitBatch.subset": (
        lambda **given: orbit().subset(**given),
        {"step": 0, "size": 2, "seed": 0},
    ),
    "OrbitAverage": (
        lambda **given: sann.OrbitAverage(**given)(X),
        {
            "model": same,
            "action": ACT,
            "S": S,
            "output_action": None,
            "merge": "mean",
            "chunk_size": None,
            "deviation": None,
        },
    ),
    "OrbitAverage()": (lambda x: average()(x), {"x": X}),
    "OrbitAverage.statistics": (lambda x: average().statistics(x), {"x": X}),
    "OrbitAverage.invariance_bound": (
        lambda output_range: average().invariance_bound(output_range=output_range),
        {"output_range": (0, 1)},
    ),
    "estimated_error": (
        lambda deviation: average().statistics(X).estimated_error(deviation),
        {"deviation": DEVIATION},
    ),
    "invariance_error": (
        sann.invariance_error,
        {
            "model": same,
            "action": ACT,
            "S_or_group": S,
            "x": X.numpy(),
            "output_action": None,
            "chunk_size": None,
            "delta": 0.05,
            "calls": 10,
            "seed": 0,
        },
    ),
    "assert_invariant": (
        sann.assert_invariant,
        {
            "model": lambda x: x.sum(1),
            "action": ACT,
            "S_or_group": S,
            "x": X.numpy(),
            "tolerance": None,
        },
    ),
    "InvarianceError": (
        lambda **given: sann.InvarianceError(**given).update(X),
        {
            "model": same,
            "action": ACT,
            "S": S,
            "output_action": None,
            "chunk_size": None,
        },
    ),
    "InvarianceError()": (lambda x: sann.InvarianceError(same, ACT, S)(x), {"x": X}),
    "ModuleRisk": (
        sann.ModuleRisk,
        {
            "module": Fresh(module),
            "loss": nn.MSELoss(),
            "data": (X, Y),
            "action": ACT,
            "S": S,
            "y_action": None,
            "chunk_size": None,
        },
    ),
    "ModuleRisk.value": (lambda theta: risk().value(theta), {"theta": risk().theta}),
    "ModuleRisk.gradient": (lambda theta: risk().gradient(theta), {"theta": risk().theta}),
    "ModuleRisk.load": (lambda theta: risk().load(theta), {"theta": risk().theta}),
    "ModuleRisk.on": (lambda S: risk().on(S), {"S": S}),
    "ModuleRisk.audited": (
        lambda **given: risk().audited(**given),
        {
            "theta": risk().theta,
            "oracle": Fresh(oracle),
            "audit_calls": 4,
            "delta": 0.05,
            "largest": 100.0,
        },
    ),
    "audit": (
        sann.audit,
        {
            "risk": Fresh(risk),
            "theta": risk().theta,
            "oracle": Fresh(oracle),
            "calls": 4,
            "delta": 0.05,
            "largest": 100.0,
        },
    ),
    "fit": (sann.fit, {"risk": RISK, "optimizer": SGD, "num_steps": 2, "callback": None}),
    "StreamingModuleRisk": (
        sann.StreamingModuleRisk,
        {
            "module": Fresh(module),
            "loss": nn.MSELoss(),
            "data": (X, Y),
            "action": ACT,
            "oracle": Fresh(oracle),
            "batch": 1,
            "y_action": None,
            "chunk_size": None,
        },
    ),
    "StreamingModuleRisk.resume": (lambda step: streaming_risk().resume(step), {"step": 1}),
    "OrbitTransform": (sann.OrbitTransform, {"action": TURN, "S": TURNS, "seed": 0}),
    "OrbitTransform()": (lambda inputs: transform()(inputs), {"inputs": IMAGE}),
    "OrbitTransform.set_epoch": (lambda epoch: transform().set_epoch(epoch), {"epoch": 1}),
    "OrbitTransform.make_params": (
        lambda flat_inputs: transform().make_params(flat_inputs),
        {"flat_inputs": [IMAGE]},
    ),
    "OrbitTransform.transform": (
        lambda **given: transform().transform(**given),
        {"inpt": IMAGE, "params": {"element": 1}},
    ),
    "RelabelNodes": (sann.RelabelNodes, {"S": S, "seed": 0}),
    "RelabelNodes()": (lambda data: sann.RelabelNodes(S)(data), {"data": Fresh(graph)}),
    "RelabelNodes.set_epoch": (lambda epoch: sann.RelabelNodes(S).set_epoch(epoch), {"epoch": 1}),
    "SymmetryCallback": (
        sann.SymmetryCallback,
        {"action": ACT, "S": S, "x": X, "every": 1, "degree": None},
    ),
}
# the message names what a valid object of another group does not fit instead
ELSEWHERE = {"another action", "another group"}


def good(arguments):
    return {
        name: value.make() if isinstance(value, Fresh) else value
        for name, value in arguments.items()
    }


@pytest.mark.parametrize("case", CASES)
def test_bad_values_are_answered_by_name(case):
    call, arguments = CASES[case]
    call(**good(arguments))
    for name, (kind, value) in itertools.product(arguments, BAD.items()):
        if name == "callback" and callable(value):
            continue  # what a function of the user's raises is the user's
        message = answer(call, {**good(arguments), name: value})
        named = message is None or re.search(rf"\b{name}\b", message)
        assert named or kind in ELSEWHERE, (name, kind, message)


def answer(call, arguments):
    """What the library says of them; None where it takes them."""
    try:
        call(**arguments)
    except SparseAugError as error:
        return str(error)
    return None


def graph_with(**attributes):
    data = graph()
    for name, value in attributes.items():
        setattr(data, name, value)
    return data


def test_what_is_about_nodes_and_cannot_be_relabelled_is_refused():
    """Else the edges would be relabelled and the rest stay, or the other way round."""
    relabel = sann.RelabelNodes(S)
    for attributes, message in (
        ({"edge_index": np.array([[0, 1], [1, 2]])}, r"data.edge_index .* make it a tensor"),
        ({"edge_index": [[0, 1], [1, 2]]}, r"data.edge_index .* make it a tensor"),
        ({"x": np.ones((4, 2))}, r"data.x .* make it a tensor"),
        ({"pos": [[0.0]] * 4}, r"data.pos .* make it a tensor"),
        ({"x": torch.ones(3, 2)}, "data.x does not have one row for each of 4 nodes"),
        ({"x": torch.eye(4).to_sparse()}, "data.x is a tensor with layout torch.sparse_coo"),
    ):
        with pytest.raises(ArgumentError, match=message):
            relabel(graph_with(**attributes))
    kept = relabel(graph_with(index=7, y=torch.ones(1), pos=None))
    assert (kept.index, kept.pos, kept.y.tolist()) == (7, None, [1.0])


def test_a_model_that_fails_says_on_what():
    def fails(x):
        raise IndexError("no such layer")

    for measure in (
        lambda: sann.invariance_error(fails, ACT, S, X),
        lambda: sann.InvarianceError(fails, ACT, S).update(X),
        lambda: sann.OrbitAverage(fails, ACT, S)(X),
        lambda: sann.invariance_error(nn.Linear(4, 1), ACT, S, X),  # in single precision
    ):
        with pytest.raises(ArgumentError, match=r"model failed on x of shape .*float64"):
            measure()
    with pytest.raises(ZeroDivisionError):  # a mistake of its own
        sann.invariance_error(lambda x: 1 / 0, ACT, S, X)


def test_indices_beyond_the_ends_are_argument_errors_and_index_errors():
    for data in (copies(), stream()):
        for kind in (ArgumentError, IndexError):
            with pytest.raises(kind, match=f"out of range for {len(data)} items"):
                data[len(data)]
            with pytest.raises(kind, match=f"out of range for {len(data)} items"):
                data.__getitems__([0, -len(data) - 1])
