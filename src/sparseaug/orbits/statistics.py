"""Statistics of a data set that are large where it is far from its orbit average.

For a group that acts by isometries, the energy distance (Szekely and Rizzo 2013)

    energy  -n^-2 sum_ij |x_i - x_j|

is the squared distance of the data's law from its average over orbits, up to a constant that no move
changes, as moving one of two points uniformly over its orbit hides how the other was moved.

It comes with a bound of its rounding, with u = 2^-53 and any order of summation (Higham 2002, chapter
3), which the level needs (`symmetry_test`). A distance is sqrt(sum of squared differences), or
where samples have many entries sqrt(|a|^2 + |b|^2 - 2 <a, b>), which loses no more than the factor
1 / _CLOSE and is not used where it would lose more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
        scale: by which values are to be multiplied
    """

    values: Floats
    least: float
    scale: float = 1.0


@final
class Energy:
    """-n^-2 sum_ij |x_i - x_j|: add data sets, and compare them in the end.

    Distances are made tile by tile: n^2 numbers are never held.

    Args:
        n: number of samples
    """

    def __init__(self, n: int) -> None:
        self._n, self._values = n, [np.empty(0)]
        self._distance = self._norm = 0.0  # the largest
        self._order, self._entries = 1, 0

    def add(self, data: Floats) -> None:
        """Data sets (c, n, d)."""
        values = np.zeros(len(data))
        for rows, columns, times in _tiles(self._n, 1):
            a, b = data[:, rows], data[:, columns]
            step = max(1, _ROWS * _COLUMNS // (a.shape[1] * b.shape[1]))
            for start in range(0, len(data), step):
                some = slice(start, start + step)
                between = self._between(a[some], b[some])
                values[some] -= (between * (times / self._n**2)).sum(axis=(1, 2))
        self._keep(values, data)

    def add_choices(self, places: Floats, chosen: NDArray[np.int64]) -> None:
        """Data sets of which sample i of number c is places[i, chosen[c, i]]: (n, k, d), (c, n).

        With z the indicator of what is chosen, and A the matrix of |places_ig - places_jh| / n^2, the
        value is -z' A z: every distance is computed once.
        """
        (_, order, d), values = places.shape, np.zeros(len(chosen))
        z = (chosen[:, :, None] == np.arange(order)).astype(np.float64)
        for rows, columns, times in _tiles(self._n, order):
            a, b = places[rows], places[columns]
            between = self._between(a.reshape(1, -1, d), b.reshape(1, -1, d))
            A = between[0] * (times / self._n**2)
            left = z[:, rows].reshape(len(z), -1) @ A
            values -= (left * z[:, columns].reshape(len(z), -1)).sum(axis=1)
        self._order = order
        self._keep(values, places)

    def compare(self, scale: float, off: float) -> Compared:
        """All that was added.

        Args:
            scale: what data were divided by
            off: how far a moved sample may be from where it belongs, of its norm
        """
        values = np.concatenate(self._values)
        # terms of the longest sums: over tiles, in a tile, of a distance
        terms = 4 * self._n * self._order + _ROWS * _COLUMNS + (self._entries + 8) / _CLOSE
        error = terms * _UNIT * self._distance + 2 * off * self._norm + _TINY
        return Compared(values, float(values[0]) - 2 * error, scale)

    def _keep(self, values: Floats, data: Floats) -> None:
        self._values.append(values)
        self._norm, self._entries = max(self._norm, _largest_norm(data)), data.shape[-1]

    def _between(self, a: Floats, b: Floats) -> Floats:
        between = _distances(a, b)
        self._distance = max(self._distance, float(between.max()))
        return between


def power_of_two(values: Floats) -> float:
    """At least the largest |value| and at most twice it, or 1 for zeros: to divide by it is exact."""
    largest = float(abs(values).max(initial=0.0))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]))) if 0 < largest < np.inf else 1.0


def of_moved(moves: Moves, x: Any, statistic: str | Callable[..., Any]) -> Compared:
    """T of all moved data sets."""
    n, d = len(leaves(x)[0]), sum(int(np.prod(part.shape[1:])) for part in leaves(x))
    step = max(1, _ENTRIES // (n * max(1, d)))
    if not isinstance(statistic, str):
        sets = (
            map_leaves(lambda part, j=j: part[j], data)
            for data in moves.chunks(step)
            for j in range(len(leaves(data)[0]))
        )
        found = np.array([value_of(statistic, one) for one in sets])
        return Compared(found, found[0] - _TIES * float(abs(found).max()))
    scale = power_of_two(flat(map_leaves(lambda part: part[None], x)))
    # n^2 distances and some calls per move; or n^2 k^2 distances once, and so many products per move
    order, long = moves.listed, 1 + d // _LONG
    drawn = moves.count * (n**2 * long + _CALL)
    listed = order**2 * n**2 * (long + moves.count // _PRODUCTS)
    once = 0 < listed <= drawn and order * n * d <= _PLACES
    _require_distances(listed if once else drawn, n, moves.count)
    energy = Energy(n)
    if once:
        places = flat(moves.places()).swapaxes(0, 1) / scale
        for chosen in moves.choices(max(1, _ENTRIES // (n * max(order, d)))):
            energy.add_choices(places, chosen)
    else:
        for data in moves.chunks(step):
            energy.add(flat(data) / scale)
    return energy.compare(scale, _off(moves.action, x))


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
    remedy = "test fewer samples, lower draws, or give a function as statistic"
    require_work("energy distances", count, what, remedy=remedy)
    announce(f"the energy of {n} samples and {moves} moves", seconds=_SECONDS * count)


def require_statistic(statistic: Any) -> None:
    """Raise an `ArgumentError` unless it is "energy" or can be called."""
    if not callable(statistic) and not (isinstance(statistic, str) and statistic == "energy"):
        raise ArgumentError(
            f"statistic={shorten(statistic)} is not known; give 'energy', or a function of the samples "
            "that returns a number."
        )


def value_of(statistic: Callable[..., Any], data: Any) -> float:
    """What a user's function returns, as a float."""
    given = statistic(data)
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
