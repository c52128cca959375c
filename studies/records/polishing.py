"""Rotations in 30 digits and more: solutions polished, in fixed point arithmetic on integers.

Entries of Wigner's matrices are at most 1, so that integers over 2^140 hold them, and products of
matrices of such integers are exact but for one rounding each. Newton's step is solved in floats: each
gains some ten digits.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, TypeAlias

import mpmath as mp
import numpy as np

from studies.records.turning import DIGITS, Array, System, fixed, inverse, precise_group, product

SCALE = 140

Fixed: TypeAlias = tuple[Any, Any]
"""Real and imaginary part, arrays of integers over 2^140."""


def polished(system: System, t: Array, *, rounds: int = 25) -> tuple[Array, float]:
    """The solution near t in precise numbers, and the largest residual there.

    At a double root a step halves the error, and the residual falls to a quarter.
    """
    with mp.workdps(DIGITS):
        t = system.with_images(np.array([[mp.mpf(x) for x in q] for q in t]))
        for _ in range(rounds):
            t = np.array([q / mp.sqrt(np.dot(q, q)) for q in t])
            r = residual(system, t)
            if abs(r).max() < 1e-22:
                break
            solver = np.linalg.pinv(system.values(t.astype(np.float64)[None])[1][0], rcond=1e-12)
            step = np.tile(-solver @ r, system.copies)
            for i, size, row in zip(system.owner, step, system.direction, strict=True):
                t[i] = product(t[i], np.array([mp.mpf(1), *(mp.mpf(x * size / 2) for x in row)]))
        return t, float(abs(r).max())


def residual(system: System, t: Array) -> Array:
    """The equations of the system at precise quaternions; small numbers, so that floats hold them."""
    with mp.workdps(DIGITS):
        phases = [_phases(q, system.degree) for q in t]
        others = [_phases(inverse(q), system.degree) for q in t]
        found = []
        for ell, _, _ in system.parts:
            Q, P = _fixed(system.left, ell), _fixed(system.right, ell)
            flip = P[0].shape[1] > Q[0].shape[1]  # from the side of fewer columns
            start, end, turns = (Q, P, others) if flip else (P, Q, phases)
            total: Any = 0
            for powers, size in zip(turns, system.sizes.tolist(), strict=True):
                real, _ = _times(_adjoint(end), _wigner(powers, start, ell))
                total = total + size * (real.T if flip else real)
            floats = np.array([float(mp.mpf(int(x)) / 2**SCALE) for x in total.ravel()])
            found.append(floats * math.sqrt(2 * ell + 1) / system.m)
        return np.concatenate(found)


def _integer(x: Any) -> int:
    return int(mp.nint(x * mp.mpf(2) ** SCALE))


def _times(a: Fixed, b: Fixed) -> Fixed:
    (p, q), (r, s) = a, b
    return (p @ r - q @ s) >> SCALE, (p @ s + q @ r) >> SCALE


def _scaled(a: Fixed, b: Fixed) -> Fixed:
    """Rows of b times the entries of a."""
    (p, q), (r, s) = a, b
    p, q = p[:, None], q[:, None]
    return (p * r - q * s) >> SCALE, (p * s + q * r) >> SCALE


def _adjoint(a: Fixed) -> Fixed:
    return a[0].T, -a[1].T


def _phases(q: Array, degree: int) -> list[Fixed]:
    """exp(-i m a) of the three angles of Euler, m = degree, ..., -degree."""
    w, x, y, z = q
    total, apart = 2 * mp.atan2(z, w), 2 * mp.atan2(-x, y)
    beta = 2 * mp.atan2(mp.hypot(x, y), mp.hypot(w, z))
    found = []
    for angle in ((total + apart) / 2, beta, (total - apart) / 2):
        powers = [mp.expj(-m * angle) for m in range(degree, -degree - 1, -1)]
        real, imaginary = ([_integer(part) for part in parts] for parts in _parts(powers))
        found.append((np.array(real, object), np.array(imaginary, object)))
    return found


def _parts(numbers: list[Any]) -> tuple[list[Any], list[Any]]:
    return [mp.re(x) for x in numbers], [mp.im(x) for x in numbers]


def _wigner(powers: list[Fixed], columns: Fixed, degree: int) -> Fixed:
    """D^l(t) times the columns, D = exp(-i alpha J_z) W exp(-i beta J_z) W' exp(-i gamma J_z)."""
    highest = len(powers[0][0]) // 2
    part = slice(highest - degree, highest + degree + 1)
    alpha, beta, gamma = ((real[part], imaginary[part]) for real, imaginary in powers)
    W = _tilt(degree)
    inner = _scaled(beta, _times(_adjoint(W), _scaled(gamma, columns)))
    return _scaled(alpha, _times(W, inner))


@cache
def _tilt(degree: int) -> Fixed:
    """The eigenvectors of J_y: z(pi/2) y(pi/2), that is (-i)^m d^l_mk(pi/2)."""
    weights = range(degree, -degree - 1, -1)
    real = np.zeros((2 * degree + 1,) * 2, object)
    imaginary = real.copy()
    f = math.factorial
    with mp.workdps(DIGITS):
        for i, m in enumerate(weights):
            for j, k in enumerate(weights):
                total = mp.mpf(0)
                for s in range(max(0, k - m), min(degree + k, degree - m) + 1):
                    below = f(degree + k - s) * f(s) * f(m - k + s) * f(degree - m - s)
                    total += mp.mpf((-1) ** (m - k + s)) / below
                above = f(degree + m) * f(degree - m) * f(degree + k) * f(degree - k)
                value = _integer(total * mp.sqrt(above) / 2**degree)
                real[i, j] = (value, 0, -value, 0)[m % 4]
                imaginary[i, j] = (0, -value, 0, value)[m % 4]
    return real, imaginary


@cache
def _fixed(name: str, degree: int) -> Fixed:
    """The columns of `turning.fixed`, projected once more in precise numbers."""
    with mp.workdps(DIGITS):
        floats = fixed(name, degree)
        real, imaginary = (
            np.array([[_integer(mp.mpf(x)) for x in row] for row in part.tolist()], object).reshape(
                floats.shape
            )
            for part in (floats.real, floats.imag)
        )
        sums: Fixed = (0, 0)
        H = precise_group(name)
        for h in H:
            turned = _wigner(_phases(h, degree), (real, imaginary), degree)
            sums = (sums[0] + turned[0], sums[1] + turned[1])
        return sums[0] // len(H), sums[1] // len(H)
