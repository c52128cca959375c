"""The second S of an estimator: what its predictions are averaged over, chosen for the fitted model.

A model changes little along the S it was trained on, whatever it does elsewhere, so that an average
over that S gains little. After fitting, the predictions at a few training rows are measured at elements
of the group; their spectrum says what each S would leave, and the best known of m elements is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import fields_as_json
from sparseaug._checks import check_choice
from sparseaug._tables import Shown
from sparseaug.designs import design
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Distribution, Group, Rows
from sparseaug.sampling import GroupSample, Oracle, SampleTable, keyed_rng
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.measure import measure
from sparseaug.spectrum.spectrum import Prediction, Spectrum

CHOICES = ("chosen", "same", "full")

ROWS = 8192
"""Predictions to measure by: of a forest a tenth of what fitting it to 8,000 copies takes."""

INPUTS = 64
"""Training rows to measure at, where the group is small; fewer of a large one."""

ELEMENTS = 256
"""Draws from a group with more elements; more where its degrees need more."""

Values: TypeAlias = Callable[[Rows, NDArray[np.int64]], NDArray[Any]]
"""(elements, numbers of training rows) -> predictions (k, n, ...)."""


@dataclass(frozen=True)
class Average(Shown):
    """The S that predictions are averaged over, and what it is expected to leave.

    Attributes:
        sample: S
        how: "chosen", "same", "full" or "given"; "drawn" where each sample had its own and there
            is nothing to choose by: the elements of the first
        prediction: the mean-square error that an average over S leaves of the fitted model's
            predictions, at inputs such as those of training; None unless S was chosen
        spectrum: how these predictions vary over the group, for `sparseaug.choose`; None likewise
        calls: oracle calls that choosing took
    """

    sample: GroupSample
    how: str
    prediction: Prediction | None = None
    spectrum: Spectrum | None = field(default=None, repr=False)
    calls: int = 0

    def to_dict(self) -> dict[str, Any]:
        """All but the spectrum, as JSON data."""
        return fields_as_json(self, "spectrum")

    def __str__(self) -> str:
        left = "" if self.prediction is None else f": {self.prediction}"
        return f"{self.how}, {self.sample!r}{left}"


def check_average(average: Any, per_sample: Any) -> None:
    """Raise an `ArgumentError` unless it is one of the words, an S, or False."""
    if isinstance(average, str):
        check_choice("average", average, CHOICES)
        if average == "same" and per_sample is not False:
            raise ArgumentError(
                "average='same' needs one S, and per_sample gives each sample its own; leave it."
            )
    elif average is not False and not isinstance(average, GroupSample | list | np.ndarray):
        words = ", ".join(map(repr, CHOICES))
        raise ArgumentError(f"average={shorten(average)}; give {words}, a GroupSample or False.")


def average_over(
    average: Any,
    learned: GroupSample | SampleTable,
    values: Values,
    *,
    asked: NDArray[np.int64],
    seed: int,
) -> Average:
    """What predictions are averaged over, by the parameter of that name.

    Args:
        average: "chosen", "same", "full" or an S, checked
        learned: what copies were made by
        values: predictions of the fitted model at moved training rows
        asked: numbers of training rows to ask at, as `rows_to_ask` gives them
        seed: of the elements to ask at
    """
    group, m = learned.distribution, learned.m
    if isinstance(average, str) and average == "same" and isinstance(learned, GroupSample):
        return Average(learned, "same")
    if not isinstance(average, str) or average == "full":
        S = as_sample(average, group, "average")
        return Average(S, "full" if isinstance(average, str) else "given")
    if not isinstance(group, Group):  # nothing to choose by degrees
        return _without_spectrum(group, learned)
    if group.log_order <= math.log(m) + 1e-9:  # as many elements as there are, or more
        return Average(as_sample("full", group), "full")
    if m == 1:
        return Average(GroupSample(group, group.identity()), "same")
    try:
        spectrum = _measured(group, values, asked, seed)
    except (ArgumentError, GroupTooLargeError, UnsupportedError):  # no degrees, or no numbers
        return _without_spectrum(group, learned)
    if not spectrum.variance:  # nothing varies, or nothing was seen to
        return _without_spectrum(group, learned)
    S = design(group, m=m, spectrum=spectrum, identity=True)
    return Average(S, "chosen", spectrum.predict(S), spectrum, spectrum.calls)


def rows_to_ask(X: Any, weights: NDArray[Any] | None) -> NDArray[np.int64]:
    """Numbers of different rows in an order of their own, which neither repeats nor weights change."""
    if hasattr(X, "iloc"):
        import pandas as pd

        key = pd.util.hash_pandas_object(X, index=False).to_numpy()
    else:
        factors = 1.0 + keyed_rng(0, "rows to ask").random(X.shape[1])
        with np.errstate(all="ignore"):
            numbers = np.nan_to_num(np.asarray(X) * factors).sum(axis=1)
            key = np.modf(np.abs(numbers) * 12345.678)[0]
    _, first = np.unique(key, return_index=True)
    if weights is not None:
        positive = np.asarray(weights)[first] > 0
        first = first[positive] if positive.any() else first
    return np.asarray(first[:INPUTS])


def _measured(group: Group, values: Values, asked: NDArray[np.int64], seed: int) -> Spectrum:
    """The spectrum of the predictions at a few training rows."""
    oracle = Oracle(group, int(keyed_rng(seed, "averages").integers(1 << 63)))
    try:
        measurement = measure(group, calls=ELEMENTS, oracle=oracle)
    except ArgumentError:  # which are too few for its degrees
        measurement = measure(group, oracle=oracle)
    rows = measurement.rows
    most = min(len(asked), max(8, ROWS // len(rows)))
    found = np.asarray(values(rows, asked[:most]), np.float64)
    if not np.isfinite(found).all():
        raise UnsupportedError("predictions are not finite")
    block = found.reshape(len(rows), most, -1)
    eps = 64 * float(np.finfo(np.float32).eps)
    return measurement.spectrum([(0, block)], inputs=most, floor=eps * eps)


def _without_spectrum(group: Distribution, learned: GroupSample | SampleTable) -> Average:
    """The S that was learned from; where each sample had its own, the elements of the first."""
    if isinstance(learned, GroupSample):
        return Average(learned, "same")
    return Average(GroupSample(group, learned.rows[0]), "drawn")
