"""Sets of shifts: difference sets and squares, whose spectrum is flat, and arrays with mixed levels.

The degree of a character of C_n1 x C_n2 x ... is the number of its non-zero frequencies. If every
non-zero element is a difference of lambda pairs of S, then |chi(S)|^2 = (m - lambda)/m^2 for all
characters chi != 1, which is the floor: no S of m elements does better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from sparseaug._floats import up
from sparseaug.designs.constructions.arrays import mixed_rows, mixed_size
from sparseaug.designs.constructions.base import Design
from sparseaug.groups import Abelian, Rows
from sparseaug.qmc.field import LARGEST, Field, field, prime_power

_MOST_FACTORS = 4096
_LARGEST_MODULUS = 1 << 20  # numbers up to here are factorised


def shift_designs(group: Abelian) -> Iterator[Design]:
    """Difference sets and squares, and arrays with mixed levels."""
    moduli = group.moduli
    if len(moduli) == 1 and (q := singer_order(moduli[0])):
        name, source = (
            f"Singer set over GF({q})",
            "every difference once: meets the floor (Singer 1938)",
        )
        whole = up(math.sqrt(q) / (q + 1))
        yield Design(group, name, q + 1, 0, source, whole, build=partial(singer_set, q))
    if len(moduli) == 2 and moduli[0] == moduli[1] and _is_odd_prime(moduli[0]):
        p, source = moduli[0], "(x, x^2): Gauss sums, flat spectrum"
        whole = up(1.0 / math.sqrt(p))
        yield Design(group, f"squares mod {p}", p, 0, source, whole, build=partial(squares, p))
    if set(moduli) <= {1, 2} or len(moduli) > _MOST_FACTORS or max(moduli) > _LARGEST_MODULUS:
        return
    for t in range(1, min(group.width, 4)):
        m, source = mixed_size(moduli, t), "orthogonal array with mixed levels (Bush 1952)"
        if m is not None and math.log(m) < group.log_order - 1e-9:
            yield Design(
                group, f"array of strength {t}", m, t, source, build=partial(mixed_rows, moduli, t)
            )


def _is_odd_prime(n: int) -> bool:
    return n % 2 == 1 and n <= _LARGEST_MODULUS and prime_power(n) == (n, 1)


def singer_order(n: int) -> int | None:
    """The prime power q with n = q^2 + q + 1; None if there is none.

    >>> from sparseaug.designs.constructions.shifts import singer_order
    >>> singer_order(91), singer_order(90)
    (9, None)
    """
    q = (math.isqrt(4 * n - 3) - 1) // 2
    return q if q >= 2 and q * q + q + 1 == n and q <= LARGEST and prime_power(q) else None


def singer_set(q: int) -> Rows:
    """q + 1 elements of C_n, n = q^2 + q + 1, with every difference once (Singer 1938).

    A matrix that permutes the points of the projective plane over GF(q) in one cycle numbers them by
    0..n-1; the points of a line are the set, as two points lie on one line and two lines share one.

    >>> from sparseaug.designs.constructions.shifts import singer_set
    >>> singer_set(3).ravel()
    array([0, 1, 3, 9])
    """
    F = field(q)
    n = q * q + q + 1
    lines = (_line_of_cycle(F, n, *abc) for abc in product(range(q), range(q), range(1, q)))
    return next(line[:, None] for line in lines if line is not None)  # every plane has such a cycle


def squares(p: int) -> Rows:
    """{(x, x^2)} in C_p x C_p, p an odd prime: |chi(S)| is 1/sqrt(p) or 0.

    A character is exp(2 pi i (a x + b x^2) / p): a Gauss sum if b != 0, and 0 if b = 0.
    """
    x = np.arange(p)
    return np.stack([x, x * x % p], axis=1)


def _line_of_cycle(F: Field, n: int, a: int, b: int, c: int) -> Rows | None:
    """The numbers i with s_i = 0 for the recursion s_(i+3) = a s_(i+2) + b s_(i+1) + c s_i.

    None unless the points (s_i, s_(i+1), s_(i+2)), up to scalars, are all different for i = 0..n-1.
    """
    table = F.multiply(np.array([[a], [b], [c]]), np.arange(F.q)).tolist()
    window, sequence = (0, 0, 1), []
    for i in range(n):
        if i and window[:2] == (0, 0):
            return None
        sequence.append(window[0])
        following = F.add(F.add(table[0][window[2]], table[1][window[1]]), table[2][window[0]])
        window = (window[1], window[2], int(following))
    return np.flatnonzero(np.array(sequence) == 0) if window[:2] == (0, 0) else None
