"""Soundness of the verified norm: nasty small matrices against exact integer arithmetic.

    python -m studies.soundness [count]

Floats are dyadic, so 2^k A is an integer matrix and the characteristic polynomial P of its Gram
matrix is exact. P has real roots only, hence x >= every root exactly when no coefficient of
P(x + y) is negative: that decides s >= ||A||_2 with no rounding at all.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat, fmpz_poly
from numpy.typing import NDArray

from sparseaug.norms import verified

Matrix = NDArray[Any]
Method = Callable[[Matrix], float]
Family = Callable[[np.random.Generator], Matrix]


class ExactNorm:
    """The spectral norm of one float matrix, as the root of an exact polynomial."""

    def __init__(self, matrix: Matrix) -> None:
        if np.iscomplexobj(matrix):  # x + iy -> [[x, -y], [y, x]] doubles multiplicities, no more
            matrix = np.block([[matrix.real, -matrix.imag], [matrix.imag, matrix.real]])
        if matrix.shape[0] < matrix.shape[1]:
            matrix = matrix.T
        ratios = [float(x).as_integer_ratio() for x in matrix.ravel()]
        self._denominator = max(bottom for _, bottom in ratios)
        entries = [top * (self._denominator // bottom) for top, bottom in ratios]
        whole = fmpz_mat(matrix.shape[0], matrix.shape[1], entries)
        self._polynomial = (whole.transpose() * whole).charpoly()

    def is_at_most(self, value: float) -> bool:
        """Whether the norm is at most `value`, decided exactly."""
        if math.isinf(value) or math.isnan(value) or value < 0.0:
            return value == math.inf
        square, denominator = self._square(value)
        shifted = [int(c) for c in self._shift(square, denominator)]
        return all(c >= 0 for c in shifted)

    def excess(self, value: float) -> float:
        """An upper bound on value / norm - 1, for a finite value above the norm and not 0.

        The largest root of a polynomial of degree n with real roots lies within n P(x) / P'(x) of
        any x above it (P'/P is a sum of n terms 1 / (x - root), the largest being the nearest).
        """
        square, denominator = self._square(value)
        shifted = self._shift(square, denominator)
        if shifted[0] == 0:
            return 0.0
        degree = self._polynomial.degree()
        step = Fraction(degree * int(shifted[0]), int(shifted[1]) * denominator)
        root = Fraction(square, denominator) - step
        if root <= 0:
            return math.inf
        ratio = step / root
        # sqrt(1 + r) - 1 <= r / 2, which keeps its digits where r is tiny
        return float(ratio / 2) if ratio < 1 else math.sqrt(1.0 + float(ratio)) - 1.0

    def _square(self, value: float) -> tuple[int, int]:
        """(top, bottom) with top / bottom = (value 2^k)^2."""
        top, bottom = value.as_integer_ratio()
        ratio = Fraction((top * self._denominator) ** 2, bottom**2)
        return ratio.numerator, ratio.denominator

    def _shift(self, top: int, bottom: int) -> list[fmpz]:
        """Coefficients of bottom^n P((top + y) / bottom), integers."""
        n = self._polynomial.degree()
        scaled = [c * fmpz(bottom) ** (n - i) for i, c in enumerate(self._polynomial)]
        return list(fmpz_poly(scaled)(fmpz_poly([top, 1])))


@dataclass
class Tally:
    """What one method did over the suite."""

    below: int = 0
    excesses: list[float] = field(default_factory=list)


def _sides(rng: np.random.Generator, most: int = 6) -> tuple[int, int]:
    rows, columns = rng.integers(1, most + 1, 2)
    return int(rows), int(columns)


def _normal(rng: np.random.Generator) -> Matrix:
    return rng.standard_normal(_sides(rng))


def _rank_one(rng: np.random.Generator) -> Matrix:
    rows, columns = _sides(rng)
    if rng.random() < 0.5:
        left, right = rng.standard_normal(rows), rng.standard_normal(columns)
        return np.asarray(np.outer(left, right))
    return np.outer(rng.integers(-999, 1000, rows), rng.integers(-999, 1000, columns)) / 7.0


def _graded(rng: np.random.Generator) -> Matrix:
    rows, columns = _sides(rng)
    step = float(rng.uniform(0.0, 8.0))
    powers = np.add.outer(np.arange(rows), np.arange(columns))
    return np.asarray(rng.standard_normal((rows, columns)) * 10.0 ** (-step * powers))


def _repeated(rng: np.random.Generator) -> Matrix:
    """Equal singular values, exactly or up to the last bits: signed permutations, Hadamard, QR."""
    n = int(rng.integers(1, 7))
    scale = float(rng.uniform(0.5, 2.0))
    kind = rng.integers(3)
    if kind == 0:
        return np.asarray(np.eye(n)[rng.permutation(n)] * rng.choice([-scale, scale], n))
    if kind == 1:
        return scale * np.array([[1.0, 1.0, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    return scale * np.linalg.qr(rng.standard_normal((n, n)))[0]


def _permutations(rng: np.random.Generator) -> Matrix:
    """The mean of m permutations, with or without the part that all of S_n fixes."""
    n, m = int(rng.integers(2, 7)), int(rng.integers(1, 9))
    mean = sum(np.eye(n)[rng.permutation(n)] for _ in range(m)) / m
    return np.asarray(mean - 1.0 / n if rng.random() < 0.5 else mean)


def _sparse(rng: np.random.Generator) -> Matrix:
    rows, columns = _sides(rng)
    matrix = rng.standard_normal((rows, columns)) * (rng.random((rows, columns)) < 0.3)
    if rng.random() < 0.3:
        matrix[:] = 0.0
        matrix[rng.integers(rows), rng.integers(columns)] = rng.standard_normal()
    return matrix


def _extreme(rng: np.random.Generator) -> Matrix:
    """Entries of 1e-170, 1e170, both at once, subnormal, and near overflow."""
    matrix = rng.standard_normal(_sides(rng))
    kind = rng.integers(5)
    if kind == 2:
        return np.asarray(matrix * rng.choice([1e-170, 1.0, 1e170], matrix.shape))
    return np.asarray(matrix * [1e-170, 1e170, 0.0, 1e-321, 3e307][kind])


def _complex(rng: np.random.Generator) -> Matrix:
    rows, columns = _sides(rng, 4)
    if rng.random() < 0.3:  # a mean of roots of unity: one character of a cyclic group
        turns = rng.integers(0, 12, (rows, columns))
        return np.asarray(np.exp(2j * np.pi * turns / 12))
    parts = rng.standard_normal((2, rows, columns)) * rng.choice(
        [1e-170, 1.0, 1e170], p=[0.1, 0.8, 0.1]
    )
    return np.asarray(parts[0] + 1j * parts[1])


def _larger(rng: np.random.Generator) -> Matrix:
    n = int(rng.integers(8, 15))
    rank = int(rng.integers(1, 3))
    return np.asarray(rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n)))


def _tall(rng: np.random.Generator) -> Matrix:
    """Many equal rows: the roundings of the Gram matrix all go the same way."""
    row = rng.uniform(0.1, 1.0, int(rng.integers(1, 4)))
    return np.tile(row, (int(rng.integers(50, 400)), 1))


FAMILIES: dict[str, Family] = {
    "normal": _normal,
    "rank one": _rank_one,
    "graded": _graded,
    "repeated": _repeated,
    "permutations": _permutations,
    "sparse": _sparse,
    "extreme": _extreme,
    "complex": _complex,
    "larger": _larger,
    "tall": _tall,
}


def matrices(count: int, seed: int = 0) -> Iterator[tuple[str, Matrix]]:
    """`count` matrices, the families in turn; a function of the seed."""
    names = list(FAMILIES)
    for index in range(count):
        name = names[index % len(names)]
        rng = np.random.Generator(np.random.Philox(key=[seed, index]))
        yield name, FAMILIES[name](rng)


def numpy_norm(matrix: Matrix) -> float:
    return float(np.linalg.norm(matrix, 2))


def power_iteration(matrix: Matrix) -> float:
    vector = np.ones(matrix.shape[1], dtype=matrix.dtype)
    value = 0.0
    for _ in range(50):
        image = matrix.conj().T @ (matrix @ vector)
        value = math.sqrt(float(np.linalg.norm(image)))
        if value == 0.0 or not math.isfinite(value):
            break
        vector = image / value**2
    return value


def frobenius_in_float32(matrix: Matrix) -> float:
    narrow = np.complex64 if np.iscomplexobj(matrix) else np.float32
    return float(np.linalg.norm(matrix.astype(narrow)))


def cholesky_alone(matrix: Matrix) -> float:
    """The least s, by ulps, for which Cholesky of s I - Gram succeeds: no rounding term added."""
    gram = matrix.conj().T @ matrix
    top = float(np.linalg.eigvalsh(gram)[-1]) if np.isfinite(gram).all() else math.inf
    for ulps in range(-4, 60):
        s = top * (1.0 + ulps * 2.0**-52)
        try:
            np.linalg.cholesky(s * np.eye(len(gram)) - gram)
        except np.linalg.LinAlgError:
            continue
        return math.sqrt(s)
    return math.inf


BAD_METHODS: dict[str, Method] = {
    "np.linalg.norm(A, 2)": numpy_norm,
    "power iteration": power_iteration,
    "Frobenius in float32": frobenius_in_float32,
    "Cholesky, no rounding terms": cholesky_alone,
}


def judge(methods: dict[str, Method], count: int, seed: int = 0) -> dict[str, Tally]:
    """Run every method on the same matrices and count exactly how often it is below the norm."""
    tallies = {name: Tally() for name in methods}
    for _, matrix in matrices(count, seed):
        truth = ExactNorm(matrix)
        for name, method in methods.items():
            with np.errstate(all="ignore"):
                value = method(matrix)
            if not truth.is_at_most(value):
                tallies[name].below += 1
            elif 1e-290 < value < math.inf:  # near the subnormals floats themselves are coarse
                tallies[name].excesses.append(truth.excess(value))
    return tallies


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    tallies = judge({"norm_upper": verified.norm_upper, **BAD_METHODS}, count)
    print(f"{count} matrices of {len(FAMILIES)} families, each against exact arithmetic")
    print(f"{'method':<30}{'below':>8}{'median excess':>16}{'99 %':>12}{'max':>12}")
    for name, tally in tallies.items():
        middle, high, most = np.quantile(tally.excesses or [math.nan], [0.5, 0.99, 1.0])
        print(f"{name:<30}{tally.below:>8}{middle:>16.2e}{high:>12.2e}{most:>12.2e}")
    if tallies["norm_upper"].below:
        raise SystemExit("norm_upper was below the norm: it is not a bound")


if __name__ == "__main__":
    main()
