"""What the study of tabular ensembles says of stored lists; the packages that made them are not needed.

`tabular.json` holds what `studies.tabular` got from TabPFN 9.2.0 and TabICL 2.2.0, at their own seeds:
`tabpfn(2, 7, 8)`, `tabpfn(3, 7, 8)`, `tabicl(3, 7, 8)` and all 42 members of `tabicl(3, 7, 1000)`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from studies import tabular

STORED = [
    tabular.Ensemble(**one)
    for one in json.loads(Path(__file__).with_name("tabular.json").read_text())
]
TWO_CLASSES, THREE_CLASSES, EIGHT, WHOLE = STORED


@pytest.mark.parametrize("ensemble", STORED)
def test_elements_move_labels_and_columns_as_the_packages_do(ensemble: Any) -> None:
    classes, columns, _ = tabular.parts(tabular.elements(ensemble))
    X = np.random.default_rng(0).normal(size=(4, 7))
    theirs = [X[:, order] for order in ensemble.columns]
    np.testing.assert_array_equal(sa.permute_axis(columns.group)(columns, X), theirs)
    labels = np.arange(classes.group.width)
    one_hot = np.eye(len(labels))
    written = [one_hot[np.array(order)[labels]] for order in ensemble.classes]
    np.testing.assert_array_equal(sa.permute_axis(classes.group)(classes, one_hot), written)


def test_two_class_orders_and_two_preprocessors_are_zipped_and_crossed_they_are_exact() -> None:
    _, _, pairs = tabular.parts(tabular.elements(TWO_CLASSES))
    found = sa.inspect(pairs)
    assert (found.index, found.deviation) == (2, 1.0)
    assert found.misses == ("S2 x C2",)
    assert any("zipped, not crossed" in finding for finding in found.findings)
    chosen = sa.design(tabular.elements(TWO_CLASSES).group, m=8)
    assert sa.inspect(tabular.parts(chosen)[2]).deviation == 0.0


def test_the_latin_square_is_a_coset_of_shifts_exact_on_columns_and_blind_on_pairs() -> None:
    classes, columns, pairs = tabular.parts(tabular.elements(WHOLE))
    found = sa.inspect(columns)
    assert (found.order, found.exact) == (7, (1,))
    assert found.profile is not None
    assert found.profile.norms[2] == pytest.approx(1, abs=1e-6)
    assert sa.inspect(classes).index == 2  # shifts of three classes: no exchange of two
    assert sa.inspect(pairs).exact == ("C2", "S3 x C2")  # preprocessors are crossed


def test_a_row_of_the_table_has_what_occurs_and_what_is_left() -> None:
    row = tabular.judge([EIGHT, THREE_CLASSES])
    assert row[1:5] == ("2 of 6", "3 of 5040", "4 of 12", 2)
    assert row.designed < row.left[0]
    assert row.left[0] == pytest.approx((0.1903 + 0.0660) / 2, abs=1e-4)
    assert tabular.table([row]).row_count == 1
