"""The norm of D_S on degree 2 of S_n alone, for n in the dozens: unordered and signed pairs of points.

Functions of unordered pairs hold the irreps (n), (n-1, 1) and (n-2, 2); signed pairs e_a ^ e_b hold
(n-1, 1) and (n-2, 1, 1). With W the incidence of points and pairs and V the signed one, which takes
e_a ^ e_b to e_b - e_a,
    P = (W'W - 2 J / (n - 1)) / (n - 2)   and   P = V'V / n
are the projections onto the irreps of degree below 2, since W W' = (n - 2) I + J and V V' = n I - J. The
mean A of S commutes with P, so its norm on degree 2 is that of A (1 - P). Times m and the denominators
that is a matrix of integers below m n^2, exact in float64; one division is all that is rounded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparseaug._floats import UNIT, up
from sparseaug.groups import Rows
from sparseaug.groups.fourier import Block
from sparseaug.norms.irreps import largest_norms
from sparseaug.norms.norm import Norm
from sparseaug.sampling import GroupSample

MOST_PAIRED = 64
"""Points up to which the matrices, of side n (n - 1) / 2, are verified: 2016, some seconds."""


def degree_two_norm(S: GroupSample) -> Norm:
    """Bounds of the norm on the irreps (n-2, 2) and (n-2, 1, 1) of S_n or A_n."""
    n = S.group.width
    rows, counts = S.counts()
    first, second = np.triu_indices(n, 1)
    pairs = np.arange(len(first))
    number = np.zeros((n, n), np.int64)
    number[first, second] = number[second, first] = pairs
    left, right = rows[:, first], rows[:, second]
    targets, signs = number[left, right], np.where(left < right, 1, -1)
    incidence = np.zeros((n, len(pairs)))
    incidence[first, pairs], incidence[second, pairs] = 1.0, 1.0
    signed = np.array(incidence)
    signed[first, pairs] = -1.0
    even = (n - 1) * (n - 2) * np.eye(len(pairs)) - (n - 1) * incidence.T @ incidence + 2.0
    odd = n * np.eye(len(pairs)) - signed.T @ signed
    blocks = [
        _block(f"({n - 2}, 2)", _sums(targets, counts), even, (n - 1) * (n - 2) * S.m),
        _block(f"({n - 2}, 1, 1)", _sums(targets, counts[:, None] * signs), odd, n * S.m),
    ]
    return largest_norms((2, block) for block in blocks)[2]


def _sums(targets: Rows, weights: Rows) -> NDArray[np.float64]:
    """The sum over S of the matrices that send pair j to +- pair targets[j]: integers."""
    size = targets.shape[1]
    weights = np.broadcast_to(weights if weights.ndim == 2 else weights[:, None], targets.shape)
    codes = targets * size + np.arange(size)
    flat = np.bincount(codes.ravel(), weights.ravel().astype(np.float64), size * size)
    return flat.reshape(size, size).astype(np.float64)


def _block(
    name: str, sums: NDArray[np.float64], rest: NDArray[np.float64], denominator: int
) -> Block:
    values = (sums @ rest) / float(denominator)
    return Block(name, values, up(4 * UNIT * float(np.linalg.norm(values))))
