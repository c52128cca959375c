"""The spectrum from pairs of values: a non-negative least-squares fit, and replicates of it.

Let v have mean 0 over the group and g_1, ..., g_N be uniform. For two independent ones q = g_a^-1 g_b is
uniform and independent of g_a, so with the characters phi_u of the blocks (`groups.degrees`)

    E <v(g_a), v(g_b)>               given q   is   sum_u var_u phi_u(q),
    E |v(g) - v(g q)|^2 / 2          given q   is   sum_u var_u (1 - phi_u(q)),
    E |v(g)|^2                                 is   sum_u var_u.

All N (N - 1) / 2 pairs of independent draws enter by the first line. They see each block on average
over the group, unbiased whatever is in it, but large blocks faintly: phi has the mean square 1 / (sum of
d_pi^2). Draws that come in couples (g, g q) with q chosen near the identity (`Degrees.partners`)
enter by the second line: they see how fast v changes. The total is the variance of the draws themselves.

Weights are the inverse variances of one term, were the values Gaussian: for the covariance matrix K
of v, Var <v(g_a), v(g_b)> = tr K^2, and |v(g) - v(g q)|^2 / 2 of mean D has 2 D^2 tr K^2 / (tr K)^2.

The fit. With the information I = R^T R, the weighted sum of phi phi^T, and the score z, the weighted sum
of phi times the products, x >= 0 of the sum T minimises |R x - t|^2, t = R^-T z. With x = T y this is
|A y|^2 for A = T R - t 1^T and y >= 0 of the sum 1. Let u >= 0 minimise |A u|^2 + (sum u - 1)^2. For
u = c y the best c leaves |A y|^2 / (1 + |A y|^2), which grows with |A y|: so y = u / sum u. No large
weight holds the sum, and the fit follows its data as continuously as the information allows.

Replicates. The fit is a function of score and total, sums over couples c (or single draws) of terms s_c
that each hold the pairs of c with all others: its covariance is at most sum_c s_c s_c^T in expectation
(the jackknife's; Efron and Stein 1981), times the square of Student's quantile over the normal one for
as many couples. Where a block holds little, what remains is the noise of single pairs, and its jackknife
is often near 0 just when the fit is: their own covariance, I, is added. Around the fit that Gaussian is
drawn as sum_c n_c s_c + R^T n, n normal, and each draw fitted again: as the fit is not smooth where
variances are 0, deleting draws would give bars of length 0 there.

Unseen. A share of 3/N of the group escapes N draws in one of 20 cases. The values there are taken to
be the largest that were seen, times how much larger that is than the fourth of other elements, 64 at
most: of a function with few values the same, of heavy tails more. Where single elements hold the
variance and none of them was drawn, no draws can tell: of exp(2 Z), Z normal, on 120 and 256 elements,
bars from 64 draws cover 0.89 and 0.935. Where all draws agree nothing says how large others are, and
`unseen` is infinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.optimize import nnls
from scipy.sparse import csr_array
from scipy.special import ndtri, stdtrit

from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.degrees.factors import Tensors
from sparseaug.sampling.keys import keyed_rng

REPLICATES = 200

UNSEEN = 3.0
"""Times 1/N: a share of the group that N draws all miss in one of 20 cases (the rule of three)."""

_GROWTH = 64.0  # of values per factor 4 in how rare they are: a tail far too heavy for a variance

_PAIR_ENTRIES = 1 << 23  # of the rows of quotients held at a time
_LEAST = 0.02  # a smaller part of the variance than this is no measure of a couple's noise


@final
@dataclass(frozen=True, eq=False)
class Fit:
    """The variances that fit best, and what they were fitted with.

    Attributes:
        variances: of the blocks
        far: the weight of a pair of independent draws
        weights: of the couples
        information: I
        root: R
        inverse: of R, 0 where R is singular
    """

    variances: Floats
    far: float
    weights: Floats
    information: Floats
    root: Floats
    inverse: Floats


@final
class Pairs:
    """The pairs in sums: what the fit and its score need.

    Args:
        blocks: of the group
        group: whose rows these are
        rows: of the elements; of couples the second, fourth, ... is the partner of the one before
        gram: <v_a - mean, v_b - mean> of the values, (N, N)
        size: 2 where elements come in couples, else 1
    """

    def __init__(self, blocks: Degrees, group: Group, rows: Rows, gram: Floats, size: int) -> None:
        N = len(rows)
        self.size, self.rows, self.group, self.blocks = size, rows, group, blocks
        self.gram, self.halves = self._moments(gram)
        self.sizes = np.diag(self.gram).reshape(-1, size).mean(axis=1)
        self.total = float(self.sizes.mean())
        couples = group.compose(group.inverse(rows[0::2]), rows[1::2]) if size == 2 else rows[:0]
        if size == 2:
            table, index = blocks.characters(couples)
            self.near = table[index]
        else:
            self.near = np.zeros((0, len(blocks.degrees)))
        apart = np.repeat(np.arange(N // size), size)
        self.apart = apart[:, None] != apart[None]
        self.noise = float((self.gram[self.apart] ** 2).mean())  # tr K^2
        # of a product with rotations nearly every quotient is of a kind of its own: made twice, not held
        self.many = isinstance(blocks, Tensors) and not group.is_finite
        self.held = [] if self.many else list(self._quotients())
        self.table = self._sums()

    def _moments(self, gram: Floats) -> tuple[Floats, Floats]:
        """Products of values less the mean of the group, and half squares of couples' differences."""
        squares = np.diag(gram)
        inner = gram[0::2, 1::2].diagonal() if self.size == 2 else np.zeros(0)
        # the mean of the draws stands for that of the group: every product is short of
        # E |mean of the draws|^2 = (E |v|^2 + E <v, v of the partner>) / N
        spread = squares.mean() + (inner.mean() if self.size == 2 else 0.0)
        halves = (squares[0::2] + squares[1::2]) / 2 - inner if self.size == 2 else inner
        return gram + spread / (len(gram) - self.size), halves

    @property
    def quotients(self) -> Iterable[tuple[slice, Floats, Rows]]:
        return self.held or self._quotients()

    def _quotients(self) -> Iterator[tuple[slice, Floats, Rows]]:
        """Rows a of the Gram matrix, phi of their quotients with all b, and which one each has."""
        N, width = self.rows.shape
        inverses = self.group.inverse(self.rows)
        entries = max(width, len(self.blocks.degrees)) if self.many else max(1, width)
        step = max(1, _PAIR_ENTRIES // (N * entries))
        for start in range(0, N, step):
            part = slice(start, min(N, start + step))
            products = self.group.compose(inverses[part, None], self.rows[None])
            table, index = self.blocks.characters(products.reshape(-1, width))
            yield part, table, index

    def _sums(self) -> tuple[Floats, Floats]:
        """Sums over all pairs (a, b) apart: phi phi^T, and for each a of phi <v_a, v_b>."""
        count = len(self.blocks.degrees)
        normal = np.zeros((count, count))
        products = np.empty((len(self.rows), count))
        for part, table, index in self.quotients:
            apart = self.apart[part].ravel()
            often = np.bincount(index[apart], minlength=len(table))
            normal += (table.T * often) @ table
            products[part] = self._by_row(self.gram[part].ravel() * apart, index, table)
        return normal, products

    def _by_row(self, values: Floats, index: Rows, table: Floats) -> Any:
        """The sum of values times phi for each row a of the Gram matrix."""
        N = len(self.rows)
        places = np.repeat(np.arange(len(values) // N), N), index
        return csr_array((values, places), shape=(len(values) // N, len(table))) @ table

    def fit(self) -> Fit:
        """The variances of the blocks; of couples again, with the noise that the first fit expects."""
        found = self.fit_by(np.full(len(self.halves), self.total))
        if self.size == 2:
            expected = (1 - self.near) @ found.variances
            found = self.fit_by(np.maximum(expected, _LEAST * self.total))
        return found

    def fit_by(self, expected: Floats) -> Fit:
        """The variances, with the noise of each couple that its expected half square has."""
        normal, products = self.table
        far = 1.0 / max(self.noise, np.finfo(float).tiny)
        effective = max(1.0, self.total**2 * far)
        weights = effective / (2 * expected**2)
        change = 1 - self.near
        information = far * normal / 2 + (change.T * weights) @ change
        score = far * products.sum(axis=0) / 2 + change.T @ (weights * self.halves)
        root, inverse = _roots(information)
        variances = _nearest(root, inverse, score, self.total)
        return Fit(variances, far, weights, information, root, inverse)

    def parts(self, fit: Fit, grams: Floats) -> Floats:
        """The variances of each part of the inputs, fitted with the same weights."""
        moments = [self._moments(gram) for gram in grams]
        products = np.zeros((len(grams), len(self.blocks.degrees)))
        for part, table, index in self.quotients:
            for j, (gram, _) in enumerate(moments):
                weights = (gram[part] * self.apart[part]).ravel()
                products[j] += np.bincount(index, weights, len(table)) @ table
        found = []
        for some, (gram, halves) in zip(products, moments, strict=True):
            score = fit.far * some / 2 + (1 - self.near).T @ (fit.weights * halves)
            found.append(_nearest(fit.root, fit.inverse, score, float(np.trace(gram)) / len(gram)))
        return np.stack(found)

    def replicates(self, fit: Fit) -> Floats:
        """Fits of scores and totals drawn around this one."""
        terms, totals = self.terms(fit)
        rng = keyed_rng(0, "spectrum replicates")
        normal = rng.standard_normal((REPLICATES, len(terms)))
        single = rng.standard_normal((REPLICATES, len(fit.variances))) @ fit.root
        scores = fit.information @ fit.variances + normal @ terms + single
        sums = (self.total + normal @ totals).tolist()
        copies = zip(scores, sums, strict=True)
        return np.stack([_nearest(fit.root, fit.inverse, *copy) for copy in copies])

    def unseen(self) -> float:
        """The squares on a share of 3/N of the group that no draw hit."""
        _, first = np.unique(self.rows[:: self.size], axis=0, return_index=True)
        largest = np.sort(self.sizes[first])[::-1]  # an element drawn twice says no more than once
        growth = largest[0] / max(largest[:4][-1], largest[0] / _GROWTH)
        return float(UNSEEN / len(self.sizes) * largest[0] * growth)

    def terms(self, fit: Fit) -> tuple[Floats, Floats]:
        """What each couple adds to the score and to the total beyond the mean, with Student's factor."""
        scores = np.empty((len(self.rows), len(fit.variances)))
        for part, table, index in self.quotients:
            rest = (self.gram[part].ravel() - (table @ fit.variances)[index]) * self.apart[
                part
            ].ravel()
            scores[part] = self._by_row(rest, index, table)
        scores = fit.far * scores.reshape(-1, self.size, len(fit.variances)).sum(axis=1)
        if self.size == 2:
            change = 1 - self.near
            rest = fit.weights * (self.halves - change @ fit.variances)
            scores += change * rest[:, None]
        count = len(self.sizes)
        # squares of values have long tails, so that their spread is known as from fewer. With count - 1
        # in place of count / 4, 93.5 % of the bands hold on D_12 from 64 draws of one input; with it
        # 95 % on those same draws, and 94.5 % to 97.5 % on 400 others of two networks
        few = float(stdtrit(count / 4, 0.975) / ndtri(0.975))
        return few * scores, (few / count) * (self.sizes - self.total)


def _nearest(root: Floats, inverse: Floats, score: Floats, total: float) -> Floats:
    """The variances of this sum that fit the score best."""
    if total <= 0:
        return np.zeros(len(score))
    A = total * root - (inverse @ score)[:, None]
    largest = float(abs(A).max())
    rows = np.vstack([A / (largest or 1.0), np.ones(len(score))])
    u = nnls(rows, np.eye(len(rows))[-1], maxiter=100 * len(score))[0]
    return np.asarray(total * (u / u.sum()))


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """The symmetric root of a semidefinite matrix and its inverse, both 0 where it is singular.

    Eigenvectors may turn with the rounding; this root does not turn with them.
    """
    values, vectors = np.linalg.eigh(matrix)
    kept = values > 1e-14 * values[-1]
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return (vectors * roots) @ vectors.T, (vectors / roots) @ vectors.T
