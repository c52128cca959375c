"""The norm on functions of few points at a time, of a group that permutes points.

They lie in the module of ordered k-tuples of distinct points, of dimension n! / (n - k)!: only the
irreps that occur there count.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sparseaug._checks import Progress, silent
from sparseaug.errors import GroupTooLargeError
from sparseaug.groups import Rows
from sparseaug.norms.lanczos import FAILURE_PROBABILITY, STARTS, lanczos_norm
from sparseaug.norms.norm import Norm
from sparseaug.norms.regular import PermutationMean, dense_norm, require_room
from sparseaug.sampling import GroupSample

DENSE_DIMENSION = 4096
"""Up to here a module is verified as a matrix; beyond, the bound has a failure probability."""

TUPLE_CODES = 1 << 25
"""n^k at most: tuples are found by a table of that many entries."""


def permutation_module_norm(
    S: GroupSample,
    *,
    degree: int,
    failure_probability: float = FAILURE_PROBABILITY,
    progress: Progress = silent,
) -> Norm:
    """||D_S|| on functions of at most `degree` coordinates, for a group that permutes points.

    Rigorous up to 4096 tuples; beyond, `upper` fails with `failure_probability`.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms.tuples import permutation_module_norm
        >>> norm = permutation_module_norm(sa.Oracle(sa.symmetric(20), seed=0).draw(64), degree=1)
        >>> 0 < norm.lower <= norm.upper < 1, norm.failure_probability
        (True, 0.0)
    """
    group = S.group
    n = group.points or 0
    block = f"ordered {degree}-tuples of {n} points"
    if group.order == 1:
        return Norm(0.0, 0.0, block)
    elements, counts = S.counts()
    require_tuples(len(elements), math.perm(n, degree), block, n)
    require_codes(n, degree, group.name)
    tuples = Tuples(n, degree)
    orbits = tuples.orbits(group.permutations(group.generators()))
    images = tuples.images(group.permutations(elements))
    del tuples  # which takes as much as seven elements of S
    mean = PermutationMean(images, counts, S.m, orbits)
    return module_norm(mean, S.sha256, failure_probability, progress).at(block)


def module_norm(
    mean: PermutationMean, key: str, failure_probability: float, progress: Progress = silent
) -> Norm:
    """The norm of one permutation module: as a matrix up to 4096 tuples, else by keyed random starts."""
    if mean.images.shape[1] <= DENSE_DIMENSION:
        bounds = dense_norm(mean)
        return Norm(min(bounds.upper, 1.0), bounds.lower)
    return lanczos_norm(
        mean.operator(), key=key, failure_probability=failure_probability, progress=progress
    )


def require_tuples(count: int, dimension: int, block: str, points: int = 0) -> None:
    """Raise a `GroupTooLargeError` if the images of so many tuples are too many; `require_room`."""
    starts = STARTS if dimension > DENSE_DIMENSION else 0
    require_room(count, max(dimension, points), block, starts=starts)


def require_codes(points: int, degree: int, name: str) -> None:
    """Raise a `GroupTooLargeError` if the table of tuples is too large."""
    if points**degree > TUPLE_CODES:
        raise GroupTooLargeError(
            f"degree={degree} needs a table of {points}^{degree} entries for {name}; "
            f"at most {TUPLE_CODES} are kept: lower degree."
        )


class Tuples:
    """Ordered k-tuples of points on different axes, numbered; point a is on axis a mod `axes`.

    By default every point has its own axis: tuples of distinct points.
    """

    def __init__(self, n: int, degree: int, axes: int | None = None) -> None:
        codes = np.arange(n**degree).reshape((n,) * degree)
        distinct = np.ones(codes.shape, bool)
        points = np.ogrid[tuple(slice(n) for _ in range(degree))]
        for a, b in combinations([place % (axes or n) for place in points], 2):
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
