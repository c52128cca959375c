"""designs.json as one table: the paper's experiment with designs next to draws of the same m.

Every size has, for either kind of S, its oracle calls and one array for each quantity, with one row per
seed and one column per S. Next to them stands where the full group ends.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, final

from sparseaug._checks import check_integer
from sparseaug._io import check_path
from sparseaug.errors import shorten
from sparseaug.kernels.arrays import Floats
from studies.paper.checks import (
    DamageError,
    config_of,
    count_of,
    expect,
    mapping_of,
    naming,
    numbers_of,
)
from studies.paper.compared import KINDS, MEASURED
from studies.sealed import load_json

NAME = "designs.json"
"""The file of the table."""

OF_FULL = tuple(name for name in MEASURED if name != "discrepancy")
"""What the full group has too: its discrepancy is 0."""


@final
@dataclass(frozen=True, eq=False)
class KindResult:
    """One kind of S of one size: calls of one S, and arrays of shape (seeds, S)."""

    oracle_calls: int
    ends: Mapping[str, Floats]

    def by_seed(self, quantity: str) -> Floats:
        """Means over the S of a seed, one per seed."""
        return self.ends[quantity].mean(axis=1)


@final
@dataclass(frozen=True, eq=False)
class SizeResult:
    """One size: the design by name, and what either kind of S did."""

    m: int
    design: str
    kinds: Mapping[str, KindResult]

    def by_seed(self, kind: str, quantity: str) -> Floats:
        """Means over the S of a seed, one per seed."""
        return self.kinds[kind].by_seed(quantity)


@final
@dataclass(frozen=True, eq=False)
class Comparison:
    """The whole table.

    Args:
        config: the configuration, as in the file
        full: where the full group ends, by quantity one number per seed
        full_calls: the order of the group
        sizes: what was compared, by increasing m
    """

    config: Mapping[str, Any]
    full: Mapping[str, Floats]
    full_calls: int
    sizes: tuple[SizeResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON data, as it stands in designs.json."""
        full = {name: rows.tolist() for name, rows in self.full.items()}
        return {
            "config": dict(self.config),
            "full": {"oracle_calls": self.full_calls, **full},
            "sizes": [
                {
                    "m": size.m,
                    "design_name": size.design,
                    **{kind: _entry(found) for kind, found in size.kinds.items()},
                }
                for size in self.sizes
            ],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Comparison:
        """The table in JSON data of `to_dict`.

        Raises:
            FileFormatError: Something is missing, of the wrong type or shape, or not finite.
        """
        expect(isinstance(data, Mapping), f"{shorten(data)} is not an object")
        expect("config" in data, "it has no config")
        full, where = mapping_of(data, "full"), "'full'"
        ends = {name: numbers_of(full, name, where) for name in OF_FULL}
        seeds = {rows.shape for rows in ends.values()}
        expect(len(seeds) == 1 and len(*seeds) == 1, "full does not have one number for each seed")
        entries = data.get("sizes")
        expect(isinstance(entries, list) and bool(entries), "sizes is not a list of sizes")
        sizes = tuple(_size(entry, len(ends[OF_FULL[0]])) for entry in entries or ())
        increasing = all(a.m < b.m for a, b in pairwise(sizes))
        expect(increasing, "sizes are not in increasing order")
        calls, config = count_of(full, "oracle_calls", where), mapping_of(data, "config")
        return cls(config_of(config), MappingProxyType(ends), calls, sizes)


def read_comparison(folder: str | os.PathLike[str]) -> Comparison | None:
    """Read and check the folder's designs.json; None where there is none, as in older folders.

    Args:
        folder: What `reproduce` wrote to.

    Raises:
        FileFormatError: The file is damaged; it is named, with what is wrong in it.
    """
    path = check_path("folder", folder) / NAME
    if not os.path.lexists(path):
        return None
    with naming(path):
        return Comparison.from_dict(load_json(path))


def _entry(found: KindResult) -> dict[str, Any]:
    ends = {name: rows.tolist() for name, rows in found.ends.items()}
    return {"oracle_calls": found.oracle_calls, **ends}


def _size(entry: Any, seeds: int) -> SizeResult:
    expect(isinstance(entry, Mapping), f"{shorten(entry)} in sizes is not an object")
    try:
        m = check_integer("m", entry.get("m"), at_least=1, below=1 << 53)
    except ValueError as error:
        raise DamageError(f"sizes: {error}") from error
    name = entry.get("design_name")
    expect(isinstance(name, str), f"design_name of m={m} is not text")
    return SizeResult(m, str(name), {kind: _kind(entry, kind, m, seeds) for kind in KINDS})


def _kind(entry: Mapping[str, Any], kind: str, m: int, seeds: int) -> KindResult:
    where, found = f"{kind} of m={m}", mapping_of(entry, kind)
    ends = {name: numbers_of(found, name, where) for name in MEASURED}
    shapes = {rows.shape for rows in ends.values()}
    fits = len(shapes) == 1 and len(*shapes) == 2 and next(iter(shapes))[0] == seeds
    expect(fits, f"{where} does not have the same numbers for each of {seeds} seeds")
    return KindResult(count_of(found, "oracle_calls", where), MappingProxyType(ends))
