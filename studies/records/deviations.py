"""Least norms: permutations, shifts, grids, dihedral and signed groups, sign flips.

known   sets with a flat spectrum (`flat`)
search  abelian groups by character sums (`spectra`), listed groups by irreps (`matrices`),
        permutations to degree 2 by pairs (`pairs`). It leaves an estimate; `finish` proves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug.designs.constructions.recorded import expand
from sparseaug.groups import Group
from studies.records import Record, Rows, flat
from studies.records.bounds import least_deviation, text
from studies.records.table import encoded, ends

SIZES = (4, 8, 16, 32, 64)
SHIFTS = (12, 16, 20, 24, 28, 32, 36, 48, 60, 64, 72, 96, 100, 128, 180, 256, 360, 512)
GRIDS = {4: (4, 6), 5: (5, 8), 6: (4, 8, 15, 16), 7: (4, 7, 8, 16), 8: (4, 8, 16, 28), 9: SIZES[:4],
         10: SIZES[:4], 12: SIZES, 16: SIZES, 28: SIZES, 32: SIZES}  # fmt: skip
FLIPS = (8, 16, 32, 64, 128, 256)
WHOLE = (4, 6, 8, 10, 12, 16, 20, 24, 30, 32, 40, 48, 60, 64, 80, 96, 120, 128)
DIHEDRAL = (*range(5, 13), 16, 24, 32, 64)

LARGEST_MATRIX = 240
"""Rows of a matrix whose determinant is computed in integers: a second."""

ERROR = 1e-9
"""More than the rounding of a norm that a search estimates."""


def tasks() -> list[Record]:
    """All questions that are searched."""
    return [
        {"group": group, "criterion": "deviation", "degree": degree, "m": m}
        for group, degree, m in _questions()
    ]


def _questions() -> Iterator[tuple[str, int | None, int]]:
    yield from ((f"C{n}", None, m) for n in SHIFTS for m in SIZES if 2 * m < n)
    yield from ((f"C{n}xC{n}", None, m) for n, sizes in GRIDS.items() for m in sizes)
    for d in range(4, 15):
        yield from ((f"Z2^{d}", None, m) for m in FLIPS if d + 1 <= m < 2 ** (d - 1))
    for n in range(4, 9):
        most = {7: 64, 8: 24}.get(n, 128)
        some = WHOLE if n < 7 else (8, 12, 16, 24, 32, 64)
        yield from ((f"S{n}", None, m) for m in some if 2 * m < math.factorial(n) and m <= most)
    for n in range(5, 17):
        sizes = {n, 2 * n, 3 * n, 4 * n, n * (n - 1) // 2, *([90] if n == 10 else [])}
        yield from ((f"S{n}", 2, m) for m in sorted(sizes) if m < n * (n - 1) or n == 10 == m / 9)
    yield from ((f"D{n}", None, m) for n in DIHEDRAL for m in (4, 8, 16) if m < n)
    yield from ((f"Grid{n}", None, m) for n in (4, 8) for m in (8, 16, 32))
    yield from (
        (f"B{n}", None, m) for n in (3, 4) for m in SIZES[:4] if m * 2 < 2**n * math.factorial(n)
    )


def known() -> Iterator[Record]:
    """Difference sets, squares and graphs of bent and almost bent functions."""
    for n, s, name in flat.cyclic():
        if 2 * len(s) <= n:
            yield finish(_candidate(f"C{n}", None, np.array(s)[:, None], name))
    for p in (5, 7):
        yield finish(_candidate(f"C{p}xC{p}", None, flat.squares(p), "(x, x^2): Gauss sums"))
    for d in (4, 6, 8):
        yield finish(
            _candidate(f"Z2^{d}", None, flat.bent_set(d), "bent function y . z (Rothaus 1976)")
        )
    for d in range(4, 15):
        for k in range(3, 9):
            if d + 1 <= 1 << k < 2 ** (d - 1) and 2 * (d - k) <= 3 * k:
                rows, name = flat.graph(k, d - k)
                yield finish(_candidate(f"Z2^{d}", None, rows, name))


def improve(task: Record, best: Record | None, seed: int, seconds: float) -> Record | None:
    """A better set than the best, with an estimate of its norm; None if none was found."""
    group, m = sa.group(task["group"]), task["m"]
    bound, _ = least_deviation(group.name, m, task["degree"])
    if best is not None and ends(best["value"])[1] <= ends(bound)[0]:
        return None
    start = _of_library(group, m, task["degree"]) if best is None else expand(group, best)
    generators = np.zeros((0, group.width), np.int64)
    if task["degree"] == 2:
        from studies.records import pairs

        rows, value = pairs.search(group.width, m, seed, seconds, start)
        how = "search: guided exchange"
    elif group.moduli is not None:
        from studies.records import spectra

        n, k = group.moduli[0], len(group.moduli)
        rows, value, how = spectra.search(n, k, m, seed, seconds, start)
    else:
        from studies.records import matrices

        found = matrices.search(group, m, seed, seconds, start)
        if found is not None:
            rows, generators, value, how = found
        elif best is None and start is not None:
            rows, value, how = start, 1.0, ""
        else:
            return None
    if best is None and start is not None:  # a record is never worse than what `design` finds
        left = sa.deviation(sa.GroupSample(group, start), degree=task["degree"]).value
        if left <= value + ERROR:
            rows, generators, value, how = start, generators[:0], left, "search: sa.design"
    if best is not None and value + 2 * ERROR >= math.sqrt(ends(best["value"])[0]):
        return None
    estimate = f"{value - ERROR:.12f}..{value + ERROR:.12f}"
    return _candidate(group.name, task["degree"], rows, how, generators, estimate)


def _of_library(group: Group, m: int, degree: int | None) -> Rows | None:
    """What `design` finds, where it has just m elements."""
    asked: dict[str, Any] = {"objective": "deviation"} if degree is None else {"degree": degree}
    rows = sa.design(group, m=m, **asked).elements
    return np.asarray(rows, np.int64) if len(rows) == m else None


def finish(candidate: Record) -> Record:
    """The candidate with a norm that is proved."""
    group, degree = sa.group(candidate["group"]), candidate["degree"]
    if candidate["criterion"] != "deviation" or not group.is_finite:
        return candidate
    rows = expand(group, candidate)
    value = _exact(group, degree, rows)
    if value is None:
        found = sa.deviation(sa.GroupSample(group, rows), degree=degree)
        value = _integer_root(group, degree, rows, found.value)
    if value is None:
        value = f"{_rounded(found.lower, math.floor)}..{_rounded(found.value, math.ceil)}"
    return candidate | {"value": value}


def _candidate(
    group: str,
    degree: int | None,
    rows: Rows,
    source: str,
    generators: Rows | None = None,
    value: str = "",
) -> Record:
    candidate = {
        "group": group, "criterion": "deviation", "degree": degree, "m": len(rows), "value": value,
        "source": source, "rows": encoded(rows),
    }  # fmt: skip
    if generators is not None and len(generators):
        candidate["generators"] = encoded(generators)
        candidate["m"] = len(expand(sa.group(group), candidate))
    return candidate


def _rounded(value: float, down_or_up: Callable[[Fraction], int]) -> str:
    """A decimal of 12 digits on this side of the value."""
    digits = max(0, down_or_up(Fraction(value) * 10**12))
    return f"{digits // 10**12}.{digits % 10**12:012d}"


def _exact(group: Group, degree: int | None, rows: Rows) -> str | None:
    """Of sign flips and difference sets; else None."""
    if degree is not None:
        return None
    square = _walsh_square(rows) if set(group.moduli or ()) == {2} else _flat_square(group, rows)
    return None if square is None else text(square)


def _integer_root(group: Group, degree: int | None, rows: Rows, norm: float) -> str | None:
    """sqrt(k)/m where the largest eigenvalue k of M' M is an integer, M the sum of S in integers."""
    from flint import fmpz_mat

    m, k = len(rows), round((norm * len(rows)) ** 2)
    if degree == 2:
        i, j = np.nonzero(~np.eye(group.width, dtype=bool))
        label = np.full((group.width, group.width), -1)
        label[i, j] = np.arange(len(i))
        images = label[rows[:, i], rows[:, j]]
    elif degree is None and group.order <= LARGEST_MATRIX:
        every = group.all_elements()
        left = (group.compose(np.tile(s, (len(every), 1)), every) for s in rows)
        images = np.stack([np.asarray(group.rank(product), np.int64) for product in left])
    else:
        return None
    size = images.shape[1]
    if k >= m * m or abs((norm * m) ** 2 - k) > ERROR * m * m or size > LARGEST_MATRIX:
        return None
    M = np.zeros((size, size), np.int64)
    for image in images:
        M[image, np.arange(size)] += 1
    shifted = fmpz_mat((M.T @ M - k * np.eye(size, dtype=np.int64)).tolist())
    return text(Fraction(k, m * m)) if shifted.det() == 0 else None


def _walsh_square(rows: Rows) -> Fraction:
    """The largest Walsh sum over m, squared, in integers."""
    d = rows.shape[1]
    sums = np.bincount(rows @ (1 << np.arange(d)), minlength=1 << d)
    for i in range(d):
        pairs = sums.reshape(-1, 2, 1 << i)
        sums = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
    return Fraction(int(np.abs(sums[1:]).max()), len(rows)) ** 2


def _flat_square(group: Group, rows: Rows) -> Fraction | None:
    """(m - lambda) / m^2 where every quotient but 1 occurs lambda times; else None."""
    m = len(rows)
    if m * (m - 1) % (group.order - 1):
        return None
    quotients = group.compose(np.repeat(group.inverse(rows), m, axis=0), np.tile(rows, (m, 1)))
    counts = np.bincount(np.asarray(group.rank(quotients), np.int64), minlength=group.order)
    counts[int(group.rank(group.identity())[0])] = often = m * (m - 1) // (group.order - 1)
    return Fraction(m - often, m * m) if (counts == often).all() else None
