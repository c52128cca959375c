"""Sets of permutations that send every t-tuple of points to every t-tuple equally often.

They are exact to degree t. Other names: ordered designs OD(t, n, n), t-transitive sets (Martin and Sagan
2006). Sought are unions of cosets a H of a subgroup. With L(x) the orbit of a tuple x under H, a set is
even if and only if for each tuple y the orbits L(b y), b = a^-1, are met as often as their sizes tell.
All b may be asked to become each other by pairs (f, g) as f b g^-1, f in the normaliser of H: then it is
- a small program in integers, over all b (n <= 8) or a sample: the method of Kramer and Mesner (1976);
- or annealing over the b, where more of them are needed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from studies.records import Record, Rows, groups
from studies.records.cells import anneal, cells_of, through
from studies.records.sizes import tuples_size
from studies.records.table import encoded

LONGEST = 12_000
"""Characters of rows and generators of a record: the tables stay small."""

LARGEST = 600_000
"""Elements of a set, so that it can be checked by counting."""

MOST_EQUATIONS = 600
"""Equations of a program in integers; more take longer than a try."""


def tasks() -> list[Record]:
    """All questions: n = 3 to 16, degree 1 to 4, below the degree at which only S_n is exact."""
    return [
        {"group": f"S{n}", "criterion": "exact", "degree": t}
        for n in range(3, 17)
        for t in range(1, min(4, n - 2) + 1)
    ]


def known() -> Iterator[Record]:
    """Groups: t-transitive, from the list of Jordan and Mathieu to 2^4:A7."""
    for n in range(3, 17):
        offers: list[tuple[str, Rows]] = [("cyclic shifts", groups.cyclic(n))]
        if groups.prime_base(n):
            offers.append((f"AGL(1,{n}), sharply 2-transitive", groups.affine(n)))
        if n > 3 and groups.prime_base(n - 1):
            offers.append(
                (f"PSL(2,{n - 1}) on the projective line", groups.projective(n - 1, special=True))
            )
            offers.append((f"PGL(2,{n - 1}), sharply 3-transitive", groups.projective(n - 1)))
        if n in (11, 12):
            offers.append((f"M{n} (Mathieu 1861)", groups.mathieu(n)))
        if n == 15:
            offers.append(("A7 on 15 points, in PGL(4,2)", groups.inside(15, 2520, "PGL(4,2)", 2)))
        if n == 16:
            offers.append(("2^4:A7 in AGL(4,2)", groups.inside(16, 40320, "AGL(4,2)", 3)))
        if 4 <= n <= 9:
            offers.append((f"A{n}, the even permutations", groups.symmetric(n, even=True)))
        for source, generators in offers:
            H = groups.closure(generators, LARGEST)
            for t in range(1, min(4, n - 2) + 1):
                if H is not None and groups.is_transitive(H, t):
                    yield record(n, t, len(H), source, np.arange(n)[None], generators)


def record(n: int, t: int, m: int, source: str, rows: Rows, generators: Rows) -> Record:
    """A candidate."""
    return {
        "group": f"S{n}",
        "criterion": "exact",
        "degree": t,
        "m": m,
        "value": "0",
        "source": source,
        "rows": encoded(rows),
        "generators": encoded(generators),
    }


def improve(task: Record, best: Record | None, seed: int, seconds: float) -> Record | None:
    """Unions of double cosets of random subgroups, until the time is over."""
    n, t = int(task["group"][1:]), task["degree"]
    least, _ = tuples_size(n, t)
    unit = math.perm(n, t)
    most = min(LARGEST if best is None else best["m"] - 1, LARGEST) // unit
    if most * unit < least:
        return None
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        problem = drawn(n, t, most, rng)
        if problem is None:
            continue
        for method in (programmed, annealed):
            left = min(end - time.monotonic(), max(seconds / 6, 3))
            if left <= 0:
                break
            found = method(problem, least // unit, most, rng, left)
            if found is not None:
                return found
    return None


@dataclass(frozen=True)
class Problem:
    """A subgroup H, and pairs (f, g) with which the set of all b is the same as that of all f b g^-1.

    `label` is the orbit of a tuple under H, `cells[y, j]` the orbit of (y, O_j) under the pairs, and
    `each` the sum of |O_j| over a cell: a b meets a cell that often on average, divided by the tuples.
    """

    n: int
    t: int
    name: str
    generators: Rows
    H: Rows
    pairs: Rows
    label: NDArray[np.int64]
    sizes: NDArray[np.int64]
    tuples: Rows
    cells: Rows
    each: NDArray[np.int64]

    @property
    def order(self) -> int:
        """Elements that come with one b at most."""
        return len(self.H) * len(self.pairs)

    def columns(self, b: Rows) -> NDArray[np.int64]:
        """How often b meets each cell: one line for each b."""
        codes = b[:, self.tuples] @ self.n ** np.arange(self.t)[::-1]
        cells = self.cells[np.arange(len(self.tuples)), self.label[codes]]
        flat = cells + np.arange(len(b))[:, None] * len(self.each)
        return np.bincount(flat.ravel(), minlength=len(b) * len(self.each)).reshape(len(b), -1)

    def images(self, b: Rows) -> Rows:
        """All f b g^-1."""
        f, g = self.pairs[:, : self.n], self.pairs[:, self.n :] - self.n
        return np.take_along_axis(f, b[np.argsort(g, axis=1)], axis=1)

    def candidate(self, chosen: Rows) -> Record | None:
        """The set of these b, if it is exact and can be written down."""
        cosets: dict[int, Rows] = {}
        for b in chosen:
            rows = np.argsort(self.images(b), axis=1)
            keys = np.array([_keys(row[self.H]).min() for row in rows])
            for key, row in zip(keys.tolist(), rows, strict=True):
                cosets.setdefault(key, row)
        rows = np.array(list(cosets.values()))
        m = len(rows) * len(self.H)
        if rows.size + self.generators.size > LONGEST or m > LARGEST:
            return None
        if not is_exact(rows, self.label, self.sizes, self.t):
            return None
        source = f"search: {len(rows)} cosets of {self.name}"
        return record(self.n, self.t, m, source, rows, self.generators)


def is_exact(rows: Rows, label: NDArray[np.int64], sizes: NDArray[np.int64], t: int) -> bool:
    """Whether a^-1 sends every tuple equally often, by size, into each orbit, over all rows a."""
    n = rows.shape[1]
    inverse = np.argsort(rows, axis=1)
    for y in combinations(range(n), t):
        counts = np.bincount(label[inverse[:, y] @ n ** np.arange(t)[::-1]], minlength=len(sizes))
        if (counts * math.perm(n, t) != len(rows) * sizes).any():
            return False
    return True


def drawn(n: int, t: int, most: int, rng: np.random.Generator) -> Problem | None:
    """A random subgroup and random pairs; None where no set of so small an index can be made of them."""
    limit = min(most * math.perm(n, t), 6000)
    name, around, generators, H = groups.subgroup(n, rng, limit)
    label, sizes = _orbits(H, t)
    if len(sizes) == 1 or np.lcm.reduce(len(H) // sizes) > most:
        return None
    one = np.arange(n)
    given = [np.r_[one, n + one]]
    kind = rng.random()
    if kind < 0.75:
        more = generators if kind < 0.3 else groups.subgroup(n, rng, limit)[2]
        given += [np.r_[one, n + g] for g in more]
    if kind > 0.6 or rng.random() < 0.5:
        for _ in range(rng.integers(1, 3)):
            f = groups.random_element(around, rng)
            if np.isin(_keys(f[generators[:, np.argsort(f)]]), _keys(H)).all():
                given.append(np.r_[f, n + f])
    pairs = groups.closure(np.array(given), limit)
    if pairs is None:
        return None
    tuples = np.array(list(combinations(range(n), t)))
    if len(tuples) * len(sizes) / len(pairs) > MOST_EQUATIONS:
        return None
    cells = cells_of(np.array(given), tuples, label, sizes)
    each = np.bincount(cells.ravel(), np.broadcast_to(sizes, cells.shape).ravel()).astype(np.int64)
    return Problem(n, t, name, generators, H, pairs, label, sizes, tuples, cells, each)


def programmed(
    problem: Problem, least: int, most: int, rng: np.random.Generator, seconds: float
) -> Record | None:
    """A program in integers: which b, so that all cells are met evenly and the index is least."""
    end = time.monotonic() + seconds
    b = _every(problem) if problem.n <= 8 else _sample(problem, rng)
    inside = np.sort(_keys(problem.H))
    shared = np.array([
        np.isin(_keys(problem.images(x)[:, back]), inside).sum()
        for x, back in zip(b, np.argsort(b, axis=1), strict=True)
    ])  # fmt: skip
    A = problem.columns(b)
    if problem.n > 8:  # the same column may be the same set
        _, first = np.unique(np.column_stack([A, shared]), axis=0, return_index=True)
        b, A, shared = b[first], A[first], shared[first]
    fits = problem.order // shared <= most * math.perm(problem.n, problem.t)
    b, A, shared = b[fits], A[fits], shared[fits]
    left = end - time.monotonic()
    if len(b) == 0 or left < 0.3:
        return None
    # The sum of |H| |pairs| / shared is the index times the tuples.
    matrix = np.column_stack([(A / shared[:, None]).T, -problem.each / problem.order])
    cost = np.zeros(len(b) + 1)
    cost[-1] = 1
    result = milp(
        cost,
        constraints=LinearConstraint(np.unique(matrix, axis=0), 0, 0),
        integrality=np.ones(len(cost)),
        bounds=Bounds(np.r_[np.zeros(len(b)), least], np.r_[np.ones(len(b)), most]),
        options={"time_limit": left},
    )
    return None if result.x is None else problem.candidate(b[result.x[:-1] > 0.5])


def _every(problem: Problem) -> Rows:
    """One b for each set of all h f b g^-1."""
    everything = np.array(list(permutations(range(problem.n))))
    keys = _keys(everything)
    by_key = np.argsort(keys)
    keys = keys[by_key]
    seen = np.zeros(len(keys), bool)
    chosen = []
    for place in range(len(keys)):
        if not seen[place]:
            b = everything[by_key[place]]
            chosen.append(b)
            seen[np.searchsorted(keys, _keys(problem.H[:, problem.images(b)]).ravel())] = True
    return np.array(chosen)


def _sample(problem: Problem, rng: np.random.Generator) -> Rows:
    """Random b, most of them with f b g^-1 = h b for a pair and an h: they make smaller sets."""
    n, H, pairs = problem.n, problem.H, problem.pairs
    count = int(np.clip(2_000_000 // (len(pairs) * n), 60, 1500))
    chosen = []
    for _ in range(count):
        b = rng.permutation(n)
        for _ in range(12):
            pair, h = pairs[rng.integers(len(pairs))], H[rng.integers(len(H))]
            mine, theirs = _cycles(pair[n:] - n, rng), _cycles(h[pair[:n]], rng)
            if [len(c) for c in mine] == [len(c) for c in theirs] and len(mine) < n:
                b[np.concatenate(mine)] = np.concatenate(theirs)
                break
        chosen.append(b)
    return np.array(chosen)


def _cycles(g: Rows, rng: np.random.Generator) -> list[list[int]]:
    """The cycles by length, those of one length and the starts within them in random order."""
    seen: set[int] = set()
    cycles = []
    for start in rng.permutation(len(g)).tolist():
        if start not in seen:
            cycle = [start]
            while (after := int(g[cycle[-1]])) != start:
                cycle.append(after)
            seen.update(cycle)
            cycles.append(cycle)
    return sorted(cycles, key=len)


def annealed(
    problem: Problem, least: int, most: int, rng: np.random.Generator, seconds: float
) -> Record | None:
    """As many random b as the index needs, changed by exchanges until all cells are met evenly."""
    unit = math.perm(problem.n, problem.t)
    numbers = [
        g * unit // problem.order for g in range(least, most + 1) if g * unit % problem.order == 0
    ]
    numbers = [
        k
        for k in numbers
        if k * len(problem.pairs) * problem.n <= LONGEST and not (k * problem.each % unit).any()
    ]
    if not numbers:
        return None
    k = int(numbers[min(int(rng.exponential(len(numbers) / 3)), len(numbers) - 1)])
    near = through(problem.tuples, problem.n)
    end = time.monotonic() + seconds
    steps = 100_000
    while time.monotonic() < end:
        b = np.array([rng.permutation(problem.n) for _ in range(k)])
        off = problem.columns(b).sum(axis=0) - k * problem.each // unit
        for warmth in np.geomspace(3.0, 0.25, 24) * math.sqrt(problem.t):
            rest = anneal(
                b,
                off,
                problem.tuples,
                problem.cells,
                problem.label,
                *near,
                warmth,
                steps // 24,
                rng,
            )
            if rest == 0 or time.monotonic() > end:
                break
        if rest == 0:
            found = problem.candidate(b)
            if found is not None and found["m"] == k * problem.order:
                return found
        steps *= 2
    return None


def _orbits(H: Rows, t: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The orbit of each t-tuple, by its digits in base n, and the sizes of the orbits."""
    n = H.shape[1]
    weights = n ** np.arange(t)[::-1]
    label = np.full(n**t, -1)
    sizes: list[int] = []
    for x in permutations(range(n), t):
        if label[np.dot(x, weights)] < 0:
            orbit = np.unique(H[:, x] @ weights)
            label[orbit] = len(sizes)
            sizes.append(len(orbit))
    return label, np.array(sizes)


def _keys(rows: Rows) -> NDArray[np.uint64]:
    """A number for each permutation."""
    n = rows.shape[-1]
    return rows.astype(np.uint64) @ n ** np.arange(n, dtype=np.uint64)
