"""`orders(for_=...)` on fourteen statistics: error next to random orders. One minute; --places four.

    python -m studies.orders_for --out orders_for.csv
    python -m studies.orders_for --places --out places.csv

Of each statistic the mean over m orders is compared with its mean over all (of which random ones are
many), for new parameters and a new seed every time; "left" is the squared error divided by what as many
random orders leave on average, and "noise" twice its standard error. The rival is the default balance.
With --places the orders are chosen by a spectrum that keeps places, from 512 draws of 16 other inputs,
and the rival is the balance that suits.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparseaug as sa
from studies.pages.tables import write_table

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
Rng = np.random.Generator


def normal(rng: Rng, *shape: int) -> Floats:
    """Independent normal numbers."""
    return np.asarray(rng.normal(size=shape))


def of_places(rows: Rows) -> Rows:
    """places[r, item]: where each item is."""
    return np.argsort(rows, axis=1)


def shapley(rows: Rows, rng: Rng) -> Floats:
    """What item 0 adds to those before it, in a game with interactions of all sizes."""
    n = rows.shape[1]
    weights, bend = normal(rng, n), normal(rng, 3)
    before = of_places(rows) < of_places(rows)[:, :1]
    total = before @ weights
    return worth(total + weights[0], bend) - worth(total, bend)


def worth(x: Floats, bend: Floats) -> Floats:
    return np.asarray(bend[0] * np.tanh(x) + bend[1] * np.cos(x) + bend[2] * x)


def precedence(rows: Rows, rng: Rng) -> Floats:
    """Weights for every a before b: an order-of-addition response."""
    at, n = of_places(rows), rows.shape[1]
    return np.asarray(((at[:, :, None] < at[:, None]) * normal(rng, n, n)).sum(axis=(1, 2)))


def between(rows: Rows, rng: Rng) -> Floats:
    """Which of three items is in the middle, weighted over all three."""
    at, w = of_places(rows)[:, :3], normal(rng, 3)
    return np.asarray(w[np.argsort(at, axis=1)[:, 1]])


def last(rows: Rows, rng: Rng) -> Floats:
    return np.asarray(normal(rng, rows.shape[1])[rows[:, -1]])


def one_place(rows: Rows, rng: Rng) -> Floats:
    return np.asarray(normal(rng, rows.shape[1])[of_places(rows)[:, 0]])


def discounted(rows: Rows, rng: Rng) -> Floats:
    n = rows.shape[1]
    return np.asarray(normal(rng, n)[rows] @ 0.7 ** np.arange(n))


def two_places(rows: Rows, rng: Rng) -> Floats:
    at, n = of_places(rows), rows.shape[1]
    return np.asarray(normal(rng, n, n)[at[:, 0], at[:, 1]])


def distance(rows: Rows, rng: Rng) -> Floats:
    """How far two items are apart: the same for the reverse."""
    at = of_places(rows)
    return np.asarray(normal(rng, rows.shape[1])[abs(at[:, 0] - at[:, 1])])


def carried_over(rows: Rows, rng: Rng) -> Floats:
    n = rows.shape[1]
    return np.asarray(normal(rng, n, n)[rows[:, :-1], rows[:, 1:]].sum(axis=1))


def tour(rows: Rows, rng: Rng) -> Floats:
    """The length of a path through random points: the same for the reverse."""
    points = normal(rng, rows.shape[1], 2)[rows]
    return np.asarray(np.linalg.norm(np.diff(points, axis=1), axis=2).sum(axis=1))


def first_few(rows: Rows, rng: Rng) -> Floats:
    """A bent function of the set of the first half."""
    n = rows.shape[1]
    return np.asarray(np.tanh(2 * normal(rng, n)[rows[:, : n // 2]].sum(axis=1)))


def largest(rows: Rows, rng: Rng) -> Floats:
    """The largest of the first third, as in the secretary problem."""
    n = rows.shape[1]
    return np.asarray(normal(rng, n)[rows[:, : max(1, n // 3)]].max(axis=1))


def ends(rows: Rows, rng: Rng) -> Floats:
    """The two ends, and the largest step: the same for the reverse, and no balance is made for it."""
    w = normal(rng, rows.shape[1])[rows]
    return np.asarray(abs(np.diff(w, axis=1)).max(axis=1) + w[:, 0] * w[:, -1])


def hashed(rows: Rows, rng: Rng) -> Floats:
    """A function without any structure."""
    return np.asarray(np.sin(1e3 * (np.sin(rows + 1.0) @ normal(rng, rows.shape[1]))))


ORDERS: dict[str, tuple[str, Callable[[Rows, Rng], Floats]]] = {
    "Shapley value": ("shapley", shapley),
    "a before b": ("precedence", precedence),
    "who of three is between": ("reversible", between),
    "the last item": ("places", last),
    "one item's place": ("places", one_place),
    "discounted sum": ("places", discounted),
    "two items' places": ("two places", two_places),
    "distance in the order": ("reversible", distance),
    "carry-over": ("neighbours", carried_over),
    "length of a tour": ("neighbours", tour),
    "set of the first half": ("first", first_few),
    "largest of the first": ("first", largest),
    "ends and largest step": ("reversible", ends),
    "no structure": ("anything", hashed),
}


def left(
    statistic: Callable[[Rows, Rng], Floats],
    makers: dict[str, Callable[[int], Rows]],
    many: Callable[[int, Rng], Rows],
    m: int,
    repeats: int,
) -> dict[str, tuple[float, float]]:
    """By maker: the mean-square error over that of random rows, and twice its standard error."""
    found: dict[str, list[float]] = {name: [] for name in makers}
    for seed in range(repeats):
        every = statistic(many(4000, np.random.default_rng([seed, 1])), np.random.default_rng(seed))
        exact, variance = every.mean(), every.var()
        for name, make in makers.items():
            value = statistic(make(seed), np.random.default_rng(seed)).mean()
            # the mean over 4,000 random rows is off by variance / 4000 on average
            found[name].append(float((value - exact) ** 2 / variance - 1 / 4000) * m)
    return {
        name: (float(np.mean(some)), float(2 * np.std(some) / np.sqrt(repeats)))
        for name, some in found.items()
    }


def random_orders(n: int, m: int, rng: Rng) -> Rows:
    return rng.permuted(np.tile(np.arange(n), (m, 1)), axis=1)


def table(n: int, m: int, repeats: int) -> list[dict[str, Any]]:
    """One line per statistic."""
    lines = []
    for name, (for_, statistic) in ORDERS.items():
        makers: dict[str, Callable[[int], Rows]] = {
            "even": partial(balanced, n, m, for_),
            "rival": lambda seed: sa.orders(n, m, rng=seed),
        }
        result = left(statistic, makers, partial(random_orders, n), m, repeats)
        lines.append(line("for_", name, for_, n, m, result))
    return lines


def chosen_by_places(statistic: Callable[[Rows, Rng], Floats], n: int, m: int) -> Rows:
    """m orders by `orbit_spectrum(by="places")`; an input is n items and the seed of its parameters."""
    act, seeds = sa.permute_axis(sa.symmetric(n), axis=1), 10**6 + np.arange(16)
    items = np.broadcast_to(np.arange(n), (16, n))
    x = np.stack([items, np.broadcast_to(seeds[:, None], (16, n))], axis=2).astype(float)

    def f(x: Floats) -> Floats:
        found, rows = np.empty(len(x)), x[:, :, 0].astype(np.int64)
        for seed in np.unique(x[:, 0, 1]):
            own = x[:, 0, 1] == seed
            found[own] = statistic(rows[own], np.random.default_rng(int(seed)))
        return found

    spectrum = sa.orbit_spectrum(f, act, x, by="places")
    S = sa.design(act.group, m=m, spectrum=spectrum)
    return np.asarray(act.group.inverse(S.elements))


def relabelled(rows: Rows, seed: int) -> Rows:
    return np.asarray(np.random.default_rng([seed, 9]).permutation(rows.shape[1])[rows])


def balanced(n: int, m: int, for_: str, seed: int) -> Rows:
    return sa.orders(n, m, for_=for_, rng=seed)


def places_table(n: int, m: int, repeats: int) -> list[dict[str, Any]]:
    """One line per statistic: rows chosen by a spectrum, next to the balance that suits."""
    lines = []
    for name, (for_, statistic) in ORDERS.items():
        rows = chosen_by_places(statistic, n, m)
        makers: dict[str, Callable[[int], Rows]] = {
            "even": partial(relabelled, rows),
            "rival": partial(balanced, n, m, for_),
        }
        result = left(statistic, makers, partial(random_orders, n), m, repeats)
        lines.append(line("places", name, for_, n, m, result))
    return lines


def line(
    what: str, name: str, chosen: str, n: int, m: int, result: dict[str, tuple[float, float]]
) -> dict[str, Any]:
    (left, noise), (rival, _) = result["even"], result["rival"]
    return {"what": what, "statistic": name, "chosen": chosen, "n": n, "m": m,
            "left": f"{left:.3f}", "noise": f"{noise:.3f}", "rival": f"{rival:.3f}"}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("orders_for.csv"))
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--sizes", nargs="+", help="by default five, and with --places two")
    parser.add_argument("--places", action="store_true")
    given = parser.parse_args()
    usual = ["7,14", "8,16"] if given.places else ["7,7", "7,14", "8,5", "8,16", "12,24"]
    sizes = [tuple(int(part) for part in size.split(",")) for size in given.sizes or usual]
    tables = places_table if given.places else table
    rows = [row for n, m in sizes for row in tables(n, m, given.repeats)]
    write_table(given.out, rows)


if __name__ == "__main__":
    main()
