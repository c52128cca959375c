"""`deviation(S)`: the norm of D_S = Pi_S - Pi_G by the best method for the group.

eq:app-operator-fourier: it is the largest norm of (1/m) sum_j pi(g_j) over the non-trivial irreps pi,
whatever the function space. A restricted norm looks at fewer irreps: functions of at most `degree`
coordinates at a time, or those that occur in a given linear action.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from sparseaug._checks import check_integer, check_real
from sparseaug._floats import down, power_up, up
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample
from sparseaug.spectral.generation import why_not
from sparseaug.spectral.methods import ACTION, Method, as_known, named, preferred, restricted
from sparseaug.spectral.result import Deviation, Norm, Progress, larger_norm
from sparseaug.spectral.verify.lanczos import FAILURE_PROBABILITY
from sparseaug.theory import deviation_bound, deviation_floor, sharp_deviation_bound
from sparseaug.theory import word_deviation as word_bound

_LONGEST_WORD = 64
"""Longer words are bounded by ||D||^length: their norms are tiny, and powers cost time."""

_SUBGROUP = Norm(1.0, 1.0, "one in which the subgroup fixes a vector")


def deviation(
    S: GroupSample,
    *,
    length: int = 1,
    degree: int | None = None,
    action: Action | None = None,
    shape: tuple[int, ...] | None = None,
    method: str | None = None,
    delta: float = 0.05,
    device: str | None = None,
    n_jobs: int | None = None,
    failure_probability: float = FAILURE_PROBABILITY,
    progress: Progress | None = None,
) -> Deviation:
    """The norm of Pi_S - Pi_G: a verified upper bound, a lower bound, and where it is attained.

    Args:
        S: a sample of a group
        length: of words over S: the norm of (Pi_S - Pi_G)^length
        degree: only functions that look at this many coordinates of an element at a time. These are
            the images of single points under a permutation, or of single axes +e_i under a signed
            one; for abelian groups the cyclic coordinates (only characters with at most this many
            non-zero frequencies count); and for a direct product, those of all factors together: the
            largest norm on a tensor product of the factors' functions of d_1, ..., d_r coordinates,
            d_1 + ... + d_r <= degree. For rotations: only l <= degree, or frequencies up to it, both
            parities; of all l together the norm is known for `design(group, m=)` alone
        action: only the irreps that occur in this linear action
        shape: of one sample that the action moves, such as (6,)
        method: "walsh", "characters", "dihedral", "young", "quaternions", "irreps" or
            "regular"; by default the first of them that fits the group
            (`sparseaug.spectral.best_method`)
        delta: of the a-priori bound that is reported for comparison, where S is m uniform draws
        device: where the blocks of a symmetric group are made and verified, for instance "cuda"
        n_jobs: irreps of a symmetric group that are looked at at the same time, each in a thread; as
            many as there are cores, if not given. The result does not depend on it.
        failure_probability: where only a random start can reach the norm (more than 4096 tuples,
            large irreps of products, of S_13 and of S_14): of the bound from above, over the start,
            which is keyed by the hash of S. Where certainty is within reach it is given, and this is
            not used.
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
        >>> found.rigorous, round(found.value, 3), round(found.bound, 3)
        (True, 0.249, 0.654)
        >>> sa.deviation(S.words(length=2, size=64)).bound is None
        True
    """
    require_sample(S)
    delta = check_real("delta", delta, above=0, below=1)
    length = check_integer("length", length, at_least=1)
    chance = check_real("failure_probability", failure_probability, above=0, below=1)
    check_progress(progress)
    if sum(choice is not None for choice in (degree, action, method)) > 1:
        raise ArgumentError("degree, action and method exclude each other; give one of them.")
    if (action is None) != (shape is None):
        raise ArgumentError("action and shape go together: shape is that of one sample, as (6,).")
    whole = degree is None and action is None
    T = as_known(S) if whole else S
    if degree is not None:
        chosen = restricted(S.group, degree)
    elif action is not None:
        if not isinstance(action, Action):
            raise ArgumentError(f"action={shorten(action)} is not an action.")
        action.rows(S)  # S must be of the action's group
        chosen = ACTION
    else:
        chosen = preferred(T.group) if method is None else named(method, T.group)
    if device is not None and "device" not in chosen.options:
        raise ArgumentError(f"device={shorten(device)} is for symmetric groups as a whole.")
    options = {"degree": degree, "action": action, "shape": shape, "device": device}
    options["n_jobs"] = None if n_jobs is None else check_integer("n_jobs", n_jobs, at_least=1)
    compute = _computation(T, chosen, {"progress": progress, **options})
    name, reason = chosen.name, ""
    if _is_even(S):
        name, norm = "full", Norm(0.0, 0.0, "none")
    elif length > 1:
        norm = _of_words(compute, length, chance)
    else:
        norm, reason = (
            _with_reason(S, lambda: compute(1, chance)) if whole else (compute(1, chance), "")
        )
        name = "subgroup" if reason else name
    return Deviation(
        value=min(1.0, norm.upper),
        lower=min(1.0, norm.lower),
        method=name,
        block=norm.block,
        m=S.m,
        floor=_floor(S) if whole and length == 1 else 0.0,
        bound=_bound(S, length, delta, degree),
        delta=delta,
        failure_probability=norm.failure_probability,
        reason=reason,
        sha256=S.sha256 if whole and length == 1 else "",
    )


def word_deviation(S: GroupSample, length: int, **options: Any) -> Deviation:
    """The norm of D_S^length, the deviation of all m^length words over S; options as `deviation`'s.

    Pi_S^k - Pi_G = D_S^k, since Pi_S Pi_G = Pi_G. It is at most ||D_S||^length, and often less.

    Args:
        S: a sample of a group.
        length: of the words.
        **options: those of `deviation`.

    Examples:
        >>> import sparseaug as sa
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(16)
        >>> sa.spectral.word_deviation(S, 3).value <= sa.deviation(S).value ** 3
        True
    """
    return deviation(S, length=length, **options)


def _computation(
    S: GroupSample, method: Method, options: dict[str, Any]
) -> Callable[[int, float], Norm]:
    """The norm of D_S^power by this method, with the options that it has, by power and chance."""
    names = ("progress", *method.options)
    given = {name: value for name, value in options.items() if name in names and value is not None}

    def compute(power: int, chance: float) -> Norm:
        random = "failure_probability" in method.options
        extra = {"failure_probability": chance} if random else {}
        return method.norm(S, power=power, **given, **extra)

    return compute


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
        return deviation_floor(S.m, S.group.order)
    return max(0.0, down(down(1.0) / up(math.sqrt(S.m))))


def _bound(S: GroupSample, length: int, delta: float, degree: int | None) -> float | None:
    """The paper's bound, which is about m uniform draws, m fixed beforehand, and nothing else.

    Of an infinite group the sharper one, on the irreps up to this degree.
    """
    if not S.origin.is_uniform:
        return None
    if S.group.is_finite:
        bound = deviation_bound(S.m, S.group.order, delta)
    else:
        if degree is None or S.group.factors:
            return None
        sums, _ = S.group.dimensions_by_degree(degree)
        bound = sharp_deviation_bound(S.m, sum(sums) - 1, delta)
    return bound if bound == 1.0 else word_bound(bound, length)


def _of_words(compute: Callable[[int, float], Norm], length: int, chance: float) -> Norm:
    """Bounds of ||D^length||: directly while that can be tight, and never above ||D||^length.

    The smaller of two bounds fails if one of them does, whichever it is: each has half the chance.
    """
    if length > _LONGEST_WORD:
        one = compute(1, chance)
        limit = power_up(min(1.0, one.upper), length)
        return Norm(limit, 0.0, one.block, one.failure_probability)
    one, norm = compute(1, 0.5 * chance), compute(length, 0.5 * chance)
    both = larger_norm(one, norm).failure_probability
    upper = min(norm.upper, power_up(min(1.0, one.upper), length))
    return Norm(max(upper, norm.lower), norm.lower, norm.block, both)


def check_progress(progress: object) -> None:
    """Raise an `ArgumentError` unless it is None or can be called with two numbers."""
    if progress is None:
        return
    try:
        if not callable(progress):
            raise TypeError
        inspect.signature(progress).bind(1, 2)
    except TypeError as error:
        raise ArgumentError(
            f"progress={shorten(progress)} cannot be called with two numbers; give a function "
            "progress(done, total)."
        ) from error
    except ValueError:  # functions in C may have no signature
        return
