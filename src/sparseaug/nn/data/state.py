"""What a saved state must be: all of its keys and no others, and of the run that it is loaded into."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sparseaug.actions import Action
from sparseaug.archive import canonical_json
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group

_REMEDY = "give what state_dict returned"


def require_keys(state: Any, names: Sequence[str]) -> Mapping[str, Any]:
    """`state` as it is, or an `ArgumentError` unless it is a mapping with exactly these keys."""
    if not isinstance(state, Mapping):
        raise ArgumentError(f"state={shorten(state)} is not a mapping; {_REMEDY}.")
    missing = [name for name in names if name not in state]
    if missing:
        raise ArgumentError(f"state lacks {missing}; {_REMEDY}.")
    others = [key for key in state if key not in names]
    if others:
        raise ArgumentError(f"state has {shorten(others)}, which is unknown; {_REMEDY}.")
    return state


def require_settings(saved: Any, mine: Mapping[str, Any]) -> None:
    """Raise an `ArgumentError` unless the settings in a state are `mine`, which are plain values."""
    if not isinstance(saved, Mapping):
        raise ArgumentError(f'state["settings"]={shorten(saved)} is not a mapping; {_REMEDY}.')
    if set(saved) != set(mine):
        differing = sorted(map(str, set(saved) ^ set(mine)))
        raise ArgumentError(f'state["settings"] lacks or adds {shorten(differing)}; {_REMEDY}.')
    for name, value in mine.items():
        if type(saved[name]) is not type(value) or saved[name] != value:
            raise ArgumentError(
                f"state is of another run: it has {name}={shorten(saved[name])}, but this one has "
                f"{name}={shorten(value)}; load it where everything is made with the same arguments."
            )


def describe(value: Any) -> str:
    """What an action does, as text that is the same in every process.

    Type and fields, as far as they are plain data; of a function its name alone, and of a group its
    name, since a sample's hash tells which one it is.
    """
    if isinstance(value, Group):
        return value.name
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, tuple | list):
        return f"({', '.join(map(describe, value))})"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        parts = dict(vars(value)) if isinstance(value, Action) else {}
    named = getattr(value, "__qualname__", type(value).__qualname__)
    return f"{named}({', '.join(f'{name}={describe(part)}' for name, part in parts.items())})"


def group_sha256(group: Group) -> str:
    """SHA-256 of the group's description."""
    return hashlib.sha256(canonical_json(group.to_dict())).hexdigest()
