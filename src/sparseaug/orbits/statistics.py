"""Statistics of a data set that are large where it is far from its orbit average.

With weights W_ij = 1 / n^2, and for a group that acts by isometries, the following is the squared
distance of the data's law from its average over orbits, up to a constant that no move changes, as moving
one of two points uniformly over its orbit hides how the other was moved:

    mean    sum_ij W_ij <x_i, x_j>, the squared norm of the mean
    energy  -sum_ij W_ij |x_i - x_j|, the energy distance (Szekely and Rizzo 2013)

With targets, W is n^-2 times the centred matrix of <y_i, y_j> or -|y_i - y_j| (for labels, of
[y_i = y_j]): then "energy" is the distance covariance of x and y, "mean" the squared norm of their
covariance.

Each comes with a bound of its rounding, with u = 2^-53 and any order of summation (Higham 2002, chapter
3), which the level needs (`symmetry_test`). A distance is sqrt(sum of squared differences), or
where samples have many entries sqrt(|a|^2 + |b|^2 - 2 <a, b>), which loses no more than the factor
1 / _CLOSE and is not used where it would lose more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sparseaug._checks import require_work
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, dtype_kind, leaves, map_leaves, namespace
from sparseaug.errors import ArgumentError, shorten
from sparseaug.orbits.moves import Moves, flat
from sparseaug.spectral.norm import announce

Floats = NDArray[np.float64]

NAMED = ("mean", "energy")

_ENTRIES = 1 << 22  # numbers held for the data sets that are looked at together
_SECONDS = 3e-9  # of a distance, for samples of a few numbers
_CALL = 1 << 10  # distances that take as long as the call that computes some
_LONG = 100  # entries of samples whose distance takes twice as long as one of few entries
_PRODUCTS = 100  # that take as long as a distance
_PLACES = 1 << 26  # numbers held where all places of the samples are listed

# What an action that computes may be off by, of the norm of a sample: matrices are taken for a group
# where they are one to 1e-8; the rounding of single precision is more.
_OFF, _UNITS = 1e-8, 32

# Values of a user's function this little below T(X), relatively, are ties: that only makes p larger.
_TIES = 1e-9

_UNIT = 2.0**-53
_TINY = 2.0**-500  # above what is lost where a square is below the least float
_CLOSE = 1e-3  # of the squared norms: closer pairs are subtracted entry by entry
_WIDE = 32  # entries from which a product of matrices is faster than differences
_ROWS, _COLUMNS = 64, 1024  # of a tile of distances, which stays in a cache


class Compared(NamedTuple):
    """Values of data sets, the first one's first.

    Attributes:
        values: computed for scaled data
        least: what counts as at least the first: rounding takes no value of an equal one below
        scales: by which values are to be multiplied
    """

    values: Floats
    least: float
    scales: tuple[float, ...] = ()


@final
class Energy:
    """-sum_ij W_ij |x_i - x_j|: add data sets, and compare them in the end.

    Distances and W are made tile by tile: n^2 numbers are never held.

    Args:
        n: number of samples
        y: their targets, or None
    """

    def __init__(self, n: int, y: Any) -> None:
        self._n, self._values = n, [np.empty(0)]
        self._distance = self._norm = 0.0  # the largest
        self._order = 1
        self._total, self._scale = 1.0, 1.0  # at least sum |W|; of y
        self._targets: NDArray[Any] = np.empty(0)
        if y is None:
            return
        self._targets, self._scale = _targets(n, y)
        sums = [self._kernel(slice(i, i + _ROWS), slice(n)).sum(axis=1) for i in range(0, n, _ROWS)]
        self._means = np.concatenate(sums) / n
        self._total = 4 * abs(float(self._means.mean())) + _TINY  # as the kernel has one sign

    def add(self, data: Floats) -> None:
        """Data sets (c, n, d)."""
        values = np.zeros(len(data))
        for rows, columns, times in _tiles(self._n, 1):
            weights = times * self._weights(rows, columns)
            step = max(1, _ROWS * _COLUMNS // weights.size)
            for start in range(0, len(data), step):
                some = slice(start, start + step)
                between = self._between(data[some, rows], data[some, columns])
                values[some] -= (between * weights).sum(axis=(1, 2))
        self._keep(values, data)

    def add_choices(self, places: Floats, chosen: NDArray[np.int64]) -> None:
        """Data sets of which sample i of number c is places[i, chosen[c, i]]: (n, k, d), (c, n).

        With z the indicator of what is chosen, and A the matrix of W_ij |places_ig - places_jh|, the
        value is -z' A z: every distance is computed once.
        """
        (_, order, d), values = places.shape, np.zeros(len(chosen))
        z = (chosen[:, :, None] == np.arange(order)).astype(np.float64)
        for rows, columns, times in _tiles(self._n, order):
            a, b = places[rows], places[columns]
            between = self._between(a.reshape(1, -1, d), b.reshape(1, -1, d))
            weights = times * self._weights(rows, columns)
            A = between.reshape(len(a), order, len(b), order) * weights[:, None, :, None]
            left = z[:, rows].reshape(len(z), -1) @ A.reshape(len(a) * order, -1)
            values -= (left * z[:, columns].reshape(len(z), -1)).sum(axis=1)
        self._order = order
        self._keep(values, places)

    def add_orders(self, data: Floats, orders: list[NDArray[np.int64]]) -> None:
        """One data set (n, d), with its targets in these orders."""
        values = np.zeros(len(orders))
        for rows, columns, times in _tiles(self._n, 1):
            between = times * self._between(data[None, rows], data[None, columns])[0]
            for k, order in enumerate(orders):
                values[k] -= (between * self._weights(order[rows], order[columns])).sum()
        self._keep(values, data)

    def compare(self, scale: float, off: float) -> Compared:
        """All that was added.

        Args:
            scale: what data were divided by
            off: how far a moved sample may be from where it belongs, of its norm
        """
        values = np.concatenate(self._values)
        # terms of the longest sums: over tiles, in a tile, of the weights' means, of a distance
        terms = 4 * self._n * self._order + _ROWS * _COLUMNS + (self._entries + 8) / _CLOSE
        error = terms * _UNIT * self._distance + 2 * off * self._norm + _TINY
        least = float(values[0]) - 2 * self._total * error
        return Compared(values, least, (scale, self._scale))

    def _keep(self, values: Floats, data: Floats) -> None:
        self._values.append(values)
        self._norm, self._entries = max(self._norm, _largest_norm(data)), data.shape[-1]

    def _between(self, a: Floats, b: Floats) -> Floats:
        between = _distances(a, b)
        self._distance = max(self._distance, float(between.max()))
        return between

    def _kernel(self, rows: Any, columns: Any) -> Floats:
        a, b = self._targets[rows], self._targets[columns]
        return -cdist(a, b) if a.ndim == 2 else (a[:, None] == b).astype(np.float64)

    def _weights(self, rows: Any, columns: Any) -> Floats:
        """W[rows, columns], for slices or indices."""
        if not len(self._targets):
            places = np.arange(self._n)
            return np.full((len(places[rows]), len(places[columns])), 1 / self._n**2)
        means = self._means
        centred = self._kernel(rows, columns) - means[rows, None] - means[columns] + means.mean()
        return np.asarray(centred / self._n**2)


@final
class Mean:
    """|sum_i F_i x_i - middle|^2 with W = F F': add data sets, and compare them in the end.

    Args:
        n: number of samples
        y: their targets, or None
    """

    def __init__(self, n: int, y: Any) -> None:
        self._values, self._norm, self._entries = [np.empty(0)], 0.0, 0
        self._factors, self._size, self._scale = np.full((n, 1), 1 / n), 1.0, 1.0
        if y is None:
            return
        features, self._scale = _targets(n, y)
        if features.ndim == 1:
            features = np.eye(int(features.max()) + 1)[features]
        middle = features.mean(axis=0)
        self._factors = (features - middle) / n
        # at least sum_i |F_i|, with room for what is lost in the difference
        self._size = float(np.linalg.norm(features, axis=1).mean() + np.linalg.norm(middle))

    def of(self, data: Floats) -> Floats:
        """sum_i x_i F_iq of data sets (c, n, d): (c, d, q)."""
        return np.asarray(np.einsum("cnd,nq->cdq", data, self._factors))

    def add(self, data: Floats, middle: Any) -> None:
        """Data sets (c, n, d)."""
        means = self.of(data)
        self._values.append(np.square(means - middle).sum(axis=(1, 2)))
        self._norm, self._entries = max(self._norm, _largest_norm(data)), means[0].size

    def compare(self, scale: float, off: float, count: int) -> Compared:
        """All that was added.

        Args:
            scale: what data were divided by
            off: how far a moved sample may be from where it belongs, of its norm
            count: terms of `middle`
        """
        values = np.concatenate(self._values)
        terms = 4 * len(self._factors) + count + 16
        error = self._size * self._norm * (terms * _UNIT + off) + _TINY  # of the norm
        least = float(np.sqrt(values[0])) * (1 - 4 * (self._entries + 8) * _UNIT) - 2 * error
        scales = (scale, scale, self._scale, self._scale)
        return Compared(values, max(0.0, least) ** 2, scales)


def power_of_two(values: Floats) -> float:
    """At least the largest |value| and at most twice it, or 1 for zeros: to divide by it is exact."""
    largest = float(abs(values).max(initial=0.0))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]))) if 0 < largest < np.inf else 1.0


def of_moved(moves: Moves, x: Any, y: Any, statistic: str | Callable[..., Any]) -> Compared:
    """T of all moved data sets."""
    off = _off(moves.action, x)
    n, d = len(leaves(x)[0]), sum(int(np.prod(part.shape[1:])) for part in leaves(x))
    step = max(1, _ENTRIES // (n * max(1, d)))
    if not isinstance(statistic, str):
        more = () if y is None else (y,)
        sets = (
            map_leaves(lambda part, j=j: part[j], data)
            for data in moves.chunks(step)
            for j in range(len(leaves(data)[0]))
        )
        return _of_function([value_of(statistic, one, *more) for one in sets])
    scale = power_of_two(_flat(x))

    def scaled() -> Iterator[Floats]:
        return (flat(data) / scale for data in moves.chunks(step))

    if statistic == "mean":
        mean = Mean(n, y)
        middle = sum(mean.of(data).sum(axis=0) for data in scaled()) / moves.count
        for data in scaled():  # the same draws again
            mean.add(data, middle)
        return mean.compare(scale, off, moves.count)
    # n^2 distances and some calls per move; or n^2 k^2 distances once, and so many products per move
    order, long = moves.listed, 1 + d // _LONG
    drawn = moves.count * (n**2 * long + _CALL)
    listed = order**2 * n**2 * (long + moves.count // _PRODUCTS)
    once = 0 < listed <= drawn and order * n * d <= _PLACES
    _require_distances(listed if once else drawn, n, moves.count)
    energy = Energy(n, y)
    if once:
        places = flat(moves.places()).swapaxes(0, 1) / scale
        for chosen in moves.choices(max(1, _ENTRIES // (n * max(order, d)))):
            energy.add_choices(places, chosen)
    else:
        for data in scaled():
            energy.add(data)
    return energy.compare(scale, off)


def of_exchanged(
    x: Any,
    y: Any,
    orders: Iterator[NDArray[np.int64]],
    count: int,
    statistic: str | Callable[..., Any],
) -> Compared:
    """T of the data with their targets in each of these orders, `count` of them at most."""
    if not isinstance(statistic, str):
        return _of_function([value_of(statistic, x, y[order]) for order in orders])
    data = _flat(x)
    n = len(data)
    scale = power_of_two(data)
    data = data / scale
    if statistic == "mean":
        mean = Mean(n, y)
        data = data - data.mean(axis=0)  # x stays
        for order in orders:
            mean.add(data[None, np.argsort(order)], 0.0)
        return mean.compare(scale, 0.0, n)
    _require_distances(count * n**2, n, count)
    energy = Energy(n, y)
    while some := list(islice(orders, max(1, _ENTRIES // n))):
        energy.add_orders(data, some)
    return energy.compare(scale, 0.0)


def _of_function(values: list[float]) -> Compared:
    array = np.array(values)
    return Compared(array, array[0] - _TIES * float(abs(array).max()))


def _flat(x: Any) -> Floats:
    return flat(map_leaves(lambda part: part[None], x))[0]


def _off(action: Action, x: Any) -> float:
    """How far a moved sample may be from where it belongs, of its norm."""
    if action.over(x).kind in ("entries", "signs"):
        return 0.0
    floats = [part for part in leaves(x) if dtype_kind(part) in "fc"]
    units = [float(namespace(part).finfo(part.dtype).eps) for part in floats]
    return max([_OFF, *(_UNITS * eps for eps in units)])


def _require_distances(count: int, n: int, moves: int) -> None:
    """Announce what takes minutes, and refuse what takes more than an hour."""
    what = f"statistic='energy' of x, {n} samples and {moves} moves,"
    remedy = "test fewer samples, lower draws, or give statistic='mean'"
    require_work("energy distances", count, what, remedy=remedy)
    announce(f"the energy of {n} samples and {moves} moves", seconds=_SECONDS * count)


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


def _tiles(n: int, order: int) -> Iterator[tuple[slice, slice, float]]:
    """Rows and columns of all pairs i <= j, and how often they count: off the diagonal twice."""
    high, wide = max(1, _ROWS // order), max(1, _COLUMNS // order)
    for start in range(0, n, high):
        stop = min(n, start + high)
        yield slice(start, stop), slice(start, stop), 1.0
        for left in range(stop, n, wide):
            yield slice(start, stop), slice(left, min(n, left + wide)), 2.0


def _distances(a: Floats, b: Floats) -> Floats:
    """|a_i - b_j| of sets of samples (c, p, d) and (c, q, d): (c, p, q)."""
    if a.shape[2] >= _WIDE:
        sums = np.square(a).sum(axis=2)[:, :, None] + np.square(b).sum(axis=2)[:, None]
        squares = sums - 2 * a @ b.transpose(0, 2, 1)
        if (squares > _CLOSE * sums).all():
            return np.asarray(np.sqrt(squares))
    elif a.shape[1] * b.shape[1] < _ROWS:  # of few samples it is the calls that take time
        return np.asarray(np.sqrt(np.square(a[:, :, None] - b[:, None]).sum(axis=3)))
    return np.stack([cdist(*pair) for pair in zip(a, b, strict=True)])


def _largest_norm(data: Floats) -> float:
    return float(np.sqrt(np.square(data).sum(axis=-1).max()))


def _targets(n: int, y: Any) -> tuple[NDArray[Any], float]:
    """Targets as scaled numbers (n, q) and their scale, or as the numbers (n,) of their labels."""
    targets = as_numpy(y).reshape(n, -1)
    if targets.dtype.kind == "f":
        if not np.isfinite(targets).all():
            raise ArgumentError("y has entries that are not finite; remove such samples.")
        scale = power_of_two(targets)
        return targets.astype(np.float64) / scale, scale
    if targets.dtype.kind == "O":
        targets = targets.astype(str)
    return np.unique(targets, axis=0, return_inverse=True)[1].reshape(-1), 1.0
