"""The parts of the study: a new part is one file and one line here."""

from __future__ import annotations

from sparseaug.experiments.study import deviation_summary as deviation_found
from sparseaug.experiments.study import deviations, rate_summary, rates, training
from sparseaug.experiments.study.part import Part

PARTS = (
    Part(
        "rates",
        "Oracle calls to reach a gradient norm",
        rates.tasks,
        rates.run,
        rate_summary.summarise,
    ),
    Part(
        "deviation",
        "The exact deviation of S",
        deviations.tasks,
        deviations.run,
        deviation_found.summarise,
    ),
    Part(
        "training",
        "What a step of training costs",
        training.tasks,
        training.run,
        training.summarise,
    ),
)
