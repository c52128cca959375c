"""How far the mean of N independent vectors is from its expectation, for all N at once.

The vectors y_1, y_2, ... are independent, of mean mu, with ||y - mu|| <= b. With T_N = ||mean - mu||
and V_N = (1/N) sum ||y_i - mean||^2, with probability 1 - delta, for every N,

    sum_k w_k cosh(l_k N T_N) exp(-kappa(l_k b) l_k^2 N (V_N + T_N^2)) < 1 / delta.

There is no dimension and no variance in it that is not observed, and no number of draws that has to be
fixed beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from sparseaug.kernels.arrays import Floats

_LARGEST = 0.9  # l_0 times the least possible range


_USABLE = 0.99  # l b above which a term is left out: 1 - l b would be rounded too much


_TERMS: Floats = np.arange(24.0)  # the last l is 1e7 times smaller, right for 1e14 draws


_WEIGHTS = 1.0 / ((_TERMS + 1.0) * (_TERMS + 2.0))


_STEPS = 200


_CLOSE = 1e-4  # a step that gains less than this fraction is the last


# above all roundings: exponents are sums of a few terms, off by 1e-13 of the largest
_LIFT = 1 + 1e-9


@final
@dataclass(frozen=True)
class Seen:
    """What is kept of N vectors: all upper bounds, since they were rounded.

    Attributes:
        count: N
        mean: the norm of their mean
        spread: the root of their mean squared distance from their mean
    """

    count: int
    mean: float
    spread: float


def radius(seen: Seen, delta: float, *, largest: float, reach: float = math.inf) -> float:
    """A bound of ||mean - mu|| that holds for every number of draws at once, with probability 1 -
    delta.

    The range is b = min(reach, largest + ||mu||), where ||mu|| is at most `largest` and what this very
    bound says of it.

    Args:
        seen: what is kept of the vectors
        delta: how often the bound may fail, at any number of draws
        largest: no vector is longer
        reach: no vector is farther from mu

    Examples:
        >>> from sparseaug.certificate.anytime import Seen, radius
        >>> round(radius(Seen(1000, 0.1, 1.0), 0.05, largest=10.0), 3)
        0.166
    """
    unit, end = min(largest, reach), min(2 * largest, reach)
    if not seen.spread < 2 * end:  # by rounding, or where there is no range at all
        return end * _LIFT
    # in units of the least range
    mean, variance = seen.mean / unit, (seen.spread / unit) ** 2
    most, far = largest / unit, reach / unit
    steps: Floats = _LARGEST * 0.5**_TERMS
    bound = end / unit
    for _ in range(_STEPS):
        b = min(far, most + min(most, mean + bound))
        ratios = steps * (b * _LIFT)
        usable = ratios <= _USABLE
        rates = kappa(ratios[usable]) * steps[usable] ** 2 * (variance + bound**2)
        value, slope = _log_sum(
            steps[usable] * seen.count, np.log(_WEIGHTS[usable]) - rates * seen.count, bound
        )
        excess = value + math.log(delta)
        if not excess > 0.0:
            break
        gain = excess / slope
        bound -= gain
        if gain < _CLOSE * bound:
            break
    return bound * unit * _LIFT


def kappa(r: Floats) -> Floats:
    """The least multiple of the squared lengths that step 2 of the proof allows, from above."""
    return np.asarray(np.log1p(r**2 / (2 * (1 - r / 3) * (1 - r))) / r**2)


def _log_sum(a: Floats, logs: Floats, t: float) -> tuple[float, float]:
    """log sum exp(logs) cosh(a t), and its derivative by t."""
    size = a * t
    terms = logs + size + np.log1p(np.exp(-2 * size)) - math.log(2)
    top = float(terms.max())
    parts = np.exp(terms - top)
    total = float(parts.sum())
    return top + math.log(total), float((parts * a * np.tanh(size)).sum()) / total
