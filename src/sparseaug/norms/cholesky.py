"""LAPACK's Cholesky factorisation in place and without the interpreter's lock.

NumPy's takes two to three times as long, since it copies the matrix twice into fresh memory, and
SciPy's function holds the lock. SciPy's pointers to LAPACK, meant for Cython, do neither.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_lapack

# Numbers of 64 bits that are not negative read the same, in the order of bytes that all our platforms
# have, for a LAPACK that takes 32: so they serve either.
_Number = ctypes.c_int64
_Routine = ctypes.CFUNCTYPE(
    None,
    ctypes.c_char_p,
    ctypes.POINTER(_Number),
    ctypes.c_void_p,
    ctypes.POINTER(_Number),
    ctypes.POINTER(_Number),
)


def pivots(matrix: NDArray[Any]) -> NDArray[np.float64] | None:
    """The diagonal of the factor of a Hermitian matrix, or None where LAPACK says that there is none.

    The matrix, float64 or complex128, is overwritten; one of its triangles is read.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.cholesky import pivots
        >>> pivots(np.array([[4.0, 2.0], [2.0, 10.0]]))
        array([2., 3.])
        >>> pivots(np.array([[1.0, 2.0], [2.0, 1.0]])) is None
        True
    """
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.ascontiguousarray(matrix)
    size, broke = _Number(len(matrix)), _Number(0)
    # Of a matrix in C order LAPACK sees the transpose, whose factor has the same diagonal.
    routine = _potrf("zpotrf" if np.iscomplexobj(matrix) else "dpotrf")
    routine(b"U", size, matrix.ctypes.data, size, broke)
    return None if broke.value else matrix.diagonal().real


@cache
def _potrf(name: str) -> Any:
    named = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)
    pointed = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    capsule = cython_lapack.__pyx_capi__[name]
    signature = named(("PyCapsule_GetName", ctypes.pythonapi))(capsule)
    return _Routine(pointed(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, signature))
