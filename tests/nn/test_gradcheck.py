"""Gradients through every action and several losses in float64; S = G is the full group."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import sparseaug as sa
from sparseaug.nn import OrbitAverage, OrbitBatch
from tests.conftest import ACTIONS

LOSSES = {
    "mse": (functional.mse_loss, torch.float64),
    "cross entropy": (functional.cross_entropy, torch.int64),
    "smooth l1": (functional.smooth_l1_loss, torch.float64),
    "huber": (functional.huber_loss, torch.float64),
}


def small_network(x, outputs=3):
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(x[0].size, outputs), nn.Tanh()).double()


def targets_for(x, dtype):
    if dtype == torch.int64:
        return torch.arange(len(x)) % 3
    return torch.linspace(-1, 1, 3 * len(x), dtype=torch.float64).reshape(len(x), 3)


def whole_group(action):
    return sa.GroupSample(action.group, np.concatenate(list(action.group.elements())))


# every action with one of the losses, each loss with actions of several kinds
PAIRS = list(zip(ACTIONS, cycle(LOSSES)))


def order_of(pair):
    return ACTIONS[pair[0]][0].group.order


@pytest.mark.parametrize(("act", "name"), PAIRS)
def test_the_gradient_of_a_loss_over_the_copies_is_right(act, name):
    """In the data, which are one sample of the suite scaled to order one, and in a weight matrix."""
    action, x = ACTIONS[act]
    loss, dtype = LOSSES[name]
    S = sa.Oracle(action.group, seed=0).draw(3)
    orbit = OrbitBatch(action, S)
    data = torch.tensor(x[:1] / 99, requires_grad=True)
    weight = torch.randn(
        data[0].numel(), 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)
    ).requires_grad_()
    targets = orbit.repeat(targets_for(x[:1], dtype))

    def risk(data, weight):
        return loss(torch.tanh(orbit(data).flatten(1) @ weight), targets)

    assert torch.autograd.gradcheck(risk, (data, weight), fast_mode=True)


def test_gradients_through_apply_are_right_entry_by_entry(moving, rng):
    action, x = moving
    rows = action.group.sample(2, rng)
    prepared = [torch.as_tensor(part) for part in action.prepare(rows, x[:1].shape)]
    data = torch.tensor(x[:1] / 99, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: action.apply(prepared, t[None]), data)


@pytest.mark.parametrize(("act", "name"), [pair for pair in PAIRS if order_of(pair) < 1000])
def test_all_of_the_group_is_the_average_over_the_full_group(act, name):
    """Risk and gradient, to 1e-12 of their size, against one element at a time."""
    action, x = ACTIONS[act]
    everything = whole_group(action)
    loss, dtype = LOSSES[name]
    model, data, targets = small_network(x), torch.tensor(x / 99), targets_for(x, dtype)
    orbit = OrbitBatch(action, everything)
    risk = loss(model(orbit(data)), orbit.repeat(targets))
    gradient = torch.autograd.grad(risk, model[1].weight)[0]
    rows = everything.elements
    moved = (torch.tensor(np.ascontiguousarray(action(row[None], x / 99)[0])) for row in rows)
    one_by_one = sum(loss(model(copy), targets) for copy in moved) / everything.m
    expected = torch.autograd.grad(one_by_one, model[1].weight)[0]
    torch.testing.assert_close(risk, one_by_one, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(gradient, expected, rtol=1e-12, atol=1e-12)


def test_the_average_over_all_of_the_group_is_invariant(moving, rng):
    action, x = moving
    everything = whole_group(action)
    model = OrbitAverage(small_network(x), action, everything, chunk_size=512)
    with torch.no_grad():
        still = model(torch.tensor(x / 99))
        for moved in action(action.group.sample(3, rng), x / 99):
            again = model(torch.tensor(np.ascontiguousarray(moved)))
            torch.testing.assert_close(again, still, rtol=0, atol=1e-12)
