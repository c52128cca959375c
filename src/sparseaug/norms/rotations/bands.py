"""Rotations to degree L and degree by degree: blocks of Wigner's matrices, with their error.

The mean of D^l over S (`groups.wigner` has the formula) needs the moments

    T_mkn = (1/m) sum_j exp(-i (m alpha_j + k beta_j + n gamma_j)),     |m|, |k|, |n| <= L,

of all l at once: products of (j, mk) and (j, n) matrices, block by block. Then each block is
sum_k d_km d_kn T_mkn. With reflections, the irreps of both parities are the sum and the difference of
the moments of the two halves of S.

Rounding: products of two phases within 3 u, of the third in the inner products, of length n at most
`_BLOCK`, within sqrt(2) gamma(2 n) of the sum of absolute values, and as many additions as there
are blocks; the division by m. All of it is relative to sum_j 1/m = 1, so it is added to the error of a
phase in `wigner_rounding`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, require_work, silent
from sparseaug._floats import UNIT, gamma, up
from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees.counts import Degree, Part
from sparseaug.groups.fourier import Block, block_of
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.rotations import Rotations
from sparseaug.groups.wigner import (
    PHASE_ERROR,
    angle_phases,
    euler_phases,
    phase_powers,
    quarter_turns,
    wigner_rounding,
)
from sparseaug.norms.irreps import largest_norm, largest_norms
from sparseaug.norms.norm import Norm, announce
from sparseaug.norms.profiles.levels import levels_of_parts, part_of
from sparseaug.norms.profiles.result import Levels
from sparseaug.norms.rotations.squares import exact_squares, exact_zeros
from sparseaug.sampling import GroupSample

_BLOCK = 128  # elements whose phases are multiplied at a time

USUAL_DEGREE = 16
"""Of a profile where no degree is given."""

USUAL_IN_PRODUCTS = 4
"""The same for products with other groups, which have many irreps of each degree."""


def bands_norm(S: GroupSample, *, degree: int, progress: Progress = silent) -> Norm:
    """The norm of D_S on the irreps of degree at most `degree`."""
    blocks = (block for _, block in band_blocks(S, degree))
    return largest_norm(blocks, total=degree, progress=progress)


def band_levels(S: GroupSample, most: int | None, by: str, progress: Progress) -> Levels:
    """Levels and parts up to degree `most`."""
    highest = band_limit(S.group, most)
    known = exact_squares(S, highest) or {}
    parts: list[Part] = []

    def blocks() -> Iterator[tuple[Degree, Block]]:
        for degree, block in band_blocks(S, highest):
            square = known.get((degree, -1 if block.label.endswith(("-", "det")) else 1))
            if not block.error and not block.values.any():
                square = Fraction(0)
            parts.append(part_of(degree, block, square))
            yield degree, block
            progress(degree, highest)

    norms = largest_norms(blocks())
    return Levels(tuple(levels_of_parts(parts, norms)), tuple(parts), False)


def band_limit(group: Group, most: int | None) -> int:
    """The degree up to which a profile of rotations goes."""
    usual = USUAL_IN_PRODUCTS if group.factors else USUAL_DEGREE
    return usual if most is None else most


def band_blocks(S: Multiset, highest: int) -> Iterator[tuple[int, Block]]:
    """Degree and block of each non-trivial irrep up to this degree; exact zeros have no error."""
    if S.group.factors:
        yield from _of_product(S, highest)
        return
    rows, counts = S.counts()
    group = cast(Rotations, S.group)
    if signed := group.reflections:  # a bit at the end of a row
        share = float(np.dot(counts, 1 - 2 * rows[:, -1])) / S.m  # an integer, divided once
        yield 0, Block("det", np.array([[share]]), UNIT * abs(share))
    yield from (_in_space if group.n == 3 else _in_plane)(S, highest, signed)


def _in_space(S: Multiset, highest: int, signed: bool) -> Iterator[tuple[int, Block]]:
    rows, counts = S.counts()
    zeros = exact_zeros(S, highest)
    cancelled = signed and is_mirrored(rows, counts)
    turns, bits = (rows[:, :-1], rows[:, -1]) if signed else (rows, np.zeros(len(rows)))
    size = 2 * highest + 1
    announce(
        f"the norm of {len(rows)} elements of {S.group.name} to degree {highest}",
        seconds=1e-9 * len(rows) * size**3 + 2e-8 * size**4,
        memory=16.0 * (2 + signed) * size**3 + 16.0 * _BLOCK * size**2,
        instead="lower degree, or use fewer elements.",
    )
    halves = [_moments(turns[bits == 0], counts[bits == 0], S.m, highest)]
    if signed:
        other = (turns[bits == 1], counts[bits == 1], S.m, highest)
        halves.append(halves[0] if cancelled else _moments(*other))
    summed = up(6 * UNIT + 1.5 * gamma(2 * min(len(rows), _BLOCK) + len(rows) // _BLOCK + 6))
    tables = quarter_turns(highest)
    for ell in range(1, highest + 1):
        names = [f"l={ell}{mark}" for mark in ("+-" if signed else [""])]
        zero = np.zeros((2 * ell + 1, 2 * ell + 1))
        if ell in zeros:
            yield from ((ell, Block(name, zero, 0.0)) for name in names)
            continue
        part = slice(highest - ell, highest + ell + 1)
        d = tables[ell]
        means = [np.einsum("km,kn,mkn->mn", d, d, half[part, part, part]) for half in halves]
        error = wigner_rounding(ell, summed)
        if not signed:
            yield ell, Block(names[0], means[0], error)
            continue
        yield ell, Block(names[0], means[0] + means[1], up(2 * error))
        odd = (zero, 0.0) if cancelled else (means[0] - means[1], up(2 * error))
        yield ell, Block(names[1], *odd)


def _moments(turns: Rows, counts: NDArray[Any], m: int, highest: int) -> NDArray[np.complex128]:
    """T_mkn of the elements with these counts, (2L+1, 2L+1, 2L+1)."""
    size = 2 * highest + 1
    total = np.zeros((size * size, size), np.complex128)
    for start in range(0, len(turns), _BLOCK):
        part = slice(start, start + _BLOCK)
        alpha, beta, gamma_ = (phase_powers(phase, highest) for phase in euler_phases(turns[part]))
        pairs = (alpha[:, :, None] * beta[:, None, :]).reshape(-1, size * size)
        total += pairs.T @ (counts[part, None] * gamma_)
    return (total / m).reshape(size, size, size)


def _in_plane(S: Multiset, highest: int, signed: bool) -> Iterator[tuple[int, Block]]:
    """The mean of exp(i k angle); with reflections [[a, b], [b*, a*]], b of the reflected half."""
    rows, counts = S.counts()
    powers = phase_powers(angle_phases(rows[:, 0]), highest)[:, highest + 1 :]
    weights = (counts / S.m)[:, None]
    mirrored = (rows[:, 1] != 0)[:, None] if signed else np.zeros((len(rows), 1), np.bool_)
    a = (powers * np.where(mirrored, 0.0, weights)).sum(axis=0)
    b = (powers * np.where(mirrored, weights, 0.0)).sum(axis=0)
    for k in range(1, highest + 1):
        # a power within k PHASE_ERROR, a weight within u, a product, and the sum
        error = up(k * PHASE_ERROR + gamma(len(rows) + 4))
        if not signed:
            yield k, Block(f"k={k}", a[k - 1].reshape(1, 1), error)
            continue
        matrix = np.array([[a[k - 1], b[k - 1]], [b[k - 1].conj(), a[k - 1].conj()]])
        yield k, Block(f"k={k}", matrix, up(2 * error))


def _of_product(S: Multiset, highest: int) -> Iterator[tuple[int, Block]]:
    """Tensor products of the factors' irreps, degrees adding up."""
    for irrep in islice(S.group.irreps_to(highest), 1, None):
        what = f"an irrep of degree {highest} of {S.group.name}"
        require_work("dimension of an irrep", irrep.dimension, what, remedy="lower degree")
        yield irrep.degree or 0, block_of(S, irrep, *S.counts())


def is_mirrored(rows: Rows, counts: NDArray[Any]) -> bool:
    """Whether S of O(3) has -g as often as g: then every irrep of odd parity has mean 0."""
    proper = rows[:, -1] == 0
    return np.array_equal(rows[proper, :-1], rows[~proper, :-1]) and np.array_equal(
        counts[proper], counts[~proper]
    )
