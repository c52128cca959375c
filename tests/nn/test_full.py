"""S="full": all of a small group, wherever an S is taken."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.data import TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import GroupTooLargeError

ACT = sa.permute_axis(sa.dihedral(4))
FULL = sa.GroupSample.full(ACT.group)
X = torch.arange(12.0).reshape(3, 4)


def first(x: torch.Tensor) -> torch.Tensor:
    return x[:, :1] ** 2


def test_data_sets_averages_and_metrics_take_the_whole_group() -> None:
    data = TensorDataset(X, torch.arange(3))
    one, other = sann.OneShotDataset(data, ACT, "full"), sann.OneShotDataset(data, ACT, FULL)
    assert one.S == FULL
    assert all(torch.equal(a[0], b[0]) for a, b in zip(one, other, strict=True))
    assert torch.equal(sann.OrbitBatch(ACT, "full")(X)[0], sann.OrbitBatch(ACT, FULL)(X)[0])
    average = sann.OrbitAverage(first, ACT, "full")
    assert torch.equal(average(X), sann.OrbitAverage(first, ACT, FULL)(X))
    assert torch.allclose(average(X), average(X[:, [1, 2, 3, 0]]))
    assert average.deviation.value == 0.0
    metrics = [sann.InvarianceMetric(first, ACT, S) for S in ("full", FULL)]
    for metric in metrics:
        metric.update(X)
    assert metrics[0].compute() == metrics[1].compute()
    moved, y = sa.augment(ACT, "full", np.asarray(X), np.arange(3))
    assert moved.shape == (24, 4)
    assert y.tolist() == [0, 1, 2] * 8


def test_a_group_that_cannot_be_listed_is_refused_with_its_order() -> None:
    with pytest.raises(GroupTooLargeError, match="S20"):
        sann.OrbitBatch(sa.permute_axis(sa.symmetric(20)), "full")
