"""The Walsh-Hadamard transform of integers in place, blocked so that each pass stays in cache."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CACHE = 1 << 16
"""Entries worked on at a time."""


def hadamard(table: NDArray[np.signedinteger]) -> None:
    """Replace x by y(a) = sum_g (-1)^(a.g) x(g), indices as vectors of bits; a power of two of them.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.abelian.hadamard import hadamard
        >>> x = np.array([1, 0, 0, 2])
        >>> hadamard(x); x
        array([ 3, -1, -1,  3])
    """
    if table.size <= CACHE:
        _in_cache(table)
        return
    rows = table.reshape(-1, CACHE)
    for row in rows:
        _in_cache(row)
    width = max(16, CACHE // len(rows))
    for start in range(0, CACHE, width):
        strip = rows[:, start : start + width].copy()
        _down_the_columns(strip)
        rows[:, start : start + width] = strip


def _in_cache(x: NDArray[np.signedinteger]) -> None:
    # Long inner loops in both halves of the bits: transpose in between.
    square = x.reshape(1 << (x.size.bit_length() - 1) // 2, -1)
    _down_the_columns(square)
    turned = square.T.copy()
    _down_the_columns(turned)
    square[:] = turned.T


def _down_the_columns(x: NDArray[np.signedinteger]) -> None:
    """Transform the first axis of a contiguous array (2^a, width)."""
    count, width = x.shape
    while count > 1:
        pairs = x.reshape(count // 2, 2, width)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
        count, width = count // 2, 2 * width
