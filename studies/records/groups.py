"""Permutation groups on 3 to 16 points, by generators, and random subgroups of them.

A permutation is its row of images. Products: (a h)[i] = a[h[i]].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from studies.records import Rows

FIELDS = {4: (2, (1, 1)), 8: (2, (1, 1, 0)), 9: (3, (1, 1)), 16: (2, (1, 1, 0, 0))}
"""GF(p^d): p, and x^d as a polynomial, the constant term first (x^2 = x + 1, x^3 = x + 1, ...)."""


def closure(generators: Rows, limit: int = 100_000) -> Rows | None:
    """All products of the generators, the identity first; None if there are more than the limit."""
    n = generators.shape[1]
    weights = weights_of(n)
    found = new = np.arange(n)[None]
    keys = new.astype(np.uint64) @ weights
    while len(new):
        products = new[:, generators].reshape(-1, n)
        hashes, first = np.unique(products.astype(np.uint64) @ weights, return_index=True)
        fresh = ~np.isin(hashes, keys, assume_unique=True)
        new = products[first[fresh]]
        found, keys = np.concatenate([found, new]), np.concatenate([keys, hashes[fresh]])
        if len(found) > limit:
            return None
    return found


def weights_of(n: int) -> NDArray[np.uint64]:
    """Row times weights is a number for each permutation: digits in base n, or beyond 2^64 a hash."""
    if n <= 16:
        return n ** np.arange(n, dtype=np.uint64)
    return np.random.default_rng(n).integers(2**63, size=n, dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)


@cache
def field(q: int) -> tuple[Rows, Rows, int]:
    """Tables of addition and multiplication of GF(q), and a generator of its nonzero elements."""
    p, top = FIELDS.get(q, (q, ()))
    d = max(len(top), 1)
    digits = np.array(list(product(range(p), repeat=d)))[:, ::-1]
    weights = p ** np.arange(d)
    plus = (digits[:, None] + digits[None]) % p @ weights
    if d == 1:
        times = np.outer(np.arange(q), np.arange(q)) % q
    else:
        times = np.zeros((q, q), np.int64)
        power = digits.copy()  # x^i times each element
        for i in range(d):
            term = digits[:, None, i, None] * power[None] % p @ weights
            times = plus[times, term]
            power = (np.pad(power, ((0, 0), (1, 0)))[:, :d] + power[:, -1:] * np.array(top)) % p
    for g in range(1, q):
        x, order = g, 1
        while x != 1 and order < q:
            x, order = times[x, g], order + 1
        if order == q - 1:
            return plus, times, g
    raise ValueError(f"GF({q}) has no generator: the polynomial is wrong.")


def is_prime(n: int) -> bool:
    """By division."""
    return n > 1 and all(n % p for p in range(2, int(n**0.5) + 1))


def prime_base(q: int) -> int:
    """p if q is a power of the prime p, else 0."""
    p = next(p for p in range(2, q + 1) if q % p == 0)
    power = p
    while power < q:
        power *= p
    return p if power == q else 0


def affine(q: int, *, power: int = 1, frobenius: bool = False) -> Rows:
    """x -> a x + b over GF(q), a a power of g^power; with x -> x^p if asked."""
    plus, times, g = field(q)
    p, a = prime_base(q), 1
    for _ in range(power):
        a = times[a, g]
    x = np.arange(q)
    basis = [p**i for i in range(16) if p**i < q]
    rows = [plus[x, b] for b in basis] + [times[a, x]]
    if frobenius and q > p:
        y = x
        for _ in range(p - 1):
            y = times[y, x]
        rows.append(y)
    return np.array(rows)


def projective(q: int, *, special: bool = False, frobenius: bool = False) -> Rows:
    """x -> (a x + b) / (c x + d) on GF(q) and infinity (the point q)."""
    _, times, _ = field(q)
    inverse = np.array([0, *(int(np.flatnonzero(times[x] == 1)[0]) for x in range(1, q))])
    minus = np.array([int(np.flatnonzero(field(q)[0][x] == 0)[0]) for x in range(q)])
    rows = np.pad(
        affine(q, power=1 + special, frobenius=frobenius), ((0, 0), (0, 1)), constant_values=q
    )
    turn = np.array([q, *minus[inverse[1:]], 0])  # x -> -1 / x
    return np.concatenate([rows, turn[None]])


def matrices(d: int, p: int, *, kind: str) -> Rows:
    """GL(d, p), p prime, on vectors with translations (`affine`) or on points (`points`)."""
    vectors = np.array(list(product(range(p), repeat=d)))
    weights = p ** np.arange(d)[::-1]
    one = np.eye(d, dtype=np.int64)
    shear, scale = one.copy(), one.copy()
    shear[0, 1] = 1
    scale[0, 0] = next(g for g in range(1, p) if len({pow(g, k, p) for k in range(p)}) == p - 1)
    given = [np.roll(one, 1, axis=0), one[[1, 0, *range(2, d)]], shear, scale]
    images = np.array([vectors @ m % p @ weights for m in given])
    if kind == "affine":
        images = np.concatenate([images, [(vectors + one[0]) % p @ weights]])
    if kind != "points":
        return images
    first = np.array([v[np.flatnonzero(v)[0]] if v.any() else 0 for v in vectors])
    normal = np.flatnonzero(first == 1)
    to_normal = np.array(
        [
            (v * pow(int(f), -1, p)) % p @ weights if f else 0
            for v, f in zip(vectors, first, strict=True)
        ]
    )
    return np.searchsorted(normal, to_normal[images[:, normal]])


def mathieu(n: int) -> Rows:
    """M11 on 11 points: x + 1 and 4 x^2 - 3 x^7 mod 11; M12 with -1/x too (Mathieu 1861)."""
    x = np.arange(11)
    rows = np.array([(x + 1) % 11, [(4 * i**2 - 3 * i**7) % 11 for i in range(11)]])
    if n == 11:
        return rows
    rows = np.pad(rows, ((0, 0), (0, 1)), constant_values=11)
    turn = np.array([11, *(-pow(i, -1, 11) % 11 for i in range(1, 11)), 0])
    return np.concatenate([rows, turn[None]])


def cyclic(n: int) -> Rows:
    """x -> x + 1."""
    return (np.arange(n)[None] + 1) % n


def holomorph(n: int) -> Rows:
    """x -> u x + b mod n, u a unit."""
    x = np.arange(n)
    return np.array([(x + 1) % n, *(u * x % n for u in range(2, n) if np.gcd(u, n) == 1)])


def symmetric(n: int, *, even: bool = False) -> Rows:
    """S_n or A_n, n >= 3."""
    x = np.arange(n)
    if even:
        return np.array(
            [[1, 2, 0, *x[3:]], [0, *np.roll(x[1:], -1)] if n % 2 == 0 else np.roll(x, -1)]
        )
    return np.array([np.roll(x, -1), [1, 0, *x[2:]]])


def wreath(a: int, b: int) -> Rows:
    """S_a on each of b blocks, and S_b on the blocks."""
    x = np.arange(a * b).reshape(b, a)
    inner = (
        [np.concatenate([x[0, s], x[1:].ravel()]) for s in symmetric(a)]
        if a > 2
        else [[1, 0, *range(2, a * b)]]
    )
    outer = [x[s].ravel() for s in symmetric(b)] if b > 2 else [x[::-1].ravel()]
    return np.array([*inner, *outer])


def on_pairs(generators: Rows) -> Rows:
    """The action on unordered pairs of points."""
    n = generators.shape[1]
    pairs = [(i, j) for i in range(n) for j in range(i)]
    place = {frozenset(pair): k for k, pair in enumerate(pairs)}
    return np.array(
        [[place[frozenset((g[i], g[j]))] for i, j in pairs] for g in generators.tolist()]
    )


def beside(first: Rows, second: Rows) -> Rows:
    """Two groups on separate points: their product."""
    n, k = first.shape[1], second.shape[1]
    rows = [np.concatenate([g, np.arange(n, n + k)]) for g in first]
    return np.array(rows + [np.concatenate([np.arange(n), n + g]) for g in second])


@cache
def inside(n: int, order: int, name: str, degree: int = 1) -> Rows:
    """Two random elements of a group that generate a subgroup of the order which is t-transitive."""
    around = dict(big(n))[name]
    rng = np.random.default_rng(0)
    while True:
        pair = np.array([random_element(around, rng) for _ in range(2)])
        H = closure(pair, order)
        if H is not None and len(H) == order and is_transitive(H, degree):
            return pair


def is_transitive(H: Rows, t: int) -> bool:
    """Whether a group moves the tuple 0, 1, ..., t-1 to all others."""
    n = H.shape[1]
    return len(np.unique(H[:, :t] @ n ** np.arange(t))) == np.prod(np.arange(n, n - t, -1))


def big(n: int) -> Iterator[tuple[str, Rows]]:
    """Groups on n points in which subgroups are worth looking for."""
    yield f"AGL(1,Z{n})", holomorph(n)
    if prime_base(n):
        yield f"AGammaL(1,{n})", affine(n, frobenius=True)
    if n > 3 and prime_base(n - 1):
        yield f"PGammaL(2,{n - 1})", projective(n - 1, frobenius=True)
    if n in (8, 9, 16):
        d, p = {8: (3, 2), 9: (2, 3), 16: (4, 2)}[n]
        yield f"AGL({d},{p})", matrices(d, p, kind="affine")
    if n in (7, 13, 15):
        d, p = {7: (3, 2), 13: (3, 3), 15: (4, 2)}[n]
        yield f"PGL({d},{p})", matrices(d, p, kind="points")
    if n in (11, 12):
        yield f"M{n}", mathieu(n)
    if n in (6, 10, 15):
        k = {6: 4, 10: 5, 15: 6}[n]
        yield f"S{k} on pairs", on_pairs(symmetric(k))
    for a in range(2, n // 2 + 1):
        if n % a == 0:
            yield f"S{a} wr S{n // a}", wreath(a, n // a)


def subgroup(n: int, rng: np.random.Generator, limit: int) -> tuple[str, Rows, Rows, Rows]:
    """What it is, generators of a group, random elements of that, and the subgroup of those elements."""
    while True:
        fixed = int(rng.choice([0, 0, 0, 1, 1, 2])) if n > 5 else 0
        choices = list(big(n - fixed))
        name, around = choices[rng.integers(len(choices))]
        if fixed == 2 and rng.random() < 0.5:
            around = beside(around, np.array([[1, 0]]))
        elif fixed:
            around = np.array([[*g, *range(n - fixed, n)] for g in around])
        rows = np.array([random_element(around, rng) for _ in range(rng.integers(1, 4))])
        H = closure(rows, limit)
        if H is not None and len(H) > 1:
            where = f"{name} on {n - fixed} points" if fixed else name
            return f"a subgroup of order {len(H)} of {where}", around, rows, H


def random_element(generators: Rows, rng: np.random.Generator) -> Rows:
    """A power of a random word: of small order more often than not."""
    g = np.arange(generators.shape[1])
    for k in rng.integers(len(generators), size=24):
        g = g[generators[k]]
    powers = [g]
    while (powers[-1] != np.arange(len(g))).any():
        powers.append(powers[-1][g])
    orders = [k for k in range(1, len(powers)) if len(powers) % k == 0]
    return powers[int(rng.choice(orders)) - 1] if orders else g
