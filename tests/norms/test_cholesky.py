"""The factorisation in place beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from sparseaug.norms.cholesky import pivots


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("size", [1, 2, 33, 300])
def test_pivots_are_those_of_numpy(size, order, kind):
    rng = np.random.default_rng(size)
    matrix = rng.standard_normal((size, 2 * size)).astype(kind)
    if kind is complex:
        matrix += 1j * rng.standard_normal((size, 2 * size))
    hermitian = matrix @ matrix.conj().T
    given = np.asarray(hermitian, order="C" if order == "strided" else order).copy(order="K")
    if order == "strided":
        given = np.repeat(given, 2, axis=0)[::2]
    expected = np.linalg.cholesky(hermitian).diagonal().real
    assert pivots(given) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [float, complex])
def test_an_indefinite_matrix_has_no_pivots(kind):
    rng = np.random.default_rng(0)
    vectors = np.linalg.qr(rng.standard_normal((50, 50)))[0].astype(kind)
    values = np.linspace(-1e-6, 1, 50)
    assert pivots((vectors * values) @ vectors.conj().T) is None
