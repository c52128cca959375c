"""The prediction of a spectrum: a kernel on the group.

With var_u the variance of a function in the block u and phi_u its character (`groups.degrees`), the mean
over S leaves (1/m^2) sum_{s,t in S} k(s^-1 t) of it, k(q) = sum_u var_u phi_u(q): a positive-definite
class function. The candidates of a search are all elements of a group that can be listed, else a pool.
A candidate may stand for a coset of a subgroup H: by the mean of k over H the same search finds the best
union of cosets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparseaug.designs.low_degree import exchanges
from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees import Degrees
from sparseaug.norms.regular import left_translations
from sparseaug.sampling import keyed_rng
from sparseaug.search.objectives import EXCHANGES, Between, Columns, Values
from sparseaug.search.search import Moves, Places, exchange, greedy

MOST_CANDIDATES = 50_000
"""Elements of a group that are all candidates; of an abelian one twenty times as many."""

POOL = 4096
"""Candidates in a larger group, or twice as many as are asked for; fewer cosets of large subgroups."""

QUOTIENTS = 2_000_000
"""Quotients looked at by small moves, a second or so; of large sets a third."""

DOUBLED = 20_000
"""Elements of translates that are tried next to a set."""

MOVES = 256
"""Small moves of one element that are tried at a time."""

_CHUNK = 1 << 18


@dataclass(frozen=True)
class SpectrumKernel:
    """k on the rows of a group.

    Attributes:
        group: of the rows
        blocks: of functions
        weights: the variance in each block
        inside: the rows of a subgroup H: then the mean of k(q h) over h in H
        plain: then the kernel that is averaged
    """

    group: Group
    blocks: Degrees
    weights: Values
    inside: Rows | None = None
    plain: SpectrumKernel | None = None

    def __call__(self, rows: Rows) -> Values:
        """k of each row."""
        H = self.inside
        if H is None:
            return self._plain(rows)
        moved = self.group._compose(rows[:, None], H[None])
        step = max(1, _CHUNK // len(H))
        parts = [moved[i : i + step] for i in range(0, len(rows), step)]
        found = [self._plain(p.reshape(-1, p.shape[-1])).reshape(len(p), -1).mean(1) for p in parts]
        return np.concatenate(found)

    def _plain(self, rows: Rows) -> Values:
        known = self.group.known_as().rows(rows)
        if self._by_character is not None:
            return self._by_character[self.blocks.group._rank(known)]
        table, index = self.blocks.characters(known)
        return np.asarray((table @ self.weights)[index])

    @cached_property
    def _by_character(self) -> Values | None:
        """By rank, of an abelian group whose characters can be listed: the transform of the weights."""
        group, owners = self.blocks.group, self.blocks.owners
        if group.moduli is None or len(owners) != group.order - 1:
            return None
        cube = np.zeros(group.order)
        cube[1:] = (self.weights / np.bincount(owners))[owners]
        return np.fft.fftn(cube.reshape(group.moduli)).real.reshape(-1)

    def over(self, H: Rows) -> SpectrumKernel:
        """The mean over a subgroup."""
        return SpectrumKernel(self.group, self.blocks, self.weights, H, self)

    @cached_property
    def _table(self) -> Values:
        """By rank, of all elements."""
        if self.plain is not None and self.inside is not None:  # k(q h) = k(h q)
            values, total = self.plain._table, np.zeros(self.group.order)
            for h in self.inside:
                total += values[left_translations(self.group, h[None])[0]]
            return total / len(self.inside)
        rows = self.group.all_elements()
        parts = [self(rows[i : i + _CHUNK]) for i in range(0, len(rows), _CHUNK)]
        return np.concatenate(parts)

    @cached_property
    def listed(self) -> tuple[Rows, Columns]:
        """All elements as candidates, in rank order."""
        group = self.group
        rows, values = group.all_elements(), self._table
        moduli = group.moduli

        def column(place: int) -> Values:
            """By a shift of the table, or along a translation."""
            if moduli is None:
                return values[left_translations(group, group._inverse(rows[place : place + 1]))[0]]
            if set(moduli) == {2}:
                return values[np.arange(len(rows)) ^ place]
            cube = values.reshape(moduli)
            return np.roll(cube, rows[place], tuple(range(len(moduli)))).reshape(-1)

        return rows, Columns(column, len(rows))

    def among(self, size: int, starts: Rows) -> tuple[Rows, Columns]:
        """All elements, or a pool of so many draws, always the same ones, after these starts."""
        if takes_all(self.group):
            return self.listed
        rng = keyed_rng(0, f"sparseaug pool {self.group.name}")
        rows = np.concatenate([starts, self.group.sample(size, rng)])
        return rows, Columns(
            lambda place: self.potentials(rows[place : place + 1], rows), len(rows)
        )

    def seconds(self, m: int) -> float:
        """About how long a search takes."""
        if not takes_all(self.group):
            return 1.5e-6 * (max(POOL, 2 * m) * m * 4 + QUOTIENTS)
        size = self.group.order
        return 2e-9 * (min(EXCHANGES, 4 * m * size) + (1 if self.group.moduli else 10) * m * size)

    def potentials(self, chosen: Rows, rows: Rows) -> Values:
        """sum over s in chosen of k(s^-1 g), for every row g."""
        if takes_all(self.group) and self.inside is None:
            columns = map(self.listed[1].column, self.group._rank(chosen).tolist())
            return sum(columns, np.zeros(self.group.order))[self.group._rank(rows)]
        inverses = self.group._inverse(chosen)
        step = max(1, _CHUNK // max(1, len(rows)))
        found = np.zeros(len(rows))
        for i in range(0, len(chosen), step):
            quotients = self.group._compose(inverses[i : i + step, None], rows[None])
            values = self(quotients.reshape(-1, self.group.width))
            found += values.reshape(-1, len(rows)).sum(axis=0)
        return found


def takes_all(group: Group) -> bool:
    """Whether all elements are candidates."""
    return group.log_order <= math.log(MOST_CANDIDATES * (20 if group.moduli else 1)) + 1e-9


class KernelSearch:
    """Greedy choice and exchanges by a kernel, from several starts among the same candidates."""

    def __init__(self, kernel: SpectrumKernel, most: int, starts: Sequence[Rows] = ()) -> None:
        self.kernel, self.group = kernel, kernel.group
        own = [self.group.identity(), *starts]
        inside = 1 if kernel.inside is None else len(kernel.inside)
        size = max(min(POOL, 16 * POOL // inside), 2 * most)
        self.rows, self.objective = kernel.among(size, np.concatenate(own))
        self.places = Places(len(self.rows))
        ends = np.cumsum([len(rows) for rows in own])
        self.starts = [
            self.group._rank(rows) if takes_all(self.group) else np.arange(end - len(rows), end)
            for rows, end in zip(own, ends.tolist(), strict=True)
        ]

    def nested(self, m: int) -> Rows:
        """The greedy choice alone."""
        return self.rows[greedy(self.objective, self.places, m)]

    def best(self, m: int, start: int = 0, fixed: int = 0) -> Rows:
        """m elements: a start, the greedy choice after it, then exchanges; the first `fixed` stay."""
        return self.rows[self.resized(self.starts[start], m, fixed)]

    def resized(self, chosen: Rows, m: int, fixed: int = 0) -> Rows:
        """Places of m elements: those that add most left out, or the greedy choice, then exchanges."""
        while len(chosen) > m:
            worst = fixed + int(np.argmax(self.objective.potential(chosen)[chosen[fixed:]]))
            chosen = np.delete(chosen, worst)
        chosen = greedy(self.objective, self.places, m, chosen)
        return exchange(self.objective, self.places, chosen, fixed=fixed)[0]

    def first_within(self, allowed: float, most: int, start: int = 0) -> Rows:
        """Places of the greedy choice of as many elements as leave at most this, or of `most`."""
        chosen = self.starts[start]
        energy = self.objective.energy(chosen, 1)
        while len(chosen) < most and energy > allowed * len(chosen) ** 2:
            before = self.objective.potential(chosen)
            chosen = greedy(self.objective, self.places, len(chosen) + 1, chosen)
            energy += 2 * float(before[chosen[-1]]) + self.objective.scale
        return chosen


def search_rows(kernel: SpectrumKernel, m: int, start: Rows | None = None) -> Rows:
    """m elements: the start, the greedy choice after it, then exchanges."""
    return KernelSearch(kernel, m, [] if start is None else [start]).best(m, start is not None)


def search_cosets(kernel: SpectrumKernel, H: Rows, m: int) -> Rows:
    """The best m // |H| left cosets of a subgroup H, one after the other."""
    group, count = kernel.group, m // len(H)
    heads = KernelSearch(kernel.over(H), count).best(count, fixed=1)
    return group._compose(heads[:, None], H[None]).reshape(-1, group.width)


def doubled(kernel: SpectrumKernel, rows: Rows) -> Rows:
    """The rows and the left translate of them that leaves least next to them."""
    group = kernel.group
    among = kernel.among(POOL, group.identity())[0]
    among = among[: max(1, DOUBLED // len(rows))]
    moved = group._compose(among[:, None], rows[None])
    sums = kernel.potentials(rows, moved.reshape(-1, group.width)).reshape(len(among), -1)
    return np.concatenate([rows, moved[int(np.argmin(sums.sum(axis=1)))]])


def polished(kernel: SpectrumKernel, rows: Rows) -> Rows:
    """Every element in turn to the best of its neighbours, as long as that helps and work is left."""
    group, moves = kernel.group, small_moves(kernel.group)
    if not len(moves) or len(rows) < 2:
        return rows
    rng = keyed_rng(0, f"sparseaug moves {group.name}")

    def neighbours(row: Rows) -> Rows:
        return group._compose(row[None], moves[rng.permutation(len(moves))[:MOVES]])

    scale = abs(float(kernel(group.identity())[0]))
    work = QUOTIENTS // (1 if len(rows) <= 64 else 3)
    tries = work // (len(rows) * (1 + min(MOVES, len(moves))))
    objective = Between(kernel.potentials, scale, max(1, tries))
    return exchange(objective, Moves(group, neighbours, once=True), rows)[0]


def small_moves(group: Group) -> Rows:
    """Elements near the identity: exchanges of two points, changes of one coordinate; none of others."""
    if group.factors:
        parts = []
        for i, factor in enumerate(group.factors):
            own = small_moves(factor)
            whole = [np.repeat(f.identity(), len(own), axis=0) for f in group.factors]
            whole[i] = own
            parts.append(np.concatenate(whole, axis=1))
        return np.concatenate(parts)
    if group.moduli is not None:
        unit = np.eye(group.width, dtype=np.int64)
        both = np.concatenate([unit, (np.array(group.moduli) - 1) * unit])
        return np.unique(both, axis=0)
    if group.transform == "young":
        return exchanges(group.width, even=group.even)
    if group.transform == "signed":
        n = group.width // 2
        swapped = np.pad(exchanges(n, even=False), ((0, 0), (0, n)))
        flipped = np.repeat(group.identity(), n, axis=0)
        flipped[:, n:] = np.eye(n)
        return np.concatenate([swapped, flipped])
    return group.identity()[:0]
