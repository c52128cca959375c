"""What a group described in a file may cost, refused before the work with the number.

A few lines of a file can describe a group whose stabiliser chain takes hours and gigabytes. How much
work a chain is shows in its shape: n points, L levels, orbits of o_1, ..., o_L points and s_i strong
generators at level i. Schreier and Sims' algorithm sifts o_i s_i products at level i, each through L - i
levels of permutations of n points, so
    work = n sum_i o_i s_i (L - i + 1).
Measured over 23 groups from C_5000 to S_55 (symmetric, sign flips, wreath and direct products,
PSL_2(q), Mathieu, Rubik), a unit takes 3e-9 to 2e-7 seconds, and 5e-7 with one level. The shape is
found by sifting random elements, in a small part of that time. It is never overstated; that it is
understated has a chance of about 2^-20, since of a chain that is not complete half of all elements or
more do not sift.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparseaug.errors import GroupTooLargeError
from sparseaug.groups.digits import Rows
from sparseaug.groups.permutations import compose_permutations, invert_permutations

MOST_WORK = 500_000_000
"""Units of the work of a chain, or of matching products: half a minute, mostly much less."""

MOST_NUMBERS = 30_000_000
"""Numbers in a description, or in the transversals of a chain: 0.24 GB, held a few times."""

_TABLE = 10_000_000  # entries of a table; Python's integers take 80 bytes each on the way
_QUIET = 20  # random elements in a row that sift before the shape is taken for complete
_PER_PRODUCT = 200  # multiplications for n matrices of d x d, in the time of a unit


def require_affordable(description: Any) -> None:
    """Raise a `GroupTooLargeError` for the data of a group that would take minutes or gigabytes."""
    match description:
        case {"product": list(factors)}:
            for factor in factors:
                require_affordable(factor)
        case {"permutations": [[_, *_] as first, *_] as images}:
            _require("numbers in its generators", len(images) * len(first), MOST_NUMBERS)
            _require_short_chain(images)
        case {"matrices": [[[*_] as row, *_], *_] as matrices}:
            n, d = len(matrices), len(row)
            work = (n**2 * d**3 + n**3 * d**2) // _PER_PRODUCT
            _require("numbers in its matrices", n * d * d, MOST_NUMBERS)
            _require("steps to match the products", work, MOST_WORK)
        case {"table": [[*_], *_] as table}:
            _require("entries in its table", len(table) ** 2, _TABLE)


def _require(what: str, count: int, most: int) -> None:
    if count > most:
        raise GroupTooLargeError(
            f"its group takes at least {count} {what}, and a group in a file may take {most}; save the "
            "rows alone, and build the group in your own code."
        )


def _require_short_chain(images: list[Any]) -> None:
    try:
        generators = np.array(images)
    except ValueError:
        return  # ragged: the group itself says so
    plain = generators.ndim == 2 and generators.dtype.kind in "iu" and generators.size
    order = np.arange(generators.shape[-1])
    if plain and bool((np.sort(generators, axis=1) == order).all()):
        _Shape(generators.astype(np.int64)).complete()


class _Shape:
    """Base points, orbits and transversals, grown by what random elements leave when sifted."""

    def __init__(self, generators: Rows) -> None:
        self._generators = generators
        self._identity = np.arange(generators.shape[1])
        self._points: list[int] = []
        self._strong: list[Rows] = []  # of level i: those that fix the base points before it
        self._orbits: list[dict[int, Rows]] = []  # image of the base point: element that does it
        self._acting: list[int] = []  # strong generators at each level

    def complete(self) -> None:
        """Grow until nothing does; an error as soon as the work is above the limit."""
        elements = iter(_random_elements(self._generators))
        for row in self._generators:
            self._sift(row)
        quiet = 0
        while quiet < _QUIET:
            quiet = 0 if self._sift(next(elements)) else quiet + 1

    def _sift(self, row: Rows) -> bool:
        """Strip the levels from the element; whether something was left, which now is in the shape."""
        for level, point in enumerate(self._points):
            transversal = self._orbits[level].get(int(row[point]))
            if transversal is None:
                self._add(row, level)
                return True
            row = invert_permutations(transversal)[row]
        moved = np.flatnonzero(row != self._identity)
        if len(moved):
            self._points.append(int(moved[0]))
            self._orbits.append({int(moved[0]): self._identity})
            self._acting.append(0)
            self._add(row, len(self._points) - 1)
        return bool(len(moved))

    def _add(self, row: Rows, level: int) -> None:
        """A strong generator that fixes the base points before `level`."""
        self._strong.append(row)
        for i in range(level, -1, -1):
            self._extend(i)
        self._require_work()

    def _extend(self, level: int) -> None:
        before, orbit = self._points[:level], self._orbits[level]
        acting = np.array([row for row in self._strong if (row[before] == before).all()])
        self._acting[level] = len(acting)
        todo = list(orbit)
        while todo:
            point = todo.pop()
            for at, image in enumerate(acting[:, point].tolist()):
                if image not in orbit:
                    orbit[image] = compose_permutations(acting[at], orbit[point])
                    todo.append(image)
            _require("numbers in its chain", len(orbit) * len(self._identity), MOST_NUMBERS)

    def _require_work(self) -> None:
        n, levels, sizes = len(self._identity), len(self._points), list(map(len, self._orbits))
        shape = enumerate(zip(sizes, self._acting, strict=True))
        work = n * sum(size * strong * (levels - i) for i, (size, strong) in shape)
        _require("steps to find its order", work, MOST_WORK)
        _require("numbers in its chain", n * sum(sizes), MOST_NUMBERS)


def _random_elements(generators: Rows) -> Any:
    """Nearly uniform elements without end, by product replacement (Celler and others 1995)."""
    rng = np.random.default_rng(0)
    copies = -(-max(10, 2 * len(generators)) // len(generators))
    state = np.tile(generators, (copies, 1))
    for step in range(1 << 62):
        i, j = rng.choice(len(state), 2, replace=False)
        other = invert_permutations(state[j]) if rng.integers(2) else state[j]
        left, right = (state[i], other) if rng.integers(2) else (other, state[i])
        state[i] = compose_permutations(left, right)
        if step > 10 * len(state):
            yield state[i].copy()
