"""Several arrays moved by one element: tuples, dicts and graph pairs wherever data are moved."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError

TURN = sa.rotate_grid(sa.dihedral(4))
S = sa.Oracle(TURN.group, seed=1).draw(6)
BOTH = sa.together(image=TURN, mask=TURN)
PAIR = sa.together(TURN, TURN)
GRAPHS = sa.permute_nodes(sa.symmetric(4))
R = sa.Oracle(GRAPHS.group, seed=2).draw(5)


def images(n=3, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    image = torch.randn(n, 2, 4, 4, generator=generator, dtype=dtype)
    return {"image": image, "mask": (image[:, 0] > 0).to(dtype)}


def graphs(n=4):
    generator = torch.Generator().manual_seed(3)
    adjacency = torch.randint(0, 2, (n, 4, 4), generator=generator).double()
    return adjacency, torch.randn(n, 4, 3, generator=generator, dtype=torch.float64)


class Masked(nn.Module):
    """Two inputs by name."""

    def __init__(self, seed=0):
        super().__init__()
        torch.manual_seed(seed)
        self.inner = nn.Sequential(
            nn.Flatten(), nn.Linear(32, 8), nn.Tanh(), nn.Linear(8, 2)
        ).double()

    def forward(self, image, mask):
        return self.inner(image * mask[:, None])


class Graph(nn.Module):
    """One step of messages; with a sum at the end it is invariant, with the first node it is not."""

    def __init__(self, invariant=True):
        super().__init__()
        torch.manual_seed(1)
        self.invariant = invariant
        self.one, self.two = nn.Linear(3, 5).double(), nn.Linear(5, 1).double()

    def forward(self, adjacency, features):
        nodes = torch.tanh(self.one(adjacency @ features + features))
        return self.two(nodes.sum(1) if self.invariant else nodes[:, 0])


def moved(act: sa.actions.Action, sample: sa.GroupSample, x: Any) -> Any:
    """The copies of each array, made alone."""
    return act(sample, x).flatten(0, 1)


def test_an_action_moves_a_tuple_and_a_dict_as_its_parts_move_alone():
    x = images()
    y = torch.arange(3)
    copies, targets = sa.augment(BOTH, S, x, y)
    assert list(copies) == ["image", "mask"]
    assert torch.equal(targets, y.repeat(6))
    for name, part in x.items():
        assert torch.equal(copies[name], moved(TURN, S, part))
    pair, _ = sa.augment(PAIR, S, (x["image"].numpy(), x["mask"].numpy()), y.numpy())
    assert isinstance(pair, tuple)
    assert np.array_equal(pair[1], copies["mask"].numpy())
    Point = namedtuple("Point", "image mask")
    assert isinstance(PAIR(S, Point(**x)), Point)
    nested = sa.together(one=TURN, two=sa.together(TURN, TURN))
    deep = nested(S, {"one": x["image"], "two": (x["mask"], x["image"])})
    assert torch.equal(deep["two"][1], TURN(S, x["image"]))


def test_the_kind_is_the_loosest_and_the_law_is_checked():
    flips = sa.flip_signs(sa.sign_flips(2))
    assert sa.together(flips, flips).kind == "signs"
    assert BOTH.kind == "entries"
    assert sa.together(flips, sa.custom_action(flips.group, flips)).kind == "custom"
    sa.actions.require_law(BOTH, images())
    group = sa.symmetric(3)
    wrong = sa.custom_action(group, lambda g, x: np.stack([x[..., row] for row in g]))
    with pytest.raises(sa.errors.LawError):
        sa.actions.require_law(sa.together(sa.permute_axis(group), wrong), (np.eye(3), np.eye(3)))


def test_mixed_types_and_devices_stay_what_they_are():
    x = images(dtype=torch.float32)
    x["mask"] = x["mask"].to(torch.uint8)
    orbit = sann.OrbitBatch(BOTH, S)(x)
    assert (orbit["image"].dtype, orbit["mask"].dtype) == (torch.float32, torch.uint8)


def test_data_sets_move_dicts_tuples_and_pairs():
    x = images()
    rows = [{"image": x["image"][i], "mask": x["mask"][i], "name": f"{i}"} for i in range(3)]
    copies = sann.OneShotDataset(rows, BOTH, S)
    expected = {name: moved(TURN, S, part) for name, part in x.items()}
    for k in range(18):
        item = copies[k]
        assert item["name"] == f"{k % 3}"
        assert all(torch.equal(item[name], expected[name][k]) for name in expected)
    pairs = [((x["image"][i].numpy(), x["mask"][i].numpy()), i) for i in range(3)]
    for k, ((image, mask), label) in enumerate(sann.OneShotDataset(pairs, PAIR, S)):
        assert label == k % 3
        assert np.array_equal(image, expected["image"][k].numpy())
        assert np.array_equal(mask, expected["mask"][k].numpy())
    batches = list(DataLoader(sann.OneShotDataset(rows, BOTH, S), batch_size=7))
    assert torch.equal(torch.cat([batch["mask"] for batch in batches]), expected["mask"])


def test_streaming_moves_both_by_the_same_element():
    x = images()
    x["mask"] = x["image"][:, 0]
    rows = [({"image": x["image"][i], "mask": x["mask"][i]}, i) for i in range(3)]
    oracle = sa.Oracle(TURN.group, seed=3)
    data = sann.StreamingDataset(rows, BOTH, oracle)
    for item, _ in data:
        assert torch.equal(item["image"][0], item["mask"])
    assert data.calls == 3
    assert "Together" in data.state_dict()["settings"]["action"]


def test_graph_pairs_are_moved_together_everywhere():
    A, X = graphs()
    y = torch.arange(4.0)
    copies, _ = sa.augment(GRAPHS, R, (A, X), y)
    assert torch.equal(copies[1], moved(sa.permute_axis(R.group, 1), R, X))
    orbit = sann.OrbitBatch(GRAPHS, R)((A, X))
    assert all(torch.equal(a, b) for a, b in zip(orbit, copies, strict=True))
    items = [((a, b), c) for a, b, c in zip(A, X, y, strict=True)]
    for k, ((a, b), _) in enumerate(sann.OneShotDataset(items, GRAPHS, R)):
        assert torch.equal(a, copies[0][k])
        assert torch.equal(b, copies[1][k])
    model = Graph()
    assert sa.invariance_error(model, GRAPHS, GRAPHS.group, (A, X)).max < 1e-12
    assert sa.invariance_error(Graph(invariant=False), GRAPHS, R, (A, X)).mean > 1e-3


def test_the_orbit_average_of_a_dict_is_the_mean_of_its_calls():
    x, model = images(), Masked()
    for chunk in (None, 2, 5):
        average = sann.OrbitAverage(model, BOTH, S, chunk_size=chunk)
        expected = sum(
            model(**{k: TURN(row[None], v)[0] for k, v in x.items()}) for row in S.elements
        )
        torch.testing.assert_close(average(x), expected / 6)
    metric = sann.InvarianceMetric(model, BOTH, S)
    metric.update(x)
    error = sa.invariance_error(model, BOTH, S, x)
    assert float(metric.compute()) == pytest.approx(error.mean)


@pytest.mark.parametrize("chunk_size", [None, 4])
def test_the_risk_of_a_module_with_two_inputs_by_name_is_that_of_the_copies(chunk_size):
    x, y = images(5), torch.randn(5, 2, dtype=torch.float64)
    risk = sann.ModuleRisk(Masked(), nn.MSELoss(), (x, y), BOTH, S, chunk_size=chunk_size)
    copies, targets = sa.augment(BOTH, S, x, y)
    loss = nn.functional.mse_loss(risk.module(**copies), targets)
    parts = torch.autograd.grad(loss, risk.parameters)
    assert risk.value(risk.theta) == pytest.approx(float(loss.detach()), rel=1e-12)
    torch.testing.assert_close(risk.gradient(risk.theta), torch.cat([p.reshape(-1) for p in parts]))


def test_the_risk_of_a_graph_module_is_that_of_the_copies_and_trains():
    data, y = graphs(), torch.randn(4, 1, dtype=torch.float64)
    model = Graph(invariant=False)
    risk = sann.ModuleRisk(model, nn.MSELoss(), (data, y), GRAPHS, R)
    copies, targets = sa.augment(GRAPHS, R, data, y)
    loss = nn.functional.mse_loss(model(*copies), targets)
    assert risk.value(risk.theta) == pytest.approx(float(loss.detach()), rel=1e-12)
    trace = risk.fit(torch.optim.Adam(model.parameters(), lr=0.05), num_steps=20)
    assert trace["value"][-1] < trace["value"][0]
    assert risk.identity()["inputs"]
    found = sann.audit(risk, risk.theta, sa.Oracle(GRAPHS.group, seed=9), calls=8, largest=1e3)
    assert found.calls == risk.calls + 8


def test_the_average_of_two_inputs_is_exported_whole():
    x = images()
    average = sann.OrbitAverage(Masked(), BOTH, S)
    expected = average(x)
    program = torch.export.export(average, (x,))
    torch.testing.assert_close(program.module()(x), expected)


def test_compiled_with_shapes_given_beforehand():
    x = images(dtype=torch.float32)
    orbit = sann.OrbitBatch(BOTH, S, sample_shape={"image": (2, 4, 4), "mask": (4, 4)})
    torch.compiler.reset()
    made = torch.compile(orbit, fullgraph=True, backend="eager")(x)
    assert torch.equal(made["mask"], moved(TURN, S, x["mask"]))
    pair = sann.OrbitBatch(PAIR, S, sample_shape=((2, 4, 4), (4, 4)))
    assert torch.equal(pair((x["image"], x["mask"]))[0], made["image"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sa.together(), "give one of the two"),
        (lambda: sa.together(None, None), "give an action for one part at least"),
        (lambda: sa.together(TURN, mask=TURN), "give one of the two"),
        (lambda: sa.together(TURN, 3), r"actions\[1\]=3 is not an action"),
        (lambda: sa.together(a=TURN, b=GRAPHS), "b is of S4, but a is of D4"),
        (
            lambda: BOTH(S, images()["image"]),
            r"x is one Tensor, but .* a dict of \['image', 'mask'\]",
        ),
        (lambda: BOTH(S, {"image": images()["image"]}), r"x is a dict of \['image'\]"),
        (lambda: PAIR(S, tuple(images().values())[:1]), "x is a tuple of 1, but .* a tuple of 2"),
        (lambda: BOTH(S, {**images(), "mask": images(2)["mask"]}), r"arrays of \[2, 3\] samples"),
        (lambda: TURN(S, tuple(images().values())), "x is a tuple, but RotateGrid moves one array"),
        (lambda: GRAPHS(R, graphs() * 2), "x is a tuple of 4; give"),
        (lambda: sa.product_action(BOTH, BOTH), "a moves several arrays together"),
        (
            lambda: sann.OneShotDataset(TensorDataset(*images().values()), PAIR, S)[0],
            "x is one Tensor, but the action moves a tuple of 2",
        ),
        (
            lambda: sann.ModuleRisk(
                Masked(), nn.MSELoss(), (images()["image"], torch.zeros(3, 2)), BOTH, S
            ),
            "x is one Tensor, but the action moves a dict",
        ),
        (
            lambda: sa.GaussianKernel(1.0).group_mean(BOTH, np.eye(4)[None], np.eye(4)[None]),
            "but the action moves a dict",
        ),
        (
            lambda: sa.invariance_error(lambda image: image, BOTH, S, images()),
            "model failed on x of",
        ),
    ],
)
def test_data_of_another_form_are_refused_with_the_form_that_is_wanted(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
