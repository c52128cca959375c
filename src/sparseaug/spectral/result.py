"""What is known of the norm of D_S = Pi_S - Pi_G: two-sided, and by which kind of knowledge.

What a computation will take, said before it starts: nothing runs for minutes unannounced.

Estimates are rough: for one core of 2020 or later, mostly too high, and by a factor of ten at times.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

from sparseaug._checks import check_integer, check_not_negative, check_real, check_text
from sparseaug._floats import float_above, float_below, text_down, text_up
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    SparseAugWarning,
    cost_text,
    shorten_text,
)

Progress: TypeAlias = Callable[[int, int], None]  # (done, total), called now and then


class Block(NamedTuple):
    """Part of the Fourier transform of S: means over S, all within `error` of the true ones.

    `values` is the mean of one irrep, a matrix, `error` its Frobenius distance from the truth at most,
    and `label` the irrep: its name, or a partition. Of an abelian group many characters make a block:
    `values` is flat, `error` that of each value, and `label` takes places in it to frequencies.
    """

    label: Any
    values: NDArray[Any]
    error: float


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


def larger_norm(one: Norm, other: Norm) -> Norm:
    """Bounds on the larger of two norms; the chances of failing add up."""
    attained = one if one.lower >= other.lower else other
    p, q = one.failure_probability, other.failure_probability
    failure = None if p is None or q is None else float_above(Fraction(p) + Fraction(q))
    return Norm(max(one.upper, other.upper), attained.lower, attained.block, failure)


def shared(failure_probability: float, count: int) -> float:
    """An equal share of a probability, rounded down: `count` of them are together no more than it."""
    share = float_below(Fraction(failure_probability) / max(1, count))
    if not share:
        raise ArgumentError(
            f"failure_probability={failure_probability!r} is too small to be shared by {count} blocks; "
            "give a larger one."
        )
    return share


def stated(norm: Norm, failure_probability: float) -> Norm:
    """With the probability of which its blocks have all `shared` parts, not their rounded sum."""
    added = norm.failure_probability
    if added and math.isclose(added, failure_probability, rel_tol=1e-9):
        return replace(norm, failure_probability=failure_probability)
    return norm


@dataclass(frozen=True)
class Deviation:
    """How far the average over S is from the average over G: the norm of D_S = Pi_S - Pi_G.

    Attributes:
        value: the norm is at most this
        lower: and at least this, for certain
        method: how it was computed
        block: the irrep where it is attained
        m: number of elements of S
        floor: no S of m elements has a smaller norm
        bound: what the paper promises for m uniform draws, with probability 1 - delta; None where S
            is something else: given, words, joined, or drawn until it was good
        delta: the delta of that promise
        failure_probability: 0 where `value` is certain, None where it is an estimate
        reason: why the norm is 1, where S lies in a coset of a proper subgroup
        sha256: of S; empty for words and for restricted norms, which are not those of S itself
    """

    value: float
    lower: float
    method: str
    block: str
    m: int
    floor: float
    bound: float | None
    delta: float
    failure_probability: float | None = 0.0
    reason: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        for name in ("value", "lower", "floor", "bound", "failure_probability"):
            number = getattr(self, name)
            if number is not None or name not in ("bound", "failure_probability"):
                check_not_negative(name, number, at_most=1)
        check_integer("m", self.m, at_least=1)
        check_real("delta", self.delta, above=0, below=1)
        for name in ("method", "block", "reason", "sha256"):
            check_text(name, getattr(self, name))

    @property
    def rigorous(self) -> bool:
        """Whether `value` is a certain upper bound."""
        return self.failure_probability == 0.0

    @property
    def kind(self) -> str:
        """ "rigorous", "with probability" or "estimate"."""
        if self.failure_probability is None:
            return "estimate"
        return "rigorous" if self.rigorous else f"with probability 1 - {self.failure_probability!r}"

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the kind of knowledge, as JSON data."""
        return {**asdict(self), "rigorous": self.rigorous, "kind": self.kind}

    def __str__(self) -> str:
        text = (
            f"deviation at most {text_up(self.value)} ({self.kind}; {self.method}, at "
            f"{shorten_text(self.block)}); "
            f"at least {text_down(self.lower)}"
        )
        if self.bound is not None:
            text += f"; the a-priori bound says {text_up(self.bound)}"
        return f"{text}; {self.reason}" if self.reason else text


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
