"""Zeros by integer counts, written from the definitions and sharing nothing with the library."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np


def is_transitive(rows, t, *, most=None):
    """Whether every ordered t-tuple of points goes to every ordered t-tuple equally often.

    `most` looks at a fixed spread of so many tuples, where all of them take too long for every run.
    """
    m, n = rows.shape
    total = math.perm(n, t)
    if m % total:
        return False
    tuples = np.array(list(permutations(range(n), t)))
    if most is not None and len(tuples) > most:
        tuples = tuples[np.random.default_rng(0).choice(len(tuples), most, replace=False)]
    possible = np.zeros(n**t, bool)
    possible[_codes(np.array(list(permutations(range(n), t))), n)] = True
    return all(
        np.array_equal(
            np.bincount(_codes(rows[:, places], n), minlength=n**t), possible * (m // total)
        )
        for places in tuples
    )


def _codes(tuples, n):
    return tuples @ n ** np.arange(tuples.shape[1])


def has_strength(bits, t):
    """Whether every character of weight 1..t sums to 0 over the rows, in integers."""
    signs = (1 - 2 * bits).astype(np.float64)  # sums below 2^53: exact
    return all(_largest_sum(signs, w) == 0 for w in range(1, t + 1))


def _largest_sum(signs, weight):
    """The largest |sum_j chi(g_j)| over the characters of this weight.

    Halves: products of weight // 2 columns against products of the rest; a product of two that share
    columns has a smaller weight, or is 1, and is left out where it is.
    """
    d = signs.shape[1]
    if weight == 1:
        return abs(signs.sum(axis=0)).max()
    left = list(combinations(range(d), weight // 2))
    right = list(combinations(range(d), weight - weight // 2))
    a = np.stack([signs[:, c].prod(axis=1) for c in left], axis=1)
    largest = 0.0
    step = max(1, (1 << 24) // max(len(left), len(signs)))
    for at in range(0, len(right), step):
        part = right[at : at + step]
        b = np.stack([signs[:, c].prod(axis=1) for c in part], axis=1)
        sums = abs(a.T @ b)
        apart = _apart(left, part, d)
        largest = max(largest, float((sums * apart).max()))
    return largest


def _apart(left, right, d):
    def members(sets):
        table = np.zeros((len(sets), d), np.float32)
        for row, chosen in zip(table, sets, strict=True):
            row[list(chosen)] = 1
        return table

    return members(left) @ members(right).T == 0


def is_balanced(columns, levels, t):
    """Whether in any t columns every combination of levels occurs equally often."""
    for chosen in combinations(range(len(levels)), min(t, len(levels))):
        size = int(np.prod([levels[c] for c in chosen]))
        codes = np.zeros(len(columns), np.int64)
        for c in chosen:
            codes = codes * levels[c] + columns[:, c]
        if len(set(np.bincount(codes, minlength=size).tolist())) > 1:
            return False
    return True


def parity(row):
    """0 for an even permutation, by inversions."""
    return int(sum(row[i] > row[j] for i in range(len(row)) for j in range(i + 1, len(row)))) % 2
