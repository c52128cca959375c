"""`test_invariance`: an exact p-value that the data are invariant.

Let the law of the data X be that of k X for every k of a finite group K. Let X_0 = X, ..., X_N be all
k X, each once, or X and k X for N uniform draws k (`moves` says which K, and which S give these). Given
the multiset {X_0, ..., X_N}, X is as likely to be each of them. So for every T, which may depend on
that multiset too,

    p = #{j : T(X_j) >= T(X_0)} / (N + 1)   has   P(p <= a) <= a for every a,

the probability being over the data and the draws.

1. Only X_j and the multiset may enter T(X_j): no center, scale or tolerance of X_0 alone. "energy" takes
   distances within X_j. "mean" is taken less the mean over all X_j, a function of the multiset and near
   what the group leaves alone, so that a large constant does not hide the rest. W is a function of y,
   which stays; where targets are exchanged x stays, and W moves as they do.
2. Computed values t_j are off by rounding. If |t_j - T(X_j)| <= e for all j, then T(X_j) >= T(X_0) gives
   t_j >= t_0 - 2 e. Counting all such j is therefore at least the exact p: no tie is broken for
   rejection, whatever e depends on, and the level holds. `statistics` proves an e for "energy" and
   "mean", after scaling x and y by powers of two, which is exact.
3. Entries and signs move without rounding. What an action computes is taken to be off by `_off` of the
   norm of a sample, as the check of its law allows, and that is in e. A user's function has an
   unknown rounding: where entries and signs move, what it computes is a statistic in its own right,
   and the level is exact if equal data give equal values. Values within _TIES are counted in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import (
    as_numpy,
    dtype_kind,
    leaves,
    map_leaves,
    namespace,
    require_dense,
    require_samples,
)
from sparseaug.actions.base import require_action, require_law
from sparseaug.errors import ArgumentError, shorten
from sparseaug.orbits.moves import (
    Move,
    Moves,
    Subgroup,
    exact_subgroup,
    flat,
    orbit_labels,
    target_orders,
)
from sparseaug.orbits.statistics import (
    Compared,
    Energy,
    Floats,
    Mean,
    power_of_two,
    require_statistic,
    value_of,
)
from sparseaug.sampling import GroupSample
from sparseaug.spectral.result import announce

MOST_DRAWS = 10_000_000

MOST_DISTANCES = 1 << 40
"""Distances of the energy statistic over all moves: about an hour."""

NULL: dict[str, str] = {
    "each": "the samples are independent, and the law of each{y} is the same when {H} moves it",
    "together": "the law of all samples together{y} is the same when one element of {H} moves them all",
    "targets": "the law of y given x is the same for all x of one orbit of {H}; samples are independent",
}
"""What is tested, by how the data move."""

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


@final
@dataclass(frozen=True, eq=False)
class InvarianceTest:
    """What a test of invariance found; made by `test_invariance`.

    Attributes:
        pvalue: if the null hypothesis holds it is at most a with probability at most a, for every a
        statistic: T of the data as they are
        values: T of every moved data set, the unmoved one first
        null: the hypothesis, in words
        group: name of the group of the action
        order: of the subgroup that is tested; of the whole group for draws from it
        move: "each", "together" or "targets"
        enumerated: whether the moves are all there are; otherwise draws and the identity
        calls: elements freshly drawn for the test
    """

    pvalue: float
    statistic: float
    values: NDArray[np.float64]
    null: str
    group: str
    order: int
    move: str
    enumerated: bool
    calls: int

    @property
    def smallest(self) -> float:
        """The smallest p-value that so many moves can give."""
        return 1 / len(self.values)

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data; the order in hexadecimal, since it may have any length."""
        return {
            **vars(self),
            "values": self.values.tolist(),
            "order": hex(self.order),
            "smallest": self.smallest,
        }

    def __str__(self) -> str:
        how = "all" if self.enumerated else "the identity and"
        count = len(self.values) - (not self.enumerated)
        kind = "" if self.enumerated else " drawn"
        return f"p = {self.pvalue:.4g} ({how} {count}{kind} moves); null hypothesis: {self.null}"


def test_invariance(
    x: Array,
    action: Action,
    S: GroupSample | Literal["full"] = "full",
    *,
    statistic: str | Callable[..., Any] = "energy",
    y: Array | None = None,
    move: Move = "each",
    draws: int = 999,
    seed: int = 0,
) -> InvarianceTest:
    """An exact p-value that data are invariant under a group, or under a subgroup S of it.

        p = #{moves k, the identity among them : T(k x) >= T(x)} / #{moves}

    is at most a with probability at most a, for every a, every n and every T, if the law of the data is
    the same after every move. Where moves are drawn the probability is over data and seeds together:
    choose the seed without looking at p. Values that rounding cannot tell apart count as equal, so
    that p is never too small, whatever the ties and the units. What the moves are, and so what is
    tested, is said by `move`:

    - "each": every sample moves by an element of its own. The samples must be independent.
    - "together": one element moves all samples. They may depend on each other in any way.
    - "targets": x stays, and targets are exchanged among samples of one orbit. That tests the law of y
      given x and assumes nothing of the law of x; it sees something only where orbits repeat.

    With y and "each" or "together", x moves and y stays: p is for the law of the pair. If the law of
    x is invariant, as after random placement, that is the law of y given x; test x alone first.

    Args:
        x: samples (n, ...), a NumPy array or torch tensor; or a tuple or dict of them
        action: how a group element moves a sample
        S: "full", a subgroup (each element equally often), or with move="together" uniform draws of an
            `Oracle`, to which the identity is added. Anything else is refused: p would not be exact
        statistic: "energy" or "mean", which grow with the distance of the data's law from its average
            over orbits (with y, with the dependence of y on where x is); or a function of x (and of y)
            that returns a number, large where the symmetry is broken. move="together" needs a function,
            since the two do not change when all samples move. "energy" takes n^2 distances per move and
            little memory; a `LongRunWarning` announces minutes
        y: targets, one per sample: numbers, or labels
        move: how the data move
        draws: moves that are drawn where there are more, and the identity is added
        seed: of the draws, which are other ones than an `Oracle` draws with it

    Returns:
        An `InvarianceTest`: `.pvalue`, `.null` (the hypothesis in words), `.values`.

    Raises:
        ArgumentError: p would not be exact for S, the arguments do not fit, or "energy" would take
            more than an hour.
        LawError: a custom action is not one of its group.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).normal(size=(50, 4))
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> sa.test_invariance(x, act).pvalue > 0.05
        True
        >>> found = sa.test_invariance(np.sort(x, axis=1), act)
        >>> found.pvalue, found.calls
        (0.001, 49950)
    """
    n = _require_data(x, action, move)
    require_statistic(statistic)
    draws = check_integer("draws", draws, at_least=1, below=MOST_DRAWS)
    seed = check_integer("seed", seed, below=1 << 64)
    _require_targets(y, n, move)
    H = exact_subgroup(action, S)
    if isinstance(statistic, str):
        _require_samples(n, statistic, move)
    # what does not move is refused here
    action(action.group.identity(), map_leaves(lambda part: part[:1], x))
    if action.kind == "custom" or not action.lawful:
        require_law(action, map_leaves(lambda part: part[:2], x), pairs=2)
    calls = 0
    with np.errstate(over="ignore", invalid="ignore"):  # of data that are too large
        if move == "targets":
            found, enumerated = _exchanged(x, y, action, H, statistic, draws, seed)
        else:
            moves = Moves(action, x, H, move, draws, seed)
            found = _moved(moves, x, y, statistic, _off(action, x))
            calls, enumerated = moves.calls, moves.enumerated
        values = found.values * 1.0
        for scale in found.scales:
            values *= scale
    if not np.isfinite(values).all():
        raise ArgumentError("x or y is too large: the statistic is not finite; scale the data.")
    values.flags.writeable = False
    subgroup = action.group.name if H.rows is None else f"a subgroup of order {H.order}"
    return InvarianceTest(
        pvalue=float(np.mean(found.values >= found.least)),
        statistic=float(values[0]),
        values=values,
        null=NULL[move].format(H=subgroup, y="" if y is None else " with its target"),
        group=action.group.name,
        order=H.order,
        move=move,
        enumerated=enumerated,
        calls=calls,
    )


test_invariance.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test of its own


def _moved(
    moves: Moves, x: Any, y: Any, statistic: str | Callable[..., Any], off: float
) -> Compared:
    """T of all moved data sets."""
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
        return mean.compared(scale, off, moves.count)
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
    return energy.compared(scale, off)


def _exchanged(
    x: Any,
    y: Any,
    action: Action,
    H: Subgroup,
    statistic: str | Callable[..., Any],
    draws: int,
    seed: int,
) -> tuple[Compared, bool]:
    """T of the data with targets exchanged within orbits, and whether in all ways."""
    labels = orbit_labels(action, x, H)
    n = len(labels)
    if len(np.unique(labels)) == n:
        raise ArgumentError(
            "x has no two samples in one orbit, so that no targets can be exchanged: nothing can be "
            'said of y given x alone; use move="each", which assumes that the law of x is invariant.'
        )
    orders, every = target_orders(labels, draws, seed)
    if not isinstance(statistic, str):
        return _of_function([value_of(statistic, x, y[order]) for order in orders]), every
    data = _flat(x)
    scale = power_of_two(data)
    data = data / scale
    if statistic == "mean":
        mean = Mean(n, y)
        data = data - data.mean(axis=0)  # x stays
        for order in orders:
            mean.add(data[None, np.argsort(order)], 0.0)
        return mean.compared(scale, 0.0, n), every
    _require_distances((draws + 1) * n**2, n, draws + 1)
    energy = Energy(n, y)
    while some := list(islice(orders, max(1, _ENTRIES // n))):
        energy.add_orders(data, some)
    return energy.compared(scale, 0.0), every


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
    if count > MOST_DISTANCES:
        raise ArgumentError(
            f"x of {n} samples is too large for statistic='energy': {moves} moves take as long as "
            f"{count} distances, and the limit is {MOST_DISTANCES}; test fewer samples, lower draws, "
            "or give statistic='mean'."
        )
    announce(f"the energy of {n} samples and {moves} moves", seconds=_SECONDS * count)


def _require_data(x: Any, action: Any, move: Any) -> int:
    require_action(action)
    if not isinstance(move, str) or move not in NULL:
        names = ", ".join(map(repr, NULL))
        raise ArgumentError(f"move={shorten(move)} is not known; give one of {names}.")
    action.over(x)
    n = require_samples(x)
    if not n:
        raise ArgumentError("x is empty; give at least one sample.")
    for part in leaves(x):
        require_dense("x", part)
        if dtype_kind(part) in "fc" and not np.isfinite(as_numpy(part)).all():
            raise ArgumentError("x has entries that are not finite; remove such samples.")
    return n


def _require_samples(n: int, statistic: str, move: str) -> None:
    if move == "together" or n < 2:
        why = 'with move="together" they all move alike' if n > 1 else "x has one"
        raise ArgumentError(
            f"statistic={statistic!r} compares samples with each other, and {why}; give a function of "
            "x that returns a number, large where the symmetry is broken."
        )


def _require_targets(y: Any, n: int, move: str) -> None:
    if y is None:
        if move == "targets":
            raise ArgumentError('y=None, but move="targets" exchanges targets; give y.')
        return
    if not hasattr(y, "shape") or not hasattr(y, "dtype") or not y.shape or y.shape[0] != n:
        raise ArgumentError(
            f"y={shorten(y)} is not an array with one target for each of {n} samples."
        )
    if dtype_kind(y) == "c":
        raise ArgumentError("y is complex; give real numbers (two columns) or labels.")
