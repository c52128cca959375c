"""Several distributions side by side, groups among them: each part of a row is drawn by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.distributions.base import Distribution
from sparseaug.groups.distributions.seeds import EXACT
from sparseaug.groups.permutations import Rows


@final
@dataclass(frozen=True)
class Independent(Distribution):
    """A row is the rows of its parts, side by side.

    Attributes:
        parts: two or more distributions
    """

    parts: tuple[Distribution, ...]

    def __post_init__(self) -> None:
        if any(part.row_dtype == np.float64 for part in self.parts):
            object.__setattr__(self, "row_dtype", np.dtype(np.float64))

    @property
    def name(self) -> str:
        return " and ".join(part.name for part in self.parts)

    @property
    def width(self) -> int:
        return sum(part.width for part in self.parts)

    @property
    def dimensions(self) -> int | None:
        each = [part.dimensions for part in self.parts]
        return None if None in each else sum(one or 0 for one in each)

    def split(self, elements: Rows) -> list[Rows]:
        """The rows of each part, in its own type."""
        ends = np.cumsum([part.width for part in self.parts])[:-1]
        pieces = np.split(elements, ends, axis=1)
        return [
            np.ascontiguousarray(piece).astype(part.row_dtype, copy=False)
            for part, piece in zip(self.parts, pieces, strict=True)
        ]

    def _joined(self, pieces: list[Rows]) -> Rows:
        return np.concatenate([piece.astype(self.row_dtype) for piece in pieces], axis=1)

    def _draw(self, k: int, rng: np.random.Generator) -> Rows:
        return self._joined([part.sample(k, rng) for part in self.parts])

    def _quantile(self, u: NDArray[np.float64]) -> Rows:
        ends = np.cumsum([part.dimensions or 0 for part in self.parts])[:-1]
        pieces = np.split(u, ends, axis=1)
        return self._joined(
            [part.quantile(piece) for part, piece in zip(self.parts, pieces, strict=True)]
        )

    def _smooth_kernel(self, elements: Rows) -> NDArray[np.float64]:
        pieces = zip(self.parts, self.split(elements), strict=True)
        return np.asarray(np.prod([part._smooth_kernel(piece) for part, piece in pieces], axis=0))

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        exact = (np.abs(elements) <= EXACT).all(axis=1)  # as float64 too
        inside = exact & (elements == self._joined(self.split(elements))).all(axis=1)
        for part, piece in zip(self.parts, self.split(elements), strict=True):
            inside[inside] = part.contains(piece[inside])
        return np.asarray(inside)

    def to_dict(self) -> dict[str, Any]:
        return {"independent": [part.to_dict() for part in self.parts]}
