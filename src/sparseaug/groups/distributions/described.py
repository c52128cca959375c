"""A distribution from its JSON data; whatever is none of those below is a group's."""

from __future__ import annotations

from typing import Any

from sparseaug._checks import check_real, check_text
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups.base import Group
from sparseaug.groups.catalogue import as_group, from_dict
from sparseaug.groups.distributions.base import Distribution
from sparseaug.groups.distributions.independent import Independent
from sparseaug.groups.distributions.ranges import Ranges
from sparseaug.groups.distributions.seeds import Seeds


def distribution_from_dict(data: dict[str, Any]) -> Distribution:
    """The distribution that `to_dict` described; checked as if it were new.

    Args:
        data: JSON data.

    Raises:
        ArgumentError: if they do not describe a distribution or a group.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.groups import distribution_from_dict
        >>> distribution = sa.random_affine(degrees=30).distribution
        >>> distribution_from_dict(distribution.to_dict()) == distribution
        True
    """
    match data:
        case {"seeds": str(pipeline)} if len(data) == 1:
            return Seeds(pipeline)
        case {"ranges": str(label), "parameters": list(parameters)} if len(data) == 2:
            return Ranges(label, tuple(map(_parameter, parameters)))
        case {"independent": list(parts)} if len(parts) > 1 and len(data) == 1:
            return Independent(tuple(map(distribution_from_dict, parts)))
    return from_dict(data)


def as_distribution(given: Distribution | str, name: str = "distribution") -> Distribution:
    """The distribution, or the group of that name: what everything that draws asks."""
    if isinstance(given, Distribution) and not isinstance(given, Group):
        return given
    return as_group(given, name)


def _parameter(given: Any) -> tuple[str, float, float]:
    match given:
        case [str(name), low, high]:
            ends = check_real(name, low), check_real(name, high)
            if ends[0] <= ends[1]:
                return check_text("name", name), *ends
    raise ArgumentError(f"parameter {shorten(given)} is not [name, least, largest].")
