"""A kernel that was measured on a list of candidates: its diagonal differs from one to the next.

The sum of k over S x S grows by 2 P(g) + k(g, g) when g comes in, P the potential of S: so
P + k(g, g) / 2 is the score, and twice the difference of scores is what an exchange changes.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from sparseaug.search.objectives import Columns, Elements, Quadratic, Scores, Values
from sparseaug.search.search import Places, exchange, first_least, greedy

MOST_STARTED = 256
"""Places of all starts but the greedy choice together."""


@final
class Measured(Quadratic):
    """A Gram matrix (N, N); elements are places in it."""

    def __init__(self, gram: Values) -> None:
        self.gram, self._columns = gram, Columns(gram.__getitem__, len(gram))
        self._half = gram.diagonal() / 2
        self.scale = float(np.abs(gram.diagonal()).max())

    def scores(self, chosen: Elements, k: int, out: int | None = None) -> Scores:
        potential = self._columns.scores(chosen, k, out)
        return lambda places: potential(places) + self._half[places]

    def energy(self, chosen: Elements, k: int) -> float:
        return float(self.gram[np.ix_(chosen, chosen)].sum())

    def tries(self, m: int) -> int:
        return self._columns.tries(m)


def places_of(gram: Values, m: int, *, parts: int, nested: bool = False) -> Any:
    """The m places of the list, each as often as it is good, whose mean over the pairs is least.

    Exchanges start from the greedy choice, and from the first m places behind the begin of each part of
    the list, in a ring: small sets have many local optima, and large ones are nearly alike.

    Args:
        gram: (N, N), positive semidefinite
        m: how many
        parts: of the list, such as sets of even points
        nested: the greedy choice alone, every prefix of which is the greedy choice of fewer
    """
    objective, among = Measured(gram), Places(len(gram))
    chosen = greedy(objective, among, m, np.zeros(0, np.int64))
    if nested:
        return chosen
    ring = np.arange(len(gram))
    begins = ring[:: len(gram) // parts][: MOST_STARTED // m]
    starts = [chosen, *(np.resize(np.roll(ring, -begin), m) for begin in begins)]
    found = [exchange(objective, among, start)[0] for start in starts]
    return found[int(first_least(np.array([objective.energy(one, 1) for one in found]), 1)[0])]
