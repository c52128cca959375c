"""OrbitAverage: plain loops as reference, and its bound against whole orbits, by enumeration."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
import torch
from torch import nn

import sparseaug as sa
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.nn import OrbitAverage
from tests.references import dense_difference

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


def test_the_mean_is_the_mean_over_S():
    S = sa.Oracle(SETS.group, seed=0).draw(7)
    model, x = model_of(4, 3), data(5, 4)
    expected = sum(model(x[:, np.argsort(row)]) for row in S.elements) / 7
    torch.testing.assert_close(OrbitAverage(model, SETS, S)(x), expected)


@pytest.mark.parametrize(
    ("batch", "m", "largest"), [(3, 400, 1023), (100, 30, 1000), (1500, 5, 1500)]
)
def test_by_default_1024_copies_go_through_at_once_or_one_copy_of_a_larger_batch(batch, m, largest):
    S = sa.Oracle(sa.cyclic(500)).draw(m, distinct=True)
    seen = []

    def model(copies):
        seen.append(len(copies))
        return copies[:, :1]

    x = data(batch, 500)
    average = OrbitAverage(model, sa.permute_axis(S.group), S)(x)
    assert max(seen) == largest
    assert sum(seen) == m * batch
    firsts = x[:, -S.elements[:, 0]]  # entry 0 of x moved by s is entry -s of x
    torch.testing.assert_close(average, firsts.mean(1, keepdim=True))


@pytest.mark.parametrize("chunk_size", [1, 3, 5, 12, 34, 1000])
def test_chunks_change_nothing_but_rounding_and_bound_the_batch(chunk_size):
    S = sa.Oracle(GRIDS.group, seed=0).draw(7)
    inner, x = nn.Conv2d(1, 1, 3, padding=1).double(), data(5, 1, 4, 4)
    seen = []

    def model(batch):
        seen.append(len(batch))
        return inner(batch)

    whole = OrbitAverage(inner, GRIDS, S, GRIDS)(x)
    average = OrbitAverage(model, GRIDS, S, GRIDS, chunk_size=chunk_size)
    torch.testing.assert_close(average(x), whole, rtol=1e-13, atol=1e-13)
    assert max(seen) <= chunk_size
    assert sum(seen) == 5 * len(S.counts()[0]) < 35  # equal elements go through once
    torch.testing.assert_close(
        average.statistics(x).std, OrbitAverage(inner, GRIDS, S, GRIDS).statistics(x).std
    )


def test_outputs_that_move_are_moved_back():
    S = sa.Oracle(GRIDS.group, seed=0).draw(6)
    model, x = nn.Conv2d(2, 3, 3, padding=1).double(), data(2, 2, 4, 4)

    def turned(image, turns, flip):
        return torch.rot90(image.flip(-1) if flip else image, int(turns), (-2, -1))

    def turned_back(image, turns, flip):
        image = torch.rot90(image, -int(turns), (-2, -1))
        return image.flip(-1) if flip else image

    expected = sum(turned_back(model(turned(x, *row)), *row) for row in S.elements) / 6
    torch.testing.assert_close(OrbitAverage(model, GRIDS, S, GRIDS)(x), expected)


def test_over_all_of_the_group_the_average_is_invariant_and_equivariant():
    everything = sa.GroupSample(GRIDS.group, np.concatenate(list(GRIDS.group.elements())))
    x = data(2, 1, 4, 4)
    invariant = OrbitAverage(model_of(16, 2), GRIDS, everything)
    values = over_the_group(GRIDS, invariant, x)
    assert float((values - values[0]).abs().max()) < SLACK
    equivariant = OrbitAverage(nn.Conv2d(1, 1, 3, padding=1).double(), GRIDS, everything, GRIDS)
    moved = GRIDS(everything, equivariant(x).detach())
    assert float((over_the_group(GRIDS, equivariant, x) - moved).abs().max()) < SLACK


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


def test_the_bound_is_attained_by_the_worst_function():
    """phi along the largest singular vector of D_S: the inequality is an equality there."""
    group, act = sa.symmetric(3), sa.permute_axis(sa.symmetric(3))
    S = sa.Oracle(group, seed=1).draw(4)
    elements = np.concatenate(list(group.elements()))
    # (Pi_S phi)(h) = mean_j phi(g_j h) is the transpose of mean_j phi(g_j^-1 h)
    phi = np.linalg.svd(dense_difference(S).T)[2][0]
    x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64)
    orbit = act(elements, x)[:, 0]

    def model(batch):
        which = (batch[:, None] == orbit).all(2).double()
        return which @ torch.tensor(phi)

    average = OrbitAverage(model, act, S)
    averaged = over_the_group(act, average, x)
    error = float((averaged - float(phi.mean())).square().mean().sqrt())
    assert error == pytest.approx(average.deviation.value * phi.std(), rel=1e-9)


def test_outputs_that_move_obey_the_same_bound():
    everything = sa.GroupSample(GRIDS.group, np.concatenate(list(GRIDS.group.elements())))
    inverses = GRIDS.group.inverse(everything.elements)
    for seed in range(10):
        S = sa.Oracle(GRIDS.group, seed).draw(2 + seed)
        torch.manual_seed(seed)
        model, x = nn.Conv2d(1, 1, 3, padding=1).double(), data(1, 1, 4, 4, seed=seed)
        average = OrbitAverage(model, GRIDS, S, GRIDS)
        back = [
            torch.stack(
                [GRIDS(inverse[None], y)[0] for inverse, y in zip(inverses, ys, strict=True)]
            )
            for ys in (over_the_group(GRIDS, model, x), over_the_group(GRIDS, average, x))
        ]
        error = (back[1] - back[0].mean(0)).square().mean(0).sqrt()
        assert (error <= average.deviation.value * back[0].std(0, correction=0) + SLACK).all()


def test_statistics_are_numpys_and_the_estimate_says_so():
    S = sa.Oracle(SETS.group, seed=0).draw(9)
    model, x = model_of(4, 2), data(3, 4)
    average = OrbitAverage(model, SETS, S)
    found = average.statistics(x)
    outputs = np.stack([model(x[:, np.argsort(row)]).detach().numpy() for row in S.elements])
    np.testing.assert_allclose(found.mean.detach(), outputs.mean(0), rtol=1e-13)
    np.testing.assert_allclose(found.std.detach(), outputs.std(0, ddof=1), rtol=1e-12)
    estimate = found.estimated_error(average.deviation)
    np.testing.assert_allclose(estimate.detach(), sa.deviation(S).value * outputs.std(0, ddof=1))
    assert found.to_dict()["m"] == 9


def test_a_deviation_that_is_known_is_not_computed_and_follows_S():
    S = sa.Oracle(SETS.group, seed=0).draw(8)
    known = sa.deviation(S)
    average = OrbitAverage(model_of(4, 1), SETS, S, deviation=known)
    assert average.deviation is known
    other = OrbitAverage(model_of(4, 1), SETS, sa.Oracle(SETS.group, seed=1).draw(8))
    average.load_state_dict(other.state_dict())
    assert average.deviation.value == other.deviation.value != known.value
    assert copy.deepcopy(average).deviation.value == other.deviation.value


def test_outputs_are_moved_back_by_the_S_that_was_loaded():
    S, other = (sa.Oracle(GRIDS.group, seed).draw(5) for seed in (0, 1))
    model, x = nn.Conv2d(1, 1, 3, padding=1).double(), data(2, 1, 4, 4)
    average = OrbitAverage(model, GRIDS, S, GRIDS)
    average(x)
    average.load_state_dict(OrbitAverage(model, GRIDS, other).state_dict(), strict=False)
    expected = OrbitAverage(model, GRIDS, other, GRIDS)
    torch.testing.assert_close(average(x), expected(x))
    average.load_state_dict(OrbitAverage(model, GRIDS, S, GRIDS).state_dict())
    torch.testing.assert_close(average(x), OrbitAverage(model, GRIDS, S, GRIDS)(x))


def test_the_kind_of_the_deviation_is_kept():
    S = sa.Oracle(SETS.group, seed=0).draw(8)
    fields = {k: v for k, v in vars(sa.deviation(S)).items() if k != "failure_probability"}
    for failure, kind in ((None, "estimate"), (0.01, "with probability 1 - 0.01")):
        given = sa.norms.Deviation(**fields, failure_probability=failure)
        average = OrbitAverage(model_of(4, 1), SETS, S, deviation=given)
        bound = average.invariance_bound(output_range=(0, 2))
        assert bound.kind == bound.to_dict()["kind"] == kind
        assert kind in str(bound)
        assert given.value < bound.value <= given.value * (1 + 1e-15)


def test_where_no_deviation_is_known_only_the_bound_is_refused():
    S = sa.Oracle(sa.groups.rubik(), seed=0).draw(3)
    act = sa.permute_axis(sa.groups.rubik())
    average = OrbitAverage(lambda x: x[:, :2], act, S)
    assert average(data(2, 48)).shape == (2, 2)
    assert average.statistics(data(2, 48)).std.shape == (2, 2)
    with pytest.raises(UnsupportedError, match="too large for an exact deviation"):
        average.invariance_bound(output_range=(0, 1))


def test_half_precision_outputs_do_not_overflow_in_the_mean():
    S = sa.Oracle(SETS.group, seed=0).draw(64)
    x = torch.full((2, 4), 3000.0, dtype=torch.float16)
    for chunk_size in (None, 2, 7):
        average = OrbitAverage(lambda x: x[:, :1], SETS, S, chunk_size=chunk_size)
        torch.testing.assert_close(average(x), x[:, :1])


def test_gradients_flow_after_a_first_batch_in_inference_mode():
    S = sa.Oracle(GRIDS.group, seed=0).draw(3)
    average = OrbitAverage(nn.Conv2d(1, 1, 3, padding=1).double(), GRIDS, S, GRIDS)
    with torch.inference_mode():
        average(data(2, 1, 4, 4))
    average(data(2, 1, 4, 4)).sum().backward()
    assert average.model.weight.grad is not None


def test_gradients_flow_through_the_average():
    S = sa.Oracle(SETS.group, seed=0).draw(3)
    average = OrbitAverage(model_of(4, 1), SETS, S)
    assert torch.autograd.gradcheck(average, data(2, 4).requires_grad_())
    assert "model.1.weight" in average.state_dict()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda S: OrbitAverage(len, SETS, S, GRIDS), "output_action is of D4, but action is"),
        (
            lambda S: OrbitAverage(len, SETS, S, deviation=sa.deviation(S, degree=1)),
            "deviation is that of words or of some functions only",
        ),
        (
            lambda S: OrbitAverage(lambda x: x.sum(), SETS, S)(data(2, 4)),
            r"model returned shape \(\)",
        ),
        (lambda S: OrbitAverage(lambda x: [1], SETS, S)(data(2, 4)), "model returned a list"),
        (lambda S: OrbitAverage(lambda x: x.argmax(1), SETS, S)(data(2, 4)), "not labels"),
        (lambda S: OrbitAverage(nn.Identity(), SETS, S)(data(0, 4)), "x is empty"),
        (lambda S: OrbitAverage(len, SETS, S).invariance_bound(output_range=(1, 0)), "low <= high"),
        (
            lambda S: OrbitAverage(len, SETS, S).invariance_bound(output_range=(0, math.inf)),
            r"output_range\[1\]=inf",
        ),
        (
            lambda S: OrbitAverage(len, SETS, sa.GroupSample(S.group, S.elements[:1])).statistics(
                data(2, 4)
            ),
            "S has m=1",
        ),
    ],
)
def test_input_that_does_not_fit_is_answered(call, message):
    with pytest.raises(ArgumentError, match=message):
        call(sa.Oracle(SETS.group, seed=0).draw(4))


def test_the_change_between_two_places_of_an_orbit_is_bounded_too():
    """Also for the worst model, one that knows S by heart."""
    S = sa.Oracle(SETS.group, seed=0).draw(8)
    x = torch.arange(4.0).double()[None]
    known = {tuple(row.tolist()) for row in SETS(S, x)[:, 0]}
    average = OrbitAverage(
        lambda z: torch.tensor([[float(tuple(row.tolist()) in known)] for row in z]).double(),
        SETS,
        S,
    )
    bound = average.invariance_bound(output_range=(0, 1))
    whole = sa.GroupSample(SETS.group, np.concatenate(list(SETS.group.elements())))
    values = average(SETS(whole, x)[:, 0]).flatten()
    assert values.std(correction=0) <= bound.value
    changes = (values[:, None] - values).square().mean().sqrt()
    assert 0.5 * bound.change <= changes <= bound.change


@pytest.mark.parametrize("bad", [1, (0, 1, 2), (1, 0), (0, float("inf"))])
def test_a_range_is_a_pair(bad):
    average = OrbitAverage(lambda z: z, SETS, sa.Oracle(SETS.group).draw(4))
    with pytest.raises(ArgumentError, match="output_range"):
        average.invariance_bound(output_range=bad)


CONVOLUTION = nn.Conv2d(1, 2, 3, padding=1)
BEFORE_A_BATCH = {
    "invariant": (nn.Sequential(nn.Flatten(), nn.Linear(16, 3)), None),
    "equivariant": (CONVOLUTION, GRIDS),
}


@pytest.mark.parametrize(
    ("name", "S"), [("invariant", "full"), *((name, "drawn") for name in BEFORE_A_BATCH)]
)
class TestBeforeAFirstBatch:
    """With sample_shape= everything is ready: no batch has been seen, and any size may come."""

    def average(self, name, S):
        model, along = BEFORE_A_BATCH[name]
        S = S if S == "full" else sa.Oracle(GRIDS.group, seed=0).draw(11)  # with equal elements
        plain = OrbitAverage(model, GRIDS, S, along)
        return plain, OrbitAverage(model, GRIDS, S, along, sample_shape=(1, 4, 4))

    def test_it_compiles_whole_with_one_graph_for_all_batch_sizes(self, name, S):
        plain, ready = self.average(name, S)
        torch.compiler.reset()
        graphs = []

        def backend(graph, _):
            graphs.append(graph)
            return graph.forward

        compiled = torch.compile(ready, fullgraph=True, backend=backend, dynamic=True)
        for size in (5, 7, 300):
            x = data(size, 1, 4, 4).float()
            torch.testing.assert_close(compiled(x), plain(x))
        assert len(graphs) == 1

    def test_it_is_exported_with_an_open_batch_size(self, name, S):
        plain, ready = self.average(name, S)
        batch = torch.export.Dim("batch", min=2, max=4096)
        program = torch.export.export(
            ready, (torch.zeros(3, 1, 4, 4),), dynamic_shapes=({0: batch},)
        )
        for size in (2, 7, 300):
            x = data(size, 1, 4, 4).float()
            torch.testing.assert_close(program.module()(x), plain(x))


def test_a_sample_shape_that_does_not_fit_is_refused():
    with pytest.raises(ArgumentError, match="sample_shape="):
        OrbitAverage(nn.Identity(), GRIDS, "full", sample_shape=(3,))
    with pytest.raises(ArgumentError, match="model failed on x of"):
        OrbitAverage(nn.Linear(7, 1), GRIDS, "full", GRIDS, sample_shape=(4, 4))
