"""What the rows of a record are, in integers: counts of tuples and quotients, eigenvalues.

Only the check uses it. Where a number is not rational, it is enclosed: characters of abelian groups in
ball arithmetic, and every other norm of few dimensions by its characteristic polynomial. All of whose
roots are real, so that by Descartes as many are above c as the coefficients of p(x + c) change sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from math import comb, lcm

import flint
import numpy as np
from numpy.typing import NDArray

from studies.records import Rows
from studies.records.elements import Factor, composed, split

MOST_DIMENSIONS = 240
"""Of a matrix whose characteristic polynomial is computed: a second."""

MOST_IN_FLOATS = 1000
"""Of a matrix that is enclosed by a factorisation in floats."""

MOST_CHARACTERS = 1100
"""Of an abelian group whose characters are summed in ball arithmetic: some seconds."""


def moves_tuples_evenly(rows: Rows, group: list[Factor], t: int) -> bool:
    """Any t coordinates together take all their values, each equally often.

    Coordinates are the images of points, of axes with their signs, or cyclic coordinates; points of one
    factor have different images, everything else is possible.
    """
    columns = list(_coordinates(rows, group))
    t = min(t, len(columns))
    for chosen in combinations(columns, t):
        code, cells, possible = np.zeros(len(rows), np.int64), 1, 1
        seen: dict[int, int] = {}
        for factor, values, column in chosen:
            code = code * values + column
            cells *= values
            letter, taken = group[factor].letter, seen.get(factor, 0)
            free = values - taken
            possible *= 1 if letter == "A" and free == 2 else free  # the parity decides
            seen[factor] = taken + _blocked(letter)  # images that are no longer free
        counts = np.bincount(code, minlength=cells)
        counts = counts[counts > 0]
        if len(counts) != possible or counts.min() != counts.max():
            return False
    return True


def _blocked(letter: str) -> int:
    """How many values of the next coordinate the image of one point takes away."""
    return {"S": 1, "A": 1, "B": 2}.get(letter, 0)


def _coordinates(rows: Rows, group: list[Factor]) -> Iterator[tuple[int, int, Rows]]:
    """(number of the factor, how many values, the values) for each coordinate."""
    for number, (factor, part) in enumerate(split(rows, group)):
        letter, n, _ = factor
        if letter in "SA":
            yield from ((number, n, part[:, i]) for i in range(n))
        elif letter == "B":
            yield from ((number, 2 * n, 2 * part[:, i] + part[:, n + i]) for i in range(n))
        elif letter in "CZ":
            yield number, n, part[:, 0]
        else:
            raise ValueError(f"{letter}{n} has no coordinates")


def walsh_sums(rows: Rows, t: int | None) -> NDArray[np.int64]:
    """The sums of all characters of Z_2^d of weight 1..t (None: all) over the rows."""
    d = rows.shape[1]
    if t is None or (d <= 24 and 2**d * d < len(rows) * _words(d, t // 2) * _words(d, t - t // 2)):
        return _transformed(rows, t or d)
    signs = (1 - 2 * rows).T.astype(np.float64)  # sums of m signs below 2^53 are exact
    low, high = _products(signs, t // 2), _products(signs, t - t // 2)
    sums = np.rint(low @ high.T).astype(np.int64)
    return sums[np.eye(*sums.shape) == 0]  # without chi chi = 1


def _words(d: int, weight: int) -> int:
    return sum(comb(d, j) for j in range(weight + 1))


def _products(signs: NDArray[np.float64], weight: int) -> NDArray[np.float64]:
    """All products of at most `weight` of the rows, fewest first, in a fixed order."""
    chosen = chain.from_iterable(combinations(range(len(signs)), j) for j in range(weight + 1))
    return np.array([signs[list(word)].prod(axis=0) for word in chosen])


def _transformed(rows: Rows, t: int) -> NDArray[np.int64]:
    """By the fast transform of Walsh and Hadamard."""
    d = rows.shape[1]
    sums = np.bincount(rows @ (1 << np.arange(d)), minlength=1 << d).astype(np.int32)
    for j in range(d):
        pair = sums.reshape(-1, 2, 1 << j)
        pair[:, 0], pair[:, 1] = pair[:, 0] + pair[:, 1], pair[:, 0] - pair[:, 1]
    weight = np.zeros(1, np.int8)
    for _ in range(d):
        weight = np.concatenate([weight, weight + 1])
    return sums[(weight > 0) & (weight <= t)].astype(np.int64)


def are_middles_even(orders: Rows) -> bool:
    """After each order its reverse, and of any three items each in the middle equally often."""
    if len(orders) % 2 or (orders[1::2] != orders[::2, ::-1]).any():
        return False
    places = np.argsort(orders, axis=1)
    for i, j, k in combinations(range(orders.shape[1]), 3):
        a, b, c = places[:, i], places[:, j], places[:, k]
        middle = [((a - b) * (a - c) < 0).sum(), ((b - a) * (b - c) < 0).sum()]
        if any(3 * count != len(orders) for count in middle):
            return False
    return True


def are_neighbours_even(orders: Rows) -> bool:
    """Each item comes right after each other equally often."""
    n = orders.shape[1]
    follows = np.bincount((orders[:, :-1] * n + orders[:, 1:]).ravel(), minlength=n * n)
    different = follows.reshape(n, n)[~np.eye(n, dtype=bool)]
    return len(set(different.tolist())) == 1


def inverses(rows: Rows, group: list[Factor]) -> Rows:
    """The inverse of each row: its last power before the identity."""
    result, power = rows, composed(rows, rows, group)
    unfinished = (power != rows).any(axis=1)  # rows that are not the identity
    while unfinished.any():
        following = composed(power, rows, group)
        back = (following == rows).all(axis=1) & unfinished  # power was the identity
        unfinished &= ~back
        result = np.where(unfinished[:, None], power, result)
        power = following
    return result


def quotient_counts(rows: Rows, group: list[Factor]) -> dict[bytes, int]:
    """How often each element is s^-1 t, s and t in S."""
    counts: dict[bytes, int] = {}
    for row in inverses(rows, group):
        for quotient in composed(np.tile(row, (len(rows), 1)), rows, group):
            key = quotient.tobytes()
            counts[key] = counts.get(key, 0) + 1
    return counts


def difference_set(rows: Rows, group: list[Factor], order: int) -> Fraction | None:
    """The deviation squared where every g != 1 is a quotient equally often: (B(1) - lambda) / m^2."""
    if len(rows) ** 2 > 10**6:
        return None
    counts = quotient_counts(rows, group)
    one = counts.pop(max(counts, key=lambda key: key == _identity_key(rows, group)))
    values = set(counts.values()) | ({0} if len(counts) < order - 1 else set())
    if len(values) > 1:
        return None
    return Fraction(one - (values.pop() if values else 0), len(rows) ** 2)


def _identity_key(rows: Rows, group: list[Factor]) -> bytes:
    return composed(inverses(rows[:1], group), rows[:1], group)[0].tobytes()


def regular_matrix(rows: Rows, group: list[Factor], everything: Rows) -> NDArray[np.int64]:
    """How often s x = y, s in S, for all elements x and y."""
    number = {row.tobytes(): i for i, row in enumerate(everything)}
    matrix = np.zeros((len(everything),) * 2, np.int64)
    for x, row in enumerate(everything):
        moved = composed(rows, np.tile(row, (len(rows), 1)), group)
        np.add.at(matrix, ([number[y.tobytes()] for y in moved], x), 1)
    return matrix


def tuple_matrix(rows: Rows, n: int, t: int) -> NDArray[np.int64]:
    """How often the tuple x of different points goes to the tuple y."""
    tuples = np.array([x for x in product(range(n), repeat=t) if len(set(x)) == t])
    code = n ** np.arange(t)
    number = np.full(n**t, -1)
    number[tuples @ code] = np.arange(len(tuples))
    matrix = np.zeros((len(tuples),) * 2, np.int64)
    for row in rows:
        np.add.at(matrix, (number[row[tuples] @ code], np.arange(len(tuples))), 1)
    return matrix


class Squares:
    """The squared singular values, times m^2, of a matrix of counts with row sums m, without one m^2."""

    def __init__(self, matrix: NDArray[np.int64]) -> None:
        gram = matrix.T @ matrix
        polynomial = flint.fmpz_mat(gram.tolist()).charpoly()
        m2 = int(matrix.sum(axis=0)[0]) ** 2
        self.polynomial, rest = divmod(polynomial, flint.fmpz_poly([-m2, 1]))
        if any(rest.coeffs()):
            raise ValueError("the constant vector is not an eigenvector")

    def above(self, c: Fraction) -> int:
        """How many are larger than c."""
        shift = flint.fmpq_poly([flint.fmpq(c.numerator, c.denominator), 1])
        signs = [x > 0 for x in flint.fmpq_poly(self.polynomial)(shift).coeffs() if x != 0]
        return sum(a != b for a, b in pairwise(signs))

    def has(self, c: Fraction) -> bool:
        """Whether c is one of them."""
        return flint.fmpq_poly(self.polynomial)(flint.fmpq(c.numerator, c.denominator)) == 0

    def is_largest(self, c: Fraction) -> bool:
        """Whether c is one of them and none is larger."""
        return self.has(c) and self.above(c) == 0

    def encloses(self, low: Fraction, high: Fraction) -> bool:
        """Whether the largest is in [low, high]."""
        return self.above(high) == 0 and (self.above(low) > 0 or self.has(low))


def encloses_nearly(matrix: NDArray[np.int64], low: Fraction, high: Fraction) -> bool:
    """What `Squares.encloses` says, with one part in 10^9 more room on either side, for larger matrices.

    Above: with c = high, t n >= m^2 and integers throughout, c - G + t (all ones) is positive. If the
    factorisation of Cholesky of A - e in floats ends, A is positive for e > (n + 2) u tr(A) and the
    rounding of the diagonal (Rump 2006). Below: Rayleigh's quotient of an integer vector with sum 0.
    """
    n, m = len(matrix), int(matrix.sum(axis=0)[0])
    gram = matrix.astype(np.float64).T @ matrix  # integers below 2^53: exact
    A = np.float64(-(-m * m // n)) - gram
    A.flat[:: n + 1] += float(high * (1 + _ROOM / 2))
    A.flat[:: n + 1] -= (n + 8) * 2.0**-52 * np.trace(A)
    try:
        np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return False
    vector = np.linalg.eigh(gram - m * m / n)[1][:, -1]
    whole = np.rint(vector * 2**20).astype(np.int64).astype(object)
    whole = n * whole - whole.sum()
    image = matrix.astype(object) @ whole
    return bool(Fraction(image @ image, whole @ whole) >= low * (1 - _ROOM))


_ROOM = Fraction(1, 10**9)


def largest_character(rows: Rows, moduli: list[int]) -> tuple[Fraction, Fraction]:
    """Both ends of the largest |sum of chi over S|^2 of all characters but 1, in ball arithmetic.

    It is the sum over d of (number of differences d) cos(2 pi <w, d>), with w.d in multiples of 1/lcm.
    """
    common = lcm(*moduli)
    differences = (rows[:, None] - rows[None]).reshape(-1, rows.shape[1]) % np.array(moduli)
    distinct, counts = np.unique(differences, axis=0, return_counts=True)
    flint.ctx.prec = 100
    cosines = [(flint.arb(2 * k) / common).cos_pi() for k in range(common)]
    steps = distinct * (common // np.array(moduli))
    low = high = Fraction(0)
    for w in product(*map(range, moduli)):
        if any(w):
            turns = np.bincount(steps @ np.array(w) % common, weights=counts, minlength=common)
            total = sum((int(c) * cosines[k] for k, c in enumerate(turns) if c), flint.arb(0))
            low, high = max(low, end_of(total, -1)), max(high, end_of(total, 1))
    return low, high


def end_of(ball: flint.arb, side: int) -> Fraction:
    """The lower or the upper end of a ball."""
    end = ball.lower() if side < 0 else ball.upper()
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
