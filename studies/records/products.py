"""Orders of classes next to orders of columns: exact sets in S_c x S_p.

Degree 1: each class, and each column, goes to each place equally often. Degree 2: so do ordered pairs
of classes and of columns, and every (class, column) goes to every (place, place) equally often.

Sets of degree 2 are unions of cosets (a_i, b_i) H of a subgroup H of S_c x S_p. If the a_i and b_i run
evenly through the cosets, in 2-transitive groups X and Y, of H's two projections, then pairs of classes
and pairs of columns are right, and only (class, column) is left to be balanced:

    H = 1 x R, R regular on the columns: balanced, as the a_i are, so m = p lcm(|X|, |Y| / p); with the
    affine groups of both that is p lcm(c (c - 1), p - 1), or the same with c and p exchanged;
    H transitive on (class, column): balanced for any a_i, b_i: m = |H| lcm([X : H_c], [Y : H_p]),
    for example A5 on 5 and on 6 points, PSL(2, 7) on 7 and on 8;
    otherwise by annealing the a_i and b_i within their cosets.

An element is written as a permutation of c + p points.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from math import lcm
from typing import Any

import numba
import numpy as np

from studies.records import Record, Rows
from studies.records.groups import field, prime_base
from studies.records.sizes import product_size
from studies.records.table import encoded

SIZES = range(2, 11)


MORE = {
    4: ((1, 0, 2, 3), (1, 2, 3, 0)),
    6: ((1, 2, 0, 3, 4, 5), (0, 2, 3, 4, 5, 1)),
    7: ((1, 2, 3, 4, 5, 6, 0), (0, 2, 1, 6, 4, 5, 3)),
}
"""Generators of S4, A6 and PSL(3, 2)."""


def tasks() -> list[Record]:
    """All pairs of sizes, degrees 1 and 2."""
    return [
        {"group": f"S{c}xS{p}" if c < p else f"S{c}^2", "criterion": "exact", "degree": degree}
        for degree in (1, 2)
        for c, p in combinations_with_replacement(SIZES, 2)
    ]


def known() -> Iterator[Record]:
    """Constructions: shifts side by side; cosets of regular permutations of one factor."""
    for task in tasks():
        c, p = _sizes(task)
        if task["degree"] == 1:
            both = np.concatenate([np.roll(range(c), -1), c + np.roll(range(p), -1)])[None]
            yield _record(task, np.arange(c + p)[None], both, "shifts of both factors together")
        else:
            choices = _by_regular(c, p)
            _, rows, H, source = min(choices, key=lambda found: (found[0], len(found[1])))
            yield _record(task, rows, H, source)


def _by_regular(c: int, p: int) -> Iterator[tuple[int, Rows, Rows, str]]:
    """(m, all (a_i, b_i), H, source) for H = 1 x R or R x 1, and for c = p a group in both factors."""
    for n, k, start in ((p, c, c), (c, p, 0)):
        for Y in groups(n):
            R = _regular(Y)
            for X in groups(k) if len(R) else ():
                number = np.arange(lcm(len(X), len(Y) // n))
                first, other = _firsts(Y, R), c - start
                rows = np.zeros((len(number), c + p), np.int64)
                rows[:, start : start + n] = start + first[number % len(first)]
                rows[:, other : other + k] = other + X[number % len(X)]
                H = np.repeat(np.arange(c + p)[None], n, axis=0)
                H[:, start : start + n] = start + R
                source = f"cosets of a regular group on {n}, beside a group of {len(X)} on {k}"
                yield n * len(number), rows, H, source
    for X in groups(c) if c == p else ():
        rows = np.array([[*np.roll(range(c), i), *range(c, 2 * c)] for i in range(c)])
        source = f"a group of {len(X)} in both factors, and shifts of one"
        yield c * len(X), rows, np.concatenate([X, c + X], 1), source


@cache
def groups(n: int) -> tuple[Rows, ...]:
    """Groups that are 2-transitive on n points: AGL(1, q), PSL(2, q), PGL(2, q) and a few others."""
    found: list[list[Any]] = []
    if prime_base(n):
        add, times, g = field(n)
        found.append([*add[1:], times[g]])
        if n == 9:
            cube = times[times.diagonal(), np.arange(9)]
            found.append([*add[1:], times[times[g, g]], times[g][cube]])
    if n > 4 and prime_base(n - 1):
        add, times, g = field(n - 1)
        minus = np.array([(row == 0).argmax() for row in add])
        inverse = np.array([(row == 1).argmax() for row in times])
        shifts = [[*row, n - 1] for row in add[1:]]
        special = [*shifts, [n - 1, *minus[inverse[1:]], 0], [*times[times[g, g]], n - 1]]
        found += [special, [*special, [*times[g], n - 1]]] if n % 2 == 0 else [special]
        if n == 10:
            cube = times[times.diagonal(), np.arange(9)]
            found.append([*special, [*times[g][cube], 9]])
    if n in MORE:
        found.append(list(MORE[n]))
    return tuple(closure(np.array(generators)) for generators in found)


def closure(generators: Rows, most: int = 1 << 20) -> Rows:
    """The group that they generate, the identity first; none if it has more than so many elements."""
    found = new = np.arange(generators.shape[1])[None]
    while len(new):
        products = new[:, generators].reshape(-1, generators.shape[1])
        both = np.concatenate([found, products])
        _, first = np.unique(both, axis=0, return_index=True)
        new = both[np.sort(first[first >= len(found)])]
        found = np.concatenate([found, new])
        if len(found) > most:
            return found[:0]
    return found


def _regular(Y: Rows) -> Rows:
    """A regular subgroup of a 2-transitive group: its shifts, or the powers of a cycle; else none."""
    n = Y.shape[1]
    free = (np.arange(n) != Y).all(axis=1)
    if len(Y) == n * (n - 1):
        return np.concatenate([np.arange(n)[None], Y[free]])
    cyclic = (closure(g[None]) for g in Y[free])
    return next((powers for powers in cyclic if len(powers) == n), Y[:0])


def _firsts(G: Rows, H: Rows) -> Rows:
    """One element of each coset g H."""
    n = G.shape[1]
    names = (G[:, H] @ n ** np.arange(n)).min(axis=1)
    return G[np.unique(names, return_index=True)[1]]


def _sizes(task: Record) -> tuple[int, int]:
    c, _, p = task["group"].replace("^2", "").replace("S", "").partition("x")
    return int(c), int(p or c)


def _record(task: Record, rows: Rows, H: Rows, source: str) -> Record:
    """The candidate, after it was counted that it is exact and has no element twice."""
    c, p = _sizes(task)
    whole = closure(H)
    elements = rows[:, whole].reshape(-1, c + p)
    if len(np.unique(elements, axis=0)) < len(elements) or not is_exact(
        elements, c, task["degree"]
    ):
        raise ValueError(f"{task['group']}: {source} is not exact to degree {task['degree']}.")
    return task | {
        "m": len(elements),
        "value": "0",
        "source": source,
        "rows": _text(rows, c),
        "generators": _text(_few(H), c),
    }


def _text(rows: Rows, c: int) -> str:
    return encoded(np.where(np.arange(rows.shape[1]) < c, rows, rows - c))


def _few(H: Rows) -> Rows:
    """Some of the elements that generate the same group."""
    kept, size, whole = H[:0], 1, len(closure(H))
    for h in H:
        more = np.concatenate([kept, h[None]])
        if size < whole and len(closure(more)) > size:
            kept, size = more, len(closure(more))
    return kept


def is_exact(elements: Rows, c: int, degree: int) -> bool:
    """Whether each point (degree 1), each pair of points (2) goes to each image equally often."""
    m, n = elements.shape
    block = (np.arange(n) >= c).astype(int)
    size = np.array([c, n - c])[block]
    for i in range(n):
        counts = np.bincount(elements[:, i], minlength=n)
        if (counts * size[i] != m * (block == block[i])).any():
            return False
        for j in range(i if degree > 1 else 0):
            images = size[i] * (size[j] - (block[i] == block[j]))
            counts = np.bincount(elements[:, i] * n + elements[:, j])
            if (counts > 0).sum() != images or counts.max() * images != m:
                return False
    return True


def improve(task: Record, best: Record | None, seed: int, seconds: float) -> Record | None:
    """Cosets of random subgroups of X x Y, their firsts annealed until (class, column) is balanced."""
    end = time.monotonic() + seconds
    rng = np.random.default_rng(seed)
    c, p = _sizes(task)
    unit = lcm(c * (c - 1), p * (p - 1), c * p)
    most = int(best["m"]) if best else 1 << 20
    choices = [
        (m, X, Y)
        for m in range(product_size(c, p, task["degree"])[0], most, unit)
        for X in groups(c)
        for Y in groups(p)
        if m % len(X) == m % len(Y) == 0
    ]
    while task["degree"] == 2 and choices and time.monotonic() < end:
        m, X, Y = choices[int(len(choices) * rng.random() ** 2)]
        H = _random_subgroup(X, Y, m, rng)
        if m % max(1, len(H)):
            continue
        Hc, Hp = np.unique(H[:, :c], axis=0), np.unique(H[:, c:] - c, axis=0)
        a, b = _firsts(X, Hc), _firsts(Y, Hp)
        number = np.arange(m // len(H))
        if len(number) % len(a) or len(number) % len(b):
            continue
        orbits = H[:, :c, None] * p + H[:, None, c:] - c
        orbit = np.unique(orbits.reshape(len(H), -1).min(axis=0), return_inverse=True)[1]
        found = _anneal(a[number % len(a)], rng.permutation(b[number % len(b)]), Hc, orbit, m, rng)
        rows = np.concatenate([found[0], c + found[1]], axis=1)
        if found[2] == 0 and len(np.unique(rows[:, H].reshape(m, -1), axis=0)) == m:
            return _record(task, rows, H, f"search: {len(rows)} cosets of a group of {len(H)}")
    return None


def _random_subgroup(X: Rows, Y: Rows, m: int, rng: np.random.Generator) -> Rows:
    """Of one or two random elements of X x Y; mostly such as a map between the factors may have.

    That is, the orders of a few words in them divide those of the same words in the other factor.
    """
    c, p = X.shape[1], Y.shape[1]
    for _ in range(1000):
        k = int(rng.integers(1, 3))
        x, y = X[rng.integers(len(X), size=k)], Y[rng.integers(len(Y), size=k)]
        if rng.random() < 0.01:
            x[:] = np.arange(c)
        smaller, larger = (
            (_orders(x), _orders(y)) if rng.random() < 0.5 else (_orders(y), _orders(x))
        )
        if not any(n % d for d, n in zip(smaller, larger, strict=True)):
            H = closure(np.concatenate([x, c + y], axis=1), m)
            if len(H):
                return H
    return np.arange(c + p)[None]


def _orders(pair: Rows) -> Iterator[int]:
    """The orders of the elements, of two products and of a commutator."""
    a, b = pair[0], pair[-1]
    for word in (a, b, a[b], a[a[b]], a[b][np.argsort(b[a])]):
        power, order = word, 1
        while power[0] != 0 or (power != np.arange(len(word))).any():
            power, order = power[word], order + 1
        yield order


@numba.njit(cache=True)
def _anneal(
    a: Rows, b: Rows, Hc: Rows, orbit: Rows, m: int, rng: np.random.Generator
) -> tuple[Rows, Rows, int]:
    """The a_i moved within their cosets, the b_i exchanged; what is left of the sum of squares."""
    N, c, p = len(a), a.shape[1], b.shape[1]
    k = orbit.max() + 1
    size = np.bincount(orbit)
    weight = (m // N) // size
    counts = np.full((k, c * p), -(m // (c * p)))
    for row in range(N):
        for x in range(c):
            for y in range(p):
                o = orbit[x * p + y]
                counts[o, a[row, x] * p + b[row, y]] += weight[o]
    cost = (counts**2).sum()
    hot = 4.0 * (weight**2).mean()
    steps = 20_000 + 200 * N
    if k == 1:
        return a, b, cost
    for step in range(steps):
        if cost == 0:
            break
        heat = hot * 0.02 ** (step / steps)
        i = rng.integers(0, N)
        j = rng.integers(0, N)
        h = Hc[rng.integers(0, len(Hc))]
        exchange = rng.random() < 0.5
        new_a = a[i].copy() if exchange else a[i][h]
        new_b = b[j].copy() if exchange else b[i].copy()
        if exchange and i == j:
            continue
        change = 0
        for side in range(2):
            for s in range(4 if exchange else 2):
                # take away the old ones, then add the new ones; the second time the way back
                sign = (-1 if s % 2 == 0 else 1) * (1 if side == 0 else -1)
                who = i if s < 2 else j
                for x in range(c):
                    for y in range(p):
                        o = orbit[x * p + y]
                        left = a[who, x] if s % 2 == 0 or who == j else new_a[x]
                        right = b[who, y] if s % 2 == 0 else (new_b[y] if who == i else b[i, y])
                        place = left * p + right
                        old = counts[o, place]
                        counts[o, place] = old + sign * weight[o]
                        if side == 0:
                            change += counts[o, place] ** 2 - old**2
            if side == 0 and (change <= 0 or rng.random() < np.exp(-change / heat)):
                cost += change
                if exchange:
                    b[j] = b[i]
                    b[i] = new_b
                else:
                    a[i] = new_a
                break
    return a, b, cost
