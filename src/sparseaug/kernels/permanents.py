"""Permanents of many small matrices with entries >= 0, to a proved relative error.

Over subsets T of columns, P(T) = sum over j in T of a[|T| - 1, j] P(T - j), P({}) = 1, and the
permanent is P(all). That is n 2^(n-1) multiplications and as many additions, of terms that are never
negative: a summand meets |T| roundings at each step, so the relative error is at most
gamma(n (n + 1) / 2), 1.6e-14 for n = 16. Ryser's and Glynn's formulas cost as much and subtract.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sparseaug.kernels.arrays import Floats

_CACHE = 1 << 18  # floats of P that stay in a core's cache


def permanents(entries: Floats) -> Floats:
    """Permanents (k,) of k matrices given as entries (n, n, k), all of them >= 0.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.kernels.permanents import permanents
        >>> permanents(np.ones((5, 5, 2)))
        array([120., 120.])
    """
    n, count = entries.shape[0], entries.shape[2]
    width = max(8, min(64, _CACHE >> n))
    blocks = [np.ascontiguousarray(entries[:, :, s : s + width]) for s in range(0, count, width)]
    levels = _levels(n)
    return np.concatenate([np.empty(0), *(_by_levels(block, levels) for block in blocks)])


def _by_levels(entries: Floats, levels: list[tuple[NDArray[np.intp], NDArray[np.intp]]]) -> Floats:
    """P for all subsets of size 1, then 2, and so on."""
    values = np.ones((1, entries.shape[2]))
    for row, (columns, smaller) in zip(entries, levels, strict=True):
        grown = np.zeros((len(columns), entries.shape[2]))
        for j, without in zip(columns.T, smaller.T, strict=True):
            grown += row[j] * values[without]
        values = grown
    return np.asarray(values[0])


def _levels(n: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """For size t = 1..n: the columns of each subset, and where the subset without it stands."""
    levels = []
    position = np.zeros(1 << n, np.intp)
    for t in range(1, n + 1):
        columns = np.array(list(combinations(range(n), t)), np.intp)
        masks = (1 << columns).sum(axis=1)
        smaller = position[masks[:, None] ^ (1 << columns)]
        levels.append((columns, smaller))
        position[masks] = np.arange(len(masks))
    return levels
