"""`test_invariance`: an exact p-value that the data are invariant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import as_numpy, dtype_kind, require_dense
from sparseaug.actions.base import require_action, require_law
from sparseaug.actions.trees import leaves, map_leaves, require_samples
from sparseaug.errors import ArgumentError, check_integer, shorten
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
    closeness,
    require_statistic,
    squared_norms,
    value_of,
    weighted_means,
    weights_of,
)
from sparseaug.sampling import GroupSample

MOST_DRAWS = 10_000_000

NULL: dict[str, str] = {
    "each": "the samples are independent, and the law of each{y} is the same when {H} moves it",
    "together": "the law of all samples together{y} is the same when one element of {H} moves them all",
    "targets": "the law of y given x is the same for all x of one orbit of {H}; samples are independent",
}
"""What is tested, by how the data move."""

_ENTRIES = 1 << 22  # numbers held for the data sets that are looked at together

# Equal values of T may differ by rounding. Counting values this little below T(X), relatively, as ties
# only makes p larger, so that the level stays exact.
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
    the same after every move. What the moves are, and so what is tested, is said by `move`:

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
            since the two do not change when all samples move
        y: targets, one per sample: numbers, or labels
        move: how the data move
        draws: moves that are drawn where there are more, and the identity is added
        seed: of the draws, which are other ones than an `Oracle` draws with it

    Returns:
        An `InvarianceTest`: `.pvalue`, `.null` (the hypothesis in words), `.values`.

    Raises:
        ArgumentError: p would not be exact for S, or the arguments do not fit.
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
    calls, enumerated = 0, False
    with np.errstate(over="ignore", invalid="ignore"):  # of data that are too large
        if move == "targets":
            values, enumerated = _exchanged(x, y, action, H, statistic, draws, seed)
        else:
            moves = Moves(action, x, H, move, draws, seed)
            values = np.concatenate(list(_moved_values(moves, x, n, y, statistic)))
            calls, enumerated = moves.calls, moves.enumerated
    if not np.isfinite(values).all():
        raise ArgumentError("x is too large: its statistic is not finite; scale the data.")
    ties = _TIES * float(abs(values).max())
    values.flags.writeable = False
    subgroup = action.group.name if H.rows is None else f"a subgroup of order {H.order}"
    return InvarianceTest(
        pvalue=float(np.mean(values >= values[0] - ties)),
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


def _moved_values(
    moves: Moves, x: Any, n: int, y: Any, statistic: str | Callable[..., Any]
) -> Iterator[NDArray[np.float64]]:
    entries = sum(int(np.prod(part.shape[1:])) for part in leaves(x))
    step = max(1, _ENTRIES // (n * (entries + n)))
    if isinstance(statistic, str):
        weights, as_it_is = (
            weights_of(statistic, n, y),
            flat(map_leaves(lambda part: part[None], x)),
        )
        middle = as_it_is.mean(axis=1, keepdims=True)
        if statistic == "energy":
            for data in moves.chunks(step):
                yield closeness(flat(data) - middle, weights)
            return
        total: Any = 0.0
        for data in moves.chunks(step):
            total = total + weighted_means(flat(data), weights).sum(axis=0)
        for data in moves.chunks(step):  # the same draws again
            yield squared_norms(weighted_means(flat(data), weights) - total / moves.count)
        return
    more = () if y is None else (y,)
    for data in moves.chunks(step):
        count = len(leaves(data)[0])
        sets = (map_leaves(lambda part, j=j: part[j], data) for j in range(count))
        yield np.array([value_of(statistic, one, *more) for one in sets])


def _exchanged(
    x: Any,
    y: Any,
    action: Action,
    H: Subgroup,
    statistic: str | Callable[..., Any],
    draws: int,
    seed: int,
) -> tuple[NDArray[np.float64], bool]:
    """T of the data with targets exchanged within orbits, and whether in all ways."""
    labels = orbit_labels(action, x, H)
    if len(np.unique(labels)) == len(labels):
        raise ArgumentError(
            "x has no two samples in one orbit, so that no targets can be exchanged: nothing can be "
            'said of y given x alone; use move="each", which assumes that the law of x is invariant.'
        )
    orders, every = target_orders(labels, draws, seed)
    if not isinstance(statistic, str):
        return np.array([value_of(statistic, x, y[order]) for order in orders]), every
    data = flat(map_leaves(lambda part: part[None], x))
    weights = weights_of(statistic, len(labels), y)
    data = data - data.mean(axis=1, keepdims=True)
    if statistic == "mean":
        means = (weighted_means(data, weights[order]) for order in orders)
        return np.array([squared_norms(each)[0] for each in means]), every
    return np.array([closeness(data, weights[np.ix_(o, o)])[0] for o in orders]), every


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
