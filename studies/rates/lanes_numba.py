"""The steps of `lanes`, compiled: the walks of four seeds side by side in one vector register.

All numbers of a walk are rows of one flat array with a lane for each walk. The distances between rows
are constants, so that the compiler knows that the lanes are independent and vectorises them; it neither
reorders nor fuses operations, so that a walk has the same bits in any lane.
"""

from __future__ import annotations

from typing import Any

import numba

LANES = 4
"""Walks side by side: as many float64 as an AVX register has."""

ROWS = 20
"""theta 0-5, the sum of squares 6, the two steps noted 7-8, step size 9, eps^2 10, moments 11-19."""

_L = LANES
_M = 11 * LANES


@numba.njit(cache=True)
def advance(table: Any, index: Any, b: int, full: Any, box: float, w: Any, taken: int) -> None:
    """Take all walks through draws `index` (lanes, draws), b of them for a step.

    `table` has the moments of each element over b, `full` those over the group, as rows A00, A01, A02,
    A11, A12, A22, v0, v1, v2; `taken` steps have been taken before.
    """
    F00, F01, F02, F11, F12, F22 = full[0], full[1], full[2], full[3], full[4], full[5]
    f0, f1, f2 = full[6], full[7], full[8]
    for i in range(index.shape[1] // b):
        count = float(taken + i + 1)
        for j in range(_L):
            k = index[j, i * b]
            m0, m1, m2 = table[k, 0], table[k, 1], table[k, 2]
            m3, m4, m5 = table[k, 3], table[k, 4], table[k, 5]
            m6, m7, m8 = table[k, 6], table[k, 7], table[k, 8]
            for other in range(i * b + 1, i * b + b):
                k = index[j, other]
                m0 += table[k, 0]
                m1 += table[k, 1]
                m2 += table[k, 2]
                m3 += table[k, 3]
                m4 += table[k, 4]
                m5 += table[k, 5]
                m6 += table[k, 6]
                m7 += table[k, 7]
                m8 += table[k, 8]
            w[_M + j], w[_M + _L + j], w[_M + 2 * _L + j] = m0, m1, m2
            w[_M + 3 * _L + j], w[_M + 4 * _L + j], w[_M + 5 * _L + j] = m3, m4, m5
            w[_M + 6 * _L + j], w[_M + 7 * _L + j], w[_M + 8 * _L + j] = m6, m7, m8
        for j in range(_L):  # vectorised
            a0, a1, a2 = w[j], w[_L + j], w[2 * _L + j]
            b0, b1, b2 = w[3 * _L + j], w[4 * _L + j], w[5 * _L + j]
            first, mean = w[7 * _L + j], w[8 * _L + j]
            step, goal = w[9 * _L + j], w[10 * _L + j]
            c0, c1, c2 = a0 * b0, a1 * b1, a2 * b2
            g0 = F00 * c0 + F01 * c1 + F02 * c2 - f0
            g1 = F01 * c0 + F11 * c1 + F12 * c2 - f1
            g2 = F02 * c0 + F12 * c1 + F22 * c2 - f2
            square = g0 * g0 * (a0 * a0 + b0 * b0) + g1 * g1 * (a1 * a1 + b1 * b1)
            square += g2 * g2 * (a2 * a2 + b2 * b2)
            total = w[6 * _L + j] + square
            w[6 * _L + j] = total
            w[7 * _L + j] = count if (first == 0.0) & (square <= goal) else first
            w[8 * _L + j] = count if (mean == 0.0) & (total <= goal * count) else mean
            m1, m2, m4 = w[_M + _L + j], w[_M + 2 * _L + j], w[_M + 4 * _L + j]
            n0 = step * (w[_M + j] * c0 + m1 * c1 + m2 * c2 - w[_M + 6 * _L + j])
            n1 = step * (m1 * c0 + w[_M + 3 * _L + j] * c1 + m4 * c2 - w[_M + 7 * _L + j])
            n2 = step * (m2 * c0 + m4 * c1 + w[_M + 5 * _L + j] * c2 - w[_M + 8 * _L + j])
            w[j] = min(box, max(-box, a0 - b0 * n0))
            w[_L + j] = min(box, max(-box, a1 - b1 * n1))
            w[2 * _L + j] = min(box, max(-box, a2 - b2 * n2))
            w[3 * _L + j] = min(box, max(-box, b0 - a0 * n0))
            w[4 * _L + j] = min(box, max(-box, b1 - a1 * n1))
            w[5 * _L + j] = min(box, max(-box, b2 - a2 * n2))
