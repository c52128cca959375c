"""Permutation modules: ordered k-tuples of points, and the norm of D_S on functions of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug.groups import Rows
from sparseaug.norms.lanczos import STARTS, lanczos_norm
from sparseaug.norms.norm import Norm
from sparseaug.norms.regular import PermutationMean, announce_images, dense_norm

DENSE_DIMENSION = 4096
"""Up to here a module is verified as a matrix; beyond, the bound has a failure probability."""


def module_norm(mean: PermutationMean, key: str, failure_probability: float) -> Norm:
    """The norm of one permutation module: as a matrix up to 4096 tuples, else by keyed random starts."""
    if mean.images.shape[1] <= DENSE_DIMENSION:
        bounds = dense_norm(mean)
        return Norm(min(bounds.upper, 1.0), bounds.lower)
    return lanczos_norm(mean.operator(), key=key, failure_probability=failure_probability)


def announce_tuples(count: int, dimension: int, block: str) -> None:
    """What the images of so many tuples will take."""
    announce_images(count, dimension, block, starts=STARTS if dimension > DENSE_DIMENSION else 0)


class Tuples:
    """Ordered k-tuples of points on different axes, numbered; point a is on axis a mod `axes`.

    With n axes every point has its own: tuples of distinct points.
    """

    def __init__(self, n: int, degree: int, axes: int) -> None:
        codes = np.arange(n**degree).reshape((n,) * degree)
        distinct = np.ones(codes.shape, bool)
        points = np.ogrid[tuple(slice(n) for _ in range(degree))]
        for a, b in combinations([place % axes for place in points], 2):
            distinct &= a != b
        self._columns = np.array(np.nonzero(distinct), np.int64)
        self._number = np.full(n**degree, -1, np.int32)
        self._number[codes[distinct]] = np.arange(self._columns.shape[1], dtype=np.int32)

    def images(self, permutations: Rows) -> NDArray[np.int32]:
        """Where each permutation sends each tuple."""
        result = np.empty((len(permutations), self._columns.shape[1]), np.int32)
        for row, p in zip(result, permutations, strict=True):
            code = np.zeros(len(row), np.int64)
            for column in self._columns:
                code *= len(p)
                code += p[column]
            row[:] = self._number[code]
        return result

    def orbits(self, generators: Rows) -> NDArray[np.int64] | None:
        """The orbit of each tuple under the group; None if there is one."""
        images = self.images(generators)
        count, size = images.shape
        if not count:  # the trivial group
            return None if size == 1 else np.arange(size)
        pointers = np.arange(0, images.size + 1, count, dtype=np.int32)
        edges = csr_array((np.ones(images.size), images.T.ravel(), pointers), shape=(size, size))
        edges.sum_duplicates()  # some functions of SciPy's never end on an edge that stands twice
        number, labels = connected_components(edges, directed=False)
        return None if number == 1 else labels.astype(np.int64)
