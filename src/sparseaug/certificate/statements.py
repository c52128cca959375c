"""What an audit of accuracy or loss states: three kinds of statement, each a type of its own.

DataRisk         these n samples and all of G
PopulationRisk   the distribution that n held-out samples came from, and all of G
Consistency      the share of samples whose label is the same for all of G, or for a share q of it

The numbers are in the unit that is quoted: accuracy for the 0-1 loss, the mean loss for any other.
`risk` is R_n^G, the mean loss, for both.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, NamedTuple, final

from sparseaug._floats import down, text_down, text_up, up
from sparseaug._tables import Shown, Table


class Bounds(NamedTuple):
    """lower <= truth <= upper, and what was seen."""

    estimate: float
    lower: float
    upper: float


@dataclass(frozen=True)
class RiskCertificate(Shown):
    """lower <= accuracy <= upper, or so for a mean loss, and what that holds over.

    Attributes:
        estimate: the accuracy that was seen, or the mean loss; of two models, that of the first less
            that of the second
        lower: the truth lies between this and `upper`, with probability 1 - delta for both together
        upper: see `lower`
        at_least: what may be quoted alone: the truth is no less, with probability 1 - delta
        at_most: the same for no more; one of the two, not both
        calls: oracle calls
        evaluations: copies that went through the model, those of an averaged one included
        failure_probability: delta; 0 where every element was tried
        loss: "0-1", of which accuracy is quoted, or the name of the function
        samples: n
        elements: of the group, in words
        holds: over what the probability is
        models: 2 for a difference
        average: m of the S that the model was averaged over, or None
        until: the level that was asked for, or None
    """

    estimate: float
    lower: float
    upper: float
    at_least: float
    at_most: float
    calls: int
    evaluations: int
    failure_probability: float
    loss: str
    samples: int
    elements: str
    holds: str
    models: int = 1
    average: int | None = None
    until: float | None = None

    over: ClassVar[str]
    subject: ClassVar[str]

    @property
    def quantity(self) -> str:
        """ "accuracy" for the 0-1 loss, else "loss"."""
        return "accuracy" if self.loss == "0-1" else "loss"

    @property
    def risk(self) -> Bounds:
        """The mean loss R_n^G with its two bounds: 1 - accuracy for the 0-1 loss."""
        if self.loss != "0-1":
            return Bounds(self.estimate, self.lower, self.upper)
        if self.models == 2:
            return Bounds(-self.estimate, -self.upper, -self.lower)
        lower, upper = max(0.0, down(1 - self.upper)), min(1.0, up(1 - self.lower))
        if not self.failure_probability:
            lower = upper = 1 - self.estimate
        return Bounds(1 - self.estimate, lower, upper)

    @property
    def answer(self) -> Literal["above", "below", "open"] | None:
        """On which side of `until` the truth is; wrong with probability at most delta."""
        if self.until is None:
            return None
        if self.at_least >= self.until:
            return "above"
        return "below" if self.at_most <= self.until else "open"

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return {**asdict(self), "quantity": self.quantity, "over": self.over}

    def _table(self) -> Table:
        ends = (text_down(self.lower, 4), text_up(self.upper, 4))
        alone = text_down(self.at_least, 4) if self._is_accuracy else text_up(self.at_most, 4)
        row = (f"{self.estimate:.4g}", *ends, alone, f"{self.calls:,}", f"{self.evaluations:,}")
        side = "at least" if self._is_accuracy else "at most"
        header = (self.quantity, "lower", "upper", f"{side}, alone", "calls", "evaluations")
        return Table(header, [row], range(6), str(self))

    @property
    def _is_accuracy(self) -> bool:
        return self.quantity == "accuracy"

    def __str__(self) -> str:
        name = "accuracy" if self._is_accuracy else f"loss ({self.loss})"
        if self.models == 2:
            name += " of the first model less that of the second,"
        if self.average is not None:
            who = "each" if self.models == 2 else "of the model"
            name += f" {who} averaged over {self.average:,} elements,"
        where = self.subject.format(elements=self.elements, samples=f"{self.samples:,}")
        text = f"{name} over {where}: {self.estimate:.3f}"
        if self.failure_probability:
            alone = f"at least {text_down(self.at_least, 3)}"
            if not self._is_accuracy:
                alone = f"at most {text_up(self.at_most, 3)}"
            both = f"{text_down(self.lower, 3)} to {text_up(self.upper, 3)}"
            chance = f"with probability {_chance(self.failure_probability)}"
            text += f", {alone} {chance}, or {both} on both sides"
        else:
            text += ", certain"
        return f"{text}{self._answered()} ({self.evaluations:,} evaluations)"

    def _answered(self) -> str:
        """The question of `until` and its answer."""
        if self.answer is None:
            return ""
        if self.answer == "open":
            return f"; on which side of {self.until:g} it is stays open"
        return f"; it is {'at least' if self.answer == 'above' else 'at most'} {self.until:g}"


@final
@dataclass(frozen=True)
class DataRisk(RiskCertificate):
    """Accuracy or loss over these n samples and all of G."""

    over: ClassVar[str] = "data"
    subject: ClassVar[str] = "all {elements} of these {samples} samples"


@final
@dataclass(frozen=True)
class PopulationRisk(RiskCertificate):
    """Accuracy or loss over the distribution of the samples and all of G."""

    over: ClassVar[str] = "population"
    subject: ClassVar[str] = "all {elements} and the population of these {samples} samples"


@final
@dataclass(frozen=True)
class Consistency(Shown):
    """The share of these samples whose label is the same for all of G, or for a share of it.

    Attributes:
        estimate: the share of samples that agreed wherever they were tried
        lower: with probability 1 - delta at least so many agree with f(x) on a share of at least
            `share` of G
        share: of the group
        calls: oracle calls
        evaluations: copies that went through the model
        failure_probability: delta; 0 where every element was tried
        samples: n
        elements: of the group, in words
    """

    estimate: float
    lower: float
    share: float
    calls: int
    evaluations: int
    failure_probability: float
    samples: int
    elements: str

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)

    def _table(self) -> Table:
        return Table((), (), notes=[str(self)])

    def __str__(self) -> str:
        part = "" if self.share == 1 else f"at least {100 * self.share:g} % of "
        bound = ", certain"
        if self.failure_probability:
            chance = _chance(self.failure_probability)
            bound = f", at least {text_down(self.lower, 3)} with probability {chance}"
        return (
            f"the label is the same on {part}all {self.elements} for a share of {self.estimate:.3f} of "
            f"these {self.samples:,} samples{bound} ({self.evaluations:,} evaluations)"
        )


def _chance(delta: float) -> str:
    """1 - delta, which is never shown as 1."""
    return f"{1 - delta:g}" if delta >= 1e-6 else f"1 - {delta:g}"
