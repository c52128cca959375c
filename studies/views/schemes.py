"""Schemes of averaging: which m elements, by whose rule.

draws      m independent uniform elements
distinct   m uniform elements without repetition
field      what a library of the field does, rebuilt from its published rule
design     ours: `sparseaug.records(group)`, lattices, and searches for the sizes in between
full       the whole group

A design is moved by random k, h to k S h; a fixed set of the field is taken as it stands. The input
comes in a random position anyway, so that what is averaged over is S h for a uniform h. A scheme that
looks at the input (a canonical form) gives its elements for every input, the same for all positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from sparseaug.actions import Action
from sparseaug.designs import design
from sparseaug.designs.constructions import known_designs
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.groups import Group, Rows
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import Oracle
from studies.views.orbit import Orbit

SIZES = (1, 2, 4, 8, 16, 32, 48, 64, 100, 128, 256)
"""m of draws and searches; 100 because draws leave 1 / sqrt(m), 48 because small groups end at 64."""


class Views(NamedTuple):
    """Elements (m, width), or (m, n, width) for each input apart; weights unless all are 1 / m."""

    rows: Rows
    weights: Floats | None = None


@final
@dataclass(frozen=True, eq=False)
class Scheme:
    """One scheme.

    Args:
        name: on the page
        kind: "draws", "distinct", "field", "design" or "full"
        sizes: every m that is measured
        views: from m and a generator to the elements
        rule: who says so
        random: whether the elements depend on the generator
    """

    name: str
    kind: str
    sizes: tuple[int, ...]
    views: Callable[[int, np.random.Generator], Views]
    rule: str = ""
    random: bool = False

    @property
    def moved(self) -> bool:
        """Whether random k, h are part of the scheme."""
        return self.kind == "design"

    def predict(self, orbit: Orbit, m: int) -> float | None:
        """The error over that of one view, from the spectrum; None where no formula holds.

        m draws leave the root of 1 / m, and distinct ones that of a mean of m of N values without
        repetition: (N - m) / (N - 1) of it.
        """
        if self.kind == "draws":
            return m**-0.5
        if self.kind == "distinct":
            order = orbit.group.order
            return float(((order - m) / (order - 1) / m) ** 0.5)
        found = None if self.random else self.views(m, np.random.default_rng(0))
        if found is None or found.rows.ndim != 2:
            return None
        return orbit.predict(*found)


def fixed(name: str, kind: str, rows: Rows, rule: str, weights: Floats | None = None) -> Scheme:
    """A set of elements that is always the same."""
    return Scheme(name, kind, (len(rows),), lambda m, rng: Views(rows, weights), rule)


def drawn(group: Group, sizes: Sequence[int]) -> Iterator[Scheme]:
    """Independent and distinct draws."""

    def draw(m: int, rng: np.random.Generator, distinct: bool) -> Views:
        oracle = Oracle(group, int(rng.integers(1 << 62)))
        return Views(oracle.draw(m, distinct=distinct).elements)

    fitting = _fitting(group, sizes)
    yield Scheme("draws", "draws", fitting, lambda m, rng: draw(m, rng, False), random=True)
    if group.is_finite:
        yield Scheme(
            "distinct", "distinct", fitting, lambda m, rng: draw(m, rng, True), random=True
        )


def designed(group: Group, sizes: Sequence[int], degree: int | None = None) -> Iterator[Scheme]:
    """All designs of at most the largest size, lattices, and searches of the other sizes.

    Args:
        group: the group
        sizes: for lattices and searches
        degree: on which a search is judged; None for the whole deviation
    """
    designs = [one for one in known_designs(group) if one.kind != "full"]
    designs.sort(key=lambda one: math.inf if one.m is None else one.m)
    most = group.order - 1 if group.is_finite else max(sizes)
    for one in designs:
        if one.m is not None and 1 < one.m <= min(most, max(sizes)):
            rows = design(group, name=one.name, m=one.m).elements
            yield fixed(one.name, "design", rows, one.source)
    tried = [m for m in _fitting(group, sizes) if 1 < m <= min(most, _SEARCHED)]
    for one in designs:
        if one.m is None and one.name in ("lattice", "search"):
            judged = degree if one.name == "search" else None
            built = {m: _built(group, one.name, m, judged) for m in tried}
            found = {m: rows for m, rows in built.items() if rows is not None}
            if found:
                yield _of_sizes(one.name, found, one.source)


def _of_sizes(name: str, rows: dict[int, Rows], rule: str) -> Scheme:
    return Scheme(name, "design", tuple(rows), lambda m, rng: Views(rows[m]), rule)


_SEARCHED = 64  # elements: above, a search is long and draws are good


def everything(group: Group) -> Scheme:
    """The whole group."""
    return fixed("full", "full", group.all_elements(), "every element once")


def like(action: Action, moves: Sequence[Callable[[Any], Any]], probe: Any) -> Rows:
    """The elements that do what these functions do, to a probe that tells all elements apart.

    Examples:
        >>> from sparseaug.actions import roll
        >>> from sparseaug.groups import cyclic
        >>> act = roll(cyclic(5), axes=(-1,))
        >>> like(act, [lambda x: np.roll(x, 2, axis=-1)], np.arange(5.0)[None]).tolist()
        [[2]]
    """
    elements = action.group.all_elements()
    images = np.asarray(action(elements, probe))[:, 0]
    found = []
    for move in moves:
        same = (images == move(probe)[0]).reshape(len(images), -1).all(axis=1)
        if same.sum() != 1:
            raise UnsupportedError(
                f"a move is done by {int(same.sum())} elements of {action.group}."
            )
        found.append(elements[same][0])
    return np.array(found)


def gathered(orders: Any) -> Rows:
    """Permutations g with g x = x[order], of orders (..., n): those for which g(order[i]) = i.

    Examples:
        >>> gathered([2, 0, 1]).tolist()
        [1, 2, 0]
    """
    return np.argsort(np.asarray(orders), axis=-1)


def _fitting(group: Group, sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(m for m in sizes if not group.is_finite or m <= group.order)


def _built(group: Group, name: str, m: int, degree: int | None) -> Rows | None:
    try:
        return design(group, name=name, m=m, degree=degree, objective="deviation").elements
    except ArgumentError:  # no lattice of this size
        return None
