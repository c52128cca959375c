"""An audit of a model that somebody else runs: the pairs in one file, the answers in another.

The pairs are those that `audit_risk` draws with the same seed. A file of pairs begins with a line
of JSON that says what was drawn; whoever reads the answers draws the pairs again, so that a pair
that was changed, left out or answered twice is noticed.
"""

from __future__ import annotations

import csv
import io
import json
import os
from typing import Any

import numpy as np

from sparseaug._checks import check_flag, check_integer, check_real
from sparseaug._io import check_path, read_bytes, show_path, write_atomic
from sparseaug.certificate.accuracy import bounds, draw_pairs, in_words, own_seed
from sparseaug.certificate.intervals import LEAST_DELTA
from sparseaug.certificate.statements import RiskCertificate
from sparseaug.errors import FileFormatError, SparseAugError
from sparseaug.groups import Group, as_group
from sparseaug.sampling import Oracle

FORMAT = "sparseaug pairs 1"
_MOST_PAIRS = 10_000_000  # some hundreds of megabytes of text


def write_pairs(
    path: str | os.PathLike[str],
    group: Group | str,
    *,
    n: int,
    calls: int = 1000,
    seed: int | None = None,
    overwrite: bool = False,
) -> None:
    """Write `calls` uniform pairs (sample, element) as CSV: pair, sample, and the entries of the
    element.

    Args:
        path: the file
        group: its elements are drawn
        n: samples are numbered from 0 to n - 1
        calls: how many pairs
        seed: of the draw; not that of an S that the model was trained on or averages over. By
            default that of `audit_risk`
        overwrite: replace an existing file

    Examples:
        >>> import pathlib
        >>> from sparseaug.certificate import write_pairs
        >>> write_pairs("pairs.csv", "C8xC8", n=500, calls=2, seed=7)
        >>> print(pathlib.Path("pairs.csv").read_text())
        {"format": "sparseaug pairs 1", "group": "C8xC8", "n": 500, "calls": 2, "seed": 7}
        pair,sample,g0,g1
        0,403,0,3
        1,461,0,5
        <BLANKLINE>
    """
    group, path = as_group(group), check_path("path", path)
    n = check_integer("n", n, at_least=1, below=1 << 63)
    calls = check_integer("calls", calls, at_least=1, below=_MOST_PAIRS)
    overwrite = check_flag("overwrite", overwrite)
    seed = Oracle(group, seed=own_seed() if seed is None else seed).seed
    said = {"format": FORMAT, "group": group.name, "n": n, "calls": calls, "seed": seed}
    write_atomic(path, _pairs(said).encode(), overwrite=overwrite, follow=False)


def _pairs(said: dict[str, Any]) -> str:
    """The file whose first line says this."""
    group, text = as_group(said["group"]), io.StringIO()
    text.write(json.dumps(said) + "\n")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["pair", "sample", *(f"g{k}" for k in range(group.width))])
    elements, which = draw_pairs(Oracle(group, seed=said["seed"]), said["n"], said["calls"])
    for pair, (sample, element) in enumerate(zip(which.tolist(), elements.tolist(), strict=True)):
        rows.writerow([pair, sample, *element])
    return text.getvalue()


def read_answers(
    pairs: str | os.PathLike[str], answers: str | os.PathLike[str], *, delta: float = 0.05
) -> RiskCertificate:
    """The accuracy (or loss) over all of the group that the answers to a file of pairs show.

    Args:
        pairs: what `write_pairs` wrote
        answers: CSV with the columns pair and correct (0 or 1), or pair and loss (from 0 to 1),
            one line for each pair, in any order
        delta: how often the bounds may fail

    Raises:
        FileFormatError: a pair is missing, answered twice or not one of the file, or a file is not
            what it should be
    """
    delta = check_real("delta", delta, above=LEAST_DELTA, below=1)
    said = _drawn(check_path("pairs", pairs))
    calls = said["calls"]
    values, binary = _answers(check_path("answers", answers), calls)
    found = bounds(values, delta, binary=binary)
    return RiskCertificate(
        *found.numbers(),
        calls=calls,
        evaluations=calls,
        failure_probability=found.failure,
        loss="0-1" if binary else "given",
        samples=said["n"],
        elements=in_words(as_group(said["group"])),
        holds=found.holds,
    )


def _drawn(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the first line of a file of pairs says, from which all others follow."""
    data = read_bytes(path)
    try:
        lines = data.decode().splitlines()
        said = dict(json.loads(lines[0]))
        check_integer("n", said["n"], at_least=1, below=1 << 63)
        check_integer("calls", said["calls"], at_least=1, below=_MOST_PAIRS)
        if said["format"] != FORMAT or lines != _pairs(said).splitlines():
            raise ValueError("other pairs")
    except (ValueError, LookupError, TypeError, RecursionError, SparseAugError) as error:
        raise FileFormatError(f"{show_path(path)} holds no pairs; write them again.") from error
    return said


def _answers(path: str | os.PathLike[str], calls: int) -> tuple[Any, bool]:
    """The answers by pair, and whether they are "correct", 0 or 1, instead of losses."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
        header, *lines = [line for line in csv.reader(io.StringIO(text)) if line] or [[]]
    except (ValueError, csv.Error) as error:
        raise FileFormatError(f"{show_path(path)} is not CSV: {error}.") from error
    names = [name.strip().lower() for name in header[:2]]
    if names not in (["pair", "correct"], ["pair", "loss"]):
        given = f"{show_path(path)} begins with {header[:2]}"
        raise FileFormatError(f"{given}; give the columns pair,correct or pair,loss.")
    binary = names[1] == "correct"
    rule = f"give a pair below {calls} and " + ("0 or 1." if binary else "a loss from 0 to 1.")
    found = np.full(calls, np.nan)
    for line in lines:
        try:
            pair, value = int(line[0]), float(line[1])
            if not 0 <= pair < calls or not 0 <= value <= 1 or (binary and value not in (0, 1)):
                raise ValueError
        except (ValueError, IndexError) as error:
            held = f"{show_path(path)} holds {','.join(line[:2])}"
            raise FileFormatError(f"{held}; {rule}") from error
        if not np.isnan(found[pair]):
            raise FileFormatError(f"{show_path(path)} answers pair {pair} twice; answer it once.")
        found[pair] = value
    missing = np.flatnonzero(np.isnan(found))
    if len(missing):
        given = f"{show_path(path)} has no answer to pair {missing[0]} and {len(missing) - 1} more"
        raise FileFormatError(f"{given}; answer all: pairs that are left out are not random.")
    return found, binary
