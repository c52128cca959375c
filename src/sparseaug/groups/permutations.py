"""Permutations as image arrays, and their digits by the Fisher-Yates shuffle.

The shuffle swaps, for i = n-1, ..., 1, entry i with entry i - d_i where 0 <= d_i <= i; the n! digit
vectors give the n! permutations, each once (Myrvold and Ruskey, "Ranking and unranking permutations
in linear time", IPL 2001). The number of digits that are not zero has the permutation's parity.

Mixed-radix digits: exactly uniform ones from raw random words, and their numbers.

Only full-range 64-bit words are drawn, which are the bit generator's own: a draw depends on its stream,
which NumPy promises never to change, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


def shuffle(digits: Rows, n: int) -> Rows:
    """Permutations (k, n) with digits (n-1, k), the digit of i = n-1 first."""
    k = digits.shape[1]
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


def compose_permutations(a: Rows, b: Rows) -> Rows:
    """(ab)(i) = a(b(i)), any leading shape, broadcast."""
    if a.shape == b.shape and a.ndim == 2:
        offset = np.arange(0, a.size, a.shape[1])[:, None] if a.shape[1] else 0
        places: Rows = b + offset
        return np.take(np.ascontiguousarray(a), places)
    if a.size == a.shape[-1] and a.ndim <= b.ndim:  # one permutation after all of b
        return np.take(a.reshape(-1), b)
    a, b = np.broadcast_arrays(a, b)
    return np.take_along_axis(a, b, axis=-1)


def invert_permutations(a: Rows) -> Rows:
    """The inverse image arrays, any leading shape."""
    inverse = np.zeros_like(a)
    np.put_along_axis(inverse, a, np.arange(a.shape[-1]), axis=-1)
    return inverse


def are_permutations(rows: Rows) -> NDArray[np.bool_]:
    """For each row, whether it lists 0..n-1 once each."""
    return np.logical_and.reduce(np.sort(rows, axis=1) == np.arange(rows.shape[1]), axis=1)


Rows: TypeAlias = NDArray[Any]
"""A batch of elements (k, width): int64, and float64 for rotations."""


def uniform_digits(radices: Rows, k: int, rng: np.random.Generator) -> Rows:
    """k independent digit vectors, shape (L, k): digit i is exactly uniform on 0..radices[i]-1."""
    shape = (len(radices), k)
    narrow = radices < 1 << 32
    if narrow.all():
        return _narrow(np.broadcast_to(radices[:, None], shape), rng)
    digits = np.empty(shape, np.int64)
    digits[narrow] = _narrow(np.broadcast_to(radices[narrow, None], (narrow.sum(), k)), rng)
    digits[~narrow] = _wide(np.broadcast_to(radices[~narrow, None], ((~narrow).sum(), k)), rng)
    return digits


def rank_of_digits(radices: Rows, digits: Rows) -> Rows:
    """The number with these digits (L, k), first digit most significant."""
    ranks = np.zeros(digits.shape[1], np.int64)
    for radix, digit in zip(radices, digits, strict=True):
        ranks = ranks * radix + digit
    return ranks


def digits_of_rank(radices: Rows, ranks: Rows) -> Rows:
    """Digits (L, k) of these numbers; the inverse of `rank_of_digits`."""
    digits = np.empty((len(radices), len(ranks)), np.int64)
    for i in range(len(radices) - 1, -1, -1):
        ranks, digits[i] = np.divmod(ranks, radices[i])
    return digits


def _narrow(radices: Rows, rng: np.random.Generator) -> Rows:
    """Lemire, "Fast random integer generation in an interval" (ACM TOMACS 2019), 32-bit words.

    A word w gives the digit floor(w r / 2^32). Each digit is hit by floor(2^32 / r) words or one
    more; refusing those with (w r mod 2^32) < (2^32 mod r) leaves exactly floor(2^32 / r) for each.
    """
    count = radices.size
    words = rng.integers(0, 1 << 64, (count + 1) // 2, np.uint64).astype("<u8", copy=False)
    product = words.view("<u4")[:count].reshape(radices.shape) * radices.view(np.uint64)
    digits = (product >> np.uint64(32)).view(np.int64)
    remainder = product.astype(np.uint32)
    # 2^32 mod r < r: nearly every batch passes this cheaper test, which needs no division
    if count and remainder.min() < radices.max():
        refused = remainder < (1 << 32) % radices
        if refused.any():
            digits[refused] = _narrow(radices[refused], rng)
    return digits


def _wide(radices: Rows, rng: np.random.Generator) -> Rows:
    """Radices of 33 to 62 bits: cut a 64-bit word to the radix's bits, refuse what is too large."""
    bits = np.ceil(np.log2(radices)).astype(np.uint64) + np.uint64(1)  # log2 may be rounded down
    words = rng.integers(0, 1 << 64, radices.shape, np.uint64)
    digits = (words >> (np.uint64(64) - bits)).view(np.int64)
    refused = digits >= radices
    if refused.any():
        digits[refused] = _wide(radices[refused], rng)
    return digits


def fixed_points(rows: Rows, powers: int) -> Iterator[Rows]:
    """How many points q, q^2, ... fix, for each row q."""
    count, n = rows.shape
    # one row after the other in one flat array, of 32 bits where they are enough: twice as fast
    dtype = np.int32 if count * n < 1 << 31 else np.int64
    starts = np.arange(0, count * n, n, dtype=dtype)[:, None] if count else np.zeros((0, 1), dtype)
    images = (rows.astype(dtype) + starts).ravel()
    points = (np.arange(n, dtype=dtype) + starts).ravel()
    power, ones = images, np.ones(n, np.float32)
    for k in range(powers):
        if k:
            power = images.take(power)
        yield ((power == points).reshape(count, n).astype(np.float32) @ ones).astype(np.int64)
