"""One audit: draw, look, and stop where the bound is good enough.

The bound of `concentration` holds for all numbers of draws at once. So an audit may look after every
draw and stop when it likes, at the delta of one look. What it may not do is start again with other
draws until it likes the answer: the audits of one iterate share delta.
"""

# Shares. The k-th audit of an iterate takes 3/4 4^(1-k) of delta: together they fail with probability at
# most delta, however many there are, and the first has three quarters of it. An audit is known by its
# oracle's seed, where it starts, and what it averages over: the same one again, also with more draws or
# another delta, is the same event, and takes the same share.

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, final

import numpy as np

from sparseaug.certificate.concentration import Seen, radius
from sparseaug.errors import ArgumentError, check_integer, check_real
from sparseaug.floats import gamma, lifted, norm, unit
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle

Audits = dict[str, list[tuple[Any, ...]]]
"""The audits of a risk, by iterate."""

_FIRST = 16  # draws before the first look
_BETWEEN = 20  # then one look after every 1/20 more: the stop is at most 5 % late
_LOCK = threading.Lock()

MOST_AUDITS = 256
"""Of one iterate: the share of the last is 1e-154 of delta."""

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
@dataclass(frozen=True)
class Interval:
    """lower <= ||mean of all|| <= upper.

    Attributes:
        lower: from below
        upper: from above
        unbiased: an estimate of the square, without bias, so that it may be below 0
        calls: oracle calls that it took
    """

    lower: float
    upper: float
    unbiased: float
    calls: int = 0


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

    def interval(self, limits: Limits, delta: float) -> Interval:
        """What the draws so far say of the norm of the mean of all, with probability 1 - delta.

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
        pairs = self.count * mean**2 - square  # sum over j != k of <v_j, v_k> / N
        return Interval(lower * one, upper * one, pairs / max(1, self.count - 1) * one * one)


def run_audit(
    vectors: Callable[[GroupSample], Iterable[Floats]],
    size: int,
    oracle: Oracle,
    limits: Limits,
    *,
    calls: int,
    delta: float,
    until: float | None = None,
) -> Interval:
    """Draw `calls` elements, or with `until` as many as it takes, and at most `calls`.

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
    sums, before = Sums(size, limits.largest), oracle.calls
    if until is not None:
        calls = int(min(calls, max(oracle.remaining, 1)))  # without any, the oracle refuses
    while True:
        wanted = calls if until is None else max(_FIRST, sums.count // _BETWEEN)
        for block in vectors(oracle.fresh(min(wanted, calls - sums.count))):
            sums.add(block)
        found = sums.interval(limits, delta)
        enough = until is not None and not found.lower <= until < found.upper
        if enough or sums.count >= calls:
            return replace(found, calls=oracle.calls - before)


def check_audit(delta: Any, until: Any, calls: Any) -> tuple[float, float | None, int]:
    """delta, until and the number of draws, checked."""
    delta = check_real("delta", delta, above=0, below=1)
    until = None if until is None else check_real("until", until, above=0)
    return delta, until, check_integer("audit_calls", calls, at_least=2, below=MOST_CALLS)


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
            if len(made) == MOST_AUDITS:
                raise ArgumentError(
                    f"oracle is for audit {MOST_AUDITS + 1} of one iterate, whose share of delta is "
                    "too small for a float; make one audit with more audit_calls."
                )
            made.append(audit)
        number = made.index(audit) + 1
    return delta * 0.75 * 4.0 ** (1 - number), number


def over_draws(delta: float, number: int) -> str:
    """How an audit holds, in words."""
    if number == 1:
        return f"with probability 1 - {delta!r} over the audit's draws"
    return (
        f"with probability 1 - {delta!r} over the draws of all {number} audits of this iterate "
        "together, which share it"
    )


def require_fresh(group: Any, S: Any, oracle: Any) -> None:
    """Raise an `ArgumentError` unless the oracle is of this group, and past the draws behind S.

    S is a sample or a problem, the draws of a streaming run included; for None nothing is known.
    """
    require_oracle(oracle, group)
    draws = S.origin.draws if isinstance(S, GroupSample) else getattr(S, "draws", ())
    for seed, _, stop in draws:
        if seed == oracle.seed and oracle.calls < stop:
            raise ArgumentError(
                f"oracle has the seed {oracle.seed} of S and would draw elements of S again; continue "
                "with the oracle that S came from, or use another seed."
            )
