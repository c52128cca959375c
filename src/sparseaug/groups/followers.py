"""Points that follow others: where they go is known from where the others go.

If the stabiliser of x also fixes y, then phi(g x) = g y is a map on the orbit of x, and every point of
the orbit of y goes where phi says: it follows a point of the orbit of x, as a parent in a tree follows
its children, or a hydrogen its carbon. The group is then determined by what it does to the points
that lead. Candidates y are the fixed points of random elements of the stabiliser; that
phi(s z) = s phi(z) for all z and all generators s, so for all elements, is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug.groups.chain import RandomElements, orbit_labels
from sparseaug.groups.permutations import Rows, invert_permutations

if TYPE_CHECKING:
    from sparseaug.groups.parts import Part

_TRIED = 16  # random elements; one that is not in the stabiliser's subgroup of y is half of them
MOST_WORK = 1 << 28
"""Entries read on the way to the stabiliser of one point, a second."""


class Following(NamedTuple):
    """Points that lead; for each point its leader's number, and the map from there that is its own."""

    leading: Rows  # (l,)
    leader: Rows  # (k,): numbers in 0..l-1
    maps: Rows  # (r, l): images of a point by the image of its leader; row 0 is `leading`
    own: Rows  # (k,): which of these maps


@dataclass(frozen=True)
class Followed:
    """A part on the points that lead, and the points that follow them."""

    following: Following
    part: Part

    @cached_property
    def radices(self) -> tuple[int, ...]:
        return self.part.radices

    def rows(self, digits: Rows) -> Rows:
        return self._all(self.part.rows(digits))

    def sift(self, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
        leading = self.following.leading
        images = rows[:, leading]
        valid = (leading[self.following.leader[images]] == images).all(axis=1)
        images = self.following.leader[images]
        images[~valid] = np.arange(len(leading))
        digits, right = self.part.sift(images)
        return digits, valid & right & (self._all(images) == rows).all(axis=1)

    def _all(self, images: Rows) -> Rows:
        _, leader, maps, own = self.following
        return maps[own, images[:, leader]]


def find_following(generators: Rows) -> Following | None:
    """Which points follow which, for permutations (r, k) that move every point; None where none does.

    Examples:
        >>> find_following(np.array([[1, 2, 0, 4, 5, 3]]))  # 3, 4, 5 turn as 0, 1, 2 do
        Following(leading=array([0, 1, 2]), leader=array([0, 1, 2, 0, 1, 2]), maps=array([[0, 1, 2],
               [3, 4, 5]]), own=array([0, 0, 0, 1, 1, 1]))
    """
    label = orbit_labels(generators)
    first, sizes = np.unique(label, return_counts=True)
    if len(first) == 1:
        return None
    random = RandomElements(generators).batch(_TRIED)
    todo = first[
        np.argsort(-sizes, kind="stable")
    ].tolist()  # a point that follows has a smaller orbit
    leads: list[int] = []
    found: list[
        tuple[int, Rows]
    ] = []  # an orbit, and the map onto it; -1 outside that map's domain
    while todo:
        leads.append(todo.pop(0))
        for orbit, phi in _followers(generators, random, leads[-1], label, todo):
            todo.remove(orbit)
            found.append((orbit, phi))
    if not found:
        return None
    leading = np.flatnonzero(np.isin(label, leads))
    number = np.full(len(label), -1)
    number[leading] = np.arange(len(leading))
    leader, own = number.copy(), np.zeros(len(label), np.int64)
    for i, (orbit, phi) in enumerate(found):
        domain = np.flatnonzero(phi >= 0)
        own[label == orbit] = i + 1
        leader[phi[domain[::-1]]] = number[domain[::-1]]  # the first of those that lead it
    return Following(leading, leader, np.array([leading, *(phi[leading] for _, phi in found)]), own)


def _followers(
    generators: Rows, random: Rows, x: int, label: Rows, orbits: list[int]
) -> list[tuple[int, Rows]]:
    """Those of the orbits that follow x, each with its map."""
    layers = _layers(generators, x)
    if len(layers) * random.size > MOST_WORK:
        return []
    by = np.full(generators.shape[1], -1)
    for points, _, generator in layers:
        by[points] = generator
    fixing, inverses = random.copy(), invert_permutations(generators)
    while (away := np.flatnonzero(fixing[:, x] != x)).size:
        step = inverses[by[fixing[away, x]]]
        fixing[away] = np.take_along_axis(step, fixing[away], 1)
    fixed = np.flatnonzero((fixing == np.arange(len(label))).all(axis=0))
    found = []
    for orbit in orbits:
        here = fixed[label[fixed] == orbit]
        if len(here):
            phi = np.full(len(label), -1)
            phi[x] = here[0]
            for points, before, generator in layers:
                phi[points] = generators[generator, phi[before]]
            domain = np.flatnonzero(phi >= 0)
            if np.array_equal(phi[generators[:, domain]], generators[:, phi[domain]]):
                found.append((orbit, phi))
    return found


def _layers(generators: Rows, x: int) -> list[tuple[Rows, Rows, Rows]]:
    """Breadth first from x: new points, the points they come from, and by which generators."""
    seen = np.zeros(generators.shape[1], bool)
    seen[x] = True
    layers: list[tuple[Rows, Rows, Rows]] = []
    points = np.array([x])
    while True:
        images, place = np.unique(generators[:, points], return_index=True)
        new = ~seen[images]
        if not new.any():
            return layers
        generator, before = np.divmod(place[new], len(points))
        layers.append((images[new], points[before], generator))
        points = images[new]
        seen[points] = True
