"""The files of an experiment: each is whole or absent, and what another config left is refused.

config.json                      what is run, written first
seeds/seed-K-METHOD.safetensors  a finished run: the columns of results.json, theta at each of them
replay/seed-K.safetensors        all random numbers of a seed
results.json                     put together from the parts, the same bytes each time
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.archive import load_archive, save_archive
from sparseaug.errors import ArgumentError, FileFormatError, StorageError, shorten
from sparseaug.experiments.config import Config
from sparseaug.storage import read_bytes, write_atomic

COLUMNS = ("train_risk", "test_risk", "gradient_norm", "identity_test_risk")
"""Per-seed lists in results.json."""

_PART = "sparseaug.experiments.Part/1"
_REPLAY = "sparseaug.experiments.Replay/1"

Arrays = dict[str, NDArray[Any]]


@final
@dataclass(frozen=True, eq=False)
class Part:
    """One method of one seed: oracle calls, seconds, and columns with one entry an evaluation."""

    calls: int
    seconds: float
    arrays: Arrays = field(repr=False)


@final
@dataclass(frozen=True)
class Count:
    """How much is finished: seeds, methods over all seeds, certificates over all seeds."""

    seeds: int
    methods: int
    certificates: int


@final
@dataclass(frozen=True)
class Folder:
    """The folder of one experiment."""

    path: Path
    config: Config

    def open(self) -> None:
        """Make the folder this config's own, or refuse: nothing of another config is touched."""
        try:
            for name in ("config.json", "results.json"):
                if (self.path / name).exists():
                    self._require_same(name)
            for folder in (self.path, self.path / "seeds", self.path / "replay"):
                folder.mkdir(parents=True, exist_ok=True)
        except StorageError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            reason = getattr(error, "strerror", None) or error
            raise StorageError(
                f"folder {shorten(str(self.path))} cannot be used: {reason}; give one you may write to."
            ) from error
        if not (self.path / "config.json").exists():
            write_atomic(self.path / "config.json", _json(self.config.to_dict()))

    @staticmethod
    def certificate(method: str) -> str:
        """Name of the part with the bounds of a method's run."""
        return f"{method}-certificate"

    def part_path(self, seed: int, name: str) -> Path:
        """Where a part is kept; `name` is a method, or the `certificate` of one."""
        return self.path / "seeds" / f"seed-{seed}-{name}.safetensors"

    def has(self, seed: int, name: str) -> bool:
        """Whether the part is there."""
        return self.part_path(seed, name).exists()

    def count(self) -> Count:
        """What is there already."""
        seeds, methods = range(self.config.seeds), self.config.methods
        done = [sum(self.has(seed, method) for method in methods) for seed in seeds]
        bounds = [self.has(seed, self.certificate(m)) for seed in seeds for m in methods]
        return Count(done.count(len(methods)), sum(done), sum(bounds))

    def check(self) -> None:
        """Read every part that is there, so that a damaged one is met before the work."""
        methods = self.config.methods
        for seed in range(self.config.seeds):
            for name in (*methods, *map(self.certificate, methods)):
                if self.has(seed, name):
                    self.load_part(seed, name)

    def save_part(self, seed: int, name: str, part: Part) -> None:
        """Keep a finished part."""
        facts = {**self._key(seed, name), "calls": part.calls, "seconds": part.seconds}
        save_archive(self.part_path(seed, name), _PART, part.arrays, facts)

    def load_part(self, seed: int, name: str) -> Part:
        """Read a part; a damaged or foreign one is an error that names the file."""
        path = self.part_path(seed, name)
        arrays, facts = _load(path, _PART)
        if {key: facts.get(key) for key in ("config", "seed", "name")} != self._key(seed, name):
            raise FileFormatError(
                f"{path} belongs to another experiment, seed or method; remove it to have it made "
                "again."
            )
        return Part(int(facts["calls"]), float(facts["seconds"]), arrays)

    def save_replay(self, seed: int, arrays: Arrays) -> None:
        """Keep a seed's random numbers; a file that is there must hold the same."""
        path = self.path / "replay" / f"seed-{seed}.safetensors"
        if not path.exists():
            facts = {"config": self.config.to_dict(), "seed": seed}
            save_archive(path, _REPLAY, arrays, facts)
            return
        there, _ = _load(path, _REPLAY)
        same = there.keys() == arrays.keys() and all(
            np.array_equal(there[name], arrays[name]) for name in arrays
        )
        if not same:
            raise FileFormatError(
                f"{path} holds other random numbers than this version draws; give another folder."
            )

    def assemble(self) -> dict[str, Any]:
        """results.json from all parts: config, the methods, and certificates if there are any."""
        seeds = range(self.config.seeds)
        results: dict[str, Any] = {"config": self.config.to_dict()}
        for method in self.config.methods:
            parts = [self.load_part(seed, method) for seed in seeds]
            results[method] = {
                "oracle_calls": parts[0].calls,
                "step": parts[0].arrays["step"].tolist(),
                **{name: [part.arrays[name].tolist() for part in parts] for name in COLUMNS},
            }
        bounds = {m: self._certificates(m) for m in self.config.methods if self._certified(m)}
        if bounds:
            results["certificates"] = bounds
        write_atomic(self.path / "results.json", _json(results))
        return results

    def _certified(self, method: str) -> bool:
        seeds = range(self.config.seeds)
        return all(self.has(seed, self.certificate(method)) for seed in seeds)

    def _certificates(self, method: str) -> dict[str, Any]:
        seeds = range(self.config.seeds)
        parts = [self.load_part(seed, self.certificate(method)).arrays for seed in seeds]
        return {name: [part[name].tolist() for part in parts] for name in sorted(parts[0])}

    def _key(self, seed: int, name: str) -> dict[str, Any]:
        return {"config": self.config.to_dict(), "seed": seed, "name": name}

    def _require_same(self, name: str) -> None:
        path = self.path / name
        try:
            there = json.loads(read_bytes(path))
            there = there["config"] if name == "results.json" else there
            differences = self.config.differences(there)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FileFormatError(
                f"{path} is damaged or not ours; remove it or give another folder."
            ) from error
        if differences:
            raise ArgumentError(
                f"{self.path} holds an experiment of another config ({'; '.join(differences)}); "
                "give another folder, or remove that one."
            )


def _load(path: Path, schema: str) -> tuple[Arrays, dict[str, Any]]:
    try:
        return load_archive(path, schema)
    except FileFormatError as error:
        raise FileFormatError(f"{error} Remove {os.fspath(path)} to have it made again.") from error


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, allow_nan=False) + "\n").encode()
