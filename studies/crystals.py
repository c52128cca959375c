"""Symmetry of real crystals: the 288 AFLOW prototypes that come with pymatgen.

    pip install pymatgen; python -m studies.crystals

A prototype's name holds its published space group. For each: the number of operations at several
tolerances and what the warning says; the space group at the default tolerance; and the law of a left
action for vectors and tensors of rank 2 on its sites, and for tensors of rank 4 of the whole crystal.
"""

from __future__ import annotations

import gzip
import importlib.util
import inspect
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import track

from sparseaug.errors import SymmetryWarning
from sparseaug.sources import crystal
from sparseaug.testing import check_action

FILE = "analysis/prototypes/aflow_prototypes.json.gz"
TOLERANCES = (1e-5, 1e-4, 1e-3, 1e-2)
DEFAULT = inspect.signature(crystal).parameters["symprec"].default


class Row(NamedTuple):
    name: str
    sites: int
    published: int
    number: int
    orders: dict[float, int]
    warned: dict[float, bool]


def prototypes() -> list[dict[str, Any]]:
    spec = importlib.util.find_spec("pymatgen")
    paths = [Path(place) / FILE for place in (spec and spec.submodule_search_locations) or ()]
    found = [path for path in paths if path.exists()]
    if not found:
        sys.exit("SKIPPED, NOTHING WAS CHECKED: the prototypes come with pymatgen; install it.")
    return list(json.loads(gzip.decompress(found[0].read_bytes())))


def study(entries: list[dict[str, Any]]) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for entry in entries:
        sites = entry["snl"]["sites"]
        species = [site["species"][0]["element"] for site in sites]
        kinds = [sorted(set(species)).index(name) for name in species]
        cell = (entry["snl"]["lattice"]["matrix"], [site["abc"] for site in sites], kinds)
        orders, warned = {}, {}
        for symprec in TOLERANCES:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", SymmetryWarning)
                orders[symprec] = crystal(cell, symprec=symprec).group.order
            warned[symprec] = bool(caught)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SymmetryWarning)
            found = crystal(cell)
        check_action(found.vectors, rng.normal(size=(1, len(sites), 3)))
        check_action(found.tensors(2), rng.normal(size=(1, len(sites), 3, 3)))
        check_action(found.tensors(4, sites=False), rng.normal(size=(1, 3, 3, 3, 3)))
        name = entry["tags"]["aflow"]
        yield Row(name, len(sites), int(name.split("_")[2]), found.number, orders, warned)


def main() -> None:
    start = time.perf_counter()
    entries = prototypes()
    rows = list(track(study(entries), "prototypes", len(entries), transient=True))
    print(f"{len(rows)} prototypes, up to {max(row.sites for row in rows)} sites")
    for symprec in TOLERANCES:
        lost = [row for row in rows if row.orders[symprec] < row.orders[TOLERANCES[-1]]]
        told = sum(row.warned[symprec] for row in lost)
        alarms = sum(row.warned[symprec] for row in rows)
        print(
            f"symprec={symprec:g}: {len(lost)} lose operations that {TOLERANCES[-1]:g} finds, "
            f"the warning tells of {told}; {alarms} warnings in all"
        )
    wrong = [row for row in rows if row.number != row.published]
    print(f"at the default {DEFAULT:g}: {len(wrong)} space groups differ from the published ones")
    for row in wrong:
        print(f"  {row.name}: {row.number}, operations {row.orders}")
    print(f"laws of left actions: {3 * len(rows)} checked, all kept")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
