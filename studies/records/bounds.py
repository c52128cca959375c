"""What no set can beat: lower bounds in exact arithmetic, numbers in, numbers out.

S has m elements, repeats allowed; f counts them. M f = mean over S, E = M* M without the constants: its
eigenvalues are the squares of the singular values of D_S, the largest is the deviation squared. With
N = |G| and B(g) the number of pairs (s, t) with s^-1 t = g,
    tr E = N B(1)/m^2 - 1,    tr E^2 = N sum B^2 / m^4 - 1,    tr E^k = N (closed words)/m^(2k) - 1,
and B(1) >= m. Functions that return a Fraction bound the square of the deviation from below.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, gcd, isqrt, perm
from typing import NamedTuple

from studies.records import delsarte
from studies.records.codes import least_sum

DIGITS = 12
"""Decimals of a bound that is not a root of a rational number, rounded down."""

LONGEST = 64
"""Closed words of up to twice this many letters are tried."""


class Facts(NamedTuple):
    """What the bounds need to know of a group: its order (0: infinite), elements of order 2."""

    order: int
    involutions: int
    abelian: bool

    @property
    def is_signs(self) -> bool:
        """Every element is its own inverse."""
        return self.order > 0 and self.involutions == self.order - 1


@lru_cache(maxsize=4096)
def least_deviation(name: str, m: int, degree: int | None = None) -> tuple[str, str]:
    """The best lower bound of the deviation of m elements of a group, as text, and why.

    >>> least_deviation("C13", 4)
    ('sqrt(3/16)', 'floor: the squares of all Fourier coefficients add up to |G|/m')
    """
    if m == 1:
        return "1", "one element moves nothing evenly"
    group, found = facts(name), []
    if degree is not None and not _is_whole(name, degree):
        found.append(_by_degree(name, m, degree))
        if name == "SO3":
            found.append((delsarte.least_square(degree, m), _PROGRAM))
    elif not group.order:
        found.append((Fraction(4 * (m - 1), m * m), "closed walks in a tree (Kesten 1959)"))
    else:
        found.append((floor(group.order, m), _FLOOR))
        found.append((pairs(group.order, group.involutions, m), _PAIRS))
        found.append(walks(group, m))
    square, because = max(found, key=lambda pair: pair[0])
    if group.is_signs:
        j = _next_sum(square, m)
        if Fraction(j, m) ** 2 > square:
            because += "; sums of m signs have the parity of m"
        if degree is None or _is_whole(name, degree):
            least, why = least_sum(group.order.bit_length() - 1, m, j)
            because = f"sums are those of a linear code: {why}" if least > j else because
            j = least
        square = Fraction(j, m) ** 2
    return text(square), because


_FLOOR = "floor: the squares of all Fourier coefficients add up to |G|/m"
_PROGRAM = "linear programming (Delsarte 1973): a non-negative class function, checked in integers"
_PAIRS = "quotients of pairs are whole numbers: sum of fourth powers over sum of squares"


def floor(order: int, m: int) -> Fraction:
    """No deviation is smaller: the mean of the N - 1 eigenvalues of E.

    tr E = (N sum f^2 - m^2) / m^2, and with r = m mod N the integers f with sum m have
    N sum f^2 - m^2 >= r (N - r). For m <= N this is (N - m) / (m (N - 1)).
    """
    r = m % order
    return Fraction(r * (order - r), m * m * (order - 1))


def pairs(order: int, involutions: int, m: int) -> Fraction:
    """tr E^2 / tr E, at its least over all ways to spread the m^2 quotients s^-1 t.

    B(g) = B(g^-1) are integers, even where g = g^-1 (the pairs (s, t) and (t, s) differ), and sum to
    m^2; B(1) = b is a sum of squares with sum of roots m, so b = m mod 2. For each b the rest is spread
    as evenly as can be. E^2 / E >= mean of E, which grows with b: so only few b need a look.
    """
    q, r = divmod(m, order)
    b = r * (q + 1) ** 2 + (order - r) * q**2
    if order * b == m * m:
        return Fraction(0)
    best = Fraction(m * m)
    while b <= m * m and best > Fraction(order * b - m * m, order - 1):
        fourth = b * b + _spread((m * m - b) // 2, order - 1, involutions)
        best = min(best, Fraction(order * fourth - m**4, order * b - m * m))
        b += 2
    return best / (m * m)


def walks(group: Facts, m: int) -> tuple[Fraction, str]:
    """(tr E^k / tr E)^(1/(k-1)) for the best k, with the closed words that every group has.

    Words s1^-1 t1 ... sk^-1 tk in the numbers 1..m of the members of S: c_k of them cancel whatever the
    group is. If elements repeat there are more: C_k >= (B(1)/m) c_k, and as c_k <= m^(2k-1) the quotient
    is least where B(1) = m. For let f(i) members equal the i-th, so that sum_i f(i) = B(1).

    All groups: a word that cancels is i u i v with closed walks u, v of the tree, u without i on its
    first level. For j equal to i as an element let u' be u with i and j exchanged: i u' j v is closed in
    the group too. It tells i (its first letter), j (the other letter that occurs oddly often; i if there
    is none) and the place of j (the first one on the first level of what follows i): f(i) words for each
    word that begins with i, no two the same, and each i begins c_k/m of the words.
    Abelian groups: let the s be the same elements as the t in some order. The last t that is the element
    of s1 = i can be any of f(i) members; at most one of them makes the numbers agree as well.
    Signs: the same for the last letter that is the element of the first.
    """
    order, kind = group.order, ("signs" if group.is_signs else "abelian" if group.abelian else "")
    best, length = 0, 0
    for k in range(2, LONGEST + 1):
        excess = order * closed_words(m, k, kind) - m ** (2 * k)
        if m >= order or excess <= 0:
            break
        root = _root(Fraction(excess, (order - m) * m ** (2 * k - 1)), 2 * k - 2)
        best, length = max((best, length), (root, 2 * k))
    return Fraction(best, 10**DIGITS) ** 2, f"closed words of {length} letters that every group has"


def degree_floor(n: int, t: int, m: int) -> Fraction:
    """Permutations of n, functions of at most t items: the floor on ordered tuples.

    D = n (n-1) ... (n-t+1) tuples go to tuples by an integer matrix with row sums m. With r = m mod D
    the squares of a row are at least r (D - r) / D from even, and E has D - 1 eigenvalues:
    r (D - r) / (m^2 (D-1)). Functions of fewer items are among them: the best of all t' <= t holds.
    """
    tuples = [perm(n, j) for j in range(1, t + 1)]
    return max(Fraction((m % D) * (D - m % D), m * m * (D - 1)) for D in tuples if D > 1)


def text(square: Fraction) -> str:
    """The root as it is written in a record: a rational number, a root, or a decimal rounded down.

    >>> text(Fraction(9, 49)), text(Fraction(3, 16))
    ('3/7', 'sqrt(3/16)')
    """
    p, q = isqrt(square.numerator), isqrt(square.denominator)
    if p * p == square.numerator and q * q == square.denominator:
        root = Fraction(p, q)
        if 10**DIGITS % q == 0 and q > 10**6:
            return f"0.{p * (10**DIGITS // q):0{DIGITS}d}".rstrip("0")
        return str(root)
    return f"sqrt({square})"


def facts(name: str) -> Facts:
    """Order and involutions by name: S10, A7, B4, C91, C28xC28, Z2^11, D7, Grid8, S3xS10, SO3."""
    order, roots, abelian = 1, 1, True  # roots of the identity
    for part in name.split("x"):
        match = re.fullmatch(r"([A-Za-z]+)(\d+)(?:\^(\d+))?", part)
        if match is None:
            raise ValueError(f"no facts are known of the group {name}.")
        one = _factor(match[1], int(match[2]))
        power = int(match[3] or 1)
        order, roots = order * one.order**power, roots * (one.involutions + 1) ** power
        abelian &= one.abelian
    return Facts(order, roots - 1, abelian)


def _factor(letters: str, n: int) -> Facts:
    g = gcd(2, n)
    pairs = range(n // 2 + 1 if letters in ("S", "A", "B") else 0)
    swaps = [factorial(n) // (factorial(j) * factorial(n - 2 * j) * 2**j) for j in pairs]
    match letters:
        case "C" | "Z":
            return Facts(n, g - 1, True)
        case "S":
            return Facts(factorial(n), sum(swaps) - 1, n < 3)
        case "A":
            return Facts(max(factorial(n) // 2, 1), sum(swaps[::2]) - 1, n < 4)
        case "B":  # a sign for each point that stays, one for each two that are exchanged
            signed = sum(count * 2 ** (n - j) for j, count in enumerate(swaps))
            return Facts(factorial(n) * 2**n, signed - 1, n < 2)
        case "D":
            return Facts(2 * n, n + g - 1, n < 3)
        case "Grid":  # shifts, half turns, two mirrors along the axes, two along the diagonals
            return Facts(8 * n * n, g * g + n * n + 2 * g * n + 2 * n - 1, False)
        case "SO":
            return Facts(0, 0, n < 3)
    raise ValueError(f"no facts are known of the group {letters}{n}.")


def closed_words(m: int, k: int, kind: str = "") -> int:
    """Words s1^-1 t1 ... sk^-1 tk in m letters that are 1 in every group, "abelian" one, or "signs".

    In all groups: closed walks of 2k steps in the tree with m edges at each vertex. In abelian groups
    the s and the t are the same letters in some order; if all s^2 = 1, each letter occurs evenly often.
    """
    return _counts(m, kind)[k]


@lru_cache(maxsize=1024)
def _counts(m: int, kind: str) -> list[int]:
    if kind == "signs":
        even = range(0, 2 * LONGEST + 1, 2)
        return [sum(comb(m, j) * (m - 2 * j) ** e for j in range(m + 1)) // 2**m for e in even]
    if (
        kind == "abelian"
    ):  # (k!)^2 times the coefficients of (sum x^j / j!^2)^m, by the rule for powers
        p = [Fraction(1, factorial(j) ** 2) for j in range(LONGEST + 1)]
        q = [Fraction(1)]
        for k in range(1, LONGEST + 1):
            terms = [(j * m - k + j) * p[j] * q[k - j] for j in range(1, k + 1)]
            q.append(sum(terms, Fraction(0)) / k)
        return [int(x / y) for x, y in zip(q, p, strict=True)]
    found, here = [], [1]  # walks by distance from the start
    for step in range(2 * LONGEST + 1):
        if step % 2 == 0:
            found.append(here[0])
        out = [0, *(x * (m - 1 if d else m) for d, x in enumerate(here))]
        here = [x + y for x, y in zip(out, [*here[1:], 0, 0], strict=True)]
    return found


def _spread(units: int, size: int, involutions: int) -> int:
    """The least sum of B(g)^2 over g != 1 with sum 2 * units.

    A unit is 2 at an involution or 1 at g and 1 at g^-1; from B = 2x or y, y the next one costs 8x + 4
    or 4y + 2. The cheapest first: in turn all pairs, all involutions, all pairs.
    """
    full, rest = divmod(units, size)
    cost, couples = 4 * full * full * size, (size - involutions) // 2
    for available, price in ((couples, 2), (involutions, 4), (couples, 6)):
        taken = min(rest, available)
        cost, rest = cost + taken * (8 * full + price), rest - taken
    return cost


def _by_degree(name: str, m: int, degree: int) -> tuple[Fraction, str]:
    """The floor for functions of a degree: on tuples, or with the functions of half the degree.

    F = |k|^2 / k(1) with k the reproducing kernel of half the degree is positive, of the degree, has
    mean 1 and F(1) = K, its dimension: 1 + (K - 1) norm^2 >= mean of F over pairs of S >= K / m. If the
    degree is odd, characters of one coordinate more may join that all move the first one.
    """
    sizes = moduli_of(name)
    if name[0] == "S" and name[1:].isdigit():
        n = int(name[1:])
        return degree_floor(n, degree, m), f"floor: whole numbers on the tuples of {degree} of {n}"
    if sizes:
        K = sum(_words(sizes, j) for j in range(degree // 2 + 1))
        K += degree % 2 * (sizes[0] - 1) * _words(sizes[1:], degree // 2)
    elif name == "SO3":
        K = comb(degree + 3, 3)  # half-integer l where the degree is odd
    else:
        return Fraction(0), "none is known"
    if m >= K:
        return Fraction(0), "none is known"
    return Fraction(K - m, m * (K - 1)), f"floor: {K} functions of half the degree"


def moduli_of(name: str) -> list[int]:
    """Of an abelian group; none for others."""
    parts = [re.fullmatch(r"[CZ](\d+)(?:\^(\d+))?", part) for part in name.split("x")]
    if not all(parts):
        return []
    return [int(part[1]) for part in parts if part for _ in range(int(part[2] or 1))]


def _words(sizes: list[int], weight: int) -> int:
    """Characters that move exactly so many coordinates."""
    counts = [1] + [0] * weight
    for size in sizes:
        for j in range(weight, 0, -1):
            counts[j] += (size - 1) * counts[j - 1]
    return counts[weight]


def _is_whole(name: str, degree: int) -> bool:
    """Whether functions of this degree are all functions."""
    if re.fullmatch(r"S\d+", name):
        return degree >= int(name[1:]) - 1
    return 0 < len(moduli_of(name)) <= degree


def _next_sum(square: Fraction, m: int) -> int:
    """The least j with (j/m)^2 not below the bound and j = m mod 2: a sum of m signs."""
    j = m % 2
    while Fraction(j * j, m * m) < square:
        j += 2
    return j


def _root(number: Fraction, power: int) -> int:
    """The root times 10^DIGITS, rounded down, by Newton's method from above."""
    target = number.numerator * 10 ** (DIGITS * power) // number.denominator
    x = 1 << -(-target.bit_length() // power)
    while True:
        y = ((power - 1) * x + target // x ** (power - 1)) // power
        if y >= x:
            return x
        x = y
