"""The shape of a stabiliser chain, found by sifting: the same as that of the chain itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import GroupTooLargeError
from sparseaug.sampling.limits import _Shape, require_affordable


@pytest.mark.parametrize(
    ("group", "order"),
    [
        (sa.permutation_group([[1, 2, 3, 0], [1, 0, 3, 2]]), 8),
        (sa.permutation_group([[0, 1, 2]]), 1),
        (sa.mathieu(11), 7920),
        (sa.mathieu(12), 95040),
        (sa.mathieu(24), 244823040),
        (sa.rubik(), 43252003274489856000),
        (sa.permutation_group([[*range(1, 15), 0], [1, 0, *range(2, 15)]]), math.factorial(15)),
    ],
    ids=["square", "trivial", "M11", "M12", "M24", "Rubik", "S15"],
)
def test_the_orbits_multiply_up_to_the_published_order(group, order):
    shape = _Shape(group.generators())
    shape.complete()
    assert math.prod(map(len, shape._orbits)) == order
    require_affordable(group.to_dict())


@pytest.mark.parametrize(
    "description",
    [
        None,
        3,
        [],
        {},
        {"permutations": []},
        {"permutations": [[]]},
        {"permutations": [3]},
        {"permutations": [[0, 1], [0]]},
        {"permutations": [[0, 0]]},
        {"permutations": [[0.5, 1]]},
        {"permutations": [["x", "y"]]},
        {"permutations": [[[0]], [[1]]]},
        {"matrices": [[[]]]},
        {"table": [[]]},
        {"product": [None]},
    ],
)
def test_what_describes_no_group_is_left_to_the_group_to_refuse(description):
    require_affordable(description)


def test_the_work_is_refused_as_soon_as_it_is_known(monkeypatch):
    sifted = []
    plain = _Shape._sift
    monkeypatch.setattr(_Shape, "_sift", lambda self, row: sifted.append(row) or plain(self, row))
    rows = [[*range(1, 1000), 0], [1, 0, *range(2, 1000)]]
    with pytest.raises(
        GroupTooLargeError, match=r"takes at least \d+ .*, and a group in a file may"
    ):
        require_affordable({"permutations": rows, "label": ""})
    assert 0 < len(sifted) < 50
    assert np.array_equal(sifted[0], rows[0])
