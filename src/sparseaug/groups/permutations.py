"""Permutations as image arrays, and their digits by the Fisher-Yates shuffle.

The shuffle swaps, for i = n-1, ..., 1, entry i with entry i - d_i where 0 <= d_i <= i; the n! digit
vectors give the n! permutations, each once (Myrvold and Ruskey, "Ranking and unranking permutations
in linear time", IPL 2001). The number of digits that are not zero has the permutation's parity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.digits import Rows

# Permutations made at once up to which Python's own lists are faster: a step costs up to 0.5 us for
# each, and in NumPy 8 us for all of them.
_FEW = 16


def shuffle(digits: Rows, n: int) -> Rows:
    """Permutations (k, n) with digits (n-1, k), the digit of i = n-1 first."""
    k = digits.shape[1]
    if k <= _FEW:
        return np.array([_shuffled(row, n) for row in digits.T.tolist()], np.int64).reshape(k, n)
    columns = np.empty((n, k), np.int64)
    columns[:] = np.arange(n)[:, None]
    flat, lane = columns.reshape(-1), np.arange(k)
    source, moved = np.empty(k, np.int64), np.empty(k, np.int64)
    for digit, i in zip(digits, range(n - 1, 0, -1), strict=True):
        np.multiply(digit, -k, out=source)
        source += lane
        source += i * k
        np.take(flat, source, out=moved, mode="clip")  # "clip" lets take write without a buffer
        flat[source] = columns[i]
        columns[i] = moved
    return np.ascontiguousarray(columns.T)


def unshuffle(permutations: Rows) -> Rows:
    """Digits (n-1, k) of permutations (k, n), the inverse of `shuffle`."""
    k, n = permutations.shape
    if k <= _FEW:
        rows = [_unshuffled(row) for row in permutations.tolist()]
        return np.ascontiguousarray(np.array(rows, np.int64).reshape(k, max(n - 1, 0)).T)
    lane = np.arange(k)
    at = np.tile(np.arange(n)[:, None], (1, k))  # what stands at each place so far
    place = at.copy()  # where each value stands so far
    digits = np.empty((max(n - 1, 0), k), np.int64)
    for step, i in enumerate(range(n - 1, 0, -1)):
        j = place[permutations[:, i], lane]
        digits[step] = i - j
        displaced = at[i].copy()
        at[j, lane] = displaced
        place[displaced, lane] = j
    return digits


def _shuffled(digits: list[int], n: int) -> list[int]:
    image = list(range(n))
    for i, digit in zip(range(n - 1, 0, -1), digits, strict=True):
        j = i - digit
        image[i], image[j] = image[j], image[i]
    return image


def _unshuffled(permutation: list[int]) -> list[int]:
    """Stand each value where it belongs, last place first, and note how far it came."""
    at = list(range(len(permutation)))
    place = at.copy()
    digits = []
    for i in range(len(permutation) - 1, 0, -1):
        j = place[permutation[i]]
        digits.append(i - j)
        at[j] = at[i]
        place[at[j]] = j
    return digits


_SORTED = 32  # entries up to which sorting a row is faster than scattering it


def compose_permutations(a: Rows, b: Rows) -> Rows:
    """(ab)(i) = a(b(i)), any leading shape, broadcast."""
    if a.shape == b.shape and a.ndim == 2:
        offset = np.arange(0, a.size, a.shape[1])[:, None] if a.shape[1] else 0
        places: Rows = b + offset
        return np.take(np.ascontiguousarray(a), places)
    a, b = np.broadcast_arrays(a, b)
    return np.take_along_axis(a, b, axis=-1)


def invert_permutations(a: Rows) -> Rows:
    """The inverse image arrays, any leading shape."""
    if a.shape[-1] <= _SORTED:
        return np.argsort(a, axis=-1)  # faster than scattering, and never undefined
    inverse = np.zeros_like(a)
    np.put_along_axis(inverse, a, np.arange(a.shape[-1]), axis=-1)
    return inverse


def are_permutations(rows: Rows) -> NDArray[np.bool_]:
    """For each row, whether it lists 0..n-1 once each."""
    return np.logical_and.reduce(np.sort(rows, axis=1) == np.arange(rows.shape[1]), axis=1)
