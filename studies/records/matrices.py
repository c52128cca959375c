"""Subsets of a listed group with a small largest norm of its irreps, by guided exchange of blocks.

Blocks are single elements, left cosets a H of a small subgroup, pairs {g, g^-1}, or orbits under
conjugation. On the irrep pi the mean of a union of cosets is the mean of the pi(a) V, where V is an
orthonormal basis of the vectors that H fixes: its matrices have d_pi rows and about d_pi / |H| columns.

The energy is sum over pi of tr (M' M)^p with M the sum of the blocks at pi. To first order a block F
changes it by 2p tr F' M (M' M)^(p-1): one product says which block is best to put in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparseaug.designs.worst_case import GREEDY_ORDER, MOST_TRIES, Translations
from sparseaug.search.search import exchanged
from studies.records import Rows

MOST_ENTRIES = 26_000_000  # of a table of blocks: 100 MB, as float32
POOL_ENTRIES = 8_000_000  # of some random elements of a large group
LARGEST_LISTED = 6000  # elements of a group in which swaps are tried
LARGE = 1000  # elements of a group, of which all are seldom looked at
LARGEST_SUBGROUP = 60


class Blocks(NamedTuple):
    """Blocks as ranks of elements (padded by -1), and their matrices in a row, irrep after irrep."""

    members: list[NDArray[np.int64]]
    sizes: NDArray[np.int64]
    table: NDArray[np.float64]
    shapes: NDArray[np.int64]
    how: str
    subgroup: Rows


class Found(NamedTuple):
    """Rows, or rows and generators of a subgroup, with their norm."""

    rows: Rows
    generators: Rows
    value: float
    how: str


def search(
    group: Any, m: int, seed: int, seconds: float, start: Rows | None = None
) -> Found | None:
    """The best m elements found in this time; None where nothing was found."""
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    best: Found | None = None
    averages = Translations(group)
    while time.monotonic() < end:
        if group.order <= LARGEST_LISTED and rng.random() < 0.5:
            swapped = _swapped(group, averages, m, rng, min(end, time.monotonic() + seconds / 3))
            best = min(filter(None, (best, swapped)), key=lambda found: found.value, default=None)
            continue
        blocks = _blocks(rng, group, m, start)
        if blocks is None:
            continue
        until = min(end, time.monotonic() + max(3.0, seconds / 6))
        while time.monotonic() < until:
            chosen = _with_sum(rng, blocks.sizes, m)
            if chosen is None:
                break
            old = start is not None and len(blocks.sizes) == len(np.concatenate(blocks.members))
            if old and rng.random() < 0.6:
                first = np.array([ranks[0] for ranks in blocks.members])
                chosen = np.flatnonzero(np.isin(first, group.rank(start)))
            cost = (
                4e-6 * len(blocks.shapes)
                + 4e-10 * blocks.table.size
                + 4e-9 * float((blocks.shapes**3).sum())
            )
            steps = int(min(10 ** rng.uniform(3, 5), (until - time.monotonic()) / cost)) + 10
            picked = _exchange(
                blocks.table, blocks.sizes, blocks.shapes, chosen, m,
                steps, 0.02 * rng.random() ** 2, int(rng.integers(2, 5)), rng,
            )  # fmt: skip
            value = _norm(blocks, picked) / m
            if best is None or value < best.value - 1e-12:
                best = _found(group, blocks, picked, value)
    return best


def _swapped(
    group: Any, averages: Translations, m: int, rng: np.random.Generator, end: float
) -> Found | None:
    """The greedy choice and swaps of the library, each time from other first elements."""
    found: list[tuple[float, tuple[int, ...]]] = []
    while time.monotonic() < end:
        chosen = rng.integers(0, group.order, 2)
        while len(chosen) < m:
            score = averages.score(chosen, GREEDY_ORDER)
            chosen = np.append(chosen, rng.choice(np.argpartition(score, 3)[:3]))
        for S in exchanged(averages, averages.places, chosen, tries=MOST_TRIES):
            found.append((averages.norm(S), tuple(S.tolist())))
    if not found:
        return None
    _, ranks = min(found)
    rows = group.unrank(np.sort(ranks))
    exact = max(float(np.linalg.norm(f(rows).mean(axis=0), 2)) for f in _matrices(group))
    how = "search: greedy choice and swaps in rising order of the energy"
    return Found(rows, rows[:0], exact, how)


def _found(group: Any, blocks: Blocks, picked: NDArray[np.int64], value: float) -> Found:
    if len(blocks.subgroup):
        ranks = np.array([blocks.members[b][0] for b in picked])
        return Found(group.unrank(ranks), blocks.subgroup, value, blocks.how)
    ranks = np.sort(np.concatenate([blocks.members[b] for b in picked]))
    return Found(group.unrank(ranks), np.zeros((0, group.width), np.int64), value, blocks.how)


def _norm(blocks: Blocks, picked: NDArray[np.int64]) -> float:
    total = blocks.table[picked].sum(axis=0, dtype=np.float64)
    at, best = 0, 0.0
    for d, r in blocks.shapes:
        best = max(best, float(np.linalg.norm(total[at : at + d * r].reshape(d, r), 2)))
        at += d * r
    return best


def _blocks(rng: np.random.Generator, group: Any, m: int, start: Rows | None) -> Blocks | None:
    """Blocks of a random kind.

    Cosets lose where m is small: the mean has norm at least that of a set of m / |H| elements.
    """
    if group.order**2 > MOST_ENTRIES or (group.order > LARGE and rng.random() < 0.7):
        return _pool(rng, group, m, start)
    kind = rng.choice(["plain", "plain", "inverses", "conjugates", "conjugates", "cosets"])
    if kind == "plain" or (kind == "cosets" and 12 * m < group.order):
        return _orbit_blocks(group, [np.arange(group.order)], "single elements")
    rows = group.all_elements()
    if kind == "inverses":
        return _orbit_blocks(group, [group.rank(group.inverse(rows))], "pairs of g and its inverse")
    if kind == "cosets":
        H, generators = _subgroup(rng, group, lambda h: m % h == 0 and m > h)
        return None if H is None else _cosets(group, H, generators)
    H, generators = _subgroup(rng, group, lambda h: 1 < h <= max(2, m // 2))
    if H is None:
        return None
    images = [_conjugates(group, rows, g) for g in generators]
    return _orbit_blocks(group, images, f"orbits under conjugation by {len(H)} elements")


def _conjugates(group: Any, rows: Rows, g: Rows) -> NDArray[np.int64]:
    """Ranks of g x g^-1 for each x in rows."""
    left = np.tile(g, (len(rows), 1))
    return group.rank(group.compose(group.compose(left, rows), group.inverse(left)))


def _pool(rng: np.random.Generator, group: Any, m: int, start: Rows | None) -> Blocks:
    """Some random elements of a large group, with those of a start."""
    count = max(4 * m, POOL_ENTRIES // group.order)
    ranks = rng.integers(0, group.order, count - m)
    if start is not None:
        ranks = np.concatenate([ranks, group.rank(start)])
    ranks = np.unique(ranks)
    rows, parts, shapes = group.unrank(ranks), [], []
    for matrices in _matrices(group):
        pieces = [matrices(piece) for piece in np.array_split(rows, 1 + len(rows) // 256)]
        parts.append(np.concatenate(pieces).reshape(len(rows), -1).astype(np.float32))
        shapes.append(pieces[0].shape[1:])
    return Blocks(
        list(ranks[:, None]), np.ones(len(ranks), np.int64), _table(parts),
        np.array(shapes), "search: guided exchange of single elements", rows[:0],
    )  # fmt: skip


def _table(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """All in a row; a large table in float32, which is enough to choose by."""
    table = np.concatenate(parts, axis=1)
    return np.ascontiguousarray(table, np.float32 if table.size > 2_000_000 else np.float64)


def _subgroup(rng: np.random.Generator, group: Any, allowed: Any) -> tuple[Rows | None, Rows]:
    """A subgroup of an allowed size that one or two random elements generate, and these."""
    for _ in range(60):
        generators = group.unrank(rng.integers(0, group.order, int(rng.integers(1, 3))))
        for i in range(len(generators)):  # powers of them have smaller orders
            power = generators[i : i + 1]
            for _ in range(int(rng.integers(0, 3))):
                power = group.compose(power, generators[i : i + 1])
            generators[i] = power[0]
        H = _closure(group, generators)
        if H is not None and 1 < len(H) <= LARGEST_SUBGROUP and allowed(len(H)):
            return H, generators
    return None, np.zeros((0, group.width), np.int64)


def _closure(group: Any, generators: Rows) -> Rows | None:
    found = {tuple(group.identity()[0].tolist())}
    new = group.identity()
    while len(new):
        products = group.compose(
            np.repeat(new, len(generators), axis=0), np.tile(generators, (len(new), 1))
        )
        fresh = {tuple(row) for row in products.tolist()} - found
        found |= fresh
        if len(found) > LARGEST_SUBGROUP:
            return None
        new = np.array(sorted(fresh), np.int64).reshape(-1, group.width)
    return np.array(sorted(found), np.int64)


def _cosets(group: Any, H: Rows, generators: Rows) -> Blocks | None:
    rows = group.all_elements()
    products = group.rank(
        group.compose(np.repeat(rows, len(H), axis=0), np.tile(H, (len(rows), 1)))
    ).reshape(-1, len(H))
    _, first = np.unique(products.min(axis=1), return_index=True)
    parts, shapes = [], []
    for matrices in _matrices(group):
        values, vectors = np.linalg.eigh(matrices(H).mean(axis=0))
        V = vectors[:, values > 0.5]
        if V.shape[1]:
            pieces = np.array_split(rows[first], 1 + len(first) // 256)
            table = np.concatenate([matrices(piece) @ V for piece in pieces])
            parts.append(len(H) * table.reshape(len(first), -1))
            shapes.append(V.shape)
    if not parts:
        return None
    how = f"guided exchange of cosets of a subgroup of order {len(H)}"
    return Blocks(
        list(products[first]), np.full(len(first), len(H)), _table(parts),
        np.array(shapes), f"search: {how}", generators,
    )  # fmt: skip


def _orbit_blocks(group: Any, images: list[NDArray[np.int64]], how: str) -> Blocks:
    """Orbits of all elements under these permutations of their ranks."""
    label = np.arange(group.order)
    while True:  # the least rank of each orbit spreads
        new = label.copy()
        for image in images:
            np.minimum.at(new, image, new)
            new = np.minimum(new, new[image])
        if np.array_equal(new, label):
            break
        label = new
    _, label = np.unique(label, return_inverse=True)
    rows, parts, shapes = group.all_elements(), [], []
    members = [np.flatnonzero(label == b) for b in range(label.max() + 1)]
    for matrices in _matrices(group):
        all_of_them = matrices(rows)
        flat = all_of_them.reshape(len(rows), -1)
        sums = np.zeros((label.max() + 1, flat.shape[1]))
        np.add.at(sums, label, flat)
        parts.append(sums)
        shapes.append(all_of_them.shape[1:])
    return Blocks(
        members, np.bincount(label), _table(parts), np.array(shapes),
        f"search: guided exchange of {how}", np.zeros((0, group.width), np.int64),
    )  # fmt: skip


def _matrices(group: Any) -> Iterator[Callable[[Rows], NDArray[np.float64]]]:
    """The non-trivial irreps as functions from rows to real matrices, complex ones in twice the size."""
    generators = group.generators()
    for irrep in group.irreps():
        M = irrep.matrices(generators)
        if irrep.dimension == 1 and np.allclose(M, 1):
            continue
        yield _doubled(irrep.matrices) if np.abs(M.imag).max() > 1e-9 else _real(irrep.matrices)


def _doubled(matrices: Any) -> Callable[[Rows], NDArray[np.float64]]:
    def blocks(rows: Rows) -> NDArray[np.float64]:
        M = matrices(rows)
        return np.block([[M.real, -M.imag], [M.imag, M.real]])

    return blocks


def _real(matrices: Any) -> Callable[[Rows], NDArray[np.float64]]:
    return lambda rows: np.ascontiguousarray(matrices(rows).real)


def _with_sum(
    rng: np.random.Generator, sizes: NDArray[np.int64], m: int
) -> NDArray[np.int64] | None:
    """Random blocks with m elements together; None if there are none."""
    for _ in range(20):
        chosen, left = [], m
        for b in rng.permutation(len(sizes)):
            if sizes[b] <= left:
                chosen.append(b)
                left -= sizes[b]
            if left == 0:
                return np.array(chosen) if len(chosen) < len(sizes) else None
    return None


@njit(cache=True)
def _energy(total, shapes, scale, power, gradient):  # type: ignore[no-untyped-def]
    """log of the sum of tr (M' M / scale)^p over the irreps, over p = 2^power; and its gradient."""
    at, energy = 0, 0.0
    for s in range(len(shapes)):
        d, r = shapes[s]
        if d == 1 and r == 1:
            x = total[at]
            e = x * x / scale
            lower = 1.0
            for _ in range(power):
                lower *= e
                e *= e
            energy += e
            gradient[at] = x * lower
        else:
            M = total[at : at + d * r].reshape(d, r)
            G = np.dot(M.T, M) / scale
            lower_power = np.eye(r)
            for _ in range(power):
                lower_power = np.dot(lower_power, G)
                G = np.dot(G, G)
            energy += np.trace(G)
            gradient[at : at + d * r] = np.dot(M, lower_power).ravel()
        at += d * r
    return np.log(energy + 1e-300) / 2**power


@njit(cache=True)
def _exchange(table, sizes, shapes, chosen, m, steps, heat, power, rng):  # type: ignore[no-untyped-def]
    """One block out, one of the best in its place; kept if the energy falls, or by chance while warm."""
    inside = np.zeros(len(sizes), np.bool_)
    chosen = chosen.copy()
    total = np.zeros(table.shape[1])
    for b in chosen:
        inside[b] = True
        total += table[b]
    gradient = np.zeros(table.shape[1])
    scale = float(m)
    now = _energy(total, shapes, scale, power, gradient)
    best, least = chosen.copy(), 1e300
    for step in range(steps):
        if step == 6 * steps // 10 or step == 8 * steps // 10:
            power = power + 1 if power < 5 and step < 7 * steps // 10 else 6
            now = _energy(total, shapes, scale, power, gradient)
        i = rng.integers(0, len(chosen))
        if rng.random() < 0.3:  # the worst of a few
            for _ in range(3):
                j = rng.integers(0, len(chosen))
                if np.sum(table[chosen[j]] * gradient) > np.sum(table[chosen[i]] * gradient):
                    i = j
        old = chosen[i]
        rest = total - table[old]
        _energy(rest, shapes, scale, power, gradient)
        scores = np.dot(table, gradient.astype(table.dtype))
        top = -1
        depth = 1 + int(-np.log(rng.random() + 1e-12) * (6 * (1 - step / steps) + 0.5))
        order = np.argsort(scores)
        for b in order:
            if not inside[b] and b != old and sizes[b] == sizes[old]:
                top = b
                depth -= 1
                if depth == 0:
                    break
        if top < 0:
            _energy(total, shapes, scale, power, gradient)
            continue
        trial = rest + table[top]
        new = _energy(trial, shapes, scale, power, gradient)
        t = heat * (1 - step / steps) ** 2 + 1e-9
        if new <= now or rng.random() < np.exp((now - new) / t):
            total, now = trial, new
            inside[old], inside[top] = False, True
            chosen[i] = top
            if new < least and power == 6:
                least = new
                best[:] = chosen
        else:
            _energy(total, shapes, scale, power, gradient)
    return best if least < 1e300 else chosen
