"""Rigorous bounds on a spectral norm: ||A||_2^2 <= s because s I - A*A is proved semidefinite.

Eigensolvers only propose s. The proof is one Cholesky factorisation in ordinary floating point with
every rounding added (S. M. Rump, "Verification of positive definiteness", BIT 46, 2006; "Verified
bounds for singular values, in particular for the spectral norm", BIT 51, 2011).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal
from scipy.linalg.lapack import dpotrf, zpotrf

from sparseaug._floats import UNIT, down, gamma, up
from sparseaug.errors import ArgumentError

# The model of arithmetic. IEEE binary64 to nearest: fl(a op b) = (a op b)(1 + d) with |d| <= u.
#
# Dot products. For any order of summation, with or without FMA, a sum of n products satisfies
#     |fl(x.y) - x.y| <= gamma(n) |x|.|y|,   gamma(n) = n u / (1 - n u)       (Higham, section 3.1).
# A complex product of length n has real and imaginary part each a real product of length 2 n whose
# absolute terms sum to at most sum |x_k| |y_k| (Cauchy-Schwarz on the pairs), so the complex error
# is at most sqrt(2) gamma(2 n) |x|.|y|. `_dot_error` is that factor. It covers every conventional
# product (blocked, threaded), but neither Strassen's, nor the three-multiplication complex
# one, nor float64 emulated in lower precision; no library uses those unasked.
#
# Gram matrix. G = A*A with A of shape (k, p): |fl(G) - G| <= d |A|*|A| entrywise with
# d = _dot_error(k), hence ||fl(G) - G|| <= d || |A| ||^2 <= d ||A||_F^2.
#
# Shift. M = s I - G: m_jj = fl(s - g_jj) with 0 <= g_jj < s errs by at most u s; the rest is exact.
#
# Cholesky. If it runs to completion on M, of size p, then M + E = R*R with |E| <= e |R|*|R| and
# e = _dot_error(p + 4). For r_ij is a quotient (r_jj a root) of m_ij minus i - 1 products, summed
# in any order. Divide the sum by the roundings that m_ij met: each product keeps at most one of its
# own and one for every addition where the two paths differ, i in all; r_ij r_ii collects at most
# i - 1 from the additions, and 1 from a division, 2 from a root or from a product with a rounded
# reciprocal (OpenBLAS), 3 from a naive complex quotient. So at most i + 2 roundings of real terms,
# 2 (i - 1) + 3 of complex ones; i + 4 in `_dot_error` leaves room.
# Moreover e_i = e (i + 4) / (p + 4) serves for row i, since gamma grows faster than linearly. With
# columns r_j, |E_ij| <= e_min(i,j) |r_i| |r_j| <= d_i d_j for d_j^2 = e_j |r_j|^2, and so
#     ||E|| <= sum_j e_j |r_j|^2 <= sum_j e_j m_jj / (1 - e),
# the last because |r_j|^2 <= m_jj + e |r_j|^2. As R*R is semidefinite, M is at least minus that.
# This takes substitution for granted, as in LAPACK and OpenBLAS. GPU libraries invert diagonal
# blocks instead, and no such e is known for them.
#
# Underflow. The largest entry is kept within 2^-30..2^30, by a power of two. A product, quotient or
# input flushed to zero errs by at most 2^-1022, multiplied by factors below 2^60; fewer than 2^60
# of them meet in one norm (sides up to 2^20). All together stay below UNDERFLOW = 2^-900.


UNDERFLOW = 2.0**-900

Array: TypeAlias = NDArray[Any]


def norm_upper(matrix: Array, error: float = 0.0, *, at_most: float | None = None) -> float:
    """A float never below ||A||_2 + error: the norm of every matrix within `error` of `matrix`.

    `matrix` is a float64 or complex128 array. `error` bounds the distance to the matrix that is meant,
    in operator or Frobenius norm. One product, one proposal, one Cholesky factorisation; memory for
    two p x p matrices, where p is the smaller side. The excess is about p^2 u, relatively.

    `at_most` is for the maximum over many matrices: if ||A||_2 + error <= at_most can be proved by
    the Frobenius norm or by one factorisation, `at_most` itself is returned, with no eigensolve.
    Otherwise the answer is as without it. So `worst = norm_upper(block, at_most=worst)` over the
    blocks ends with a bound for all of them; start with the block that is likely the largest.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.verified import norm_upper
        >>> norm_upper(np.array([[3.0, 0.0], [0.0, -4.0]]))
        4.00000000000000...
        >>> norm_upper(np.array([[3.0, 0.0], [0.0, -4.0]]), at_most=4.5)
        4.5
        >>> norm_upper(np.zeros((2, 3)), 1e-9)
        1e-09
    """
    limit = -math.inf if at_most is None else at_most
    scaled, exponent = _scale(matrix)
    if scaled is None:
        return max(error, limit)
    squares = _sum_of_squares_upper(scaled)

    def finish(eigenvalue: float) -> float:
        if eigenvalue == math.inf:
            return math.inf
        norm = up(up(math.sqrt(eigenvalue)) + UNDERFLOW)
        norm = up(_ldexp(norm, exponent))
        return up(norm + error) if error else norm

    frobenius = finish(squares)
    if frobenius <= limit:
        return limit
    if scaled.shape[1] == 1:
        return frobenius
    gram = scaled.conj().swapaxes(-1, -2) @ scaled
    gram_error = up(_dot_error(scaled.shape[0], scaled) * squares)
    start = _ldexp(limit - error, -exponent)
    return _search(gram, gram_error, finish, ceiling=squares, limit=limit, start=start)


def norm_lower(matrix: Array, error: float = 0.0) -> float:
    """A float never above ||A||_2 - error, and at least 0: ||A v|| / ||v|| for a computed v.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.verified import norm_lower
        >>> norm_lower(np.array([[3.0, 0.0], [0.0, -4.0]]))
        3.99999999999999...
    """
    scaled, exponent = _scale(matrix)
    if scaled is None:
        return 0.0
    vector = _lanczos(lambda x: ((scaled @ x).conj() @ scaled).conj(), scaled[0], 1e-15)[1]
    image = scaled @ vector
    # ||fl(A v)|| differs from ||A v|| by at most d ||A||_F ||v|| with d of length p, the columns.
    length = math.sqrt(_sum_of_squares_upper(vector))
    squares = down(_sum_of_squares(image) / up(1.0 + gamma(2 * math.prod(image.shape))))
    stretch = down(down(math.sqrt(max(0.0, squares))) / up(length))
    frobenius = up(math.sqrt(_sum_of_squares_upper(scaled)))
    rounding = up(_dot_error(scaled.shape[1], scaled) * frobenius)
    norm = down(_ldexp(down(down(stretch - rounding) - UNDERFLOW), exponent))
    return max(0.0, down(norm - error) if error else norm)


def _search(
    gram: Array,
    gram_error: float,
    finish: Callable[[float], float],
    *,
    ceiling: float,
    limit: float,
    start: float,
) -> float:
    """The bound for `gram`; `limit` if that, `start` in scaled units, can be verified first.

    `ceiling` is a bound on the top eigenvalue that needs no verification.
    """
    size: int = gram.shape[0]

    def rounding(s: float) -> float:  # at least what is added to s below, and at most twice that
        return gram_error + (size * _dot_error(size + 4, gram) + 4.0 * UNIT) * s

    if start > 0.0:
        square = start * start * (1.0 - 32.0 * UNIT)  # for the roundings in `finish`
        if finish(_eigenvalue_upper(gram, square - rounding(square), gram_error)) <= limit:
            return limit
    proposal = _top_eigenvalue(gram, size * _dot_error(size, gram))
    # A quarter of the rounding terms is room enough where the proposal is good; a bad one (Lanczos
    # stopped early) costs a factor of 64 each time, so that ten trials go from 1e-16 to 1.
    room = 0.25 * rounding(proposal) + 2.0 * UNIT * proposal
    for _ in range(10):
        bound = finish(_eigenvalue_upper(gram, proposal + room, gram_error))
        if bound < math.inf:
            return min(bound, finish(ceiling))
        room *= 64.0
    return finish(ceiling)


def _eigenvalue_upper(gram: Array, s: float, gram_error: float) -> float:
    """A bound just above s on the top eigenvalue of the true Gram matrix; inf if s is too low."""
    diagonal = gram.diagonal().real
    if not s > float(diagonal.max()):
        return math.inf
    shifted = -gram
    np.fill_diagonal(shifted, s - diagonal)
    below = _indefiniteness(shifted)
    return up(up(s + up(UNIT * s)) + up(below + gram_error))


def _indefiniteness(shifted: Array) -> float:
    """Some e with M + e I semidefinite, or inf if Cholesky of M breaks down."""
    size = shifted.shape[0]
    # sum_j m_jj (j + 4) / (p + 4): positive terms of p additions, a product and a rounded weight.
    weights = np.arange(5, size + 5) / (size + 4)
    trace = up(float(weights @ shifted.diagonal().real) / down(1.0 - gamma(size + 2)))
    diagonal = pivots(shifted)
    if diagonal is None or not (math.isfinite(diagonal.sum()) and diagonal.min() > 0.0):
        return math.inf
    e = _dot_error(size + 4, shifted)
    return up(up(e * trace) / down(1.0 - e))


def pivots(matrix: Array) -> NDArray[np.float64] | None:
    """The diagonal of the factor of a Hermitian matrix, or None where LAPACK says that there is none.

    The matrix, float64 or complex128, is overwritten; one of its triangles is read.
    """
    # Of a matrix in C order LAPACK sees the transpose, whose factor has the same diagonal.
    seen = matrix if matrix.flags.f_contiguous else np.ascontiguousarray(matrix).T
    factor, broke = (zpotrf if np.iscomplexobj(seen) else dpotrf)(seen, clean=0, overwrite_a=1)
    return None if broke else factor.diagonal().real


def _top_eigenvalue(gram: Array, tolerance: float) -> float:
    if gram.shape[0] <= 160:
        return float(np.linalg.eigvalsh(gram)[-1])
    return _lanczos(lambda x: gram @ x, gram[0], tolerance)[0]


def _lanczos(
    apply: Callable[[Array], Array], like: Array, tolerance: float, max_steps: int = 300
) -> tuple[float, Array]:
    """Top Ritz value and vector of a semidefinite operator: an estimate from below, never a bound.

    Stops when the error of the value, about residual^2 / gap, is within `tolerance`, relatively.
    """
    size = like.shape[0]
    max_steps = min(size, max_steps)
    basis = np.zeros((max_steps, size), like.dtype)
    # A fixed start keeps the answer a function of the matrix; what it is does not matter.
    basis[0] = np.random.default_rng(0).standard_normal(size)
    basis[0] /= math.sqrt(_sum_of_squares(basis[0]))
    diagonal: list[float] = []
    off: list[float] = []
    for step in range(1, max_steps + 1):
        known = basis[:step]
        new = apply(basis[step - 1])
        diagonal.append(float((basis[step - 1].conj() @ new).real))
        for _ in range(2):
            new = new - (known.conj() @ new) @ known
        beta = math.sqrt(_sum_of_squares(new))
        last = step == max_steps or not beta > UNIT * max(map(abs, diagonal))
        if last or step % 8 == 0:
            values, vectors = eigh_tridiagonal(diagonal, off)
            residual = beta * abs(vectors[-1, -1])
            gap = max(values[-1] - values[-2], residual) if step > 1 else residual
            if last or residual * residual <= 0.1 * tolerance * gap * values[-1]:
                break
        off.append(beta)
        basis[step] = new / beta
    return float(values[-1]), vectors[:, -1].astype(like.dtype) @ known


def _scale(matrix: Array) -> tuple[Array | None, int]:
    """(B, e) with A or its transpose 2^e B, B tall, its entries near 1; B is None where A is 0."""
    matrix = np.asarray(matrix, np.result_type(matrix, np.float64))
    shape = matrix.shape
    if 0 in shape:
        return None, 0
    parts = (matrix.real, matrix.imag) if np.iscomplexobj(matrix) else (matrix,)
    extremes = [abs(float(x)) for part in parts for x in (part.max(), part.min())]
    if not all(map(math.isfinite, extremes)):
        raise ArgumentError("matrix holds NaN or infinity; give finite entries.")
    if max(extremes) == 0.0:
        return None, 0
    exponent = math.frexp(max(extremes))[1]
    if abs(exponent) < 30:
        exponent = 0
    else:  # in two steps, since 2^1074 is no float
        half = -exponent // 2
        matrix = matrix * 2.0**half * 2.0 ** (-exponent - half)
    return (matrix if shape[0] >= shape[1] else matrix.swapaxes(-1, -2)), exponent


def _dot_error(length: int, like: Array) -> float:
    if np.iscomplexobj(like):
        return up(math.sqrt(2.0) * gamma(2 * length))  # the float sqrt(2.0) is above the number
    return gamma(length)


def _sum_of_squares(x: Array) -> float:
    flat = x.ravel(order="K")
    return float(np.vdot(flat, flat).real)


def _sum_of_squares_upper(x: Array) -> float:
    # All terms are positive: fl >= (1 - gamma) exact and fl <= (1 + gamma) exact, 2 N real squares.
    return up(_sum_of_squares(x) / down(1.0 - gamma(2 * math.prod(x.shape))))


def _ldexp(x: float, exponent: int) -> float:
    try:
        return math.ldexp(x, exponent)
    except OverflowError:
        return math.copysign(math.inf, x)
