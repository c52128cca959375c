"""What the molecules example does to its data; the molecules themselves are not needed here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from studies.examples import molecules

REORDER = sa.permute_nodes(sa.symmetric(5))


@pytest.fixture
def matrices() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.stack(
        [
            molecules.coulomb_matrix(rng.integers(1, 10, 5), rng.normal(size=(5, 3)))
            for _ in range(6)
        ]
    )


def test_coulomb_matrices_are_those_of_the_formula() -> None:
    charges, positions = np.array([6, 1, 8]), np.random.default_rng(1).normal(size=(3, 3))
    found = molecules.coulomb_matrix(charges, positions)
    for i in range(3):
        assert found[i, i] == pytest.approx(0.5 * charges[i] ** 2.4)
        for j in range(i):
            distance = sum((positions[i] - positions[j]) ** 2) ** 0.5 / 0.529177210903
            assert found[i, j] == found[j, i] == pytest.approx(charges[i] * charges[j] / distance)


def test_canonical_forms_do_not_change_with_the_order_of_atoms(matrices: Any) -> None:
    S = sa.Oracle(REORDER.group, seed=0).draw(10)
    for moved in REORDER(S, matrices):
        np.testing.assert_allclose(
            molecules.sort_rows(moved), molecules.sort_rows(matrices), rtol=1e-13
        )
        np.testing.assert_allclose(
            molecules.spectrum(moved), molecules.spectrum(matrices), rtol=1e-10
        )
        assert not np.allclose(molecules.upper(moved), molecules.upper(matrices))
