"""Affine maps listed whole: products against matrices, and lists that are not groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparseaug._checks import LIMITS
from sparseaug.errors import GroupError, GroupTooLargeError, SparseAugError
from sparseaug.groups import from_dict
from sparseaug.groups.affine import AffineGroup
from tests.conftest import quarter_turns_of_a_board

UNIT, SWAP = ((1, 0), (0, 1)), ((0, 1), (1, 0))
KLEIN = tuple((k, a, a) for k in range(2) for a in range(2))


def test_products_are_those_of_matrices_with_one_more_row() -> None:
    group = quarter_turns_of_a_board()
    maps, sizes = np.array(group.maps), np.array([*group.sizes, 2])
    matrices = np.tile(np.eye(4, dtype=int), (len(maps), 1, 1))
    matrices[:, :3, :3], matrices[:, :3, 3] = np.array(group.turns)[maps[:, 0]], maps[:, 1:]
    every = group.all_elements()
    table = group.compose(every[:, None], every)[..., 0]
    wanted = (matrices[:, None] @ matrices)[..., :3, 3] % sizes[:3]
    assert np.array_equal(maps[table][..., 1:], wanted)
    assert np.array_equal(
        np.array(group.turns)[maps[table][..., 0]], (matrices[:, None] @ matrices)[..., :3, :3]
    )


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (((2, 2), (UNIT, SWAP), KLEIN[:3]), "are no group"),
        (((2, 2), (UNIT, SWAP), (*KLEIN, KLEIN[1])), "are no group"),
        (((2, 2), (UNIT, SWAP), KLEIN[::-1]), "are no group"),
        (((2, 2), (SWAP, UNIT), KLEIN), "are no group"),
        (((2, 2), (UNIT, SWAP, SWAP), KLEIN), "are no group"),
        (((2, 2), (UNIT, ((1, 1), (0, 1))), KLEIN), "are no group"),
        (((2, 2), (UNIT, ((1, 0), (0, 0))), ((0, 0, 0), (1, 0, 0))), "are no group"),
        (((2, 3), (UNIT, SWAP), ((0, 0, 0), (1, 0, 0))), "are no group"),
        (((2, 2), (UNIT,), ((0, 0, 0), (0, 2, 0))), "are no group"),
        (((2, 2), (UNIT,), ((0, 0, 0), (1, 0, 0))), "are no group"),
        (((0, 2), (UNIT,), ((0, 0, 0),)), "are no group"),
        (((2**31, 2**31), (UNIT,), ((0, 0, 0),)), "are no group"),
        (((2, 2), (((1, 0),),), ((0, 0, 0),)), "shapes"),
        (((2, 2), (UNIT,), ((0, 0.5, 0),)), "maps has dtype"),
        (((), (UNIT,), ((0, 0, 0),)), "shapes"),
        ((2, (UNIT,), ((0, 0, 0),)), "shapes"),
    ],
)
def test_lists_that_are_not_groups_are_refused(parts: Any, reason: str) -> None:
    with pytest.raises(GroupError, match=reason):
        AffineGroup(*parts, "")


def test_too_many_maps_are_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, "affine shifts", LIMITS["affine shifts"]._replace(most=10))
    with pytest.raises(GroupTooLargeError, match="maps takes 40 numbers, above 10"):
        AffineGroup((2, 2), (UNIT, SWAP), KLEIN, "")


@pytest.mark.parametrize(
    "parts",
    [
        {"sizes": [2], "turns": [[[1]]]},
        {"sizes": [2], "turns": [[1]], "maps": [[0, 0]]},
        {"sizes": [[]], "turns": [[[1]]], "maps": [[0, 0]]},
        {"sizes": ["a"], "turns": [[[1]]], "maps": [[0, 0]]},
        {"sizes": [10**30], "turns": [[[1]]], "maps": [[0, 0]]},
        {"sizes": [2], "turns": [[[1]]], "maps": [0]},
        {"sizes": [2], "turns": [[[1]]], "maps": [[True, False]]},
    ],
)
def test_crafted_data_are_refused_by_a_typed_error(parts: Any) -> None:
    with pytest.raises(SparseAugError):
        from_dict({"affine": parts, "label": ""})
