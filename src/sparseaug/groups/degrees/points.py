"""Degrees of any group that permutes points and can be listed: functions of k points at a time.

The functions of k points of G are spanned by "g moves these k points to those k": the irreps that
occur in the action on ordered k-tuples, whose character X_k(g) counts the tuples that g fixes.
Convolution with a class function multiplies the isotypic part of each pi by a number. On class
functions, with the classes weighted by their sizes, it is a symmetric matrix of as many rows as there
are classes; that of random weights, the same on q and q^-1, has an eigenspace for every pi with its
complex conjugate. The projection of |G| [g = e] onto that is d_pi chi_pi, or twice its real part, and
pi has degree k where X_k is the first that does not multiply it by 0: by its multiplicity over d_pi.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import require_work
from sparseaug.groups.degrees.blocks import Degrees, Floats
from sparseaug.groups.degrees.counts import Degree
from sparseaug.groups.degrees.graded import no_degrees
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import class_labels

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

_ZERO = 1e-9  # eigenvalues are 0, or multiplicities over d_pi <= sqrt |G|: at least 2^-12


@dataclass(frozen=True, eq=False)
class Points(Degrees):
    """For a group with a faithful action on few points: irreps one by one, or a degree together.

    Attributes:
        labels: class of every element, in rank order
        kernels: sum of d_pi chi_pi on the classes, of each block
        labelled: the degree of each block
        one_by_one: the irreps, where a block holds all of a degree
    """

    group: Group
    labels: Rows
    kernels: Floats
    labelled: tuple[int, ...]
    one_by_one: Points | None = None
    meaning = "points at a time"

    @classmethod
    def of(cls, group: Group, *, whole: bool) -> Points:
        faithful = group.faithful()
        if faithful is None:
            raise no_degrees(group)  # and it does not permute few points
        what = f"finding the degrees of the irreps of {group.name}"
        limit = "pairs of elements" if whole else "classes times elements"
        require_work(limit, group.order, what, remedy="use a smaller group")
        elements = group.all_elements()
        labels = class_labels(group)
        first = np.unique(labels, return_index=True)[1]
        work = len(first) * len(elements)
        require_work("classes times elements", work, what, remedy="use a smaller group")
        kernels = _kernels(group, elements, labels, first)
        fixed = (faithful.images(elements) == np.arange(faithful.points)).sum(axis=1)
        degrees = _degrees(kernels, labels, fixed.astype(np.float64))
        kernels, degrees = kernels[degrees > 0], degrees[degrees > 0]
        irreps = cls(group, labels, kernels, tuple(degrees.tolist()))
        if whole:
            return irreps
        every = np.unique(degrees)
        sums = [kernels[degrees == degree].sum(axis=0) for degree in every]
        together = np.array(sums).reshape(-1, kernels.shape[1])
        return cls(group, labels, together, tuple(every.tolist()), irreps)

    @property
    def degrees(self) -> tuple[Degree, ...]:
        return self.labelled

    @property
    def alone(self) -> Points | None:
        return self.one_by_one

    @property
    def names(self) -> tuple[str, ...]:
        if self.alone is not None:
            return super().names
        return tuple(f"degree {d}, {i}" for i, d in enumerate(self.degrees, start=1))

    def characters(self, rows: Rows) -> tuple[Floats, Rows]:
        table = self.kernels.T / self.kernels[:, self.labels[0]]
        return table, self.labels[self.group._rank(rows)]

    def variances(self, values: NDArray[Any]) -> Floats:
        """sum_gh <v(g), v(h)> K(g^-1 h) / |G|^2."""
        elements = self.group.all_elements()
        inverses = self.group._inverse(elements)
        sums = np.zeros(self.kernels.shape[1])
        step = max(1, (1 << 20) // len(elements))
        for start in range(0, len(elements), step):
            part = slice(start, start + step)
            products = self.group._compose(inverses[part, None], elements[None])
            index = self.labels[self.group._rank(products.reshape(-1, self.group.width))]
            gram = values[part] @ values.T
            sums += np.bincount(index, gram.ravel(), minlength=len(sums))
        return np.maximum(self.kernels @ sums / len(elements) ** 2, 0.0)


def _kernels(group: Group, elements: Rows, labels: Rows, first: Rows) -> Floats:
    """d_pi chi_pi on the classes, of every irrep and its complex conjugate together."""
    sizes = np.sqrt(np.bincount(labels))
    weights = (np.random.default_rng(0).standard_normal(len(sizes)) / sizes)[labels]
    inverses = group._inverse(elements)
    sums = [
        np.bincount(labels[group._rank(group._compose(inverses, t[None]))], weights, len(sizes))
        for t in elements[first]
    ]
    matrix = sizes[:, None] * np.array(sums) / sizes
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    ends = np.flatnonzero(np.diff(values) > _ZERO * abs(values).max()) + 1
    # the identity has rank 0, and a class of its own
    return np.array(
        [len(elements) * kept @ kept[labels[0]] / sizes for kept in np.split(vectors, ends, axis=1)]
    )


def _degrees(kernels: Floats, labels: Rows, fixed: Floats) -> Rows:
    """Of each irrep: the least k such that it occurs in the functions of k points."""
    degrees = np.full(len(kernels), -1)
    weights = np.ones(len(fixed))
    ratios = kernels / kernels[:, labels[0], None]
    for k in range(len(fixed) + 1):
        found = ratios @ np.bincount(labels, weights)
        degrees[(degrees < 0) & (found > _ZERO * found.max())] = k
        if (degrees >= 0).all():
            break
        weights = weights * np.maximum(fixed - k, 0.0)
    return degrees
