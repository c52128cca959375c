"""Groups by name ("S3xZ2^4") and from JSON data (what a saved sample says of its group)."""

from __future__ import annotations

import re
from typing import Any

from sparseaug.errors import ArgumentError, GroupError, SparseAugError, shorten
from sparseaug.groups.abelian import abelian
from sparseaug.groups.affine import AffineGroup
from sparseaug.groups.base import Group
from sparseaug.groups.catalogue import EXAMPLES, NAMES, PATTERN
from sparseaug.groups.generated import permutation_group
from sparseaug.groups.limits import LONGEST_ROW
from sparseaug.groups.product import MOST_FACTORS, direct_product
from sparseaug.groups.table import matrix_group, table_group

_FACTOR = re.compile(rf"({PATTERN})(?:\^([0-9]{{1,6}}))?")
_WIDEST = 1_000_000  # integers in a row
_DEEPEST = 16  # products in products; those that `to_dict` writes are flat
_ALLOWED = f"{EXAMPLES}, joined by x as in S3xZ2^4"


def group(name: str) -> Group:
    """The group of that name, such as S6, Z2^20, C28xC28, S3xZ2^4, M24 or Rubik.

    Args:
        name: a name of the catalogue, which `sparseaug groups` lists; a power of it (Z2^20); or
            several of these joined by x, for their direct product.

    Returns:
        The group; `group(g.name) == g` for every group of the catalogue.

    Raises:
        GroupError: if the name does not parse, or describes rows of more than a million integers.

    Examples:
        >>> group("S3xZ2^4").order
        96
        >>> group("S3xZ2^4").name
        'S3xZ2^4'
    """
    if not isinstance(name, str):
        raise ArgumentError(f"name={shorten(name)} is not a string; give one such as {_ALLOWED}.")
    factors: list[Group] = []
    width = count = 0
    for text in name.split("x"):
        match = _FACTOR.fullmatch(text)
        if match is None:
            raise GroupError(f"group name {shorten(name)} does not parse; write {_ALLOWED}.")
        factor, copies = _named(match[1]), int(match[2] or 1)
        if factor is None or copies == 0:
            raise GroupError(
                f"group name {shorten(name)} has a size of 0; sizes and powers start at 1."
            )
        width += copies * factor.width
        if width > _WIDEST:
            raise GroupError(
                f"group name {shorten(name)} needs rows of {width} integers; the limit is {_WIDEST}."
            )
        if factor.moduli is not None:
            factors.append(abelian(*factor.moduli * copies))
            continue
        count += copies
        if count > MOST_FACTORS:
            raise GroupError(
                f"group name {shorten(name)} needs {count} factors; the limit is {MOST_FACTORS}."
            )
        factors += [factor] * copies
    return direct_product(*factors)


def _named(text: str) -> Group | None:
    """The group of one name of the catalogue; None where its number is 0."""
    if text in NAMES:
        return NAMES[text].make()
    letters = text.rstrip("0123456789")
    size = int(text[len(letters) :])
    return NAMES[letters].make(size) if size else None


def from_dict(data: dict[str, Any]) -> Group:
    """The group that `Group.to_dict` described; checked as if it were new.

    Args:
        data: JSON data.

    Raises:
        GroupError: if they do not describe a group.

    Examples:
        >>> from_dict(group("S3xZ2^4").to_dict()).name
        'S3xZ2^4'
    """
    return _read(data, 0)


def _read(data: Any, depth: int) -> Group:
    if depth > _DEEPEST:
        raise GroupError(f"group data holds products nested more than {_DEEPEST} deep.")
    try:
        match data:
            case {"name": str(name)}:
                return group(name)
            case {"product": list(factors)} if len(factors) > 1:
                return direct_product(*_read_factors(factors, depth + 1))
            case {"permutations": list(images), "label": str(label)}:
                return permutation_group(images, label=label)
            case {"matrices": list(matrices), "label": str(label)}:
                return matrix_group(matrices, label=label)
            case {"table": list(table), "label": str(label)}:
                return table_group(table, label=label)
            case {
                "affine": {"sizes": list(sizes), "turns": list(turns), "maps": list(maps)},
                "label": str(label),
            }:
                nested = tuple(tuple(map(tuple, turn)) for turn in turns)
                return AffineGroup(tuple(sizes), nested, tuple(map(tuple, maps)), label)
    except SparseAugError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise GroupError(f"group data {shorten(data)} is malformed: {error}") from error
    raise GroupError(f"group data {shorten(data)} does not describe a group of a known kind.")


def _read_factors(factors: list[Any], depth: int) -> list[Group]:
    """The factors one by one, until there are too many of them."""
    groups: list[Group] = []
    width = count = 0
    for data in factors:
        groups.append(_read(data, depth))
        width += groups[-1].width
        count += len(groups[-1].factors) or 1
        if count > MOST_FACTORS or width > LONGEST_ROW:
            raise GroupError(
                f"group data holds a product of at least {count} factors and rows of at least "
                f"{width} integers; at most {MOST_FACTORS} and {LONGEST_ROW} are read."
            )
    return groups
