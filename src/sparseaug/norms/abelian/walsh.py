"""The norm for sign flips, Z_2^d: exact integers, by linear algebra, Walsh-Hadamard or popcount.

The character of a at g is (-1)^(a.g), so m f(a) is m minus twice the number of j with a.g_j odd.
- If the g_1 + g_j do not span Z_2^d over GF(2), some a is orthogonal to all: the norm is 1.
- Few elements: with the bits (g_j)_i, j = 1..m, as a word c_i, the parities of a are the xor of the
  c_i with a_i = 1, and f(a) is a popcount. There is no table of 2^d entries, and d may be 36.
- Many elements: the fast Walsh-Hadamard transform of the table of counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, require_work, silent
from sparseaug._floats import popcount
from sparseaug.norms.norm import Norm, announce, ratio
from sparseaug.qmc.binary import independent
from sparseaug.sampling.sample import GroupSample

LOW_BITS = 14
"""Parities of 2^14 characters, 128 kilobytes a word, stay in cache while the others go by."""

CHUNK = 1 << 9
"""High parts between two reports: 2^23 characters, a few milliseconds."""

TABLE_BITS = 26
"""Largest d for a table of 2^d counts."""


def walsh_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """||D_S|| for Z_2^d: k / m for an exact integer k, rounded outwards.

    Examples:
        >>> import numpy as np
        >>> import sparseaug as sa
        >>> from sparseaug.norms.abelian.walsh import walsh_norm
        >>> rows = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> walsh_norm(sa.GroupSample(sa.sign_flips(3), rows))
        Norm(upper=0.5, lower=0.5, block='chi(0, 0, 1)', failure_probability=0.0)
        >>> walsh_norm(sa.GroupSample(sa.sign_flips(4096), np.eye(64, 4096, dtype=int))).upper
        1.0
    """
    if S.group.order == 1:
        return Norm(0.0, 0.0, "")
    axes = np.flatnonzero(np.array(S.group.radices) == 2)
    bits = S.elements[:, axes].astype(np.uint8)
    if len(independent(integers(np.unique(bits ^ bits[0], axis=0)))) < len(axes):
        return Norm(1.0, 1.0, "one that is constant on S")
    total, rank = _largest(bits, progress)
    frequency = np.zeros(S.group.width, np.int64)
    frequency[axes] = [rank >> i & 1 for i in range(len(axes) - 1, -1, -1)]
    return ratio(total, S.m, f"chi{tuple(frequency.tolist())}")


def hadamard(table: NDArray[np.signedinteger]) -> None:
    """Replace x by y(a) = sum_g (-1)^(a.g) x(g), indices as vectors of bits; a power of two of them.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.abelian.walsh import hadamard
        >>> x = np.array([1, 0, 0, 2])
        >>> hadamard(x); x
        array([ 3, -1, -1,  3])
    """
    width = 1
    while width < table.size:
        pairs = table.reshape(-1, 2, width)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
        width *= 2


def _largest(bits: NDArray[np.uint8], progress: Progress) -> tuple[int, int]:
    """The largest |m f(a)| over a != 0, and the smallest rank of an a that has it."""
    m, d = bits.shape
    words = -(-m // 64)
    if d <= TABLE_BITS and words > 8:  # a word costs as much as three levels of the transform
        return _by_table(bits)
    what = f"the norm on the 2^{d} characters of Z2^{d} at m={m} elements"
    remedy = "restrict it to functions of few coordinates with degree=, or use fewer sign flips"
    require_work("parities", words << d, what, remedy=remedy)
    announce(what, seconds=1.5e-9 * 2.0**d * words, instead=f"{remedy}.")
    return _by_popcount(bits, progress)


def _by_table(bits: NDArray[np.uint8]) -> tuple[int, int]:
    d = bits.shape[1]
    weights = 1 << np.arange(d - 1, -1, -1)
    table = np.bincount(bits @ weights, minlength=1 << d).astype(np.int32)  # all sums within m
    hadamard(table)
    table[0] = 0
    np.abs(table, out=table)
    rank = 1 + int(table[1:].argmax())
    return int(table[rank]), rank


def _by_popcount(bits: NDArray[np.uint8], progress: Progress) -> tuple[int, int]:
    """All 2^d parities: a table of those of the low bits, xor one word for each high part."""
    m, d = bits.shape
    columns = _words(bits)[::-1]  # by place value in the rank
    low_bits = min(d, LOW_BITS)
    low = np.ascontiguousarray(_spans(columns[:low_bits]).T)
    high = _spans(columns[low_bits:])
    parities, counts = np.empty(low.shape[1], np.uint64), np.empty(low.shape[1], np.uint8)
    sums = np.empty(low.shape[1], np.uint8 if m <= 64 else np.uint32)
    best, at = -1, 0
    for number, base in enumerate(high):
        for word, (row, constant) in enumerate(zip(low, base, strict=True)):
            np.bitwise_xor(row, constant, out=parities)
            popcount(parities, out=sums if m <= 64 else counts)
            if m > 64:
                np.add(counts, 0 if word == 0 else sums, out=sums)
        first = int(number == 0)  # the trivial character
        seen = sums[first:]
        value = max(m - 2 * int(seen.min()), 2 * int(seen.max()) - m)
        if value > best:
            sizes = np.abs(m - 2 * seen.astype(np.int64))
            best, at = value, (number << low_bits) + first + int(np.argmax(sizes == value))
        if number % CHUNK == 0:
            progress(number, len(high))
    return best, at


def _spans(columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Xors of all subsets of columns (b, words): shape (2^b, words), subset = binary number."""
    spans = np.zeros((1, columns.shape[1]), np.uint64)
    for column in columns:
        spans = np.concatenate([spans, spans ^ column])
    return spans


def _words(bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Column i of the bits (m, d) as ceil(m / 64) words, the padding 0."""
    m, d = bits.shape
    padded = np.zeros((d, -(-m // 64) * 64), np.uint8)
    padded[:, :m] = bits.T
    return np.packbits(padded, axis=1).view(np.uint64)


def integers(bits: NDArray[np.uint8]) -> Iterator[int]:
    """Rows as integers, the first bit most significant."""
    shift = -bits.shape[1] % 8
    for row in np.packbits(bits, axis=1):
        yield int.from_bytes(row.tobytes(), "big") >> shift
