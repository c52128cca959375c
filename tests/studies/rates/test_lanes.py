"""Streaming over decades: draws by number, and compiled steps that are those of the plain walk."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from studies.rates import lanes, rates, walks
from studies.rates.problems import CENTERS, find_problem

compiled = pytest.importorskip("studies.rates.lanes_numba")


@pytest.fixture(scope="module", params=[("S", 4), ("C", 16)], ids=["S4", "C16"])
def given(request):
    return find_problem(*request.param)


def plain(given, index, b, steps):
    """The squared full norms (steps, lanes) and the ends of the NumPy walk on these draws."""
    group = given.action.group
    rows = group.unrank(index.reshape(-1).astype(np.int64))
    A, v = given.moments_of(sa.GroupSample(group, rows))
    count = index.shape[1] // b
    A = A.reshape(len(index), count, b, CENTERS, CENTERS).mean(axis=2).swapaxes(0, 1)
    v = v.reshape(len(index), count, b, CENTERS).mean(axis=2).swapaxes(0, 1)
    at = np.tile(given.start, (1, len(index), 1))
    seen = np.empty((count, 1, len(index)))
    walks._walk(A, v, given.full.A, given.full.v, at, np.array([steps]), walks.BOX, seen)
    return seen[:, 0], at[0]


def start(given, step, goal):
    state = np.zeros((compiled.ROWS, compiled.LANES))
    state[: 2 * CENTERS], state[9], state[10] = given.start[:, None], step, goal
    return state.reshape(-1)


def seeds(given, count):
    return np.stack([lanes.drawn(given, seed, 0)[:count] for seed in range(compiled.LANES)])


@pytest.mark.parametrize("b", [1, 8])
def test_compiled_lanes_walk_as_the_plain_walk_does_on_the_elements_of_these_numbers(given, b):
    index, step = seeds(given, 400 * b), 0.3 / given.smoothness
    goal = (0.4 * given.sigma) ** 2
    state = start(given, step, goal)
    table = lanes.moments_table(given) / b
    full = lanes.packed(given.full.A, given.full.v)
    compiled.advance(table, index, b, full, walks.BOX, state, 0)
    seen, ends = plain(given, index, b, step)
    found = state.reshape(compiled.ROWS, -1)
    assert found[: 2 * CENTERS].T == pytest.approx(ends, rel=1e-9)
    assert found[6] == pytest.approx(seen.sum(axis=0), rel=1e-9)
    below = np.cumsum(seen, axis=0) <= goal * np.arange(1, 401)[:, None]
    assert seen.min(axis=0).max() < goal  # so that the next lines compare something
    assert found[7].tolist() == (1 + (seen <= goal).argmax(axis=0)).tolist()
    assert found[8].tolist() == (below.any(axis=0) * (1 + below.argmax(axis=0))).tolist()


@pytest.mark.parametrize("b", [1, 8])
def test_a_walk_in_pieces_and_in_any_lane_has_the_same_bits(given, b):
    index, table = seeds(given, 800), lanes.moments_table(given) / b
    full, step = lanes.packed(given.full.A, given.full.v), 0.2 / given.smoothness
    whole, pieces, turned = (start(given, step, given.sigma**2 / 8) for _ in range(3))
    compiled.advance(table, index, b, full, walks.BOX, whole, 0)
    compiled.advance(table, index[:, :240], b, full, walks.BOX, pieces, 0)
    compiled.advance(table, index[:, 240:], b, full, walks.BOX, pieces, 240 // b)
    compiled.advance(table, index[::-1], b, full, walks.BOX, turned, 0)
    assert pieces.tobytes() == whole.tobytes()
    turned = turned.reshape(compiled.ROWS, -1)[:, ::-1]
    assert turned.tobytes() == whole.reshape(compiled.ROWS, -1).tobytes()


def test_numbers_of_elements_are_uniform_and_a_function_of_seed_and_block():
    """Chi-square of 2^16 draws on S4 and S8 (in 64 classes); failure probability 1e-6 each."""
    from scipy import stats

    for size, classes in ((4, 24), (8, 64)):
        problem = find_problem("S", size)
        order = problem.action.group.order
        index = lanes.drawn(problem, 3, 5).astype(np.int64)
        assert 0 <= index.min() <= index.max() < order
        assert stats.chisquare(np.bincount(index * classes // order)).pvalue > 1e-6
        assert lanes.drawn(problem, 3, 5).tolist() == index.tolist()
        for other in (lanes.drawn(problem, 3, 6), lanes.drawn(problem, 2, 5)):
            assert (other == index).mean() < 0.1


def test_streaming_over_decades_agrees_with_streaming_by_oracle():
    """Other draws of the same problem: mean calls within 10 % (standard error 2 %, fixed seeds)."""
    task = {"family": "S", "size": 6, "method": "streaming", "data": 0, "b": 1, "seeds": 4}
    long = rates.run({**task, "decades": 0.5})
    short = rates.run({**task, "limit": 6_000, "seeds": 8})
    at = dict(zip(short["eps"], short["calls"], strict=True))
    eps = long["eps"][0]
    expected = np.mean(at[eps]) * (eps / long["eps"][-1]) ** 4
    assert np.mean(long["calls"][-1]) == pytest.approx(expected, rel=0.1)
