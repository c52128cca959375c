"""The parts of the study: a new part is one file and one line here."""

from __future__ import annotations

from sparseaug.experiments.study import deviation_summary as deviation_found
from sparseaug.experiments.study import deviations, rate_summary, rates, training
from sparseaug.experiments.study.part import Part
from sparseaug.experiments.study.views import measured as views_measured
from sparseaug.experiments.study.views import summary as views_summary

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
    Part(
        "views",
        "How many views?",
        views_measured.tasks,
        views_measured.run,
        views_summary.summarise,
        usual=False,
    ),
)
