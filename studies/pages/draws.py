"""docs/data/deviation-draws.csv: every deviation of draws of a study, so that its counts can be checked.

python -m studies rates --part deviation --out study && python -m studies.pages.draws study
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from studies.pages.tables import DOCS
from studies.sealed import load_json

COLUMNS = ("group", "m", "deviations")


def write(study: Path) -> None:
    """A row for each group and m, the deviations in the order of their seeds, to five decimals."""
    found: dict[tuple[str, int], dict[int, list[float]]] = {}
    for path in (study / "tasks").glob("deviation-*.json"):
        data = load_json(path)
        task = data["task"]
        if task["kind"] == "draws":
            seeds = found.setdefault((task["group"], task["m"]), {})
            seeds[task["seed"]] = data["result"]["values"]
    with (DOCS / "data/deviation-draws.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (group, m), seeds in sorted(found.items()):
            values = [f"{value:.5f}" for seed in sorted(seeds) for value in seeds[seed]]
            writer.writerow([group, m, " ".join(values)])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
