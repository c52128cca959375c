"""Every rounding term is needed: errors of exactly the size that is claimed, in the worst direction.

Ordinary data never round as badly as a bound must allow, so a term that is left out does not show.
Here the arithmetic is as bad as its model permits: products of matrices are off by the whole of
gamma(n) |A| |B|, sums of squares by all their roundings, Cholesky completes wherever it may, blocks
are as far from the truth as they say. The unit is 2^-12 where only that makes errors large enough.
"""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import cholesky

import sparseaug as sa
from sparseaug import _floats
from sparseaug.groups import Irrep, fourier
from sparseaug.groups.fourier import Block
from sparseaug.norms import irreps, regular, verified
from sparseaug.norms.regular import PermutationMean, regular_norm

UNIT = 2.0**-12


def gamma(n: int, unit: float = UNIT) -> float:
    """The error of n roundings, by Higham's formula."""
    return n * unit / (1 - n * unit)


class Worst(np.ndarray):
    """A matrix whose products are too small by gamma(n) |A| |B|, at the unit of binary64."""

    sign = -1.0
    unit = 2.0**-53

    def _product(self, left: Any, right: Any) -> Any:
        left, right = left.view(np.ndarray), right.view(np.ndarray)
        n = left.shape[-1]
        factor = math.sqrt(2) * gamma(2 * n, self.unit)
        if not np.iscomplexobj(left):
            factor = gamma(n, self.unit)
        exact = left @ right
        size = abs(exact)
        away = np.where(size > 0, exact / np.maximum(size, 1e-300), 1.0)  # from 0
        return (exact + self.sign * factor * (abs(left) @ abs(right)) * away).view(type(self))

    def __matmul__(self, other: Any) -> Any:
        return self._product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._product(other, self)


class WorstAbove(Worst):
    """Products too large."""

    sign = 1.0


class WorstCoarse(Worst):
    unit = UNIT


class WorstCoarseAbove(Worst):
    sign = 1.0
    unit = UNIT


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds of `verified` for a machine with the unit 2^-12."""
    monkeypatch.setattr(verified, "UNIT", UNIT)
    monkeypatch.setattr(_floats, "UNIT", UNIT)  # that of gamma


def rank_one(rows: int, columns: int, dtype: type = np.float64) -> tuple[NDArray[Any], float]:
    """Ones, so that |A| = A, and the norm, which is exact where rows times columns is a square."""
    return np.ones((rows, columns), dtype), math.sqrt(rows * columns)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_norm_upper_covers_the_worst_gram_matrix(dtype: Any, monkeypatch: Any) -> None:
    for rows, columns in ((200, 2), (1800, 2), (450, 8)):
        matrix, truth = rank_one(rows, columns, dtype)
        monkeypatch.setattr(verified, "_scale", lambda m: (m.view(Worst), 0))
        assert verified.norm_upper(matrix) >= truth


@pytest.mark.parametrize("above", [False, True])
def test_norms_cover_the_worst_sums_of_squares(above: bool, monkeypatch: Any) -> None:
    def worst(x: Any) -> float:
        exact = float(np.vdot(x, x).real)
        error = gamma(2 * x.size, 2.0**-53)
        return exact * (1 + error if above else 1 - error)

    monkeypatch.setattr(verified, "_sum_of_squares", worst)
    matrix, truth = rank_one(2500, 1)
    assert verified.norm_lower(matrix) <= truth <= verified.norm_upper(matrix)


def squares_at_worst(long: int) -> Any:
    """Sums of squares of `long` numbers too large, others too small, by all their roundings."""

    def worst(x: Any) -> float:
        error = gamma(2 * x.size, 2.0**-53)
        return float(np.vdot(x, x).real) * (1 + error if x.size == long else 1 - error)

    return worst


def test_norm_lower_covers_the_worst_product(monkeypatch: Any) -> None:
    matrix, truth = rank_one(900, 400)
    monkeypatch.setattr(verified, "_scale", lambda m: (m.view(WorstAbove), 0))
    monkeypatch.setattr(verified, "_sum_of_squares", squares_at_worst(900))
    assert truth * (1 - 1e-9) < verified.norm_lower(matrix) <= truth


def _kernel_of_minima(size: int) -> NDArray[np.float64]:
    """What Cholesky may be off by, |E_ij| <= e_min(i,j) |r_i| |r_j|, for |r_j| = 1."""
    e = np.array([gamma(i + 4) for i in range(1, size + 1)])
    return np.minimum.outer(e, e)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("size", [2, 3, 5, 12])
def test_the_cholesky_term_covers_a_factorisation_that_completes_wherever_it_may(
    size: int, monkeypatch: Any
) -> None:
    """M + E is factored instead of M; E is 0.95 of what is allowed, and of one sign."""

    def generous(matrix: Any) -> Any:
        error = _kernel_of_minima(size) * np.sqrt(np.outer(matrix.diagonal(), matrix.diagonal()))
        try:
            return cholesky(matrix + 0.95 * error, lower=True).diagonal()
        except np.linalg.LinAlgError:
            return None

    monkeypatch.setattr(verified, "pivots", generous)
    gram = np.full((size, size), 1.0)  # top eigenvalue: size
    needed = False
    for shift in np.linspace(0.9 * size, size, 200):
        bound = verified._eigenvalue_upper(gram.copy(), float(shift), 0.0)
        assert bound >= size
        needed |= bound < math.inf and shift * (1 + UNIT) < size
    assert needed


@pytest.mark.usefixtures("coarse")
def test_the_shift_is_rounded_too(monkeypatch: Any) -> None:
    """s - g_jj larger by u s than it is: with a small trace nothing else would cover that."""
    honest = verified._indefiniteness
    gram = 0.7 * np.eye(3) + 0.001

    def shifted_up(matrix: Any) -> float:
        return honest(matrix + 0.999 * UNIT * shift * np.eye(3))

    monkeypatch.setattr(verified, "_indefiniteness", shifted_up)
    finite = 0
    for shift in np.linspace(0.7025, 0.703, 100):
        bound = verified._eigenvalue_upper(gram, float(shift), 0.0)
        finite += bound < math.inf
        assert bound >= 0.703
    assert finite > 10


def test_the_error_of_a_gram_matrix_is_added_to_its_eigenvalue() -> None:
    error = 1e-3
    gram = np.array([[0.5, 0.25], [0.25, 0.5]]) - error * 0.5  # true top eigenvalue 0.75
    assert verified._eigenvalue_upper(gram, 0.75 - error + 1e-12, error) >= 0.75


def test_at_most_is_not_returned_where_a_factor_proves_less(monkeypatch: Any) -> None:
    matrix = np.random.default_rng(4).standard_normal((5, 5))
    limit = verified.norm_upper(matrix) * (1 + 1e-9)
    assert verified.norm_upper(matrix, at_most=limit) == limit
    honest = verified._indefiniteness
    monkeypatch.setattr(verified, "_indefiniteness", lambda shifted: honest(shifted) + 1e-6)
    assert verified.norm_upper(matrix, at_most=limit) > limit


# Blocks: 1 x 1 matrices, where every direction is the worst.


def number(value: float, error: float = 0.0) -> Block:
    return Block("", np.array([[value]]), error)


def sample_of(irreps: list[Irrep], counts: list[int]) -> Any:
    """What `irrep_means` needs of a sample."""
    rows = np.arange(len(counts))[:, None]
    return SimpleNamespace(
        m=sum(counts),
        sha256="",
        counts=lambda: (rows, np.array(counts)),
        group=SimpleNamespace(name="G", irreps=lambda: iter([irreps[0], *irreps])),
    )


def test_the_mean_of_an_irrep_covers_the_rounding_of_its_matrices_and_its_own(
    monkeypatch: Any,
) -> None:
    off = 1e-3
    irrep = Irrep("pi", 1, lambda rows: np.full((len(rows), 1, 1), 1 - off), off)
    (block,) = fourier.irrep_means(sample_of([irrep], [1, 2, 3]))
    assert block.values[0, 0] + block.error >= 1.0
    exact = Irrep("pi", 4, lambda rows: np.tile(np.eye(4), (len(rows), 1, 1)), 0.0)
    monkeypatch.setattr(fourier, "gamma", gamma)
    monkeypatch.setattr(fourier, "_mean", lambda *_: np.eye(4) * (1 - gamma(4)))  # 3 terms, / m
    (block,) = fourier.irrep_means(sample_of([exact], [1, 2, 3]))
    assert block.error >= np.linalg.norm(np.eye(4) - block.values)


def test_the_largest_norm_counts_the_error_of_every_block() -> None:
    off = 1e-3
    found = irreps.largest_norm([number(0.5 - off, off), number(0.3)], total=2)
    assert found.lower <= 0.5 <= found.upper
    found = irreps.largest_norm([number(0.5), number(0.4, 0.2)], total=2)
    assert found.upper >= 0.6


# Means of permutations.


def exactly(mean: PermutationMean, x: NDArray[np.float64]) -> list[Fraction]:
    """(1/m) sum_j w_j x(g_j .) less its mean, in rational numbers."""
    columns = list(range(mean.images.shape[1]))
    sums = [
        sum(
            int(w) * Fraction(float(x[image[i]]))
            for image, w in zip(mean.images, mean.weights, strict=True)
        )
        / mean.total
        for i in columns
    ]
    middle = sum(sums) / len(sums)
    return [s - middle for s in sums]


def test_a_mean_of_permutations_is_as_exact_as_it_says() -> None:
    rng = np.random.default_rng(0)
    largest, drifted = 0.0, 0.0
    for _ in range(20):
        images = rng.permuted(np.tile(np.arange(9, dtype=np.int32), (4, 1)), axis=1)
        mean = PermutationMean(images.copy(), np.array([1, 2, 3, 1]), 7)
        x = rng.standard_normal(9)
        truth = exactly(mean, x)
        operator = mean.operator()
        found = [Fraction(float(value)) for value in operator.apply(x)]
        middle = sum(found) / len(found)
        length = math.sqrt(sum(float(value) ** 2 for value in found))
        drift = abs(float(middle)) * 3 / length  # sqrt(9)
        off = math.sqrt(sum(float(a - middle - b) ** 2 for a, b in zip(found, truth, strict=True)))
        assert off <= operator.rounding * np.linalg.norm(x)
        assert drift <= operator.drift
        largest, drifted = max(largest, off), max(drifted, drift)
    assert largest > 0
    assert drifted > 0


def test_the_matrix_of_a_mean_is_as_exact_as_it_says(monkeypatch: Any) -> None:
    seen: list[tuple[NDArray[np.float64], float]] = []

    def record(matrix: Any, error: float) -> float:
        seen.append((matrix, error))
        return 1.0

    monkeypatch.setattr(regular, "norm_upper", record)
    rng = np.random.default_rng(1)
    largest = 0.0
    for _ in range(2):
        images = rng.permuted(np.tile(np.arange(6, dtype=np.int32), (3, 1)), axis=1)
        mean = PermutationMean(images, np.array([1, 3, 3]), 7)
        regular.dense_norm(mean)
        truth = [exactly(mean, np.eye(6)[:, j]) for j in range(6)]
        matrix, error = seen[-1]
        squares = [
            (Fraction(float(matrix[i, j])) - truth[j][i]) ** 2 for i in range(6) for j in range(6)
        ]
        off = math.sqrt(float(sum(squares)))
        assert off <= error
        largest = max(largest, off)
    assert largest > 0


@pytest.mark.parametrize("name", ["C2", "C3", "C8", "Z2^3", "D5", "S4", "A4", "Cube24"])
def test_the_start_at_the_identity_leans_on_every_top_eigenspace_as_claimed(
    name: str, monkeypatch: Any
) -> None:
    claims: list[tuple[Any, float]] = []
    bound = regular.krylov_norm

    def record(operator: Any, start: Any, overlap: float, **options: Any) -> Any:
        claims.append((start, overlap))
        return bound(operator, start, overlap, **options)

    monkeypatch.setattr(regular, "krylov_norm", record)
    group = sa.group(name)
    rows = group.unrank(np.arange(group.order))
    for seed in range(6):
        S = sa.Oracle(group, seed=seed).draw(3)
        matrix = np.full((group.order, group.order), -1.0 / group.order)
        for g in S.elements:
            image = group.rank(group.compose(g[None], rows))
            matrix[np.arange(group.order), image] += 1.0 / S.m
        values, vectors = np.linalg.eigh(matrix.T @ matrix)
        claims.clear()
        regular_norm(S)
        if not claims:  # S is all of G
            continue
        ((start, overlap),) = claims
        top = vectors[:, values > values[-1] - 1e-9]
        assert np.linalg.norm(top.T @ start) >= overlap > 0
