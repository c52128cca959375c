"""The rows of S as text: for people, and rotations for programs that read tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import click
import numpy as np

from sparseaug.groups import Rows
from sparseaug.sampling import GroupSample

MOST_SHOWN = 256
"""Rows that are printed for people; --out and --json have all."""

FORMS = ("zyz", "quaternion", "matrix")

_COLUMNS = {
    "zyz": "alpha beta gamma, radians: R = Rz(alpha) Ry(beta) Rz(gamma) on columns",
    "quaternion": "w x y z",
    "matrix": "R row by row, on columns: xx xy xz yx yy yz zx zy zz",
}


def shown(S: GroupSample) -> str:
    """One line per element, in the order of S."""
    lines = [" ".join(map(_entry, row)) for row in S.elements[:MOST_SHOWN].tolist()]
    if S.m > MOST_SHOWN:
        lines.append(f"... {S.m - MOST_SHOWN:,} more; --out FILE or --json has all")
    return "\n".join(lines)


def rotations_as(S: GroupSample, form: str) -> str:
    """A line of # that says what the columns are, then one rotation per line, equal weights."""
    if S.group.name != "SO3":
        raise click.UsageError("--euler goes with --group SO3, the rotations of space.")
    makers: dict[str, Callable[[Rows], Rows]] = {"zyz": _zyz, "matrix": _matrices}
    numbers = makers[form](S.elements) if form in makers else S.elements
    head = f"# {S.m} rotations, equal weights 1/{S.m}, {S.origin.design}; {_COLUMNS[form]}"
    return "\n".join([head, *_lines(numbers + 0.0)])


def _lines(numbers: Rows) -> Iterator[str]:
    for row in numbers.tolist():
        yield " ".join(f"{entry:.17g}" for entry in row)


def _entry(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number + 0.0:.6g}"


def _matrices(rows: Rows) -> Rows:
    from sparseaug.groups import rotations

    return np.asarray(rotations(3).matrices(rows)).reshape(len(rows), 9)


def _zyz(rows: Rows) -> Rows:
    """R = Rz(a) Ry(b) Rz(c): R e_z = (cos a sin b, sin a sin b, cos b), and c from the last row.

    At a pole, where sin b is rounding, a + c or a - c alone is known: c = 0.
    """
    R = _matrices(rows).reshape(-1, 3, 3)
    sine = np.hypot(R[:, 0, 2], R[:, 1, 2])
    pole = sine < 1e-12
    a = np.where(
        pole,
        np.arctan2(-R[:, 0, 1], R[:, 1, 1]),
        np.arctan2(R[:, 1, 2], R[:, 0, 2]),
    )
    b = np.where(pole, np.where(R[:, 2, 2] > 0, 0.0, math.pi), np.arctan2(sine, R[:, 2, 2]))
    c = np.where(pole, 0.0, np.arctan2(R[:, 2, 1], -R[:, 2, 0]))
    return np.stack([a, b, c], axis=1)
