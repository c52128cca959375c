"""The parts of an experiment on disk: a finished run or its certificates, checked when read.

A checksum says that a file is what was written; the checks here say what may be written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import canonical_json, load_archive, require, save_archive
from sparseaug._io import show_path
from sparseaug.errors import FileFormatError, shorten
from studies.paper.compared import KINDS, MEASURED, SAMPLES, compared
from studies.paper.config import Config
from studies.paper.kinds import BOUNDS, FACTS
from studies.paper.quantities import QUANTITIES

Arrays = dict[str, NDArray[Any]]

CERTIFICATE = "-certificate"
"""Ends the name of the part with the certificates of a run; the rest is that of the run."""

DESIGNS = "designs"
"""Name of the part with designs and draws of a seed: ends of all runs, and every S."""

_LONGEST = 1e12  # seconds
_PART = "studies.paper.Part/2"
_REPLAY = "studies.paper.Replay/1"


@final
@dataclass(frozen=True, eq=False)
class Part:
    """One method of one seed: oracle calls, seconds, and columns with one entry per evaluation."""

    calls: int
    seconds: float
    arrays: Arrays = field(repr=False)


def save_part(path: Path, key: dict[str, Any], part: Part) -> None:
    """Keep a finished part under its key."""
    facts = {**key, "calls": part.calls, "seconds": part.seconds}
    save_archive(path, _PART, part.arrays, facts, follow=False)


def load_part(path: Path, key: dict[str, Any], config: Config) -> Part:
    """Read a part; a damaged or foreign one is an error that names the file."""
    arrays, facts = _load(path, _PART)
    if canonical_json({name: facts.get(name) for name in key}) != canonical_json(key):
        raise FileFormatError(
            f"{show_path(path)} belongs to another experiment, seed or method; remove it to have it "
            "computed again."
        )
    require(set(facts) == {*key, "calls", "seconds"}, path, "its facts are not those of a part")
    calls, seconds = facts["calls"], facts["seconds"]
    require(type(calls) is int and 0 <= calls < 1 << 63, path, "its calls are not a count")
    require(
        type(seconds) in (int, float) and 0 <= seconds < _LONGEST,
        path,
        "its seconds are not a time",
    )
    if key["name"].endswith(CERTIFICATE):
        _check_bounds(path, arrays)
    elif key["name"] == DESIGNS:
        _check_designs(path, arrays, calls, config)
    else:
        _check_run(path, arrays, config)
    return Part(calls, float(seconds), arrays)


def save_replay(path: Path, key: dict[str, Any], arrays: Arrays) -> None:
    """Keep a seed's random numbers; a file that is there must hold the same."""
    if not path.exists():
        save_archive(path, _REPLAY, arrays, key, follow=False)
        return
    there, facts = _load(path, _REPLAY)
    same = there.keys() == arrays.keys() and all(
        there[name].dtype == arrays[name].dtype and np.array_equal(there[name], arrays[name])
        for name in arrays
    )
    if not same or canonical_json(facts) != canonical_json(key):
        raise FileFormatError(
            f"{show_path(path)} holds other random numbers than this version draws; give another "
            "folder."
        )


def _check_run(path: Path, arrays: Arrays, config: Config) -> None:
    """Steps that increase from 0, and at each of them finite numbers and the iterate."""
    names = [each.name for each in QUANTITIES]
    _require_names(path, arrays, {*names, "step", "theta", "clipped"})
    step = arrays["step"]
    whole = step.dtype == np.int64 and step.ndim == 1 and len(step) > 0 and step[0] == 0
    increasing = whole and bool((np.diff(step) > 0).all()) and step[-1] <= config.num_steps
    require(increasing, path, "its steps are not those of a run")
    for name in names:
        _require_numbers(path, name, arrays[name], step.shape)
    _require_numbers(path, "theta", arrays["theta"], (len(step), 2 * config.centers))
    clipped = arrays["clipped"]
    count = clipped.dtype == np.int64 and clipped.shape == ()
    count = count and 0 <= int(clipped) <= 2 * config.centers * config.num_steps
    require(count, path, "its clipped entries are not a count")


def _check_bounds(path: Path, arrays: Arrays) -> None:
    curves, numbers = ([each.name for each in table] for table in (BOUNDS, FACTS))
    _require_names(path, arrays, {*curves, *numbers})
    for name in curves:
        _require_numbers(path, name, arrays[name], (arrays[curves[0]].size,))
    for name in numbers:
        _require_numbers(path, name, arrays[name], ())


def _check_designs(path: Path, arrays: Arrays, total: int, config: Config) -> None:
    """For either kind the calls of one S of each size, the ends of all runs, and the rows of S."""
    n = config.group_size
    sizes = compared(n)
    ends = [f"{kind}_{name}" for kind in KINDS for name in MEASURED]
    calls = [f"{kind}_calls" for kind in KINDS]
    rows = {f"{kind}_{size.m}": (SAMPLES, size.m, n) for kind in KINDS for size in sizes}
    _require_names(path, arrays, {*ends, *calls, *rows})
    for name in ends:
        _require_numbers(path, name, arrays[name], (len(sizes), SAMPLES))
    for name in calls:
        fits = arrays[name].dtype == np.int64 and arrays[name].shape == (len(sizes),)
        require(fits and bool((arrays[name] >= 0).all()), path, f"its {name} are not counts")
    made = sum(SAMPLES * int(count) for name in calls for count in arrays[name])
    require(made == total, path, "its calls are not those of its samples")
    for name, shape in rows.items():
        permutes = arrays[name].dtype == np.uint8 and arrays[name].shape == shape
        permutes = permutes and bool((np.sort(arrays[name], axis=-1) == np.arange(n)).all())
        require(permutes, path, f"its {name} are not permutations")


def _require_names(path: Path, arrays: Arrays, names: set[str]) -> None:
    different = sorted(set(arrays) ^ names)
    require(not different, path, f"it lacks, or should not have, the arrays {shorten(different)}")


def _require_numbers(path: Path, name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    fits = array.dtype == np.float64 and array.shape == shape
    require(fits, path, f"its {name} is not an array of {shape} float64 numbers")
    require(bool(np.isfinite(array).all()), path, f"its {name} is not finite")


def _load(path: Path, schema: str) -> tuple[Arrays, dict[str, Any]]:
    try:
        return load_archive(path, schema)
    except FileFormatError as error:
        raise FileFormatError(f"{error} Remove it to have it computed again.") from error
