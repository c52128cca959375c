"""Graphs that cannot be relabelled, models that fail, indices beyond the end: what is said of them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError

G = sa.symmetric(4)
ACT = sa.permute_axis(G)
S = sa.Oracle(G, seed=0).draw(4)
X = torch.tensor(np.random.default_rng(0).normal(size=(6, 4)))
Y = X.sum(1, keepdim=True)


def graph_with(**attributes):
    data = SimpleNamespace(
        num_nodes=4, x=torch.rand(4, 2), edge_index=torch.tensor([[0, 1], [1, 2]])
    )
    for name, value in attributes.items():
        setattr(data, name, value)
    return data


def relabelled(graph):
    return sann.OneShotDataset([graph], sa.permute_nodes(G), S)[0]


def test_what_is_about_nodes_and_cannot_be_relabelled_is_refused():
    """Else the edges would be relabelled and the rest stay, or the other way round."""
    for attributes, message in (
        ({"edge_index": np.array([[0, 1], [1, 2]])}, r"data.edge_index .* make it a tensor"),
        ({"edge_index": [[0, 1], [1, 2]]}, r"data.edge_index .* make it a tensor"),
        ({"x": np.ones((4, 2))}, r"data.x .* make it a tensor"),
        ({"pos": [[0.0]] * 4}, r"data.pos .* make it a tensor"),
        ({"x": torch.ones(3, 2)}, "data.x does not have one row for each of 4 nodes"),
        ({"x": torch.eye(4).to_sparse()}, "data.x is a tensor with layout torch.sparse_coo"),
    ):
        with pytest.raises(ArgumentError, match=message):
            relabelled(graph_with(**attributes))
    kept = relabelled(graph_with(index=7, y=torch.ones(1), pos=None))
    assert (kept.index, kept.pos, kept.y.tolist()) == (7, None, [1.0])


def test_a_model_that_fails_says_on_what():
    def fails(x):
        raise IndexError("no such layer")

    for measure in (
        lambda: sa.invariance_error(fails, ACT, S, X),
        lambda: sann.InvarianceMetric(fails, ACT, S).update(X),
        lambda: sann.OrbitAverage(fails, ACT, S)(X),
        lambda: sa.invariance_error(nn.Linear(4, 1), ACT, S, X),  # in single precision
    ):
        with pytest.raises(ArgumentError, match=r"model failed on x of shape .*float64"):
            measure()
    with pytest.raises(ZeroDivisionError):  # a mistake of its own
        sa.invariance_error(lambda x: 1 / 0, ACT, S, X)


def test_indices_beyond_the_ends_are_argument_errors_and_index_errors():
    pairs = TensorDataset(X, Y)
    copies, stream = (
        sann.OneShotDataset(pairs, ACT, S),
        sann.StreamingDataset(pairs, ACT, sa.Oracle(G)),
    )
    for data in (copies, stream):
        for kind in (ArgumentError, IndexError):
            with pytest.raises(kind, match=f"out of range for {len(data)} items"):
                data[len(data)]
            with pytest.raises(kind, match=f"out of range for {len(data)} items"):
                data.__getitems__([0, -len(data) - 1])


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_inputs_outputs_and_data_of_eight_bits_are_refused_by_name(dtype):
    x, few, net = X.float(), X.to(dtype), nn.Linear(4, 1)

    def rough(x):
        return net(x.float()).to(dtype)

    for name, measure in (
        ("x has dtype", lambda: sann.OrbitBatch(ACT, S)(few)),
        ("x has dtype", lambda: sann.OrbitBatch(ACT, S, sample_shape=(4,))(few)),
        ("x has dtype", lambda: sann.OrbitAverage(net, ACT, S)(few)),
        ("x has dtype", lambda: sann.InvarianceMetric(net, ACT, S)(few)),
        ("x has dtype", lambda: sa.invariance_error(net, ACT, S, few)),
        ("the output of model has dtype", lambda: sann.OrbitAverage(rough, ACT, S)(x)),
        ("the output of model has dtype", lambda: sann.InvarianceMetric(rough, ACT, S)(x)),
        ("the output of model has dtype", lambda: sa.invariance_error(rough, ACT, S, x)),
        ("x of data has dtype", lambda: sann.ModuleRisk(net, nn.MSELoss(), (few, x), ACT, S)),
        ("y of data has dtype", lambda: sann.ModuleRisk(net, nn.MSELoss(), (x, few), ACT, S)),
    ):
        with pytest.raises(ArgumentError, match=rf"^{name} {dtype}, .*\.to\(torch\.bfloat16\)"):
            measure()
