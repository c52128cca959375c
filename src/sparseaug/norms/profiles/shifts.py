"""Abelian groups by weight or by frequency.

The weight of a character is the number of its non-zero frequencies; its frequency the length of the
vector of min(a_i, n_i - a_i), rounded up. Norms are those of the fast transforms with their proved
errors, signs are integers, and a sum of roots of unity is 0 or not by integer arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, Progress, require_work
from sparseaug._floats import popcount
from sparseaug.groups import Rows
from sparseaug.groups.degrees.abelian import frequency_labels, weight_labels
from sparseaug.groups.degrees.counts import Count, Degree
from sparseaug.groups.degrees.graded import counted
from sparseaug.groups.quotients import coset_of, too_many
from sparseaug.norms.abelian.characters import characters_norm
from sparseaug.norms.abelian.low_weight import norms_by_weight
from sparseaug.norms.abelian.products import half_of_means
from sparseaug.norms.abelian.walsh import hadamard
from sparseaug.norms.norm import Norm, enclosed, ratio
from sparseaug.norms.profiles.cyclotomic import WORK, vanish
from sparseaug.norms.profiles.levels import levels
from sparseaug.norms.profiles.result import Level, Levels
from sparseaug.sampling import GroupSample

LOW_DEGREE = 3
"""Weight up to which the characters of a larger group are looked at, unless another is asked for."""


def shift_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels of an abelian group, by number of non-zero frequencies or by frequency."""
    found, whole = (_by_frequency if by == "frequency" else _by_weight)(S, most)
    return Levels(tuple(found), (), whole)


def _by_weight(S: GroupSample, most: int | None) -> tuple[list[Level], bool]:
    """By number of non-zero frequencies, and whether they are all."""
    moduli = S.group.radices
    width = sum(n > 1 for n in moduli)
    every = math.prod(moduli) <= LIMITS["characters"].most
    limit = width if every else LOW_DEGREE
    most = min(width, limit if most is None else most)
    if every and set(moduli) <= {1, 2}:
        counts, norms = _walsh(S)
        return levels(counts[:most], norms, S.m), most == width
    found = counted(S, most)
    if found is None:
        raise too_many(S, ", or deviation(S, degree=)")
    norms = {}
    if coset_of(S) is not None:
        norms = {count.degree: Norm(1.0, 1.0) for count in found}
    elif width == 1:
        norms = {1: characters_norm(S)}
    elif any(count.total for count in found):
        norms = _Scan.of(S, weight_labels).norms() if every else norms_by_weight(S, most)
    return levels(found, norms, S.m), most == width


def _by_frequency(S: GroupSample, most: int | None) -> tuple[list[Level], bool]:
    """By frequency, and whether they are all."""
    moduli = S.group.radices
    what = f'by="frequency", which looks at every character of {S.group.name},'
    require_work("characters", math.prod(moduli), what, remedy="leave it out, with degree=")
    found = _Scan.of(S, lambda frequencies: frequency_labels(frequencies, moduli)).levels(S)
    kept = [level for level in found if most is None or int(level.degree) <= most]
    return kept, len(kept) == len(found)


@dataclass(frozen=True, eq=False)
class _Scan:
    """|f(a)| of all non-trivial characters, one of a and -a unless their largest axis is the same."""

    sizes: NDArray[np.float64]
    error: float
    labels: Rows
    frequencies: Rows

    @classmethod
    def of(cls, S: GroupSample, label: Callable[[Rows], Rows]) -> _Scan:
        found, values, error = half_of_means(*S.counts(), S.group.radices, m=S.m)
        each = found[1:]  # the trivial one is the first
        return cls(np.abs(values[1:]), error, label(each), each)

    def norms(self) -> dict[Degree, Norm]:
        """The largest size of each label, outwards."""
        sizes, labels = self.sizes, self.labels
        found: dict[Degree, Norm] = {}
        order = np.lexsort((sizes, labels))
        ends = np.flatnonzero(np.diff(labels[order], append=-1))
        for at in order[ends].tolist():
            name = f"chi{tuple(self.frequencies[at].tolist())}"
            found[int(labels[at])] = enclosed(float(sizes[at]), self.error, name)
        return found

    def levels(self, S: GroupSample) -> list[Level]:
        """With mean squares, and zeros decided label by label."""
        moduli = S.group.radices
        sizes, labels, frequencies = self.sizes, self.labels, self.frequencies
        subgroup = coset_of(S)
        axis = int(np.argmax(moduli))
        twice = 1 + ((frequencies[:, axis] > 0) & (2 * frequencies[:, axis] != moduli[axis]))
        weights = np.bincount(labels, twice)
        squares = np.bincount(labels, twice * sizes * sizes)
        found = []
        for degree, norm in sorted(self.norms().items()):
            at = int(degree)
            zero = norm.lower == 0.0 and _all_vanish(S, frequencies[labels == at])
            square: Any = Fraction(0) if zero else float(squares[at] / weights[at])
            if zero:
                norm = Norm(0.0, 0.0)
            elif subgroup is not None and norm.lower > 0.0:  # 0 or 1
                norm = Norm(1.0, 1.0, norm.block)
            found.append(Level(degree, norm.upper, norm.lower, square, zero, norm.block))
        return found


def _all_vanish(S: GroupSample, frequencies: Rows) -> bool:
    """Whether every one of these characters is 0 on average over S; False where that takes minutes."""
    moduli = S.group.radices
    rows, counts = S.counts()
    if len(frequencies) * max(math.lcm(*moduli), len(rows)) > WORK:
        return False
    return bool(vanish(frequencies, rows, counts, moduli).all())


def _walsh(S: GroupSample) -> tuple[list[Count], dict[Degree, Norm]]:
    """Signs: every sum is an integer, and so is the sum of squares of each weight."""
    moduli = S.group.radices
    axes = [i for i, n in enumerate(moduli) if n == 2]
    d = len(axes)
    places = S.elements[:, axes] @ (1 << np.arange(d - 1, -1, -1))
    table = np.bincount(places, minlength=1 << d).astype(np.int64)
    hadamard(table)
    sums = np.abs(table)
    weights = popcount(np.arange(sums.size))
    counts: list[Count] = []
    norms: dict[Degree, Norm] = {}
    for w in range(1, d + 1):
        own = np.flatnonzero(weights == w)
        at = int(own[sums[own].argmax()])
        frequency = np.zeros(len(moduli), np.int64)
        frequency[axes] = [at >> i & 1 for i in range(d - 1, -1, -1)]
        norms[w] = ratio(int(sums[at]), S.m, f"chi{tuple(frequency.tolist())}")
        # below m^2 2^22 in all: an int64 holds it for m < 2^20, Python's integers for the rest
        squares = sums[own].astype(object) if S.m >= 1 << 20 else sums[own]
        counts.append(Count(w, len(own), int((squares * squares).sum())))
    return counts, norms
