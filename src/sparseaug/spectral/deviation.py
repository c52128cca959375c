"""`deviation(S)`: the norm of D_S = Pi_S - Pi_G by the best method for the group.

eq:app-operator-fourier: it is the largest norm of (1/m) sum_j pi(g_j) over the non-trivial irreps pi,
whatever the function space. A restricted norm looks at fewer irreps: functions of at most `degree`
coordinates at a time, or those that occur in a given linear action.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sparseaug.actions import Action
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    UnsupportedError,
    check_integer,
    check_real,
    shorten,
)
from sparseaug.floats import power_up
from sparseaug.groups import Abelian, Dihedral, Group, Symmetric
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample
from sparseaug.spectral.abelian.characters import characters_norm
from sparseaug.spectral.abelian.walsh import walsh_norm
from sparseaug.spectral.general.dihedral import dihedral_norm
from sparseaug.spectral.general.irreps import irreps_norm, listed_irreps
from sparseaug.spectral.general.regular import regular_norm
from sparseaug.spectral.general.representation import action_norm
from sparseaug.spectral.general.tuples import low_weight_norm, permutation_module_norm
from sparseaug.spectral.generation import why_not
from sparseaug.spectral.result import Deviation, Norm, Progress, larger_norm
from sparseaug.spectral.verify.lanczos import FAILURE_PROBABILITY
from sparseaug.spectral.young.symmetric import LARGEST_N, symmetric_norm
from sparseaug.theory import deviation_bound, deviation_floor
from sparseaug.theory import word_deviation as word_bound

_METHODS: dict[str, Callable[..., Norm]] = {
    "characters": characters_norm,
    "walsh": walsh_norm,
    "dihedral": dihedral_norm,
    "young": symmetric_norm,
    "irreps": irreps_norm,
    "regular": regular_norm,
}
_RANDOM = ("irreps", "tuples")
"""Methods whose bound may come from a random start."""

_REGULAR_LIMIT = 2_000_000
_LONGEST_WORD = 64
"""Longer words are bounded by ||D||^length: their norms are tiny, and powers cost time."""


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
    failure_probability: float = FAILURE_PROBABILITY,
    progress: Progress | None = None,
) -> Deviation:
    """The norm of Pi_S - Pi_G: a verified upper bound, a lower bound, and where it is attained.

    Args:
        length: of words over S: the norm of (Pi_S - Pi_G)^length
        degree: only functions that look at this many coordinates at a time (permutations of any n);
            for abelian groups, characters with at most this many non-zero frequencies (under sign
            flips these are the functions of that many coordinates)
        action: only the irreps that occur in this linear action on arrays of one sample's `shape`
        method: "characters", "walsh", "dihedral", "young", "irreps" or "regular"; by default the
            best one for the group
        delta: of the a-priori bound that is reported for comparison, where S is m uniform draws
        device: where large blocks of a symmetric group are verified, for instance "cuda"
        failure_probability: where only a random start can reach the norm (more than 4096 tuples,
            large irreps of products): of the bound from above, over the start, which is keyed by
            the hash of S. Where certainty is within reach it is given, and this is not used.

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
    if degree is not None:
        name = restricted_method(S.group, degree)
    elif action is not None:
        if not isinstance(action, Action):
            raise ArgumentError(f"action={shorten(action)} is not an action.")
        action.rows(S)  # S must be of the action's group
        name = "action"
    else:
        name = _check_method(method, S.group)
    if device is not None and name != "young":
        raise ArgumentError(f"device={shorten(device)} is for symmetric groups as a whole.")
    reason = why_not(S) if whole and length == 1 else ""
    if S.group.order == 1:
        name, norm = "trivial", Norm(0.0, 0.0, "none")
    elif reason:
        name, norm = "subgroup", Norm(1.0, 1.0, "one in which the subgroup fixes a vector")
    else:

        def compute(power: int, chance: float) -> Norm:
            extra: dict[str, Any] = {"power": power, "progress": progress}
            if name in _RANDOM:
                extra["failure_probability"] = chance
            if degree is not None:
                return _restricted(S, degree, name, extra)
            if action is not None and shape is not None:
                return action_norm(S, action, shape, **extra)
            if device is not None:
                extra["device"] = device
            return _METHODS[name](S, **extra)

        norm = compute(1, chance) if length == 1 else _of_words(compute, length, chance)
    return Deviation(
        value=min(1.0, norm.upper),
        lower=min(1.0, norm.lower),
        method=name,
        block=norm.block,
        m=S.m,
        floor=deviation_floor(S.m, S.group.order) if whole and length == 1 else 0.0,
        bound=_bound(S, length, delta),
        delta=delta,
        failure_probability=norm.failure_probability,
        reason=reason,
        sha256=S.sha256 if whole and length == 1 else "",
    )


def word_deviation(S: GroupSample, length: int, **options: Any) -> Deviation:
    """The norm of D_S^length, the deviation of all m^length words over S; options as `deviation`'s.

    Pi_S^k - Pi_G = D_S^k, since Pi_S Pi_G = Pi_G. It is at most ||D_S||^length, and often less.

    Examples:
        >>> import sparseaug as sa
        >>> S = sa.Oracle(sa.symmetric(6), seed=0).draw(16)
        >>> sa.word_deviation(S, 3).value <= sa.deviation(S).value ** 3
        True
    """
    return deviation(S, length=length, **options)


def best_method(group: Group) -> str:
    """The method that `deviation` takes for this group; an `UnsupportedError` if there is none."""
    if not isinstance(group, Group):
        raise ArgumentError(
            f"group={shorten(group)} is not a group; give one such as symmetric(6)."
        )
    match group:
        case Abelian(moduli=moduli):
            return "walsh" if set(moduli) == {2} else "characters"
        case Dihedral():
            return "dihedral"
        case Symmetric(n=n) if n <= LARGEST_N:
            return "young"
    if _has_few_irreps(group):
        return "irreps"
    if group.order <= _REGULAR_LIMIT:
        return "regular"
    raise UnsupportedError(
        f"{group.name} is too large for an exact deviation; restrict it with action= and shape="
        + ("" if group.degree is None else ", or with degree=1 or 2, coordinates at a time")
        + "."
    )


def _has_few_irreps(group: Group) -> bool:
    """Whether all irreps are known, few and small enough to go through one by one."""
    try:
        listed_irreps(group)
    except (UnsupportedError, GroupTooLargeError):
        return False
    return True


def _bound(S: GroupSample, length: int, delta: float) -> float | None:
    """The paper's bound, which is about m uniform draws, m fixed beforehand, and nothing else."""
    if not S.origin.is_uniform:
        return None
    bound = deviation_bound(S.m, S.group.order, delta)
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


def restricted_method(group: Group, degree: int) -> str:
    """The method that `degree=` takes for this group; an `UnsupportedError` if there is none."""
    degree = check_integer("degree", degree, at_least=1)
    if isinstance(group, Abelian) and group.width > 1:
        return "low weight"
    if group.degree is None:
        raise UnsupportedError(
            f"degree= is for groups that permute points and for abelian groups, not {group.name}."
        )
    if degree > group.degree:
        raise ArgumentError(f"degree={degree} is above the {group.degree} points of {group.name}.")
    return "tuples"


def _restricted(S: GroupSample, degree: int, name: str, extra: dict[str, Any]) -> Norm:
    if name == "tuples":
        return permutation_module_norm(S, degree=degree, **extra)
    if degree >= S.group.width:  # every character
        return _METHODS[best_method(S.group)](S, **extra)
    return low_weight_norm(S, degree=degree, **extra)


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


def _check_method(method: str | None, group: Group) -> str:
    if method is None:
        return best_method(group)
    fits = {
        "characters": isinstance(group, Abelian),
        "walsh": isinstance(group, Abelian) and set(group.moduli) == {2},
        "dihedral": isinstance(group, Dihedral),
        "young": isinstance(group, Symmetric),
        "irreps": True,
        "regular": group.order <= _REGULAR_LIMIT,
    }
    if not isinstance(method, str) or not fits.get(method, False):
        allowed = ", ".join(name for name, fit in fits.items() if fit)
        raise ArgumentError(
            f"method={shorten(method)} does not fit {group.name}; give one of {allowed}."
        )
    return method
