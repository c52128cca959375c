"""What a pilot found: the spectrum of the gradient, and what follows for any S."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, final

from sparseaug.archive import load_json, require, save_json
from sparseaug.errors import (
    ArgumentError,
    SparseAugError,
    check_integer,
    check_not_negative,
    check_real,
    shorten,
)
from sparseaug.orbits.pilots.rows import PilotPlan, plan_rows
from sparseaug.orbits.spectrum.result import Prediction, Spectrum
from sparseaug.planning.constants import Constants
from sparseaug.sampling import GroupSample
from sparseaug.storage import check_path

_SCHEMA = "sparseaug pilot 1"
_SMALLEST = 1e-150  # whose square is a float


@final
@dataclass(frozen=True, eq=False, repr=False)
class Pilot:
    """The gradient of a risk over the group at one theta, an estimate; made by `pilot`.

    Attributes:
        spectrum: of the gradient: its variance over the group by degree
        value: the risk at theta, averaged over the elements that were looked at
        gradient_norm: of the full-group gradient at theta
        L: largest curvature at theta, of the risk averaged over the elements that were looked at, that a
            few steps of Lanczos see: rarely below 0.8 times the largest there is
        samples: of the data
        parameters: length of theta
    """

    spectrum: Spectrum
    value: float
    gradient_norm: float
    L: float
    samples: int
    parameters: int

    def __post_init__(self) -> None:
        if not isinstance(self.spectrum, Spectrum):
            raise ArgumentError(f"spectrum={shorten(self.spectrum)} is not a Spectrum.")
        check_real("value", self.value)
        for name in ("gradient_norm", "L"):
            check_not_negative(name, getattr(self, name))
        for name in ("samples", "parameters"):
            check_integer(name, getattr(self, name), at_least=1)

    @property
    def sigma(self) -> float:
        """Standard deviation of the gradient over the group: what one draw misses, in mean square."""
        return math.sqrt(self.spectrum.variance)

    @property
    def calls(self) -> int:
        """Elements freshly drawn for it."""
        return self.spectrum.calls

    def predict(self, S: GroupSample | int | Literal["full"]) -> Prediction:
        """The expected ||grad R^S - grad R^G||^2 at this theta; `.rms` is its root.

        In expectation over k, h uniform, for k S h, or over the draws where S is their number.

        Args:
            S: a sample of the group, drawn or designed; "full"; or a number m of independent draws
        """
        return self.spectrum.predict(S)

    def plan(self, eps: float, *, delta: float = 0.05) -> PilotPlan:
        """What a full-group gradient norm of eps takes by these estimates, beside the paper's bound.

        As in the paper, half of eps is for the discrepancy of S and half for the descent on it.

        Args:
            eps: wanted norm of the full-group gradient
            delta: how often the paper's bound may fail
        """
        return plan_rows(
            self.spectrum,
            check_real("eps", eps, above=_SMALLEST),
            check_real("delta", delta, above=0, below=1),
            L=self.L,
            gap=max(0.0, self.value),
            samples=self.samples,
        )

    def constants(self) -> Constants:
        """Measured stand-ins for C B, L and gap, marked as estimates: `plan(..., constants=...)`.

        C B is sigma: for a translate of S the mean-square discrepancy is at most
        deviation(S)^2 sigma^2. L is the curvature at theta of the averaged risk, gap the risk at
        theta, as if its infimum were 0.
        """
        tiny = 1e-300
        return Constants(
            C=1.0,
            B=max(self.sigma, tiny),
            L=max(self.L, tiny),
            gap=max(0.0, self.value),
            kind="estimate",
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON data, understood by `from_dict`."""
        return {
            "schema": _SCHEMA,
            "kind": "estimate",
            "spectrum": self.spectrum.to_dict(),
            "sigma": self.sigma,
            **{name: getattr(self, name) for name in _NUMBERS},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Pilot:
        """The pilot that `to_dict` described.

        Args:
            data: what `to_dict` gave
        """
        names = ("spectrum", *_NUMBERS)
        missing = [n for n in names if not isinstance(data, Mapping) or n not in data]
        if missing:
            raise ArgumentError(f"data={shorten(data)} has no {missing[0]!r}; give to_dict().")
        return cls(Spectrum.from_dict(data["spectrum"]), *(data[name] for name in _NUMBERS))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one JSON file with a checksum, whole or not at all; `sparseaug plan --from` reads it.

        Args:
            path: file to write
            overwrite: replace a file that exists
        """
        if type(overwrite) is not bool:
            raise ArgumentError(f"overwrite={shorten(overwrite)} is neither True nor False.")
        save_json(path, self.to_dict(), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pilot:
        """Read a file that `save` wrote; its checksum is verified.

        Args:
            path: file to read
        """
        data = load_json(check_path("path", path))
        require(data.get("schema") == _SCHEMA, path, "it is not a pilot of this version")
        try:
            return cls.from_dict(data)
        except SparseAugError as error:
            require(False, path, f"it is not a pilot: {error}")
            raise

    def __str__(self) -> str:
        return "\n".join(
            [
                f"gradient of {self.parameters} parameters over {self.samples} samples, an estimate",
                str(self.spectrum).replace(", 1 input", ""),
                f"sigma {self.sigma:.4g}; at theta: risk {self.value:.4g}, norm of the full gradient "
                f"{self.gradient_norm:.4g}, curvature {self.L:.4g}",
            ]
        )

    def __repr__(self) -> str:
        return f"Pilot({self.spectrum.group.name}, sigma={self.sigma:.4g}, calls={self.calls})"


_NUMBERS = ("value", "gradient_norm", "L", "samples", "parameters")
