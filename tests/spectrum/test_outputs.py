"""Outputs that move with their inputs, and several of them: spectra, and averages over what is chosen.

The reference is the average itself: `OrbitAverage` over every translate k S h of an enumerated group.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import sparseaug as sa
from sparseaug.nn import OrbitAverage

SHIFT = sa.roll(sa.abelian(8, 8))
SQUARE = sa.signed_permute(sa.hyperoctahedral(2))  # turns and flips of vectors in the plane


def segmentation(stride: int = 2, padding: str = "zeros") -> nn.Module:
    """Masks of two classes; stride and zeros at the border break the symmetry of shifts."""
    torch.manual_seed(0)
    size = 2 + stride
    return nn.Sequential(
        nn.Conv2d(1, 8, size, stride=stride, padding=1, padding_mode=padding),
        nn.Tanh(),
        nn.Upsample(scale_factor=stride),
        nn.Conv2d(8, 2, 3, padding=1, padding_mode=padding),
    ).double()


def images(count: int = 3) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(count, 1, 8, 8, dtype=torch.float64, generator=generator)


def forces(axes: int = 3, atoms: int = 4) -> nn.Module:
    """Forces (n, atoms, axes) from positions by a network that knows nothing of rotations."""
    torch.manual_seed(0)
    inner = nn.Sequential(nn.Linear(axes * atoms, 32), nn.Tanh(), nn.Linear(32, axes * atoms))
    return nn.Sequential(nn.Flatten(), inner, nn.Unflatten(1, (atoms, axes))).double()


def positions(axes: int = 3, atoms: int = 4) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(4, atoms, axes, dtype=torch.float64, generator=generator)


def measured(model: Any, action: Any, S: Any, x: Any, output_action: Any) -> float:
    """The mean square over k, h of what averages over k S h are off that over the group."""
    group = action.group
    whole = OrbitAverage(model, action, "full", output_action)(x)
    left = []
    for h in group.all_elements():
        for k in group.identity() if group.is_abelian else group.all_elements():
            rows = group.compose(group.compose(k[None], S.elements), h[None])
            average = OrbitAverage(model, action, sa.GroupSample(group, rows), output_action)
            with torch.no_grad():
                left.append(float((average(x) - whole).square().sum()) / len(x))
    return float(np.mean(left))


@pytest.mark.parametrize("m", [4, 7])
def test_what_an_average_of_masks_leaves_is_what_the_spectrum_predicts(m):
    net, x = segmentation(), images()
    spectrum = sa.orbit_spectrum(net, SHIFT, x, output_action=SHIFT)
    assert spectrum.exact
    for S in (sa.Oracle(SHIFT.group, seed=0).draw(m), sa.design(SHIFT.group, m=m)):
        assert spectrum.predict(S).value == pytest.approx(measured(net, SHIFT, S, x, SHIFT))
    # by stride: all shifts by two pixels are one view, but for the border
    even = sa.GroupSample(SHIFT.group, [[i, j] for i in (0, 2, 4, 6) for j in (0, 2, 4, 6)])
    assert spectrum.predict(even).relative > 0.25 > spectrum.predict(16).relative


def test_what_an_average_of_forces_leaves_is_what_the_spectrum_predicts():
    net, x = forces(axes=2), positions(axes=2)
    spectrum = sa.orbit_spectrum(net, SQUARE, x, output_action=SQUARE, chunk_size=5)
    for S in (sa.Oracle(SQUARE.group, seed=0).draw(3), sa.design(SQUARE.group, degree=1)):
        prediction = spectrum.predict(S)
        assert prediction.value == pytest.approx(measured(net, SQUARE, S, x, SQUARE), abs=1e-12)
    assert not SQUARE.group.is_abelian


def test_an_equivariant_model_has_no_variance_once_its_outputs_are_moved_back():
    net = segmentation(stride=1, padding="circular")
    assert sa.orbit_spectrum(net, SHIFT, images(), output_action=SHIFT).variance == 0
    assert sa.orbit_spectrum(net, SHIFT, images()).variance > 0.1
    turn = sa.rotate(sa.rotations(3))
    x = positions().float()
    centred = lambda x: x - x.mean(1, keepdim=True)  # noqa: E731
    assert sa.orbit_spectrum(centred, turn, x, output_action=turn).variance == 0
    assert sa.orbit_spectrum(centred, turn, x).variance > 1
