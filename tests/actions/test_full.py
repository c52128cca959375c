"""All of the group in place of rows: `act("full", x)`."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.actions.arrays import leaves
from tests.conftest import ACTIONS


@pytest.mark.parametrize("name", ACTIONS)
def test_full_is_every_element_once_in_rank_order(name: str) -> None:
    act, x = ACTIONS[name]
    if not act.group.is_finite:
        pytest.skip("infinite")
    moved, wanted = act("full", x), act(sa.GroupSample.full(act.group), x)
    for one, other in zip(leaves(moved), leaves(wanted), strict=True):
        assert len(one) == act.group.order
        assert np.array_equal(one, other)


def test_shifts_and_one_mirror_are_the_product_of_the_page() -> None:
    act = sa.product_action(sa.permute_axis(sa.dihedral(6), -1), sa.roll(sa.cyclic(4), -2))
    x = np.random.default_rng(0).normal(size=(4, 6))
    moved = act("full", x[None])[:, 0]
    wanted = [
        np.roll(y, (i, j), (0, 1)) for y in (x, x[:, ::-1]) for i in range(4) for j in range(6)
    ]
    assert len(moved) == 48
    assert {y.tobytes() for y in moved} == {y.tobytes() for y in wanted}
