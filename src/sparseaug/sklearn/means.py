"""Means over S of what an estimator says of moved rows, and their spread, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.actions.bound import distinct
from sparseaug.groups import Rows
from sparseaug.sklearn.copies import copies, some_rows
from sparseaug.sklearn.parameters import Shape

MOST_ROWS = 1 << 16
"""Rows given to an estimator at once: bounds the memory, whatever n and m are."""

Answers: TypeAlias = Iterator[tuple[NDArray[np.float64], NDArray[Any]]]
Back: TypeAlias = Callable[[Rows, NDArray[Any]], NDArray[Any]]


def mean_over(
    function: Callable[[Any], NDArray[Any]],
    action: Action,
    elements: Rows,
    data: Any,
    shape: Shape,
    back: Back | None = None,
) -> NDArray[np.float64]:
    """The mean over the elements of function(moved rows), for each row; at most 2^16 rows a call.

    Equal elements are moved once and weigh as many as they are. `back` moves what was said of rows
    moved by g by g^-1, for predictions that move along.
    """
    parts = []
    for answers in _blocks(function, action, elements, data, shape, back):
        total: Any = 0.0
        for counts, values in answers:
            total = total + np.tensordot(counts, values, axes=1)
        parts.append(total / len(elements))  # whole votes add up exactly: a tie stays one
    return np.concatenate(parts)


def spread_over(
    function: Callable[[Any], NDArray[Any]],
    action: Action,
    elements: Rows,
    data: Any,
    shape: Shape,
    back: Back | None = None,
) -> NDArray[np.float64]:
    """The standard deviation over the elements of the same values: sqrt(mean_S |f - mean_S f|^2).

    Chunks are merged by their means and sums of squares (Chan, Golub and LeVeque, 1979), which does not
    lose a small spread around a large mean.
    """
    parts = []
    for answers in _blocks(function, action, elements, data, shape, back):
        weight, mean, squares = 0.0, np.zeros(()), np.zeros(())
        for counts, values in answers:
            more = float(counts.sum())
            center = np.tensordot(counts, values, axes=1) / more
            apart = center - mean
            squares = squares + np.tensordot(counts, (values - center) ** 2, axes=1)
            squares = squares + apart**2 * (weight * more / (weight + more))
            mean = mean + apart * (more / (weight + more))
            weight += more
        parts.append(np.sqrt(squares / weight))
    return np.concatenate(parts)


def _blocks(
    function: Callable[[Any], NDArray[Any]],
    action: Action,
    elements: Rows,
    data: Any,
    shape: Shape,
    back: Back | None,
) -> Iterator[Answers]:
    """For each block of rows, the answers (k, rows, ...) for k distinct elements at a time."""
    once = distinct(elements)
    counts, first = once.counts.astype(np.float64), elements[once.first]

    def answers(block: Any) -> Answers:
        step = max(1, MOST_ROWS // len(block))
        for j in range(0, len(first), step):
            some = first[j : j + step]
            values = np.asarray(function(copies(action, some, block, shape)))
            values = values.reshape(len(some), len(block), *values.shape[1:])
            yield counts[j : j + step], values if back is None else back(some, values)

    for start in range(0, len(data), MOST_ROWS):
        yield answers(some_rows(data, slice(start, start + MOST_ROWS)))
