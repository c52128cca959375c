"""Signed permutations: the row is the image array p followed by the sign bits s.

(g.x)[p(i)] = (-1)^s_i x[i], hence (p, s)(q, t) = (p q, t + s q).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import LIMITS, check_integer
from sparseaug._floats import UNIT
from sparseaug.groups import permutations, young
from sparseaug.groups.base import Group
from sparseaug.groups.orders import MOST_MOVED
from sparseaug.groups.permutations import (
    Rows,
    are_permutations,
    compose_permutations,
    shuffle,
    unshuffle,
)
from sparseaug.groups.representations import DimensionSum, Faithful, Irrep, involutions
from sparseaug.groups.young import (
    Partition,
    characters_at,
    dimension,
    each_partition,
    young_matrices,
    young_rounding,
)


@final
@dataclass(frozen=True)
class Hyperoctahedral(Group):
    """B_n, the symmetries of the n-dimensional cube, of order 2^n n!. Built by `hyperoctahedral`."""

    n: int

    transform = "signed"
    irreps_have_degrees = True

    @property
    def signed_axes(self) -> int:  # type: ignore[override]
        return self.n

    @property
    def name(self) -> str:
        return f"B{self.n}"

    @property
    def width(self) -> int:
        return 2 * self.n

    @cached_property
    def radices(self) -> tuple[int, ...]:
        return (*range(self.n, 1, -1), *(2,) * self.n)

    @property
    def has_integer_characters(self) -> bool:
        return True

    def _from_digits(self, digits: Rows) -> Rows:
        axes, signs = digits[: self.n - 1], digits[self.n - 1 :]
        return np.concatenate([shuffle(axes, self.n), signs.T], axis=1)

    def _to_digits(self, elements: Rows) -> Rows:
        axes, signs = self.split(elements)
        return np.concatenate([unshuffle(axes), signs.T])

    def _compose(self, a: Rows, b: Rows) -> Rows:
        """(p, s)(q, t) = (p q, t + s q)."""
        (p, s), (q, t) = self.split(a), self.split(b)
        signs = compose_permutations(s, q) ^ t
        return np.concatenate([compose_permutations(p, q), signs], axis=-1)

    def _inverse(self, a: Rows) -> Rows:
        """(p, s)^-1 = (p^-1, s p^-1)."""
        p, s = self.split(a)
        back = permutations.invert_permutations(p)
        return np.concatenate([back, compose_permutations(s, back)], axis=-1)

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        axes, signs = self.split(elements)
        return are_permutations(axes) & ((signs == 0) | (signs == 1)).all(axis=1)

    def generators(self) -> Rows:
        axes = np.arange(self.n)
        flip = np.concatenate([axes, axes == 0])
        swap = np.concatenate([axes[:2][::-1], axes[2:], 0 * axes])
        cycle = np.concatenate([np.roll(axes, -1), 0 * axes])
        return np.stack([flip, swap, cycle])[: min(self.n, 3)]

    def faithful(self) -> Faithful:
        """The points +1, ..., +n, -1, ..., -n."""
        return Faithful(2 * self.n, self._signed_points)

    def _signed_points(self, elements: Rows) -> Rows:
        axes, signs = self.split(elements)
        plus = axes + self.n * signs
        return np.concatenate([plus, (plus + self.n) % (2 * self.n)], axis=1)

    def dimension_sum(self) -> DimensionSum:
        """The involutions, less the one for the trivial irrep."""
        return DimensionSum(involutions(self.n, signs=2) - 1, True)

    @property
    def highest_degree(self) -> int:
        """The number of axes."""
        return self.n

    # A cycle of length d of a signed permutation q is positive or negative, by the product of its signs;
    # q^k fixes the axes of the cycles with d | k, and keeps the signs of the positive ones and of those
    # with k / d even. So the numbers of both for k up to n / 2 give those of positive and of negative
    # cycles of these lengths. Two longer ones do not fit, and the product of all signs gives
    # the sign of that one: the class of q.
    def _class_keys(self, elements: Rows) -> Rows:
        axes, signs = self.split(elements)
        codes, points = signs.sum(axis=1) % 2, np.arange(self.n)
        power, bits = axes, signs
        for k in range(self.n // 2):
            if k:
                bits = signs ^ np.take_along_axis(bits, axes, axis=1)
                power = np.take_along_axis(power, axes, axis=1)
            there = power == points
            kept = (there & (bits == 0)).sum(axis=1)
            codes = (codes * (self.n + 1) + there.sum(axis=1)) * (self.n + 1) + kept
        return codes

    # Frobenius: an irrep induced from B_(n-k) x B_k sums over the ways to give each cycle to one of the
    # two, with -1 for every negative cycle that goes to the second.
    def _class_characters(self, element: Rows) -> dict[str, int]:
        given: dict[tuple[Partition, Partition], int] = {((), ()): 1}
        for length, negative in _cycles(*self.split(element)):
            longer: dict[tuple[Partition, Partition], int] = {}
            for (first, second), ways in given.items():
                one, other = ((*first, length), second), (first, (*second, length))
                longer[one] = longer.get(one, 0) + ways
                longer[other] = longer.get(other, 0) + (-ways if negative else ways)
            given = longer
        found: dict[str, int] = {}
        for (first, second), ways in given.items():
            right = characters_at(second)
            for alpha, left in characters_at(first).items() if ways else ():
                for beta, value in right.items():
                    name = f"{alpha}|{beta}"
                    found[name] = found.get(name, 0) + ways * left * value
        return found

    def _dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        """Of (alpha|beta), beta has b boxes, and alpha, of n - b, has k - b below its first row."""
        n = self.n
        if n >= LIMITS["boxes"].most or young.partitions_up_to(degree) ** 2 * n > young.MOST_BOXES:
            points = [2**k * math.perm(n, k) for k in range(1, degree + 1)]
            return [1, *(max(0, size - 1) for size in points)], False

        found = [0] * (degree + 1)
        for k in range(degree + 1):
            for b in range(min(k, n) + 1):
                alphas = sum(map(dimension, young.below_first_row(n - b, k - b)))
                found[k] += math.comb(n, b) * alphas * sum(map(dimension, each_partition(b)))
        return found, True

    def irreps(self) -> Iterator[Irrep]:
        """One for each pair of partitions with n boxes together, induced from B_(n-k) x B_k."""
        return self._irreps_to(self.n)

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        most = min(degree, self.n)
        pairs = (
            (alpha, beta)
            for k in range(most + 1)
            for below in range(most - k + 1)
            for alpha in young.below_first_row(self.n - k, below)
            for beta in each_partition(k)
        )
        for alpha, beta in pairs:
            size = math.comb(self.n, sum(beta)) * dimension(alpha) * dimension(beta)
            # each block is a product of two matrices of Young's form: its own rounding of 4 u,
            # and theirs, which together are no more than that of one shape of n boxes twice
            rounding = 2 * young_rounding(self.n, size) + 4 * UNIT * math.sqrt(size)
            degree = self.n - (alpha[0] if alpha else 0)
            matrices = partial(_bipartition, self, alpha, beta)
            yield Irrep(f"{alpha}|{beta}", size, matrices, rounding, degree)

    def split(self, elements: Rows) -> tuple[Rows, Rows]:
        """Image arrays and sign bits of these rows."""
        return elements[..., : self.n], elements[..., self.n :]


# The signs restricted to a set T of k coordinates are a character of the flips; B_n moves T to p(T). On
# the blocks T, with p(T) = T' and p = (its order on T) and (its order off T), the induced matrix is
#     rho(p, s)[T', T] = (-1)^(sum of s over T) pi_alpha(p off T) x pi_beta(p on T).
def _bipartition(
    group: Hyperoctahedral, alpha: Partition, beta: Partition, elements: Rows
) -> NDArray[Any]:
    p, s = group.split(elements)
    n, k, count = group.n, sum(beta), len(p)
    sets = math.comb(n, k)
    young.require_matrices(count, sets * dimension(alpha) * dimension(beta))
    on = np.array(list(combinations(range(n), k)), np.int64).reshape(sets, k)
    # the complements of the sets come in the opposite order
    off = np.array(list(combinations(range(n), n - k)), np.int64).reshape(sets, n - k)[::-1]
    index = {mask: i for i, mask in enumerate((1 << on).sum(axis=1).tolist())}
    targets = (1 << p[:, on]).sum(axis=2)
    to = np.array([index[mask] for mask in targets.ravel().tolist()], np.int64)
    signs = 1 - 2 * (s[:, on].sum(axis=2) % 2)
    left = young_matrices(alpha, _order(p[:, off]))
    right = young_matrices(beta, _order(p[:, on]))
    size = left.shape[1] * right.shape[1]
    blocks = np.einsum("jab,jcd->jacbd", left, right).reshape(count, sets, size, size)
    result = np.zeros((count, sets, size, sets, size))
    lane, place = np.arange(count)[:, None], np.arange(sets)
    result[lane, to.reshape(count, sets), :, place, :] = blocks * signs[:, :, None, None]
    return result.reshape(count, sets * size, sets * size)


def _cycles(images: Rows, signs: Rows) -> list[tuple[int, bool]]:
    """The length of each cycle of a signed permutation, longest first, and whether it is negative."""
    seen: set[int] = set()
    found = []
    for start in range(len(images)):
        at, length, sign = start, 0, 0
        while at not in seen:
            seen.add(at)
            length, sign, at = length + 1, sign ^ int(signs[at]), int(images[at])
        found += [(length, bool(sign))] * (length > 0)
    return sorted(found, reverse=True)


def _order(images: Rows) -> Rows:
    """The relative order of the last axis, as image arrays in one batch."""
    flat = images.reshape(images.shape[0] * images.shape[1], images.shape[2])
    return np.argsort(np.argsort(flat, axis=1), axis=1)


def hyperoctahedral(n: int) -> Hyperoctahedral:
    """All 2^n n! signed permutations of n coordinates.

    Args:
        n: how many coordinates.

    Examples:
        >>> import sparseaug as sa
        >>> sa.hyperoctahedral(3).order
        48
    """
    return Hyperoctahedral(check_integer("n", n, at_least=1, below=MOST_MOVED + 1))
