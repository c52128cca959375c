"""The regular representation against dense brute force."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.norms.regular import left_translations, regular_norm
from tests.references import dense_norm

GROUPS = [
    *map(sa.group, ("S4", "S5", "A5", "B3", "D5", "C12", "Z2^5", "Cube24", "Cube48", "C4xD3")),
    sa.permutation_group([[1, 2, 3, 4, 5, 6, 0], [0, 2, 4, 6, 1, 3, 5]], label="Frobenius21"),
]
CERTAIN = 1e-13  # NumPy's own norm may be off by this, relatively


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
@pytest.mark.parametrize("m", [1, 2, 5, 24])
def test_norm_equals_the_dense_norm_of_the_regular_representation(group, m):
    S = sa.Oracle(group, seed=m).draw(m)
    norm = regular_norm(S)
    truth = dense_norm(S)
    assert norm.failure_probability == 0.0
    assert norm.lower <= truth * (1 + CERTAIN)
    assert truth * (1 - CERTAIN) <= norm.upper <= truth + 1e-10
    assert truth - 1e-10 <= norm.lower


@pytest.mark.parametrize("name", ["M11", "S6", "A6", "D9", "Cube48"])
def test_left_translations_are_the_ranks_of_the_products(name):
    group = sa.group(name)
    elements = group.sample(3, np.random.default_rng(0))
    h = group.unrank(np.arange(group.order))
    for row, g in zip(left_translations(group, elements), elements, strict=True):
        np.testing.assert_array_equal(row, group.rank(group.compose(g[None], h)))
