"""All characters of an abelian group by the fast Fourier transform of the table of counts.

This is for samples with thousands of distinct elements, where the table is no longer sparse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from sparseaug._floats import UNIT, gamma
from sparseaug.errors import SparseAugError
from sparseaug.groups import Rows
from sparseaug.groups.fourier import Block
from sparseaug.norms.abelian.roots import MEAN_ERROR, character_mean, phases
from sparseaug.qmc.field import prime_factors

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
        >>> from sparseaug.norms.abelian.ffts import fft_error
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


def _unravel(shape: tuple[int, ...], start: int) -> Callable[[NDArray[np.intp]], Rows]:
    def frequencies(index: NDArray[np.intp]) -> Rows:
        return np.stack(np.unravel_index(index + start, shape), axis=-1).astype(np.int64)

    return frequencies
