"""Copies of arrays and of data frames. Copy j n + i is row i moved by element j.

In a frame, columns differ in dtype. A row of random numbers, moved by S, tells where each entry comes
from: if all are found again, with no sign changed, whole columns change places with others of their
dtype, whatever it is; numbers of two dtypes go together too. Otherwise the columns that move must be
numbers, and all columns where one that stays has a part in one that moves; those that stay keep what
they hold.

Means over S of what an estimator says of moved rows, and their spread, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.actions.prepared import distinct
from sparseaug.groups import Rows
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sklearn.frames import (
    column_from,
    column_of,
    columns_of,
    frame_from,
    is_frame,
    is_table,
    numbers_of,
    require_common_dtypes,
    rows_of,
    stacked,
)
from sparseaug.sklearn.parameters import Shape


def copies(action: Action, elements: Rows, data: Any, shape: Shape) -> Any:
    """The k n copies of an array (n, features) or of a frame, a row read as an array of `shape`."""
    if is_frame(data):
        return _frame_copies(action, elements, data, shape)
    n, k = len(data), len(elements)
    moved = action(elements, np.reshape(data, (n, *shape)))
    return moved.reshape(k * n, *data.shape[1:])


def bytes_of_row(data: Any) -> int:
    """Memory that one row of an array or of a frame takes as an array."""
    return int(np.asarray(some_rows(data, slice(1))).nbytes)


def take_rows(data: Any, rows: NDArray[np.int64]) -> Any:
    """These rows, repeated as asked; a frame or series of pandas gets the index 0, 1, 2, ..."""
    return rows_of(data, rows) if is_table(data) else np.asarray(data)[rows]


def some_rows(data: Any, rows: slice) -> Any:
    """These rows of an array or of a frame."""
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def _frame_copies(action: Action, elements: Rows, frame: Any, shape: Shape) -> Any:
    source, flipped = _sources(action, elements, shape)
    if (source >= 0).all() and not flipped.any():
        require_common_dtypes(frame, source)
        return stacked([columns_of(frame, order) for order in source])
    n, width = frame.shape
    moves = ((source != np.arange(width)) | flipped).any(axis=0)
    needed = moves | _has_part(action, elements, shape, ~moves)
    values = numbers_of(frame, needed)
    array = np.zeros((n, width), values.dtype)
    array[:, needed] = values
    moved = copies(action, elements, array, shape)
    again = np.tile(np.arange(n), len(elements))
    columns = [
        column_from(frame, moved[:, j], source[:, j])
        if moves[j]
        else take_rows(column_of(frame, j), again)
        for j in range(width)
    ]
    return frame_from(frame, columns)


def _sources(action: Action, elements: Rows, shape: Shape) -> tuple[Rows, NDArray[np.bool_]]:
    """The column that each entry of a moved row comes from, -1 if from several; and its sign."""
    width = int(np.prod(shape))
    probe = 1.0 + keyed_rng(0, "columns").random(width)  # distinct: equal ones have chance 2^-52
    moved = copies(action, elements, probe[None], shape)
    order = np.argsort(probe)
    place = np.minimum(np.searchsorted(probe[order], abs(moved)), width - 1)
    found = probe[order][place] == abs(moved)
    return np.where(found, order[place], -1), moved < 0


def _has_part(action: Action, elements: Rows, shape: Shape, stays: NDArray[np.bool_]) -> bool:
    """Whether columns that stay show in those that move: two rows that differ in the former tell."""
    one, other = 1.0 + keyed_rng(0, "columns").random((2, stays.size))
    other[~stays] = one[~stays]
    moved = copies(action, elements, np.stack([one, other]), shape).reshape(-1, 2, stays.size)
    # entries are of order one; two rows of a product may be rounded differently
    return bool((abs(moved[:, 0] - moved[:, 1]) > 1e-12)[:, ~stays].any())


MOST_ROWS = 1 << 16
"""Rows given to an estimator at once: bounds the memory, whatever n and m are."""


def at_once(each: int) -> int:
    """How many things of so many rows each are given at once."""
    return max(1, MOST_ROWS // each)


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
        step = at_once(len(block))
        for j in range(0, len(first), step):
            some = first[j : j + step]
            values = np.asarray(function(copies(action, some, block, shape)))
            values = values.reshape(len(some), len(block), *values.shape[1:])
            yield counts[j : j + step], values if back is None else back(some, values)

    for start in range(0, len(data), MOST_ROWS):
        yield answers(some_rows(data, slice(start, start + MOST_ROWS)))
