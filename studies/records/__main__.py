"""`python -m studies.records search | submit | bounds`: try to beat the records, and keep what did."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import sparseaug as sa
from studies.records import Record, check
from studies.records.table import (
    Question,
    everything,
    is_better,
    is_optimal,
    question,
    rebound,
    submit,
)

MODULES = ("permutations", "orders", "deviations", "signs", "rotations", "products")


def main() -> None:
    """Parse the command line and run it."""
    parser = argparse.ArgumentParser(prog="python -m studies.records", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    searching = verbs.add_parser(
        "search", help="try to beat the records; what is found is kept in a file"
    )
    searching.add_argument("modules", nargs="*", default=MODULES, help=", ".join(MODULES))
    searching.add_argument("--seconds", type=float, default=20.0, help="for one try at one record")
    searching.add_argument("--minutes", type=float, default=60.0, help="for all")
    searching.add_argument("--jobs", type=int, default=2)
    searching.add_argument("--only", default="", help="questions that begin so, as in: SO3 exact")
    searching.add_argument("--found", type=Path, default=Path("records-found.jsonl"))
    submitting = verbs.add_parser("submit", help="put what is better into the tables")
    submitting.add_argument(
        "files", nargs="*", type=Path, help="JSON lines; none: known constructions"
    )
    verbs.add_parser("bounds", help="write the best bound that is proved now into every record")
    given = parser.parse_args()
    if given.verb == "search":
        search(given)
        return
    if given.verb == "bounds":
        for record in rebound():
            print(*question(record), record["bound"], record["because"], sep="  ")
        return
    if not given.files:
        for record in submit(c for name in MODULES for c in module(name).known()):
            _tell(record)
        return
    for file in given.files:
        try:
            submit_file(file)
        except (
            Exception
        ) as error:  # whatever a record makes the check do, it is that record's fault
            sys.exit(f"{file}: {error}\nNothing of this file was written.")


def submit_file(file: Path) -> None:
    """Put into the tables what is better and proved; says what was taken and what was not."""
    found = [
        _finished(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    taken = submit(found, check.verify)
    for record in found:
        if record in taken:
            _tell(record)
        else:
            print(*question(record), record["m"], "is not better than what is there", sep="  ")


def _finished(line: str) -> Record:
    """What has an estimate of its value, or none, with one that is proved."""
    found = json.loads(line)
    if "recipe" not in found:
        _check(found)
    if found["group"] == "SO3":
        return module("rotations").finish(found)
    if found["criterion"] == "deviation":
        return module("deviations").finish(found)
    return found | {"value": "0"}


def _check(found: Record) -> None:
    """Refuse what is not a record, before anything is computed with it."""
    check.check_fields(found, optional=check.COMPUTED)
    group = sa.group(found["group"])
    there = {record["group"] for record in everything()}
    exchanged = "x".join(factor.name for factor in reversed(group.factors))
    written = exchanged if exchanged in there else group.name
    check.require(
        found["group"] == written, f"the group {found['group']} is written {written} here"
    )
    check.checked_rows(found)


def _tell(record: Record) -> None:
    print(*question(record), record["m"], record["value"], record["source"], sep="  ", flush=True)


def module(name: str) -> Any:
    """One of the searches: it has `known`, `tasks` and `improve`."""
    return import_module(f"studies.records.{name}")


def search(given: argparse.Namespace) -> None:
    """All tasks again and again with new seeds, until the time is over; what is found is appended."""
    best = {question(record): record for record in everything()}
    if given.found.exists():
        for line in given.found.read_text().splitlines():
            _keep(best, json.loads(line))
    tasks = [
        (name, task)
        for name in given.modules
        for task in module(name).tasks()
        if _title(task).startswith(given.only) and not is_optimal(best.get(question(task)))
    ]
    end = time.monotonic() + 60 * given.minutes

    def work() -> Iterator[Any]:
        rng = np.random.default_rng(int(time.time()))
        while time.monotonic() < end:
            for i in rng.permutation(len(tasks)):
                name, task = tasks[i]
                seed = int(rng.integers(1 << 62))
                yield delayed(_try)(name, task, best.get(question(task)), seed, given.seconds, end)

    parallel = Parallel(n_jobs=given.jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
    with given.found.open("a") as file:
        for found in parallel(work()):
            if found is not None and _keep(best, found):
                file.write(json.dumps(found) + "\n")
                file.flush()
                _tell(found)


def _title(task: Record) -> str:
    return " ".join(map(str, question(task)[:3]))


def _try(
    name: str, task: Record, best: Record | None, seed: int, seconds: float, end: float
) -> Record | None:
    left = min(seconds, end - time.monotonic())
    if left <= 0:
        return None
    try:
        found = module(name).improve(task, best, seed, left)
    except Exception as error:  # one task that fails must not end a search of hours
        print(*question(task), f"{type(error).__name__}: {error}", sep="  ", file=sys.stderr)
        return None
    return found


def _keep(best: dict[Question, Record], found: Record) -> bool:
    old = best.get(question(found))
    if old is not None and not is_better(found, old):
        return False
    best[question(found)] = found
    return True


if __name__ == "__main__":
    main()
