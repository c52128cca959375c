"""Subsets of C_n x ... x C_n with a small largest character sum, by annealing of blocks.

A matrix A that is invertible modulo n moves elements, x -> A x, and characters, y -> A' y. If A keeps S
then the spectrum of S is the same all along an orbit of A': a search over unions of orbits has fewer
blocks to choose from and fewer sums to look at, and often finds more than the plain one (A = 1).
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

MOST_ENTRIES = 6_000_000  # of a table of sums: 50 or 100 MB


class Blocks(NamedTuple):
    """Orbits of elements, and their sums at one character of each orbit of characters."""

    label: NDArray[np.int64]
    sizes: NDArray[np.int64]
    real: NDArray[np.float64]
    imag: NDArray[np.float64]
    order: int


def search(
    n: int, k: int, m: int, seed: int, seconds: float, start: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], float, str]:
    """The best m elements of C_n^k found in this time, their largest sum over m, and how."""
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    elements = _elements(n, k)
    best: tuple[NDArray[np.int64], float, str] = (elements[:m], 1.0, "")
    plain = _blocks(n, elements, np.eye(k, dtype=np.int64), 1)
    while time.monotonic() < end:
        blocks = plain if rng.random() < 0.5 else None
        blocks = blocks or _blocks(n, elements, *_automorphism(rng, n, k))
        if blocks is None:
            continue
        until = min(end, time.monotonic() + max(1.0, seconds / 16))
        while time.monotonic() < until:
            chosen = _with_sum(rng, blocks.sizes, m)
            if chosen is None:
                break
            old = start is not None and blocks is plain and rng.random() < 0.5
            if old:
                chosen = np.isin(np.arange(len(elements)), _ranks(start, n))  # type: ignore[arg-type]
            power = int(rng.choice([2, 3, 3, 4]))
            work = min(2e8 * (until - time.monotonic()), 10 ** rng.uniform(7, 9))
            tables = blocks.real, blocks.imag, blocks.sizes, chosen
            if rng.random() < 0.7:
                found, square = _exchange(*tables, work, power + 1, rng)
            else:
                heat = 0.003 if old else 0.04 * float(rng.random())
                steps = int(work) // blocks.real.shape[1] + 1
                found, square = _anneal(*tables, steps, heat, power, rng)
            value = float(np.sqrt(square)) / m
            if value < best[1] - 1e-12:
                how = "exchange of single elements"
                if blocks.order > 1:
                    how = f"exchange of orbits of an automorphism of order {blocks.order}"
                best = elements[found[blocks.label]], value, f"search: {how}"
    return best


def _elements(n: int, k: int) -> NDArray[np.int64]:
    return np.stack(np.unravel_index(np.arange(n**k), (n,) * k), axis=1).astype(np.int64)


def _ranks(rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    ranks = np.zeros(rows.shape[:-1], np.int64)
    for i in range(rows.shape[-1]):
        ranks = ranks * n + rows[..., i]
    return ranks


def _automorphism(rng: np.random.Generator, n: int, k: int) -> tuple[NDArray[np.int64], int]:
    """A random matrix, invertible modulo n, and its order, which is small."""
    one = np.eye(k, dtype=np.int64)
    while True:
        A = rng.integers(0, n, (k, k))
        powers = [one]
        while len(powers) < 5000 and not np.array_equal(B := powers[-1] @ A % n, one):
            powers.append(B)
        order = len(powers)
        if order == 1 or order >= 5000:  # singular, or too long to look at
            continue
        divisors = [r for r in range(2, min(order, 48) + 1) if order % r == 0]
        if divisors:
            r = int(rng.choice(divisors))
            return powers[order // r], r


def _blocks(n: int, elements: NDArray[np.int64], A: NDArray[np.int64], order: int) -> Blocks | None:
    label = _orbits(_ranks(elements @ A.T % n, n))
    dual = _orbits(_ranks(elements @ A % n, n))
    _, first = np.unique(dual, return_index=True)
    first = first[1:]  # the first is the trivial character
    if (n > 2) and order % 2:  # conjugate characters have conjugate sums
        minus = dual[_ranks(-elements % n, n)]
        first = first[dual[first] <= minus[first]]
    count = int(label.max()) + 1
    if count * len(first) > MOST_ENTRIES:
        return None
    real, imag = _sums(elements, elements[first], label, count, n)
    if n == 2:
        imag = np.zeros((count, 0))
    return Blocks(label, np.bincount(label), real, imag, order)


def _orbits(image: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each cycle of a permutation, at each of its points."""
    label = np.full(len(image), -1, np.int64)
    count = 0
    for x in range(len(image)):
        if label[x] < 0:
            while label[x] < 0:
                label[x] = count
                x = image[x]
            count += 1
    return label


def _with_sum(
    rng: np.random.Generator, sizes: NDArray[np.int64], m: int
) -> NDArray[np.bool_] | None:
    """Random blocks with m elements together; None if there are none."""
    for _ in range(20):
        chosen = np.zeros(len(sizes), np.bool_)
        left = m
        for b in rng.permutation(len(sizes)):
            if sizes[b] <= left:
                chosen[b] = True
                left -= sizes[b]
            if left == 0:
                return chosen
    return None


@njit(cache=True)
def _sums(elements, characters, label, count, n):  # type: ignore[no-untyped-def]
    real = np.zeros((count, len(characters)))
    imag = np.zeros((count, len(characters)))
    cos = np.cos(2 * np.pi * np.arange(n) / n)
    sin = np.sin(2 * np.pi * np.arange(n) / n)
    if n == 2:
        cos[1], sin[1] = -1.0, 0.0
    for x in range(len(elements)):
        for y in range(len(characters)):
            t = 0
            for i in range(elements.shape[1]):
                t += elements[x, i] * characters[y, i]
            t %= n
            real[label[x], y] += cos[t]
            imag[label[x], y] += sin[t]
    return real, imag


@njit(cache=True, fastmath=True)
def _energy(re, im, scale, power):  # type: ignore[no-untyped-def]
    """The largest square, and the sum of (square / scale)^(2^power)."""
    top, total = 0.0, 0.0
    for y in range(len(re)):
        square = re[y] * re[y]
        if len(im):
            square += im[y] * im[y]
        top = max(top, square)
        e = square / scale
        for _ in range(power):
            e *= e
        total += e
    return top, total


@njit(cache=True)
def _anneal(real, imag, sizes, chosen, steps, heat, power, rng):  # type: ignore[no-untyped-def]
    """Exchanges of equally large blocks; energy: a high power mean of the sums, cooled to nothing."""
    inside = np.flatnonzero(chosen)
    outside = np.flatnonzero(~chosen)
    if len(inside) == 0 or len(outside) == 0:
        return chosen, 1e300
    re = np.zeros(real.shape[1])
    im = np.zeros(imag.shape[1])
    m = 0
    for b in inside:
        re += real[b]
        im += imag[b]
        m += sizes[b]
    top, total = _energy(re, im, m, power)
    now = np.log(total) / 2**power
    best, best_top = inside.copy(), top
    for step in range(steps):
        i, o = rng.integers(0, len(inside)), rng.integers(0, len(outside))
        a, b = inside[i], outside[o]
        if sizes[a] != sizes[b]:
            continue
        new_re = re + (real[b] - real[a])
        new_im = im + (imag[b] - imag[a])
        top, total = _energy(new_re, new_im, m, power)
        new = np.log(total + 1e-300) / 2**power
        t = heat * (1 - step / steps) ** 2 + 1e-9
        if new <= now or rng.random() < np.exp((now - new) / t):
            re, im, now = new_re, new_im, new
            inside[i], outside[o] = b, a
            if top < best_top - 1e-9:
                best_top = top
                best = inside.copy()
    result = np.zeros(len(chosen), np.bool_)
    for b in best:
        result[b] = True
    return result, best_top


@njit(cache=True, fastmath=True)
def _beside(re, im, more_re, more_im, scale, power, limit):  # type: ignore[no-untyped-def]
    """The energy of the sum of both; no more than the start of it where that is above the limit."""
    total = 0.0
    for start in range(0, len(re), 64):
        for y in range(start, min(start + 64, len(re))):
            x = re[y] + more_re[y]
            e = x * x
            if len(im):
                x = im[y] + more_im[y]
                e += x * x
            e /= scale
            for _ in range(power):
                e *= e
            total += e
        if total > limit:
            break
    return total


@njit(cache=True)
def _exchange(real, imag, sizes, chosen, work, power, rng):  # type: ignore[no-untyped-def]
    """The best block for each one in turn until none is better; then a few at random, and again."""
    inside, outside = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    if len(inside) == 0 or len(outside) == 0:
        return chosen, 1e300
    kept_in, kept_out, kept = inside.copy(), outside.copy(), 1e300
    best, best_top = inside.copy(), 1e300
    m = 0
    for b in inside:
        m += sizes[b]
    while work > 0:
        re, im = np.zeros(real.shape[1]), np.zeros(imag.shape[1])
        for b in inside:
            re += real[b]
            im += imag[b]
        top, now = _energy(re, im, m, power)
        tried = 0
        while tried < len(inside) and work > 0:
            i = rng.integers(0, len(inside))
            a = inside[i]
            rest_re, rest_im = re - real[a], im - imag[a]
            place, least = -1, now * (1 - 1e-12)
            for o in range(len(outside)):
                b = outside[o]
                if sizes[a] == sizes[b]:
                    energy = _beside(rest_re, rest_im, real[b], imag[b], m, power, least)
                    if energy < least:
                        place, least = o, energy
            work -= len(outside) * len(re) / 4
            tried += 1
            if place >= 0:
                b = outside[place]
                re, im, now = rest_re + real[b], rest_im + imag[b], least
                inside[i], outside[place] = b, a
                tried = 0
        top = _energy(re, im, m, power)[0]
        if top < best_top - 1e-9:
            best, best_top = inside.copy(), top
        if now <= kept:
            kept_in, kept_out, kept = inside.copy(), outside.copy(), now
        else:
            inside, outside = kept_in.copy(), kept_out.copy()
        for _ in range(rng.integers(1, 4)):
            i, o = rng.integers(0, len(inside)), rng.integers(0, len(outside))
            if sizes[inside[i]] == sizes[outside[o]]:
                inside[i], outside[o] = outside[o], inside[i]
    result = np.zeros(len(chosen), np.bool_)
    for b in best:
        result[b] = True
    return result, best_top
