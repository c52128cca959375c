"""What a risk depends on, by name and hash: how a checkpoint or a certificate tells another problem.

An identity is a dict of short texts. Data count by their entries, S by its sha256, and where bits count
by the order of its rows too, in which sums are made. An action counts by its group and by what it does:
some fixed elements move some of the samples, and the result is hashed. So a user's own function is known
by its effect there, and not elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sparseaug._archive import canonical_json
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy
from sparseaug.sampling import GroupSample, keyed_rng

_SOME = 16  # elements, and samples, by which an action is recognised


def sha256_of(*parts: Any) -> str:
    """SHA-256 of arrays (or tuples and dicts of them) with their types and shapes, and of texts."""
    digest = hashlib.sha256()
    for part in _leaves(parts):
        if isinstance(part, str):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(f"text {len(data)}\n".encode() + data)
        else:
            array = np.ascontiguousarray(as_numpy(part)).reshape(-1)
            digest.update(f"{part.dtype} {tuple(part.shape)}\n".encode())
            plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
            digest.update(plain.view(np.uint8).data)
    return digest.hexdigest()


def problem_facts(x: Any, y: Any, action: Action, S: GroupSample | str) -> dict[str, str]:
    """Inputs, targets, action and S, which may also be a word such as "full"."""
    return {
        "S": S.sha256 if isinstance(S, GroupSample) else S,
        "inputs": sha256_of(x),
        "targets": sha256_of(y),
        "action": action_sha256(action, x),
    }


def order_facts(S: Any) -> dict[str, str]:
    """The order of the rows of a sample, which decides the last bits of sums over it."""
    return {"order of S": sha256_of(S.elements)} if isinstance(S, GroupSample) else {}


def action_sha256(action: Action, x: Any) -> str:
    """SHA-256 of the group and of what some elements do to some of the samples."""
    group = action.distribution
    rows = group.sample(_SOME, keyed_rng(0, "identity of an action"))
    return sha256_of(canonical_json(group.to_dict()).decode(), action(rows, _some(x)))


def name_of(function: Any) -> str:
    """What an object says of itself; where that is only where it lies in memory, its full name."""
    text = repr(function)
    if " at 0x" not in text:
        return text
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def _some(x: Any) -> Any:
    """A few samples, from all over the data."""
    if isinstance(x, tuple):
        return tuple(map(_some, x))
    if isinstance(x, Mapping):
        return {name: _some(part) for name, part in x.items()}
    return x[:: max(1, len(x) // _SOME)][:_SOME]


def _leaves(parts: Any) -> Iterator[Any]:
    if isinstance(parts, tuple | list):
        for part in parts:
            yield from _leaves(part)
    elif isinstance(parts, Mapping):
        for name in sorted(parts):
            yield from (name, *_leaves(parts[name]))
    else:
        yield parts
