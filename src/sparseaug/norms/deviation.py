"""`deviation(S)`: the norm of D_S = Pi_S - Pi_G by the best method for the group.

eq:app-operator-fourier: it is the largest norm of (1/m) sum_j pi(g_j) over the non-trivial irreps pi,
whatever the function space. A restricted norm looks at fewer irreps: functions of at most `degree`
coordinates at a time, or those that occur in a given linear action.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from sparseaug._checks import Progress, check_integer, check_progress, check_real, check_type
from sparseaug._floats import down, text_down, text_up, up
from sparseaug._tables import Shown, Table
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten_text
from sparseaug.norms.generation import why_not
from sparseaug.norms.lanczos import FAILURE_PROBABILITY
from sparseaug.norms.methods import ACTION, as_known, preferred, restricted
from sparseaug.norms.norm import Norm
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample
from sparseaug.theory import deviation_bound, deviation_floor, sharp_deviation_bound

_SUBGROUP = Norm(1.0, 1.0, "one in which the subgroup fixes a vector")


@dataclass(frozen=True)
class Deviation(Shown):
    """How far the average over S is from the average over G: the norm of D_S = Pi_S - Pi_G.

    Attributes:
        value: the norm is at most this
        lower: and at least this, for certain
        method: how it was computed; `sparseaug.norms.METHODS` has those of a whole group
        block: the irrep where it is attained
        m: number of elements of S
        floor: no S of m elements has a smaller norm
        bound: what the paper promises for m uniform draws, with probability 1 - delta; None where S
            is something else: given, words, joined, or drawn until it was good
        delta: the delta of that promise
        failure_probability: 0 where `value` is certain, None where it is an estimate
        reason: why the norm is 1, where S lies in a coset of a proper subgroup
        sha256: of S; empty for restricted norms, which are not those of S itself
    """

    value: float
    lower: float
    method: str
    block: str
    m: int
    floor: float
    bound: float | None
    delta: float
    failure_probability: float | None = 0.0
    reason: str = ""
    sha256: str = ""

    @property
    def rigorous(self) -> bool:
        """Whether `value` is a certain upper bound."""
        return self.failure_probability == 0.0

    @property
    def kind(self) -> str:
        """ "rigorous", "with probability" or "estimate"."""
        if self.failure_probability is None:
            return "estimate"
        return "rigorous" if self.rigorous else f"with probability 1 - {self.failure_probability!r}"

    @property
    def statement(self) -> str:
        """What the number bounds, in words: the root mean square over translates of S is meant."""
        which = "any function" if self.sha256 else "any such function"
        return (
            f"deviation {text_up(self.value, 4)}: an average over S leaves at most this part of the "
            f"standard deviation of {which}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the kind of knowledge, as JSON data."""
        return {**asdict(self), "rigorous": self.rigorous, "kind": self.kind}

    def _table(self) -> Table:
        rows = [
            ("at most", f"{text_up(self.value)}, {self.kind}"),
            ("at least", text_down(self.lower)),
            ("attained at", shorten_text(self.block)),
            ("method", self.method),
        ]
        if self.floor:
            rows.append(("floor", f"{text_down(self.floor)}: no {self.m:,} elements can do better"))
        if self.bound is not None:
            said = f"{text_up(self.bound)} with probability 1 - {self.delta!r}"
            rows.append(("a-priori bound", said))
        title = f"{self.statement}; for your own model use orbit_spectrum"
        return Table(("", ""), rows, title=title, notes=[self.reason] * bool(self.reason))


def deviation(
    S: GroupSample,
    *,
    degree: int | None = None,
    action: Action | None = None,
    shape: tuple[int, ...] | None = None,
    delta: float = 0.05,
    failure_probability: float = FAILURE_PROBABILITY,
    progress: Progress | None = None,
) -> Deviation:
    """The norm of Pi_S - Pi_G: a verified upper bound, a lower bound, and where it is attained.

    Args:
        S: a sample of a group
        degree: only functions that look at this many coordinates of an element at a time. These are
            the images of single points under a permutation, or of single axes +e_i under a signed
            one; for abelian groups the cyclic coordinates (only characters with at most this many
            non-zero frequencies count); and for a direct product, those of all factors together: the
            largest norm on a tensor product of the factors' functions of d_1, ..., d_r coordinates,
            d_1 + ... + d_r <= degree. For dihedral groups, also as factors: only frequencies up to it.
            For rotations: only l <= degree, or frequencies up to it, both
            parities; of all l together the norm is known for `design(group, m=, objective="deviation")`
        action: only the irreps that occur in this linear action
        shape: of one sample that the action moves, such as (6,)
        delta: of the a-priori bound that is reported for comparison, where S is m uniform draws
        failure_probability: where only a random start can reach the norm (more than 4096 tuples): of
            the bound from above, over the start, which is keyed by the hash of S. Where certainty is
            within reach it is given, and this is not used
        progress: called now and then with two numbers, how much is done and of how much

    Returns:
        The `Deviation`. Where the norm is 1 since S lies in a coset of a proper subgroup, its
        `reason` says so.

    Raises:
        UnsupportedError: if the group is too large, or has no such restriction.
        GroupTooLargeError: if it would take hours or more memory than is used.

    Examples:
        >>> import sparseaug as sa
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(64)
        >>> found = sa.deviation(S)
        >>> round(found.value, 3), found.kind, round(found.bound, 3)
        (0.249, 'rigorous', 0.654)
    """
    require_sample(S)
    watch = check_progress(progress)
    delta = check_real("delta", delta, above=0, below=1)
    chance = check_real("failure_probability", failure_probability, above=0, below=1)
    if degree is not None and action is not None:
        raise ArgumentError("degree and action exclude each other; give one of them.")
    if (action is None) != (shape is None):
        raise ArgumentError("action and shape go together: shape is that of one sample, as (6,).")
    whole = degree is None and action is None
    by_irreps = whole or (degree is not None and not S.group.is_finite)
    T = as_known(S) if by_irreps else S
    if degree is not None:
        degree = check_integer("degree", degree, at_least=1)
        chosen = restricted(S.group, degree)
    elif action is not None:
        check_type("action", action, Action, "an action").rows(S)  # S must be of its group
        chosen = ACTION
    else:
        chosen = preferred(T.group)
    given = {"degree": degree, "action": action, "shape": shape, "failure_probability": chance}
    own = {name: given[name] for name in chosen.options}
    compute = partial(chosen.norm, T, progress=watch, **own)
    name, reason = chosen.name, ""
    if _is_even(S):
        name, norm = "full", Norm(0.0, 0.0, "none")
    elif whole:
        norm, reason = _with_reason(S, compute)
        name = "subgroup" if reason else name
    else:
        norm = compute()
    return Deviation(
        value=min(1.0, norm.upper),
        lower=min(1.0, norm.lower),
        method=name,
        block=norm.block,
        m=S.m,
        floor=_floor(S) if whole else 0.0,
        bound=_bound(S, delta, degree),
        delta=delta,
        failure_probability=norm.failure_probability,
        reason=reason,
        sha256=S.sha256 if whole else "",
    )


def _is_even(S: GroupSample) -> bool:
    """Whether S is all of the group, each element equally often: then Pi_S is Pi_G."""
    if S.m < S.group.order:
        return False
    rows, counts = S.counts()
    return len(rows) == S.group.order and counts.min() == counts.max()


def _with_reason(S: GroupSample, compute: Callable[[], Norm]) -> tuple[Norm, str]:
    """The norm, and why it is 1 if it is: asked where it comes out as 1 or is out of reach.

    One or two elements lie in a coset of a cyclic subgroup: there it is asked first.
    """
    if len(S.counts()[0]) <= 2 and (reason := why_not(S)):
        return _SUBGROUP, reason
    try:
        norm = compute()
    except (GroupTooLargeError, UnsupportedError):
        if reason := why_not(S):
            return _SUBGROUP, reason
        raise
    reason = why_not(S) if norm.upper >= 1.0 else ""
    return (_SUBGROUP, reason) if reason else (norm, "")


# Of an infinite group the mean of ||pi(S)||_F^2 / d_pi over l <= L, with weights d_pi^2, is at least
# that of the m pairs i = j, 1/m, as L grows: the characters of other elements than the identity are
# o(sum d_pi^2).
def _floor(S: GroupSample) -> float:
    """What no S of m elements can be below; 1 / sqrt(m) in an infinite group."""
    if S.group.is_finite:
        return deviation_floor(S.m, order=S.group.order)
    return max(0.0, down(down(1.0) / up(math.sqrt(S.m))))


def _bound(S: GroupSample, delta: float, degree: int | None) -> float | None:
    """The paper's bound, which is about m uniform draws, m fixed beforehand, and nothing else.

    Of an infinite group the sharper one, on the irreps up to this degree.
    """
    if not S.origin.is_uniform:
        return None
    if S.group.is_finite:
        return deviation_bound(S.m, order=S.group.order, delta=delta)
    if degree is None or S.group.factors:
        return None
    sums, _ = S.group.dimensions_by_degree(degree)
    return sharp_deviation_bound(S.m, dimension_sum=sum(sums) - 1, delta=delta)
