"""Finite fields GF(q), q a prime power up to 1,024, as tables; the constructions need nothing else.

An element is a number 0..q-1, the value at p of a polynomial over the integers mod p: its base-p digits
are the coefficients. Polynomials are multiplied modulo the first monic one, in numerical order, for
which x generates all q - 1 non-zero elements; so the field is the same on every machine.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = Rows | np.int64 | int

LARGEST = 1024


@final
@dataclass(frozen=True)
class Field:
    """GF(q) by the powers of a generator: `powers[i]` is x^i, i = 0..q-2. Built by `field`.

    >>> import numpy as np
    >>> from sparseaug.qmc.field import field
    >>> F = field(9)
    >>> F.multiply(np.arange(1, 9), F.inverse(np.arange(1, 9)))
    array([1, 1, 1, 1, 1, 1, 1, 1])
    """

    p: int
    degree: int
    powers: tuple[int, ...]

    @property
    def q(self) -> int:
        """Number of elements."""
        return self.p**self.degree

    def add(self, a: Numbers, b: Numbers) -> Rows:
        """a + b, digit by digit."""
        if self.p == 2:
            return np.bitwise_xor(a, b)
        if self.degree == 1:
            return (np.asarray(a, np.int64) + b) % self.p
        return self._sums[a, b]

    def multiply(self, a: Numbers, b: Numbers) -> Rows:
        """a b, by logarithms."""
        logarithm = self._logarithms[a] + self._logarithms[b]
        product = self._antilogarithms[logarithm % (self.q - 1)]
        return np.where((np.asarray(a) == 0) | (np.asarray(b) == 0), 0, product)

    def inverse(self, a: Numbers) -> Rows:
        """1 / a for a != 0."""
        return self._antilogarithms[-self._logarithms[a] % (self.q - 1)]

    def negative(self, a: Numbers) -> Rows:
        """-a."""
        if self.p == 2:
            return np.asarray(a)
        return self.multiply(a, self._antilogarithms[(self.q - 1) // 2])

    def power(self, a: Numbers, k: int) -> Rows:
        """a^k for k >= 1."""
        return np.where(
            np.asarray(a) == 0, 0, self._antilogarithms[self._logarithms[a] * k % (self.q - 1)]
        )

    def is_square(self, a: Numbers) -> Rows:
        """Whether a is a square (0 is)."""
        return (self._logarithms[a] % 2 == 0) | (np.asarray(a) == 0) | (self.p == 2)

    @cached_property
    def _antilogarithms(self) -> Rows:
        return np.array(self.powers, np.int64)

    @cached_property
    def _logarithms(self) -> Rows:
        table = np.zeros(self.q, np.int64)
        table[self._antilogarithms] = np.arange(self.q - 1)
        return table

    @cached_property
    def _sums(self) -> Rows:
        """The table of sums of a field that is neither prime nor of characteristic 2: q <= 961."""
        weights = self.p ** np.arange(self.degree)
        digits = np.arange(self.q)[:, None] // weights % self.p
        return ((digits[:, None] + digits[None]) % self.p) @ weights


@final
class Ring:
    """A product of finite fields with k elements; numbers in mixed radix.

    >>> from sparseaug.qmc.field import Ring
    >>> Ring(12).add(5, 11).tolist()  # (1, 1) + (3, 2) in GF(4) x GF(3)
    2
    """

    def __init__(self, k: int) -> None:
        self._fields = [field(q) for q in prime_powers(k).values()]

    def add(self, a: Numbers, b: Numbers) -> Rows:
        return self._join([F.add(x, y) for F, x, y in self._parts(a, b)])

    def multiply(self, a: Numbers, b: Numbers) -> Rows:
        return self._join([F.multiply(x, y) for F, x, y in self._parts(a, b)])

    def negative(self, a: Numbers) -> Rows:
        return self._join([F.negative(x) for F, x in self._parts(a)])

    def diagonal(self, a: int) -> Rows:
        """The element that is a in every part, a below the order of the smallest."""
        return self._join([np.array(a) for _ in self._fields])

    def character(self, a: int) -> int:
        """1 if multiplication by the unit a is an even permutation, else -1."""
        squares = [bool(F.is_square(x)) for F, x, _ in self._parts(a, a)]
        return 1 if squares.count(False) % 2 == 0 else -1

    def turning_unit(self) -> int:
        """For odd k, the first u with u and 1 + u invertible and c(u) c(1 + u) = -1.

        In a field of odd order q there are (q - 1) / 2 such u, as c(u) c(1 + u) sums to -1, so one field
        can give -1 and the others 1; GF(3) has no u that gives 1, but 3 divides k once only if so.
        """
        one = int(self.diagonal(1))
        size = int(np.prod([F.q for F in self._fields]))
        for u in range(1, size):
            following = int(self.add(u, one))
            units = [int(x) * int(y) for _, x, y in self._parts(u, following)]
            if all(units) and self.character(u) * self.character(following) == -1:
                return u
        raise AssertionError(f"no unit turns the parity in the ring of {size} elements")

    def _parts(self, *numbers: Numbers) -> list[tuple[Any, ...]]:
        parts, rest = [], [np.asarray(number) for number in numbers]
        for F in self._fields:
            parts.append((F, *(number % F.q for number in rest)))
            rest = [number // F.q for number in rest]
        return parts

    def _join(self, parts: list[Rows]) -> Rows:
        total, weight = np.array(0), 1
        for F, part in zip(self._fields, parts, strict=True):
            total = total + weight * part
            weight *= F.q
        return total


@lru_cache(maxsize=32)
def field(q: int) -> Field:
    """GF(q).

    >>> from sparseaug.qmc.field import field
    >>> field(8).powers
    (1, 2, 4, 3, 6, 7, 5)
    """
    p, degree = prime_power(q) or (q, 1)
    # the constant term of the modulus must not vanish, or x would divide 0
    for lower in product(range(p), repeat=degree - 1):
        for constant in range(1, p):
            powers = _powers_of_x(p, (*lower, constant))
            if powers is not None:
                return Field(p, degree, tuple(powers))
    raise AssertionError("every finite field has a generator")


def prime_factors(n: int) -> list[int]:
    """With their multiplicity, rising.

    Examples:
        >>> from sparseaug.qmc.field import prime_factors
        >>> prime_factors(12), prime_factors(1)
        ([2, 2, 3], [])
    """
    factors, p = [], 2
    while p * p <= n:
        while n % p == 0:
            factors.append(p)
            n //= p
        p += 1
    return factors + [n] * (n > 1)


def prime_power(n: int) -> tuple[int, int] | None:
    """(p, k) with n = p^k and p prime; None if there are none.

    >>> from sparseaug.qmc.field import prime_power
    >>> prime_power(27), prime_power(12), prime_power(1)
    ((3, 3), None, None)
    """
    factors = prime_factors(n)
    return (factors[0], len(factors)) if len(set(factors)) == 1 else None


def prime_powers(n: int) -> dict[int, int]:
    """For each prime that divides n, rising, the largest power of it that does.

    >>> from sparseaug.qmc.field import prime_powers
    >>> prime_powers(12), prime_powers(1)
    ({2: 4, 3: 3}, {})
    """
    return {p: p**k for p, k in Counter(prime_factors(n)).items()}


def _powers_of_x(p: int, modulus: tuple[int, ...]) -> list[int] | None:
    """1, x, x^2, ... modulo x^k + modulus (from x^(k-1) down to 1); None if x has a smaller order.

    Multiplying by x shifts the digits; the digit that leaves takes -modulus times itself back in.
    """
    k = len(modulus)
    digits = [0] * (k - 1) + [1]
    powers = [1]
    while len(powers) < p**k:
        lead = digits[0]
        digits = [(d - lead * c) % p for d, c in zip([*digits[1:], 0], modulus, strict=True)]
        value = sum(d * p ** (k - 1 - i) for i, d in enumerate(digits))
        if value == 1:
            break
        powers.append(value)
    return powers if len(powers) == p**k - 1 else None
