"""The cosets of S_1 < S_2 < ... < S_n that hold an element, and what a climb over them rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import UNIT, gamma
from sparseaug.norms.verified import UNDERFLOW


@dataclass(frozen=True, eq=False)
class CosetTree:
    """The cosets that hold an element. A node of level l is a coset g S_l; its children lie in it.

    With t_i the cycle i -> i+1 -> ... -> l -> i, every g in S_l is t_i h, i = g(l), h in S_(l-1).
    """

    children: tuple[NDArray[np.int64], ...]
    """children[l][v, i - 1]: the node of level l - 1 where h lies, or -1; children[0] is empty."""

    weights: NDArray[np.float64]
    """How often each distinct element occurs, divided by the number of all."""

    error: float
    """The Frobenius norm of any block's error is at most this times sqrt(dimension)."""

    @staticmethod
    def of(rows: NDArray[np.int64]) -> CosetTree:
        """Sort the elements into cosets, level by level."""
        total, n = rows.shape
        node = np.zeros(total, dtype=np.int64)
        count = 1
        children: list[NDArray[np.int64]] = []
        for level in range(n, 0, -1):
            image = rows[:, level - 1]
            keys, node = np.unique(node * level + image, return_inverse=True)
            table = np.full(count * level, -1, dtype=np.int64)
            table[keys] = np.arange(len(keys))
            children.append(table.reshape(count, level))
            rows = rows[:, : level - 1] - (rows[:, : level - 1] > image[:, None])
            count = len(keys)
        children.append(np.empty((count, 0), dtype=np.int64))
        children.reverse()
        counts = np.bincount(node, minlength=count)
        return CosetTree(tuple(children), counts / total, _error(children, counts / total))


# Rounding. Let f_v be the true transform of node v (weights included) and c_v its weight: f_v is a
# sum of orthogonal matrices, so ||f_v||_F <= c_v sqrt(d). Claim: the computed one errs by at most
# e_v sqrt(d) in every shape, with e_v = u c_v for a single element (one division) and, at level l,
#     e_v = sum_i e_i + eta_l sqrt(l sum_i (c_i + e_i)^2)             (i over the children of v).
# The first term carries the children's errors through sum_i pi(t_i): pi is orthogonal, and the
# blocks of a child are a direct sum, sqrt(sum_rho e_i^2 d_rho) = e_i sqrt(d_sigma).
# The second is the rounding of the transform itself. In the units z of `induction` each stage is
# orthogonal. A mix of c + 1 rows computes each number by c + 1 products with coefficients within
# 2 u (a correctly rounded quotient, then a root) and c additions, in any order and with or without
# FMA: within gamma(c + 3) |M| |z|, of norm at most gamma(c + 3) sqrt(c + 1) ||z||: the norm of
# |M| is at most ||M||_F = sqrt(c + 1), M being orthogonal. A shape of k boxes has c corners only if
# c (c + 1) / 2 <= k. The scale at the end costs gamma(3). Hence the error of z is eta_l ||x||, with
#     1 + eta_l = (1 + gamma(3)) prod_(k < l) (1 + gamma(c_k + 3) sqrt(c_k + 1)),
# y_sigma = sqrt(l d_rho / d_sigma) z_sigma, and over the columns rho of sigma
#     sum_rho (l d_rho / d_sigma) eta^2 C d_rho <= l eta^2 C d_sigma,  C = sum_i (c_i + e_i)^2,
# because sum_rho d_rho^2 <= d_sigma^2. Numbers below 2^-900 are lost to underflow at worst.
def _error(children: Sequence[NDArray[np.int64]], weights: NDArray[np.float64]) -> float:
    mass, error = weights, UNIT * weights
    eta = gamma(3)
    for level in range(1, len(children)):
        table = children[level]
        here = np.where(table >= 0, mass[table], 0.0)
        wrong = np.where(table >= 0, error[table], 0.0)
        local = eta * np.sqrt(level * ((here + wrong) ** 2).sum(axis=1))
        mass, error = here.sum(axis=1), wrong.sum(axis=1) + local
        corners = (math.isqrt(8 * level + 1) - 1) // 2
        stage = gamma(corners + 3) * math.sqrt(corners + 1)
        eta += stage + eta * stage
    # These few sums are positive and short: their own rounding is below one part in 2^20.
    return float(error[0]) * (1 + 2**-20) + UNDERFLOW
