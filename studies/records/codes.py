"""Words of signs: what linear programming (Delsarte 1973) says of arrays and of codes, in fractions.

The functions of a solver are rounded and made right by a constant: a proof, whatever the floats were.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import comb
from operator import mul

import numpy as np
from scipy.optimize import linprog

DEGREES = 16
"""For codes K_k is used to this k, and from m less this k: (-1)^i K_k(i) tells odd from even weights."""


@cache
def krawtchouk(d: int, k: int, i: int) -> int:
    """The sum over all words of weight k of the character of a word of weight i, of d signs."""
    return sum((-1) ** j * comb(i, j) * comb(d - i, k - j) for j in range(k + 1))


def smallest_array(d: int, t: int) -> Fraction:
    """No fewer rows have strength t for d signs.

    Let A_i be the number of ordered pairs of rows at distance i, divided by m: A_0 >= 1, A_i >= 0,
    sum A_i = m, and B_k = sum_i A_i K_k(i) is at least 0, and 0 for k = 1..t. If f = sum_k f_k K_k has
    f(i) >= 0 for i = 1..d and f_k <= 0 for k > t, then
    f(0) <= sum_i A_i f(i) = f_0 m + sum_(k>t) f_k B_k <= f_0 m.
    """
    table = _characters(d, range(1, d + 1), range(d + 1))
    limits = [(None, None)] * t + [(None, 0)] * (d - t)
    scaled = np.array(table, float)
    # f_0 = 1; maximise f(0) over the f_k C(d, k), k >= 1
    solved = linprog(-scaled[:, 0], -scaled[:, 1:].T, np.ones(d), bounds=limits, method="highs")
    f = [x if k <= t else min(x, Fraction(0)) for k, x in enumerate(_fractions(solved.x), 1)]
    values = [sum(map(mul, f, column), Fraction(0)) for column in zip(*table, strict=True)]
    constant = max(-value for value in values[1:])
    return (constant + values[0]) / constant if constant > 0 else Fraction(1)


@cache
def largest_code(m: int, distance: int) -> Fraction:
    """No more words of m signs have, with their complements among them, all other distances >= this one.

    f = f_0 + sum f_k K_k over even k > 0, f_k >= 0, f(i) <= 0 for distance <= i <= m / 2; then
    f_0 |C|^2 <= sum over pairs of f <= 2 |C| f(0): only pairs of the same or opposite words count.
    """
    places = range(distance, m // 2 + 1)
    if not places:
        return Fraction(2)
    weights = [k for k in range(2, m + 1, 2) if k <= DEGREES or k >= m - DEGREES]
    table = _characters(m, weights, places)
    scaled = np.array(table, float)
    solved = linprog(np.ones(len(table)), scaled.T, -np.ones(len(places)), method="highs")
    f = [max(x, Fraction(0)) for x in _fractions(solved.x)] if solved.x is not None else []
    constant = -max(sum(map(mul, f, column), Fraction(0)) for column in zip(*table, strict=True))
    return 2 * (constant + sum(f)) / constant if constant > 0 else Fraction(2**m)


def least_sum(d: int, m: int, least: int) -> tuple[int, str]:
    """A number j >= least such that some character but 1 of Z_2^d sums to j or more over any m elements.

    If all other sums are at most j < m, the words (w s)_s, w in Z_2^d, and their complements are a code,
    linear, of 2^(d+1) words of m signs, all but 0 of weight at least (m - j) / 2. Griesmer (1960): then
    m >= sum_i ceil(weight / 2^i), i = 0..d.
    """
    j, because = least + (m - least) % 2, ""
    while j < m:
        weight = (m - j) // 2
        if sum(-(-weight // 2**i) for i in range(d + 1)) > m:
            because = "Griesmer 1960"
        elif largest_code(m, weight) < 2 ** (d + 1):
            because = "linear programming (Delsarte 1973)"
        else:
            break
        j += 2
    return j, because


def _characters(d: int, weights: Iterable[int], places: range) -> list[list[Fraction]]:
    """K_k(i) / K_k(0), a row for each k."""
    return [[Fraction(krawtchouk(d, k, i), comb(d, k)) for i in places] for k in weights]


def _fractions(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[Fraction]:
    return [Fraction(float(x)).limit_denominator(10**9) for x in values]
