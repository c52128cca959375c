"""Degrees of any group that permutes points and can be listed: functions of k points at a time.

The functions of k points of G are spanned by "g moves these k points to those k": the irreps that
occur in the action on ordered k-tuples, whose character X_k(g) counts the tuples that g fixes.
Convolution with X_k multiplies the isotypic part of pi by its multiplicity over d_pi, so the projection
onto these functions is the one onto the space where the convolution is not 0. On class functions, with
the classes weighted by their sizes, it is a symmetric matrix of as many rows as there are classes; the
projection of |G| [g = e] is the kernel K_k, and degree k has sum of d_pi chi_pi = K_k - K_(k-1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug.errors import UnsupportedError
from sparseaug.groups.degrees.blocks import Degree, Degrees, Floats
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import class_labels

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

_ZERO = 1e-9  # eigenvalues are 0, or multiplicities over d_pi <= sqrt |G|: at least 2^-12


@dataclass(frozen=True, eq=False)
class Points(Degrees):
    """All irreps of one degree together, for a group with a faithful action on few points."""

    group: Group
    labels: Rows
    kernels: Floats
    meaning = "points at a time"
    kind = "points"

    @classmethod
    def of(cls, group: Group, *, whole: bool) -> Points:
        faithful = group.faithful()
        if faithful is None:
            raise UnsupportedError(
                f"the irreps of {group.name} have no degree, and it does not permute few points; "
                "degrees are for permutations, signed permutations, abelian and dihedral groups, "
                "rotations, and products."
            )
        what = f"finding the degrees of the irreps of {group.name}"
        limit = "pairs of elements" if whole else "classes times elements"
        require_work(limit, group.order, what, remedy="use a smaller group")
        elements = group.all_elements()
        labels = class_labels(group)
        first = np.unique(labels, return_index=True)[1]
        work = len(first) * len(elements)
        require_work("classes times elements", work, what, remedy="use a smaller group")
        images = faithful.images(elements)
        fixed = (images == np.arange(faithful.points)).sum(axis=1).astype(np.float64)
        return cls(group, labels, np.array(list(_kernels(group, elements, labels, first, fixed))))

    @property
    def degrees(self) -> tuple[Degree, ...]:
        return tuple(range(1, len(self.kernels) + 1))

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        table = self.kernels.T / self.kernels[:, self.labels[0]]
        return table, self.labels[self.group.rank(rows)]

    def variances(self, values: NDArray[Any]) -> Floats:
        """sum_gh <v(g), v(h)> K(g^-1 h) / |G|^2."""
        elements = self.group.all_elements()
        inverses = self.group.inverse(elements)
        sums = np.zeros(self.kernels.shape[1])
        step = max(1, (1 << 20) // len(elements))
        for start in range(0, len(elements), step):
            part = slice(start, start + step)
            products = self.group.compose(inverses[part, None], elements[None])
            index = self.labels[self.group.rank(products.reshape(-1, self.group.width))]
            gram = values[part] @ values.T
            sums += np.bincount(index, gram.ravel(), minlength=len(sums))
        return np.maximum(self.kernels @ sums / len(elements) ** 2, 0.0)


def _kernels(
    group: Group, elements: Rows, labels: Rows, first: Rows, fixed: Floats
) -> Iterator[Floats]:
    """K_k - K_(k-1) on the classes, for k = 1, 2, ... until all functions are reached."""
    count, sizes = len(elements), np.sqrt(np.bincount(labels))
    inverses = group.inverse(elements)
    products = [labels[group.rank(group.compose(inverses, t[None]))] for t in elements[first]]
    start = np.zeros(len(first))
    start[labels[0]] = count  # the identity has rank 0, and a class of its own
    below, weights = np.ones(len(first)), np.ones(count)
    for k in range(count):
        weights = weights * np.maximum(fixed - k, 0.0)
        sums = [np.bincount(index, weights, minlength=len(first)) / count for index in products]
        matrix = sizes[:, None] * np.array(sums) / sizes
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        kept = vectors[:, values > _ZERO * values[-1]]
        kernel = kept @ (kept.T @ (sizes * start)) / sizes
        yield kernel - below
        if kernel[labels[0]] > count - 0.5:
            return
        below = kernel
