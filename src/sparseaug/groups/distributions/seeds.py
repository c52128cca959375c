"""Seeds: an element is the seed of a pipeline's randomness, and does what the pipeline does with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.distributions.base import Distribution
from sparseaug.groups.permutations import Rows

EXACT = 1 << 53
"""Seeds are drawn below it, so that they are exact as float64 too, next to real parameters."""


@final
@dataclass(frozen=True)
class Seeds(Distribution):
    """Uniform seeds of one pipeline. Any integer of at least 0 is an element.

    Attributes:
        pipeline: what the seeds are for, with versions: seeds of another pipeline are refused
    """

    pipeline: str
    row_hint = "; a row is one seed of at least 0"

    @property
    def name(self) -> str:
        return f"seeds of {self.pipeline}"

    @property
    def width(self) -> int:
        return 1

    def _draw(self, k: int, rng: np.random.Generator) -> Rows:
        return rng.integers(EXACT, size=(k, 1))

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        return np.asarray((elements >= 0).all(axis=1))

    def to_dict(self) -> dict[str, Any]:
        return {"seeds": self.pipeline}
