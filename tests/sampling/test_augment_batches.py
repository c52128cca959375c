"""Copies in parts are those that are made at once, in their order."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError

augmenting = import_module("sparseaug.sampling.augment")  # its function has the same name
X = np.random.default_rng(0).normal(size=(7, 4))
Y = np.arange(7)
SHIFT = sa.permute_axis(sa.cyclic(4))
S = sa.Oracle(SHIFT.group, seed=0).draw(5)


@pytest.mark.parametrize("batch", [1, 3, 7, 13, 14, 35, 1000])
def test_batches_put_together_are_what_augment_makes(batch: int) -> None:
    for y, y_action in ((Y, None), (X**2, SHIFT)):
        parts = list(sa.augment_batches(SHIFT, S, X, y, batch=batch, y_action=y_action))
        moved, targets = sa.augment(SHIFT, S, X, y, y_action=y_action)
        assert max(len(part) for part, _ in parts) <= batch
        assert np.array_equal(np.concatenate([part for part, _ in parts]), moved)
        assert np.array_equal(np.concatenate([part for _, part in parts]), targets)


def test_data_that_belong_together_are_cut_together() -> None:
    both = sa.together(SHIFT, SHIFT)
    parts = list(sa.augment_batches(both, S, (X, X + 1), Y, batch=3))
    first, second = (np.concatenate([x[i] for x, _ in parts]) for i in range(2))
    assert np.array_equal(first + 1, second)
    assert np.array_equal(first, sa.augment(SHIFT, S, X, Y)[0])


def test_arguments_are_checked_before_the_first_batch() -> None:
    with pytest.raises(ArgumentError, match="batch=0"):
        sa.augment_batches(SHIFT, S, X, Y, batch=0)
    with pytest.raises(ArgumentError, match="y has shape"):
        sa.augment_batches(SHIFT, S, X, Y[:3], batch=2)


def test_copies_that_exceed_the_memory_are_refused_and_batches_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """7 samples of 4 floats and 7 integers, 5 times: 1,400 bytes."""
    monkeypatch.setattr(augmenting, "machine_memory", lambda: 1_399)
    with pytest.raises(ArgumentError, match=r"m=5 elements.* 1.4 kB.*augment_batches"):
        sa.augment(SHIFT, S, X, Y)
    assert len(list(sa.augment_batches(SHIFT, S, X, Y, batch=7))) == 5
    monkeypatch.setattr(augmenting, "machine_memory", lambda: 1_400)
    sa.augment(SHIFT, S, X, Y)


def test_without_targets_only_the_copies_of_the_samples_come_back() -> None:
    moved, _ = sa.augment(SHIFT, S, X, Y)
    assert np.array_equal(sa.augment(SHIFT, S, X), moved)
    parts = list(sa.augment_batches(SHIFT, S, X, batch=3))
    assert max(map(len, parts)) <= 3
    assert np.array_equal(np.concatenate(parts), moved)
    both = sa.augment(sa.together(a=SHIFT, b=SHIFT), S, {"a": X, "b": X + 1})
    assert np.array_equal(both["b"], moved + 1)
    with pytest.raises(ArgumentError, match="y_action is given, but no y"):
        sa.augment(SHIFT, S, X, y_action=SHIFT)
