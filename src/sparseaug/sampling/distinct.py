"""The distinct ones of some rows: what is equal is computed once, and counts as often as it occurs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparseaug.actions.arrays import Array
from sparseaug.groups import Rows


class Distinct(NamedTuple):
    """The distinct ones of some rows, in the order in which they first occur: integers (k,) or (m,).

    A mean over the rows is the mean over these, weighted by their counts.
    """

    first: Array  # where each occurs first
    counts: Array  # how often each occurs
    number: Array  # for every row, which of these it is


def distinct(rows: Rows) -> Distinct:
    """What is equal among rows (k, width).

    Examples:
        >>> import numpy as np
        >>> from sparseaug.sampling.distinct import distinct
        >>> found = distinct(np.array([[3], [1], [3]]))
        >>> found.first.tolist(), found.counts.tolist(), found.number.tolist()
        ([0, 1], [2, 1], [0, 1, 0])
    """
    _, first, number, counts = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return Distinct(first[order], counts[order].astype(np.int64), places[number.reshape(-1)])
