"""Irreps of rotations: Wigner's matrices D^l of SO(3), frequencies of SO(2), with parities for O(n).

With Euler angles q = R_z(alpha) R_y(beta) R_z(gamma) and d = d^l(pi/2), up to a change of basis

    D^l_mn(q) = sum_k d_km d_kn exp(-i (m alpha + k beta + n gamma)),      m, n, k = -l..l,

as R_y(beta) is R_z(beta) seen from the y-axis. No angle is computed: with s = w + iz and t = y - ix,

    exp(-i alpha) = conj(s t) / |s t|,   exp(-i gamma) = conj(s) t / |s t|,
    exp(-i beta) = (|s| - i|t|)^2 / |q|^2,

and d comes from integers: d_km = 2^-l sqrt(C(2l, l+m) / C(2l, l+k)) K_km, where K_km is the coefficient
of x^(l+k) in (1 + x)^(l+m) (1 - x)^(l-m).

Rounding, to first order in u (the constants are larger by more than the second order):
  d        four roundings and half of one: |error| <= 5 u |d_km|.
  phases   s/|s|: hypot within an ulp, 2 u, and a quotient, by a reciprocal: 4 u; a product of two 3 u
           more: 11 u. exp(-i beta): |s| and |t| within 2 u, their hypot 2 u more, a quotient: 8 u,
           squared 19 u. cos and sin of an angle, within 4 ulp each: 12 u together. All: 20 u.
  powers   by products, 20 u and 3 u more each time: |error| <= 24 u |m| for the m-th one.
  D^l      each term within (24 (|m| + |k| + |n|) + 6) u <= (72 l + 6) u and 10 u for d_km d_kn; the sum
           of 2l + 1 of them within gamma(2l + 5) of the sum of |d_km d_kn|. These sums are the matrix
           |d|^T |d|, of Frobenius norm at most || |d| ||_F^2 = 2l + 1, which is `wigner_rounding`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import UNIT, gamma, up
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import Irrep

HIGHEST_DEGREE = 64
"""Of irreps whose matrices are made: the tables take 3 MB, and rounding stays below 1e-10."""

PHASE_ERROR = 24 * UNIT
"""Of the m-th power of a phase, for each |m|."""

TABLE_ERROR = 5 * UNIT
"""Of an entry of `quarter_turns`, relatively."""

Complex = NDArray[np.complex128]


def quarter_turns(highest: int) -> tuple[NDArray[np.float64], ...]:
    """d^l(pi/2) for l = 0..highest and a few more, indexed [k, m] from -l on.

    Examples:
        >>> from sparseaug.groups.wigner import quarter_turns
        >>> quarter_turns(1)[1].round(3).tolist()
        [[0.5, 0.707, 0.5], [-0.707, 0.0, 0.707], [0.5, -0.707, 0.5]]
    """
    return _tables(next(size for size in (8, 16, 32, HIGHEST_DEGREE) if size >= highest))


@lru_cache(maxsize=4)
def _tables(highest: int) -> tuple[NDArray[np.float64], ...]:
    table = np.ones((1, 1), object)  # K, in Python's integers
    found = [np.ones((1, 1))]
    for ell in range(1, highest + 1):
        size = 2 * ell + 1
        grown = np.zeros((size, size), object)
        grown[: size - 2, 1:-1] += table  # (1 - x^2) times what is there
        grown[2:, 1:-1] -= table
        row = np.array([math.comb(2 * ell, j) for j in range(size)], object)
        grown[:, -1] = row
        grown[:, 0] = row * np.array([(-1) ** j for j in range(size)], object)
        table = grown
        binomials = row.astype(np.float64)
        values = np.sqrt(binomials / binomials[:, None]) * table.astype(np.float64) * 2.0**-ell
        values.flags.writeable = False
        found.append(values)
    return tuple(found)


def euler_phases(q: Rows) -> tuple[Complex, Complex, Complex]:
    """exp(-i alpha), exp(-i beta), exp(-i gamma) of quaternion rows (k, 4)."""
    w, x, y, z = np.asarray(q, np.float64).T
    s, t = w + 1j * z, y - 1j * x
    size_s, size_t = np.hypot(w, z), np.hypot(x, y)
    s = np.where(size_s > 0, s / np.where(size_s > 0, size_s, 1.0), 1.0)
    t = np.where(size_t > 0, t / np.where(size_t > 0, size_t, 1.0), 1.0)
    half = (size_s - 1j * size_t) / np.hypot(size_s, size_t)
    return (s * t).conj(), half * half, s.conj() * t


def phase_powers(phase: Complex, highest: int) -> Complex:
    """phase^m for m = -highest..highest, (k, 2 highest + 1)."""
    powers = np.empty((len(phase), 2 * highest + 1), np.complex128)
    powers[:, highest] = 1.0
    for m in range(1, highest + 1):
        powers[:, highest + m] = powers[:, highest + m - 1] * phase
    powers[:, :highest] = powers[:, :highest:-1].conj()
    return powers


def wigner_rounding(ell: int, summed: float = 0.0) -> float:
    """Frobenius distance of a computed D^l from the true one; `summed` is added to each phase."""
    relative = up((72 * ell + 6) * UNIT + summed) + 2 * TABLE_ERROR + gamma(2 * ell + 5)
    return up((2 * ell + 1) * up(relative * (1 + 2.0**-20)))


def rotation_irreps(n: int, reflections: bool, highest: int) -> Iterator[Irrep]:
    """Irreps of SO(n) or O(n) of degree 0 to `highest`."""
    parities = ((1, "+"), (-1, "-")) if reflections else ((1, ""),)
    for sign, mark in parities:
        yield Irrep(f"{'l' if n == 3 else 'k'}=0{mark}", 1, partial(_parity, sign), 0.0, 0)
    for ell in range(1, highest + 1):
        if n == 3:
            for sign, mark in parities:
                matrices = partial(_wigner, ell, sign)
                yield Irrep(f"l={ell}{mark}", 2 * ell + 1, matrices, wigner_rounding(ell), ell)
            continue
        for k, name in (
            ((ell, f"k={ell}"),) if reflections else ((ell, f"k=+{ell}"), (-ell, f"k=-{ell}"))
        ):
            yield Irrep(
                name, 1 + reflections, partial(_turn, k, reflections), 4 * PHASE_ERROR * ell, ell
            )


def _wigner(ell: int, sign: int, elements: Rows) -> NDArray[Any]:
    """D^l times sign^bit."""
    bits = elements[:, 4:].any(axis=1)
    d = quarter_turns(ell)[ell]
    alpha, beta, gamma_ = (phase_powers(p, ell) for p in euler_phases(elements[:, :4]))
    middle = (d.T * beta[:, None, :]) @ d
    signs = np.where(bits, float(sign), 1.0)[:, None, None]
    return signs * alpha[:, :, None] * middle * gamma_[:, None, :]


def _parity(sign: int, elements: Rows) -> NDArray[Any]:
    """1, or the determinant, of rows with a bit at the end."""
    bits = elements[:, -1]
    return np.where((bits == 1) & (sign < 0), -1.0, 1.0)[:, None, None]


def _turn(k: int, reflections: bool, elements: Rows) -> NDArray[Any]:
    """exp(i k angle); with reflections it and its conjugate on the diagonal, or off it."""
    phase = phase_powers(angle_phases(elements[:, 0]), abs(k))
    value = phase[:, -1] if k > 0 else phase[:, 0]
    if not reflections:
        return value[:, None, None]
    result = np.zeros((len(elements), 2, 2), np.complex128)
    rows = np.arange(len(elements))
    swapped = (elements[:, 1] != 0).astype(np.int64)
    result[rows, 0, swapped] = value
    result[rows, 1, 1 - swapped] = value.conj()
    return result


def angle_phases(angle: NDArray[np.float64]) -> Complex:
    """exp(i angle)."""
    return np.cos(angle) + 1j * np.sin(angle)
