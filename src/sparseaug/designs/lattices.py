"""Subgroups of shifts that are good in low frequency: the best lattice of m points, and even turns.

The mean of a subgroup S of C_n1 x C_n2 x ... is 1 on the characters that are trivial on S, its
dual, and 0 on all others: S is exact for all frequencies shorter than the shortest one of its dual
but 0. The length of a frequency f is the root of sum_i min(f_i, n_i - f_i)^2, in cycles around each
axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from sparseaug.groups import Rows


def best_lattice(moduli: tuple[int, ...], m: int) -> Rows | None:
    """The subgroup of m elements whose dual has the longest shortest frequency; None if there is none.

    Among equals the one with the fewest such frequencies, then the first.

    >>> best_lattice((4, 4), 8).tolist()
    [[0, 0], [0, 2], [1, 1], [1, 3], [2, 0], [2, 2], [3, 1], [3, 3]]
    """
    index, rest = divmod(math.prod(moduli), m)
    if rest:
        return None
    merits = [(_merit(basis, moduli), basis) for basis in _sublattices(moduli, index)]
    _, best = min(merits, key=lambda each: each[0])
    steps = np.array(moduli) // best.diagonal()
    rows = _box(steps) @ best % moduli
    return rows[np.lexsort(rows.T[::-1])]


def frequency_lengths(frequencies: Rows, moduli: tuple[int, ...]) -> Rows:
    """Squared lengths of frequencies (k, w)."""
    folded = np.minimum(frequencies, np.array(moduli) - frequencies)
    return (folded**2).sum(axis=1)


def shortest_dual(points: Rows, moduli: tuple[int, ...]) -> int:
    """The squared length of the shortest frequency but 0 that is trivial on all these points.

    For a subgroup of m points, below n1^2 + n2^2 + ... and one above it where every frequency is
    cancelled.

    >>> shortest_dual(best_lattice((8, 8), 32), (8, 8))
    32
    """
    indicator = np.zeros(moduli)
    indicator[tuple(points.T)] = 1.0
    dual = np.argwhere(np.abs(np.fft.fftn(indicator)) > 0.5 * len(points))
    lengths = frequency_lengths(dual, moduli)
    return int(lengths[lengths > 0].min(initial=sum(n * n for n in moduli) + 1))


def _merit(basis: Rows, moduli: tuple[int, ...]) -> tuple[int, int]:
    """Smaller is better: minus the square of the shortest dual length, and how many have it.

    f is in the dual if basis diag(1/n) f is whole, hence f = diag(n) basis^-1 z; since basis is
    triangular, z_i below its diagonal entry gives every f mod n once. diag(n) basis^-1 is whole, as
    the lattice holds all n_i e_i.
    """
    weights = np.rint(np.linalg.solve(basis.T.astype(float), np.diag(moduli)).T).astype(np.int64)
    dual = _box(basis.diagonal()) @ weights.T % moduli
    lengths = frequency_lengths(dual, moduli)[1:]  # the first is f = 0
    shortest = int(lengths.min(initial=1 << 62))
    return -shortest, int((lengths == shortest).sum())


def _sublattices(moduli: tuple[int, ...], index: int) -> Iterator[Rows]:
    """Lattices of this index in Z^k that hold all n_i e_i: triangular bases in normal form."""
    n, k = moduli[0], len(moduli)
    if k == 1:
        if n % index == 0:
            yield np.array([[index]])
        return
    for a in range(1, n + 1):
        if n % a or index % a:
            continue
        for inner in _sublattices(moduli[1:], index // a):
            for offset in product(*(range(d) for d in inner.diagonal().tolist())):
                if _contains(inner, np.array(offset) * (n // a)):
                    yield np.block(
                        [
                            [np.array([[a]]), np.array([offset])],
                            [np.zeros((k - 1, 1), np.int64), inner],
                        ]
                    )


def _contains(basis: Rows, vector: Rows) -> bool:
    """Whether the lattice with this upper triangular basis holds the vector."""
    for i, row in enumerate(basis):
        times, rest = divmod(int(vector[i]), int(row[i]))
        if rest:
            return False
        vector = vector - times * row
    return True


def _box(sizes: Rows) -> Rows:
    """All vectors with 0 <= z_i < sizes[i], counted with the last entry fastest."""
    return np.indices(tuple(sizes.tolist())).reshape(len(sizes), -1).T
