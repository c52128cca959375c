"""`test_invariance`: an exact p-value that the data are invariant.

Let the law of the data X be that of k X for every k of a finite group K. Let X_0 = X, ..., X_N be all
k X, each once, or X and k X for N uniform draws k (`moves` says which K, and which S give these). Given
the multiset {X_0, ..., X_N}, X is as likely to be each of them. So for every T, which may depend on
that multiset too,

    p = #{j : T(X_j) >= T(X_0)} / (N + 1)   has   P(p <= a) <= a for every a,

the probability being over the data and the draws.

1. Only X_j and the multiset may enter T(X_j): no center, scale or tolerance of X_0 alone. "energy" takes
   distances within X_j.
2. Computed values t_j are off by rounding. If |t_j - T(X_j)| <= e for all j, then T(X_j) >= T(X_0) gives
   t_j >= t_0 - 2 e. Counting all such j is therefore at least the exact p: no tie is broken for
   rejection, whatever e depends on, and the level holds. `statistics` proves an e for "energy",
   after scaling x by a power of two, which is exact.
3. Entries and signs move without rounding. What an action computes is taken to be off by `_off` of the
   norm of a sample, as the check of its law allows, and that is in e. A user's function has an
   unknown rounding: where entries and signs move, what it computes is a statistic in its own right,
   and the level is exact if equal data give equal values. Values within _TIES are counted in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import fields_as_json, to_json
from sparseaug._checks import check_callable, check_choice, check_integer
from sparseaug._tables import Shown
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import as_numpy, dtype_kind, leaves
from sparseaug.errors import ArgumentError
from sparseaug.sampling import GroupSample
from sparseaug.spectrum.models import require_inputs, try_moving
from sparseaug.spectrum.moves import Move, Moves, exact_subgroup
from sparseaug.spectrum.statistics import of_moved

MOST_DRAWS = 10_000_000

NULL: dict[str, str] = {
    "each": "the samples are independent, and the law of each is the same when {H} moves it",
    "together": "the law of all samples together is the same when one element of {H} moves them all",
}
"""What is tested, by how the data move."""


@final
@dataclass(frozen=True, eq=False)
class InvarianceTest(Shown):
    """What a test of invariance found; made by `test_invariance`.

    Attributes:
        pvalue: if the null hypothesis holds it is at most a with probability at most a, for every a
        statistic: T of the data as they are
        values: T of every moved data set, the unmoved one first
        null: the hypothesis, in words
        group: name of the group of the action
        order: of the subgroup that is tested
        move: "each" or "together"
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

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return {**fields_as_json(self), "order": to_json(self.order)}

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

    Args:
        x: samples (n, ...), a NumPy array or torch tensor; or a tuple or dict of them
        action: how a group element moves a sample
        S: "full" or a subgroup (each element equally often). Anything else is refused: p would not be
            exact
        statistic: "energy", which grows with the distance of the data's law from its average over
            orbits; or a function of x that returns a number, large where the symmetry is broken.
            move="together" needs a function, since the energy does not change when all samples move. It
            takes n^2 distances per move and little memory; a `LongRunWarning` announces minutes
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
        >>> round(sa.test_invariance(x, act).pvalue, 2)
        0.53
        >>> found = sa.test_invariance(np.sort(x, axis=1), act)
        >>> found.pvalue, found.calls
        (0.001, 49950)
    """
    n = require_inputs(action, x)
    check_choice("move", move, tuple(NULL))
    if any(dtype_kind(p) in "fc" and not np.isfinite(as_numpy(p)).all() for p in leaves(x)):
        raise ArgumentError("x has entries that are not finite; remove such samples.")
    if not isinstance(statistic, str) or statistic != "energy":
        check_callable("statistic", statistic, '"energy", or a function of x that returns a number')
    draws = check_integer("draws", draws, at_least=1, below=MOST_DRAWS)
    seed = check_integer("seed", seed, below=1 << 64)
    H = exact_subgroup(action.group, S)
    if isinstance(statistic, str) and (move == "together" or n < 2):
        why = 'with move="together" they all move alike' if n > 1 else "x has one"
        given = f"statistic={statistic!r} compares samples with each other, and {why}"
        raise ArgumentError(f"{given}; give a function of x that returns a number.")
    try_moving(action, x)
    moves = Moves(action, x, H, move, draws, seed)
    with np.errstate(over="ignore", invalid="ignore"):  # of data that are too large
        found = of_moved(moves, x, statistic)
        values = found.values * found.scale
    if not np.isfinite(values).all():
        raise ArgumentError("x is too large: the statistic is not finite; scale the data.")
    values.flags.writeable = False
    order = action.group.order if H is None else len(H)
    subgroup = action.group.name if H is None else f"a subgroup of order {order}"
    return InvarianceTest(
        pvalue=float(np.mean(found.values >= found.least)),
        statistic=float(values[0]),
        values=values,
        null=NULL[move].format(H=subgroup),
        group=action.group.name,
        order=order,
        move=move,
        enumerated=moves.enumerated,
        calls=moves.calls,
    )


test_invariance.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test of its own
