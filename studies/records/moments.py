"""Means of Wigner's matrices over rotations: traces in fixed point or fractions, norms in balls.

Only the check uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial, isqrt, prod

import flint
import numpy as np
from numpy.typing import NDArray

from studies.records.counts import end_of

BITS = 220
"""Of the fixed-point numbers of moments: sums of 10^4 products of 60 factors err by less than 2^-190."""


def frobenius_squares(rows: NDArray[np.float64], degree: int) -> list[Fraction]:
    """The squared Frobenius norms of the mean of D^l over the rotations, l = 1..degree, within 1e-45.

    With unit quaternions, tr D^l(s^-1 t) = U_2l(s.t), U the polynomials of Chebyshev; and the mean over
    pairs of (s.t)^2j is the sum over monomials of degree 2j of multinomial x (its mean over S)^2.
    Means of degree 2j follow from those of degree 2j + 2, as the squares of the entries sum to 1.
    """
    top = 2 * degree
    powers = []
    for entries in np.array([_unit_in_bits(row) for row in rows.tolist()], dtype=object).T:
        powers.append([np.full(len(rows), 1 << BITS, dtype=object)])
        for _ in range(top):
            powers[-1].append(powers[-1][-1] * entries >> BITS)
    halves = [
        {(a, b): x[a] * y[b] >> BITS for a in range(top + 1) for b in range(top + 1 - a)}
        for x, y in (powers[:2], powers[2:])
    ]
    scale = len(rows) << 2 * BITS
    means: dict[tuple[int, ...], Fraction] = {
        (a, b, c, d): Fraction(int(halves[0][a, b] @ halves[1][c, d]), scale)
        for a, b, c, d in _exponents(top)
    }
    return _traces(means, degree)


def exact_frobenius_squares(rows: NDArray[np.float64], degree: int) -> list[Fraction] | None:
    """The same exactly, where the entries of each row are small integers times one number; else None."""
    whole = []
    for row in rows.tolist():
        unit = min(Fraction(abs(x)) for x in row if x)
        whole.append([Fraction(x) / unit for x in row])
        if any(x.denominator > 1 or abs(x) > 1000 for x in whole[-1]):
            return None
    sizes = [_sum(x * x for x in row) ** degree * len(rows) for row in whole]
    means = {
        e: _sum(prod(map(pow, row, e)) / size for row, size in zip(whole, sizes, strict=True))
        for e in _exponents(2 * degree)
    }
    return _traces(means, degree)


def _traces(means: dict[tuple[int, ...], Fraction], degree: int) -> list[Fraction]:
    """From the means of the monomials of degree 2 x degree."""
    pairs = {}
    for j in range(degree, -1, -1):
        weight = {e: factorial(2 * j) // prod(map(factorial, e)) for e in means}
        pairs[j] = _sum(weight[e] * x * x for e, x in means.items())
        means = {e: _sum(means[_raised(e, i)] for i in range(4)) for e in _exponents(2 * j - 2)}
    chebyshev = [_chebyshev(k) for k in range(2, 2 * degree + 1, 2)]
    return [_sum(c * pairs[j] for j, c in enumerate(row)) for row in chebyshev]


def _unit_in_bits(row: list[float]) -> list[int]:
    """The row over its length, in fixed point."""
    exact = [Fraction(x) for x in row]
    square = _sum(x * x for x in exact)
    length = Fraction(isqrt((square * (1 << 2 * BITS)).__floor__()), 1 << BITS)
    return [(x / length * (1 << BITS)).__floor__() for x in exact]


def _sum(terms: Iterable[Fraction]) -> Fraction:
    return sum(terms, Fraction(0))


def _exponents(total: int) -> Iterator[tuple[int, ...]]:
    for a, b, c in product(range(total + 1), repeat=3):
        if a + b + c <= total:
            yield a, b, c, total - a - b - c


def _raised(e: tuple[int, ...], i: int) -> tuple[int, ...]:
    return tuple(x + 2 * (j == i) for j, x in enumerate(e))


@cache
def _chebyshev(k: int) -> list[int]:
    """Coefficients of x^0, x^2, ... of U_k, k even: U_k = sum_i (-1)^i C(k-i, i) (2x)^(k-2i)."""
    return [(-1) ** i * comb(k - i, i) * 2 ** (k - 2 * i) for i in range(k // 2, -1, -1)]


def largest_square(rows: NDArray[np.float64], degree: int) -> tuple[Fraction, Fraction]:
    """Both ends of the largest squared norm of a mean of D^l, l = 1..degree, in ball arithmetic.

    D^l moves polynomials of degree n = 2l: q = a + bi + cj + dk sends x to (a + bi) x + (c + di) y and y
    to (-c + di) x + (a - bi) y; the sqrt(C(n, k)) x^k y^(n-k) are an orthonormal basis.
    """
    flint.ctx.prec = 200
    forms = []
    for row in rows.tolist():
        length = sum((flint.arb(x) ** 2 for x in row), flint.arb(0)).sqrt()
        a, b, c, d = (x / length for x in row)
        pair = [[flint.acb(c, d), flint.acb(a, b)], [flint.acb(a, -b), flint.acb(-c, d)]]
        forms.append([flint.acb_poly(form) for form in pair])  # x, y with y = 1
    low = high = Fraction(0)
    for n in range(2, 2 * degree + 1, 2):
        images = [[x**k * y ** (n - k) for k in range(n + 1)] for x, y in forms]
        sums = [sum(column[1:], column[0]) for column in zip(*images, strict=True)]
        roots = [flint.arb(comb(n, k)).sqrt() for k in range(n + 1)]
        table = [[sums[k][j] * roots[k] / roots[j] for k in range(n + 1)] for j in range(n + 1)]
        mean = flint.acb_mat(table) / len(rows)
        for value in (mean.conjugate().transpose() * mean).eig(multiple=True):
            low, high = max(low, end_of(value.real, -1)), max(high, end_of(value.real, 1))
    return low, high


def prime_quaternions(p: int) -> set[tuple[int, ...]]:
    """Integer quaternions of norm p with a > 0 odd and the rest even: p + 1, for primes p = 1 mod 4."""
    reach = range(-isqrt(p), isqrt(p) + 1)
    even = [x for x in reach if x % 2 == 0]
    odd = [x for x in reach if x % 2 and x > 0]
    return {q for q in product(odd, even, even, even) if sum(x * x for x in q) == p}
