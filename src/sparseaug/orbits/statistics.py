"""Statistics of a data set that are large where it is far from its orbit average.

With weights W_ij = 1 / n^2, and for a group that acts by isometries, the following is the squared
distance of the data's law from its average over orbits, up to a constant that no move changes, as moving
one of two points uniformly over its orbit hides how the other was moved:

    mean    sum_ij W_ij <x_i, x_j>, the squared norm of the mean
    energy  -sum_ij W_ij |x_i - x_j|, the energy distance (Szekely and Rizzo 2013)

The mean of a data set is taken less the mean over all data sets that are compared, which is near what
the group leaves alone: a large constant would hide the rest by rounding. That is the same for every
order of the data sets, so they stay exchangeable and the level exact.

With targets, W is n^-2 times the centred matrix of <y_i, y_j> or -|y_i - y_j| (for labels, of
[y_i = y_j]): then "energy" is the distance covariance of x and y, "mean" the squared norm of their
covariance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions.arrays import as_numpy
from sparseaug.errors import ArgumentError, shorten

Floats = NDArray[np.float64]

_COINCIDE = 1e-12  # of the squared norms: a squared distance below is rounding, and taken for 0


def weighted_means(data: Floats, weights: Floats) -> Floats:
    """sum_i F_iq x_i of data sets (c, n, d), for F (n, q): (c, d, q)."""
    return np.asarray(np.einsum("cnd,nq->cdq", data, weights))


def squared_norms(means: Floats) -> Floats:
    """sum_ij W_ij <x_i, x_j> for W = F F', from these means (c, d, q)."""
    return np.asarray(np.square(means).sum(axis=(1, 2)))


def closeness(data: Floats, weights: Floats) -> Floats:
    """-sum_ij W_ij |x_i - x_j| of data sets (c, n, d), for W (n, n)."""
    squares = np.square(data).sum(axis=2)
    sums = squares[:, :, None] + squares[:, None, :]
    between = sums - 2 * data @ data.transpose(0, 2, 1)
    between[between <= _COINCIDE * sums] = 0.0
    return -np.asarray((np.sqrt(between) * weights).sum(axis=(1, 2)))


NAMED = ("mean", "energy")


def weights_of(name: str, n: int, y: Any) -> Floats:
    """The weights that the statistic of this name takes, without targets or with them."""
    if y is None:
        return np.full((n, 1), 1 / n) if name == "mean" else np.full((n, n), 1 / n**2)
    targets = as_numpy(y)
    targets = targets.reshape(n, -1)
    if targets.dtype.kind != "f":
        if targets.dtype.kind == "O":
            targets = targets.astype(str)
        labels = np.unique(targets, axis=0, return_inverse=True)[1].reshape(-1)
        features = np.eye(int(labels.max()) + 1)[labels]
        kernel = features @ features.T
    else:
        if not np.isfinite(targets).all():
            raise ArgumentError("y has entries that are not finite; remove such samples.")
        features = targets.astype(np.float64)
        squares = np.square(features[:, None] - features[None]).sum(axis=2)
        kernel = -np.sqrt(squares)
    if name == "mean":
        return np.asarray((features - features.mean(axis=0)) / n)
    centred = kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()
    return np.asarray(centred / n**2)


def require_statistic(statistic: Any) -> None:
    """Raise an `ArgumentError` unless it is a known name or can be called."""
    known = isinstance(statistic, str) and statistic in NAMED
    if not known and not callable(statistic):
        names = ", ".join(map(repr, NAMED))
        raise ArgumentError(
            f"statistic={shorten(statistic)} is not known; give {names}, or a function of the samples "
            "(and of y) that returns a number."
        )


def value_of(statistic: Callable[..., Any], *data: Any) -> float:
    """What a user's function returns, as a float."""
    given = statistic(*data)
    try:
        value = float(as_numpy(given).reshape(()) if hasattr(given, "dtype") else given)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"statistic returned {shorten(given)}; return one real number per data set."
        ) from error
    if not np.isfinite(value):
        raise ArgumentError(
            f"statistic returned {value} for a moved data set; return finite numbers."
        )
    return value
