"""What an audit of accuracy or loss states.

The numbers are in the unit that is quoted: accuracy for the 0-1 loss, the mean loss for any other. They
are about these n samples and all of G, or about the distribution that n held-out samples came from.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, final

from sparseaug._floats import text_down, text_up
from sparseaug._tables import Shown

_OVER = {
    "data": "all {} of these {:,} samples",
    "population": "all {} and the population of these {:,} samples",
}

_ANSWERS = {
    "above": "; it is at least {:g}",
    "below": "; it is at most {:g}",
    "open": "; on which side of {:g} it is stays open",
}


@final
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
        over: "data", these samples, or "population", the distribution that they came from
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
    over: Literal["data", "population"] = "data"
    models: int = 1
    average: int | None = None
    until: float | None = None

    @property
    def quantity(self) -> str:
        """ "accuracy" for the 0-1 loss, else "loss"."""
        return "accuracy" if self.loss == "0-1" else "loss"

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
        return {**asdict(self), "quantity": self.quantity}

    def __str__(self) -> str:
        is_accuracy = self.loss == "0-1"
        name = "accuracy" if is_accuracy else f"loss ({self.loss})"
        if self.models == 2:
            name += " of the first model less that of the second,"
        if self.average is not None:
            who = "each" if self.models == 2 else "of the model"
            name += f" {who} averaged over {self.average:,} elements,"
        where = _OVER[self.over].format(self.elements, self.samples)
        bounds = "certain"
        if self.failure_probability:
            least, most = f"at least {text_down(self.at_least, 3)}", text_up(self.at_most, 3)
            bounds = (
                f"{least if is_accuracy else f'at most {most}'} with probability "
                f"{chance(self.failure_probability)}, or "
                f"{text_down(self.lower, 3)} to {text_up(self.upper, 3)} on both sides"
            )
        answer = _ANSWERS[self.answer].format(self.until) if self.answer else ""
        return (
            f"{name} over {where}: {self.estimate:.3f}, {bounds}{answer} "
            f"({self.evaluations:,} evaluations)"
        )


def chance(delta: float) -> str:
    """1 - delta, which is never shown as 1."""
    return f"{1 - delta:g}" if delta >= 1e-6 else f"1 - {delta:g}"
