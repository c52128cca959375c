"""Stop anywhere, resume to the same bits: the state of a run in one archive, replaced whole.

What the iterates of a run depend on, by name: a checkpoint belongs to one run and to no other.

A risk says itself what it depends on (`identity`). All rates of the schedule count. A projection counts
by its repr, such as Box(width=3.0); a plain function by its qualified name, whatever is in it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from array_api_compat import is_torch_array
from numpy.typing import NDArray

from sparseaug._archive import load_archive, require, save_archive
from sparseaug._checks import check_integer
from sparseaug.actions.arrays import as_numpy
from sparseaug.descent.state import COLUMNS
from sparseaug.errors import ArgumentError, FileFormatError, StorageError, shorten, shorten_text
from sparseaug.risk.identity import sha256_of

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
        given = f"checkpoint={shorten(self.path)}"
        text = os.fspath(self.path) if isinstance(self.path, str | os.PathLike) else None
        if not isinstance(text, str) or "\0" in text or not Path(text).name:
            raise ArgumentError(f"{given} is not a path to a file.")
        try:
            there = Path(text).parent.is_dir()
        except OSError as error:
            raise StorageError(f"{given} cannot be used: {error}.") from error
        if not there:
            raise ArgumentError(f"{given} is in a folder that does not exist.")
        object.__setattr__(self, "path", Path(text))
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
        step, best, norm = (facts.get(name) for name in ("step", "best_step", "best_norm"))
        right = _is_step(step, self.num_steps) and _is_step(best, step) and _is_number(norm)
        require(right, self.path, "its steps or its gradient norm are out of range")
        most = (step or 0) * start.size
        require(
            _is_step(facts.get("clipped"), most), self.path, "its clipped entries are not a count"
        )
        trace: Any = facts.get("trace")
        right = isinstance(trace, dict) and set(trace) == set(COLUMNS)
        right = right and all(isinstance(column, list) and column for column in trace.values())
        right = right and len({len(column) for column in trace.values()}) == 1
        right = right and all(map(_is_hex, trace["calls"]))
        right = right and all(
            _is_number(value) for name in trace if name != "calls" for value in trace[name]
        )
        right = right and all(_is_step(value, self.num_steps) for value in trace["step"])
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


MOST_RATES = 1 << 18
"""Steps whose rates are all looked at, in less than a second; of longer runs so many, evenly spread."""


def run_identity(
    risk: Any,
    theta0: Any,
    rate: Callable[[int], float],
    num_steps: int,
    project: Callable[[Any], Any] | None,
    eval_every: int,
) -> dict[str, str]:
    """Everything that decides the iterates, as short texts."""
    return {
        **_of_risk(risk),
        "theta0": sha256_of(theta0),
        "step_size": _rates(rate, num_steps),
        "num_steps": str(num_steps),
        "project": _name(project),
        "eval_every": str(eval_every),
    }


def like(theta: Any, array: Any) -> Any:
    """A NumPy array as theta's library, type and device have it."""
    if is_torch_array(theta):
        return theta.new_tensor(array)
    if isinstance(theta, np.ndarray):
        return array.astype(theta.dtype, copy=False)
    return theta.__array_namespace__().asarray(array, dtype=theta.dtype)


def _of_risk(risk: Any) -> dict[str, str]:
    identity = getattr(risk, "identity", None)
    if not callable(identity):
        raise ArgumentError(
            f"risk={shorten(risk)} does not say what it depends on, so that a checkpoint of another run "
            "could not be recognised; give it identity(), a dict of names and texts, or leave out "
            "checkpoint=."
        )
    found = identity()
    texts = isinstance(found, Mapping) and all(
        isinstance(text, str) for pair in found.items() for text in pair
    )
    if not texts:
        raise ArgumentError(f"risk.identity() is {shorten(found)}; give a dict of names and texts.")
    return dict(found)


def _rates(rate: Callable[[int], float], num_steps: int) -> str:
    """The one rate of all steps, or a hash of them."""
    count = min(num_steps, MOST_RATES)
    steps = (i * (num_steps - 1) // max(1, count - 1) for i in range(count))
    rates = np.array([rate(step) for step in steps])
    return repr(float(rates[0])) if (rates == rates[0]).all() else sha256_of(rates)


def _name(project: Any) -> str:
    """What an object says of itself; where that is only where it lies in memory, its full name."""
    text = repr(project)
    if " at 0x" not in text:
        return text
    named = project if hasattr(project, "__qualname__") else type(project)
    return f"{named.__module__}.{named.__qualname__}"
