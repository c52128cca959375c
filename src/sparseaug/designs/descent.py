"""Search in groups too large to list: elements that descend, one beside the others.

A judge gives the score of an element beside S, to first order the change of the energy when it is
put into S, and the energy and norm of S. An element is improved by small moves (two images
exchanged, one sign flipped) as long as its score falls. Starts are keyed, ties go to the first move,
so the result is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np

from sparseaug.designs.search import TIE, Values, first_least
from sparseaug.groups import Group, Rows
from sparseaug.sampling import keyed_rng

GREEDY_ORDER = 4

PASS_ORDERS = (2, 4, 8, 16)

STARTS = 2
"""Descents for each element of the nested choice, each from an element keyed by its number."""

Scores: TypeAlias = Callable[[Rows], Values]
"""One score per row, the lower the better."""

Moves: TypeAlias = Callable[[Rows], Rows]
"""From one element to its neighbours."""


class Judge(Protocol):
    """What is asked of S: the scores of elements beside it, its energy, its norm."""

    def score(self, chosen: Rows, k: int) -> Scores:
        """Scores beside these elements, by the energy of order k."""

    def energy(self, chosen: Rows, k: int) -> float:
        """The energy of order k of these elements."""

    def norm(self, chosen: Rows) -> float:
        """An estimate of the deviation, or what stands in for it."""


def nested(group: Group, judge: Judge, moves: Moves, m: int) -> Rows:
    """m elements, each the best one found beside those before it: every prefix is nested too."""
    chosen = group.identity()
    while len(chosen) < m:
        scores = judge.score(chosen, GREEDY_ORDER)
        rng = keyed_rng(0, f"sparseaug design {group.name}", index=len(chosen))
        ends = np.array([_descend(scores, row, moves) for row in group.sample(STARTS, rng)])
        chosen = np.concatenate([chosen, ends[first_least(scores(ends), 1)]])
    return chosen


def best(group: Group, judge: Judge, moves: Moves, m: int) -> Rows:
    """The nested choice, or what passes over it make of it where that has a smaller norm.

    In a pass every element in turn descends beside the others, and stays there if the energy falls.
    """
    rows = chosen = nested(group, judge, moves, m)
    least = judge.norm(chosen)
    for k in PASS_ORDERS if m > 1 else ():
        rows = _pass(judge, rows, moves, k)
        found = judge.norm(rows)
        if found < least * (1.0 - TIE):
            chosen, least = rows, found
    return chosen


def _pass(judge: Judge, rows: Rows, moves: Moves, k: int) -> Rows:
    energy = judge.energy(rows, k)
    for _ in range(2):
        before = energy
        for place in range(len(rows)):
            scores = judge.score(np.delete(rows, place, axis=0), k)
            tried = rows.copy()
            tried[place] = _descend(scores, rows[place], moves)
            found = judge.energy(tried, k)
            if found < energy * (1.0 - TIE):
                rows, energy = tried, found
        if energy >= before * (1.0 - 1e-3):
            break
    return rows


def _descend(scores: Scores, row: Rows, moves: Moves) -> Rows:
    """The best move again and again, until none lowers the score."""
    value = float(scores(row[None])[0])
    while True:
        tried = moves(row)
        found = scores(tried)
        best = int(first_least(found, 1)[0])
        if not found[best] < value - TIE * float(np.abs(found).max()):
            return row
        row, value = tried[best], float(found[best])
