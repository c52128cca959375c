"""A sample on disk: its rows and what is known of it, in one archive.

What a group described in a file may cost, refused before the work with the number.

A few lines of a file can describe a group that takes hours and gigabytes to build. Permutation
groups are built when they are used, and refuse what is too large themselves.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sparseaug._archive import canonical_json, load_archive, require, save_archive
from sparseaug._checks import require_work
from sparseaug._io import show_path
from sparseaug.errors import FileFormatError, GroupTooLargeError, SparseAugError, UnsupportedError
from sparseaug.groups import Group, Rows, from_dict

SCHEMA = "sparseaug.GroupSample/1"


def save(
    path: str | os.PathLike[str],
    group: Group,
    elements: Rows,
    facts: dict[str, Any],
    *,
    overwrite: bool = False,
) -> None:
    """Write group, elements and facts, whole or not at all."""
    description = group.to_dict()
    if not _describes(description, group):
        raise UnsupportedError(
            f"{group.name} cannot be saved: its to_dict() does not describe it; use a named group, "
            "permutation_group, matrix_group or table_group."
        )
    require_affordable(description)
    everything = {"group": description, **facts}
    save_archive(path, SCHEMA, {"elements": elements}, everything, overwrite=overwrite)


def load(path: str | os.PathLike[str]) -> tuple[Group, Rows, dict[str, Any]]:
    """Read what `save` wrote; anything else is a `FileFormatError` that says what is wrong."""
    arrays, facts = load_archive(path, SCHEMA)
    elements = arrays.get("elements", np.empty(0))
    types = (np.int64, np.float64)
    whole = set(arrays) == {"elements"} and elements.dtype in types and elements.ndim == 2
    require(whole, path, "it needs one int64 array 'elements', or one of float64")
    require(
        set(facts) == {"group", "calls", "origin", "sha256"},
        path,
        "its facts are not those of a sample",
    )
    description = facts.pop("group")
    try:
        require_affordable(description)
        with np.errstate(all="ignore"):  # entries of matrices may be anything
            group = from_dict(description)
    except GroupTooLargeError as error:
        raise GroupTooLargeError(f"{show_path(path)} cannot be loaded: {error}") from error
    except (SparseAugError, ValueError, TypeError, RecursionError) as error:
        raise FileFormatError(f"{show_path(path)} is damaged: {error}") from error
    typed = elements.dtype == group.row_dtype
    require(typed, path, f"the rows of {group.name} are {group.row_dtype}, not {elements.dtype}")
    same = canonical_json(group.to_dict()) == canonical_json(description)
    require(same, path, "its group is not described as it would be")
    return group, elements, facts


def _describes(description: dict[str, Any], group: Group) -> bool:
    try:
        return from_dict(description) == group
    except SparseAugError:
        return False


_PER_PRODUCT = 200  # multiplications for n matrices of d x d, in the time of a unit


def require_affordable(description: Any) -> None:
    """Raise a `GroupTooLargeError` for the data of a group that would take minutes or gigabytes."""
    match description:
        case {"product": list(factors)}:
            for factor in factors:
                require_affordable(factor)
        case {"permutations": [[_, *_] as first, *_] as images}:
            _require("numbers", len(images) * len(first))
        case {"matrices": [[[*_] as row, *_], *_] as matrices}:
            n, d = len(matrices), len(row)
            work = (n**2 * d**3 + n**3 * d**2) // _PER_PRODUCT
            _require("numbers", n * d * d)
            _require("products", work)
        case {"table": [[*_], *_] as table}:
            _require("table", len(table) ** 2)


def _require(limit: str, amount: int) -> None:
    remedy = "save the rows alone, and build the group in your own code"
    require_work(f"described {limit}", amount, "the group of the file", remedy=remedy)
