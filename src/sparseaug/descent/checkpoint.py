"""Stop anywhere, resume to the same bits: the state of a run in one archive, replaced whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from array_api_compat import is_torch_array
from numpy.typing import NDArray

from sparseaug._archive import load_archive, require, save_archive
from sparseaug._checks import check_integer, check_real
from sparseaug._io import check_path
from sparseaug.actions.arrays import as_numpy
from sparseaug.descent.trace import COLUMNS
from sparseaug.errors import ArgumentError, FileFormatError, shorten, shorten_text

SCHEMA = "sparseaug.Checkpoint/3"

_NUMBERS = ("step", "best_step", "best_norm", "clipped")  # of a state


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
        path = check_path("checkpoint", self.path)
        if not path.name or not path.parent.is_dir():
            given = f"checkpoint={shorten(str(path))}"
            raise ArgumentError(f"{given} is not a path to a file in a folder that exists.")
        object.__setattr__(self, "path", path)
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
        facts = {name: getattr(state, name) for name in _NUMBERS}
        trace = {**state.columns, "calls": [hex(calls) for calls in state.columns["calls"]]}
        facts |= {"run": dict(self.identity), "trace": trace}  # calls may be of any length
        arrays = {"theta": np.array(as_numpy(state.theta)), "best": np.array(as_numpy(state.best))}
        save_archive(self.path, SCHEMA, arrays, facts)

    def restore(self, state: Any) -> bool:
        """Put back the state that was kept; False if none was, an error if it is another run's."""
        if not os.path.lexists(self.path):
            return False
        arrays, facts = load_archive(self.path, SCHEMA)
        here = self.identity
        kept: Any = facts.get("run")
        require(isinstance(kept, dict), self.path, "it does not say what run it is of")
        changed = [
            f"{shorten_text(name)} ({_show(kept.get(name))} there, {_show(here.get(name))} here)"
            for name in dict.fromkeys([*here, *kept])
            if kept.get(name) != here.get(name)
        ]
        if changed:
            other = f"the checkpoint of another run: other {', '.join(changed)}"
            raise FileFormatError(f"{self.path} is {other}; give another path, or remove it.")
        try:
            self._put_back(state, arrays, facts)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise FileFormatError(f"{self.path} is damaged: {shorten_text(str(error))}") from error
        return True

    def _put_back(self, state: Any, arrays: Mapping[str, NDArray[Any]], facts: Any) -> None:
        """What was kept, each number in its range: a file with a right checksum may hold anything."""
        start = np.asarray(as_numpy(state.theta))
        for array in (arrays["theta"], arrays["best"]):
            fits = array.dtype == start.dtype and array.shape == start.shape
            if not (fits and np.isfinite(array).all()) or len(arrays) > 2:
                raise ValueError(f"it needs 'theta' and 'best', finite, of shape {start.shape}")
        trace = facts["trace"]
        for step in (facts["step"], *trace["step"]):
            check_integer("step", step, below=self.num_steps + 1)
        for norm in (facts["best_norm"], *trace["gradient_norm"]):
            check_real("gradient_norm", norm)
        trace["calls"] = [int(str.lower(calls), 16) for calls in trace["calls"]]
        if len({len(trace[name]) for name in COLUMNS}) != 1 or not trace["step"]:
            raise ValueError("its trace is ragged or empty")
        check_integer("best_step", facts["best_step"], below=facts["step"] + 1)
        check_integer("clipped", facts["clipped"], below=facts["step"] * start.size + 1)
        for name in _NUMBERS:
            setattr(state, name, facts[name])
        state.theta, state.best = (like(state.theta, arrays[name]) for name in ("theta", "best"))
        state.columns = {name: trace[name] for name in COLUMNS}


def _show(text: Any) -> str:
    """A hash by its first digits, other texts as they are."""
    if text is None:
        return "none"
    text = str(text)
    return text[:12] if len(text) == 64 else shorten_text(text)


def like(theta: Any, array: Any) -> Any:
    """A NumPy array as theta's library, type and device have it."""
    if is_torch_array(theta):
        return theta.new_tensor(array)
    if isinstance(theta, np.ndarray):
        return array.astype(theta.dtype, copy=False)
    return theta.__array_namespace__().asarray(array, dtype=theta.dtype)
