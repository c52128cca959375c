"""The methods of `deviation`: one table, in order of preference.

`best_method` and messages read it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group, as_group
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.groups.degrees.shapes import LARGEST_N
from sparseaug.groups.representations import infinite, listed_irreps
from sparseaug.norms.abelian.characters import characters_norm
from sparseaug.norms.abelian.low_weight import low_weight_norm
from sparseaug.norms.abelian.walsh import walsh_norm
from sparseaug.norms.coordinates import coordinates_norm, has_own_degrees
from sparseaug.norms.dihedral import dihedral_norm
from sparseaug.norms.irreps import irreps_norm
from sparseaug.norms.norm import Norm
from sparseaug.norms.regular import regular_norm
from sparseaug.norms.representation import action_norm
from sparseaug.norms.rotations.bands import bands_norm
from sparseaug.norms.rotations.primes import prime_norm
from sparseaug.norms.young.symmetric import symmetric_norm
from sparseaug.sampling import GroupSample

REGULAR_LIMIT = 2_000_000
"""Order up to which the regular representation is used."""


def _any(group: Group) -> bool:
    return True


@dataclass(frozen=True)
class Method:
    """One way to compute the norm of D_S.

    Attributes:
        name: what `Deviation.method` calls it
        suits: whether a group is of that kind, and within reach
        norm: from S, `progress=` and the options to a `Norm`
        options: further keywords of `norm`
    """

    name: str
    suits: Callable[[Group], bool]
    norm: Callable[..., Norm]
    options: tuple[str, ...] = ()


def _has_few_irreps(group: Group) -> bool:
    try:
        listed_irreps(group)
    except (UnsupportedError, GroupTooLargeError):
        return False
    return True


METHODS = (
    Method("walsh", lambda g: g.is_signs, walsh_norm),
    Method("characters", lambda g: g.moduli is not None, characters_norm),
    Method("dihedral", lambda g: g.transform == "dihedral", dihedral_norm),
    Method("young", lambda g: g.transform == "young" and g.width <= LARGEST_N, symmetric_norm),
    Method("quaternions", lambda g: g.rotates_space, prime_norm),  # or S is no such set
    Method("irreps", _has_few_irreps, irreps_norm),
    Method("regular", lambda g: g.order <= REGULAR_LIMIT, regular_norm),
)
"""In order of preference."""


def as_known(S: GroupSample) -> GroupSample:
    """S in the family that its group is known to be: neither norms nor degrees change."""
    known = S.group.known_as()
    if known.group is S.group:
        return S
    return GroupSample(known.group, known.rows(S.elements), S.calls, S.origin)


def best_method(group: Group | str) -> str:
    """The name of the method that `deviation` takes for this group.

    Raises:
        UnsupportedError: if every method is out of reach.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.norms import best_method
        >>> [best_method(sa.group(name)) for name in ("Z2^20", "C12", "D4", "S6", "B3", "M11")]
        ['walsh', 'characters', 'dihedral', 'young', 'irreps', 'regular']
    """
    return preferred(as_group(group)).name


def preferred(group: Group) -> Method:
    """The first method of the table that fits this group and can cope with its size."""
    family = group.known_as().group
    for method in METHODS:
        if method.suits(family):
            return method
    if not group.is_finite:
        raise infinite(group)
    by = "action= and shape=" + (", or degree=1 or 2" if group.highest_degree else "")
    raise UnsupportedError(f"{group.name} is too large for an exact deviation; give {by}.")


def restricted(group: Group, degree: int) -> Method:
    """The method of `degree=` for this group; an `UnsupportedError` if it has no degrees."""
    require_degree(group, degree)
    return next(method for method in RESTRICTED if method.suits(group))


def _low_weight(S: GroupSample, *, degree: int, **options: Any) -> Norm:
    if degree >= S.group.width:  # every character
        return preferred(S.group).norm(S, **options)
    return low_weight_norm(S, degree=degree, **options)


RESTRICTED = (
    Method("wigner", lambda g: not g.is_finite, bands_norm, ("degree",)),
    Method("low weight", lambda g: g.moduli is not None and g.width > 1, _low_weight, ("degree",)),
    Method("irreps", has_own_degrees, irreps_norm, ("degree",)),
    Method("coordinates", _any, coordinates_norm, ("degree", "failure_probability")),
)
"""The methods of `degree=`, of which the first that suits a group is taken."""

ACTION = Method("action", _any, action_norm, ("action", "shape"))
