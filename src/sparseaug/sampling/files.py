"""A sample on disk: its rows and what is known of it, in one archive."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from sparseaug._archive import canonical_json, load_archive, require, save_archive
from sparseaug._io import show_path
from sparseaug.errors import FileFormatError, GroupTooLargeError, SparseAugError, UnsupportedError
from sparseaug.groups import Distribution, Rows
from sparseaug.groups import distribution_from_dict as from_dict

SCHEMA = "sparseaug.GroupSample/1"


def save(
    path: str | os.PathLike[str],
    group: Distribution,
    elements: Rows,
    facts: dict[str, Any],
    *,
    overwrite: bool = False,
    schema: str = SCHEMA,
) -> None:
    """Write group, elements and facts, whole or not at all."""
    description = group.to_dict()
    if not _describes(description, group):
        raise UnsupportedError(
            f"{group.name} cannot be saved: its to_dict() does not describe it; use a named group, "
            "permutation_group, matrix_group or table_group."
        )
    everything = {"group": description, **facts}
    save_archive(path, schema, {"elements": elements}, everything, overwrite=overwrite)


def load(
    path: str | os.PathLike[str], *, schema: str = SCHEMA, more: Sequence[str] = ()
) -> tuple[Distribution, Rows, dict[str, Any]]:
    """Read what `save` wrote; anything else is a `FileFormatError` that says what is wrong."""
    arrays, facts = load_archive(path, schema)
    elements = arrays.get("elements", np.empty(0))
    types = (np.int64, np.float64)
    whole = set(arrays) == {"elements"} and elements.dtype in types and elements.ndim == 2
    require(whole, path, "it needs one int64 array 'elements', or one of float64")
    require(
        set(facts) == {"group", "calls", "origin", "sha256", *more},
        path,
        "its facts are not those of a sample",
    )
    description = facts.pop("group")
    try:
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


def _describes(description: dict[str, Any], group: Distribution) -> bool:
    try:
        return from_dict(description) == group
    except SparseAugError:
        return False
