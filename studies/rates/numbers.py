"""The statistics of the study: slopes with intervals over seeds, rates with Clopper-Pearson limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.95
"""Of every interval."""


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


def mean_interval(values: Any) -> Interval:
    """Student's interval of a mean over independent seeds.

    Examples:
        >>> print(mean_interval([1.0, 2.0, 3.0]))
        2.00 [-0.48, 4.48]
    """
    values = np.asarray(values, float)
    mean = float(values.mean())
    if len(values) < 2:
        return Interval(mean, mean, mean)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1)) * error
    return Interval(*(float(f"{v:.10g}") for v in (mean, mean - half, mean + half)))


def slopes(x: Any, y: Any) -> Any:
    """Least-squares slopes of log y (points, seeds) on log x (points,): one for each seed."""
    log_x, log_y = np.log(np.asarray(x, float)), np.log(np.asarray(y, float))
    centred = log_x - log_x.mean()
    return centred @ log_y / (centred @ centred)


def call_slope(calls: Any, eps: Any) -> Interval:
    """The slope of log calls in log eps, where eps (points, seeds) is measured at given calls.

    What is random is regressed on what is given, for each seed. The slope is the inverse of the mean of
    these, and so are the ends of its interval; an interval that reaches 0 says nothing, and is that.
    """
    found = mean_interval(slopes(calls, eps))
    if found.low * found.high <= 0:
        return Interval(1 / found.mean, -math.inf, math.inf)
    low, high = sorted((1 / found.low, 1 / found.high))
    return Interval(1 / found.mean, low, high)


def eps_slope(eps: Any, calls: Any) -> Interval:
    """The slope of log calls (points, seeds) in log eps, where calls are measured at given eps."""
    return mean_interval(slopes(eps, calls))


def clopper_pearson(failures: int, trials: int) -> tuple[float, float]:
    """The exact two-sided confidence interval of a probability.

    Examples:
        >>> low, high = clopper_pearson(0, 100)
        >>> low, round(high, 4)
        (0.0, 0.0362)
    """
    tail = (1 - LEVEL) / 2
    low = float(stats.beta.ppf(tail, failures, trials - failures + 1)) if failures else 0.0
    high = (
        float(stats.beta.ppf(1 - tail, failures + 1, trials - failures))
        if failures < trials
        else 1.0
    )
    return low, high


def quantiles(values: Sequence[float], at: Sequence[float]) -> list[float]:
    """Sample quantiles, linear between order statistics."""
    return [float(v) for v in np.quantile(np.asarray(values, float), at)]
