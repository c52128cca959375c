"""What was found of a model's invariance: errors by element, and what they say of the whole group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sparseaug.actions import Array
from sparseaug.actions.arrays import as_numpy, dtype_kind, namespace
from sparseaug.errors import shorten
from sparseaug.floats import UNIT, text_up
from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample


@dataclass(frozen=True, eq=False)
class InvarianceReport:
    """The invariance error of a model, element by element.

    Attributes:
        group: name of the group
        elements: the elements looked at, one a row
        errors: for each, the root mean square over samples and outputs of model(g x) - model(x);
            for labels (outputs that are not floating point) the fraction of samples whose label
            changes
        mean: of the errors
        max: see `mean`.
        exact: whether the elements are all of the group
        interval: for the mean over the group: (mean, mean) if exact; for independent draws
            Student's interval, an estimate; None for words, given rows and a single draw, where
            none is valid
        exceeding: with probability 1 - delta at most this fraction of the group has a larger error
            than `max`: 0 if exact, 1 - delta^(1/m) for independent draws, else None
        delta: of the two above
        calls: elements freshly drawn for this report
        scale: root mean square of model(x); 1 for labels
        eps: rounding unit of the outputs; 0 for labels
    """

    group: str
    elements: Rows
    errors: NDArray[np.float64]
    mean: float
    max: float
    exact: bool
    interval: tuple[float, float] | None
    exceeding: float | None
    delta: float
    calls: int
    scale: float
    eps: float

    @property
    def relative(self) -> float:
        """mean / scale."""
        return self.mean / self.scale if self.scale else (np.inf if self.mean else 0.0)

    @property
    def worst(self) -> Rows:
        """The element with the largest error."""
        return self.elements[int(np.argmax(self.errors))]

    def to_dict(self) -> dict[str, Any]:
        """All fields, and what follows from them, as JSON data."""
        lists = {"elements": self.elements.tolist(), "errors": self.errors.tolist()}
        follows = {"relative": self.relative, "worst": self.worst.tolist()}
        return {**vars(self), **lists, **follows}

    def __repr__(self) -> str:
        return (
            f"InvarianceReport({self._which()}, mean={self.mean:.4g}, relative={self.relative:.4g}, "
            f"max={text_up(self.max, 4)}, calls={self.calls})"
        )

    def _which(self) -> str:
        every = "all " if self.exact else ""
        return f"{every}{len(self.errors)} elements of {self.group}"

    def __str__(self) -> str:
        # what is said to be exceeded by few, or by none, is rounded up
        text = (
            f"invariance error over {self._which()}: mean {self.mean:.3g} "
            f"(relative {self.relative:.3g}), max {text_up(self.max, 4)} at "
            f"{shorten(self.worst.tolist())}"
        )
        if self.exact or self.exceeding is None:
            return text
        fraction = text_up(self.exceeding, 4)
        return f"{text}; at most {fraction} of the group exceeds it (delta {self.delta})"


def report_of(
    S: GroupSample,
    errors: NDArray[np.float64],
    base: Array,
    *,
    exact: bool,
    delta: float,
    calls: int,
) -> InvarianceReport:
    """The figures that follow from the errors of the elements of S."""
    mean = float(np.mean(errors))
    interval, exceeding = None, None
    if exact:
        interval, exceeding = (mean, mean), 0.0
    elif S.origin.is_uniform and S.origin.kind == "oracle":
        # log and expm1 are off by an ulp each and the quotient by half of one; t / (e^t - 1) <= 1, so
        # all three are at most 3 * 2^-52 of the result
        exceeding = min(1.0, -math.expm1(math.log(delta) / S.m) * (1 + 8 * UNIT))
        interval = _student(errors, delta) if S.m > 1 else None
    labels = dtype_kind(base) not in "fc"
    errors.flags.writeable = False
    return InvarianceReport(
        group=S.group.name,
        elements=S.elements,
        errors=errors,
        mean=mean,
        max=float(errors.max()),
        exact=exact,
        interval=interval,
        exceeding=exceeding,
        delta=delta,
        calls=calls,
        scale=1.0 if labels else root_mean_square(doubles(base)),
        eps=0.0 if labels else float(namespace(base).finfo(base.dtype).eps),
    )


def root_mean_square(values: NDArray[Any]) -> float:
    """Scaled by the largest, so that no square overflows or vanishes."""
    peak = float(abs(values).max(initial=0.0))
    return peak * float(np.sqrt(np.mean(np.square(abs(values) / peak)))) if peak else 0.0


def doubles(y: Array) -> NDArray[Any]:
    """Outputs in double precision."""
    array = as_numpy(y)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _student(errors: NDArray[np.float64], delta: float) -> tuple[float, float]:
    """Student's interval for the mean of independent draws; errors are never below 0."""
    mean, m = float(np.mean(errors)), len(errors)
    half = float(stdtrit(m - 1, 1 - delta / 2) * np.std(errors, ddof=1) / math.sqrt(m))
    return max(0.0, mean - half), mean + half
