"""Stop anywhere, go on to the same bits: the state of a run in one archive, replaced whole."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from array_api_compat import is_torch_array

from sparseaug.archive import load_archive, save_archive
from sparseaug.errors import FileFormatError, check_integer

SCHEMA = "sparseaug.Checkpoint/1"


@final
@dataclass(frozen=True)
class Checkpoint:
    """Where the state of a run is kept, how often, and what run it is."""

    path: Path
    every: int
    facts: dict[str, Any]

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None,
        every: int,
        theta0: Any,
        **run: Any,
    ) -> Checkpoint | None:
        """The checkpoint at `path`, for the run that these facts tell apart; None without a path."""
        if path is None:
            return None
        start = _numpy(theta0)
        facts = {**run, "shape": list(start.shape), "start": start.tobytes().hex()}
        return cls(Path(path), check_integer("checkpoint_every", every, at_least=1), facts)

    def save(self, state: Any) -> None:
        """Keep the state, if its step is one to keep."""
        if state.step % self.every and state.step != self.facts["num_steps"]:
            return
        facts = {
            "run": self.facts,
            "step": state.step,
            "best_step": state.best_step,
            "best_norm": state.best_norm,
            "trace": state.recorder.columns,
        }
        arrays = {"theta": _numpy(state.theta), "best": _numpy(state.best)}
        save_archive(self.path, SCHEMA, arrays, facts)

    def restore(self, state: Any) -> bool:
        """Put back the state that was kept; False if none was, an error if it is another run's."""
        if not self.path.exists():
            return False
        arrays, facts = load_archive(self.path, SCHEMA)
        if facts.get("run") != self.facts:
            raise FileFormatError(
                f"{self.path} is the checkpoint of another run (other start, method, step size or "
                "length); give another path, or remove it to start again."
            )
        state.theta, state.best = (_like(state.theta, arrays[n]) for n in ("theta", "best"))
        state.step, state.best_step = facts["step"], facts["best_step"]
        state.best_norm = facts["best_norm"]
        state.recorder.columns = facts["trace"]
        return True


def _numpy(theta: Any) -> Any:
    return np.array(theta.detach().cpu().numpy() if is_torch_array(theta) else theta)


def _like(theta: Any, array: Any) -> Any:
    return theta.new_tensor(array) if is_torch_array(theta) else array
