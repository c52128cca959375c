"""The risk and its gradient for single elements: half the mean of (f(g.x_i) - y_i)^2, for many g."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, move

if TYPE_CHECKING:
    from sparseaug.risk.problem import Problem

_FEATURES = 1 << 17  # kernel values of one block, which stay in a core's cache


def element_gradients(
    problem: Problem, theta: Floats, rows: Rows
) -> Iterator[tuple[Floats, Floats]]:
    """Values (k,) and gradients (k, 2 R) of the elements, in blocks that fit memory."""
    x, y, model = problem.x, problem.y, problem.model
    a, b = theta.reshape(2, -1)
    step = max(1, _FEATURES // (len(x) * len(model.centers)))
    for start in range(0, len(rows), step):
        moved = move(problem.action, rows[start : start + step], x)
        k = len(moved)
        features = model.kernel._gram(moved.reshape(-1, *moved.shape[2:]), model.centers)
        with np.errstate(over="ignore", invalid="ignore"):  # of a theta that diverged
            residuals = (features @ (a * b)).reshape(k, len(x)) - y
            g = (residuals[:, None] @ features.reshape(k, len(x), -1))[:, 0] / len(x)
            both = np.concatenate([b * g, a * g], axis=1)
            values = 0.5 * np.mean(residuals**2, axis=1)
        yield values, both
