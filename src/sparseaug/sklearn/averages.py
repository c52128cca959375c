"""The second S of an estimator: what its predictions are averaged over, chosen for the fitted model.

A model changes little along the S it was trained on, whatever it does elsewhere, so that an average
over that S gains little. After fitting, the predictions at a few training rows are measured at elements
of the group; their spectrum says what each S would leave, and m elements are chosen greedily. Eight rows
do as well as 64: how predictions vary differs more between models than between rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import fields_as_json
from sparseaug._checks import check_choice, check_type
from sparseaug._tables import Shown
from sparseaug.designs import design
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group, Rows
from sparseaug.sampling import GroupSample, SampleTable, keyed_rng
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.measure import measure
from sparseaug.spectrum.spectrum import Prediction, Spectrum

CHOICES = ("chosen", "same", "full")

ROWS = 1024
"""Predictions to measure by: as many as averaging over 16 elements takes for 64 new rows."""

INPUTS = 8
"""Training rows to measure at where the group has many elements; more of a small one."""

LISTED = 256
"""Elements up to which all of the group is measured, which separates its degrees without an error."""

DRAWS = 64
"""Draws from a larger group, of which all pairs are used; more where its degrees need more."""

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
    """It is one of the words, an S, or False."""
    if isinstance(average, str):
        check_choice("average", average, CHOICES)
        if average == "same" and per_sample is not False:
            raise ArgumentError("average='same' needs one S, and with per_sample there is none.")
    elif average is not False:
        check_type("average", average, GroupSample, 'a GroupSample; give one, "chosen" or False')


def average_over(
    average: Any,
    learned: GroupSample | SampleTable,
    values: Values,
    *,
    asked: NDArray[np.int64],
) -> Average:
    """What predictions are averaged over, by the parameter of that name.

    Args:
        average: "chosen", "same", "full" or an S, checked
        learned: what copies were made by
        values: predictions of the fitted model at moved training rows
        asked: numbers of training rows to ask at, as `rows_to_ask` gives them
    """
    group, m = learned.distribution, learned.m
    if isinstance(average, GroupSample):
        return Average(as_sample(average, group, "average"), "given")
    few = isinstance(group, Group) and group.is_finite and group.order <= m
    if average == "full" or (average == "chosen" and few):
        return Average(as_sample("full", group), "full")
    if average == "chosen" and m > 1 and isinstance(group, Group):
        try:
            spectrum = _measured(group, values, asked)
        except (ArgumentError, GroupTooLargeError, UnsupportedError):
            spectrum = None  # the group has no degrees, or the predictions are not numbers
        if spectrum is not None and spectrum.variance:
            S = design(group, m=m, spectrum=spectrum, name="nested", identity=True)
            return Average(S, "chosen", spectrum.predict(S), spectrum, spectrum.calls)
    if isinstance(learned, GroupSample):
        return Average(learned, "same")
    return Average(GroupSample(group, learned.rows[0]), "drawn")


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
    return np.asarray(first[:ROWS])


def _measured(group: Group, values: Values, asked: NDArray[np.int64]) -> Spectrum:
    """The spectrum of the predictions at a few training rows."""
    small = group.is_finite and group.order <= LISTED
    try:
        measurement = measure(group, calls=LISTED if small else DRAWS)
    except ArgumentError:  # which are too few for its degrees
        measurement = measure(group)
    rows = measurement.rows
    asked = asked[: max(INPUTS, ROWS // len(rows))]
    found = np.asarray(values(rows, asked), np.float64)
    if not np.isfinite(found).all():
        raise UnsupportedError("predictions are not finite")
    block = found.reshape(len(rows), len(asked), -1)
    eps = 64 * float(np.finfo(np.float32).eps)
    return measurement.spectrum([(0, block)], inputs=len(asked), floor=eps * eps)
