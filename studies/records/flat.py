"""Sets whose spectrum is flat by construction: difference sets, squares, bent and almost bent functions.

If every element but 1 is a quotient of lambda pairs of S, all non-trivial character sums have the square
m - lambda: the floor. {(x, F(x))} in Z_2^k x Z_2^j has the Walsh sums of the components of F.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from studies.records import Rows
from studies.records.groups import field, is_prime

LARGEST = 512
_MODULUS = {1: 3, 2: 7, 3: 11, 4: 19, 5: 37, 6: 67, 7: 131, 8: 285}
"""Polynomials over GF(2), as bits, with x a generator of GF(2^k)."""


def cyclic() -> Iterator[tuple[int, list[int], str]]:
    """n, a difference set in C_n with at most n/2 elements, and its name."""
    for q in (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19):
        for d in range(2, 9):
            n = (q ** (d + 1) - 1) // (q - 1)
            if n <= LARGEST:
                yield n, singer(q, d), f"hyperplane of PG({d}, {q}) (Singer 1938)"
    for p in filter(is_prime, range(7, LARGEST)):
        yield from ((p, s, name) for s, name in _cyclotomic(p))
    for p in (3, 5, 11, 17):
        yield p * (p + 2), _twins(p), "twin primes (Stanton and Sprott 1958)"


def is_difference_set(s: list[int], n: int) -> bool:
    """Whether all differences but 0 occur equally often."""
    x = np.asarray(s)
    counts = np.bincount(((x[:, None] - x) % n).ravel(), minlength=n)
    return bool((counts[1:] == counts[1]).all())


def singer(q: int, d: int) -> list[int]:
    """Zeros of a linear recurrence of order d + 1 over GF(q) with the longest period, modulo n."""
    n = (q ** (d + 1) - 1) // (q - 1)
    plus, times = (table.tolist() for table in field(q)[:2])
    for coefficients in product(range(q), repeat=d + 1):
        if coefficients[0] == 0:
            continue
        state, zeros = [0] * d + [1], []
        for i in range(n):
            if state[0] == 0:
                zeros.append(i)
            new = 0
            for c, x in zip(coefficients, state, strict=True):
                new = plus[new][times[c][x]]
            state = [*state[1:], new]
        if len(zeros) == (q**d - 1) // (q - 1) and is_difference_set(zeros, n):
            return zeros
    raise AssertionError(f"GF({q}^{d + 1}) has a generator.")


def _cyclotomic(p: int) -> Iterator[tuple[list[int], str]]:
    """Unions of classes of e-th powers modulo p that are difference sets."""
    g = next(g for g in range(2, p) if len({pow(g, i, p) for i in range(p - 1)}) == p - 1)
    for e, name in (
        (2, "squares (Paley 1933)"),
        (4, "fourth powers (Chowla 1944)"),
        (8, "eighth powers (Lehmer 1953)"),
    ):
        if (p - 1) % e == 0 and (p - 1) // e > 1:
            powers = sorted(pow(g, e * i, p) for i in range((p - 1) // e))
            for s, more in ((powers, ""), ([0, *powers], " and 0")):
                if is_difference_set(s, p):
                    yield s, f"{name.replace(' (', more + ' (')}"
    if (p - 1) % 6 == 0 and p in (31, 43, 127, 223, 283):
        for classes in combinations(range(6), 3):
            s = sorted(pow(g, 6 * i + c, p) for i in range((p - 1) // 6) for c in classes)
            if is_difference_set(s, p):
                yield s, "three classes of sixth powers (Hall 1956)"


def _twins(p: int) -> list[int]:
    q = p + 2
    squares_p, squares_q = ({x * x % r for x in range(1, r)} for r in (p, q))
    chosen = [
        x
        for x in range(p * q)
        if x % q == 0 or (x % p and (x % p in squares_p) == (x % q in squares_q))
    ]
    return chosen


def squares(p: int) -> Rows:
    """{(x, x^2)} in C_p x C_p: Gauss sums."""
    x = np.arange(p)
    return np.stack([x, x * x % p], axis=1)


def graph(k: int, j: int) -> tuple[Rows, str]:
    """{(x, F(x))} in Z_2^(k+j), F to j bits, with small Walsh sums; and what F is."""
    x = range(1 << k)
    h = k // 2
    if k % 2 == 0 and j <= h:
        components = _bits([times_bits(a >> h, a & ((1 << h) - 1), h) for a in x], h)
        name = "graph of a bent function y z (Maiorana 1970, McFarland 1973, Nyberg 1991)"
    elif k % 2 == 0:
        components = _bits([_power(a, 1 + 2**h, k) for a in x], k)
        components += _bits([_power(a, 1 + 2 ** (h - 1), k) for a in x], k)
        name = "graph of two quadratic powers (Delsarte and Goethals 1975)"
    else:
        components = _bits([_power(a, 3, k) for a in x], k) + _bits([_power(a, 5, k) for a in x], k)
        name = "graph of x^3 (Gold 1968)" if j <= k else "graph of x^3 and x^5 (a BCH code, 1960)"
    columns = [[a >> i & 1 for a in x] for i in range(k)] + components[:j]
    return np.array(columns).T, name


def _power(a: int, e: int, k: int) -> int:
    b = 1
    for _ in range(e):
        b = times_bits(b, a, k)
    return b


def _bits(values: list[int], k: int) -> list[list[int]]:
    """The bits of the values, each a function, without those that are sums of the ones before."""
    found: list[list[int]] = []
    for i in range(k):
        new = [v >> i & 1 for v in values]
        sums = (
            [sum(c) % 2 for c in zip(*part, strict=True)]
            for size in range(1, len(found) + 1)
            for part in combinations(found, size)
        )
        if any(new) and new not in sums:
            found.append(new)
    return found


def bent_set(d: int) -> Rows:
    """{(y, z): y . z = 1} in Z_2^d, d even: 2^(d-1) - 2^(d/2-1) elements, a difference set."""
    x = np.array(list(product((0, 1), repeat=d)))
    return x[(x[:, : d // 2] * x[:, d // 2 :]).sum(axis=1) % 2 == 1]


def times_bits(a: int, b: int, k: int) -> int:
    """The product in GF(2^k)."""
    c = 0
    while b:
        c ^= a * (b & 1)
        a <<= 1
        if a >> k:
            a ^= _MODULUS[k]
        b >>= 1
    return c
