"""`python -m studies.heroes [NAME ...] --data FOLDER`: measure, and write docs/data/heroes.json.

FOLDER holds the photographs and the network of `promise`, as `studies.store.cases` describes; `make
heroes` puts them there. Page and pictures are made from the file, by `studies.heroes.page`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from studies.heroes import pipeline, promise, rotations
from studies.heroes.page import FILE, write

HEROES = {"pipeline": pipeline, "rotations": rotations, "promise": promise}


def main() -> None:
    parser = argparse.ArgumentParser(description="The three results of the first page.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(HEROES)}; all")
    parser.add_argument("--data", type=Path, default=Path(".venv/photographs"))
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in HEROES]
    if unknown:
        parser.error(f"{unknown[0]} is none of {', '.join(HEROES)}.")
    found: dict[str, Any] = json.loads(given.out.read_text()) if given.out.exists() else {}
    for name in given.names or HEROES:
        start, began = time.process_time(), time.monotonic()
        found[name] = HEROES[name].measure(given.data)
        spent = {"processor": time.process_time() - start, "wall": time.monotonic() - began}
        found[name]["seconds"] = spent
        print(name, json.dumps(rounded(found[name]), indent=1))
    given.out.write_text(json.dumps(rounded(found), indent=1, sort_keys=True) + "\n")
    if given.out == FILE and found.keys() >= HEROES.keys():
        write()


def rounded(value: Any) -> Any:
    """Numbers to six digits, which is more than they hold."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
