"""Lower bounds for sets of rotations by linear programming (Delsarte), each proved in integers.

Let f = f_0 + sum_l f_l chi_l >= 0 be a class function of SO(3) with f_l <= 0 for l > L, and S a set of m
rotations whose mean has the norm nu on degrees 1 to L. A_l = (1/m^2) sum_{s,t} chi_l(s^-1 t), the mean
square of D^l, is between 0 and (2l+1) nu^2 for l <= L. Hence

    f(1)/m <= (1/m^2) sum_{s,t} f(s^-1 t) <= f_0 + nu^2 sum_{l <= L, f_l > 0} (2l+1) f_l:

on the left only s = t is kept. So m >= f(1)/f_0 where nu = 0, and else nu is bounded below. chi_l is a
polynomial in y = cos^2(angle/2): chi_1 = 4y - 1, chi_(l+1) = (4y - 2) chi_l - chi_(l-1). The program is
solved in floats on a grid, f rounded to integers, f_0 raised until f >= 0 on [0, 1] by the signs of
coefficients in Bernstein's form on ever smaller intervals: a proof, whatever the floats were.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.optimize import linprog

MORE = 8
"""Degrees above L that are used."""

_UNIT = 10**12
_DEPTH = 40


@cache
def least_size(degree: int) -> int:
    """No fewer rotations are exact to this degree."""
    f = _certificate(degree, None)
    return math.ceil(Fraction(_at_one(f), f[0]))


@cache
def least_square(degree: int, m: int) -> Fraction:
    """The square of a norm to this degree that no m rotations beat; 0 where nothing is known."""
    f = _certificate(degree, m)
    weight = sum((2 * ell + 1) * max(f[ell], 0) for ell in range(1, degree + 1))
    found = (Fraction(_at_one(f), m) - f[0]) / weight if weight else Fraction(0)
    return Fraction(max(math.floor(found * 10**12), 0), 10**12)


def _at_one(f: list[int]) -> int:
    return sum((2 * ell + 1) * x for ell, x in enumerate(f))


def _certificate(degree: int, m: int | None) -> list[int]:
    """Integers f_0, f_1, ... of such a function, the best one for m elements or for exactness."""
    top = degree + MORE
    y = np.cos(np.linspace(0, np.pi / 2, 200 * top)) ** 2
    chi = [np.ones_like(y), 4 * y - 1]
    while len(chi) <= top:
        chi.append((4 * y - 2) * chi[-1] - chi[-2])
    sizes = 2 * np.arange(top + 1) + 1.0
    # unknowns: f_0, the positive parts to L, the negative parts of all
    table = np.concatenate([chi[: degree + 1], -np.array(chi[1:])])
    ends = np.concatenate([sizes[: degree + 1], -sizes[1:]])
    positive = np.zeros(len(ends))
    positive[1 : degree + 1] = sizes[1 : degree + 1]
    if m is None:
        gain, fixed = ends, np.eye(len(ends))[0]
    else:
        gain, fixed = ends / m - np.eye(len(ends))[0], positive
    solved = linprog(
        -gain, A_ub=-table.T, b_ub=np.zeros(len(y)), A_eq=fixed[None], b_eq=[1.0], method="highs"
    )
    parts = solved.x
    f = np.concatenate([parts[: degree + 1], np.zeros(MORE)])
    f[1:] -= parts[degree + 1 :]
    whole = [round(x * _UNIT) for x in f]
    raised = 1
    while not _is_nonnegative(whole):
        whole[0] += raised
        raised *= 2
    return whole


def _is_nonnegative(f: list[int]) -> bool:
    """Whether sum_l f_l chi_l >= 0 for y in [0, 1], proved in integers."""
    n = len(f) - 1
    chi = [[1], [-1, 4]]
    while len(chi) <= n:
        new = [0] * (len(chi) + 1)
        for k, c in enumerate(chi[-1]):
            new[k] -= 2 * c
            new[k + 1] += 4 * c
        for k, c in enumerate(chi[-2]):
            new[k] -= c
        chi.append(new)
    powers = [0] * (n + 1)
    for x, row in zip(f, chi, strict=False):
        for k, c in enumerate(row):
            powers[k] += x * c
    # Bernstein's coefficients b_i = sum_k C(i, k)/C(n, k) a_k, over a common denominator
    common = math.lcm(*(math.comb(n, k) for k in range(n + 1)))
    b = [
        sum(
            math.comb(i, k) * a * (common // math.comb(n, k)) for k, a in enumerate(powers[: i + 1])
        )
        for i in range(n + 1)
    ]
    waiting = [(b, 0)]
    while waiting:
        b, depth = waiting.pop()
        if min(b) >= 0:
            continue
        if depth == _DEPTH or b[0] < 0 or b[-1] < 0:
            return False
        left, right = [], []
        for step in range(n, -1, -1):  # de Casteljau, with sums for means
            left.append(b[0] << step)
            right.append(b[-1] << step)
            b = [p + q for p, q in pairwise(b)]
        waiting += [(left, depth + 1), (right[::-1], depth + 1)]
    return True
