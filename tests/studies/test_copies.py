"""The study of copies of each sample's own: the sets are what their names say, averages are averages."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs sklearn, which is not installed")
from studies import copies


@pytest.mark.parametrize("way", copies.WAYS)
def test_each_sample_has_sixteen_distinct_shifts_shared_or_its_own(way):
    elements = copies.elements_of(way, 9, np.random.default_rng(0))
    assert elements.shape == (9, 16, 2)
    sets = {tuple(sorted(map(tuple, own.tolist()))) for own in elements}
    assert {len(set(own)) for own in sets} == {16}
    assert (len(sets) == 1) == way.startswith("shared")
    image = np.arange(64.0)
    moved = copies.moved(np.tile(image, (9, 1)), elements).reshape(9, 16, 8, 8)
    down, right = elements[3, 5]
    np.testing.assert_array_equal(moved[3, 5], np.roll(image.reshape(8, 8), (down, right), (0, 1)))


def test_the_table_that_is_shipped_shows_what_the_pages_say():
    path = Path(__file__).parents[2] / "docs/data/copies.csv"
    with path.open() as file:
        rows = {(row["learner"], row["copies"]): row for row in csv.DictReader(file)}
    assert len(rows) == 3 * len(copies.WAYS)
    for name in ("forest", "1-NN"):
        for what in ("alone", "averaged"):
            shared, own = (float(rows[name, way][what]) for way in ("shared, drawn", "own, drawn"))
            assert own > shared
    linear = [float(rows["logistic", way]["alone"]) for way in ("shared, drawn", "own, drawn")]
    assert linear[0] > linear[1]
