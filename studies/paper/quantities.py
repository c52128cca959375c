"""What is evaluated along a run, over the whole group: one table for everyone who names a quantity.

A row of `QUANTITIES` is a column of results.json, a chart and a column of the page and, if it says so,
a panel of the figure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from sparseaug.kernels.arrays import Floats
from sparseaug.risk import MomentRisk, augmented_risk
from studies.paper.problem import Problem


@final
@dataclass(frozen=True, eq=False)
class Evaluation:
    """The exact risks of one seed, from which every quantity is computed."""

    train: MomentRisk
    test: MomentRisk
    identity_test: MomentRisk

    @classmethod
    def over_the_group(cls, given: Problem) -> Evaluation:
        """One pass over all transformed data; then each evaluation costs R^2."""
        identity = augmented_risk(given.model, given.test, given.action, None)
        return cls(given.full_risk(given.train), given.full_risk(given.test), identity)


@final
@dataclass(frozen=True)
class Quantity:
    """A function of theta that is followed along every run."""

    name: str  # in results.json
    label: str  # in the figure and on the page
    at: Callable[[Evaluation, Floats], float]  # its value at theta
    axis: str = ""  # of its panel in the figure, "linear" or "log"; "" for no panel
    added: bool = False  # later than the first results files, which are read without it

    @property
    def title(self) -> str:
        """Its name as a title."""
        return self.label[:1].upper() + self.label[1:]


QUANTITIES = (
    Quantity(
        "train_risk", "fully augmented training risk", lambda e, t: e.train.value(t), "linear"
    ),
    Quantity("test_risk", "permutation-averaged test risk", lambda e, t: e.test.value(t), "linear"),
    Quantity(
        "gradient_norm",
        "full-gradient norm",
        lambda e, t: float(np.linalg.norm(e.train.gradient(t))),
        "log",
    ),
    Quantity(
        "identity_test_risk", "identity-order test risk", lambda e, t: e.identity_test.value(t)
    ),
)
