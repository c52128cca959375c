"""The a-priori bounds cover: thm:app-tw and the sharper bound on random draws, short form.

The 10,000 draws a case are `studies/bounds.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from studies import bounds


def test_the_bounds_fail_less_often_than_delta():
    rows = list(bounds.study(1000))
    assert len(rows) == 45
    for row in rows:
        assert row.limit < row.delta, row


def test_the_study_would_notice_a_bound_without_its_dimension_factor(monkeypatch):
    """The bound for one dimension instead of |G|: it fails too often, and the study says so."""
    bound = sa.theory.deviation_bound
    monkeypatch.setattr(
        sa.theory, "deviation_bound", lambda m, order, delta: bound(4 * m, order=2, delta=delta)
    )
    assert any(row.limit >= row.delta for row in bounds.study(300))


@pytest.mark.parametrize("name", ["S4", "D6", "Z2^6", "C30"])
def test_the_studys_deviations_are_the_librarys(name):
    g = sa.group(name)
    rng = np.random.default_rng([0, 8])
    chosen = rng.integers(0, g.order, (5, 8))
    found = bounds.deviations(name, 8, 5)
    for value, ranks in zip(found, chosen, strict=True):
        S = sa.GroupSample(g, g.unrank(ranks))
        assert value == pytest.approx(sa.deviation(S).value, abs=1e-11)
