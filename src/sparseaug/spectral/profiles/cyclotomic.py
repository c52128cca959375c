"""Whether a sum of roots of unity is 0, in integers.

F(z) = sum_p c_p z^p at a primitive N-th root z is 0 exactly when F is 0 at all primitive N-th roots, as
the c_p are rational and the roots conjugate. The product over the primes q | N of 1 - x^(N/q) is 0 at
every other N-th root and at no primitive one: so F(z) = 0 iff F times it is 0 modulo x^N - 1, which is
one subtraction of a rolled array for each q.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups import Rows

CELLS = 1 << 22
"""Integers of one table of counts."""


def vanish(phases: NDArray[np.int64], counts: Rows, n: int) -> NDArray[np.bool_]:
    """For each row of phases (f, k): whether sum_j counts_j exp(2 pi i p_j / n) is exactly 0.

    Examples:
        >>> vanish(np.array([[0, 2, 4], [0, 1, 2]]), np.array([1, 1, 1]), 6)
        array([ True, False])
    """
    found = np.empty(len(phases), bool)
    step = max(1, CELLS // max(n, phases.shape[1]))
    for start in range(0, len(phases), step):
        part = phases[start : start + step]
        codes = part + n * np.arange(len(part))[:, None]
        weights = np.broadcast_to(counts, part.shape)
        flat = np.zeros(len(part) * n, np.int64)
        np.add.at(flat, codes.ravel(), weights.ravel())
        table = flat.reshape(len(part), n)
        for q in prime_factors(n):
            table = table - np.roll(table, n // q, axis=1)
        found[start : start + step] = ~table.any(axis=1)
    return found


def prime_factors(n: int) -> list[int]:
    """The primes that divide n, each once.

    Examples:
        >>> prime_factors(60)
        [2, 3, 5]
    """
    found, p = [], 2
    while p * p <= n:
        if n % p == 0:
            found.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return found + [n] * (n > 1)
