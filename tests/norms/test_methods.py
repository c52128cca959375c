"""One table of methods, and what `deviation` does with it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import SparseAugError, UnsupportedError
from sparseaug.norms import METHODS, best_method, generation

deviation_module = sys.modules["sparseaug.norms.deviation"]


def test_the_best_method_is_the_first_that_fits(group):
    family = group.known_as().group
    fitting = [m for m in METHODS if m.suits(family)]
    if fitting:
        assert best_method(group) == fitting[0].name
    else:
        with pytest.raises(UnsupportedError, match=r"too large|infinitely many irreps"):
            best_method(group)


def test_every_method_that_fits_gives_the_same_norm():
    for name in ("Z2^4", "C12", "D6", "S4", "A5", "B3", "Grid3", "Cube24", "S3xZ2^2"):
        S = sa.Oracle(sa.group(name), seed=3).draw(25)
        values = []
        for method in METHODS:
            if method.suits(S.group):
                values.append(method.norm(S).upper)
        assert len(values) >= 1
        assert max(values) - min(values) < 1e-9


def test_whether_s_generates_is_asked_only_where_the_norm_is_one(monkeypatch):
    asked = []

    def why_not(S):
        asked.append(S)
        return generation.why_not(S)

    monkeypatch.setattr(deviation_module, "why_not", why_not)
    S = sa.Oracle(sa.symmetric(5), seed=0).draw(30)
    assert sa.deviation(S).value < 1
    assert asked == []
    even = sa.GroupSample(S.group, sa.alternating(5).all_elements())
    found = sa.deviation(even)
    assert (found.value, found.lower, found.method) == (1.0, 1.0, "subgroup")
    assert "order 60, index 2 in S5" in found.reason
    assert asked == [even]


def test_a_coset_in_a_group_that_is_out_of_reach_still_has_its_reason():
    n = 2**50
    S = sa.GroupSample(sa.cyclic(n), np.array([[0], [2], [6]]))
    found = sa.deviation(S)
    assert found.value == found.lower == 1.0
    assert f"subgroup of order {n // 2}, index 2" in found.reason
    with pytest.raises(SparseAugError):
        sa.deviation(sa.GroupSample(sa.cyclic(n), np.array([[0], [1], [3]])))
