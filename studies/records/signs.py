"""Orthogonal arrays of signs: sets in Z_2^d that are exact on all functions of at most t signs.

S has strength t if in any t columns all 2^t patterns occur equally often; then each character of
weight 1..t sums to 0 over S. A linear array has column j = a vector h_j of F_2^r and as rows all
(<u, h_1>, ..., <u, h_d>): strength t if no t or fewer of the h_j sum to 0, which is to say that they
are the checks of a code of distance t + 1. An array of strength 2e for d - 1 signs gives one of
strength 2e + 1 for d signs and twice as many rows: add the complement, and a sign that tells the two
apart. So the even strengths are the question, and the odd ones follow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from studies.records import Record, Rows
from studies.records.codes import krawtchouk
from studies.records.groups import is_prime
from studies.records.sizes import array_size
from studies.records.table import encoded

EVERY = 24
"""Signs up to which every number of them has a record; strengths 2 and 3 go on in steps of 4 to 40."""

PRIMITIVE = {3: 0b1011, 4: 0b10011, 5: 0b100101, 8: 0b100011101, 11: 0b100000000101}
"""Polynomials over GF(2) whose root generates GF(2^s)*."""

# fmt: off
WAGNER = (18, 33, 61, 62, 107, 151, 195, 272, 276, 282, 288, 293, 296, 349, 351, 358, 376, 409, 430, 431,
          436, 496, 508)
"""23 vectors of F_2^9 of which no four or fewer sum to 0; found by a greedy search for sets that an
exchange of coordinates keeps."""

MATCHED = (2, 3, 5, 9, 12, 14, 16, 20, 23, 25, 26, 31, 32, 37, 38, 40, 43, 47, 49, 51, 54, 58, 60, 61)
# fmt: on
"""24 vertices of the cube of 6 dimensions: each has one neighbour there, each other vertex three."""

LARGEST_QUOTIENT = 14
"""Checks r of a code whose cosets are searched: arrays of 2^r integers."""


class Array(NamedTuple):
    """The rows plus all sums of the generators; where it is from."""

    rows: Rows
    generators: Rows
    source: str


def known() -> Iterator[Record]:
    """Constructions and the literature, for every task."""
    for task in tasks():
        yield _record(task, best_array(_signs(task), task["degree"]))


def tasks() -> list[Record]:
    """The numbers of signs and the strengths."""
    sizes = {t: list(range(t + 1, EVERY + 1)) for t in range(2, 8)}
    for t in (2, 3):
        sizes[t] += range(EVERY + 1 + t, 41, 4)
    return [
        {"group": f"Z2^{d}", "criterion": "exact", "degree": t} for t in sizes for d in sizes[t]
    ]


def best_array(d: int, t: int) -> Array:
    """The smallest array of strength t that is known here."""
    if t % 2:
        return _with_complement(best_array(d - 1, t - 1))
    if t == 2:
        return _hadamard_array(d)
    if t == 4 and 12 <= d <= 15:
        return _nordstrom_robinson(d)
    if (d, t) == (12, 6):
        return _twelve_signs()
    for source, columns in _linear_columns(t):
        if d <= len(columns):
            return Array(np.zeros((1, d), np.int64), _spanning(columns[:d]), source)
    whole = best_array(d, t + 1)
    return whole._replace(source=f"{whole.source}, of strength {t + 1}")


def _linear_columns(t: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Longest known lists of columns in F_2^r, r rising, of which no t or fewer sum to 0."""
    for r in range(t, t + 2 if t == 4 else t + 3):
        yield "dual of the code that repeats one sign", (*(1 << i for i in range(r)), (1 << r) - 1)
    if t == 4:
        yield "dual of a code [8,2,5]", (1, 2, 4, 8, 16, 32, 0b001111, 0b110011)
        yield "dual of a code [11,4,5]", (8, 9, 11, 23, 25, 41, 49, 52, 74, 101, 127)
        yield "dual of the quadratic residue code [17,9,5]", _cyclic(17, 8, (1,))
        yield "dual of a code [23,14,5] (Wagner 1965)", WAGNER
        yield "dual of the BCH code [31,21,5]", _cyclic(31, 5, (1, 3))
    else:
        two = (*(1 << i for i in range(9)), 0b000111111, 0b111111000)
        yield "dual of a code [11,2,7]", two
        yield "dual of the BCH code [15,5,7]", _cyclic(15, 4, (1, 3, 5))
        yield "dual of the Golay code [23,12,7]", _cyclic(23, 11, (1,))


def _cyclic(n: int, s: int, powers: tuple[int, ...]) -> tuple[int, ...]:
    """(b^p, ...) for b = 1, a, a^2, ..., a of order n in GF(2^s), p the given powers."""
    root = _field(s)
    step = len(root) // n
    return tuple(
        sum(root[step * p * j % len(root)] << s * i for i, p in enumerate(powers)) for j in range(n)
    )


def _field(s: int) -> list[int]:
    """The powers of a generator of GF(2^s)*."""
    powers = [1]
    while len(powers) < 2**s - 1:
        twice = powers[-1] << 1
        powers.append(twice ^ PRIMITIVE[s] if twice >> s else twice)
    return powers


def _spanning(columns: tuple[int, ...]) -> Rows:
    """Independent rows of the matrix with these columns."""
    length = max(columns).bit_length()
    rows = np.array([[column >> i & 1 for column in columns] for i in range(length)])
    return _echelon(rows)


def _echelon(rows: Rows) -> Rows:
    """A reduced basis over GF(2)."""
    rows, rank = rows.copy(), 0
    for j in range(rows.shape[1]):
        pivots = rank + np.flatnonzero(rows[rank:, j])
        if len(pivots):
            rows[[rank, pivots[0]]] = rows[[pivots[0], rank]]
            others = np.flatnonzero(rows[:, j])
            rows[others[others != rank]] ^= rows[rank]
            rank += 1
    return rows[:rank]


def _with_complement(array: Array) -> Array:
    """One sign more, and twice the rows: of strength 2e + 1 where the array has strength 2e."""
    rows = np.pad(array.rows, ((0, 0), (0, 1)))
    generators = np.pad(array.generators, ((0, 0), (0, 1)))
    ones = np.ones((1, rows.shape[1]), np.int64)
    return Array(rows, np.concatenate([generators, ones]), f"{array.source}, with complements")


def _nordstrom_robinson(d: int) -> Array:
    """At the points (x, e) != 0 of GF(8) x GF(2): the linear forms plus tr((a x)^3) + e tr(a x).

    Differences of these eight quadratic forms have full rank, so with the constants this is Kerdock's
    form of the code of Nordstrom and Robinson (1967), whose dual distance is 6.
    """
    root = _field(3)
    log = {x: i for i, x in enumerate(root)}
    trace = [0, 1, 0, 1, 0, 1, 0, 1]  # x^3 = x + 1: tr 1 = 1, tr x = tr x^2 = 0
    points = [(i >> 1, i & 1) for i in range(1, d + 1)]

    def form(a: int, x: int, e: int) -> int:
        if not a * x:
            return 0
        power = log[a] + log[x]
        return trace[root[3 * power % 7]] ^ e * trace[root[power % 7]]

    rows = np.array([[form(a, x, e) for x, e in points] for a in range(8)])
    linear = _spanning(tuple(2 * x + e for x, e in points))
    return Array(rows, linear, "8 cosets in the code of Nordstrom and Robinson (1967)")


def _twelve_signs() -> Array:
    """OA(768, 12, 6), as Fon-Der-Flaass 2007 found it (with complements: OA(1536, 13, 7)).

    Write twelve signs as (a, a + k), a and k of 6 signs. Rows are those with k in `MATCHED` and
    sum of a_i over i != j equal to k_j, where k + e_j is the neighbour of k there.
    """
    rows = []
    for k in MATCHED:
        j = next(i for i in range(6) if k ^ 1 << i in MATCHED)
        for a in range(64):
            if (a & ~(1 << j)).bit_count() % 2 == k >> j & 1:
                rows.append([x >> i & 1 for x in (a, a ^ k) for i in range(6)])
    source = "24 of the 64 sums of two halves (Fon-Der-Flaass 2007)"
    return Array(np.array(rows), np.zeros((0, 12), np.int64), source)


def _hadamard_array(d: int) -> Array:
    """A Hadamard matrix of order 4 ceil((d + 1) / 4) without its first column, which is constant."""
    order = 4 * (d // 4 + 1)
    if order & (order - 1) == 0:
        zero = np.zeros((1, d), np.int64)
        return Array(zero, _spanning(tuple(range(1, d + 1))), "Hadamard matrix (Sylvester 1867)")
    matrix = hadamard(order)
    rows = ((1 - matrix * matrix[0] * (matrix * matrix[0])[:, :1]) // 2)[:, 1 : d + 1]
    return Array(rows, np.zeros((0, d), np.int64), "Hadamard matrix (Paley 1933)")


def hadamard(order: int) -> Rows:
    """A Hadamard matrix of 1 and -1, from the squares modulo a prime (Paley 1933), or doubled."""
    if is_prime(order - 1):
        signs = _jacobsthal(order - 1)
        matrix = np.ones((order, order), np.int64)
        matrix[1:, 1:] = signs - np.eye(order - 1, dtype=np.int64)
        return matrix
    if is_prime(order // 2 - 1) and order % 8 == 4:
        conference = np.ones((order // 2, order // 2), np.int64)
        conference[0, 0] = 0
        conference[1:, 1:] = _jacobsthal(order // 2 - 1)
        unit = np.eye(order // 2, dtype=np.int64)
        return np.kron(conference, [[1, 1], [1, -1]]) + np.kron(unit, [[1, -1], [-1, -1]])
    return np.kron([[1, 1], [1, -1]], hadamard(order // 2))


def _jacobsthal(q: int) -> Rows:
    """1 where j - i is a square modulo q, 0 where it is 0, else -1."""
    character = np.full(q, -1)
    character[np.arange(1, q) ** 2 % q] = 1
    character[0] = 0
    return character[np.subtract.outer(np.arange(q), np.arange(q)) % q]


def _signs(task: Record) -> int:
    return int(task["group"][3:])


def _record(task: Record, array: Array) -> Record:
    """The candidate, after its strength was found again from all its rows."""
    d, t = _signs(task), task["degree"]
    words = expand(array)
    if len(set(words.tolist())) < len(words) or strength(words, d) < t:
        raise ValueError(f"{array.source} does not have strength {t} on {d} signs.")
    return task | {
        "m": len(words),
        "value": "0",
        "source": array.source,
        "rows": encoded(array.rows),
        "generators": encoded(array.generators),
    }


def expand(array: Array) -> Rows:
    """All rows, each as an integer whose bit j is the sign j."""
    places = 1 << np.arange(array.rows.shape[1])
    words = array.rows @ places
    for generator in array.generators @ places:
        words = np.concatenate([words, words ^ generator])
    return words


def strength(words: Rows, d: int) -> int:
    """The largest t for which the rows have strength t, in integers.

    The squares of the sums of all characters of weight k add up to sum_i K_k(i) #{pairs at distance i},
    K the polynomials of Krawtchouk (Delsarte 1973); it is 0 only if each of them is.
    """
    pairs = np.zeros(d + 1, np.int64)
    for word in words:
        pairs += np.bincount(np.bitwise_count(words ^ word), minlength=d + 1)
    sums = (
        sum(krawtchouk(d, k, i) * n for i, n in enumerate(pairs.tolist())) for k in range(d + 1)
    )
    return next((k - 1 for k, total in enumerate(sums) if k and total), d)


def improve(task: Record, best: Record | None, seed: int, seconds: float) -> Record | None:
    """Anneal unions of cosets of a random code, of a size between the bound and the record.

    The rows are the x whose checks H x are in a set T of F_2^r, H = (I | P). The character of a word c
    sums to 0 over them unless c = u H, and then to |code| times the sum of (-1)^<u, s> over T: so T is
    to have no Fourier coefficient at the u for which u H has weight 1..t.
    """
    end = time.monotonic() + seconds
    rng = np.random.default_rng(seed)
    odd = task["degree"] % 2
    d, t = _signs(task) - odd, task["degree"] - odd
    most = int(best["m"]) >> odd if best else 1 << d
    choices = [
        (m, k)
        for m in range(array_size(d, t)[0], most, 1 << t)
        for k in range(max(0, d - LARGEST_QUOTIENT), d - 1)
        if m % (1 << k) == 0 and m >> k > 1
    ]
    while choices and time.monotonic() < end:
        m, k = choices[rng.integers(len(choices))]
        checks = _random_checks(d, k, t, rng, min(end, time.monotonic() + seconds / 20))
        kernel = _transform(_is_low(checks, d - k, t).astype(np.int64))
        chosen = _anneal(kernel, m >> k, rng, 50_000 + 40 * (m >> k) ** 2)
        if chosen[0] >= 0:
            array = _cosets(chosen, checks, d - k)
            return _record(task, _with_complement(array) if odd else array)
    return None


def _random_checks(d: int, k: int, t: int, rng: np.random.Generator, end: float) -> Rows:
    """The k columns P of checks (I | P), improved at random until few words u H are light."""
    r = d - k
    checks = rng.integers(1, 1 << r, k)
    fewest = int(_is_low(checks, r, t).sum())
    for _ in range(200 * bool(k)):
        tried = checks.copy()
        tried[rng.integers(k)] = rng.integers(1, 1 << r)
        count = int(_is_low(tried, r, t).sum())
        if count <= fewest:
            checks, fewest = tried, count
        if time.monotonic() > end:
            break
    return checks


def _is_low(checks: Rows, r: int, t: int) -> NDArray[np.bool_]:
    """For which u the word u (I | P) has weight 1..t."""
    words = np.arange(1 << r)
    weights = np.bitwise_count(words).astype(np.int64)
    for column in checks:
        weights += np.bitwise_count(words & column) & 1
    return (weights > 0) & (weights <= t)


def _transform(values: Rows) -> Rows:
    """Walsh and Hadamard: the sums of values[u] (-1)^<u, x>."""
    half = 1
    while half < len(values):
        low, high = values.reshape(-1, 2, half).transpose(1, 0, 2)
        values = np.stack([low + high, low - high], 1).reshape(-1)
        half *= 2
    return values


def _cosets(chosen: Rows, checks: Rows, r: int) -> Array:
    """The words whose checks are chosen, as cosets of the code with checks 0."""
    places = np.arange(r)
    rows = np.pad(chosen[:, None] >> places & 1, ((0, 0), (0, len(checks))))
    code = np.concatenate([checks[:, None] >> places & 1, np.eye(len(checks), dtype=np.int64)], 1)
    return Array(rows, code, f"search: annealing of {len(rows)} cosets of a linear code")


@numba.njit(cache=True)
def _anneal(kernel: Rows, size: int, rng: np.random.Generator, steps: int) -> Rows:
    """A set T with the sum of kernel[a ^ b] over its pairs 0, or -1 in all places."""
    n = len(kernel)
    order = rng.permutation(n)
    chosen = order[:size].copy()
    inside = np.zeros(n, np.bool_)
    inside[chosen] = True
    field = np.zeros(n, np.int64)
    for a in chosen:
        for x in range(n):
            field[x] += kernel[x ^ a]
    cost = field[chosen].sum()
    hot = 2.0 * np.sqrt((kernel[1:] ** 2).mean()) + 1e-9
    for step in range(steps):
        if cost == 0:
            return chosen
        heat = hot * 0.02 ** (step / steps)
        i, b = rng.integers(0, size), rng.integers(0, n)
        a = chosen[i]
        if inside[b]:
            continue
        change = 2 * (field[b] - field[a] - kernel[a ^ b] + kernel[0])
        if change <= 0 or rng.random() < np.exp(-change / heat):
            cost += change
            chosen[i], inside[a], inside[b] = b, False, True
            for x in range(n):
                field[x] += kernel[x ^ b] - kernel[x ^ a]
    chosen[:] = -1
    return chosen
