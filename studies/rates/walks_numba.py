"""The steps of `walks.stream`, compiled: the same update, without the loop's overhead."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(cache=True)
def walk(
    A: Any, v: Any, A_full: Any, v_full: Any, at: Any, steps: Any, box: float, seen: Any
) -> None:
    """Move `at` (step sizes, runs, 2 R) through a block of draws; squared full norms go to `seen`."""
    R = v.shape[2]
    c, noisy = np.empty(R), np.empty(R)
    for j in range(at.shape[0]):
        for k in range(at.shape[1]):
            theta = at[j, k]
            for i in range(v.shape[0]):
                for r in range(R):
                    c[r] = theta[r] * theta[R + r]
                square = 0.0
                for r in range(R):
                    full, own = -v_full[r], -v[i, k, r]
                    for s in range(R):
                        full += A_full[r, s] * c[s]
                        own += A[i, k, r, s] * c[s]
                    noisy[r] = own
                    square += full * full * (theta[r] ** 2 + theta[R + r] ** 2)
                seen[i, j, k] = square
                for r in range(R):
                    a, b = theta[r], theta[R + r]
                    theta[r] = min(box, max(-box, a - steps[j] * b * noisy[r]))
                    theta[R + r] = min(box, max(-box, b - steps[j] * a * noisy[r]))
