"""The norm in a given action against dense means over S and over G."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.norms.regular import regular_norm
from sparseaug.norms.representation import action_norm

CERTAIN = 1e-13


def turn_matrices(rows: np.ndarray) -> np.ndarray:
    """D_5 on the plane."""
    angle = 2 * np.pi * rows[:, 0] / 5
    sign = 1 - 2 * rows[:, 1]
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, -s * sign], -1), np.stack([s, c * sign], -1)], -2)


CASES = {
    "permute": (sa.permute_axis(sa.symmetric(5)), (5,)),
    "permute with channels": (sa.permute_axis(sa.alternating(4), 1), (4, 2)),
    "nodes": (sa.permute_nodes(sa.symmetric(4)), (4, 4)),
    "signs": (sa.flip_signs(sa.sign_flips(4)), (4,)),
    "signed": (sa.signed_permute(sa.hyperoctahedral(3)), (3,)),
    "a sign along an orbit": (
        sa.linear(sa.cyclic(2), [np.eye(2), np.array([[0.0, -1.0], [-1.0, 0.0]])]),
        (2,),
    ),
    "shifts": (sa.roll(sa.abelian(3, 4)), (3, 4)),
    "grid": (sa.rotate_grid(sa.dihedral(4)), (5, 5)),
    "cube": (sa.linear(sa.groups.cube_rotations()), (2, 3)),
    "plane": (sa.linear(sa.dihedral(5), turn_matrices), (2,)),
    "both": (
        sa.product_action(sa.permute_axis(sa.symmetric(3), 1), sa.flip_signs(sa.sign_flips(2))),
        (3, 2),
    ),
}


def dense(S: sa.GroupSample, action: sa.actions.Action, shape: tuple[int, ...]) -> np.ndarray:
    size = int(np.prod(shape))
    basis = np.eye(size).reshape(size, *shape)
    everything = np.concatenate(list(S.group.elements()))
    means = [action(rows, basis).mean(axis=0).reshape(size, size) for rows in (S, everything)]
    return (means[0] - means[1]).T


@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize("m", [1, 6, 40])
def test_action_norm_equals_the_dense_norm(case, m):
    action, shape = CASES[case]
    S = sa.Oracle(action.group, seed=m).draw(m)
    matrix = dense(S, action, shape)
    truth = float(np.linalg.norm(matrix, 2))
    norm = action_norm(S, action, shape)
    assert norm.failure_probability == (None if case == "plane" else 0.0)
    assert norm.lower <= truth * (1 + CERTAIN) + 1e-15
    assert truth * (1 - CERTAIN) - 1e-15 <= norm.upper <= truth + 1e-10
    assert norm.upper <= regular_norm(S).upper + 1e-10


def test_actions_in_other_coordinates_have_the_same_norm():
    for name in ("plane", "cube", "permute"):
        action, shape = CASES[name]
        S = sa.Oracle(action.group, seed=3).draw(10)
        norm = action_norm(S, _turned(action, shape), shape)
        truth = float(np.linalg.norm(dense(S, action, shape), 2))
        assert norm.lower <= truth + 1e-12
        assert norm.upper == pytest.approx(truth, abs=1e-10)


def _turned(action: sa.actions.Action, shape: tuple[int, ...]) -> sa.actions.Action:
    """The same action in a random orthonormal basis of the last axis."""
    q = np.linalg.qr(np.random.default_rng(0).normal(size=(shape[-1], shape[-1])))[0]
    return sa.custom_action(action.group, lambda g, x: action(g, x @ q) @ q.T)


def test_actions_without_a_norm_are_refused():
    group = sa.cyclic(2)
    S = sa.GroupSample(group, [[0], [1]])
    skew = sa.linear(group, [np.eye(2), np.array([[1.0, 1.0], [0.0, -1.0]])])
    with pytest.raises(ArgumentError, match="orthogonal"):
        action_norm(S, skew, (2,))
    affine = sa.custom_action(
        group, lambda g, x: np.where(g[:, :, None] == 1, 1.0 - x[None], x[None])
    )
    with pytest.raises(ArgumentError, match="linear"):
        action_norm(S, affine, (3,))


def test_what_rests_on_a_users_function_is_an_estimate():
    """The function of a permutation action, right on S and generators, and wrong elsewhere or not."""

    def reorder(elements, x):
        return x[:, np.argsort(elements, axis=1)].swapaxes(0, 1)

    group = sa.symmetric(4)
    S = sa.Oracle(group, seed=0).draw(6)
    own = action_norm(S, sa.custom_action(group, reorder), (4,))
    ours = action_norm(S, sa.permute_axis(group), (4,))
    assert own.upper == ours.upper
    assert (own.failure_probability, ours.failure_probability) == (None, 0.0)


def test_matrices_that_break_the_law_are_refused_though_no_entry_is_whole():
    """A function of rows that is a representation but for one element, which lies in S."""
    group = sa.cyclic(100)
    seen = set(group.sample(64, np.random.default_rng(0))[:, 0].tolist())  # by `linear`
    wrong = next(k for k in range(2, 100) if not seen & {k, k - 1})

    def turns(rows):
        angle = 2 * np.pi * rows[:, 0] / 100 + 0.1 * (rows[:, 0] == wrong)
        c, s = np.cos(angle), np.sin(angle)
        return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)

    action = sa.linear(group, turns)
    with pytest.raises(ArgumentError, match="no left action"):
        action_norm(sa.GroupSample(group, [[0], [wrong]]), action, (2,))
