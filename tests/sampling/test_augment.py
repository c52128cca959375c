"""Copies that fit, and copies without targets."""

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


def test_copies_that_exceed_the_memory_are_refused_and_some_at_a_time_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """7 samples of 4 floats and 7 integers, 5 times: 1,400 bytes."""
    monkeypatch.setattr(augmenting, "machine_memory", lambda: 1_399)
    with pytest.raises(ArgumentError, match=r"m=5 elements.* 1.4 kB.*S.elements"):
        sa.augment(SHIFT, S, X, Y)
    assert len(sa.augment(SHIFT, S.elements[:2], X, Y)[0]) == 14
    monkeypatch.setattr(augmenting, "machine_memory", lambda: 1_400)
    sa.augment(SHIFT, S, X, Y)


def test_without_targets_only_the_copies_of_the_samples_come_back() -> None:
    moved, _ = sa.augment(SHIFT, S, X, Y)
    assert np.array_equal(sa.augment(SHIFT, S, X), moved)
    parts = [sa.augment(SHIFT, S.elements[start : start + 2], X) for start in (0, 2, 4)]
    assert np.array_equal(np.concatenate(parts), moved)
    both = sa.augment(sa.together(a=SHIFT, b=SHIFT), S, {"a": X, "b": X + 1})
    assert np.array_equal(both["b"], moved + 1)
    with pytest.raises(ArgumentError, match="y_action is given, but no y"):
        sa.augment(SHIFT, S, X, y_action=SHIFT)
