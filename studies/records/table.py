"""The files of records: read, merge what is better, write.

A record is one JSON object per line (studies/records/SUBMIT.md says what its fields mean). For one
question there is one record: the group, the criterion, the degree, and for a least deviation the number
of elements.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import sparseaug
from sparseaug._records import FAMILIES
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from studies.records import Record
from studies.records.sizes import proved_bound

Question: TypeAlias = tuple[str, str, int, int]

FOLDER = Path(sparseaug.__file__).parent / "tables"

GIVEN = ("group", "criterion", "degree", "m", "value", "source", "rows", "generators")
"""What a candidate has, the last one where it has any."""

FIELDS = (*GIVEN[:5], "bound", "because", *GIVEN[5:], "sha256")
"""What a record has, as it is written."""


def read(family: str) -> list[Record]:
    """The records of a family, as they are in the file now."""
    path = FOLDER / f"{family}.jsonl"
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def write(family: str, records: Iterable[Record]) -> None:
    """All records of a family, in order."""
    placed = [
        {f: record[f] for f in FIELDS if f in record} for record in sorted(records, key=_place)
    ]
    lines = [json.dumps(record, separators=(",", ":")) for record in placed]
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
    return bool(reached == record.get("bound"))


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


def submit(candidates: Iterable[Record], proof: Callable[[Record], object] = bool) -> list[Record]:
    """Put into the files what is better than what is there, if the proof raises nothing; returns it."""
    tables = {family: {question(r): r for r in read(family)} for family in FAMILIES}
    taken = []
    for new in candidates:
        old = tables[family_of(new)].get(question(new))
        if is_better(new, old) if old is not None else not _is_known(new):
            record = _complete(new)
            proof(record)
            tables[family_of(new)][question(new)] = record
            taken.append(new)
    for family in {family_of(new) for new in taken}:
        found = list(tables[family].values())
        write(family, [record for record in found if not _is_beaten(record, found)])
    return [new for new in taken if not _is_beaten(new, tables[family_of(new)].values())]


def _is_known(new: Record) -> bool:
    """Whether the library finds a better set for a question that has no record."""
    group, degree = sparseaug.group(new["group"]), new["degree"]
    try:
        if new["criterion"] == "exact":
            return sparseaug.design(group, degree=degree).m <= new["m"]
        if new["criterion"] == "deviation":
            S = sparseaug.design(group, m=new["m"], degree=degree, objective="deviation")
            found = sparseaug.deviation(S, degree=degree)
            return Fraction(found.value) ** 2 < ends(new["value"])[0]
    except (UnsupportedError, GroupTooLargeError):
        pass  # nothing is known there
    return False


def _is_beaten(record: Record, others: Iterable[Record]) -> bool:
    """Whether fewer elements have no larger deviation."""
    return record["criterion"] == "deviation" and any(
        (other["group"], other["criterion"], other["degree"])
        == (record["group"], record["criterion"], record["degree"])
        and other["m"] < record["m"]
        and ends(other["value"])[1] <= ends(record["value"])[0]
        for other in others
    )


def _complete(new: Record) -> Record:
    """With the best bound that is proved, and the hash of the rows."""
    from sparseaug.designs.constructions.recorded import expand

    record = {name: new[name] for name in GIVEN if new.get(name) or name != "generators"}
    record["bound"], record["because"] = proved_bound(record)
    rows = expand(sparseaug.group(new["group"]), record)
    if len(rows) != new["m"]:
        raise ValueError(f"{question(new)}: m is {new['m']}, and {len(rows)} rows were given.")
    lines = sorted(" ".join(map(repr, row)) + "\n" for row in rows.tolist())
    return record | {"sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}


def rebound() -> Iterator[Record]:
    """Write the best bound that is proved now into every record; yields those where it is another."""
    for family in FAMILIES:
        old = read(family)
        new = [
            record | dict(zip(("bound", "because"), proved_bound(record), strict=True))
            for record in old
        ]
        write(family, new)
        yield from (r for r, before in zip(new, old, strict=True) if r["bound"] != before["bound"])


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
