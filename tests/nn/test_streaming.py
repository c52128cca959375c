"""The streaming data set: fresh keyed elements, counted exactly."""

from __future__ import annotations

import os
import warnings
from collections import Counter

import numpy as np
import pytest
import torch
from scipy import stats
from torch.utils.data import DataLoader, Dataset, TensorDataset

import sparseaug as sa
from sparseaug.nn import RepeatedEpochWarning, StreamingDataset
from sparseaug.sampling import keyed_rng


class Noting(Dataset):
    """Rows of 0..d-1, which notes in shared memory what was fetched, in whichever process."""

    def __init__(self, n, d):
        self.n, self.d = n, d
        self.fetched = torch.zeros(n, dtype=torch.int64).share_memory_()

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        self.fetched[i] += 1
        return torch.arange(self.d)


def streaming(n=10, d=25, budget=None, seed=5):
    oracle = sa.Oracle(sa.symmetric(d), seed=seed, budget=budget)
    return StreamingDataset(Noting(n, d), sa.permute_axis(oracle.group), oracle)


def elements(data, epoch, workers=0):
    """Rows of an epoch as tuples, in the order of the items."""
    data.set_epoch(epoch)
    loader = DataLoader(data, batch_size=-(-len(data) // 4), num_workers=workers)
    return [tuple(row) for batch in loader for row in batch.tolist()]


def test_the_element_is_the_row_of_its_block():
    data = streaming(n=300)
    data.set_epoch(4)
    for i in (0, 255, 256, 299):
        rng = keyed_rng(5, "streaming dataset", step=4, index=i // 256)
        g = sa.symmetric(25).sample(256, rng)[i % 256]
        assert data[i][g].tolist() == list(range(25))  # (g.x)[g(i)] = x[i] = i


@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_elements_are_the_same_for_all_workers(workers):
    alone, helped = streaming(), streaming()
    for epoch in (0, 3):
        assert elements(alone, epoch) == elements(helped, epoch, workers)


def test_no_two_items_or_epochs_share_an_element():
    data = streaming(n=700)
    seen = [row for epoch in range(3) for row in elements(data, epoch)]
    # in a group of 25! > 10^25 elements two of 2100 agree with probability below 10^-18
    assert len(set(seen)) == len(seen) == 2100
    assert set(elements(streaming(n=700, seed=6), 0)).isdisjoint(seen)


def test_elements_are_uniform():
    data = streaming(n=600, d=3)
    counts: Counter[tuple[int, ...]] = Counter()
    for epoch in range(10):
        data.set_epoch(epoch)
        counts.update(tuple(row.tolist()) for row in data.__getitems__(range(600)))
    assert len(counts) == 6
    assert stats.chisquare(list(counts.values())).pvalue > 1e-6


def test_items_equal_the_action_on_the_sample(moving):
    action, x = moving
    y = torch.arange(len(x))
    data = StreamingDataset(
        TensorDataset(torch.from_numpy(x), y), action, sa.Oracle(action.group, seed=2)
    )
    rows = action.group.sample(256, keyed_rng(2, "streaming dataset"))
    for i, (moved, label) in enumerate(data.__getitems__(range(len(x)))):
        assert np.array_equal(moved, action(rows[i][None], x[i][None])[0, 0])
        assert label == i


def test_targets_move_along():
    act = sa.permute_axis(sa.symmetric(4))
    x = np.random.default_rng(0).random((3, 4))
    data = [(row, 2 * row) for row in x]
    for a, b in StreamingDataset(data, act, sa.Oracle(act.group), y_action=act):
        assert np.array_equal(2 * a, b)


@pytest.mark.parametrize("workers", [0, 2])
def test_the_count_is_exact_over_epochs(workers):
    data = streaming()
    for epoch in range(3):
        elements(data, epoch, workers)
        assert data.calls == data.oracle.calls == 10 * (epoch + 1)
    assert data.dataset.fetched.tolist() == [3] * 10


def test_persistent_workers_see_the_epoch_and_are_counted():
    data, alone = streaming(), streaming()
    loader = DataLoader(data, batch_size=3, num_workers=2, persistent_workers=True)
    for epoch in range(3):
        data.set_epoch(epoch)
        got = [tuple(row) for batch in loader for row in batch.tolist()]
        assert got == elements(alone, epoch)
        assert data.calls == 10 * (epoch + 1)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_early_stop_is_counted_as_far_as_items_were_fetched(workers):
    data = streaming(n=60)
    iterator = iter(DataLoader(data, batch_size=2, num_workers=workers))
    next(iterator)
    del iterator  # ends the workers
    fetched = int(data.dataset.fetched.sum())
    assert data.calls == fetched
    assert fetched == 2 if workers == 0 else 2 <= fetched < 60
    data.set_epoch(1)
    assert data[7] is not None
    assert data.calls == fetched + 1


def test_fetching_again_in_the_same_epoch_costs_nothing():
    data = streaming()
    assert data[3].tolist() == data[3].tolist() == data[-7].tolist()
    data.__getitems__([3, 3, 4])
    assert data.calls == 2
    data.set_epoch(0)
    assert data.calls == 2
    assert data[3].tolist() is not None
    assert data.calls == 2


def test_draws_from_the_oracle_elsewhere_are_counted_too():
    data = streaming()
    _ = data[0]
    data.oracle.draw(5)
    _ = data[1]
    assert data.calls == 7


def test_an_epoch_beyond_the_budget_is_refused_before_it_begins():
    data = streaming(budget=25)
    elements(data, 0)
    elements(data, 1)
    with pytest.raises(sa.errors.OracleBudgetError, match="10 oracle calls, but 5 are left of"):
        data.set_epoch(2)
    assert data.epoch == 1
    assert data.calls == 20
    with pytest.raises(sa.errors.OracleBudgetError, match="raise budget="):
        streaming(budget=9)
    assert streaming(budget=10).calls == 0


def test_a_run_resumed_in_the_middle_counts_and_draws_the_same():
    whole = streaming(budget=20)
    elements(whole, 0)
    expected = elements(whole, 1)

    first = streaming(budget=20)
    elements(first, 0)
    first.set_epoch(1)
    head = [tuple(row.tolist()) for row in first.__getitems__([0, 1, 2])]
    state = first.state_dict()
    assert (state["epoch"], state["calls"], int(state["seen"].sum())) == (1, 13, 3)
    _ = first[9]
    assert int(state["seen"].sum()) == 3  # a copy

    second = streaming(budget=20)
    second.load_state_dict(state)
    tail = [tuple(row.tolist()) for row in second.__getitems__(range(2, 10))]
    assert head + tail[1:] == expected
    assert second.calls == 20 == whole.calls


def test_states_that_do_not_fit_are_refused():
    data = streaming()
    state = data.state_dict()
    with pytest.raises(sa.errors.ArgumentError, match=r"lacks .'seen'"):
        data.load_state_dict({"epoch": 0, "calls": 0})
    for seen in (torch.zeros(11), torch.full((10,), 2)):
        with pytest.raises(sa.errors.ArgumentError, match="each of 10 items"):
            data.load_state_dict({**state, "seen": seen})
    data.oracle.draw(3)
    with pytest.raises(sa.errors.ArgumentError, match=r"calls=0.*made 3.*new oracle"):
        data.load_state_dict(state)
    with pytest.raises(sa.errors.OracleBudgetError):
        streaming(budget=20).load_state_dict({**state, "calls": 15})


def test_a_state_does_not_wipe_out_draws_that_are_not_counted_yet():
    state = streaming().state_dict()
    data = streaming()
    data.__getitems__([0, 1, 2])
    with pytest.raises(sa.errors.ArgumentError, match=r"calls=0.*made 3"):
        data.load_state_dict(state)
    assert data.calls == 3


def test_a_state_beyond_the_budget_leaves_everything_as_it_was():
    data = streaming(budget=20)
    with pytest.raises(sa.errors.OracleBudgetError, match="10 oracle calls, but 5 are left"):
        data.load_state_dict({**data.state_dict(), "calls": 15})
    assert (data.calls, data.epoch) == (0, 0)


def test_oracles_that_cannot_stream_are_refused():
    act = sa.permute_axis(sa.cyclic(3))
    costly = sa.Oracle(act.group, source=lambda rng: [0])
    with pytest.raises(sa.errors.UnsupportedError, match=r"source.*OneShotDataset"):
        StreamingDataset(np.eye(3), act, costly)
    with pytest.raises(
        sa.errors.ArgumentError, match=r"oracle=Oracle\(S3.* is not an Oracle of C3"
    ):
        StreamingDataset(np.eye(3), act, sa.Oracle(sa.symmetric(3)))


def test_the_end_is_an_index_error_as_for_lists():
    data = streaming()
    with pytest.raises(IndexError):
        data[10]
    assert len(list(data)) == 10


LOADERS = {
    "no workers": {"num_workers": 0},
    "2 workers": {"num_workers": 2, "timeout": 60},
    "persistent workers": {"num_workers": 2, "persistent_workers": True, "timeout": 60},
}
each_loader = pytest.mark.parametrize("options", LOADERS.values(), ids=LOADERS)


@each_loader
def test_epochs_that_nobody_sets_are_warned_of_once_whoever_fetches(options, capfd):
    data = streaming()
    loader = DataLoader(data, batch_size=3, shuffle=True, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("always", RepeatedEpochWarning)
        warnings.showwarning = lambda message, kind, *_: os.write(
            1, f"{kind.__name__} {message}".encode()
        )
        for _ in range(4):
            list(loader)
    said = capfd.readouterr().out  # workers write to the same place
    assert said.count("RepeatedEpochWarning") == 1
    assert "10 items were fetched and set_epoch was never called" in said


@each_loader
def test_the_warning_can_be_made_an_error_or_be_silenced_in_workers_too(options):
    loader = DataLoader(streaming(), batch_size=5, **options)
    list(loader)
    again = iter(loader)
    with pytest.raises(RepeatedEpochWarning, match=r"call set_epoch\(epoch\) before each epoch"):
        next(again)
    if options["num_workers"]:  # at once: collected with the traceback, each would wait for 5 s
        again._shutdown_workers()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedEpochWarning)
        loader = DataLoader(streaming(), batch_size=5, **options)
        assert sum(map(len, [*loader, *loader])) == 20


@each_loader
def test_epochs_that_are_set_or_seen_in_part_are_not_warned_of(options):
    data = streaming()
    for epoch in (0, 0, 1):
        data.set_epoch(epoch)
        for _ in range(2):  # a second look at the same epoch is meant
            list(DataLoader(data, batch_size=3, **options))
    fresh = streaming()
    fresh.load_state_dict(data.state_dict())
    for _ in range(2):
        list(DataLoader(fresh, batch_size=3, **options))
    drawn = torch.utils.data.WeightedRandomSampler([1.0] * 9 + [9.0], 10)
    list(DataLoader(streaming(), batch_size=3, sampler=drawn, **options))  # items twice, one epoch
