"""Claims that rest on isometry: tested on the points they are about, and only then proved or stated."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import Evidence
from sparseaug.errors import ArgumentError, LawError
from sparseaug.kernels import GaussianKernel, kernel_discrepancy

KERNEL = GaussianKernel(1.0)


def bent_far_away(elements, x):
    """A swap of two coordinates; where both are above 5 it also stretches one and shrinks the other.

    It is an action of cyclic(2), and the plain swap wherever |x| < 5.
    """
    bent = np.stack([5 + (x[:, 1] - 5) * 2, 5 + (x[:, 0] - 5) / 2], axis=1)
    far = (x > 5).all(axis=1)[:, None]
    return np.where(elements[:, :, None] == 1, np.where(far, bent, x[:, ::-1]), x)


BENT = sa.custom_action(sa.cyclic(2), bent_far_away)
SWAP = sa.custom_action(sa.cyclic(2), lambda g, x: np.where(g[:, :, None] == 1, x[:, ::-1], x))
S = sa.GroupSample(sa.cyclic(2), [[0]])
FAR = 6 + np.random.default_rng(0).uniform(0, 1, (6, 2))
NEAR = FAR - 6


def embedding_distance(action: sa.actions.Action, sample: sa.GroupSample, x: np.ndarray) -> float:
    """||mean_S k(., g x) - mean_G k(., g x)|| for one sample, from all pairs of points."""
    everything = action.group.all_elements()
    points = np.concatenate([action(sample, x)[:, 0], action(everything, x)[:, 0]])
    weights = np.repeat([1 / sample.m, -1 / len(everything)], [sample.m, len(everything)])
    return float(np.sqrt(weights @ KERNEL(points, points) @ weights))


def test_an_action_that_is_no_isometry_on_the_data_gets_no_discrepancy():
    """cyclic(2), bent where the data lie: eight random points near 0 do not show it."""
    assert KERNEL.is_invariant(BENT, (2,))  # as far as those points tell
    # the value that invariance would give to the mean of w_i xi_i is far below the true one
    moved, w = BENT([[1]], FAR)[0], np.random.default_rng(0).normal(size=6) / 6
    gram = KERNEL(moved, moved) - (KERNEL(FAR, FAR) + KERNEL(moved, FAR)) / 2
    both, signs = np.concatenate([moved, FAR]), np.concatenate([w, -w]) / 2
    assert max(0.0, w @ gram @ w) < 1e-15 < 1e-3 < signs @ KERNEL(both, both) @ signs
    for sample in (S, sa.GroupSample(sa.cyclic(2), [[1]])):
        with pytest.raises(ArgumentError, match="not isometric on the data"):
            kernel_discrepancy(KERNEL, BENT, sample, FAR, weights=w)
    for x in NEAR[:, None]:  # here it is one
        found = kernel_discrepancy(KERNEL, BENT, S, x)
        truth = embedding_distance(BENT, S, x)
        assert truth * (1 - 1e-12) <= found.largest <= truth * (1 + 1e-6)
        assert "function" in found.condition
        assert found.condition in repr(found)
    assert not kernel_discrepancy(KERNEL, sa.permute_axis(sa.cyclic(2)), S, NEAR).condition


def test_what_rests_on_a_users_function_is_not_called_certain():
    model, data, theta = sa.KernelModel(KERNEL, NEAR[:3]), (NEAR, NEAR.sum(axis=1)), np.ones(6)
    swapped = Evidence(model, data, SWAP, S)
    own = sa.certify(theta, swapped)
    ours = sa.certify(theta, Evidence(model, data, sa.permute_axis(sa.cyclic(2)), S))
    for kind in ("a-priori", "spectral", "kernel"):
        assert ours[kind].certain
        assert not ours[kind].condition
        assert not own[kind].certain
        assert own[kind].bound == pytest.approx(ours[kind].bound)
        assert "function" in own[kind].condition
        assert own[kind].condition in own[kind].holds
        assert own[kind].to_dict()["condition"] == own[kind].condition
    assert own["exact"].certain  # the sum over the group itself
    assert own.best.kind == "exact"
    only = sa.certify(theta, swapped, kinds=["spectral", "kernel"])
    assert not only.best.certain
    assert "function" in only.best.holds
    assert only.best.bound == min(one.bound for one in only.values())


def turn(elements):
    angle = 2 * np.pi * elements[:, 0] / 5
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)


def test_matrices_with_rounded_entries_are_no_proof_and_signed_permutations_are():
    rounded = KERNEL.is_invariant(sa.linear(sa.cyclic(5), turn), (2,))
    assert rounded
    assert "matrices" in rounded.condition
    listed = KERNEL.is_invariant(sa.linear(sa.cyclic(2), [np.eye(2), [[0, 1], [1, 0]]]), (2,))
    assert listed
    assert not listed.condition
    assert not KERNEL.is_invariant(sa.linear(sa.groups.cube_rotations()), (3,)).condition
    assert KERNEL.is_invariant(SWAP, (2,)).condition
    assert not KERNEL.is_invariant(sa.move_grid(sa.grid_symmetries(3)), (3, 3)).condition


def test_a_function_that_breaks_the_law_on_the_data_is_refused():
    """cyclic(3) by three isometries, of which the last is not the square of the first."""

    def wrong(elements, x):
        shifted = np.stack([x, np.roll(x, 1, axis=1), np.roll(x, 1, axis=1)])
        return shifted[elements[:, 0]]

    for x in (
        np.eye(3),
        np.concatenate([np.ones((1, 3)), np.eye(3)]),
    ):  # of which the first may stay
        action = sa.custom_action(sa.cyclic(3), wrong)
        with pytest.raises((ArgumentError, LawError), match="act"):
            kernel_discrepancy(KERNEL, action, sa.GroupSample(sa.cyclic(3), [[0], [1]]), x)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_an_action_by_isometries_passes_at_every_scale(scale):
    x = scale * np.random.default_rng(1).normal(size=(20, 2))
    turns = sa.linear(sa.cyclic(5), turn)
    sample = sa.Oracle(turns.group, seed=0).draw(3)
    assert sa.kernels.invariance_on(KERNEL, turns, sample.elements, x)
    affine = sa.custom_action(
        sa.cyclic(2), lambda g, x: np.where(g[:, :, None] == 1, 3.7 * scale - x, x)
    )
    x[0] = [1e-13 * scale, 0.0]  # far smaller than the rounding of its image
    assert sa.kernels.invariance_on(KERNEL, affine, S.elements, x)
