"""The parts of the study: a new part is one file and one line here."""

from __future__ import annotations

from studies.rates import deviation_summary as deviation_found
from studies.rates import deviations, rate_summary, rates, training
from studies.rates.part import Part
from studies.views import measured as views_measured
from studies.views import summary as views_summary

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
