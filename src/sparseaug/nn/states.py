"""Saved states: S among the tensors of a state dict, and the settings that a state must agree in.

S in a state dict of torch: under a prefix stand `elements`, the rows, and torch's extra state: calls,
origin and hash. Both are tensors, so that any format saves them; the hash is that of the multiset in its
group, so that rows of C4 are not taken for some of C8.

The state of a loader or a data set is plain data; its "settings" decide what it continues.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sparseaug._archive import canonical_json, parse_json
from sparseaug._checks import check_type
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, SparseAugError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.sampling import GroupSample
from sparseaug.sampling.origin import Origin

EXTRA = "_extra_state"  # torch's name for what is neither parameter nor buffer
_LENGTH = 1024  # of the text of facts, or a multiple of it: JSON may end with spaces


def kept_rows(rows: Rows) -> Tensor:
    """Rows as a tensor of int64: of float64 the bits, which no change of precision may touch."""
    return torch.tensor(rows.view(np.int64))


def rows_in(elements: Tensor, group: Group) -> Rows:
    """The rows of a tensor that `kept_rows` made."""
    return elements.cpu().numpy().view(group.row_dtype)


def facts_of(S: GroupSample) -> Tensor:
    """Calls, origin and hash of S as the bytes of a JSON text."""
    facts = {"calls": S.calls, "origin": dataclasses.asdict(S.origin), "sha256": S.sha256}
    text = json.dumps(facts).encode()
    # torch.distributed.checkpoint fills tensors in place: those of most S have one length
    return torch.tensor(list(text.ljust(-(-len(text) // _LENGTH) * _LENGTH)), dtype=torch.uint8)


def sample_in(state_dict: Mapping[str, Any], prefix: str, group: Group) -> GroupSample:
    """The S under this prefix, or an `ArgumentError` unless it is whole and of this group."""
    try:
        rows = rows_in(state_dict[f"{prefix}elements"], group)
        facts = parse_json(bytes(state_dict[f"{prefix}{EXTRA}"].tolist()))
        S = GroupSample(group, rows, facts["calls"], Origin.from_dict(facts["origin"]))
        if S.sha256 != facts["sha256"]:
            raise ArgumentError("its hash is of other elements, or of those of another group")
    except (SparseAugError, LookupError, AttributeError, *_ODD) as error:
        raise ArgumentError(
            f"state_dict has no S of {group.name} under {prefix + 'elements'!r}: {error}; give what "
            "state_dict returned, to a module of the same group."
        ) from error
    return S


_ODD = (
    TypeError,
    ValueError,
    RuntimeError,
)  # tensors without memory or of other types, and no JSON


def check_state(state: Any, names: Iterable[str], settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """`state`, or an `ArgumentError` unless it has just these names and these settings, plain values."""
    check_type("state", state, Mapping, "a mapping; give what state_dict returned")
    saved = state.get("settings")
    if set(state) != {*names, "settings"} or not isinstance(saved, Mapping):
        raise ArgumentError(f"state has {shorten(list(state))}; give what state_dict returned.")
    for name, value in settings.items():
        if type(saved.get(name)) is not type(value) or saved[name] != value:
            raise ArgumentError(
                f"state is of another run: it has {name}={shorten(saved.get(name))}, but this one has "
                f"{name}={shorten(value)}; load it where everything is made with the same arguments."
            )
    return state


def group_sha256(group: Group) -> str:
    """SHA-256 of the group's description."""
    return hashlib.sha256(canonical_json(group.to_dict())).hexdigest()


def describe_action(value: Any) -> str:
    """What an action does, as text that is the same in every process.

    Type and fields, as far as they are plain data; of a function its name alone, and of a group its
    name, since a sample's hash tells which one it is.
    """
    if isinstance(value, Group):
        return value.name
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, tuple | list):
        return f"({', '.join(map(describe_action, value))})"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        parts = dict(vars(value)) if isinstance(value, Action) else {}
    named = getattr(value, "__qualname__", type(value).__qualname__)
    return (
        f"{named}({', '.join(f'{name}={describe_action(part)}' for name, part in parts.items())})"
    )
