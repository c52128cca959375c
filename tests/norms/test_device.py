"""Blocks made on a device: the same numbers as on the processor, within the same proved errors.

The device is a GPU where there is one, else torch's "cpu", for which the code is the same.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.groups.young import partitions, young_matrices
from sparseaug.norms import NormOptions
from sparseaug.norms.young import symmetric
from sparseaug.norms.young.clausen import gram_blocks, mean_blocks
from tests.extras import REASON
from tests.norms.test_clausen import draw, precise_distance, precise_mean

torch = pytest.importorskip("torch", reason=REASON.format("torch"))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("entries", [1, 1 << 27])
@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 2), (5, 17), (7, 12)])
def test_blocks_on_a_device_equal_the_plain_mean(n, m, entries, monkeypatch):
    monkeypatch.setattr("sparseaug.norms.young.induction.TORCH_ENTRIES", entries)
    elements = draw(n, m)
    blocks = list(mean_blocks(elements, device=DEVICE, memory=10_000))
    assert {block.label for block in blocks} == set(partitions(n)[1:])
    for block in blocks:
        assert isinstance(block.values, torch.Tensor)
        plain = young_matrices(block.label, elements).mean(axis=0)
        assert np.abs(block.values.cpu().numpy() - plain).max() < 1e-12


def test_the_error_covers_the_distance_to_the_true_mean_on_a_device():
    for n, m in ((3, 7), (5, 3)):
        elements = draw(n, m)
        quotients = np.argsort(elements, axis=1)[:, elements].reshape(-1, n)
        for made, true in ((mean_blocks, elements), (gram_blocks, quotients)):
            for block in made(elements, device=DEVICE):
                exact = precise_mean(block.label, true)
                assert precise_distance(exact, block.values.cpu().numpy()) <= block.error < 1e-11


@pytest.mark.parametrize("name", ["S4", "S7", "A6", "S8"])
def test_the_deviation_on_a_device_is_that_on_the_processor(name, monkeypatch):
    if name == "S8":  # goes the way of S11, by the Gram matrices of its large irreps
        monkeypatch.setattr(symmetric, "GRAM_FROM", 8)
        monkeypatch.setattr(symmetric, "SMALL", 30)
    S = sa.Oracle(sa.group(name), seed=3).draw(12)
    here, there = sa.deviation(S), sa.deviation(S, options=NormOptions(device=DEVICE))
    assert here.block == there.block
    assert max(here.lower, there.lower) <= min(here.value, there.value)
    assert there.value == pytest.approx(here.value, rel=1e-9)


def test_a_device_without_numbers_is_refused():
    S = sa.Oracle(sa.symmetric(4), seed=0).draw(3)
    with pytest.raises(sa.errors.ArgumentError, match="device='meta' is not available"):
        sa.deviation(S, options=NormOptions(device="meta"))


def test_a_device_that_is_full_is_named(monkeypatch):
    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 3 GiB.")

    monkeypatch.setattr("sparseaug.norms.young.induction.TorchKernel.empty", full)
    S = sa.Oracle(sa.symmetric(4), seed=0).draw(3)
    with pytest.raises(
        sa.errors.UnsupportedError, match=f"device='{DEVICE}' has too little memory"
    ):
        sa.deviation(S, options=NormOptions(device=DEVICE))
