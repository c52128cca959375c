"""The streaming data set: fresh keyed elements, counted exactly."""

from __future__ import annotations

import os
import warnings

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

import sparseaug as sa
from sparseaug.nn import RepeatedEpochWarning, StreamingDataset


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


def test_no_two_items_or_epochs_share_an_element():
    data = streaming(n=700)
    seen = [row for epoch in range(3) for row in elements(data, epoch)]
    # in a group of 25! > 10^25 elements two of 2100 agree with probability below 10^-18
    assert len(set(seen)) == len(seen) == 2100
    assert set(elements(streaming(n=700, seed=6), 0)).isdisjoint(seen)


LOADERS = {
    "no workers": {"num_workers": 0},
    "2 workers": {"num_workers": 2, "timeout": 60},
    "persistent workers": {"num_workers": 2, "persistent_workers": True, "timeout": 60},
}
each_loader = pytest.mark.parametrize("options", LOADERS.values(), ids=LOADERS)


@each_loader
def test_elements_and_counts_are_the_same_for_all_workers(options):
    data, alone = streaming(), streaming()
    loader = DataLoader(data, batch_size=3, **options)
    for epoch in range(3):
        data.set_epoch(epoch)
        got = [tuple(row) for batch in loader for row in batch.tolist()]
        assert got == elements(alone, epoch)
        assert data.calls == data.oracle.calls == 10 * (epoch + 1)
    assert data.dataset.fetched.tolist() == [3] * 10


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


def test_an_epoch_beyond_the_budget_is_refused_before_it_begins():
    data = streaming(budget=25)
    elements(data, 0)
    elements(data, 1)
    with pytest.raises(sa.errors.OracleBudgetError, match="10 oracle calls, but 5 are left"):
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


def test_states_that_do_not_fit_are_refused_and_change_nothing():
    data = streaming(budget=20)
    state = data.state_dict()
    data.__getitems__([0, 1, 2])
    others = [streaming(**other).state_dict() for other in ({"seed": 6}, {"n": 9}, {"d": 24})]
    over = {**state, "calls": 15}  # which leave 5 of the 10 that an epoch may make
    unknown = {**data.state_dict(), "seen": torch.full((10,), torch.nan)}
    for changed in ({**state, "seen": torch.zeros(11)}, unknown, state, over, *others):
        with pytest.raises((sa.errors.ArgumentError, sa.errors.OracleBudgetError)):
            data.load_state_dict(changed)
        assert (data.calls, data.epoch) == (3, 0)


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
