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

Quaternions (w, x, y, z) as rows: what stands for a rotation of space, and what is done with it.

A non-zero quaternion q turns v to q v q^-1, and all its multiples turn alike. The row of a rotation is
a unit quaternion, or one of coprime integers of at most 2^26, which then is exact: (1, 2, 0, 0) is
(1 + 2i)/sqrt(5). Its first non-zero entry is positive, and no entry is closer to 0 than 2^-400
without being 0. Whatever the row, the element is the row over its length, in real arithmetic.

Only +, -, *, / and roots are used, which IEEE arithmetic rounds in one way: the bits are the same on
every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import UNIT, gamma, up
from sparseaug.errors import ElementError, GroupTooLargeError, shorten
from sparseaug.groups.permutations import Rows
from sparseaug.groups.representations import Irrep
from sparseaug.groups.rows import real_array

HIGHEST_DEGREE = 64
"""Of irreps whose matrices are made: the tables take 3 MB, and rounding stays below 1e-10."""

PHASE_ERROR = 24 * UNIT
"""Of the m-th power of a phase, for each |m|."""

TABLE_ERROR = 5 * UNIT
"""Of an entry of `quarter_turns`, relatively."""

Complex = NDArray[np.complex128]


def require_degree(degree: int) -> None:
    """Raise a `GroupTooLargeError` above `HIGHEST_DEGREE`."""
    if degree > HIGHEST_DEGREE:
        raise GroupTooLargeError(
            f"degree={shorten(degree)} is above {HIGHEST_DEGREE}, up to which the irreps of rotations "
            "are computed; give a smaller degree."
        )


def quarter_turns(highest: int) -> tuple[NDArray[np.float64], ...]:
    """d^l(pi/2) for l = 0..highest and a few more, indexed [k, m] from -l on.

    Examples:
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
    for ell in range(highest + 1):
        if n == 2 and ell > 0:
            yield from _frequencies(ell, reflections)
            continue
        for sign, mark in parities:
            if ell:
                matrices = Wigner(ell, sign, reflections)
                yield Irrep(f"l={ell}{mark}", 2 * ell + 1, matrices, wigner_rounding(ell), ell)
            else:
                name = f"{'l' if n == 3 else 'k'}=0{mark}"
                width = (4 if n == 3 else 1) + reflections
                yield Irrep(name, 1, Parity(sign, width), 0.0, 0)


def _frequencies(k: int, reflections: bool) -> Iterator[Irrep]:
    rounding = 4 * PHASE_ERROR * k
    if reflections:
        yield Irrep(f"k={k}", 2, Frequency(k, True), rounding, k)
        return
    for frequency in (k, -k):
        yield Irrep(f"k={frequency:+d}", 1, Frequency(frequency, False), rounding, k)


@dataclass(frozen=True)
class Wigner:
    """D^l times sign^bit."""

    ell: int
    sign: int
    reflections: bool

    def __call__(self, elements: Rows) -> NDArray[Any]:
        elements = _checked(elements, 4 + self.reflections)
        turns = elements[:, :-1] if self.reflections else elements
        bits = elements[:, -1] if self.reflections else np.zeros(len(elements))
        signs = np.where(bits != 0, float(self.sign), 1.0)[:, None, None]
        d = quarter_turns(self.ell)[self.ell]
        alpha, beta, gamma_ = (phase_powers(p, self.ell) for p in euler_phases(turns))
        middle = (d.T * beta[:, None, :]) @ d
        return signs * alpha[:, :, None] * middle * gamma_[:, None, :]


@dataclass(frozen=True)
class Parity:
    """1, or the determinant, of rows with a bit at the end."""

    sign: int
    width: int

    def __call__(self, elements: Rows) -> NDArray[Any]:
        bits = _checked(elements, self.width)[:, -1]
        return np.where((bits == 1) & (self.sign < 0), -1.0, 1.0)[:, None, None]


@dataclass(frozen=True)
class Frequency:
    """exp(i k angle); with reflections it and its conjugate on the diagonal, or beside it."""

    k: int
    reflections: bool

    def __call__(self, elements: Rows) -> NDArray[Any]:
        elements = _checked(elements, 1 + self.reflections)
        phase = phase_powers(angle_phases(elements[:, 0]), abs(self.k))
        value = phase[:, -1] if self.k > 0 else phase[:, 0]
        if not self.reflections:
            return value[:, None, None]
        result = np.zeros((len(elements), 2, 2), np.complex128)
        rows = np.arange(len(elements))
        swapped = (elements[:, 1] != 0).astype(np.int64)
        result[rows, 0, swapped] = value
        result[rows, 1, 1 - swapped] = value.conj()
        return result


def _checked(elements: Rows, width: int) -> Rows:
    """Rows (k, width) of finite numbers, quaternions other than 0; an `ElementError` otherwise."""
    rows = real_array("elements", elements, ElementError)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ElementError(f"elements has shape {rows.shape}; give rows of shape (k, {width}).")
    sizes = abs(rows[:, :4]).max(axis=1, initial=0.0)
    if not np.isfinite(rows).all() or (
        width > 2 and ((sizes == 0) | (sizes > LARGEST_INTEGER)).any()
    ):
        raise ElementError("elements has rows that are not finite, 0 or too large; see contains().")
    return rows


def angle_phases(angle: NDArray[np.float64]) -> Complex:
    """exp(i angle)."""
    return np.cos(angle) + 1j * np.sin(angle)


Quaternions: TypeAlias = NDArray[np.float64]

LARGEST_INTEGER = 1 << 26
"""Entries of integer rows: sums of four products of two are exact."""

LEAST = 2.0**-400
"""Squares of entries stay in the range of a float, and relative errors mean something."""

# A unit row q/|q| as computed: |q|^2 is a sum of four squares, within gamma(4), its root within
# gamma(4)/2 + u, each quotient within u more, so that the squared length of the row is within
# 2 (2 u + u + u) = 8 u of 1 to first order; computing it again adds gamma(4).
_UNIT_WITHIN = 16 * UNIT


def multiplied(a: Quaternions, b: Quaternions) -> Quaternions:
    """The products ab (..., 4), neither normalised nor signed."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    s, t, u, v = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * s - x * t - y * u - z * v,
            w * t + x * s + y * v - z * u,
            w * u - x * v + y * s + z * t,
            w * v + x * u - y * t + z * s,
        ],
        axis=-1,
    )


def composed(a: Quaternions, b: Quaternions) -> Quaternions:
    """The rows of the products: integers where both are and the result is small enough."""
    exact = are_integers(a) & are_integers(b)
    with np.errstate(all="ignore"):
        product = multiplied(a, b)
    rows = unit(product)
    exact = np.broadcast_to(exact, rows.shape[:-1])
    if exact.any():
        whole = np.where(exact[..., None], product, 0.0).astype(np.int64)  # below 2^54: exact
        whole //= np.maximum(1, np.gcd.reduce(whole, axis=-1))[..., None]
        small = exact & (abs(whole) <= LARGEST_INTEGER).all(axis=-1)
        rows = np.where(small[..., None], whole.astype(np.float64), rows)
    return signed(rows)


def unit(q: Quaternions) -> Quaternions:
    """q over its length, however long it is; entries that are as good as 0 become 0."""
    with np.errstate(all="ignore"):  # of rows that are no elements: compose does not check
        q = q / abs(q).max(axis=-1, keepdims=True)
        q = np.where(abs(q) < 2 * LEAST, 0.0, q)
        return q / np.sqrt(squared_length(q))[..., None]


def squared_length(q: Quaternions) -> NDArray[np.float64]:
    """The squared lengths, summed in one order."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.asarray(w * w + x * x + y * y + z * z)


def signed(q: Quaternions) -> Quaternions:
    """q or -q, the one whose first non-zero entry is positive; no zero has a sign."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    first = np.where(w != 0, w, np.where(x != 0, x, np.where(y != 0, y, z)))
    return np.where(first < 0, -1.0, 1.0)[..., None] * q + 0.0


def are_integers(q: Quaternions) -> NDArray[np.bool_]:
    """Which rows (..., 4) are of integers."""
    return ((q == np.rint(q)) & (abs(q) <= LARGEST_INTEGER)).all(axis=-1)


def are_rows(q: Quaternions) -> NDArray[np.bool_]:
    """Which quaternions (k, 4) are rows of elements."""
    sound = (np.isfinite(q) & ((abs(q) >= LEAST) | (q == 0)) & (abs(q) <= LARGEST_INTEGER)).all(
        axis=-1
    )
    q = np.where(sound[:, None], q, 0.0)
    w, x, y, z = q.T
    first = np.where(w != 0, w, np.where(x != 0, x, np.where(y != 0, y, z)))
    sound &= (first > 0) & ~(np.signbit(q) & (q == 0)).any(axis=-1)
    coprime = are_integers(q)
    coprime &= np.gcd.reduce(np.where(coprime[:, None], q, 0.0).astype(np.int64), axis=-1) == 1
    return sound & (coprime | (abs(squared_length(q) - 1.0) <= _UNIT_WITHIN))


def conjugate(q: Quaternions) -> Quaternions:
    """The rows of the inverses: exact."""
    return signed(q * np.array([1.0, -1.0, -1.0, -1.0]))


def uniform(k: int, rng: np.random.Generator) -> Quaternions:
    """Rows of k rotations, uniform up to the 2^-52 between neighbouring coordinates.

    Marsaglia, "Choosing a point from the surface of a sphere" (1972): (a, b) and (c, d) uniform in the
    unit disc, found by rejection from the square, give (a, b, c r, d r) with
    r^2 = (1 - a^2 - b^2) / (c^2 + d^2).
    """
    a, b = _disc(k, rng)
    c, d = _disc(k, rng)
    stretch = np.sqrt((1.0 - (a * a + b * b)) / (c * c + d * d))
    return signed(unit(np.stack([a, b, c * stretch, d * stretch], axis=-1)))


def _disc(k: int, rng: np.random.Generator) -> Any:
    """k points of the open unit disc without its centre, (2, k), from pairs of 53-bit numbers."""
    words = rng.integers(0, 1 << 64, (2, k), np.uint64) >> np.uint64(11)
    points = words.astype(np.float64) * 2.0**-52 - 1.0
    squares = points[0] * points[0] + points[1] * points[1]
    refused = (squares >= 1.0) | (squares == 0.0)
    if refused.any():
        points[:, refused] = _disc(int(refused.sum()), rng)
    return points


# Every entry is a sum of four terms over |q|^2, the absolute values of which add up to |q|^2 at most:
# gamma(4) for the sum, one product more, gamma(4) for |q|^2, u for the quotient.
MATRIX_WITHIN = 12 * UNIT
"""Of every entry of `matrices`."""


def matrices(q: Quaternions) -> NDArray[np.float64]:
    """The matrices (..., 3, 3) of v -> q v q^-1, each entry within `MATRIX_WITHIN`."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    stacked = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    return stacked / squared_length(q)[..., None, None]


def from_matrices(r: NDArray[np.float64]) -> Quaternions:
    """Rows of the rotations nearest to these proper matrices (k, 3, 3).

    The columns of the matrix below are multiples of q by its entries; the longest is best (Shepperd,
    "Quaternion from rotation matrix", 1978).
    """
    trace = r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2]
    table = np.empty((len(r), 4, 4))
    table[:, 0, 0] = 1.0 + trace
    table[:, 0, 1:] = np.stack(
        [r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=-1
    )
    table[:, 1:, 0] = table[:, 0, 1:]
    table[:, 1:, 1:] = r + r.swapaxes(1, 2) + (1.0 - trace)[:, None, None] * np.eye(3)
    best = np.argmax(np.diagonal(table, axis1=1, axis2=2), axis=1)
    return signed(unit(table[np.arange(len(r)), :, best]))
