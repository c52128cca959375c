"""Elements of S_n applied to a vector of one irrep, one adjacent transposition after the other.

Imported by `sparseaug._compiled`, where numba can be used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, fastmath={"contract"})
def weighted_sum(
    letters: Any, ends: Any, weights: Any, runs: Any, at: Any, coefficients: Any, v: Any
) -> Any:
    """sum_j weights[j] pi(g_j) v.

    Args:
        letters: the transpositions of all elements end to end, in the order in which they are applied
        ends: where those of each element end
        weights: one for each element
        runs: (i, j, length): entries i, i + 1, ... are mixed with j, j + 1, ..., or, where j = i,
            change their sign
        at: the runs of transposition k are at[k], ..., at[k + 1] - 1
        coefficients: (1/r, sqrt(1 - 1/r^2)) of each run
        v: the vector
    """
    total = np.zeros_like(v)
    moved = np.empty_like(v)
    begin = 0
    for element in range(len(ends)):
        moved[:] = v
        for letter in letters[begin : ends[element]]:
            for run in range(at[letter], at[letter + 1]):
                i, j, length = runs[run, 0], runs[run, 1], runs[run, 2]
                c, s = coefficients[run, 0], coefficients[run, 1]
                if i == j:
                    for t in range(i, i + length):
                        moved[t] = -moved[t]
                else:
                    upper, lower = moved[i : i + length], moved[j : j + length]
                    for t in range(length):
                        x, y = upper[t], lower[t]
                        upper[t] = c * x + s * y
                        lower[t] = s * x - c * y
        begin = ends[element]
        for t in range(len(v)):
            total[t] += weights[element] * moved[t]
    return total
