"""results.json as checked data: per method the curves, one row per seed, one column per evaluation."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.archive import load_json
from sparseaug.errors import ArgumentError, FileFormatError, shorten
from sparseaug.storage import show_path

Array = NDArray[np.float64]

METHODS = ("none", "full", "streaming", "one-shot-4", "one-shot-16", "one-shot-64")
QUANTITIES = ("train_risk", "test_risk", "gradient_norm", "identity_test_risk")
BOUNDS = ("a_priori", "spectral", "kernel")  # on the full gradient norm, in the order of the paper
TIMES = ("seconds", "wall_seconds", "compute_seconds", "jobs")
LARGEST = 1e100  # absolute value of a number in a curve; squares and sums of these are finite
_NOT_METHODS = frozenset({"config", "certificates", "seconds", "versions"})


@dataclass(frozen=True)
class MethodResult:
    """One method: its oracle calls and, by quantity, an array of shape (seeds, evaluations)."""

    name: str
    oracle_calls: int
    step: Array
    curves: Mapping[str, Array]

    @property
    def calls(self) -> Array:
        """Oracle calls made by each evaluation: streaming pays as it goes, the others at once."""
        if self.name != "streaming" or self.step[-1] == 0:
            return np.full(self.step.shape, float(self.oracle_calls))
        return np.asarray(self.oracle_calls * self.step / self.step[-1])


@dataclass(frozen=True)
class CertificateResult:
    """What is certified for one method: the deviation of S, and bounds at the iterates."""

    name: str
    deviation: Array
    a_priori_bound: float | None
    sharp_bound: float | None
    step: Array
    bounds: Mapping[str, Array]


@dataclass(frozen=True)
class Results:
    """The whole file. `raw` is what was parsed, for those who check claims on it."""

    path: str
    methods: Mapping[str, MethodResult]
    certificates: Mapping[str, CertificateResult]
    config: Mapping[str, Any]
    timing: Mapping[str, Any]
    versions: Mapping[str, Any]
    raw: Mapping[str, Any]

    @property
    def num_seeds(self) -> int:
        """The number of seeds, the same for every method."""
        return len(next(iter(self.methods.values())).curves["test_risk"])


def mean_and_sd(curves: Array) -> tuple[Array, Array]:
    """Mean and sample standard deviation over the seeds; one seed alone has a deviation of 0.

    Examples:
        >>> mean_and_sd(np.array([[1.0, 2.0], [3.0, 2.0]]))
        (array([2., 2.]), array([1.41421356, 0.        ]))
    """
    spread = curves.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros(curves.shape[1:])
    return curves.mean(axis=0), spread


def read_results(folder: str | os.PathLike[str]) -> Results:
    """Read and check the folder's results.json, and timing.json if there is one.

    A `FileFormatError` names the file and what is wrong in it; a missing results.json is a
    `StorageError`.
    """
    path = Path(folder) / "results.json"
    beside = path.with_name("timing.json")
    raw = _read_object(path)
    timing = _read_object(beside) if beside.exists() else {}
    with _naming(path):
        in_results = _timing(raw)
    with _naming(beside):
        timing = {**in_results, **_timing(timing)}
    with _naming(path):
        return _parse(str(path), raw, timing)


def _read_object(path: Path) -> dict[str, Any]:
    try:
        return load_json(path)
    except FileFormatError as error:
        raise FileFormatError(f"{error} {_REMEDY}") from error


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except _DamageError as error:
        raise FileFormatError(f"{show_path(path)} is damaged: {error}. {_REMEDY}") from error


_REMEDY = "Remove it and run `sparseaug reproduce` again."


class _DamageError(ValueError):
    """What is wrong in the file, without its name."""


def _parse(path: str, raw: dict[str, Any], timing: dict[str, Any]) -> Results:
    methods = {
        name: _method(name, entry)
        for name, entry in raw.items()
        if name in METHODS
        or (name not in _NOT_METHODS and isinstance(entry, dict) and "step" in entry)
    }
    _require(bool(methods), "it holds no method")
    seeds = {len(m.curves[q]) for m in methods.values() for q in QUANTITIES}
    _require(len(seeds) == 1, "the methods have different numbers of seeds")
    order = [name for name in METHODS if name in methods]
    order += [name for name in methods if name not in METHODS]
    certificates = _mapping(raw, "certificates")
    for name in certificates:
        _require(name in methods, f"certificates of {shorten(name)}, which is not a method")
    return Results(
        path=path,
        methods=MappingProxyType({name: methods[name] for name in order}),
        certificates=MappingProxyType(
            {n: _certificate(n, certificates[n], methods[n]) for n in order if n in certificates}
        ),
        config=_config(raw),
        timing=MappingProxyType({key: timing[key] for key in TIMES if key in timing}),
        versions=_mapping(timing, "versions"),
        raw=MappingProxyType(raw),
    )


def _config(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config, whose fields are those of an experiment where they have such names."""
    from sparseaug.experiments.config import Config  # brings in the workers, which a plan needs not

    config = _mapping(raw, "config")
    try:
        Config.from_dict({name: config[name] for name in config if name in Config.names()})
    except ArgumentError as error:
        raise _DamageError(f"config: {error}") from error
    return config


def _timing(data: Mapping[str, Any]) -> dict[str, Any]:
    """The times and versions in it, checked."""
    for name in TIMES:
        value = data.get(name, 0)
        number = type(value) in (int, float) and 0 <= value < LARGEST
        _require(number, f"{name} is not a time or a count")
    versions = _mapping(data, "versions").values()
    _require(all(isinstance(each, str) for each in versions), "versions are not strings")
    return {name: data[name] for name in (*TIMES, "versions") if name in data}


def _method(name: str, entry: Any) -> MethodResult:
    where = shorten(name)
    _require(isinstance(entry, dict), f"{where} is not an object")
    calls = entry.get("oracle_calls")
    whole = isinstance(calls, int) and not isinstance(calls, bool) and 0 <= calls < 2**63
    _require(whole, f"oracle_calls of {where} is not a count")
    step = _steps(entry, where)
    curves = {key: _rows(entry, key, where, columns=len(step)) for key in QUANTITIES}
    return MethodResult(name, calls, step, MappingProxyType(curves))


def _certificate(name: str, given: Any, method: MethodResult) -> CertificateResult:
    where, seeds = f"certificates of {shorten(name)}", len(method.curves["test_risk"])
    _require(isinstance(given, dict), f"{where} is not an object")
    entry = {key.replace("-", "_"): value for key, value in given.items()}
    deviation = _numbers(entry, "deviation", where).reshape(-1)
    _require(deviation.shape == (seeds,), f"deviation in {where} has not one number per seed")
    step = _steps(entry, where) if "step" in entry else method.step
    bounds = {key: _rows(entry, key, where, columns=len(step)) for key in BOUNDS if key in entry}
    for key, rows in bounds.items():
        _require(len(rows) == seeds, f"{key} in {where} has not one row per seed")
    return CertificateResult(
        name=name,
        deviation=deviation,
        a_priori_bound=_scalar(entry, "a_priori_bound", where),
        sharp_bound=_scalar(entry, "sharp_bound", where),
        step=step,
        bounds=MappingProxyType(bounds),
    )


def _scalar(entry: Mapping[str, Any], key: str, where: str) -> float | None:
    """One number, or the same one for every seed; None where there is none."""
    return None if entry.get(key) is None else float(_numbers(entry, key, where).max())


def _steps(entry: Mapping[str, Any], where: str) -> Array:
    step = _numbers(entry, "step", where)
    step = step[0] if step.ndim == 2 else step  # the same for every seed
    increasing = step.ndim == 1 and step.size and step[0] >= 0 and bool(np.all(np.diff(step) > 0))
    _require(bool(increasing), f"step in {where} is not an increasing list")
    return step


def _rows(entry: Mapping[str, Any], key: str, where: str, *, columns: int) -> Array:
    rows = _numbers(entry, key, where)
    fits = rows.ndim == 2 and rows.shape[0] > 0 and rows.shape[1] == columns
    _require(fits, f"{key} in {where} has not {columns} numbers for each seed")
    return rows


def _numbers(entry: Mapping[str, Any], key: str, where: str) -> Array:
    _require(key in entry, f"{key} is missing in {where}")
    try:
        array = np.array(entry[key])
        _require(array.dtype.kind in "iuf" and array.size > 0, f"{key} in {where} is not numbers")
        array = array.astype(np.float64)
    except (ValueError, OverflowError) as error:
        raise _DamageError(f"{key} in {where} is not a table of numbers") from error
    largest = float(np.abs(array).max())
    _require(largest < LARGEST, f"{key} in {where} is not finite or above {LARGEST:g}")
    array.setflags(write=False)
    return array


def _mapping(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key, {})
    _require(isinstance(value, dict), f"{key} is not an object")
    return MappingProxyType(value)


def _require(condition: bool, cause: str) -> None:
    if not condition:
        raise _DamageError(cause)
