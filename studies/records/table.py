"""The files of records: read, merge what is better, write.

A record is one JSON object a line (CONTRIBUTING.md says what its fields mean). For one question there is
one record: the group, the criterion, the degree, and for a least deviation the number of elements.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import sparseaug
from sparseaug._records import FAMILIES

Record: TypeAlias = dict[str, Any]
Question: TypeAlias = tuple[str, str, int, int]

FOLDER = Path(sparseaug.__file__).parent / "tables"

FIELDS = ("group", "criterion", "degree", "m", "value", "bound", "because", "source", "rows")
"""What every record has; `generators` and `sha256` follow."""


def read(family: str) -> list[Record]:
    """The records of a family, as they are in the file now."""
    path = FOLDER / f"{family}.jsonl"
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def write(family: str, records: Iterable[Record]) -> None:
    """All records of a family, in order."""
    lines = [json.dumps(record, separators=(",", ":")) for record in sorted(records, key=_place)]
    (FOLDER / f"{family}.jsonl").write_text("".join(f"{line}\n" for line in lines), "ascii")


def question(record: Record) -> Question:
    """What it answers: of two records for one question the better one stays."""
    sized = record["criterion"] == "deviation"
    m = record["m"] if sized else 0
    return record["group"], record["criterion"], record["degree"] or 0, m


def is_better(new: Record, old: Record) -> bool:
    """Fewer elements, or where their number is given, a smaller deviation for certain."""
    if new["criterion"] != "deviation":
        return int(new["m"]) < int(old["m"])
    return ends(new["value"])[1] < ends(old["value"])[0]


def is_optimal(record: Record | None) -> bool:
    """Whether nothing can be better."""
    if record is None:
        return False
    reached = record["value"] if record["criterion"] == "deviation" else str(record["m"])
    return bool(reached == record["bound"])


def ends(text: str) -> tuple[Fraction, Fraction]:
    """Squares of the two ends of a value: a number, a root, or an interval."""
    if text.startswith("sqrt("):
        square = Fraction(text[5:-1])
        return square, square
    low, _, high = text.partition("..")
    return Fraction(low) ** 2, Fraction(high or low) ** 2


def family_of(record: Record) -> str:
    """The file in which it belongs."""
    if record["criterion"] in ("middle", "neighbours"):
        return "orders"
    kinds = {"young": "permutations", "wigner": "rotations"}
    group = sparseaug.group(record["group"])
    if group.moduli is not None:
        return "signs" if set(group.moduli) == {2} else "shifts"
    return kinds.get(group.transform, "products" if group.factors else "shifts")


def submit(candidates: Iterable[Record]) -> list[Record]:
    """Put into the files what is better than what is there; returns it."""
    tables = {family: {question(r): r for r in read(family)} for family in FAMILIES}
    taken = []
    for new in candidates:
        old = tables[family_of(new)].get(question(new))
        if old is None or is_better(new, old):
            tables[family_of(new)][question(new)] = _complete(new)
            taken.append(new)
    for family in {family_of(new) for new in taken}:
        write(family, tables[family].values())
    return taken


def _complete(new: Record) -> Record:
    """In the order of the fields, with the hash of the rows and no empty generators."""
    from sparseaug.designs.records import expand

    record = {name: new[name] for name in FIELDS}
    if new.get("generators"):
        record["generators"] = new["generators"]
    rows = expand(sparseaug.group(new["group"]), record)
    if len(rows) != new["m"]:
        raise ValueError(f"{question(new)}: m is {new['m']}, and {len(rows)} rows were given.")
    lines = sorted(" ".join(map(repr, row)) + "\n" for row in rows.tolist())
    return record | {"sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}


def encoded(rows: Iterable[Iterable[int]]) -> str:
    """Rows of integers as they are written: digits in base 36, or numbers with commas."""
    return " ".join(_row(list(map(int, row))) for row in rows)


def _row(row: list[int]) -> str:
    if len(row) > 1 and max(row) < 36:
        return "".join("0123456789abcdefghijklmnopqrstuvwxyz"[x] for x in row)
    return ",".join(map(str, row))


def _place(record: Record) -> tuple[Any, ...]:
    numbers = [int(part) for part in _numbers(record["group"])]
    return record["criterion"], record["degree"] or 0, len(numbers), numbers, record["m"]


def _numbers(name: str) -> Iterator[str]:
    """The numbers in the name of a group."""
    yield from "".join(c if c.isdigit() else " " for c in name).split()


def everything() -> Iterator[Record]:
    """All records."""
    return chain.from_iterable(map(read, FAMILIES))
