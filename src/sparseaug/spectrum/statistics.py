"""Statistics of a data set that are large where it is far from its orbit average.

For a group that acts by isometries, the energy distance (Szekely and Rizzo 2013)

    energy  -n^-2 sum_ij |x_i - x_j|

is the squared distance of the data's law from its average over orbits, up to a constant that no move
changes, as moving one of two points uniformly over its orbit hides how the other was moved.

It comes with a bound of its rounding, with u = 2^-53 and any order of summation (Higham 2002, chapter
3), which the level needs (`symmetry_test`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sparseaug._checks import require_work
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, dtype_kind, leaves, map_leaves, namespace
from sparseaug.errors import ArgumentError, shorten
from sparseaug.norms.norm import announce
from sparseaug.spectrum.moves import Moves, flat

Floats = NDArray[np.float64]

_ENTRIES = 1 << 22  # numbers held for the data sets, or distances, that are looked at together
_SECONDS = 3e-9  # of a distance, for samples of a few numbers
_LONG = 100  # entries of samples whose distance takes twice as long as one of few entries

# What an action that computes may be off by, of the norm of a sample: matrices are taken for a group
# where they are one to 1e-8; the rounding of single precision is more.
_OFF, _UNITS = 1e-8, 32

# Values of a user's function this little below T(X), relatively, are ties: that only makes p larger.
_TIES = 1e-9

_UNIT = 2.0**-53
_TINY = 2.0**-500  # above what is lost where a square is below the least float


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
    count = moves.count * n**2 * (1 + d // _LONG)
    what = f"statistic='energy' of x, {n} samples and {moves.count} moves,"
    remedy = "test fewer samples, lower draws, or give a function as statistic"
    require_work("energy distances", count, what, remedy=remedy)
    announce(f"the energy of {n} samples and {moves.count} moves", seconds=_SECONDS * count)
    sums = [_distances(one / scale) for data in moves.chunks(step) for one in flat(data)]
    values = np.array([-total / n**2 for total, _, _ in sums])
    longest, norm = (max(column) for column in list(zip(*sums, strict=True))[1:])
    # sums over n terms of sums over n distances, each of d squares
    error = (2 * n + d + 8) * _UNIT * longest + 2 * _off(moves.action, x) * norm + _TINY
    return Compared(values, float(values[0]) - 2 * error, scale)


def _distances(data: Floats) -> tuple[float, float, float]:
    """The sum of all |x_i - x_j| of samples (n, d), the largest, and the largest |x_i|."""
    rows = max(1, _ENTRIES // (4 * len(data)))
    sums, longest = np.empty(len(data)), 0.0
    for start in range(0, len(data), rows):
        block = cdist(data[start : start + rows], data)
        sums[start : start + rows] = block.sum(axis=1)
        longest = max(longest, float(block.max()))
    return float(sums.sum()), longest, float(np.sqrt(np.square(data).sum(axis=1).max()))


def _off(action: Action, x: Any) -> float:
    """How far a moved sample may be from where it belongs, of its norm."""
    if action.over(x).kind in ("entries", "signs"):
        return 0.0
    floats = [part for part in leaves(x) if dtype_kind(part) in "fc"]
    units = [float(namespace(part).finfo(part.dtype).eps) for part in floats]
    return max([_OFF, *(_UNITS * eps for eps in units)])


def value_of(statistic: Callable[..., Any], data: Any) -> float:
    """What a user's function returns, as a float."""
    given = statistic(data)
    try:
        value = float(as_numpy(given).reshape(()) if hasattr(given, "dtype") else given)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise ArgumentError(f"statistic returned {shorten(given)}; return one finite real number.")
    return value
