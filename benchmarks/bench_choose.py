"""`choose` and its neighbours, the code of another tree next to this one, in one run.

    python benchmarks/bench_choose.py [PATH OF THE OTHER TREE]

x is normal (64, n), W normal (n, 16), f the sum of tanh(x W), seed 0, and the error absolute. Times are
seconds of the processor. Limits, on a quiet core: S_8 1 s, S_10 3 s, B_8 2 s, shifts 0.2 s, `design` of
128 permutations of 10 points 1 s, `inspect` of a product with S_10 10 s, `plan(deviation=)` 1 s.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import sparseaug as sa

LIMITS = {
    **{"choose S8 0.1": 1.0, "choose S10 0.1": 3.0, "choose B8 0.2": 2.0, "choose C427 0.1": 0.2},
    **{
        "choose C28xC28 0.1": 0.2,
        "design S10 128": 1.0,
        "inspect S10xC4": 10.0,
        "plan S6 0.25": 1.0,
    },
}


def spectrum(name: str) -> Any:
    """Of the measured case."""
    group = sa.group(name)
    n = int(group.order) if name.startswith("C") else group.width // (1 + name.startswith("B"))
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(64, n)), rng.normal(size=(n, 16))
    if name.startswith("C"):
        act: Any = sa.roll(group, axes=tuple(range(-group.width, 0)))
        x = x.reshape(64, *(group.moduli or ()))
    else:
        act = sa.signed_permute(group) if name.startswith("B") else sa.permute_axis(group)
    return sa.orbit_spectrum(lambda z: np.tanh(np.asarray(z).reshape(-1, n) @ w).sum(-1), act, x)


def measure(case: str) -> tuple[float, str]:
    """Seconds, and what came out."""
    verb, name, *rest = case.split()
    group = sa.group(name)
    given: Any = spectrum(name) if verb in ("choose", "design") else None
    rows = sa.Oracle(group, seed=0).draw(40)
    start = time.process_time()
    if verb == "choose":
        found = sa.choose(given, error=float(rest[0]))
        said = f"m = {found.sample.m}, {found.prediction.rms_upper:.4f}"
    elif verb == "design":
        S = sa.design(group, m=int(rest[0]), spectrum=given)
        said = f"m = {S.m}, {given.predict(S).rms_upper:.4f}"
    elif verb == "inspect":
        said = f"{len(sa.inspect(rows).instead)} designs"
    else:
        said = f"m = {sa.plan(group, deviation=float(rest[0])).best.m}"
    return time.process_time() - start, said


def main() -> None:
    """Every case in a process of its own, in both trees in turn."""
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(" ".join(sys.argv[2:]))))
        return
    trees = [*map(Path, sys.argv[1:2]), Path(__file__).parents[1]]
    slow = False
    for case, limit in LIMITS.items():
        told = []
        for tree in trees:
            command = [sys.executable, __file__, "--one", *case.split()]
            environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
            done = subprocess.run(  # noqa: S603 - this file itself
                command, env=environment, capture_output=True, text=True, check=True
            )
            seconds, said = json.loads(done.stdout)
            told.append(f"{seconds:8.2f} s  {said:24}")
        slow |= seconds > limit
        print(f"{case:20}", *told, f"limit {limit:g} s", flush=True)
    sys.exit(slow)


if __name__ == "__main__":
    main()
