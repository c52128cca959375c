"""results.json as one table: `Results.to_dict` writes it, `Results.from_dict` reads and checks it.

Each method has one array for each quantity, with one row per seed and one column per evaluation. Each
certified method has such an array for each bound, and one number per seed for each fact about S.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._io import check_path
from sparseaug.errors import shorten
from sparseaug.kernels.arrays import Floats
from studies.paper.checks import (
    LARGEST,
    config_of,
    count_of,
    expect,
    mapping_of,
    naming,
    numbers_of,
)
from studies.paper.kinds import BOUNDS, FACTS
from studies.paper.quantities import QUANTITIES, Quantity
from studies.sealed import load_json


@final
@dataclass(frozen=True, eq=False)
class MethodResult:
    """One method: its oracle calls and, by quantity, an array of shape (seeds, evaluations).

    `clipped` has the entries that the box changed, one number per seed; empty in files that lack it.
    """

    name: str
    oracle_calls: int
    step: NDArray[np.int64]
    curves: Mapping[str, Floats]
    clipped: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def calls(self) -> Floats:
        """Oracle calls made by each evaluation: streaming pays as it goes, the others at once."""
        if self.name != "streaming" or self.step[-1] == 0:
            return np.full(self.step.shape, float(self.oracle_calls))
        return np.asarray(self.oracle_calls * self.step / self.step[-1])

    def last(self, quantity: str) -> Floats:
        """The quantity at the end of the run, one number per seed."""
        return self.curves[quantity][:, -1]


@final
@dataclass(frozen=True, eq=False)
class CertificateResult:
    """What is certified of one method: by name the bounds (seeds, evaluations) and facts (seeds)."""

    values: Mapping[str, Floats]

    def compare(self, truth: Floats) -> tuple[int, int]:
        """How many of the bounds that are shown are at least the true norm, and of how many."""
        shown = [
            self.values[each.name] for each in BOUNDS if each.label and each.name in self.values
        ]
        return sum(int((rows >= truth).sum()) for rows in shown), truth.size * len(shown)

    def over_the_box(self, deviation: str) -> Floats | None:
        """A bound of the error at every theta of the box, of the largest found there, by seed."""
        needed = (deviation, "box-B", "box-error")
        if not all(name in self.values for name in needed):
            return None
        tau, B, error = (self.values[name] for name in needed)
        return np.asarray(tau * B / error)


@final
@dataclass(frozen=True, eq=False)
class Results:
    """The whole table; `config` is as in the file, `timing` and `versions` are those of timing.json.

    Args:
        config: the configuration, as in the file
        methods: what was measured, by method
        certificates: what was certified, by method
        timing: seconds, as in timing.json
        versions: of the libraries, as in timing.json
    """

    config: Mapping[str, Any]
    methods: Mapping[str, MethodResult]
    certificates: Mapping[str, CertificateResult]
    timing: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def num_seeds(self) -> int:
        """The number of seeds, the same for every method."""
        return len(next(iter(self.methods.values())).curves["test_risk"])

    @property
    def quantities(self) -> list[Quantity]:
        """The quantities that the table has: all of them, or those of the version that wrote it."""
        return _present([method.curves for method in self.methods.values()])

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON data, as it stands in results.json."""
        data: dict[str, Any] = {"config": dict(self.config)}
        for name, method in self.methods.items():
            data[name] = {
                "oracle_calls": method.oracle_calls,
                "step": method.step.tolist(),
                **{key: rows.tolist() for key, rows in method.curves.items()},
                **({"clipped": method.clipped.tolist()} if method.clipped.size else {}),
            }
        bounds = {
            name: {key: rows.tolist() for key, rows in sorted(each.values.items())}
            for name, each in self.certificates.items()
        }
        return {**data, "certificates": bounds} if bounds else data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Results:
        """The table in JSON data of `to_dict`; what a later version added may be missing.

        Raises:
            FileFormatError: Something is missing, of the wrong type or shape, or not finite.
        """
        expect(isinstance(data, Mapping), f"{shorten(data)} is not an object")
        entries = {name: data[name] for name in data if name not in ("config", "certificates")}
        expect("config" in data, "it has no config")
        expect(bool(entries), "it holds no method")
        for name, entry in entries.items():
            expect(isinstance(entry, Mapping), f"{shorten(name)} is not an object")
        present = _present(list(entries.values()))
        methods = {name: _method(name, entry, present) for name, entry in entries.items()}
        seeds = {len(rows) for method in methods.values() for rows in method.curves.values()}
        expect(len(seeds) == 1, "the methods have different numbers of seeds")
        certified = mapping_of(data, "certificates")
        for name in certified:
            expect(name in methods, f"certificates of {shorten(name)}, which is not a method")
        bounds = {n: _certificate(methods[n], certified[n]) for n in methods if n in certified}
        config = config_of(mapping_of(data, "config"))
        return cls(config, MappingProxyType(methods), MappingProxyType(bounds))

    def timed(self, timing: Mapping[str, Any]) -> Results:
        """The same with the times and versions of timing.json, checked."""
        times: dict[str, Any] = {key: timing[key] for key in ("seconds", "jobs") if key in timing}
        for name, value in times.items():
            number = type(value) in (int, float) and 0 <= value < LARGEST
            expect(number, f"{name} is not a time or a count")
        versions = mapping_of(timing, "versions")
        text = all(isinstance(each, str) for each in versions.values())
        expect(text, "versions are not strings")
        return replace(self, timing=MappingProxyType(times), versions=versions)


def read_results(folder: str | os.PathLike[str]) -> Results:
    """Read and check the folder's results.json, and timing.json if there is one.

    Args:
        folder: What `reproduce` wrote to.

    Raises:
        FileFormatError: A file is damaged; it is named, with what is wrong in it.
        StorageError: There is no results.json, or it cannot be read.
    """
    path = check_path("folder", folder) / "results.json"
    beside = path.with_name("timing.json")
    with naming(path):
        results = Results.from_dict(load_json(path))
    with naming(beside):
        return results.timed(load_json(beside)) if beside.exists() else results


def _present(entries: Sequence[Mapping[str, Any]]) -> list[Quantity]:
    """The quantities that a file must have, and the later ones that it has."""
    return [q for q in QUANTITIES if not q.added or any(q.name in entry for entry in entries)]


def _method(name: str, entry: Mapping[str, Any], present: Iterable[Quantity]) -> MethodResult:
    where = shorten(name)
    calls = count_of(entry, "oracle_calls", where)
    step = numbers_of(entry, "step", where)
    whole = step.ndim == 1 and step[0] >= 0 and bool((step == np.floor(step)).all())
    whole = whole and step[-1] < 1 << 53 and bool((np.diff(step) > 0).all())
    expect(whole, f"step in {where} is not an increasing list of integers")
    curves = {}
    for key in (each.name for each in present):
        curves[key] = numbers_of(entry, key, where)
        fits = curves[key].ndim == 2 and curves[key].shape[1] == len(step)
        expect(fits, f"{key} in {where} does not have {len(step)} numbers for each seed")
    clipped = np.empty(0, np.int64)
    if "clipped" in entry:
        found = numbers_of(entry, "clipped", where)
        counts = found.shape == curves["test_risk"].shape[:1] and bool(found.min() >= 0)
        counts = counts and found.max() < 1 << 53 and bool((found == np.floor(found)).all())
        expect(counts, f"clipped in {where} is not a count for each seed")
        clipped = found.astype(np.int64)
    return MethodResult(name, calls, step.astype(np.int64), MappingProxyType(curves), clipped)


def _certificate(method: MethodResult, entry: Any) -> CertificateResult:
    where, shape = f"certificates of {shorten(method.name)}", method.curves["test_risk"].shape
    expect(isinstance(entry, Mapping), f"{where} is not an object")
    expect("deviation" in entry, f"deviation is missing in {where}")
    shapes = {**{each.name: shape for each in BOUNDS}, **{each.name: shape[:1] for each in FACTS}}
    values = {name: numbers_of(entry, name, where) for name in shapes if name in entry}
    for name, array in values.items():
        fits = array.shape == shapes[name]
        expect(fits, f"{name} in {where} is of shape {array.shape} and not {shapes[name]}")
    return CertificateResult(MappingProxyType(values))
