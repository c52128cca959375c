"""One irrep of S_n as an operator on vectors: its block is never made.

The largest block of S_13 has 21,450 rows, 3.7 GB, and its factorisation takes ten minutes. A vector has
21,450 entries, and an element moves it by about n^2 / 4 adjacent transpositions, each of which mixes
entries in pairs: runs of neighbours with neighbours, in the order of `tableaux`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.compiled import attempt
from sparseaug.errors import UnsupportedError
from sparseaug.floats import UNIT, gamma
from sparseaug.groups.young import Partition, dimension, restrict
from sparseaug.spectral.verify.lanczos import Operator, Vector
from sparseaug.spectral.young.induction import descend


class Elements:
    """Distinct elements as products of adjacent transpositions, weighted by how often they occur."""

    def __init__(self, rows: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        self.n = rows.shape[1]
        self.weights = counts / counts.sum()
        words = _words(rows)
        self.ends = np.cumsum([len(word) for word in words])
        self.letters = np.concatenate([*words, np.empty(0, np.int64)])
        self.reversed = np.concatenate([*(word[::-1] for word in words), np.empty(0, np.int64)])


def irrep_operator(shape: Partition, elements: Elements) -> Operator:
    """The mean of pi(g_j); its transpose is the mean of pi(g_j^-1), the words read backwards.

    Raises:
        UnsupportedError: without numba, since hours are no help.
    """
    kernel = attempt("sparseaug.spectral.young.steps_numba", lambda module: module.weighted_sum)
    if kernel is None:
        raise UnsupportedError(
            f"all irreps of S{elements.n} need numba (pip install 'sparseaug[fast]'); without it "
            "restrict the norm with degree=1 or 2."
        )
    per_letter = list(_runs(shape))[::-1]
    at = np.cumsum([0, *map(len, per_letter)])
    runs, distance = np.split(np.concatenate(per_letter), [3], axis=1)
    mixes = np.hstack([1 / distance, np.sqrt((distance - 1) * (distance + 1)) / abs(distance)])

    def by(letters: NDArray[np.int64]) -> Callable[[Vector], Vector]:
        def apply(v: Vector) -> Vector:
            product: Any = kernel(letters, elements.ends, elements.weights, runs, at, mixes, v)
            return product

        return apply

    rounding = _rounding(elements.n, len(elements.ends))
    return Operator(dimension(shape), by(elements.letters), by(elements.reversed), rounding)


# A transposition computes c x + s y with coefficients within 2 u: off by at most sqrt(2) gamma(4)
# times the vector's length, as for `young_rounding`, and at most n (n-1) / 2 of them follow each
# other. The sum of k weighted vectors of equal length, with weights within u and of sum 1, adds
# gamma(k + 1). The factor 1.01 covers the products of these errors, all below 1e-9.
def _rounding(n: int, k: int) -> float:
    steps = n * (n - 1) // 2
    return 1.01 * (1.4142135623730952 * gamma(4) * steps + gamma(k + 1) + UNIT)


def _runs(shape: Partition) -> Iterator[NDArray[np.int64]]:
    """Rows (i, j, length, r) for the transposition of letters k and k + 1; k = n - 1 first.

    Tableaux that agree in all letters but these two, k + 1 in the box a and k in b, or the other way
    round, are neighbours of neighbours: below them lie the same tableaux mu of k - 1 letters. With
    r = content(a) - content(b) above 1 the two are mixed; with r = -1 there is no other one, and the
    sign changes (j = i); with r = 1 nothing happens.
    """
    offsets = {shape: np.zeros(1, np.int64)}
    for _ in range(sum(shape) - 1):
        rows = [np.empty((0, 4), np.int64)]
        for larger, starts in offsets.items():
            places = _places(larger)
            for (mu, a, b), first in places.items():
                if a - b == -1 or a - b > 1:
                    second = first if a - b == -1 else places[mu, b, a]
                    size, r = np.full((2, len(starts)), [[dimension(mu)], [a - b]])
                    rows.append(np.stack([starts + first, starts + second, size, r], axis=1))
        yield np.concatenate(rows)
        offsets = descend(offsets)


def _places(larger: Partition) -> dict[tuple[Partition, int, int], int]:
    """Where the tableaux of `larger` begin whose last two letters have these contents."""
    found, offset = {}, 0
    for smaller, a in restrict(larger):
        inner = offset
        for mu, b in restrict(smaller):
            found[mu, a, b] = inner
            inner += dimension(mu)
        offset += dimension(smaller)
    return found


def _words(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The transpositions of each element in the order in which they are applied, by bubble sort."""
    left, n = rows.copy(), rows.shape[1]
    network = [k for end in range(n - 1, 0, -1) for k in range(end)]
    used = np.zeros((len(network), len(rows)), np.bool_)
    for step, k in enumerate(network):
        used[step] = left[:, k] > left[:, k + 1]
        swapped = left[used[step], k : k + 2]
        left[used[step], k : k + 2] = swapped[:, ::-1]
    letters = np.array(network, np.int64)
    return [letters[chosen] for chosen in used.T]
