"""Sets for a spectrum that keeps places (`spectrum.one_sided`): the best balance of orders, exchanged.

The kernel of the search is the inner product of the spectrum's features. It starts from every balance of
`qmc.orders` and from the greedy choice, among these and a pool of draws; then each element moves to its
neighbours. What is found in this way on each half of the inputs is judged on the other half: unless it
is better there beyond noise, both times, the best start is taken as it is.
"""

from __future__ import annotations

import numpy as np

from sparseaug.designs.prediction import small_moves
from sparseaug.groups import Group, Rows
from sparseaug.qmc.orders import BALANCES, orders
from sparseaug.sampling import GroupSample, Origin, keyed_rng
from sparseaug.search.objectives import Between, Columns, Values
from sparseaug.search.search import Moves, Places, exchange, greedy
from sparseaug.spectrum.one_sided import OneSidedSpectrum

POOL, ENTRIES = 4096, 1 << 24
"""Draws among which is searched, and entries of their features: 128 MB."""

TRIES = 4
"""How often small moves look at each element."""


def best_by_places(spectrum: OneSidedSpectrum, m: int) -> GroupSample:
    """The best set of m elements that is known or found, its first element the identity."""
    start, found = _searched(spectrum, m)
    halves = [spectrum.of_parts(slice(first, None, 2)) for first in (0, 1)]
    for half, held in zip(halves, halves[::-1], strict=True):
        before, after = _searched(half, m)
        gain = held.left(before) - held.left(after)
        if gain.mean() <= gain.std(ddof=1) / np.sqrt(len(gain)):
            return _identity_first(spectrum.group, start.elements)
    return _identity_first(spectrum.group, found.elements)


def smallest_balance(spectrum: OneSidedSpectrum, allowed: float, most: int) -> GroupSample | None:
    """The fewest rows of a balance that leave so much at most, at the upper end of their bar.

    The first rows of many orders are the orders of few: each balance is looked at once.
    """
    found = None
    for rows in _balances(spectrum.group, most):
        features = spectrum.features(rows[:most])
        means = np.cumsum(features, axis=0) / np.arange(1, len(features) + 1)[:, None]
        for m in np.flatnonzero((means * means).sum(axis=1) <= allowed) + 1:
            S = _identity_first(spectrum.group, rows[:m])
            if spectrum.predict(S).upper <= allowed:
                found, most = S, int(m) - 1
                break
    return found


def _identity_first(group: Group, rows: Rows) -> GroupSample:
    """The rows with other items, so that the first is the identity: places stay."""
    rows = group._compose(rows, group._inverse(rows[:1]))
    return GroupSample(group, rows, 0, Origin("design", design="chosen by places"))


def _searched(spectrum: OneSidedSpectrum, m: int) -> tuple[GroupSample, GroupSample]:
    """The best start, and what the search makes of all starts."""
    group, starts = spectrum.group, _balances(spectrum.group, m)
    size = spectrum.features(group.identity()).shape[1]
    drawn = group.sample(max(m, min(POOL, ENTRIES // size)), keyed_rng(0, f"places {group.name}"))
    rows = np.concatenate([*starts, drawn])
    features = spectrum.features(rows)

    def column(place: int) -> Values:
        same = (rows == rows[place]).all(axis=1)
        return np.asarray(features @ features[place] + spectrum.rest * same)

    def potentials(chosen: Rows, some: Rows) -> Values:
        same = (some[:, None] == chosen[None]).all(axis=2).sum(axis=1)
        total = spectrum.features(chosen).sum(axis=0)
        return np.asarray(spectrum.features(some) @ total + spectrum.rest * same)

    columns, among = Columns(column, len(rows)), Places(len(rows))
    first = [np.arange(m) + i * m for i in range(len(starts))] or [greedy(columns, among, m)]
    best = _least(spectrum, [rows[chosen] for chosen in first])
    found = _least(
        spectrum, [rows[exchange(columns, among, chosen)[0]] for chosen in first]
    ).elements
    if len(moves := small_moves(group)):
        near = Moves(group, lambda row: group._compose(row[None], moves), once=True)
        found = exchange(Between(potentials, spectrum.variance, TRIES * m), near, found)[0]
    return best, GroupSample(group, found)


def _least(spectrum: OneSidedSpectrum, found: list[Rows]) -> GroupSample:
    samples = [GroupSample(spectrum.group, rows) for rows in found]
    return min(samples, key=lambda S: spectrum.predict(S).value)


def _balances(group: Group, m: int) -> list[Rows]:
    """Every balance of orders, of which a permutation is the inverse; none of other groups."""
    if group.transform != "young" or group.even:
        return []
    return [np.argsort(orders(group.width, m, balance=name), axis=1) for name in BALANCES]
