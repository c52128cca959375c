"""Stop anywhere, resume to the same bits: the state of a run in one archive, replaced whole."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from array_api_compat import is_torch_array
from numpy.typing import NDArray

from sparseaug._archive import load_archive, require, save_archive
from sparseaug._checks import check_integer, check_type
from sparseaug.actions.arrays import as_numpy
from sparseaug.descent.trace import COLUMNS
from sparseaug.errors import ArgumentError, FileFormatError, shorten, shorten_text

SCHEMA = "sparseaug.Checkpoint/3"


@final
@dataclass(frozen=True)
class Checkpoint:
    """A file that keeps the state of a run, for `descend(checkpoint=)`.

    Args:
        path: of the file, in an existing folder
        every: steps between two writes; the last step is kept too

    Examples:
        >>> import sparseaug as sa
        >>> sa.descent.Checkpoint("run.safetensors", every=20).every
        20
    """

    path: str | os.PathLike[str]
    every: int = 100

    def __post_init__(self) -> None:
        path = os.fspath(
            check_type("checkpoint", self.path, (str, os.PathLike), "a path to a file")
        )
        if not isinstance(path, str) or not Path(path).name or "\0" in path:
            raise ArgumentError(f"checkpoint={shorten(path)} is not a path to a file.")
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise ArgumentError(
                f"checkpoint={shorten(path)} is in a folder that does not exist; create it first."
            )
        object.__setattr__(self, "path", Path(path))
        object.__setattr__(self, "every", check_integer("every", self.every, at_least=1))


@final
@dataclass(frozen=True)
class RunFile:
    """The file of one run, which knows what run it is."""

    path: Path
    every: int
    num_steps: int
    identity: Mapping[str, str]

    def save(self, state: Any) -> None:
        """Keep the state, if its step is one to keep."""
        if state.step % self.every and state.step != self.num_steps:
            return
        trace = dict(state.recorder.columns)
        trace["calls"] = list(map(hex, trace["calls"]))  # the order of a group has any length
        facts = {
            "run": dict(self.identity),
            "step": state.step,
            "best_step": state.best_step,
            "best_norm": state.best_norm,
            "clipped": state.clipped,
            "trace": trace,
        }
        arrays = {"theta": np.array(as_numpy(state.theta)), "best": np.array(as_numpy(state.best))}
        save_archive(self.path, SCHEMA, arrays, facts)

    def restore(self, state: Any) -> bool:
        """Put back the state that was kept; False if none was, an error if it is another run's."""
        if not os.path.lexists(self.path):
            return False
        arrays, facts = load_archive(self.path, SCHEMA)
        kept: Any = facts.get("run")
        require(isinstance(kept, dict), self.path, "it does not say what run it is of")
        self._require_same(kept)
        self._require_whole(state, arrays, facts)
        state.theta, state.best = (like(state.theta, arrays[name]) for name in ("theta", "best"))
        state.step, state.best_step = facts["step"], facts["best_step"]
        state.best_norm, state.clipped = facts["best_norm"], facts["clipped"]
        columns = facts["trace"]
        columns["calls"] = [int(calls, 16) for calls in columns["calls"]]
        state.recorder.columns = columns
        return True

    def _require_same(self, kept: dict[str, Any]) -> None:
        here = self.identity
        changed = [
            f"{shorten_text(name)} ({_show(kept.get(name))} there, {_show(here.get(name))} here)"
            for name in dict.fromkeys([*here, *kept])
            if kept.get(name) != here.get(name)
        ]
        if changed:
            raise FileFormatError(
                f"{self.path} is the checkpoint of another run: other {', '.join(changed)}; give "
                "another path, or remove it to start again."
            )

    def _require_whole(
        self, state: Any, arrays: Mapping[str, NDArray[Any]], facts: dict[str, Any]
    ) -> None:
        """A file with a right checksum may still hold anything."""
        start = np.asarray(as_numpy(state.theta))
        right = set(arrays) == {"theta", "best"} and all(
            array.dtype == start.dtype and array.shape == start.shape and np.isfinite(array).all()
            for array in arrays.values()
        )
        require(right, self.path, f"it needs 'theta' and 'best', finite, of shape {start.shape}")
        names = ("step", "best_step", "best_norm", "clipped", "trace")
        facts = {**dict.fromkeys(names), **facts}
        step, best, norm, clipped, trace = (facts[name] for name in names)
        right = _is_step(step, self.num_steps) and _is_step(best, step) and _is_number(norm)
        right = right and _is_step(clipped, step * start.size)
        require(right, self.path, "its steps, gradient norm or clipped entries are out of range")
        right = isinstance(trace, dict) and set(trace) == set(COLUMNS)
        right = right and all(isinstance(column, list) and column for column in trace.values())
        right = right and len({len(column) for column in trace.values()}) == 1
        right = right and all(_is_step(value, self.num_steps) for value in trace["step"])
        right = right and all(map(_is_number, trace["gradient_norm"]))
        right = right and all(map(_is_hex, trace["calls"]))
        require(right, self.path, "its trace is not one")


def _show(text: Any) -> str:
    """A hash by its first digits, other texts as they are."""
    if text is None:
        return "none"
    text = str(text)
    return text[:12] if len(text) == 64 else shorten_text(text)


def _is_step(value: Any, last: Any) -> bool:
    return type(value) is int and 0 <= value <= last


def _is_number(value: Any) -> bool:
    return (type(value) is int and abs(value) < 1 << 63) or (
        type(value) is float and math.isfinite(value)
    )


def _is_hex(value: Any) -> bool:
    try:
        return isinstance(value, str) and int(value, 16) >= 0
    except ValueError:
        return False


def like(theta: Any, array: Any) -> Any:
    """A NumPy array as theta's library, type and device have it."""
    if is_torch_array(theta):
        return theta.new_tensor(array)
    if isinstance(theta, np.ndarray):
        return array.astype(theta.dtype, copy=False)
    return theta.__array_namespace__().asarray(array, dtype=theta.dtype)
