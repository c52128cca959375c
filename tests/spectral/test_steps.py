"""Irreps of S_n applied to vectors, and the norms of S_13 that rest on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups.young import dimension, partitions, young_matrices
from sparseaug.spectral import NormOptions, symmetric
from sparseaug.spectral.lanczos import Operator, lanczos_norm
from sparseaug.spectral.symmetric import Elements, irrep_operator, symmetric_norm

pytest.importorskip("numba")


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_applied_elements_agree_with_youngs_matrices_on_every_irrep(n: int) -> None:
    S = sa.Oracle(sa.symmetric(n), seed=n).draw(min(9, sa.symmetric(n).order))
    elements = Elements(*S.counts())
    rng = np.random.default_rng(n)
    for shape in partitions(n):
        mean = young_matrices(shape, S.elements).mean(axis=0)
        operator = irrep_operator(shape, elements)
        assert operator.dimension == len(mean) == dimension(shape)
        v = rng.standard_normal(len(mean))
        size = np.linalg.norm(v)
        assert np.linalg.norm(operator.apply(v) - mean @ v) < 1e-14 * size
        assert np.linalg.norm(operator.apply_transpose(v) - mean.T @ v) < 1e-14 * size


def test_the_stated_rounding_covers_steps_in_extended_precision() -> None:
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("long double is no wider than double here")
    n, shape = 8, (4, 2, 1, 1)
    S = sa.Oracle(sa.symmetric(n), seed=3).draw(5)
    elements = Elements(*S.counts())
    operator = irrep_operator(shape, elements)
    v = np.random.default_rng(0).standard_normal(operator.dimension)
    truth = np.zeros(len(v), np.longdouble)
    runs = list(symmetric._runs(shape))[::-1]
    begin = 0
    for weight, end in zip(elements.weights, elements.ends, strict=True):
        moved = v.astype(np.longdouble)
        for letter in elements.letters[begin:end]:
            for i, j, length, r in runs[letter]:
                x, y = moved[i : i + length].copy(), moved[j : j + length].copy()
                c = 1 / np.longdouble(r)
                s = np.sqrt((1 - c) * (1 + c))
                moved[i : i + length] = c * x + s * y
                moved[j : j + length] = s * x - c * y if i != j else -x
        truth += np.longdouble(weight) * moved
        begin = end
    error = float(np.linalg.norm((operator.apply(v) - truth).astype(float)))
    assert 0.0 < error <= operator.rounding * np.linalg.norm(v) < 1e-13 * np.linalg.norm(v)


@pytest.mark.parametrize("name", ["S7", "A7"])
def test_norms_of_applied_irreps_agree_with_those_of_blocks(name: str, monkeypatch: Any) -> None:
    S = sa.Oracle(sa.group(name), seed=1).draw(12)
    blocks = symmetric_norm(S)
    monkeypatch.setattr(symmetric, "LARGEST_N", 6)
    monkeypatch.setattr(symmetric, "SMALL", 6)
    applied = symmetric_norm(S, failure_probability=1e-6)
    assert applied.lower <= blocks.upper
    assert blocks.lower <= applied.upper <= blocks.upper + 1e-8
    assert applied.failure_probability == 1e-6
    assert applied == symmetric_norm(S, failure_probability=1e-6, n_jobs=3)


def test_the_sum_of_the_chances_of_all_irreps_is_the_stated_one(monkeypatch: Any) -> None:
    """13 shares of 1e-9, each rounded, add up to 1.0000000000000003e-09."""
    monkeypatch.setattr(symmetric, "LARGEST_N", 6)
    monkeypatch.setattr(symmetric, "SMALL", 1)
    found = symmetric_norm(sa.Oracle(sa.symmetric(7), seed=1).draw(12))
    assert found.failure_probability == 1e-9


def test_the_norm_does_not_depend_on_the_number_of_threads(monkeypatch: Any) -> None:
    monkeypatch.setattr(symmetric, "GRAM_FROM", 8)
    monkeypatch.setattr(symmetric, "SMALL", 3)  # nearly all irreps are compared with tiny ones
    S = sa.Oracle(sa.symmetric(8), seed=2).draw(20)
    found = [sa.deviation(S, options=NormOptions(n_jobs=jobs)) for jobs in (1, 2, 5)]
    assert found[0] == found[1] == found[2]
    monkeypatch.undo()
    assert found[0].value == pytest.approx(sa.deviation(S).value, abs=1e-9)


def test_a_norm_at_most_the_limit_is_not_looked_at_more_closely() -> None:
    A = np.diag([0.5, 0.25, 0.125, 0.1])
    calls = []

    def apply(v: Any) -> Any:
        calls.append(1)
        return A @ v

    operator = Operator(4, apply, A.__matmul__, 1e-15)
    assert lanczos_norm(operator, at_most=0.6).upper == 0.6
    few = len(calls)
    sharp = lanczos_norm(operator, at_most=0.4999)
    assert 0.5 <= sharp.upper < 0.5 + 1e-9
    assert sharp.upper == lanczos_norm(operator).upper
    assert few <= len(calls) - few
    assert (
        lanczos_norm(operator, at_most=1.0).upper == 1.0
    )  # known beforehand: the norm is at most 1


def test_without_numba_the_whole_of_s13_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(symmetric, "attempt", lambda *_, **__: None)
    with pytest.raises(UnsupportedError, match=r"S13 need numba.*degree=1 or 2"):
        irrep_operator((12, 1), Elements(np.arange(13)[None], np.array([1])))


def test_the_whole_of_s12_is_announced(monkeypatch: Any) -> None:
    monkeypatch.setattr(symmetric, "LARGEST_N", 6)
    S = sa.Oracle(sa.symmetric(6), seed=0).draw(8)
    with pytest.warns(sa.spectral.LongRunWarning, match="all irreps of S6"):
        symmetric_norm(S, n_jobs=1)


def test_s15_is_refused_with_the_limit() -> None:
    S = sa.Oracle(sa.symmetric(15), seed=0).draw(16)
    with pytest.raises(UnsupportedError, match="degree=1 or 2"):
        sa.deviation(S)
    with pytest.raises(GroupTooLargeError, match="irreps of S15 takes 15 points, above 14"):
        symmetric_norm(S)


@pytest.mark.slow
def test_the_whole_norm_of_s13_holds_those_of_few_coordinates() -> None:
    S = sa.Oracle(sa.symmetric(13), seed=0).draw(64)
    with pytest.warns(sa.spectral.LongRunWarning, match="minutes"):
        whole = sa.deviation(S)
    assert whole.failure_probability == 1e-9
    assert sa.deviation(S, degree=2).lower <= whole.value < 0.3
