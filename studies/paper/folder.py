"""The files of an experiment: each is whole or absent, and what another config left is refused.

config.json                      what is run, written first
seeds/seed-K-METHOD.safetensors  a finished run: the columns of results.json, theta at each of them
replay/seed-K.safetensors        all random numbers of a seed
seeds/seed-K-designs.safetensors designs next to draws: where each run ends, and every S
results.json                     put together from the parts, the same bytes each time
designs.json                     the same, of designs and draws
timing.json                      how long it took, and with which versions
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from sparseaug._io import show_path
from sparseaug.errors import ConfigMismatchError, FileFormatError, SparseAugError, StorageError
from studies.paper.compared import KINDS, MEASURED, compared
from studies.paper.comparison import NAME as COMPARISON
from studies.paper.comparison import OF_FULL, Comparison, KindResult, SizeResult
from studies.paper.config import Config
from studies.paper.kinds import BOUNDS, FACTS
from studies.paper.parts import (
    CERTIFICATE,
    DESIGNS,
    Arrays,
    Part,
    load_part,
    save_part,
    save_replay,
)
from studies.paper.quantities import QUANTITIES
from studies.paper.results import CertificateResult, MethodResult, Results
from studies.sealed import load_json, save_json

_MOST_NAMED = 4  # differences from the config that is there


@final
@dataclass(frozen=True)
class Count:
    """How much is finished: seeds, and over all seeds methods, certificates, designs next to draws."""

    seeds: int
    methods: int
    certificates: int
    designs: int = 0


@final
@dataclass(frozen=True)
class Folder:
    """The folder of one experiment."""

    path: Path
    config: Config

    def open(self) -> None:
        """Make the folder this config's own, or refuse: nothing of another config is touched.

        The folder may be a link to one; in it, nothing that we write to may be a link.
        """
        with using(self.path):
            for name in (
                "config.json",
                "results.json",
                COMPARISON,
                "timing.json",
                "seeds",
                "replay",
            ):
                require_no_link(self.path / name)
            for name in ("config.json", "results.json"):
                if (self.path / name).exists():
                    self._require_same(name)
            if (self.path / "timing.json").exists():
                self._read("timing.json")
            for folder in (self.path, self.path / "seeds", self.path / "replay"):
                folder.mkdir(parents=True, exist_ok=True)
        if not (self.path / "config.json").exists():
            save_json(self.path / "config.json", self.config.to_dict(), follow=False)

    @staticmethod
    def certificate(method: str) -> str:
        """Name of the part with the bounds of a method's run."""
        return method + CERTIFICATE

    def part_path(self, seed: int, name: str) -> Path:
        """Where a part is kept; `name` is a method, or the `certificate` of one."""
        return self.path / "seeds" / f"seed-{seed}-{name}.safetensors"

    def has(self, seed: int, name: str) -> bool:
        """Whether the part is there."""
        return self.part_path(seed, name).exists()

    def count(self) -> Count:
        """What is done already."""
        seeds, methods = range(self.config.seeds), self.config.methods
        done = [sum(self.has(seed, method) for method in methods) for seed in seeds]
        bounds = [self.has(seed, self.certificate(m)) for seed in seeds for m in methods]
        designs = sum(self.has(seed, DESIGNS) for seed in seeds)
        return Count(done.count(len(methods)), sum(done), sum(bounds), designs)

    def check(self) -> None:
        """Read every part and designs.json, if there, so that damage is met before the work."""
        methods = self.config.methods
        for seed in range(self.config.seeds):
            for name in (*methods, *map(self.certificate, methods), DESIGNS):
                if self.has(seed, name):
                    self.load_part(seed, name)
        if (self.path / COMPARISON).exists():
            self._require_same(COMPARISON)

    def save_part(self, seed: int, name: str, part: Part) -> None:
        """Keep a finished part."""
        save_part(self.part_path(seed, name), self._key(seed, name), part)

    def load_part(self, seed: int, name: str) -> Part:
        """Read a part; a damaged or foreign one is an error that names the file."""
        return load_part(self.part_path(seed, name), self._key(seed, name), self.config)

    def save_replay(self, seed: int, arrays: Arrays) -> None:
        """Keep a seed's random numbers; a file that is there must hold the same."""
        path = self.path / "replay" / f"seed-{seed}.safetensors"
        save_replay(path, {"config": self.config.to_dict(), "seed": seed}, arrays)

    def assemble(self) -> Results:
        """Write results.json from all parts, and return what is in it."""
        names = self.config.methods
        bounds = {name: self._certified(name) for name in names if self._is_certified(name)}
        results = Results(self.config.to_dict(), {name: self._run(name) for name in names}, bounds)
        save_json(self.path / "results.json", results.to_dict(), follow=False)
        return results

    def assemble_designs(self) -> Comparison | None:
        """Write designs.json, and return what is in it; None where nothing was compared."""
        sizes = compared(self.config.group_size)
        if not sizes:
            return None
        full, parts = self._run("full"), self._parts(DESIGNS)
        found = []
        for i, size in enumerate(sizes):
            kinds = {}
            for kind in KINDS:
                ends = {
                    name: np.stack([p.arrays[f"{kind}_{name}"][i] for p in parts])
                    for name in MEASURED
                }
                kinds[kind] = KindResult(int(parts[0].arrays[f"{kind}_calls"][i]), ends)
            found.append(SizeResult(size.m, size.label, kinds))
        levels = {name: full.last(name) for name in OF_FULL}
        table = Comparison(self.config.to_dict(), levels, full.oracle_calls, tuple(found))
        save_json(self.path / COMPARISON, table.to_dict(), follow=False)
        return table

    def _run(self, method: str) -> MethodResult:
        parts = self._parts(method)
        curves = _stacked(parts, [each.name for each in QUANTITIES])
        clipped = np.array([part.arrays["clipped"] for part in parts])
        return MethodResult(method, parts[0].calls, parts[0].arrays["step"], curves, clipped)

    def _certified(self, method: str) -> CertificateResult:
        parts = self._parts(self.certificate(method))
        return CertificateResult(_stacked(parts, [each.name for each in (*BOUNDS, *FACTS)]))

    def _is_certified(self, method: str) -> bool:
        return all(self.has(seed, self.certificate(method)) for seed in range(self.config.seeds))

    def _parts(self, name: str) -> list[Part]:
        return [self.load_part(seed, name) for seed in range(self.config.seeds)]

    def _key(self, seed: int, name: str) -> dict[str, Any]:
        return {"config": self.config.to_dict(), "seed": seed, "name": name}

    def _require_same(self, name: str) -> None:
        there = self._read(name)
        there = there if name == "config.json" else there.get("config")
        if not isinstance(there, dict):
            raise FileFormatError(
                f"{show_path(self.path / name)} has no config; remove it or give another folder."
            )
        if "study" in there:
            raise ConfigMismatchError(
                f"{show_path(self.path)} holds a study, not this experiment; give another folder."
            )
        differences = self.config.differences(there)
        if differences:
            more = len(differences) - _MOST_NAMED
            named = differences[:_MOST_NAMED] + [f"and {more} more"] * (more > 0)
            raise ConfigMismatchError(
                f"{show_path(self.path)} holds an experiment of another config "
                f"({'; '.join(named)}); give another folder, or remove that one."
            )

    def _read(self, name: str) -> Any:
        try:
            return load_json(self.path / name)
        except FileFormatError as error:
            raise FileFormatError(f"{error} Remove it or give another folder.") from error


@contextmanager
def using(folder: Path) -> Iterator[None]:
    """Turn what the system says of a folder that cannot be used into a `StorageError`."""
    try:
        yield
    except SparseAugError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise StorageError(
            f"folder {show_path(folder)} cannot be used: {reason}; give one you may write to."
        ) from error


def require_no_link(path: Path) -> None:
    """Raise a `StorageError` if `path` is a symbolic link, wherever it leads."""
    if path.is_symlink():
        raise StorageError(
            f"{show_path(path)} is a symbolic link, which is not written through; remove it or "
            "give another folder."
        )


def _stacked(parts: Sequence[Part], names: Iterable[str]) -> Arrays:
    return {name: np.stack([part.arrays[name] for part in parts]) for name in names}
