"""Schoenflies' symbol of a finite group of rotations and mirrors.

The proper rotations are C_n, D_n, T, O or I: they are polyhedral if two axes have order 3 or more, else
cyclic or dihedral by their number. The improper ones then leave two or three possibilities each,
distinguished by the inversion and by mirrors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups import Rows

_PARALLEL = 1e-6  # axes of one group are parallel or at a large angle, 2 pi / n at the least


def schoenflies(rotations: NDArray[np.float64], table: Rows) -> str:
    """The symbol of matrices (k, 3, 3), the identity first, that multiply as the table says.

    Examples:
        >>> mirror = np.diag([1.0, 1.0, -1.0])
        >>> schoenflies(np.array([np.eye(3), mirror]), np.array([[0, 1], [1, 0]]))
        'Cs'
    """
    signs, traces = np.rint(np.linalg.det(rotations)), np.trace(rotations, axis1=1, axis2=2)
    orders = _orders(table)
    proper = np.flatnonzero(signs > 0)
    inversion = bool((traces < -3 + _PARALLEL).any())
    mirrors = [_axis(R, -1) for R in rotations[(signs < 0) & (orders == 2) & (traces > 0)]]
    highest = int(orders[proper].max())
    axes = [_axis(rotations[g], 1) for g in proper if orders[g] == highest > 1]
    high = [_axis(rotations[g], 1) for g in proper if orders[g] > 2]
    whole = len(proper) == len(table)
    if any(not _parallel(high[0], axis) for axis in high):
        letter = {12: "T", 24: "O", 60: "I"}[len(proper)]
        if whole:
            return letter
        return letter + ("d" if letter == "T" and not inversion else "h")
    across = any(_parallel(normal, axis) for normal in mirrors for axis in axes)
    if len(proper) == highest:
        if whole:
            return f"C{highest}"
        if highest == 1:
            return "Ci" if inversion else "Cs"
        if across:
            return f"C{highest}h"
        return f"C{highest}v" if mirrors else f"S{2 * highest}"
    return f"D{highest}" + ("" if whole else "h" if across else "d")


def _orders(table: Rows) -> Rows:
    """The order of each element; the identity is number 0."""
    every = np.arange(len(table))
    orders, power = np.ones(len(table), np.int64), every.copy()
    while power.any():
        orders += power != 0
        power = np.where(power != 0, table[power, every], 0)
    return orders


def _axis(matrix: NDArray[np.float64], value: int) -> NDArray[np.float64]:
    """The unit vector that the matrix multiplies by 1 or -1."""
    return np.asarray(np.linalg.svd(matrix - value * np.eye(3))[2][2])


def _parallel(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    return bool(abs(a @ b) > 1 - _PARALLEL)
