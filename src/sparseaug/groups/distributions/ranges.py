"""Ranges: independent real parameters, each uniform in its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.distributions.base import Distribution
from sparseaug.groups.permutations import Rows


@final
@dataclass(frozen=True)
class Ranges(Distribution):
    """A row is one value of each parameter.

    Attributes:
        label: what the parameters are of
        parameters: of each its name, its least and its largest value
    """

    label: str
    parameters: tuple[tuple[str, float, float], ...]
    row_dtype = np.dtype(np.float64)
    row_hint = "; parameters lie in their ranges"

    @property
    def name(self) -> str:
        given = ", ".join(f"{name} {a:g}..{b:g}" for name, a, b in self.parameters if a < b)
        return f"{self.label}({given})"

    @property
    def width(self) -> int:
        return len(self.parameters)

    @property
    def dimensions(self) -> int:
        return self.width

    @property
    def ends(self) -> NDArray[np.float64]:
        """The least and the largest values, (2, width)."""
        return np.array([part[1:] for part in self.parameters]).T

    def _quantile(self, u: NDArray[np.float64]) -> Rows:
        low, high = self.ends
        return np.asarray(np.clip(low + u * (high - low), low, high))

    def _smooth_kernel(self, elements: Rows) -> NDArray[np.float64]:
        """Of each parameter x in [0, 1] 1 + (x - 1/2)(y - 1/2) + B_2(|x - y|) / 2, multiplied.

        This is the kernel of functions with a derivative in each parameter, B_2(t) = t^2 - t + 1/6
        (Dick, Kuo and Sloan 2013, "High-dimensional integration: the quasi-Monte Carlo way").
        """
        low, high = self.ends
        found = np.ones((len(elements), len(elements)))
        for j in np.flatnonzero(low < high):
            x = (elements[:, j] - low[j]) / (high[j] - low[j])
            apart = np.abs(x[:, None] - x)
            found *= 1 + np.outer(x - 0.5, x - 0.5) + (apart**2 - apart + 1 / 6) / 2
        return found

    def _draw(self, k: int, rng: np.random.Generator) -> Rows:
        return self._quantile(rng.random((k, self.width)))

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        low, high = self.ends
        return np.asarray(((elements >= low) & (elements <= high)).all(axis=1))

    def to_dict(self) -> dict[str, Any]:
        return {"ranges": self.label, "parameters": [list(part) for part in self.parameters]}
