"""Quaternions (w, x, y, z) as rows: what stands for a rotation of space, and what is done with it.

A non-zero quaternion q turns v to q v q^-1, and all its multiples turn alike. The row of a rotation is
a unit quaternion, or one of coprime integers of at most 2^26, which then is exact: (1, 2, 0, 0) is
(1 + 2i)/sqrt(5). Its first non-zero entry is positive, and no entry is closer to 0 than 2^-400
without being 0. Whatever the row, the element is the row over its length, in real arithmetic.

Only +, -, *, / and roots are used, which IEEE arithmetic rounds in one way: the bits are the same on
every machine.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import UNIT

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
