"""The S that leaves least of a function: greedy choice and exchanges by the kernel of its spectrum.

With var_u the variance of a function in the block u and phi_u its character (`groups.degrees`), the mean
over S leaves (1/m^2) sum_{s,t in S} k(s^-1 t) of it, k(q) = sum_u var_u phi_u(q): a positive-definite
class function. The potential P(g) = sum_{s in S} k(s^-1 g) says what g would add: the greedy choice
takes the least of it again and again, so every prefix is a choice of its own (kernel herding). An
exchange takes one element out and puts in the least of what is left, and lowers the sum or does nothing.

The candidates are all elements of a group that can be listed, else a pool; there small moves follow:
two images exchanged, one coordinate changed. A candidate may stand for a coset of a subgroup H: by the
mean of k over H the same search finds the best union of cosets.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparseaug.designs.descent import exchanges
from sparseaug.designs.search import TIE, Values, mixed_turns
from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.abelian import Characters
from sparseaug.sampling import keyed_rng
from sparseaug.spectral.regular import left_translations

MOST_CANDIDATES = 50_000
"""Elements of a group that are all candidates; of an abelian one twenty times as many."""

POOL = 4096
"""Candidates in a larger group, or twice as many as are asked for; fewer cosets of large subgroups."""

EXCHANGES = 200_000_000
"""Potentials looked at by exchanges, a second or so; on every machine the same."""

QUOTIENTS = 2_000_000
"""Quotients looked at by small moves, two seconds or so."""

DOUBLED = 20_000
"""Elements of translates that are tried for standing beside a set."""

PASSES = 30

MOVES = 256
"""Small moves of one element that are tried at a time."""

_KEPT = 1 << 25  # entries of columns kept: 256 MB
_CHUNK = 1 << 18


@dataclass(frozen=True)
class Kernel:
    """k on the rows of a group."""

    group: Group
    blocks: Degrees
    weights: Values
    inside: Rows | None = None  # of a subgroup H: then the mean of k(q h) over h in H

    def __call__(self, rows: Rows) -> Values:
        """k of each row."""
        if self.inside is None:
            return self._plain(rows)
        moved = self.group.compose(rows[:, None], self.inside[None])
        step = max(1, _CHUNK // len(self.inside))
        parts = [moved[i : i + step] for i in range(0, len(rows), step)]
        found = [self._plain(p.reshape(-1, p.shape[-1])).reshape(len(p), -1).mean(1) for p in parts]
        return np.concatenate(found)

    def _plain(self, rows: Rows) -> Values:
        known = self.group.known_as().rows(rows)
        if self._by_character is not None:
            return self._by_character[self.blocks.group.rank(known)]
        table, index = self.blocks.characters(known)
        return np.asarray((table @ self.weights)[index])

    @cached_property
    def _by_character(self) -> Values | None:
        """By rank, of an abelian group whose characters can be listed: the transform of the weights."""
        group, owners = self.blocks.group, self.blocks.owners
        if not isinstance(self.blocks.alone or self.blocks, Characters):
            return None
        cube = np.zeros(group.order)
        cube[1:] = (self.weights / np.bincount(owners))[owners]
        return np.fft.fftn(cube.reshape(group.moduli or ())).real.reshape(-1)

    @cached_property
    def listed(self) -> Listed:
        """All elements, as candidates."""
        return Listed(self)

    def seconds(self, m: int) -> float:
        """About how long a search takes."""
        if not takes_all(self.group):
            return 1.5e-6 * (max(POOL, 2 * m) * m * 4 + QUOTIENTS)
        size = self.group.order
        return 2e-9 * (min(EXCHANGES, 4 * m * size) + (1 if self.group.moduli else 10) * m * size)

    def potentials(self, chosen: Rows, rows: Rows) -> Values:
        """sum over s in chosen of k(s^-1 g), for every row g."""
        if takes_all(self.group):
            columns = map(self.listed.column, self.group.rank(chosen).tolist())
            return sum(columns, np.zeros(self.group.order))[self.group.rank(rows)]
        inverses = self.group.inverse(chosen)
        step = max(1, _CHUNK // max(1, len(rows)))
        found = np.zeros(len(rows))
        for i in range(0, len(chosen), step):
            quotients = self.group.compose(inverses[i : i + step, None], rows[None])
            values = self(quotients.reshape(-1, self.group.width))
            found += values.reshape(-1, len(rows)).sum(axis=0)
        return found


class Candidates(ABC):
    """Elements among which to choose, and how each sees the others."""

    def __init__(self, kernel: Kernel, rows: Rows) -> None:
        self.kernel, self.group, self.rows = kernel, kernel.group, rows
        self._columns: dict[int, Values] = {}

    def column(self, place: int) -> Values:
        """k(t^-1 g) for all candidates g, t the one at this place; kept for the next who asks."""
        if place not in self._columns:
            if len(self._columns) * len(self.rows) > _KEPT:
                self._columns.clear()
            self._columns[place] = self._column(place)
        return self._columns[place]

    @abstractmethod
    def _column(self, place: int) -> Values: ...


class Listed(Candidates):
    """All elements of a group, in rank order."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel, kernel.group.all_elements())
        self._values = np.concatenate(
            [kernel(self.rows[i : i + _CHUNK]) for i in range(0, len(self.rows), _CHUNK)]
        )

    def _column(self, place: int) -> Values:
        """By a shift of the table, or along a translation."""
        moduli = self.group.moduli
        if moduli is None:
            inverse = self.group.inverse(self.rows[place : place + 1])
            return self._values[left_translations(self.group, inverse)[0]]
        if set(moduli) == {2}:
            return self._values[np.arange(len(self.rows)) ^ place]
        cube = self._values.reshape(moduli)
        return np.roll(cube, self.rows[place], tuple(range(len(moduli)))).reshape(-1)


class Pool(Candidates):
    """Some elements of a group."""

    def _column(self, place: int) -> Values:
        """Quotient by quotient."""
        return self.kernel.potentials(self.rows[place : place + 1], self.rows)


class Choosing:
    """What has been chosen among candidates, and the potential of all of them."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.places: list[int] = []
        self.potential = np.zeros(len(candidates.rows))
        self._turns = mixed_turns(len(candidates.rows))

    def _least(self, potential: Values) -> int:
        """Where the least is; nearly equal ones by their turns, on every machine the same."""
        least = potential.min()
        near = np.flatnonzero(potential <= least + TIE * self._size)
        return int(near[np.argmin(self._turns[near])])

    @cached_property
    def _size(self) -> float:
        return float(np.abs(self.candidates.column(0)).max())

    def add(self, m: int) -> None:
        """The greedy choice, until there are m."""
        while len(self.places) < m:
            place = self._least(self.potential) if self.places else 0
            self.put(place)

    def put(self, place: int) -> None:
        """This one more."""
        self.places.append(place)
        self.potential = self.potential + self.candidates.column(place)

    def exchange(self, fixed: int = 0) -> None:
        """One after the other for a better one, until nothing moves; the first `fixed` stay."""
        m, tie = len(self.places), TIE * self._size
        left = EXCHANGES // max(1, len(self.potential))
        still = 0
        at = fixed
        for _ in range(min(left, PASSES * m)):
            old = self.places[at]
            rest = self.potential - self.candidates.column(old)
            new = self._least(rest)
            if rest[new] < rest[old] - tie:
                self.places[at] = new
                self.potential = rest + self.candidates.column(new)
                still = 0
            else:
                still += 1
            if still >= m - fixed:
                return
            at = at + 1 if at + 1 < m else fixed

    @property
    def rows(self) -> Rows:
        """What has been chosen."""
        return self.candidates.rows[self.places]


def takes_all(group: Group) -> bool:
    """Whether all elements are candidates."""
    return group.log_order <= math.log(MOST_CANDIDATES * (20 if group.moduli else 1)) + 1e-9


def candidates(kernel: Kernel, m: int, also: Rows) -> Candidates:
    """All elements, or a keyed pool of them with `also` at its beginning."""
    group = kernel.group
    if takes_all(group):
        return kernel.listed
    rng = keyed_rng(0, f"sparseaug pool {group.name}")
    inside = 1 if kernel.inside is None else len(kernel.inside)
    size = max(min(POOL, 16 * POOL // inside), 2 * m)
    return Pool(kernel, np.concatenate([also, group.sample(size, rng)]))


def places_of(candidates: Candidates, rows: Rows, group: Group) -> list[int]:
    """Where rows are among the candidates: in a pool they stand at the beginning."""
    return group.rank(rows).tolist() if isinstance(candidates, Listed) else list(range(len(rows)))


def best_union(kernel: Kernel, H: Rows, m: int) -> Rows:
    """The best m // |H| left cosets of a subgroup H, one after the other."""
    group, count = kernel.group, m // len(H)
    over = Kernel(group, kernel.blocks, kernel.weights, H)
    choosing = Choosing(candidates(over, count, group.identity()))
    choosing.add(count)
    choosing.exchange(fixed=1)
    return group.compose(choosing.rows[:, None], H[None]).reshape(-1, group.width)


def best_rows(kernel: Kernel, m: int, start: Rows) -> Rows:
    """m elements: the start, the greedy choice after it, then exchanges."""
    group = kernel.group
    among = candidates(kernel, m, start)
    choosing = Choosing(among)
    for place in places_of(among, start, group):
        choosing.put(place)
    choosing.add(m)
    choosing.exchange()
    return choosing.rows


def doubled(kernel: Kernel, rows: Rows) -> Rows:
    """The rows and the left translate of them that leaves least beside them."""
    group = kernel.group
    among = candidates(kernel, len(rows), group.identity()).rows
    if len(among) * len(rows) > DOUBLED:
        among = among[: max(1, DOUBLED // len(rows))]
    moved = group.compose(among[:, None], rows[None])
    sums = kernel.potentials(rows, moved.reshape(-1, group.width)).reshape(len(among), -1)
    return np.concatenate([rows, moved[int(np.argmin(sums.sum(axis=1)))]])


def nested_rows(kernel: Kernel, m: int) -> Rows:
    """The greedy choice alone, from one pool for all m: every prefix is the greedy choice of fewer."""
    choosing = Choosing(candidates(kernel, 1, kernel.group.identity()))
    choosing.add(m)
    return choosing.rows


def moved(kernel: Kernel, rows: Rows) -> Rows:
    """Every element in turn to the best of its neighbours, as long as that helps and work is left."""
    group, moves = kernel.group, small_moves(kernel.group)
    if not len(moves) or len(rows) < 2:
        return rows
    rows, left, still = rows.copy(), QUOTIENTS, 0
    rng = keyed_rng(0, f"sparseaug moves {group.name}")
    tie = TIE * abs(float(kernel(group.identity())[0]))
    at = 0
    while left > 0 and still < len(rows):
        some = moves[rng.permutation(len(moves))[:MOVES]]
        tried = np.concatenate([rows[at : at + 1], group.compose(rows[at : at + 1], some)])
        rest = np.delete(rows, at, axis=0)
        found = kernel.potentials(rest, tried)
        left -= len(rest) * len(tried)
        new = int(np.flatnonzero(found <= found.min() + tie)[0])
        if found[new] < found[0] - tie:
            rows[at], still = tried[new], 0
        else:
            still += 1
        at = (at + 1) % len(rows)
    return rows


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
