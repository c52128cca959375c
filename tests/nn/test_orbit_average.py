"""OrbitAverage: plain loops as reference, and its bound against whole orbits, by enumeration."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.errors import SparseAugWarning
from sparseaug.nn import OrbitAverage

SETS = sa.permute_axis(sa.symmetric(4))
GRIDS = sa.rotate_grid(sa.dihedral(4))
SLACK = 1e-12  # float64, sums of at most 24 terms of order one


def model_of(inputs, outputs, seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Flatten(), nn.Linear(inputs, 8), nn.Tanh(), nn.Linear(8, outputs)
    ).double()


def data(*shape, seed=1):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def over_the_group(action, function, x):
    """function(h x) for every h: (|G|, n, ...)."""
    elements = np.concatenate(list(action.group.elements()))
    with torch.no_grad():
        return torch.stack([function(moved) for moved in action(elements, x)])


def by_hand(model, S, x, back=None):
    """The outputs of all copies, one element at a time: (m, B, ...)."""
    each = []
    for row in S.elements:
        y = model(GRIDS(row[None], x)[0])
        inverse = S.group.inverse(row[None])
        each.append(y if back is None else back(inverse, y)[0])
    return torch.stack(each)


def convolution(seed=0):
    torch.manual_seed(seed)
    return nn.Conv2d(1, 1, 3, padding=1).double()


class Pair(NamedTuple):
    mask: torch.Tensor
    logits: torch.Tensor


@pytest.mark.parametrize("chunk_size", [None, 1, 3, 7, 12, 1000])
def test_mean_and_spread_are_those_over_S_and_each_distinct_element_goes_through_once(chunk_size):
    S, x = sa.Oracle(GRIDS.group, seed=0).draw(64), data(5, 1, 4, 4)
    conv, head, seen = convolution(), model_of(16, 2), []

    def model(batch):
        seen.append(len(batch))
        return Pair(conv(batch), head(batch))

    along = sa.together(GRIDS, None)  # a mask that moves with the image and logits that stay
    average = OrbitAverage(model, GRIDS, S, along, chunk_size=chunk_size)
    expected = Pair(by_hand(conv, S, x, GRIDS), by_hand(head, S, x))
    found = average(x)
    assert type(found) is Pair
    assert sum(seen) == 8 * 5
    assert max(seen) <= (chunk_size or 1024)
    statistics = average.statistics(x)
    for name in ("mask", "logits"):
        wanted, got = getattr(expected, name), getattr(found, name)
        torch.testing.assert_close(got, wanted.mean(0), rtol=1e-12, atol=1e-12)
        spread = getattr(statistics.std, name)
        torch.testing.assert_close(spread, wanted.std(0), rtol=1e-12, atol=1e-12)
    gradients = [
        torch.autograd.grad(y.square().sum(), [*conv.parameters(), *head.parameters()][0])[0]
        for y in (found.mask, expected.mask.mean(0))
    ]
    torch.testing.assert_close(*gradients, rtol=1e-10, atol=1e-10)


def test_weights_are_exact_in_half_precision_and_nothing_overflows():
    S = sa.GroupSample(sa.cyclic(3), [[0]] * 7 + [[1]] * 5 + [[2]] * 3)
    act = sa.permute_axis(S.group)
    for dtype in (torch.bfloat16, torch.float16):
        ones = torch.ones(2, 3, dtype=dtype)
        assert torch.equal(OrbitAverage(lambda x: x, act, S)(ones), ones)
    S = sa.Oracle(SETS.group, seed=0).draw(64)
    x = torch.full((2, 4), 3000.0, dtype=torch.float16)
    for chunk_size in (None, 2):
        average = OrbitAverage(lambda x: x[:, :1], SETS, S, chunk_size=chunk_size)
        torch.testing.assert_close(average(x), x[:, :1])


def test_over_all_of_the_group_the_average_is_equivariant():
    everything, x = sa.GroupSample.full(GRIDS.group), data(1, 1, 4, 4)
    equivariant = OrbitAverage(convolution(), GRIDS, "full", GRIDS)
    moved = GRIDS(everything, equivariant(x).detach())
    assert float((over_the_group(GRIDS, equivariant, x) - moved).abs().max()) < SLACK


def test_a_loaded_S_brings_its_deviation_its_counts_and_its_inverses():
    S, few = sa.Oracle(GRIDS.group, seed=0).draw(5), [[1, 0], [1, 0], [2, 1]]
    other = sa.GroupSample(GRIDS.group, few)
    model, x = convolution(), data(2, 1, 4, 4)
    average, wanted = (OrbitAverage(model, GRIDS, T, GRIDS) for T in (S, other))
    before = average.deviation
    average(x)
    average.load_state_dict(wanted.state_dict())
    torch.testing.assert_close(average(x), wanted(x))
    torch.testing.assert_close(average(x), by_hand(model, other, x, GRIDS).mean(0))
    assert average.deviation.value == wanted.deviation.value != before.value
    average = OrbitAverage(model, GRIDS, other)
    average(x)
    with torch.no_grad():
        average.orbit.elements[1] = torch.tensor([2, 1])  # as another rank's, broadcast in place
    average.orbit._prepare(average.orbit._like)
    changed = sa.GroupSample(GRIDS.group, [[1, 0], [2, 1], [2, 1]])
    torch.testing.assert_close(average(x), by_hand(model, changed, x).mean(0))


@pytest.mark.parametrize("action", [SETS, GRIDS], ids=["S4", "D4"])
def test_the_error_over_the_group_is_at_most_deviation_times_std(action):
    """rms_h |f_S(h x) - mean_G f| <= ||D_S|| std_G f <= ||D_S|| (high - low) / 2, on whole orbits."""
    shape = (4,) if action is SETS else (1, 3, 3)
    tightest = math.inf
    for seed in range(40):
        S = sa.Oracle(action.group, seed).draw(1 + seed % 12)
        model, x = model_of(math.prod(shape), 2, seed), data(2, *shape, seed=seed)
        average = OrbitAverage(model, action, S)
        f, averaged = (over_the_group(action, function, x) for function in (model, average))
        error = (averaged - f.mean(0)).square().mean(0).sqrt()
        orbit_std = f.std(0, correction=0)
        assert (error <= average.deviation.value * orbit_std + SLACK).all()
        low, high = float(f.min()), float(f.max())
        bound = average.invariance_bound(output_range=(low, high))
        assert bound.kind == "rigorous"
        assert float(error.max()) <= bound.value + SLACK
        tightest = min(tightest, float((average.deviation.value * orbit_std / error).min()))
    assert tightest < 2  # a bound that is never near would hide a factor


@pytest.mark.parametrize("many", [11, 1], ids=["equal elements", "full"])
def test_it_compiles_and_is_exported_whole_with_an_open_batch_size(many):
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 3)).double()
    S = sa.Oracle(GRIDS.group, seed=0).draw(many) if many > 1 else "full"
    average, graphs = OrbitAverage(model, GRIDS, S), []
    batches = [data(size, 1, 4, 4) for size in (3, 5, 300)]
    expected = [average(x) for x in batches]

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    compiled = torch.compile(average, fullgraph=True, backend=backend, dynamic=True)
    shapes = ({0: torch.export.Dim("batch", min=2, max=4096)},)
    exported = torch.export.export(average, (batches[0],), dynamic_shapes=shapes).module()
    for x, wanted in zip(batches, expected, strict=True):
        torch.testing.assert_close(exported(x), wanted)
        torch.testing.assert_close(compiled(x), wanted)
    assert len(graphs) == 1


def test_a_set_is_chosen_at_the_samples_of_a_loader():
    model, x = model_of(4, 3).float(), data(40, 4).float()
    labels = torch.arange(40) % 2
    loader = DataLoader(TensorDataset(x, labels), batch_size=7)
    chosen, same = (OrbitAverage(model, SETS, "choose", x=on, error=0.05) for on in (loader, x))
    assert chosen.orbit.sample == same.orbit.sample
    assert chosen.choice.prediction.upper <= 0.05**2
    with pytest.warns(SparseAugWarning, match="one class"):
        sa.orbit_spectrum(model, SETS, DataLoader(TensorDataset(x, 0 * labels)))
