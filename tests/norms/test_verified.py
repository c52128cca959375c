"""The verified norm is never on the wrong side of the exact one, and the checker can tell."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sparseaug._floats import down, gamma
from sparseaug.errors import ArgumentError
from sparseaug.norms import verified
from sparseaug.norms.verified import norm_lower, norm_upper
from tests.extras import REASON

COUNT = 2_000


pytest.importorskip("flint", reason=REASON.format("flint"))
from studies import soundness as suite  # noqa: E402


def test_norm_upper_is_never_below_the_exact_norm() -> None:
    tally = suite.judge({"norm_upper": norm_upper}, COUNT)["norm_upper"]
    assert tally.below == 0
    assert len(tally.excesses) > 0.8 * COUNT
    assert np.median(tally.excesses) < 1e-13
    assert max(tally.excesses) < 1e-12


@pytest.mark.slow
def test_norm_upper_is_never_below_the_exact_norm_on_fifty_thousand_matrices() -> None:
    tally = suite.judge({"norm_upper": norm_upper}, 50_000, seed=1)["norm_upper"]
    assert tally.below == 0
    assert np.median(tally.excesses) < 1e-12


@pytest.mark.parametrize("name", list(suite.BAD_METHODS))
def test_the_suite_flags_methods_that_are_no_bounds(name: str) -> None:
    assert suite.judge({name: suite.BAD_METHODS[name]}, 900)[name].below > 0


def _unchanged(x: float) -> float:
    return x


MUTANTS: dict[str, dict[str, object]] = {
    "no rounding term at all": {
        "gamma": lambda n: 0.0,
        "UNIT": 0.0,
        "up": _unchanged,
        "down": _unchanged,
    },
    "the proposal taken for the answer": {
        "_eigenvalue_upper": lambda gram, s, gram_error: float(np.linalg.eigvalsh(gram)[-1])
    },
}


@pytest.mark.parametrize("name", list(MUTANTS))
def test_the_suite_flags_mutants(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for attribute, replacement in MUTANTS[name].items():
        monkeypatch.setattr(verified, attribute, replacement)
    assert suite.judge({"mutant": norm_upper}, COUNT)["mutant"].below > 0


def test_the_exact_checker_separates_neighbouring_floats() -> None:
    exact = suite.ExactNorm(np.array([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]]))
    assert exact.is_at_most(4.0)
    assert not exact.is_at_most(down(4.0))
    assert exact.excess(4.0) == 0.0
    assert 0.25 <= exact.excess(5.0) <= 2 * 0.6
    rotation = suite.ExactNorm(np.array([[0.0, 1j], [1j, 0.0]]))
    assert rotation.is_at_most(1.0)
    assert not rotation.is_at_most(down(1.0))


def test_norm_lower_is_never_above_the_exact_norm_and_close() -> None:
    for _, matrix in suite.matrices(COUNT, seed=2):
        lower = norm_lower(matrix)
        assert lower == 0.0 or not suite.ExactNorm(matrix).is_at_most(lower)
        upper = norm_upper(matrix)
        if 1e-290 < upper < math.inf:
            assert lower >= upper * (1 - 1e-12)


ENTRIES = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=4), elements=ENTRIES))
def test_both_bounds_hold_for_any_finite_floats(matrix: Any) -> None:
    exact = suite.ExactNorm(matrix)
    assert exact.is_at_most(norm_upper(matrix))
    lower = norm_lower(matrix)
    assert lower == 0.0 or not exact.is_at_most(lower)


@pytest.mark.parametrize("kind", ["real", "complex", "rank one", "flat"])
def test_large_matrices_are_bounded_through_lanczos(kind: str) -> None:
    rng = np.random.default_rng(7)
    matrix: Any = rng.standard_normal((260, 220))
    if kind == "complex":
        matrix = matrix + 1j * rng.standard_normal((260, 220))
    if kind == "rank one":
        matrix = np.outer(matrix[:, 0], matrix[0])
    if kind == "flat":  # all singular values equal: Lanczos stops after one step
        matrix = np.linalg.qr(matrix)[0]
    truth = float(np.linalg.norm(matrix, 2))
    assert truth * (1 - 1e-11) < norm_lower(matrix) < truth * (1 + 1e-14)
    assert truth * (1 - 1e-14) < norm_upper(matrix) < truth * (1 + 1e-10)


def test_a_bad_proposal_costs_tightness_not_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(8).standard_normal((6, 6))
    good = norm_upper(matrix)
    monkeypatch.setattr(verified, "_top_eigenvalue", lambda gram, tolerance: 0.999 * good**2)
    assert good <= norm_upper(matrix) < 1.1 * good
    monkeypatch.setattr(verified, "_top_eigenvalue", lambda gram, tolerance: 0.0)
    assert norm_upper(matrix) == pytest.approx(np.linalg.norm(matrix), rel=1e-13)


def test_at_most_is_returned_when_it_can_be_proved_and_only_then() -> None:
    for _, matrix in suite.matrices(900, seed=4):
        exact, upper = suite.ExactNorm(matrix), norm_upper(matrix)
        if not 1e-290 < upper < 1e300:
            continue
        generous = upper * (1 + 1e-13)
        assert norm_upper(matrix, at_most=generous) == generous
        low = upper * (1 - 1e-13)
        answer = norm_upper(matrix, at_most=low)
        assert exact.is_at_most(answer)
        for limit in (0.0, -1.0, upper / 2):
            assert norm_upper(matrix, at_most=limit) == upper


def test_error_is_added_outward() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert Fraction(norm_upper(matrix, 0.1)) >= Fraction(norm_upper(matrix)) + Fraction(0.1)
    assert Fraction(norm_lower(matrix, 0.1)) <= Fraction(norm_lower(matrix)) - Fraction(0.1)
    assert norm_lower(matrix, 100.0) == 0.0
    assert norm_upper(matrix, 0.1, at_most=5.6) == 5.6
    assert norm_upper(matrix, 0.2, at_most=5.6) > 5.66


@pytest.mark.parametrize("function", [norm_upper, norm_lower])
@pytest.mark.parametrize("entry", [np.nan, np.inf, 1j * np.nan])
def test_a_bad_matrix_is_named(function: Any, entry: Any) -> None:
    with pytest.raises(ArgumentError, match="matrix"):
        function(np.array([[entry], [0 * entry]]))


@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000, 10**9, 2**51])
def test_gamma_is_above_its_formula_by_a_few_ulps(n: int) -> None:
    exact = Fraction(n, 2**53) / (1 - Fraction(n, 2**53))
    assert exact <= Fraction(gamma(n)) <= exact * (1 + Fraction(1, 2**50)) + Fraction(1, 2**1074)
    with pytest.raises(ArgumentError):
        gamma(2**53)


def test_pivots_are_those_of_the_factor_or_none() -> None:
    rng = np.random.default_rng(0)
    for size, kind in itertools.product((1, 2, 7, 40), (float, complex)):
        a = rng.standard_normal((size, size)) + (kind is complex) * 1j * rng.standard_normal(size)
        hermitian = a @ a.conj().T + np.eye(size)
        truth = np.linalg.cholesky(hermitian).diagonal().real
        for laid_out in (hermitian.copy("C"), hermitian.copy("F")):
            assert verified.pivots(laid_out) == pytest.approx(truth)
        assert verified.pivots(hermitian - 2 * np.linalg.norm(hermitian) * np.eye(size)) is None
