"""The sets that are compared: by the library, from its catalogue, and by the rules that people use."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import sparseaug as sa
from sparseaug.designs.constructions import known_designs
from sparseaug.errors import SparseAugError
from sparseaug.groups import Group, Rows
from sparseaug.spectrum.spectrum import Spectrum

Rule = Callable[[Group, int, np.random.Generator], Rows]

SEARCHED = ("search", "nested", "full")  # names that are not sets of the catalogue
FIELD_SEEDS = 5  # rules that draw are averaged over so many


class Contender(NamedTuple):
    """A set of at most m elements; several of a rule that draws, none where all draws are meant."""

    kind: str
    name: str
    size: int
    samples: tuple[sa.GroupSample, ...] = ()
    seconds: float = 0.0


def contenders(group: Group, m: int, spectrum: Spectrum, field: Rule) -> Iterator[Contender]:
    """Everything that one could take at this m."""
    yield Contender("draws", "draws", m)
    yield Contender("distinct", "distinct draws", m)
    for kind in LIBRARY:
        yield from made(kind, group, m, spectrum)
    yield from catalogue(group, m)
    rules = [field(group, m, np.random.default_rng(seed)) for seed in range(FIELD_SEEDS)]
    unique = {rows.tobytes(): sa.GroupSample(group, rows) for rows in rules}
    yield Contender("field", field.__name__, m, tuple(unique.values()))


def made(kind: str, group: Group, m: int, spectrum: Spectrum) -> Iterator[Contender]:
    """What the library makes of at most m elements; nothing where it says that it cannot."""
    start = time.perf_counter()
    try:
        S = LIBRARY[kind](group, m, spectrum)
    except SparseAugError:
        return
    yield Contender(kind, str(S.origin.design), S.m, (S,), time.perf_counter() - start)


LIBRARY: dict[str, Callable[[Group, int, Spectrum], sa.GroupSample]] = {
    "spectrum": lambda group, m, spectrum: sa.design(group, m=m, spectrum=spectrum),
    "prior": lambda group, m, _: sa.design(group, m=m),
    "deviation": lambda group, m, _: sa.design(group, m=m, objective="deviation"),
}


def catalogue(group: Group, m: int) -> Iterator[Contender]:
    """Every design of at most m elements that has a name, and of those of any size the one of m."""
    for one in known_designs(group):
        if one.name in SEARCHED or (one.m is not None and one.m > m):
            continue
        try:
            S = sa.design(group, name=one.name, m=m if one.m is None else None)
        except SparseAugError:
            continue  # a size that this design does not have
        yield Contender("catalogue", one.name, S.m, (S,))


def even(group: Group, m: int, rng: np.random.Generator) -> Rows:
    """Even shifts, rounded; of a grid in two directions, as many in one as in the other, about."""
    rows = max(d for d in range(1, math.isqrt(m) + 1) if m % d == 0)
    moduli = group.moduli or ()
    counts = [m] if len(moduli) == 1 else [rows, m // rows]
    axes = [
        np.round(np.arange(count) * n / count).astype(np.int64) % n
        for count, n in zip(counts, moduli, strict=True)
    ]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(m, -1)


def even_mirrored(group: Group, m: int, rng: np.random.Generator) -> Rows:
    """Even shifts, each also mirrored."""
    shifts = even(sa.cyclic(group.order // 2), m // 2, rng)[:, 0]
    return np.stack([np.repeat(shifts, 2), np.tile([0, 1], m // 2)], axis=1)


def quarter_turns(group: Group, m: int, rng: np.random.Generator) -> Rows:
    """All four; as it is and mirrored, of two."""
    return np.array([[0, 0], [0, 1]] if m == 2 else [[a, 0] for a in range(m)])


def even_turned(group: Group, m: int, rng: np.random.Generator) -> Rows:
    """All mirrors and quarter turns at even shifts."""
    side = math.isqrt(group.order // 8)
    shifts = np.repeat(even(sa.abelian(side, side), m // 8, rng), 8, axis=0)
    turns = np.array([[a, f] for a in range(4) for f in range(2)])
    return np.concatenate([shifts, np.tile(turns, (m // 8, 1))], axis=1)


def cyclic_orders(n: int) -> Rule:
    """Cyclic shifts of random orders: Latin squares, as far as m goes."""

    def rule(group: Group, m: int, rng: np.random.Generator) -> Rows:
        places = np.arange(n)
        squares = [
            rng.permutation(n)[(places + places[:, None]) % n] for _ in range(math.ceil(m / n))
        ]
        return np.concatenate(squares)[:m]

    return rule


def opposite_signs(d: int) -> Rule:
    """Random signs, each with its opposite."""

    def rule(group: Group, m: int, rng: np.random.Generator) -> Rows:
        half = rng.integers(2, size=(m // 2, d))
        return np.stack([half, 1 - half], axis=1).reshape(m, d)

    return rule


def side_by_side(first: Rule, second: Rule) -> Rule:
    def rule(group: Group, m: int, rng: np.random.Generator) -> Rows:
        return np.concatenate([first(group, m, rng), second(group, m, rng)], axis=1)

    return rule


def spirals(group: Group, m: int, rng: np.random.Generator) -> Rows:
    """Super-Fibonacci spirals of unit quaternions (Alexa, CVPR 2022); psi^4 = psi + 4."""
    s = np.arange(m) + 0.5
    inner, outer = np.sqrt(s / m), np.sqrt(1 - s / m)
    a, b = 2 * np.pi * s / math.sqrt(2), 2 * np.pi * s / 1.533751168755204288118041
    parts = inner * np.sin(a), inner * np.cos(a), outer * np.sin(b), outer * np.cos(b)
    return sa.rotations(3).canonical(np.stack(parts, axis=1))
