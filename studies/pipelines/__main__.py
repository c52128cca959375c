"""`python -m studies.pipelines PAIR ... [--repetitions N] [--heads] [--data FOLDER] [--out FOLDER]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from studies.pipelines.compare import compare
from studies.pipelines.heads import heads
from studies.pipelines.pairs import PAIRS, to_json
from studies.pipelines.tables import load, measure


def main() -> None:
    parser = argparse.ArgumentParser(description="Which S of a random pipeline.")
    parser.add_argument("pairs", nargs="*", choices=[*PAIRS], default=["cnn"])
    parser.add_argument("--repetitions", type=int, default=12, help="200 for the bars")
    parser.add_argument("--first", type=int, default=0, help="seed of the first repetition")
    parser.add_argument("--heads", action="store_true", help="train heads on the digits")
    parser.add_argument("--data", type=Path, default=Path(), help="where the wheels and images are")
    parser.add_argument("--out", type=Path, default=Path("results/pipelines"))
    given = parser.parse_args()
    for name in given.pairs:
        pair, path = PAIRS[name](given.data), given.out / f"{name}.npz"
        if not path.exists():
            measure(pair, path)
        rows = compare(load(pair, path), given.repetitions, given.first)
        to_json(given.out / f"{name}.json", rows)
        for row in rows:
            print({key: round(v, 4) if isinstance(v, float) else v for key, v in row.items()})
    if given.heads:
        found = heads()
        to_json(given.out / "heads.json", found)
        print(*found, sep="\n")


if __name__ == "__main__":
    main()
