"""What saved states hold, and how one of another run is told: S, settings, and what a risk depends on.

S in a state dict of torch: under a prefix stand `elements`, the rows; `group_digest`, since rows alone
do not tell C4 from C8; and torch's extra state: calls, origin and hash. All are tensors, so that any
format saves them.

The state of a loader or a data set is plain data; its "settings" decide what it continues.

For the checkpoints of `descend`: theta holds the parameters that train; frozen ones and buffers count by
their values, the module by its printed structure, the loss by its name and its buffers. Code inside
`forward` is not looked at.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparseaug._archive import canonical_json, parse_json
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy
from sparseaug.errors import ArgumentError, SparseAugError, shorten
from sparseaug.groups import Distribution, Rows
from sparseaug.risk.identity import action_sha256, problem_facts, sha256_of
from sparseaug.sampling import GroupSample
from sparseaug.sampling.origin import Origin

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

_REMEDY = "give what state_dict returned"
EXTRA = "_extra_state"  # torch's name for what is neither parameter nor buffer
_LENGTH = 1024  # of the text of facts, or a multiple of it: JSON may end with spaces


def group_sha256(group: Distribution) -> str:
    """SHA-256 of the group's description."""
    return hashlib.sha256(canonical_json(group.to_dict())).hexdigest()


def digest_of(group: Distribution) -> Tensor:
    """The same, byte by byte."""
    return torch.tensor(list(bytes.fromhex(group_sha256(group))), dtype=torch.uint8)


def facts_of(S: GroupSample) -> Tensor:
    """Calls, origin and hash of S as the bytes of a JSON text."""
    facts = {"calls": S.calls, "origin": dataclasses.asdict(S.origin), "sha256": S.sha256}
    text = json.dumps(facts).encode()
    # torch.distributed.checkpoint fills tensors in place: those of most S have one length
    return torch.tensor(list(text.ljust(-(-len(text) // _LENGTH) * _LENGTH)), dtype=torch.uint8)


def kept_rows(rows: Rows) -> Tensor:
    """Rows as a tensor of int64: of float64 the bits, which no change of precision may touch."""
    return torch.tensor(rows.view(np.int64))


def rows_in(elements: Tensor, group: Distribution) -> Rows:
    """The rows of a tensor that `kept_rows` made."""
    return elements.cpu().numpy().view(group.row_dtype)


def sample_in(state_dict: Mapping[str, Any], prefix: str, group: Distribution) -> GroupSample:
    """The S under this prefix, or an `ArgumentError` unless it is whole and of this group."""
    names = "elements", "group_digest", EXTRA
    rows, digest, text = (_entry(state_dict, prefix + name) for name in names)
    key, extra = f"{prefix}elements", f"{prefix}{EXTRA}"
    if digest.tolist() != digest_of(group).tolist():
        raise ArgumentError(
            f"state_dict has an S of another group than {group.name} under {key!r}; "
            "build the action and S with the group it was saved with."
        )
    try:
        facts = parse_json(text.tobytes()) if text.dtype == np.uint8 else None
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"state_dict[{extra!r}] is not JSON: {error}; {_REMEDY}.") from error
    if not isinstance(facts, dict) or set(facts) != {"calls", "origin", "sha256"}:
        raise ArgumentError(f"state_dict[{extra!r}] does not hold the facts of an S; {_REMEDY}.")
    try:
        rows = rows.view(group.row_dtype) if rows.dtype == np.int64 else rows
        S = GroupSample(group, rows, facts["calls"], Origin.from_dict(facts["origin"]))
    except SparseAugError as error:
        raise ArgumentError(
            f"state_dict has no S of {group.name} under {key!r}: {error}"
        ) from error
    if S.sha256 != facts["sha256"]:
        raise ArgumentError(f"state_dict[{extra!r}] is of another S than its elements; {_REMEDY}.")
    return S


def _entry(state_dict: Mapping[str, Any], key: str) -> NDArray[Any]:
    """A tensor of a state dict as an array."""
    try:
        if isinstance(state_dict.get(key), Tensor):
            return as_numpy(state_dict[key])
    except (TypeError, RuntimeError):  # sparse, or without memory
        pass
    raise ArgumentError(
        f"state_dict[{key!r}]={shorten(state_dict.get(key))} is not a dense tensor; {_REMEDY}."
    )


def check_state(state: Any, names: Iterable[str], settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """`state`, or an `ArgumentError` unless it has just these names and these settings, plain values."""
    _require_keys("state", state, [*names, "settings"])
    saved = state["settings"]
    _require_keys('state["settings"]', saved, settings)
    for name, value in settings.items():
        if type(saved[name]) is not type(value) or saved[name] != value:
            raise ArgumentError(
                f"state is of another run: it has {name}={shorten(saved[name])}, but this one has "
                f"{name}={shorten(value)}; load it where everything is made with the same arguments."
            )
    return state


def _require_keys(name: str, given: Any, wanted: Iterable[str]) -> None:
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{name}={shorten(given)} is not a mapping; {_REMEDY}.")
    missing = [key for key in wanted if key not in given]
    others = [key for key in given if key not in wanted]
    if missing or others:
        raise ArgumentError(
            f"{name} lacks {shorten(missing)} and has {shorten(others)} besides; {_REMEDY}."
        )


def describe_action(value: Any) -> str:
    """What an action does, as text that is the same in every process.

    Type and fields, as far as they are plain data; of a function its name alone, and of a group its
    name, since a sample's hash tells which one it is.
    """
    if isinstance(value, Distribution):
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


def module_risk_identity(risk: ModuleRisk, S: str) -> dict[str, str]:
    """What a risk over S depends on; `S` is a sha256, "full", "none", or where draws come from."""
    x, y = risk.data
    moves = "none" if risk.y_action is None else action_sha256(risk.y_action, y)
    return {
        "module": _module_sha256(risk.module),
        "loss": _name(risk.loss),
        **dict(problem_facts(x, y, risk.action, S)),
        "y_action": moves,
    }


def _module_sha256(module: nn.Module) -> str:
    structure = [_without_addresses(repr(module))]
    for name, parameter in module.named_parameters():
        kind = "trained" if parameter.requires_grad else sha256_of(parameter)
        structure.append(f"{name} {tuple(parameter.shape)} {parameter.dtype} {kind}")
    return sha256_of(*structure, dict(module.named_buffers()))


def _name(loss: Any) -> str:
    if isinstance(loss, nn.Module):
        return f"{_without_addresses(repr(loss))} {sha256_of(dict(loss.named_buffers()))[:12]}"
    if isinstance(loss, functools.partial):
        return f"partial({_name(loss.func)}, {loss.args}, {loss.keywords})"
    named = loss if hasattr(loss, "__qualname__") else type(loss)
    return f"{named.__module__}.{named.__qualname__}"


def _without_addresses(text: str) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", text)
