"""All characters of an abelian group at weighted elements, as a product of two small matrices.

A frequency is a sum a = h + l, hence chi_a(g) = chi_h(g) chi_l(g), and the means over S are
    f(h + l) = sum_j chi_h(g_j) w_j chi_l(g_j),
a (rows x k) times (k x columns) product that never needs a table of the group: blocks of it are
made and dropped. The rounding of such a product is known whatever the order of the group.

All characters of an abelian group by the fast Fourier transform of the table of counts.

This is for samples with thousands of distinct elements, where the table is no longer sparse.

Roots of unity and means of characters with proved errors; phases are reduced as integers.

The character of a in C_n1 x C_n2 x ... is chi_a(g) = exp(2 pi i p / N), N = lcm(n_1, n_2, ...), with
the integer phase p = sum_j a_j g_j N / n_j mod N, so that nothing is rounded before the cosine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from sparseaug._floats import UNIT, gamma
from sparseaug.errors import SparseAugError
from sparseaug.groups import Rows
from sparseaug.groups.fourier import Block
from sparseaug.groups.permutations import digits_of_rank
from sparseaug.qmc.field import prime_factors

# The error. Write r for ROOT_ERROR. The weights w_j = c_j / m are rounded once and sum to at most 1.
# Left factors err by at most r + u, right ones by w_j (r + 3 u) (weight and product). The product
# itself errs by sqrt(2) gamma(2 k) sum_j w_j (see `verified`: complex sums of k terms, any order, no
# Strassen). np.abs, a hypot, is taken to be within 4 ulps. Second-order terms and underflow are covered
# by the factor 1.01, as k u is below 0.01 for every sample that fits in memory.


ENTRIES = 1 << 21
"""Values in a block, 32 megabytes: large products, which still stay in cache."""

COLUMNS = 1 << 13
"""Right factors that are kept while the left ones go by."""

Frequencies: TypeAlias = Callable[[NDArray[np.intp]], Rows]


class Split(NamedTuple):
    """Which frequencies are left and right factors.

    Since f(-a) is the conjugate of f(a), the largest axis runs over 0..n//2 only. The right factors
    take whole axes, the smallest first; the largest axis is cut as a = step * high + low.
    """

    left: tuple[int, ...]  # radices of the left frequencies, axis by axis
    right: tuple[int, ...]
    largest: int  # axis
    step: int


def split(moduli: tuple[int, ...]) -> Split:
    """Cut the frequencies into about `COLUMNS` right factors, or the root of the order, and the rest.

    Examples:
        >>> from sparseaug.norms.character_transforms import split
        >>> split((10**8,)).left, split((10**8,)).step, split((512, 512)).right
        ((6104,), 8192, (1, 512))
    """
    left, right = list(moduli), [1] * len(moduli)
    largest = int(np.argmax(moduli))
    others = [axis for axis in np.argsort(moduli, kind="stable").tolist() if axis != largest]
    size, columns = 1, min(COLUMNS, math.isqrt(math.prod(moduli)))
    for axis in others:
        if size * moduli[axis] > columns and size >= 64:
            break
        left[axis], right[axis] = 1, moduli[axis]
        size *= moduli[axis]
    half = moduli[largest] // 2 + 1
    # step * high + low stays below n // 2 + step <= n, so only 0 is the trivial frequency.
    step = max(1, min(columns // size, moduli[largest] // 2))
    left[largest], right[largest] = -(-half // step), step
    return Split(tuple(left), tuple(right), largest, step)


def product_blocks(rows: Rows, counts: Rows, moduli: tuple[int, ...], *, m: int) -> Iterator[Block]:
    """Every f(a) = (1/m) sum_j c_j chi_a(g_j), a up to sign; a = 0 is the first value of all.

    A few frequencies, never 0, may occur twice. The blocks depend on the moduli alone.
    """
    plan = split(moduli)
    common = math.lcm(*moduli)
    width, height = math.prod(plan.right), math.prod(plan.left)
    error = product_error(len(rows))
    weights = counts / m
    for first, last in _ranges(width, COLUMNS):
        low = _unrank(plan.right, first, last)
        factor = (roots(phases(low, rows, moduli), common) * weights).T
        for start, stop in _ranges(height, max(1, ENTRIES // (last - first))):
            high = _unrank(plan.left, start, stop)
            high[:, plan.largest] *= plan.step
            left = roots(phases(high, rows, moduli), common)
            yield Block(_pairs(high, low, moduli), (left @ factor).reshape(-1), error)


def count_blocks(moduli: tuple[int, ...]) -> int:
    """How many blocks `product_blocks` makes."""
    plan = split(moduli)
    width, height = math.prod(plan.right), math.prod(plan.left)
    return sum(
        -(-height // max(1, ENTRIES // (last - first))) for first, last in _ranges(width, COLUMNS)
    )


def product_error(k: int) -> float:
    """At least |computed - true| for each value, and for its np.abs."""
    factors = 2 * ROOT_ERROR + 2 * UNIT + 2 * UNIT
    product = math.sqrt(2.0) * (2 * k * UNIT) / (1 - 2 * k * UNIT)
    return 1.01 * (factors + product + 4 * UNIT)


def _pairs(high: Rows, low: Rows, moduli: tuple[int, ...]) -> Frequencies:
    def frequencies(index: NDArray[np.intp]) -> Rows:
        return (high[index // len(low)] + low[index % len(low)]) % np.array(moduli, np.int64)

    return frequencies


def _unrank(radices: tuple[int, ...], start: int, stop: int) -> Rows:
    return digits_of_rank(np.array(radices, np.int64), np.arange(start, stop)).T.copy()


def _ranges(total: int, step: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + step, total)) for start in range(0, total, step))


# The error, in the manner of Higham, "Accuracy and Stability", chapter 24, for any radix.
# Assumed of pocketfft (SciPy's): roots of unity within 16 u (two table entries of 3 u each and one
# complex product are within 9 u); each axis by textbook passes of radix p, where p runs through
# small primes, 4 and 8, or by Bluestein's three transforms of a length below 4 n without prime
# factors above 11; and, as its planner has it, no pass of a prime p > 1000 with p^2 > n.
#
# A pass is butterflies of p inputs and a product with roots. A butterfly's output is, by real and
# by imaginary parts, a sum of p terms with coefficients of roots (pairs x_j +- x_(p-j) share them):
# at most p + 8 roundings and one root a term, and absolute terms of at most sqrt(2) |x_j| a part.
# So |error| <= 2 gamma(p + 24) sum |x_j| <= 2 gamma(p + 24) sqrt(p) ||x||, over p outputs a vector
# of norm at most 2 sqrt(p) gamma(p + 24) relatively to sqrt(p) ||x||, the norm of the exact result.
# The product with roots adds at most gamma(20). As exact passes are unitary up to scale, relative
# errors just compound: with e = sum over the prime factors of n (2 sqrt(p) gamma(p + 32) + gamma(20))
#     ||fft(x) - F x|| <= (exp(e) - 1) sqrt(n) ||x||.
# Passes of 4 and 8 err by less than the two or three passes of 2 counted for them, and real-input
# transforms do a subset of the complex work.
#
# Bluestein: X = b . ifft(fft(b x) fft(b')), |b_k| = 1, length L, e' = the bound for L. Per bit, the
# bound is largest for p = 2, thus e' <= log2(4 n) (2 sqrt(2) gamma(34) + gamma(20)). |fft(b')| <= 2 n
# and |fft(b x)| <= ||x||_1 <= sqrt(n) ||x||. An error e' sqrt(L) ||x|| in the first factor becomes
# at most 2 n e' ||x||, relatively 2 sqrt(n) e'; one of e' sqrt(2 n L) in the second becomes
# sqrt(2) n e' ||x||, relatively sqrt(2 n) e'; the last transform, of a vector of norm at most
# 2 n ||x|| / sqrt(L), adds 2 sqrt(n) e'; three products with roots add less than sqrt(n) e'.
# Together 7 sqrt(n) e'. The larger of the two ways counts.
#
# Axes: the transforms of the axes compound in the same manner.


BLOCK = 1 << 20
SPOT_CHECKS = 16


def fft_blocks(rows: Rows, counts: Rows, moduli: tuple[int, ...], *, m: int) -> Iterator[Block]:
    """Every f(a) = (1/m) sum_j c_j chi_a(g_j), a up to sign (or its conjugate); a = 0 comes first.

    A few values are recomputed by definition, and an FFT that is not what is assumed is refused.
    """
    table = np.zeros(moduli)
    table[tuple(rows.T)] = counts
    length = math.sqrt(float(np.square(counts.astype(float)).sum())) * (1 + 1e-9)
    spectrum = fft.rfftn(table, workers=-1, overwrite_x=True)
    del table
    shape, flat = spectrum.shape, spectrum.reshape(-1)
    flat /= m
    size = math.sqrt(float(math.prod(moduli)))
    error = 1.01 * (fft_error(moduli) * size * length / m + 8 * UNIT)
    index = np.random.default_rng(0).integers(0, flat.size, SPOT_CHECKS)
    for i, frequency in zip(index, _unravel(shape, 0)(index), strict=True):
        numerators = phases(frequency[None], rows, moduli)[0]
        mean = character_mean(numerators, counts, math.lcm(*moduli), m=m)
        if not (off := abs(flat[i].conjugate() - mean)) <= error + MEAN_ERROR:
            raise SparseAugError(
                f"the FFT of shape {moduli} is off by {off:.1e}, more than the proved {error:.1e}; "
                "this SciPy's FFT is not what the proof assumes."
            )
    for start in range(0, flat.size, BLOCK):
        yield Block(_unravel(shape, start), flat[start : start + BLOCK], error)


def fft_error(moduli: tuple[int, ...]) -> float:
    """At least ||fft(x) - F x|| / (sqrt(order) ||x||), under the assumptions above.

    Examples:
        >>> from sparseaug.norms.character_transforms import fft_error
        >>> 1e-13 < fft_error((2**20,)) < 1e-12
        True
    """
    return math.expm1(sum(map(_axis_error, moduli))) * 1.01


def is_smooth(moduli: tuple[int, ...]) -> bool:
    """Whether no axis needs Bluestein's way, which takes several times the memory."""
    return all(p <= 11 for n in moduli for p in prime_factors(n))


def _axis_error(n: int) -> float:
    factors = prime_factors(n)
    largest_pass = max(1000, math.isqrt(n))
    direct = sum(_pass_error(min(p, largest_pass)) for p in factors)
    if max(factors, default=1) <= 11:
        return direct
    bluestein = 7 * math.sqrt(n) * math.expm1(math.log2(4 * n) * _pass_error(2))
    return max(direct, bluestein)


def _pass_error(p: int) -> float:
    return 2 * math.sqrt(p) * gamma(p + 32) + gamma(20)


def _unravel(shape: tuple[int, ...], start: int) -> Frequencies:
    def frequencies(index: NDArray[np.intp]) -> Rows:
        return np.stack(np.unravel_index(index + start, shape), axis=-1).astype(np.int64)

    return frequencies


# With q = r / N, |q| <= 1/2, the angle fl(fl(pi/2) fl(q)) is off by 3 u relatively, at most 2.4 u.
# Sine and cosine of it, at most 1, are taken to be within 4 ulps (NumPy's vector loops promise
# that, most are within 1), so each part is off by at most 6.5 u and the root by at most 9.2 u.
ROOT_ERROR = 10.0 * UNIT
"""At least |computed - true| for every root of unity made here."""

# Terms c_j z_j / m: the root 10 u, the product with c_j 1 u; the sum by fsum is rounded once, and
# the division once; each of these is a multiple of at most 1 in modulus. 13.1 u in all.
MEAN_ERROR = 14.0 * UNIT
"""At least |computed - true| for the mean of `character_mean`."""


def phases(frequencies: Rows, rows: Rows, moduli: tuple[int, ...]) -> NDArray[np.int64]:
    """The integers p (f, k) with chi_a(g) = exp(2 pi i p / N) for frequencies (f, w), rows (k, w).

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.character_transforms import phases
        >>> phases(np.array([[1, 1]]), np.array([[1, 0], [0, 1], [1, 2]]), (2, 3))
        array([[3, 2, 1]])
    """
    common = math.lcm(*moduli)
    total = np.zeros((len(frequencies), len(rows)), np.int64)
    for axis, n in enumerate(moduli):
        a = frequencies[:, axis] % n
        if a.any():
            total += _multiply(a[:, None], rows[:, axis], n) * (common // n)
    return total % common


def roots(numerators: NDArray[np.int64], n: int) -> NDArray[np.complex128]:
    """exp(2 pi i p / n) for 0 <= p < n, within `ROOT_ERROR`.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.character_transforms import roots
        >>> roots(np.array([0, 1]), 8)
        array([1.        +0.j        , 0.70710678+0.70710678j])
    """
    # 4 p = k n + r with |r| <= n / 2: a quarter turn k, exact, and an angle of at most pi / 4.
    quarter = (8 * numerators + n) // (2 * n)
    angle = (4 * numerators - quarter * n) / n * (math.pi / 2)
    cos, sin = np.cos(angle), np.sin(angle)
    odd = (quarter & 1).astype(bool)
    result = np.empty(angle.shape, np.complex128)
    result.real = np.where(odd, sin, cos) * (1 - ((quarter + 1) & 2))
    result.imag = np.where(odd, cos, sin) * (1 - (quarter & 2))
    return result


def character_mean(numerators: NDArray[np.int64], counts: Rows, n: int, *, m: int) -> complex:
    """(1/m) sum_j c_j exp(2 pi i p_j / n) within `MEAN_ERROR`, where sum_j c_j <= m."""
    terms = roots(numerators, n) * counts
    return complex(math.fsum(terms.real) / m, math.fsum(terms.imag) / m)


def _multiply(a: NDArray[np.int64], b: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """A b mod n without overflow, for 0 <= a, b < n <= 2^42."""
    if n <= 1 << 31:
        return a * b % n
    high, low = a >> 21, a & ((1 << 21) - 1)  # each product below stays under 2^63
    return ((high * b % n << 21) % n + low * b % n) % n
