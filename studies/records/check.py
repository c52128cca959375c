"""Every record verified from its text alone: `make records`, `python -m studies.records.check`.

Nothing is shared with the search, nor with the library, except that its rows must be the same, and where
`sparseaug.deviation` is asked for a norm: it is verified in directed rounding, and wherever it can be,
the norm is also proved here, in integers or in ball arithmetic (`counts`, `moments`). The bound must be
the one that `bounds` or `sizes` proves.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Set
from fractions import Fraction
from math import perm
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from rich.progress import track

import sparseaug as sa
from sparseaug.designs.constructions.recorded import expand
from studies.records import Record, Rows, bounds, counts, moments
from studies.records.elements import (
    Factor,
    WrongRecordError,
    everything,
    factors,
    hash_of,
    rotations_of,
    rows_of,
)
from studies.records.sizes import proved_bound

Squares = tuple[Fraction, Fraction]

TABLES = Path(__file__).parents[2] / "src" / "sparseaug" / "tables"
LARGEST_FILES = 1_000_000
"""Bytes of all tables together."""

TEXTS = ("group", "criterion", "value", "bound", "because", "source", "rows", "sha256")
FIELDS = {*TEXTS, "degree", "m", "generators"}
COMPUTED = {"value", "bound", "because", "sha256"}
"""What somebody who submits a record need not know."""

CRITERIA = ("exact", "deviation", "middle", "neighbours")

RESIDUAL = Fraction(1, 10**13)
"""What the rounding of rows may leave of an exact set of rotations."""


ROUNDING = Fraction(1, 10**6)
"""How far a bound may be below the one that is proved now, as a share: a solver rounds as it likes."""


LARGEST_L = 100
"""Of functions of rotations."""

NEARLY = "a factorisation with its error bound, to nine digits"


class Verdict(NamedTuple):
    """How a record was proved, and whether its bound is met."""

    how: tuple[str, ...]
    optimal: bool


def main() -> int:
    """Check all records, print what was found; 1 if one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m studies.records.check", description=__doc__)
    parser.add_argument("--only", default="", help="groups whose name begins with this")
    parser.add_argument("--tables", type=Path, default=TABLES, help="a folder of JSON lines")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    start = time.monotonic()
    found = records(given.tables)
    wrong = list(faults_together(found, given.tables))
    chosen = [record for record in found if str(record.get("group")).startswith(given.only)]
    work = Parallel(n_jobs=given.jobs, return_as="generator")(delayed(judge)(r) for r in chosen)
    results = list(zip(chosen, track(work, "records", total=len(chosen)), strict=True))
    wrong += [
        f"{name_of(record)}: {found}"
        for record, found, _ in _flat(results)
        if isinstance(found, str)
    ]
    good = [(record, found) for record, found, _ in _flat(results) if isinstance(found, Verdict)]
    for name, number in Counter(record["criterion"] for record, _ in good).items():
        optimal = sum(found.optimal for record, found in good if record["criterion"] == name)
        print(f"{number:5} {name}, {optimal} of them optimal")
    for how, number in Counter(how for _, found in good for how in found.how).most_common():
        print(f"{number:5} by {how}")
    for record, _, seconds in sorted(_flat(results), key=lambda each: -each[2])[:3]:
        print(f"{seconds:5.1f} s for {name_of(record)}")
    print(f"{len(good)} records are right, {len(wrong)} wrong; {time.monotonic() - start:.0f} s")
    for fault in wrong:
        print("WRONG", fault)
    return 1 if wrong else 0


def _flat(results: list[Any]) -> Iterator[tuple[Record, Verdict | str, float]]:
    for record, (found, seconds) in results:
        yield record, found, seconds


def records(folder: Path = TABLES) -> list[Record]:
    """All records of all tables."""
    lines = [
        line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()
    ]
    return [json.loads(line) for line in lines]


def name_of(record: Record) -> str:
    """Which record it is."""
    return " ".join(str(record.get(key)) for key in ("group", "criterion", "degree", "m"))


def faults_together(found: list[Record], folder: Path) -> Iterator[str]:
    """Too large, or two records for one question."""
    size = sum(path.stat().st_size for path in folder.glob("*.jsonl"))
    if size > LARGEST_FILES:
        yield f"the tables have {size} bytes, more than {LARGEST_FILES}"
    for question, number in Counter(map(_question, found)).items():
        if number > 1:
            yield f"{question}: {number} records"


def _question(record: Record) -> tuple[Any, ...]:
    asked = ("group", "criterion", "degree") + ("m",) * (record.get("criterion") == "deviation")
    return tuple(record.get(key) for key in asked)


def judge(record: Record) -> tuple[Verdict | str, float]:
    """The verdict or what is wrong, and the time it took."""
    start = time.monotonic()
    try:
        return verify(record), time.monotonic() - start
    except Exception as error:  # whatever a record makes the check do, it is that record's fault
        return f"{type(error).__name__}: {error}", time.monotonic() - start


def verify(record: Record) -> Verdict:
    """How the record is proved.

    Raises:
        WrongRecordError: if it is not.
    """
    check_fields(record)
    rows = checked_rows(record)
    require(hash_of(rows) == record["sha256"], "the hash is not that of the rows")
    given = expand(sa.group(record["group"]), record)
    require(hash_of(given) == record["sha256"], "the library gives other rows")
    low, high = squares(record["value"])
    require(low <= high, "the value is not an interval")
    if record["group"] == "SO3":
        how = _rotations(record, rows, low, high)
    elif record["criterion"] == "deviation":
        how = _deviation(record, rows, low, high)
    else:
        require(low == high == 0, "the value is not 0")
        how = _evenness(record, rows)
    return Verdict(how, _meets_bound(record, low, high))


def checked_rows(record: Record) -> Any:
    """The elements: m of them, and where they are to be few, none twice."""
    turns = record["group"] == "SO3"
    rows: Any = rotations_of(record) if turns else rows_of(record)
    require(len(rows) == record["m"], f"m is {record['m']}, and there are {len(rows)} rows")
    if record["criterion"] == "exact":
        alike = rows.round(9) if turns else rows
        require(len(np.unique(alike, axis=0)) == len(rows), "an element is there twice")
    return rows


def require(condition: bool, message: str) -> None:
    """Refuse the record."""
    if not condition:
        raise WrongRecordError(message)


def squares(text: str) -> Squares:
    """The squares of both ends of 3/7, sqrt(9/100), 0.31 or 0.31..0.32."""
    if text.startswith("sqrt(") and text.endswith(")"):
        return Fraction(text[5:-1]), Fraction(text[5:-1])
    low, _, high = text.partition("..")
    ends = Fraction(low), Fraction(high or low)
    require(ends[0] >= 0, "a deviation is not negative")
    return ends[0] ** 2, ends[1] ** 2


def check_fields(record: Record, *, optional: Set[str] = frozenset()) -> None:
    """Refuse a record whose fields are not those of a record; some may be missing."""
    require(isinstance(record, dict), "a record is a JSON object on one line, {...}")
    missing = FIELDS - {"generators"} - optional - set(record)
    require(not missing, f"without {sorted(missing)}")
    require(not set(record) - FIELDS, f"with {sorted(set(record) - FIELDS)}, which no record has")
    for key in set(record) - {"degree", "m"}:
        require(isinstance(record[key], str) and record[key] != "", f"{key} is not a text")
    require(record["criterion"] in CRITERIA, f"the criterion is none of {CRITERIA}")
    require(type(record["m"]) is int and record["m"] > 0, "m is not a positive integer")
    source = record["source"]
    plain = source.isascii() and source.isprintable() and not set(source) & set("<>&")
    require(plain, "the source is not one line of plain text, without < > &")
    check_degree(record)
    if record["criterion"] == "deviation" and record["group"] != "SO3":
        order = sa.group(record["group"]).order
        require(
            1 < record["m"] < order,
            f"m={record['m']} is no question: one element has deviation 1, all {order} have 0",
        )


def check_degree(record: Record) -> None:
    """Refuse a degree where the criterion takes none, and one that is no integer or out of range."""
    group, criterion, degree = record["group"], record["criterion"], record["degree"]
    if criterion in ("middle", "neighbours"):
        require(degree is None, f"{criterion} takes no degree, and {degree!r} is given; give null")
    if degree is None:
        require(criterion != "exact", "exact needs a degree, an integer from 1 on")
        return
    # of more coordinates than there are, functions are all functions
    parts = [] if group == "SO3" else factors(group)
    without = next((f"{f.letter}{f.n}" for f in parts if f.letter in ("D", "Grid")), None)
    require(without is None, f"records of {without} have no degree here; give null")
    most = sum(factor.n if factor.letter in "SAB" else 1 for factor in parts) or LARGEST_L
    require(
        type(degree) is int and 1 <= degree <= most,
        f"the degree {degree!r} is not an integer from 1 to {most}, as {group} has",
    )


def _evenness(record: Record, rows: Rows) -> tuple[str, ...]:
    """The three criteria that are counts."""
    group, degree = factors(record["group"]), record["degree"]
    if record["criterion"] == "exact":
        if all(factor.n == 2 and factor.letter in "CZ" for factor in group):
            require(not counts.walsh_sums(rows, degree).any(), f"not of strength {degree}")
            return ("sums of characters",)
        require(counts.moves_tuples_evenly(rows, group, degree), f"not exact to degree {degree}")
        return ("counts of tuples",)
    require(len(group) == 1 and group[0].letter == "S", "orders are permutations")
    if record["criterion"] == "middle":
        even = counts.are_middles_even(rows)
        require(even, "middles are not even, or an order is not followed by its reverse")
        return ("counts of triples",)
    require(counts.are_neighbours_even(rows), "neighbours are not even")
    return ("counts of neighbours",)


def _deviation(record: Record, rows: Rows, low: Fraction, high: Fraction) -> tuple[str, ...]:
    """The norm in exact or ball arithmetic where that can be, and by the verified path."""
    proofs = tuple(_proofs(record, rows, low, high))
    if set(proofs) - {NEARLY}:
        return (*proofs, _verified(record["group"], record["degree"], rows, low, high))
    require(low < high, "the value is exact, but only an interval can be proved: give that")
    found = _verified(record["group"], record["degree"], rows, low, high, within=True)
    return (*proofs, found + " alone" * (not proofs))


def _verified(
    name: str, degree: int | None, rows: Any, low: Fraction, high: Fraction, *, within: bool = False
) -> str:
    """The norm that the library says: it must meet the value, or be within it where it is the proof."""
    found = sa.deviation(sa.GroupSample(sa.group(name), rows), degree=degree)
    bottom, top = Fraction(found.lower) ** 2, Fraction(found.value) ** 2
    right = low <= bottom and top <= high if within else bottom <= high and low <= top
    require(right, f"the verified norm is {found.lower!r}..{found.value!r}")
    require(found.rigorous or not within, f"the norm of the library is {found.kind}, not a proof")
    return "the verified norm" + ", beside a proof" * (not within)


def _proofs(record: Record, rows: Rows, low: Fraction, high: Fraction) -> Iterator[str]:
    """Those without the library; none where the group is too large."""
    group, degree, m = factors(record["group"]), record["degree"], record["m"]
    order, moduli = bounds.facts(record["group"]).order, [factor.n for factor in group]
    abelian = all(factor.letter in "CZ" for factor in group)
    ends = low * m * m, high * m * m
    if abelian and set(moduli) == {2}:
        largest = Fraction(int(abs(counts.walsh_sums(rows, degree)).max()), m) ** 2
        require(low <= largest <= high, f"the norm is {bounds.text(largest)}")
        yield "sums of characters"
    elif degree is None and low == high == counts.difference_set(rows, group, order):
        yield "quotients that occur equally often"
    elif degree is None and abelian and low < high and order <= counts.MOST_CHARACTERS:
        bottom, top = counts.largest_character(rows, moduli)
        require(ends[0] <= bottom and top <= ends[1], f"its square is {float(top) / m**2}")
        yield "characters in ball arithmetic"
    elif (matrix := _matrix(group, degree, rows, order)) is None:
        return
    elif len(matrix) <= counts.MOST_DIMENSIONS:
        norm = counts.Squares(matrix)
        right = norm.is_largest(ends[0]) if low == high else norm.encloses(*ends)
        require(right, "the characteristic polynomial says otherwise")
        yield "a characteristic polynomial in integers"
    elif low < high:
        require(counts.encloses_nearly(matrix, *ends), "the norm is another one")
        yield NEARLY


def _matrix(
    group: list[Factor], degree: int | None, rows: Rows, order: int
) -> np.ndarray[Any, Any] | None:
    """The sum over S of the matrices of the regular representation, or on tuples; None: too large."""
    letter, n, _ = group[0]
    if degree is None and order <= counts.MOST_IN_FLOATS:
        return counts.regular_matrix(rows, group, everything(group))
    if degree is not None and len(group) == 1 and letter == "S":
        t = min(degree, n - 1)
        if perm(n, t) <= counts.MOST_IN_FLOATS:
            return counts.tuple_matrix(rows, n, t)
    return None


def _rotations(record: Record, rows: Any, low: Fraction, high: Fraction) -> tuple[str, ...]:
    """Traces of means of D^l from moments in fixed point; integer quaternions by a theorem."""
    degree, m = record["degree"], record["m"]
    if degree is None:
        words = {tuple(map(int, word.split(","))) for word in record["rows"].split()}
        prime = m - 1
        require(_is_prime(prime) and prime % 4 == 1, "m - 1 is not a prime of the form 4k + 1")
        require("generators" not in record, "integer quaternions have no generators")
        require(words == moments.prime_quaternions(prime), f"not the quaternions of norm {prime}")
        require(low == high == Fraction(4 * prime, m * m), "the norm is 2 sqrt(p)/(p + 1)")
        return ("a theorem (Lubotzky, Phillips, Sarnak 1986)",)
    if record["criterion"] == "exact" and high == 0:
        exactly = moments.exact_frobenius_squares(rows, degree)
        require(exactly is not None and not any(exactly), "the means are not exactly 0")
        return ("moments in fractions",)
    if record["criterion"] == "exact":
        left = max(moments.frobenius_squares(rows, degree))
        require(
            low == 0 and left <= min(high, RESIDUAL**2), f"the residual is {float(left) ** 0.5}"
        )
        return ("moments in fixed point",)
    bottom, top = moments.largest_square(rows, degree)
    require(low <= bottom and top <= high, f"the norm is {float(bottom) ** 0.5}")
    return ("eigenvalues in ball arithmetic", _verified("SO3", degree, rows, low, high))


def _is_prime(p: int) -> bool:
    return p > 1 and all(p % q for q in range(2, int(p**0.5) + 1))


def _meets_bound(record: Record, low: Fraction, high: Fraction) -> bool:
    """Whether the bound is met; refuses one that is not the best that is proved."""
    counted, m = record["criterion"] != "deviation", record["m"]
    best, because = proved_bound(record)
    reached = Fraction(m) if counted else high
    proved, bound = (Fraction(x) if counted else squares(x)[0] for x in (best, record["bound"]))
    right = proved * (1 - ROUNDING) <= bound <= proved
    require(right, f"the bound is {record['bound']}, and what is proved is {best}: {because}")
    require(reached >= bound, f"m = {m}, value {record['value']}: below the bound {best}")
    return reached == bound and (counted or low == high)


if __name__ == "__main__":
    sys.exit(main())
