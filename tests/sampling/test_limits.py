"""What a group described in a file may cost."""

from __future__ import annotations

import pytest

from sparseaug.sampling.files import require_affordable


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
