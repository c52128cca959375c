"""Groups by name ("S3xZ2^4") and from JSON data (what a saved sample says of its group)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sparseaug.errors import ArgumentError, GroupError, SparseAugError, shorten
from sparseaug.groups.abelian import abelian, cyclic
from sparseaug.groups.base import LONGEST_ROW, Group
from sparseaug.groups.catalogue import cube_rotations, cube_symmetries, mathieu, rubik
from sparseaug.groups.dihedral import dihedral
from sparseaug.groups.generated import permutation_group
from sparseaug.groups.grid import grid_symmetries
from sparseaug.groups.hyperoctahedral import hyperoctahedral
from sparseaug.groups.product import MOST_FACTORS, Product, direct_product
from sparseaug.groups.symmetric import alternating, symmetric
from sparseaug.groups.table import matrix_group, table_group

_FAMILIES: dict[str, Callable[[int], Group]] = {
    "S": symmetric,
    "A": alternating,
    "B": hyperoctahedral,
    "D": dihedral,
    "C": cyclic,
    "Z": cyclic,
    "M": mathieu,
    "Grid": grid_symmetries,
}
_SINGLE: dict[str, Callable[[], Group]] = {
    "Cube24": cube_rotations,
    "Cube48": cube_symmetries,
    "Rubik": rubik,
}
_WIDTHS = {"B": 2, "D": 2, "C": 1, "Z": 1, "Grid": 4, "Cube24": 1, "Cube48": 1, "Rubik": 48}
_FACTOR = re.compile(r"(?:([SABDCZM]|Grid)([0-9]{1,19})|(Cube24|Cube48|Rubik))(?:\^([0-9]{1,6}))?")
_WIDEST = 1_000_000  # integers in a row
_DEEPEST = 16  # products in products; those that `to_dict` writes are flat
_ALLOWED = "S6 A5 C12 D4 B5 Z2^20 M24 Grid28 Cube24 Cube48 Rubik, joined by x as in S3xZ2^4"


def group(name: str) -> Group:
    """The group of that name: S6 A5 C12 D4 B5 Z2^20 C28xC28 S3xZ2^4 M24 Grid28 Cube48 Rubik.

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
        family, n, single, power = match.groups()
        copies = int(power or 1)
        if (family and int(n) == 0) or copies == 0:
            raise GroupError(
                f"group name {shorten(name)} has a size of 0; sizes and powers start at 1."
            )
        size = int(n) if family in ("S", "A", "B", "M") else 1
        width += copies * size * _WIDTHS.get(family or single, 1)
        if width > _WIDEST:
            raise GroupError(
                f"group name {shorten(name)} asks for rows of {width} integers; rows end at {_WIDEST}."
            )
        if family in ("C", "Z"):
            factors.append(abelian(*[int(n)] * copies))
        else:
            count += copies
            if count > MOST_FACTORS:
                raise GroupError(
                    f"group name {shorten(name)} asks for {count} factors; products end at "
                    f"{MOST_FACTORS}."
                )
            factor = _FAMILIES[family](int(n)) if family else _SINGLE[single]()
            factors += [factor] * copies
    return direct_product(*factors)


def from_dict(data: dict[str, Any]) -> Group:
    """The group that `Group.to_dict` described; checked as if it were new."""
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
    except SparseAugError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise GroupError(f"group data {shorten(data)} is malformed: {error}") from error
    raise GroupError(f"group data {shorten(data)} is of no known kind.")


def _read_factors(factors: list[Any], depth: int) -> list[Group]:
    """The factors one by one, until there are too many of them."""
    groups: list[Group] = []
    width = count = 0
    for data in factors:
        groups.append(_read(data, depth))
        width += groups[-1].width
        count += len(groups[-1].factors) if isinstance(groups[-1], Product) else 1
        if count > MOST_FACTORS or width > LONGEST_ROW:
            raise GroupError(
                f"group data holds a product of at least {count} factors and rows of at least "
                f"{width} integers; at most {MOST_FACTORS} and {LONGEST_ROW} are read."
            )
    return groups
