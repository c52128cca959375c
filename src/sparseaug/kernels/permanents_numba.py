"""The recursion of `permanents` compiled by numba, many matrices side by side in the vector units.

Imported by `sparseaug._compiled`, where numba can be used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sparseaug.kernels.arrays import Floats


def permanents(entries: Floats, scratch: Floats) -> Floats:
    """Permanents (k,) of entries (n, n, k); `scratch` has shape (2^n, k or more)."""
    result = np.empty(entries.shape[2])
    _recursion(entries, scratch, result)
    return result


@njit(cache=True, nogil=True, fastmath={"contract"})
def _recursion(entries: Any, values: Any, result: Any) -> None:
    n, count = entries.shape[0], entries.shape[2]
    for c in range(count):
        values[0, c] = 1.0
    for mask in range(1, 1 << n):
        size = 0
        for j in range(n):
            size += (mask >> j) & 1
        for c in range(count):
            values[mask, c] = 0.0
        for j in range(n):
            if (mask >> j) & 1:
                smaller = mask ^ (1 << j)
                for c in range(count):
                    values[mask, c] += entries[size - 1, j, c] * values[smaller, c]
    for c in range(count):
        result[c] = values[(1 << n) - 1, c]
