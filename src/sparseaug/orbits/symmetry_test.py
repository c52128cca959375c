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

`broken_symmetries`: which symmetries the data break, by one such test per subgroup, corrected for their
number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer, check_real
from sparseaug._tables import Shown, Table
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import as_numpy, dtype_kind, leaves, map_leaves
from sparseaug.actions.base import require_action, require_law
from sparseaug.errors import ArgumentError, shorten, shorten_text
from sparseaug.groups import Group
from sparseaug.orbits.models import require_inputs
from sparseaug.orbits.moves import Move, Moves, exact_subgroup, orbit_labels, target_orders
from sparseaug.orbits.statistics import of_exchanged, of_moved, require_statistic
from sparseaug.sampling import GroupSample

MOST_DRAWS = 10_000_000

NULL: dict[str, str] = {
    "each": "the samples are independent, and the law of each{y} is the same when {H} moves it",
    "together": "the law of all samples together{y} is the same when one element of {H} moves them all",
    "targets": "the law of y given x is the same for all x of one orbit of {H}; samples are independent",
}
"""What is tested, by how the data move."""


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
        ArgumentError: p would not be exact for S, or the arguments do not fit.
        GroupTooLargeError: "energy" would take more than an hour.
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
            orders, enumerated = target_orders(orbit_labels(action, x, H), draws, seed)
            found = of_exchanged(x, y, orders, draws + 1, statistic)
        else:
            moves = Moves(action, x, H, move, draws, seed)
            found = of_moved(moves, x, y, statistic)
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


def _require_data(x: Any, action: Any, move: Any) -> int:
    n = require_inputs(action, x)
    if not isinstance(move, str) or move not in NULL:
        names = ", ".join(map(repr, NULL))
        raise ArgumentError(f"move={shorten(move)} is not known; give one of {names}.")
    for part in leaves(x):
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


_LISTED = 1 << 12  # elements of a factor up to which it is one subgroup, and not its generators


@final
@dataclass(frozen=True, eq=False)
class BrokenSymmetries(Shown):
    """One test per subgroup, and which of them fail together; made by `broken_symmetries`.

    Attributes:
        tests: name of each subgroup and its `InvarianceTest`
        adjusted: the p-values times what Holm's method asks for, so that all of them can be compared
            with one level: with probability 1 - level no subgroup is called broken that is not
        level: of all tests together
    """

    tests: Mapping[str, InvarianceTest]
    adjusted: Mapping[str, float]
    level: float

    @property
    def broken(self) -> tuple[str, ...]:
        """The subgroups under which the data are not invariant."""
        return tuple(name for name, p in self.adjusted.items() if p <= self.level)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        tests = {name: test.to_dict() for name, test in self.tests.items()}
        return {
            "level": self.level,
            "broken": list(self.broken),
            "adjusted": dict(self.adjusted),
            "tests": tests,
        }

    def _table(self) -> Table:
        rows = [
            (
                shorten_text(name, 40),
                str(test.order),
                f"{test.pvalue:.4g}",
                f"{self.adjusted[name]:.4g}",
                "broken" if name in self.broken else "",
            )
            for name, test in self.tests.items()
        ]
        return Table(("symmetry", "order", "p", "adjusted", ""), rows)


def broken_symmetries(
    x: Array,
    action: Action,
    subgroups: Mapping[str, Any] | None = None,
    *,
    level: float = 0.05,
    **options: Any,
) -> BrokenSymmetries:
    """Which of some subgroups the data break, at one level for all tests together (Holm 1979).

    Args:
        x: samples (n, ...)
        action: how a group element moves a sample
        subgroups: name and subgroup of each: a `GroupSample`, or rows that generate it. By default the
            factors of a product, and else the cyclic subgroup of each of the group's generators
        level: probability that any subgroup is called broken under which the data are invariant
        options: those of `test_invariance`, but for S

    Returns:
        A `BrokenSymmetries`: `.broken`, `.tests`, a table by `str`.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).normal(size=(40, 3)) + [0, 0, 1.0]
        >>> act = sa.flip_signs(sa.sign_flips(3))
        >>> flips = {"x": [[1, 0, 0]], "y": [[0, 1, 0]], "z": [[0, 0, 1]]}
        >>> sa.orbits.broken_symmetries(x, act, flips).broken
        ('z',)
    """
    require_action(action)
    level = check_real("level", level, above=0, below=1)
    group = action.group
    chosen = _subgroups(group) if subgroups is None else _read_subgroups(group, subgroups)
    tests = {name: test_invariance(x, action, S, **options) for name, S in chosen.items()}
    ranked = sorted(tests, key=lambda name: tests[name].pvalue)
    adjusted, least = {}, 0.0
    for place, name in enumerate(ranked):
        least = max(least, min(1.0, (len(ranked) - place) * tests[name].pvalue))
        adjusted[name] = least
    return BrokenSymmetries(tests, {name: adjusted[name] for name in tests}, level)


def _subgroups(group: Group) -> dict[str, GroupSample]:
    found: dict[str, GroupSample] = {}
    generators = group.generators()
    first = 0
    for i, factor in enumerate(group.factors):
        last = first + factor.width
        rest = np.r_[0:first, last : group.width]
        own = generators[(generators[:, rest] == group.identity()[:, rest]).all(axis=1)]
        first = last
        if len(own) and factor.order <= _LISTED:
            found[f"{factor.name}[{i}]"] = GroupSample.generated(group, own)
        else:
            found |= _cyclic(group, own)
    return found or _cyclic(group, generators)


def _cyclic(group: Group, generators: Any) -> dict[str, GroupSample]:
    return {
        str(row.tolist()): GroupSample.generated(group, row[None]) for row in np.asarray(generators)
    }


def _read_subgroups(group: Group, subgroups: Any) -> dict[str, GroupSample]:
    if not isinstance(subgroups, Mapping) or not subgroups:
        raise ArgumentError(
            f"subgroups={shorten(subgroups)} is not a mapping of names to subgroups; give "
            '{"flip": rows that generate it, ...}.'
        )
    found = {}
    for name, given in subgroups.items():
        if not isinstance(name, str):
            raise ArgumentError(f"subgroups has the name {shorten(name)}; give names as text.")
        if not isinstance(given, GroupSample):
            rows = group.check(given, f"subgroups[{shorten(name)}]")
            given = GroupSample.generated(group, rows)
        found[name] = given
    return found
