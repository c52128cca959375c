"""Abelian groups by weight or by frequency, dihedral groups by frequency.

The weight of a character is the number of its non-zero frequencies; its frequency the length of the
vector of min(a_i, n_i - a_i), rounded up. Norms are those of the fast transforms with their proved
errors, signs are integers, and a sum of roots of unity is 0 or not by integer arithmetic.

Whether a sum of roots of unity is 0, in integers.

F(z) = sum_p c_p z^p at a primitive N-th root z is 0 exactly when F is 0 at all primitive N-th roots, as
the c_p are rational and the roots conjugate. The product over the primes q | N of 1 - x^(N/q) is 0 at
every other N-th root and at no primitive one: so F(z) = 0 iff F times it is 0 modulo x^N - 1, which is
one subtraction of a rolled array for each q.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, Progress, require_work
from sparseaug._floats import down, float_above, float_below, popcount, up
from sparseaug.groups import Rows
from sparseaug.groups.degrees.abelian import frequency_labels, weight_labels
from sparseaug.groups.degrees.counts import Count, Degree, Number, Part
from sparseaug.groups.degrees.graded import counted
from sparseaug.groups.fourier import Block
from sparseaug.groups.quotients import coset_of, too_many
from sparseaug.norms.character_transforms import fft_blocks, phases
from sparseaug.norms.characters import characters_norm, halves, signs
from sparseaug.norms.norm import Norm
from sparseaug.norms.profiles.blocks import levels, levels_of_parts
from sparseaug.norms.profiles.result import Level, Levels
from sparseaug.norms.tuples import norms_by_weight
from sparseaug.norms.walsh import hadamard
from sparseaug.qmc.field import prime_factors
from sparseaug.sampling import GroupSample

LOW_DEGREE = 3
"""Weight up to which the characters of a larger group are looked at, unless another is asked for."""

LISTED = 4096
"""Dihedral irreps that are listed one by one."""

_WORK = 1 << 30  # integers of all tables by which zeros are decided


def shift_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels of an abelian group, by number of non-zero frequencies or by frequency."""
    found, whole = (_by_frequency if by == "frequency" else _by_weight)(S, most)
    return Levels(tuple(found), (), whole)


def _by_weight(S: GroupSample, most: int | None) -> tuple[list[Level], bool]:
    """By number of non-zero frequencies, and whether they are all."""
    moduli = S.group.moduli or ()
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
    moduli = S.group.moduli or ()
    what = f'by="frequency", which looks at every character of {S.group.name},'
    require_work("characters", math.prod(moduli), what, remedy="leave it out, with degree=")
    found = _Scan.of(S, lambda frequencies: frequency_labels(frequencies, moduli)).levels(S)
    kept = [level for level in found if most is None or int(level.degree) <= most]
    return kept, len(kept) == len(found)


@dataclass(frozen=True, eq=False)
class _Scan:
    """|f(a)| of all non-trivial characters, one of a and -a unless their last frequency is the same."""

    sizes: NDArray[np.float64]
    error: float
    labels: Rows
    frequencies: Rows

    @classmethod
    def of(cls, S: GroupSample, label: Callable[[Rows], Rows]) -> _Scan:
        sizes, frequencies, error = [], [], 0.0
        rows, counts = S.counts()
        for block in fft_blocks(rows, counts, S.group.moduli or (), m=S.m):
            sizes.append(np.abs(block.values))
            frequencies.append(block.label(np.arange(len(block.values))))
            error = max(error, block.error)
        each = np.concatenate(frequencies)[1:]  # the trivial one is the first
        return cls(np.concatenate(sizes)[1:], error, label(each), each)

    def norms(self) -> dict[Degree, Norm]:
        """The largest size of each label, outwards."""
        sizes, labels = self.sizes, self.labels
        found: dict[Degree, Norm] = {}
        order = np.lexsort((sizes, labels))
        ends = np.flatnonzero(np.diff(labels[order], append=-1))
        for at in order[ends].tolist():
            name = f"chi{tuple(self.frequencies[at].tolist())}"
            found[int(labels[at])] = _enclosed(float(sizes[at]), self.error, name)
        return found

    def levels(self, S: GroupSample) -> list[Level]:
        """With mean squares, and zeros decided label by label."""
        moduli = S.group.moduli or ()
        sizes, labels, frequencies = self.sizes, self.labels, self.frequencies
        subgroup = coset_of(S)
        last = frequencies[:, -1]
        twice = 1 + ((last > 0) & (2 * last != moduli[-1]))
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
    """Whether every one of these characters is 0 in the mean over S."""
    moduli = S.group.moduli or ()
    rows, counts = S.counts()
    n = math.lcm(*moduli)
    if len(frequencies) * max(n, len(rows)) > _WORK:
        return False
    step = max(1, (1 << 22) // max(n, len(rows)))
    return all(
        vanish(phases(frequencies[start : start + step], rows, moduli), counts, n).all()
        for start in range(0, len(frequencies), step)
    )


def _walsh(S: GroupSample) -> tuple[list[Count], dict[Degree, Norm]]:
    """Signs: every sum is an integer, and so is the sum of squares of each weight."""
    moduli = S.group.moduli or ()
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
        norms[w] = _ratio(int(sums[at]), S.m, f"chi{tuple(frequency.tolist())}")
        # below m^2 2^22 in all: an int64 holds it for m < 2^20, Python's integers for the rest
        squares = sums[own].astype(object) if S.m >= 1 << 20 else sums[own]
        counts.append(Count(w, len(own), int((squares * squares).sum())))
    return counts, norms


def _ratio(total: int, m: int, name: str) -> Norm:
    exact = Fraction(total, m)
    return Norm(float_above(exact), float_below(exact), name)


def _enclosed(size: float, error: float, name: str) -> Norm:
    return Norm(min(1.0, up(size + error)), max(0.0, down(size - up(error))), name)


def dihedral_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Signs by counting; turn(j) has norm |A_j| + |B_j| and mean square |A_j|^2 + |B_j|^2."""
    n, m = S.group.order // 2, S.m
    require_work("characters", n, f"the profile of {S.group.name}", remedy="use deviation(S)")
    parts: list[Part] = []
    norms: dict[Degree, Norm] = {}
    for name, total in signs(S):
        degree = 0 if name.startswith("sign(+1") else n // 2
        parts.append(Part(name, degree, 1, 1, Fraction(total * total, m * m), total == 0))
        norm = _ratio(abs(total), m, name)
        if degree not in norms or norm.lower > norms[degree].lower:
            norms[degree] = norm
    for part, norm in _turns(S, n) if n >= 3 else []:
        parts.append(part)
        norms[part.degree] = norm
    kept = [part for part in parts if most is None or int(part.degree) <= most]
    listed = kept if (n - 1) // 2 <= LISTED else []
    return Levels(tuple(levels_of_parts(kept, norms)), tuple(listed), len(kept) == len(parts))


def _turns(S: GroupSample, n: int) -> Iterator[tuple[Part, Norm]]:
    parts = halves(S)
    (a, a_error), (b, b_error) = (_half(rows, counts, n, S.m) for rows, counts in parts)
    j = np.arange(1, (n + 1) // 2)
    sizes = (a + b)[j]
    error = up(up(a_error + b_error) + 4 * 2.0**-53)
    small = j[sizes <= error]
    zero = np.zeros(len(a), bool)
    if len(small) * n <= _WORK:
        zero[small] = True
        for rows, counts in parts:
            if len(rows):
                zero[small] &= vanish(phases(small[:, None], rows, (n,)), counts, n)
    for k, size in zip(j.tolist(), sizes.tolist(), strict=True):
        name, exact = f"turn({k})", bool(zero[k])
        square: Number = Fraction(0) if exact else float(a[k] ** 2 + b[k] ** 2)
        norm = Norm(0.0, 0.0) if exact else _enclosed(size, error, name)
        yield Part(name, k, 2, 4, square, exact), norm


def _half(rows: Rows, counts: Rows, n: int, m: int) -> tuple[NDArray[np.float64], float]:
    """|mean of exp(2 pi i j a / n)| over the turns or the flips, divided by m, for j = 0..n//2."""
    if not len(rows):
        return np.zeros(n // 2 + 1), 0.0
    blocks: list[Block] = list(fft_blocks(rows, counts, (n,), m=m))
    return np.concatenate([np.abs(b.values) for b in blocks]), max(b.error for b in blocks)


CELLS = 1 << 22
"""Integers of one table of counts."""


def vanish(phases: NDArray[np.int64], counts: Rows, n: int) -> NDArray[np.bool_]:
    """For each row of phases (f, k): whether sum_j counts_j exp(2 pi i p_j / n) is exactly 0.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.profiles.shifts import vanish
        >>> vanish(np.array([[0, 2, 4], [0, 1, 2]]), np.array([1, 1, 1]), 6)
        array([ True, False])
    """
    found = np.empty(len(phases), bool)
    step = max(1, CELLS // max(n, phases.shape[1]))
    for start in range(0, len(phases), step):
        part = phases[start : start + step]
        codes = part + n * np.arange(len(part))[:, None]
        weights = np.broadcast_to(counts, part.shape)
        flat = np.zeros(len(part) * n, np.int64)
        np.add.at(flat, codes.ravel(), weights.ravel())
        table = flat.reshape(len(part), n)
        for q in set(prime_factors(n)):
            table = table - np.roll(table, n // q, axis=1)
        found[start : start + step] = ~table.any(axis=1)
    return found
