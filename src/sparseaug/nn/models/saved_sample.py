"""S in a state dict: its rows, the group they belong to, and where they came from.

Under a prefix stand `elements`, the rows; `group_digest`, since rows alone do not tell C4 from C8; and
torch's extra state: calls, origin and hash. All are tensors, so that any format saves them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparseaug._archive import parse_json
from sparseaug.actions.arrays import as_numpy, is_sharded
from sparseaug.errors import ArgumentError, SparseAugError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.nn.data.samplers import group_sha256
from sparseaug.sampling import GroupSample
from sparseaug.sampling.origin import Origin

EXTRA = "_extra_state"  # torch's name for what is neither parameter nor buffer
_LENGTH = 1024  # of the text of facts, or a multiple of it: JSON may end with spaces


def digest_of(group: Group) -> Tensor:
    """SHA-256 of the group's description, byte by byte."""
    return torch.tensor(_digest(group), dtype=torch.uint8)


def facts_of(S: GroupSample) -> Tensor:
    """Calls, origin and hash of S as the bytes of a JSON text."""
    facts = {"calls": S.calls, "origin": asdict(S.origin), "sha256": S.sha256}
    text = json.dumps(facts).encode()
    # torch.distributed.checkpoint fills tensors in place: those of most S have one length
    return torch.tensor(list(text.ljust(-(-len(text) // _LENGTH) * _LENGTH)), dtype=torch.uint8)


def require_as_sharded(module: nn.Module, state_dict: Mapping[str, Any]) -> None:
    """Raise an `ArgumentError` where parameters of just one of them are spread over ranks."""
    for name, parameter in module.named_parameters():
        found = state_dict.get(name)
        if not isinstance(found, Tensor) or is_sharded(found) == is_sharded(parameter):
            continue
        whole = "options=StateDictOptions(full_state_dict=True))"
        where = "of torch.distributed.checkpoint.state_dict"
        if is_sharded(parameter):
            raise ArgumentError(
                f"state_dict[{name!r}] is a whole tensor, but that of the module is spread over "
                f"ranks; load it by set_model_state_dict(module, state_dict, {whole} {where}."
            )
        raise ArgumentError(
            f"state_dict[{name!r}] is spread over ranks, but that of the module is not; save "
            f"whole tensors, by get_model_state_dict(module, {whole} {where}."
        )


def kept_rows(rows: Rows) -> Tensor:
    """Rows as a tensor of int64: of float64 the bits, which no change of precision may touch."""
    return torch.tensor(rows.view(np.int64))


def rows_in(elements: Tensor, group: Group) -> Rows:
    """The rows of a tensor that `kept_rows` made."""
    return elements.cpu().numpy().view(group.row_dtype)


def sample_in(state_dict: Mapping[str, Any], prefix: str, group: Group) -> GroupSample:
    """The S under this prefix, or an `ArgumentError` unless it is of this group."""
    key, digest, extra = f"{prefix}elements", f"{prefix}group_digest", f"{prefix}{EXTRA}"
    rows = _entry(state_dict, key)
    # not with the buffer: that one is empty where the module was made without memory
    if digest in state_dict and _entry(state_dict, digest).tolist() != _digest(group):
        raise ArgumentError(
            f"state_dict has an S of another group than {group.name} under {key!r}; "
            "build the action and S with the group it was saved with."
        )
    try:
        S = GroupSample(group, rows.view(group.row_dtype) if rows.dtype == np.int64 else rows)
    except SparseAugError as error:
        raise ArgumentError(
            f"state_dict has no S of {group.name} under {key!r}: {error}"
        ) from error
    return S if extra not in state_dict else _with_facts(S, _entry(state_dict, extra), extra)


def _entry(state_dict: Mapping[str, Any], key: str) -> NDArray[Any]:
    """A tensor of a state dict as an array."""
    try:
        if isinstance(state_dict[key], Tensor):
            return as_numpy(state_dict[key])
    except (TypeError, RuntimeError):  # sparse, or without memory
        pass
    raise ArgumentError(
        f"state_dict[{key!r}]={shorten(state_dict[key])} is not a dense tensor; give what "
        "state_dict returned."
    )


def _with_facts(S: GroupSample, text: NDArray[Any], key: str) -> GroupSample:
    """S with the calls and the origin that `get_extra_state` wrote; its hash is checked."""
    remedy = "give what state_dict returned."
    try:
        facts = parse_json(text.tobytes()) if text.dtype == np.uint8 else None
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"state_dict[{key!r}] is not JSON: {error}; {remedy}") from error
    if not isinstance(facts, dict) or set(facts) != {"calls", "origin", "sha256"}:
        raise ArgumentError(f"state_dict[{key!r}] does not hold the facts of an S; {remedy}")
    try:
        known = GroupSample(S.group, S.elements, facts["calls"], Origin.from_dict(facts["origin"]))
    except SparseAugError as error:
        raise ArgumentError(f"state_dict[{key!r}] does not fit: {error}") from error
    if known.sha256 != facts["sha256"]:
        raise ArgumentError(
            f"state_dict[{key!r}] is of another S than its elements; {remedy} Without this key the "
            "elements are taken as given ones."
        )
    return known


def _digest(group: Group) -> list[int]:
    """SHA-256 of the group's description, byte by byte."""
    return list(bytes.fromhex(group_sha256(group)))
