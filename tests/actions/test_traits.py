"""What an action is stands on the action: its kind, its whole axis; other packages only read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug.actions.base import WholeAxis
from sparseaug.kernels.group_means import closed_form

ROCK_SALT = (5.6 * np.eye(3), [[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]], [11] * 4)


@dataclass(frozen=True)
class Backwards(sa.actions.Action):
    """Permutations of the last axis, written by a user."""

    group: sa.groups.Group
    kind = "entries"

    @property
    def whole_axis(self) -> WholeAxis:  # type: ignore[override]
        return WholeAxis(-1, self.group.width, "permutations")

    def prepare(self, elements: Any, shape: Any) -> tuple[Any, ...]:
        return (np.argsort(elements, axis=1),)

    def apply(self, prepared: Sequence[Any], x: Any) -> Any:
        return np.stack([x[0][..., row] for row in prepared[0]])


def test_closed_forms_are_read_from_the_action_also_from_a_users():
    group = sa.symmetric(5)
    own, ours = Backwards(group), sa.permute_axis(group)
    rng = np.random.default_rng(0)
    x, z = rng.standard_normal((2, 5)), rng.standard_normal((3, 5))
    kernel = sa.GaussianKernel(1.3)
    assert closed_form(own) == closed_form(ours) == "permutations"
    assert np.array_equal(kernel.group_mean(own, x, z), kernel.group_mean(ours, x, z))
    brute = kernel(own(group.all_elements(), x).reshape(-1, 5), z).reshape(120, 2, 3).mean(axis=0)
    assert abs(kernel.group_mean(own, x, z) - brute).max() < 1e-13


def test_whole_axes_are_those_of_the_whole_symmetric_group_flips_and_signed_permutations():
    assert sa.permute_axis(sa.symmetric(4), 1).whole_axis == WholeAxis(1, 4, "permutations")
    assert sa.flip_signs(sa.sign_flips(3)).whole_axis == WholeAxis(-1, 3, "flips")
    signed = sa.signed_permute(sa.hyperoctahedral(3)).whole_axis
    assert signed == WholeAxis(-1, 3, "signed permutations")
    for act in (sa.permute_axis(sa.alternating(4)), sa.permute_axis(sa.cyclic(4))):
        assert act.whole_axis is None
