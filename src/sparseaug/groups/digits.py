"""Mixed-radix digits: exactly uniform ones from raw random words, and their numbers.

Only full-range 64-bit words are drawn, which are the bit generator's own: a draw depends on its stream,
which NumPy promises never to change, and on nothing else.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
