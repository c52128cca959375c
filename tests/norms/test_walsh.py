"""Sign flips: exact integers against brute force, and linear algebra over GF(2)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import hadamard as hadamard_matrix

import sparseaug as sa
from sparseaug.norms.abelian import walsh
from sparseaug.norms.abelian.characters import characters_norm
from sparseaug.norms.abelian.walsh import hadamard, walsh_norm


def draw(d: int, m: int, seed: int = 0) -> sa.GroupSample:
    return sa.Oracle(sa.sign_flips(d), seed=seed).draw(m)


def brute_force(bits: NDArray[np.int64]) -> tuple[int, int]:
    """The largest |sum of signs| over a != 0 and the smallest rank that has it."""
    d = bits.shape[1]
    frequencies = sa.sign_flips(d).unrank(np.arange(1 << d))
    sizes = np.abs((1 - 2 * (frequencies @ bits.T % 2)).sum(axis=1))
    rank = 1 + int(sizes[1:].argmax())
    return int(sizes[rank]), rank


def rank_of(block: str) -> int:
    return int("".join(character for character in block if character in "01"), 2)


@pytest.fixture(params=["popcount", "table", "popcount with many high parts"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make small groups go each way, also the way of large ones."""
    name: str = request.param
    if name == "table":
        monkeypatch.setattr(walsh, "_by_popcount", lambda bits, progress: walsh._by_table(bits))
    else:
        monkeypatch.setattr(walsh, "TABLE_BITS", 0)
    if name.endswith("parts"):
        monkeypatch.setattr(walsh, "LOW_BITS", 2)
    return name


@pytest.mark.parametrize("d", range(1, 9))
def test_walsh_equals_brute_force(d: int, way: str) -> None:
    for m in (1, 2, 5, 17, 63, 64, 65, 200, 600):
        for seed in range(3):
            S = draw(d, m, seed)
            total, rank = brute_force(S.elements)
            norm = walsh_norm(S)
            assert Fraction(norm.lower) <= Fraction(total, m) <= Fraction(norm.upper)
            assert norm.upper - norm.lower <= 3e-16
            assert total == m or rank_of(norm.block) == rank


def test_sums_of_many_copies_do_not_overflow(way: str) -> None:
    for copies in (200, 700, 40_000):
        rows = np.concatenate([np.zeros((copies, 3), int), np.eye(3, dtype=int)])
        S = sa.GroupSample(sa.sign_flips(3), rows)
        total, _ = brute_force(S.elements)
        assert walsh_norm(S).lower <= total / (copies + 3) <= walsh_norm(S).upper


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_whole_group_has_norm_exactly_zero(d: int, way: str) -> None:
    rows = sa.sign_flips(d).unrank(np.arange(1 << d))
    norm = walsh_norm(sa.GroupSample(sa.sign_flips(d), rows))
    assert (norm.upper, norm.lower, rank_of(norm.block)) == (0.0, 0.0, 1)


def test_factors_of_order_one_and_characters_norm() -> None:
    group = sa.abelian(2, 1, 2, 2)
    S = sa.Oracle(group, seed=0).draw(9)
    total, rank = brute_force(S.elements[:, [0, 2, 3]])
    norm = characters_norm(S)
    assert norm == walsh_norm(S)
    assert norm.upper == pytest.approx(total / 9)
    a = [rank >> 2 & 1, rank >> 1 & 1, rank & 1]
    assert norm.block == f"chi{(a[0], 0, a[1], a[2])}"
    assert walsh_norm(sa.Oracle(sa.abelian(1), seed=0).draw(3)).upper == 0.0


def test_samples_that_do_not_span_have_norm_one_at_any_dimension() -> None:
    S = draw(4096, 4096 // 2)
    norm = walsh_norm(S)
    assert (norm.lower, norm.upper) == (1.0, 1.0)


@pytest.mark.parametrize("d", range(10))
def test_hadamard_equals_the_matrix(d: int) -> None:
    x = np.random.default_rng(d).integers(-9, 9, 1 << d)
    expected = hadamard_matrix(1 << d) @ x
    hadamard(x)
    assert (x == expected).all()
