"""The spectrum from pairs of values: a non-negative least-squares fit, and replicates of it.

Let v have mean 0 over the group and g_1, ..., g_N be uniform. For two independent ones q = g_a^-1 g_b is
uniform and independent of g_a, so with the characters phi_u of the units (`units`)

    E <v(g_a), v(g_b)>               given q   is   sum_u var_u phi_u(q),
    E |v(g) - v(g q)|^2 / 2          given q   is   sum_u var_u (1 - phi_u(q)),
    E |v(g)|^2                                 is   sum_u var_u.

All N (N - 1) / 2 pairs of independent draws enter by the first line. They see each unit in the mean over
the group, unbiased whatever is in it, but large units faintly: phi has the mean square 1 / (sum of
d_pi^2). Draws that come in couples (g, g q) with q chosen near the identity (`Units.partners`) enter by
the second line: they see how fast v changes. The total is the variance of the draws themselves.

Weights are the inverse variances of one term, were the values Gaussian: for the covariance matrix K
of v, Var <v(g_a), v(g_b)> = tr K^2, and |v(g) - v(g q)|^2 / 2 of mean D has 2 D^2 tr K^2 / (tr K)^2.

Replicates. The fit is a function of the score, a sum over couples c (or single draws) of terms s_c
that each hold the pairs of c with all others: its covariance is at most sum_c s_c s_c^T in expectation
(the jackknife's; Efron and Stein 1981), times the square of Student's quantile over the normal one for
as many couples. Scores are drawn from that Gaussian around the fit, and each is fitted again: as the
fit is not smooth where variances are 0, deleting draws would give bars of length 0 there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import nnls
from scipy.sparse import csr_array
from scipy.special import ndtri, stdtrit

from sparseaug.groups import Group, Rows
from sparseaug.orbits.spectrum.units import Floats, Units
from sparseaug.sampling.keys import keyed_rng

REPLICATES = 200

_ENTRIES = 1 << 23  # of the rows of quotients held at a time
_TOTAL = 1e4  # weight of the total beside all else: it is what the draws say, to four digits
_LEAST = 0.02  # a smaller part of the variance than this is no measure of a couple's noise


def fit_pairs(
    units: Units, group: Group, rows: Rows, gram: Floats, *, couples: bool
) -> tuple[Floats, Floats]:
    """The variances of the units, and replicates of them (`REPLICATES`, units).

    Args:
        units: of the group
        group: whose rows these are
        rows: of the elements; with couples=True the second, fourth, ... is the partner of the one before
        gram: <v_a - mean, v_b - mean> of the values, (N, N)
        couples: whether elements come in couples
    """
    data = _Data(units, group, rows, gram, 2 if couples else 1)
    variances = data.fit(np.full(len(data.halves), data.total))
    if couples:
        expected = (1 - data.near) @ variances
        variances = data.fit(np.maximum(expected, _LEAST * data.total))
    return variances, data.replicates(variances)


class _Data:
    """The pairs in sums: what the fit and its score need."""

    def __init__(self, units: Units, group: Group, rows: Rows, gram: Floats, size: int) -> None:
        N = len(rows)
        self.size, self.rows, self.group, self.units = size, rows, group, units
        squares = np.diag(gram)
        inner = gram[0::2, 1::2].diagonal() if size == 2 else np.zeros(0)
        # the mean of the draws stands for that of the group: every product is short of
        # E |mean of the draws|^2 = (E |v|^2 + E <v, v of the partner>) / N
        spread = squares.mean() + (inner.mean() if size == 2 else 0.0)
        self.gram = gram + spread / (N - size)
        self.sizes = np.diag(self.gram).reshape(-1, size).mean(axis=1)
        self.total = float(self.sizes.mean())
        self.halves = (squares[0::2] + squares[1::2]) / 2 - inner if size == 2 else inner
        couples = group.compose(group.inverse(rows[0::2]), rows[1::2]) if size == 2 else rows[:0]
        if size == 2:
            table, index = units.characters(couples)
            self.near = table[index]
        else:
            self.near = np.zeros((0, len(units.degrees)))
        apart = np.repeat(np.arange(N // size), size)
        self.apart = apart[:, None] != apart[None]
        self.noise = float((self.gram[self.apart] ** 2).mean())  # tr K^2
        self.quotients = list(self._quotients())
        self.table = self._sums()

    def _quotients(self) -> Iterator[tuple[slice, Floats, Rows]]:
        """Rows a of the Gram matrix, phi of their quotients with all b, and which one each has."""
        N, width = self.rows.shape
        inverses = self.group.inverse(self.rows)
        step = max(1, _ENTRIES // (N * max(1, width)))
        for start in range(0, N, step):
            part = slice(start, min(N, start + step))
            products = self.group.compose(inverses[part, None], self.rows[None])
            table, index = self.units.characters(products.reshape(-1, width))
            yield part, table, index

    def _sums(self) -> tuple[Floats, Floats]:
        """Sums over all pairs (a, b) apart: phi phi^T, and for each a of phi <v_a, v_b>."""
        count = len(self.units.degrees)
        normal = np.zeros((count, count))
        products = np.empty((len(self.rows), count))
        for part, table, index in self.quotients:
            apart = self.apart[part].ravel()
            often = np.bincount(index[apart], minlength=len(table))
            normal += (table.T * often) @ table
            products[part] = self._by_row(part, index, self.gram[part].ravel() * apart) @ table
        return normal, products

    def _by_row(self, part: slice, index: Rows, values: Floats) -> Any:
        N = len(self.rows)
        a = np.repeat(np.arange(part.stop - part.start), N)
        shape = (part.stop - part.start, int(index.max()) + 1)
        return csr_array((values, (a, index)), shape=shape)

    def fit(self, expected: Floats) -> Floats:
        """The variances, with the noise of each couple that its expected half square has."""
        normal, products = self.table
        far = 1.0 / max(self.noise, np.finfo(float).tiny)
        self.far = far
        effective = max(1.0, self.total**2 * far)
        self.weights = effective / (2 * expected**2)
        change = 1 - self.near
        self.normal = far * normal / 2 + (change.T * self.weights) @ change
        score = far * products.sum(axis=0) / 2 + change.T @ (self.weights * self.halves)
        self.sum_weight = _TOTAL * max(float(self.normal.max()), np.finfo(float).tiny)
        self.normal = self.normal + self.sum_weight
        return self._solve(score + self.sum_weight * self.total)

    def _solve(self, score: Floats) -> Floats:
        root, inverse = self._root()
        found, _ = nnls(root, inverse @ score, maxiter=100 * len(score))
        return found

    def _root(self) -> tuple[Floats, Floats]:
        """R and S with R^T R = normal and S = R^-T, where the matrix is not singular."""
        values, vectors = np.linalg.eigh(self.normal)
        kept = values > 1e-14 * values[-1]
        root = np.sqrt(values[kept])
        return (vectors[:, kept] * root).T, (vectors[:, kept] / root).T

    def replicates(self, variances: Floats) -> Floats:
        """Fits of scores drawn around this one."""
        covariance = self._covariance(variances)
        values, vectors = np.linalg.eigh(covariance)
        draws = keyed_rng(0, "spectrum replicates").standard_normal((REPLICATES, len(variances)))
        noise = (draws * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        root, inverse = self._root()
        around = self.normal @ variances
        targets = (around + noise) @ inverse.T
        return np.stack([nnls(root, t, maxiter=100 * len(t))[0] for t in targets])

    def _covariance(self, variances: Floats) -> Floats:
        scores = np.empty((len(self.rows), len(variances)))
        for part, table, index in self.quotients:
            rest = (self.gram[part].ravel() - (table @ variances)[index]) * self.apart[part].ravel()
            scores[part] = self._by_row(part, index, rest) @ table
        scores = self.far * scores.reshape(-1, self.size, len(variances)).sum(axis=1)
        if self.size == 2:
            change = 1 - self.near
            rest = self.weights * (self.halves - change @ variances)
            scores += change * rest[:, None]
        count = len(self.sizes)
        scores += (self.sum_weight / count) * (self.sizes - self.total)[:, None]
        # squares of values have long tails, so that their spread is known as from fewer. With count - 1
        # in place of count / 4, 93.5 % of the bands hold on D_12 from 64 draws of one input; with it
        # 95 % on those same draws, and 94.5 % to 97.5 % on 400 others of two networks
        few = float(stdtrit(count / 4, 0.975) / ndtri(0.975))
        return few**2 * scores.T @ scores
