"""The page of records is the one that the tables make, and says nothing about others that is not so."""

from __future__ import annotations

import pytest

from tests.extras import REASON

pytest.importorskip("matplotlib", reason=REASON.format("matplotlib"))
from studies.records import page


def test_the_page_is_that_of_the_tables():
    made = page.PAGE.read_text("utf-8")
    assert made == page.written(made), "run python -m studies.records.page"


def test_no_rotations_of_equal_weight_in_openquad_are_fewer_to_l_14():
    ours = page.exact_sizes("SO3")
    compared = [degree for degree in page.GRAEF if degree <= 14]
    assert len(compared) == 12
    assert [degree for degree in compared if ours[degree].m > page.GRAEF[degree]] == []


def test_rules_of_others_keep_to_the_bounds():
    """A bound above what somebody has would be wrong; weights are free to go below it."""
    for degree, record in page.exact_sizes("SO3").items():
        for theirs in (page.GRAEF, page.WOMERSLEY):
            assert theirs.get(degree, record.bound) >= record.bound
