"""One audit: draw, look, and stop where the bound is good enough.

The bound of `concentration` holds for all numbers of draws at once. So an audit may look after every
draw and stop when it likes, at the delta of one look. What it may not do is start again with other
draws until it likes the answer: the audits of one iterate share delta.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, final

import numpy as np

from sparseaug._floats import gamma, lifted, norm, unit
from sparseaug.certificate.concentration import Seen, radius
from sparseaug.errors import ArgumentError
from sparseaug.kernels.arrays import Floats
from sparseaug.risk.problem import Draws
from sparseaug.sampling import GroupSample, Oracle

# Shares. The k-th audit of an iterate takes 3/4 4^(1-k) of delta: together they fail with probability at
# most delta, however many there are, and the first has three quarters of it. An audit is known by its
# oracle's seed, where it starts, and what it averages over: the same one again, also with more draws or
# another delta, is the same event, and takes the same share.


Audits = dict[str, list[tuple[Any, ...]]]
"""The audits of a risk, by iterate."""

_FIRST = 16  # draws before the first look
_BETWEEN = 20  # then one look after every 1/20 more: the stop is at most 5 % late
_LOCK = threading.Lock()

MOST_CALLS = 10**9
"""Of one audit: more take days."""


@final
@dataclass(frozen=True)
class Limits:
    """What is known of the vectors before the first draw.

    Attributes:
        largest: no vector is longer
        reach: no vector is farther from the mean of all
        off: how far each vector may be off by rounding
    """

    largest: float
    reach: float = math.inf
    off: float = 0.0


@final
class Sums:
    """The sum of N vectors of length p and of their squares, from which all else follows.

    All in units of a power of two near `largest`, the most that a vector measures: squares neither
    overflow nor underflow.
    """

    def __init__(self, size: int, largest: float = 1.0) -> None:
        self.count, self._total, self._squares = 0, np.zeros(size), 0.0
        self._unit = unit(np.array([largest]))[1]

    def add(self, vectors: Floats) -> None:
        """Add the vectors (k, p)."""
        vectors = vectors / self._unit
        self.count += len(vectors)
        self._total += vectors.sum(axis=0)
        self._squares += math.fsum((vectors**2).sum(axis=1))

    def interval(self, limits: Limits, delta: float) -> tuple[float, float]:
        """lower <= ||mean of all|| <= upper by the draws so far, with probability 1 - delta.

        Each entry of the mean is off by at most 2 N roundings of the mean of absolute values, and the
        mean length is at most the root of the mean square; norms and squares add p + 20 more.
        """
        one = self._unit
        limits = Limits(limits.largest / one, limits.reach / one, limits.off / one)
        mean = norm(self._total) / self.count
        square = self._squares / self.count
        error = gamma(2 * self.count + len(self._total) + 20)
        slack = lifted(limits.off + 2 * error * math.sqrt(square), 8)
        spread = math.sqrt(max(0.0, square - mean**2) + 4 * error * square) + limits.off
        seen = Seen(self.count, lifted(mean + slack, 8), lifted(spread, 8))
        off = radius(seen, delta, largest=limits.largest, reach=limits.reach)
        lower = max(0.0, mean - lifted(off + 2 * slack, 8))
        upper = min(limits.largest, lifted(seen.mean + off, 8))
        return lower * one, upper * one


def run_audit(
    vectors: Callable[[GroupSample], Iterable[Floats]],
    size: int,
    oracle: Oracle,
    limits: Limits,
    *,
    calls: int,
    delta: float,
    until: float | None = None,
) -> tuple[float, float]:
    """The ends from `calls` fresh elements, or with `until` from as many as it takes.

    With `until` it stops where the upper end is at most that, and where the lower end is above it: then
    more draws would not help.

    Args:
        vectors: the vectors of fresh elements, in blocks (k, size)
        size: their length
        oracle: where the elements come from
        limits: what is known of all vectors
        calls: how many elements, at most
        delta: how often the interval may fail
        until: the bound that is wanted
    """
    sums = Sums(size, limits.largest)
    if until is not None:
        calls = int(min(calls, max(oracle.remaining, 1)))  # without any, the oracle refuses
    while True:
        wanted = calls if until is None else max(_FIRST, sums.count // _BETWEEN)
        for block in vectors(oracle.fresh(min(wanted, calls - sums.count))):
            sums.add(block)
        lower, upper = sums.interval(limits, delta)
        enough = until is not None and not lower <= until < upper
        if enough or sums.count >= calls:
            return lower, upper


def share_of(
    audits: Audits,
    theta: bytes,
    oracle: Oracle,
    over: GroupSample | None,
    largest: float,
    delta: float,
) -> tuple[float, int]:
    """The part of delta that this audit of this iterate may use, and the number of the audit."""
    source = object() if oracle.has_source else None  # never the same draws again
    audit = (oracle.seed, oracle.calls, over and over.sha256, largest, source)
    with _LOCK:
        made = audits.setdefault(sha256(theta).hexdigest(), [])
        if audit not in made:
            made.append(audit)
        number = made.index(audit) + 1
    share = delta * 0.75 * 4.0 ** (1 - number)
    if not share:
        raise ArgumentError(f"delta={delta!r} is too small, shared by {number} audits; raise it.")
    return share, number


def require_fresh(oracle: Oracle, draws: Draws) -> None:
    """Raise an `ArgumentError` unless the oracle is past these draws, which theta may depend on."""
    for seed, _, stop in draws:
        if seed == oracle.seed and oracle.calls < stop:
            given = f"oracle has the seed {seed} of S and would draw elements of S again"
            raise ArgumentError(f"{given}; use another seed.")


# Proof. Let X = y - mu, z = l ||X|| <= r = l b < 1, phi(z) = e^z - 1 - z, and x a fixed vector.
#
# 1. (Pinelis, Annals of Probability 22, 1994, the proof of Theorem 3.2, for a Hilbert space.) Along
#    u(t) = ||x + t X||, (u^2)'' = 2 ||X||^2, that is u'^2 + u u'' = ||X||^2, and u'' >= 0. As sinh(l
#    u) is at most l u cosh(l u),
#      (cosh l u)'' = l^2 cosh(l u) u'^2 + l sinh(l u) u'' <= l^2 ||X||^2 cosh(l u)
#                  <= l^2 ||X||^2 exp(t l ||X||) cosh(l ||x||),
#    and Taylor's formula with integral remainder gives
#      cosh(l ||x + X||) <= cosh(l ||x||) (1 + s + phi(z)),   s = l tanh(l ||x||) <x, X> / ||x||.
#    s is linear in X, so E s = 0, and |s| <= z.
# 2. (1 + s + phi(z)) exp(-k z^2) <= 1 + s if log(1 + phi(z) / (1 + s)) <= k z^2; as s >= -z, it is
#    enough that
#      k >= g(z) / z^2,   g(z) = log(1 + phi(z) / (1 - z)) = log(e^z - 2 z) - log(1 - z).
#    g / z^2 increases on (0, 1), since g(0) = g'(0) = 0 and g''' >= 0: with f = e^z - 2 z and a =
#    f'/f, g''' = e^z/f - 3 a e^z/f + 2 a^3 + 2/(1 - z)^3. Up to z = log 2, -1 <= a <= 0, and the last
#    two terms are at least -2 + 2; above, 0 <= a <= 1 and e^z/f <= 4.5, so that the sum is at least -9
#    + 69. So kappa(r) = log(1 + r^2 / (2 (1 - r/3) (1 - r))) / r^2 is enough for all z <= r, as phi(r)
#    is at most r^2 / (2 (1 - r/3)): its series is r^2/2 times sum 2 r^j / (j + 2)!, and (j + 2)! >= 2
#    3^j.
# 3. From 1 and 2, E cosh(l ||x + X||) exp(-kappa l^2 ||X||^2) <= cosh(l ||x||). So, for every l < 1/b,
#    cosh(l ||sum X_i||) exp(-kappa l^2 sum ||X_i||^2) is a supermartingale that starts at 1, and so is
#    a mean of such over fixed l_k. It is not negative, so that it ever reaches 1/delta with
#    probability at most delta (Ville: stop there, and apply Markov's inequality). Finally ||sum X_i||
#    = N T_N, and sum ||y_i - mu||^2 = N (V_N + T_N^2).
#
# The l_k are l_0 2^-k: half of the weight is on a large one, which is right where the range is much
# larger than the spread, and w_k = 1 / ((k + 1)(k + 2)), of sum below 1, reaches all others.
#
# Solving for T_N. Let T be known to be at most some t. Then b, where it depends on ||mu|| <= ||mean||
# + T, and T^2 in the exponent may be replaced by what t gives: the sum only becomes smaller. What
# remains increases in T and has a convex logarithm, so that Newton's step from t ends above its root:
# again a bound of T. Hence every step gives a bound, and the last one is the smallest.
