"""What a task of the table is: a trained model on whole orbits, targets, the field's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from sparseaug.kernels.arrays import Floats
from studies.rates.part import Task
from studies.views.orbit import Orbit
from studies.views.schemes import SIZES, Scheme

UNMOVED = "trained unmoved"
"""Of a model that has seen its training inputs as they are."""


class Score(NamedTuple):
    """How good predictions (n, p) are for targets (n,)."""

    unit: str
    higher: bool  # is better
    of: Callable[[Floats, Any], float]


ACCURACY = Score("accuracy, %", True, lambda f, y: float(100 * np.mean(f.argmax(axis=1) == y)))


def absolute(unit: str) -> Score:
    """The mean absolute error."""
    return Score(f"MAE, {unit}", False, lambda f, y: float(np.abs(f[:, 0] - y).mean()))


def root_square(unit: str) -> Score:
    """The root mean square error."""
    return Score(f"RMSE, {unit}", False, lambda f, y: float(np.sqrt(np.square(f[:, 0] - y).mean())))


class Prepared(NamedTuple):
    """A trained model on the orbits of test inputs, their targets, and the schemes of the field."""

    orbit: Orbit
    target: Any
    field: Sequence[Scheme]


@final
@dataclass(frozen=True)
class Case:
    """One task of the table.

    Args:
        name: in files
        title: on the page
        models: that are trained, the first one is drawn
        score: of averaged predictions
        numbers: every size that results depend on, whole or quick
        prepare: trains one model for one seed
        sizes: m of draws and searches
        few: the same, quick
        degree: on which searches are judged
    """

    name: str
    title: str
    models: tuple[str, ...]
    score: Score
    numbers: Callable[[bool], dict[str, Any]]
    prepare: Callable[[Task], Prepared]
    sizes: tuple[int, ...] = SIZES
    few: tuple[int, ...] = (1, 4, 16)
    degree: int | None = None
