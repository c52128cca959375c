"""What a run saw along the way: one column a quantity, one entry an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """Columns of equal length, read-only: `step`, `gradient_norm` of the risk followed, `calls`, and
    whatever `evaluate` returned.
    """

    columns: dict[str, NDArray[Any]]

    def __post_init__(self) -> None:
        for column in self.columns.values():
            column.flags.writeable = False

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.columns["step"])

    @property
    def names(self) -> tuple[str, ...]:
        """The quantities."""
        return tuple(self.columns)

    def to_dict(self) -> dict[str, list[float]]:
        """Lists of plain numbers."""
        return {name: column.tolist() for name, column in self.columns.items()}

    def __repr__(self) -> str:
        return f"Trace({len(self)} evaluations of {', '.join(self.names)})"


class Recorder:
    """Collects rows for a `Trace`, and can start from one."""

    def __init__(self, columns: dict[str, list[float]] | None = None) -> None:
        self.columns: dict[str, list[float]] = columns or {}

    def add(self, row: dict[str, float]) -> None:
        """One evaluation; the same quantities every time."""
        if not self.columns:
            self.columns = {name: [] for name in row}
        for name, value in row.items():
            self.columns[name].append(value)

    def trace(self) -> Trace:
        """All of it, frozen; steps and calls are integers."""
        whole = ("step", "calls")
        return Trace(
            {
                name: np.array(values, np.int64 if name in whole else np.float64)
                for name, values in self.columns.items()
            }
        )
