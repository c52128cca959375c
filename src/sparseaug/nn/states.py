"""Saved states: S among the tensors of a state dict, and the settings that a state must agree in.

S in a state dict of torch: under a prefix stand `elements`, the rows, and torch's extra state: calls,
origin and hash. Both are tensors, so that any format saves them; the hash is that of the multiset in its
group, so that rows of C4 are not taken for some of C8.

The state of a loader or a data set is plain data; its "settings" decide what it continues.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sparseaug._archive import parse_json
from sparseaug._checks import check_type
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Distribution, Rows
from sparseaug.sampling import GroupSample
from sparseaug.sampling.origin import Origin

EXTRA = "_extra_state"  # torch's name for what is neither parameter nor buffer
_LENGTH = 1024  # of the text of facts, or a multiple of it: JSON may end with spaces


def kept_rows(rows: Rows) -> Tensor:
    """Rows as a tensor of int64: of float64 the bits, which no change of precision may touch."""
    return torch.tensor(rows.view(np.int64))


def rows_in(elements: Tensor, group: Distribution) -> Rows:
    """The rows of a tensor that `kept_rows` made."""
    return elements.cpu().numpy().view(group.row_dtype)


def facts_of(S: GroupSample) -> Tensor:
    """Calls, origin and hash of S as the bytes of a JSON text."""
    facts = {"calls": S.calls, "origin": dataclasses.asdict(S.origin), "sha256": S.sha256}
    text = json.dumps(facts).encode()
    # torch.distributed.checkpoint fills tensors in place: those of most S have one length
    return torch.tensor(list(text.ljust(-(-len(text) // _LENGTH) * _LENGTH)), dtype=torch.uint8)


def sample_in(state_dict: Mapping[str, Any], prefix: str, group: Distribution) -> GroupSample:
    """The S under this prefix, or an `ArgumentError` unless it is whole and of this group."""
    try:
        rows = rows_in(state_dict[f"{prefix}elements"], group)
        facts = parse_json(bytes(state_dict[f"{prefix}{EXTRA}"].tolist()))
        S = GroupSample(group, rows, facts["calls"], Origin.from_dict(facts["origin"]))
        if S.sha256 != facts["sha256"]:
            raise ArgumentError("its hash is of other elements, or of those of another group")
    except Exception as error:  # whatever tensors and text may be
        message = f"state_dict has no S of {group.name} under {prefix + 'elements'!r}: {error}"
        raise ArgumentError(message) from error
    return S


def check_state(state: Any, names: Iterable[str], settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """`state`, or an `ArgumentError` unless it has just these names and these settings, plain values."""
    check_type("state", state, Mapping, "a mapping; give what state_dict returned")
    saved = state.get("settings")
    if set(state) != {*names, "settings"} or not isinstance(saved, Mapping):
        raise ArgumentError(f"state has {shorten(list(state))}; give what state_dict returned.")
    for name, value in settings.items():
        if type(saved.get(name)) is not type(value) or saved[name] != value:
            there = f"{name}={shorten(saved.get(name))}"
            raise ArgumentError(f"state is of a run with {there}, not {shorten(value)}.")
    return state
