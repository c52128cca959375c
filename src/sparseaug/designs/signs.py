"""Search among sign flips too many to list, judged on pairs of signs.

With X the signs of S, one row per element, the characters of weight 1 are the means of columns, and
those of weight 2 the entries of X* X / m. The energy of order k is the sum of their 2k-th powers, and
the score of g, to first order, the sum over these characters of mean^(2k-1) times their value at g.

Functions of three signs come for nothing: S with its complement has no odd character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from sparseaug.designs.descent import Scores, best, nested
from sparseaug.designs.search import Values
from sparseaug.groups import Rows, sign_flips

LARGEST_D = 1000
"""Signs up to which all pairs are looked at."""


@final
@dataclass(frozen=True, eq=False)
class Signs:
    """The characters of these weights, out of 1 and 2."""

    weights: tuple[int, ...] = (1, 2)

    def _means(self, chosen: Rows) -> tuple[Values, Values]:
        signs = 1.0 - 2.0 * chosen
        pairs = signs.T @ signs / len(signs)
        np.fill_diagonal(pairs, 0.0)
        return signs.mean(axis=0) * (1 in self.weights), pairs * (2 in self.weights)

    def score(self, chosen: Rows, k: int) -> Scores:
        """Sums over the characters of mean^(2k-1) times the value."""
        single, pairs = (mean ** (2 * k - 1) for mean in self._means(chosen))

        def scores(rows: Rows) -> Values:
            signs = 1.0 - 2.0 * rows
            return signs @ single + 0.5 * ((signs @ pairs) * signs).sum(axis=1)

        return scores

    def energy(self, chosen: Rows, k: int) -> float:
        """The sum of the 2k-th powers of the means."""
        single, pairs = (mean ** (2 * k) for mean in self._means(chosen))
        return float(single.sum() + 0.5 * pairs.sum())

    def norm(self, chosen: Rows) -> float:
        """The largest mean."""
        single, pairs = self._means(chosen)
        return float(max(np.abs(single).max(), np.abs(pairs).max()))


def searched(d: int, m: int, degree: int, *, swaps: bool) -> Rows:
    """m rows of d bits, judged by degree 2 or 3; for 3 every row is followed by its complement."""
    find = best if swaps else nested
    if degree < 3:
        return find(sign_flips(d), Signs(), _flipped, m)
    half = find(sign_flips(d), Signs((2,)), _flipped, (m + 1) // 2)
    return np.stack([half, 1 - half], axis=1).reshape(-1, d)[:m]


def _flipped(row: Rows) -> Rows:
    return row ^ np.eye(len(row), dtype=np.int64)
