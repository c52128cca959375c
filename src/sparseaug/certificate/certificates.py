"""A bound of the full-group gradient norm at one iterate: how it holds, the truth, what it cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, final

from sparseaug._archive import to_json
from sparseaug._floats import text_up
from sparseaug._tables import Shown, Table
from sparseaug.errors import ArgumentError, shorten


class BoundOverflowError(ArgumentError):
    """A bound is beyond the range of floats; `certify` leaves that kind out where others are not."""


@final
@dataclass(frozen=True)
class Certificate(Shown):
    """||grad R_n^G(theta)|| <= bound.

    Attributes:
        kind: one of `sparseaug.certificate.KINDS`
        bound: the norm is at most this, all roundings included
        holds: in words: for certain, or with which probability over what, and on which condition
        failure_probability: 0 where it is certain
        calls: oracle calls behind it, those of an audit included
        truth: the norm itself (to rounding) where it is known, else None
        condition: what is assumed of an action that is not an isometry by construction: a user's
            function, or matrices with rounded entries; empty where nothing is
    """

    kind: str
    bound: float
    holds: str
    failure_probability: float
    calls: int
    truth: float | None = None
    condition: str = ""

    @property
    def certain(self) -> bool:
        """Whether it holds without any probability or condition."""
        return self.failure_probability == 0.0 and not self.condition

    @property
    def looseness(self) -> float | None:
        """bound / truth; None where the truth is not known, or is 0."""
        return self.bound / self.truth if self.truth else None

    def to_dict(self) -> dict[str, Any]:
        """All fields and the looseness as JSON data."""
        return {**asdict(self), "calls": to_json(self.calls), "looseness": self.looseness}

    def __str__(self) -> str:
        text = f"{self.kind}: full-group gradient norm at most {text_up(self.bound)}, {self.holds}"
        if self.truth is not None:
            text += f"; truth {self.truth:.6g}"
        if self.looseness is not None and self.looseness >= 1.1:
            text += f", loose by a factor of {text_up(self.looseness, 3)}"
        return f"{text}; {shorten(self.calls)} oracle calls"


def make_certificate(
    kind: str,
    bound: float,
    calls: int,
    failure: float = 0.0,
    over: str = "",
    condition: str = "",
    *,
    truth: float | None = None,
) -> Certificate:
    """With what it holds on in words: a probability over something, a condition, or neither."""
    holds = _in_words(failure, over, "", condition) or "certain"
    return Certificate(kind, finite_bound(kind, bound), holds, failure, calls, truth, condition)


def finite_bound(kind: str, bound: float) -> float:
    """The bound, or a `BoundOverflowError`."""
    if not math.isfinite(bound):
        raise BoundOverflowError(f"theta is too large for floats: its {kind} bound is {bound}.")
    return float(bound)


def _in_words(failure: float, over: str, which: str, condition: str) -> str:
    probability = f"with probability 1 - {failure!r}" + (f" over {over}" if over else "")
    parts = (probability if failure else "", which, f"if {condition}" if condition else "")
    return ", ".join(filter(None, parts))


@final
@dataclass(frozen=True)
class Certificates(Shown, Mapping[str, Certificate]):
    """Certificates of one iterate by kind, and why other kinds are missing.

    Attributes:
        by_kind: the certificates
        omitted: for each kind that is missing, the reason

    Examples:
        >>> from sparseaug.certificate import Certificate, Certificates
        >>> found = Certificates({"exact": Certificate("exact", 0.25, "certain", 0.0, 8)})
        >>> print(found.best)
        exact: full-group gradient norm at most 0.25, certain; 8 oracle calls
    """

    by_kind: Mapping[str, Certificate]
    omitted: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, kind: str) -> Certificate:
        return self.by_kind[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_kind)

    def __len__(self) -> int:
        return len(self.by_kind)

    @property
    def best(self) -> Certificate:
        """The smallest bound among the certain ones.

        Where none is certain it is the smallest of all. As it is chosen after seeing them, it holds
        where all of them do, and their failure probabilities add up.
        """
        if not self.by_kind:
            raise ArgumentError("there is no certificate to choose from; see .omitted for why.")
        every = sorted(self.values(), key=lambda one: one.bound)
        for one in every:
            if one.certain:
                return one
        failure = min(1.0, math.fsum(one.failure_probability for one in every))
        conditions = dict.fromkeys(one.condition for one in every if one.condition)
        condition = ", and if ".join(conditions)
        first = every[0]
        if (failure, condition) == (first.failure_probability, first.condition):
            return first
        holds = _in_words(failure, "", f"as the smallest of {len(every)} bounds", condition)
        return replace(first, failure_probability=failure, condition=condition, holds=holds)

    def to_dict(self) -> dict[str, Any]:
        """The certificates and the reasons for missing ones as JSON data."""
        found = {kind: one.to_dict() for kind, one in self.items()}
        return {"certificates": found, "omitted": dict(self.omitted)}

    def _table(self) -> Table:
        rows = [
            (
                one.kind,
                text_up(one.bound),
                "-" if one.truth is None else f"{one.truth:.6g}",
                shorten(one.calls) if one.calls >= 10**20 else f"{one.calls:,}",
                one.holds,
            )
            for one in self.values()
        ]
        header = ("kind", "at most", "truth", "calls", "holds")
        notes = [f"{kind}: omitted, {why}" for kind, why in self.omitted.items()]
        return Table(header, rows, (1, 2, 3), "full-group gradient norm", notes)
