"""What is known of the norm of D_S = Pi_S - Pi_G: two-sided, and by which kind of knowledge.

What a computation will take, said before it starts: nothing runs for minutes unannounced.

Estimates are rough: for one core of 2020 or later, mostly too high, and by a factor of ten at times.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction

from sparseaug._floats import down, float_above, float_below, up
from sparseaug.errors import GroupTooLargeError, SparseAugWarning, cost_text


@dataclass(frozen=True)
class Norm:
    """lower <= norm <= upper, and the block (irrep) where the lower bound is attained.

    `failure_probability` is 0 where `upper` is certain, positive where it holds with that probability
    of error, and None where `upper` is an estimate and nothing more. `lower` is always certain.
    """

    upper: float
    lower: float
    block: str = ""
    failure_probability: float | None = 0.0

    def at(self, block: str) -> Norm:
        """The same norm, with the name of the block."""
        return replace(self, block=block)


def ratio(total: int, m: int, name: str) -> Norm:
    """The floats next to total / m."""
    exact = Fraction(total, m)
    return Norm(float_above(exact), float_below(exact), name)


def enclosed(size: float, error: float, name: str) -> Norm:
    """The norm of a block of this computed size."""
    return Norm(min(1.0, up(size + error)), max(0.0, down(size - up(error))), name)


def larger_norm(one: Norm, other: Norm) -> Norm:
    """Bounds on the larger of two norms; the chances of failing add up."""
    attained = one if one.lower >= other.lower else other
    p, q = one.failure_probability, other.failure_probability
    failure = None if p is None or q is None else float_above(Fraction(p) + Fraction(q))
    return Norm(max(one.upper, other.upper), attained.lower, attained.block, failure)


def equal_share(failure_probability: float, count: int) -> float:
    """An equal share of a probability, rounded down: `count` of them are together no more than it."""
    return float_below(Fraction(failure_probability) / max(1, count))


def restate(norm: Norm, failure_probability: float) -> Norm:
    """With the probability of which its blocks have all `shared` parts, not their rounded sum."""
    added = norm.failure_probability
    if added and math.isclose(added, failure_probability, rel_tol=1e-9):
        return replace(norm, failure_probability=failure_probability)
    return norm


ANNOUNCED_SECONDS = 30.0
"""Above this a `LongRunWarning` gives the estimate."""

LONGEST_SECONDS = 3600.0
"""Above this a computation is refused."""

ANNOUNCED_BYTES = 1 << 31
"""Memory above which the warning gives the estimate."""


class LongRunWarning(SparseAugWarning):
    """The computation that starts now takes minutes or gigabytes; the message says how many."""


def announce(what: str, *, seconds: float, memory: float = 0.0, instead: str = "") -> None:
    """Warn of a long computation, or raise a `GroupTooLargeError` if it is too long.

    Examples:
        >>> from sparseaug.norms.norm import announce
        >>> announce("a norm on S5", seconds=0.1)
        >>> announce("a norm on S9xS8xS4", seconds=1e5, instead="use action=.")
        Traceback (most recent call last):
        sparseaug.errors.GroupTooLargeError: a norm on S9xS8xS4 would take about 1.2 days; at most 1 hour
        is tried: use action=.
    """
    takes = cost_text(seconds, memory)
    if seconds > LONGEST_SECONDS:
        raise GroupTooLargeError(f"{what} would take {takes}; at most 1 hour is tried: {instead}")
    if seconds > ANNOUNCED_SECONDS or memory > ANNOUNCED_BYTES:
        warnings.warn(f"{what} takes {takes}.", LongRunWarning, stacklevel=2)
