"""The induction transform compiled by numba: the mixes of `Kernel`, in place, node by node.

This module has what a `Kernel` has.
Imported by `sparseaug._compiled`, where numba can be used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparseaug.norms.induction import Transform

whole = False
place = np.asarray
empty = np.empty


def prepare(transform: Transform) -> tuple[NDArray[Any], ...]:
    """Lay the mixes end to end, group after group; unsigned indices spare the test for negative ones."""
    mixes = transform.mixes
    rows = np.concatenate([np.empty(0), *(mix.rows.T.ravel() for mix in mixes)])
    return (
        np.array([len(mix.matrix) for mix in mixes], dtype=np.int64),
        np.array([mix.rows.shape[1] for mix in mixes], dtype=np.int64),
        np.concatenate([np.empty(0), *(mix.matrix.ravel() for mix in mixes)]),
        rows.astype(np.uint32),
        transform.source.astype(np.uint32),
        transform.scale,
    )


def induce(ready: Any, values: Any, first: int, children: Any, result: Any) -> None:
    """As `Kernel.induce`."""
    compiled: Any = _induce
    compiled(*ready, values, first, children, result)


@njit(cache=True, nogil=True)
def transpose_into(target: Any, matrix: Any) -> None:
    """Write matrix.T; one call for all of it, since threads wait for the interpreter at each."""
    rows, columns = matrix.shape
    for start in range(0, rows, 256):
        for c in range(columns):
            for r in range(start, min(start + 256, rows)):
                target[c, r] = matrix[r, c]


@njit(cache=True, nogil=True)
def _induce(
    widths: Any,
    counts: Any,
    matrices: Any,
    rows: Any,
    source: Any,
    scale: Any,
    values: Any,
    first: int,
    children: Any,
    result: Any,
) -> None:
    block = np.empty((len(source), values.shape[2]))
    for node in range(len(children)):
        _gather(values, first, children[node], block)
        coefficient = 0
        row = 0
        for step in range(len(widths)):
            w = widths[step]
            m = matrices[coefficient : coefficient + w * w].reshape(w, w)
            r = rows[row : row + w * counts[step]].reshape(counts[step], w)
            if w == 2:
                _mix2(m, r, block)
            elif w == 3:
                _mix3(m, r, block)
            elif w == 4:
                _mix4(m, r, block)
            elif w == 5:
                _mix5(m, r, block)
            else:
                _mix(m, r, block)
            coefficient += w * w
            row += w * counts[step]
        _scatter(source, scale, block, result[node])


@njit(cache=True, nogil=True)
def _gather(values: Any, first: int, children: Any, block: Any) -> None:
    size = len(block) // len(children)
    for copy in range(len(children)):
        child = children[copy]
        if child >= 0:
            block[copy * size : copy * size + size] = values[child, first : first + size]
        else:
            block[copy * size : copy * size + size] = 0.0


@njit(cache=True, nogil=True)
def _scatter(source: Any, scale: Any, block: Any, result: Any) -> None:
    for j in range(len(source)):
        i, factor = source[j], scale[j]
        for c in range(block.shape[1]):
            result[j, c] = factor * block[i, c]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _mix2(m: Any, rows: Any, block: Any) -> None:
    m00, m01 = m[0, 0], m[0, 1]
    m10, m11 = m[1, 0], m[1, 1]
    for g in range(len(rows)):
        i0, i1 = rows[g, 0], rows[g, 1]
        for c in range(block.shape[1]):
            x0, x1 = block[i0, c], block[i1, c]
            block[i0, c] = m00 * x0 + m01 * x1
            block[i1, c] = m10 * x0 + m11 * x1


@njit(cache=True, nogil=True, fastmath={"contract"})
def _mix3(m: Any, rows: Any, block: Any) -> None:
    m00, m01, m02 = m[0, 0], m[0, 1], m[0, 2]
    m10, m11, m12 = m[1, 0], m[1, 1], m[1, 2]
    m20, m21, m22 = m[2, 0], m[2, 1], m[2, 2]
    for g in range(len(rows)):
        i0, i1, i2 = rows[g, 0], rows[g, 1], rows[g, 2]
        for c in range(block.shape[1]):
            x0, x1, x2 = block[i0, c], block[i1, c], block[i2, c]
            block[i0, c] = m00 * x0 + m01 * x1 + m02 * x2
            block[i1, c] = m10 * x0 + m11 * x1 + m12 * x2
            block[i2, c] = m20 * x0 + m21 * x1 + m22 * x2


@njit(cache=True, nogil=True, fastmath={"contract"})
def _mix4(m: Any, rows: Any, block: Any) -> None:
    m00, m01, m02, m03 = m[0, 0], m[0, 1], m[0, 2], m[0, 3]
    m10, m11, m12, m13 = m[1, 0], m[1, 1], m[1, 2], m[1, 3]
    m20, m21, m22, m23 = m[2, 0], m[2, 1], m[2, 2], m[2, 3]
    m30, m31, m32, m33 = m[3, 0], m[3, 1], m[3, 2], m[3, 3]
    for g in range(len(rows)):
        i0, i1, i2, i3 = rows[g, 0], rows[g, 1], rows[g, 2], rows[g, 3]
        for c in range(block.shape[1]):
            x0, x1, x2, x3 = block[i0, c], block[i1, c], block[i2, c], block[i3, c]
            block[i0, c] = m00 * x0 + m01 * x1 + m02 * x2 + m03 * x3
            block[i1, c] = m10 * x0 + m11 * x1 + m12 * x2 + m13 * x3
            block[i2, c] = m20 * x0 + m21 * x1 + m22 * x2 + m23 * x3
            block[i3, c] = m30 * x0 + m31 * x1 + m32 * x2 + m33 * x3


@njit(cache=True, nogil=True, fastmath={"contract"})
def _mix5(m: Any, rows: Any, block: Any) -> None:
    m00, m01, m02, m03, m04 = m[0, 0], m[0, 1], m[0, 2], m[0, 3], m[0, 4]
    m10, m11, m12, m13, m14 = m[1, 0], m[1, 1], m[1, 2], m[1, 3], m[1, 4]
    m20, m21, m22, m23, m24 = m[2, 0], m[2, 1], m[2, 2], m[2, 3], m[2, 4]
    m30, m31, m32, m33, m34 = m[3, 0], m[3, 1], m[3, 2], m[3, 3], m[3, 4]
    m40, m41, m42, m43, m44 = m[4, 0], m[4, 1], m[4, 2], m[4, 3], m[4, 4]
    for g in range(len(rows)):
        i0, i1, i2, i3, i4 = rows[g, 0], rows[g, 1], rows[g, 2], rows[g, 3], rows[g, 4]
        for c in range(block.shape[1]):
            x0, x1, x2 = block[i0, c], block[i1, c], block[i2, c]
            x3, x4 = block[i3, c], block[i4, c]
            block[i0, c] = m00 * x0 + m01 * x1 + m02 * x2 + m03 * x3 + m04 * x4
            block[i1, c] = m10 * x0 + m11 * x1 + m12 * x2 + m13 * x3 + m14 * x4
            block[i2, c] = m20 * x0 + m21 * x1 + m22 * x2 + m23 * x3 + m24 * x4
            block[i3, c] = m30 * x0 + m31 * x1 + m32 * x2 + m33 * x3 + m34 * x4
            block[i4, c] = m40 * x0 + m41 * x1 + m42 * x2 + m43 * x3 + m44 * x4


@njit(cache=True, nogil=True, fastmath={"contract"})
def _mix(m: Any, rows: Any, block: Any) -> None:
    width = rows.shape[1]
    old = np.empty((width, block.shape[1]))
    for g in range(len(rows)):
        for a in range(width):
            for c in range(block.shape[1]):
                old[a, c] = block[rows[g, a], c]
                block[rows[g, a], c] = 0.0
        for a in range(width):
            for b in range(width):
                for c in range(block.shape[1]):
                    block[rows[g, a], c] += m[a, b] * old[b, c]
