"""Permutations that move ordered pairs almost evenly, by guided exchange of one permutation at a time.

Functions of ordered pairs split into even ones, f(i, j) = f(j, i), and odd ones: two matrices M of
n(n-1)/2 rows. The energy is the sum of their tr (M' M)^p. To first order a permutation g changes it by
2p times the sum over pairs of Q[g(i, j), (i, j)], Q = M (M' M)^(p-1): a quadratic assignment, which
exchanges of two images bring down.
"""

from __future__ import annotations

import time

import numpy as np
from numba import njit

from studies.records import Rows


def search(
    n: int, m: int, seed: int, seconds: float, start: Rows | None = None
) -> tuple[Rows, float]:
    """The best m permutations of n points found in this time, and their norm."""
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    best, least = np.tile(np.arange(n), (m, 1)), 1.0
    cost = 3e-6 + 8e-9 * (n * (n - 1) / 2) ** 3  # of a step, roughly
    while (left := end - time.monotonic()) > 0:
        old = start is not None and rng.random() < 0.5
        first = start if old else np.stack([rng.permutation(n) for _ in range(m)])
        heat = (0.002 if old else 0.02) * rng.random() ** 2
        steps = int(min(10 ** rng.uniform(3, 5), left / cost)) + 10
        rows, value = _exchange(
            np.ascontiguousarray(first, np.int64), steps, heat, 5 if old else int(rng.integers(2, 4)),
            rng,
        )  # fmt: skip
        if value < least - 1e-10 and len(np.unique(rows, axis=0)) == m:
            best, least = rows, value
            start = rows
    return best, least


@njit(cache=True)
def _pair(i, j, n):  # type: ignore[no-untyped-def]
    """The number of the unordered pair."""
    if i > j:
        i, j = j, i
    return i * (2 * n - i - 1) // 2 + j - i - 1


@njit(cache=True)
def _put(even, odd, row, sign):  # type: ignore[no-untyped-def]
    """Add this permutation of pairs to both matrices, or take it away."""
    n = len(row)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = _pair(row[i], row[j], n), _pair(i, j, n)
            even[a, b] += sign
            odd[a, b] += sign if row[i] < row[j] else -sign


@njit(cache=True)
def _powers(M, m, power):  # type: ignore[no-untyped-def]
    """tr (M' M / m)^p and M (M' M / m)^(p-1), p = 2^power."""
    G = np.dot(M.T, M) / m
    Q = M
    for _ in range(power):
        Q = np.dot(Q, G)
        G = np.dot(G, G)
    return np.trace(G), Q


@njit(cache=True)
def _term(Q, R, row, u, v, n):  # type: ignore[no-untyped-def]
    """What the pair of places u, v adds to the score of a permutation."""
    if u > v:
        u, v = v, u
    a, b = _pair(row[u], row[v], n), _pair(u, v, n)
    return Q[a, b] + (R[a, b] if row[u] < row[v] else -R[a, b])


@njit(cache=True)
def _around(Q, R, row, u, v, n):  # type: ignore[no-untyped-def]
    total = _term(Q, R, row, u, v, n)
    for w in range(n):
        if w != u and w != v:
            total += _term(Q, R, row, u, w, n) + _term(Q, R, row, v, w, n)
    return total


@njit(cache=True)
def _descend(Q, R, row):  # type: ignore[no-untyped-def]
    """Exchange two images as long as the score falls."""
    n = len(row)
    better = True
    while better:
        better = False
        for u in range(n):
            for v in range(u + 1, n):
                before = _around(Q, R, row, u, v, n)
                row[u], row[v] = row[v], row[u]
                if _around(Q, R, row, u, v, n) < before * (1 - 1e-9) - 1e-300:
                    better = True
                else:
                    row[u], row[v] = row[v], row[u]


@njit(cache=True)
def _exchange(rows, steps, heat, power, rng):  # type: ignore[no-untyped-def]
    """One permutation out, a good one in; kept if the energy falls, or by chance while warm."""
    rows = rows.copy()
    m, n = rows.shape
    half = n * (n - 1) // 2
    even, odd = np.full((half, half), -m / half), np.zeros((half, half))
    for row in rows:
        _put(even, odd, row, 1.0)
    now = 1e300
    best, least = rows.copy(), 1e300
    for step in range(steps):
        if step == 7 * steps // 10 or step == 9 * steps // 10:
            power = min(power + 1, 5) if step < 8 * steps // 10 else 5
            now = 1e300
        s = rng.integers(0, m)
        _put(even, odd, rows[s], -1.0)
        _, Q = _powers(even, m, min(power, 3))
        _, R = _powers(odd, m, min(power, 3))
        trial = rows[s].copy()
        if rng.random() < 0.5:
            trial = rng.permutation(n)
        for _ in range(rng.integers(0, 4)):
            u, v = rng.integers(0, n), rng.integers(0, n)
            trial[u], trial[v] = trial[v], trial[u]
        _descend(Q, R, trial)
        if now == 1e300:
            _put(even, odd, rows[s], 1.0)
            now = np.log(_powers(even, m, power)[0] + _powers(odd, m, power)[0]) / 2**power
            _put(even, odd, rows[s], -1.0)
        _put(even, odd, trial, 1.0)
        new = np.log(_powers(even, m, power)[0] + _powers(odd, m, power)[0] + 1e-300) / 2**power
        t = heat * (1 - step / steps) ** 2 + 1e-9
        if new <= now or rng.random() < np.exp((now - new) / t):
            now = new
            rows[s] = trial
            if new < least and power == 5:
                least = new
                best[:] = rows
        else:
            _put(even, odd, trial, -1.0)
            _put(even, odd, rows[s], 1.0)
    if least == 1e300:
        best[:] = rows
    even[:], odd[:] = -m / half, 0.0
    for row in best:
        _put(even, odd, row, 1.0)
    return best, max(np.linalg.norm(even, 2), np.linalg.norm(odd, 2)) / m
