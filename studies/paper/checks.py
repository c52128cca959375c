"""What is wrong in a file of results, said with its name and the remedy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sparseaug._io import show_path
from sparseaug.errors import ArgumentError, FileFormatError
from sparseaug.kernels.arrays import Floats
from studies.paper.config import Config

LARGEST = 1e100  # absolute value of a number in a file; squares and sums of these are finite


class DamageError(FileFormatError):
    """What is wrong in a file, without its name."""


@contextlib.contextmanager
def naming(path: Path, command: str = "make paper") -> Iterator[None]:
    """Name the file and the remedy in every `FileFormatError` of the body."""
    remedy = f"Remove it and run `{command}` again."
    try:
        yield
    except DamageError as error:
        raise FileFormatError(f"{show_path(path)} is damaged: {error} {remedy}") from error
    except FileFormatError as error:
        raise FileFormatError(f"{error} {remedy}") from error


def expect(condition: bool, cause: str) -> None:
    """Raise a `DamageError` with this cause unless the condition holds."""
    if not condition:
        raise DamageError(f"{cause}.")


def config_of(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields that have the name of one of an experiment must have its type and range."""
    try:
        Config.from_dict({name: config[name] for name in config if name in Config.names()})
    except ArgumentError as error:
        raise DamageError(f"config: {error}") from error
    return config


def count_of(entry: Mapping[str, Any], key: str, where: str) -> int:
    """A count that is there."""
    value: Any = entry.get(key)
    expect(type(value) is int and 0 <= value < 1 << 63, f"{key} of {where} is not a count")
    return int(value)


def numbers_of(entry: Mapping[str, Any], key: str, where: str) -> Floats:
    """A table of finite numbers that is there, read-only."""
    expect(key in entry, f"{key} is missing in {where}")
    try:
        array = np.array(entry[key])
        numbers = array.dtype.kind in "iuf" and array.size > 0
        expect(numbers, f"{key} in {where} is not a table of numbers")
        array = array.astype(np.float64)
    except (ValueError, OverflowError) as error:
        raise DamageError(f"{key} in {where} is not a table of numbers.") from error
    largest = float(np.abs(array).max())
    expect(largest < LARGEST, f"{key} in {where} is not finite or above {LARGEST:g}")
    array.setflags(write=False)
    return array


def mapping_of(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A mapping, empty if it is not there."""
    value = data.get(key, {})
    expect(isinstance(value, Mapping), f"{key} is not an object")
    return MappingProxyType(dict(value))
