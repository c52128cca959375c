"""Whether a sum of roots of unity is 0, in integers.

F(z) = sum_p c_p z^p at a primitive N-th root z is 0 exactly when F is 0 at all primitive N-th roots, as
the c_p are rational and the roots conjugate. The product over the primes q | N of 1 - x^(N/q) is 0 at
every other N-th root and at no primitive one: so F(z) = 0 iff F times it is 0 modulo x^N - 1, which is
one subtraction of a rolled array for each q.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups import Rows
from sparseaug.norms.abelian.roots import phases
from sparseaug.qmc.field import prime_factors

WORK = 1 << 30
"""Integers of all tables by which zeros are decided, at most."""

CELLS = 1 << 22
"""Integers of one table of counts."""


def vanish(
    frequencies: Rows, rows: Rows, counts: Rows, moduli: tuple[int, ...]
) -> NDArray[np.bool_]:
    """For each frequency a: whether sum_j counts_j chi_a(g_j) is exactly 0.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.profiles.cyclotomic import vanish
        >>> vanish(np.array([[1], [2], [3]]), np.array([[0], [2], [4]]), np.array([1, 1, 1]), (6,))
        array([ True,  True, False])
    """
    n = math.lcm(*moduli)
    found = np.empty(len(frequencies), bool)
    step = max(1, CELLS // max(n, len(rows)))
    for start in range(0, len(frequencies), step):
        part = phases(frequencies[start : start + step], rows, moduli)
        codes = part + n * np.arange(len(part))[:, None]
        table = np.zeros((len(part), n), np.int64)
        np.add.at(table.reshape(-1), codes, np.broadcast_to(counts, part.shape))
        for q in set(prime_factors(n)):
            table = table - np.roll(table, n // q, axis=1)
        found[start : start + step] = ~table.any(axis=1)
    return found
