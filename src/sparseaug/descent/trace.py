"""What a run saw along the way: one column per quantity, one entry per evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

COLUMNS = ("step", "gradient_norm", "calls")
"""Of a trace of `descend`."""


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """Columns of equal length, read-only: `step`, `gradient_norm` of the risk followed, `calls`.

    Attributes:
        columns: vectors by name, with `step` among them

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
        >>> risk = sa.augmented_risk(sa.KernelModel(sa.GaussianKernel(1.0), x), (x, [0, 1]), act, "full")
        >>> trace = sa.descend(risk, np.ones(4), step_size=0.1, num_steps=50).trace
        >>> trace, trace["step"]
        (Trace(3 evaluations of step, gradient_norm, calls), array([ 0, 25, 50]))
    """

    columns: dict[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.columns["step"])

    def to_dict(self) -> dict[str, list[float]]:
        """Lists of plain numbers."""
        return {name: column.tolist() for name, column in self.columns.items()}

    def __repr__(self) -> str:
        return f"Trace({len(self)} evaluations of {', '.join(self.columns)})"


def frozen(columns: dict[str, list[Any]]) -> Trace:
    """The trace of these columns; steps and calls are integers, Python's where they exceed 64 bits."""
    arrays = {}
    for name, values in columns.items():
        integer = np.int64 if max(values, default=0) < 1 << 63 else object
        arrays[name] = np.array(values, np.float64 if name == "gradient_norm" else integer)
        arrays[name].flags.writeable = False
    return Trace(arrays)
