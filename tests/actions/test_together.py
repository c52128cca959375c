"""Several arrays moved by one element: tuples and dicts, and what is said of other forms."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
import torch

import sparseaug as sa
from sparseaug.actions.laws import require_law

TURN = sa.rotate_grid(sa.dihedral(4))
S = sa.Oracle(TURN.group, seed=1).draw(6)
BOTH = sa.together(image=TURN, mask=TURN)
PAIR = sa.together(TURN, TURN)
GRAPHS = sa.permute_nodes(sa.symmetric(4))


def images(n=3):
    image = torch.randn(n, 2, 4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return {"image": image, "mask": (image[:, 0] > 0).double()}


def test_an_action_moves_a_tuple_and_a_dict_as_its_parts_move_alone():
    x = images()
    copies, targets = sa.augment(BOTH, S, x, torch.arange(3))
    assert list(copies) == ["image", "mask"]
    assert torch.equal(targets, torch.arange(3).repeat(6))
    for name, part in x.items():
        assert torch.equal(copies[name], TURN(S, part).flatten(0, 1))
    pair, _ = sa.augment(PAIR, S, (x["image"].numpy(), x["mask"].numpy()), np.arange(3))
    assert isinstance(pair, tuple)
    assert np.array_equal(pair[1], copies["mask"].numpy())
    Point = namedtuple("Point", "image mask")
    assert isinstance(PAIR(S, Point(**x)), Point)
    nested = sa.together(one=TURN, two=sa.together(TURN, TURN))
    deep = nested(S, {"one": x["image"], "two": (x["mask"], x["image"])})
    assert torch.equal(deep["two"][1], TURN(S, x["image"]))


def test_the_kind_is_the_loosest_and_the_law_is_checked():
    flips = sa.flip_signs(sa.sign_flips(2))
    assert sa.together(flips, flips).kind == "signs"
    assert BOTH.kind == "entries"
    assert sa.together(flips, sa.custom_action(flips.group, flips)).kind == "custom"
    require_law(BOTH, images())
    group = sa.symmetric(3)
    wrong = sa.custom_action(group, lambda g, x: np.stack([x[..., row] for row in g]))
    with pytest.raises(sa.errors.LawError):
        require_law(sa.together(sa.permute_axis(group), wrong), (np.eye(3), np.eye(3)))
