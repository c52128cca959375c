"""Accuracy over all of G: how often its bounds miss, how close they are, and how many evaluations
they take.

    python -m studies.accuracy [--runs 2000] [--seeds 200] [--out FOLDER] [--tables NPZ]

Models are fitted to 900 of scikit-learn's digits at all 64 shifts, and tried on 500 others. Each
model becomes a table of its errors at every sample and every element, which is the truth; an audit
reads it at the pairs that it draws, so that thousands of audits cost little. `--tables` adds tables
that `studies.accuracy_tables` made. The intervals are those of errors, at the delta and by the
functions that `audit_risk` takes; its statements of accuracy are 1 less these.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier

import sparseaug as sa
from sparseaug.certificate.intervals import Ends, betting, binomial, decided

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[Floats, int, np.random.Generator], Ends]

SIZES = (300, 1000, 3000)
DELTA = 0.05
HALF_WIDTH = 0.02
GROUPS = {8: sa.dihedral(4), 64: sa.abelian(8, 8), 784: sa.abelian(28, 28)}  # of tables, by |G|

exact = lru_cache(maxsize=None)(binomial)  # of few arguments, many times


@lru_cache
def translated(order: int) -> NDArray[np.int64]:
    """Column g: the numbers of the elements s g, for s in the best known S of at most 4."""
    group = GROUPS[order]
    S, every = sa.design(group, m=4).elements, group.all_elements()
    return np.stack([group.rank(group.compose(np.tile(s, (order, 1)), every)) for s in S])


def pairs(table: Floats, count: int, rng: np.random.Generator) -> Floats:
    """The errors of independent uniform pairs."""
    n, order = table.shape
    found = table[rng.integers(n, size=count), rng.integers(order, size=count)]
    return found.astype(np.float64)


def by_binomial(table: Floats, count: int, rng: np.random.Generator) -> Ends:
    """What `audit_risk` does."""
    return exact(int(pairs(table, count, rng).sum()), count, DELTA / 2)


def by_betting(table: Floats, count: int, rng: np.random.Generator) -> Ends:
    """The same pairs, without knowing that losses are 0 or 1."""
    return betting(pairs(table, count, rng), DELTA / 2)


def by_hoeffding(table: Floats, count: int, rng: np.random.Generator) -> Ends:
    """The textbook."""
    mean = float(pairs(table, count, rng).mean())
    off = math.sqrt(math.log(2 / DELTA) / (2 * count))
    return Ends(max(0.0, mean - off), min(1.0, mean + off))


def unequal(wrong: int, count: int, delta: float) -> Ends:
    """`binomial` for the mean probability of trials that may have different ones; delta <= 1/4.

    Let K be a sum of N independent indicators of mean probability p. For c <= N p - 1 the probability of
    K <= c, and for c >= N p that of K > c, are at most the binomial ones (Hoeffding 1956, Theorem 4). So
    a Clopper-Pearson end, where the binomial tail is delta, holds as long as it lies on the far side of
    (K + 1) / N, or of (K - 1) / N. It does for delta <= 1/4, but at K = N - 1 and at K = 1 (Mattner and
    Tasto 2015), where the union bound takes its place: P(K >= 1) <= N p.
    """
    lower, upper = binomial(wrong, count, delta)
    if wrong == 1:
        lower = min(lower, delta / count * (1 - 1e-9))
    if wrong == count - 1:
        upper = max(upper, min(1.0, (1 - delta / count) * (1 + 1e-9)))
    return Ends(lower, upper)


def by_sample(table: Floats, count: int, rng: np.random.Generator) -> Ends:
    """Each sample equally often, with own elements: less noise, and a bound that cannot use it."""
    n, order = table.shape
    which = np.repeat(np.arange(n), max(1, count // n))
    wrong = int(table[which, rng.integers(order, size=len(which))].sum())
    return unequal(wrong, len(which), DELTA / 2)


def by_translates(table: Floats, count: int, rng: np.random.Generator) -> Ends:
    """Means over translates of a design of 4, for samples drawn at random: also `over="population"`."""
    n, order = table.shape
    S = translated(order)
    h = rng.integers(order, size=max(2, count // len(S)))
    which = rng.integers(n, size=len(h))
    return betting(table[which, S[:, h]].mean(axis=0), DELTA / 2)


WAYS: dict[str, Draw] = {
    "pairs, binomial": by_binomial,
    "pairs, betting": by_betting,
    "pairs, Hoeffding": by_hoeffding,
    "each sample equally often": by_sample,
    "translates of 4, betting": by_translates,
}


def stopped(table: Floats, most: int, rng: np.random.Generator, until: float) -> tuple[Ends, int]:
    """A running stop: on which side of this is the risk? As `until=` asks it."""
    seen = np.empty(0)
    while True:
        more = max(32, math.ceil(len(seen) / 20))
        seen = np.concatenate([seen, pairs(table, min(more, most - len(seen)), rng)])
        if len(seen) >= most or decided(seen, until, DELTA / 2, horizon=most):
            return betting(seen, DELTA / 2, horizon=most), len(seen)


def peeked(table: Floats, most: int, rng: np.random.Generator) -> bool:
    """Whether the binomial interval, looked at after every 10 pairs, ever misses: what not to do."""
    wrong, truth = np.cumsum(pairs(table, most, rng)).astype(int), float(table.mean())
    ends = (exact(int(wrong[k - 1]), k, DELTA / 2) for k in range(10, most + 1, 10))
    return any(not low <= truth <= high for low, high in ends)


def laws(rng: np.random.Generator) -> dict[str, Floats]:
    """Tables of errors that are hard: rare, clustered, decided by one element, and friendly ones."""
    n, order = 200, 64
    one = np.zeros((n, order))
    one[:, 7] = 1
    return {
        "1 in 1,000": (rng.random((n, order)) < 0.001).astype(float),
        "none": np.zeros((n, order)),
        "all": np.ones((n, order)),
        "half": (rng.random((n, order)) < 0.5).astype(float),
        "one element decides": one,
        "half of the elements": np.tile(np.arange(order) % 2.0, (n, 1)),
        "samples all wrong or all right": np.repeat((np.arange(n) < 30)[:, None], order, 1) * 1.0,
        "one sample in 200 wrong": np.repeat((np.arange(n) < 1)[:, None], order, 1) * 1.0,
        "clustered": (rng.random((n, order)) < rng.beta(0.1, 0.5, (n, 1))).astype(float),
        "5 in 100": (rng.random((n, order)) < 0.05).astype(float),
        "diagonal": np.asarray((np.arange(n)[:, None] % order == np.arange(order)) * 1.0),
        "vote of 5 elements": voted(rng.random((n, order)) < rng.uniform(0.1, 0.7, (n, 1))),
    }


def voted(wrong: NDArray[np.bool_]) -> Floats:
    """The errors of the model averaged over 5 shifts, which is wrong where 3 of them are."""
    shifts = (0, 9, 22, 35, 50)
    votes = np.sum([np.roll(wrong, k, axis=1) for k in shifts], axis=0)
    return np.asarray(votes >= 3, dtype=np.float64)


def coverage(runs: int) -> list[dict[str, Any]]:
    """How often an interval misses, over so many audits of 300 pairs for each law.

    The running stop asks for the truth itself, where each stop is an error, and its 600 pairs are
    looked at 30 times; "peeking" does that with the binomial interval.
    """
    rows = []
    for k, (name, table) in enumerate(laws(np.random.default_rng(0)).items()):
        truth = float(table.mean())
        row: dict[str, Any] = {"law": name, "error": truth}
        for number, (way, draw) in enumerate(WAYS.items()):
            rng = np.random.default_rng([k, number])
            found = (draw(table, 300, rng) for _ in range(runs))
            row[way] = sum(not low <= truth <= high for low, high in found) / runs
        rng = np.random.default_rng([k, len(WAYS)])
        ends = (stopped(table, 600, rng, truth)[0] for _ in range(runs))
        row["running stop"] = sum(not low <= truth <= high for low, high in ends) / runs
        row["peeking"] = sum(peeked(table, 600, rng) for _ in range(runs)) / runs
        rows.append(row)
    return rows


def closeness(tables: dict[str, Floats], seeds: int) -> list[dict[str, Any]]:
    """The bound that is quoted alone over the truth, and how often it is below."""
    rows = []
    for name, table in tables.items():
        truth = float(table.mean())
        for count in SIZES:
            quoted = []
            for seed in range(seeds):
                wrong = int(pairs(table, count, np.random.default_rng(seed)).sum())
                quoted.append(exact(wrong, count, DELTA).upper / truth)
            below = float(np.mean(np.array(quoted) < 1))
            row = {"model": name, "error": truth, "evaluations": count}
            rows.append({**row, "upper/true": float(np.median(quoted)), "below": below})
    return rows


def evaluations(tables: dict[str, Floats], seeds: int = 15) -> list[dict[str, Any]]:
    """How many evaluations give a half width of 0.02, in the median, by each way; and how many answer
    whether the error is below 1.2 times the truth.
    """
    rows = []
    for name, table in tables.items():
        row: dict[str, Any] = {"model": name, "error": float(table.mean())}
        for way, draw in WAYS.items():

            def half(count: int, draw: Draw = draw, table: Floats = table) -> float:
                some = [draw(table, count, np.random.default_rng(seed)) for seed in range(seeds)]
                return float(np.median([(end.upper - end.lower) / 2 for end in some]))

            low, high = (len(table) - 1 if draw is by_sample else 100), 20_000
            while high > 1.03 * low:
                middle = (low + high) // 2
                low, high = (low, middle) if half(middle) <= HALF_WIDTH else (middle, high)
            row[way] = high
        until = 1.2 * row["error"]
        runs = [stopped(table, 20_000, np.random.default_rng(k), until)[1] for k in range(seeds)]
        row["below 1.2 x: until="] = int(np.median(runs))
        rows.append(row)
    return rows


def populations(table: Floats, repeats: int, n: int = 300) -> dict[str, float]:
    """Test sets drawn from a table: coverage and width of means over S h_i, next to the bootstrap's."""
    order, truth = table.shape[1], float(table.mean())
    S = translated(order)
    missed: dict[str, list[bool]] = {}
    widths: dict[str, list[float]] = {}

    def note(way: str, low: float, high: float) -> None:
        missed.setdefault(way, []).append(not low <= truth <= high)
        widths.setdefault(way, []).append(high - low)

    for seed in range(repeats):
        rng = np.random.default_rng([seed, 1])
        which, h = rng.integers(len(table), size=n), rng.integers(order, size=n)
        values = table[which, S[:, h]].mean(axis=0)
        note("S h_i, betting", *betting(values, DELTA / 2))
        again = values[rng.integers(n, size=(1000, n))].mean(axis=1)
        note("S h_i, bootstrap", *np.quantile(again, [DELTA / 2, 1 - DELTA / 2]))
        note("own g, binomial", *exact(int(table[which, h].sum()), n, DELTA / 2))
        note("shared g, binomial", *exact(int(table[which, h[0]].sum()), n, DELTA / 2))
    share = {f"{way}: missed": float(np.mean(found)) for way, found in missed.items()}
    return {**share, **{f"{way}: width": float(np.mean(w)) for way, w in widths.items()}}


def digits() -> dict[str, Floats]:
    """The errors (500, 64) of four models on shifted digits."""
    X, y = load_digits(return_X_y=True)
    X, shift = X.reshape(-1, 8, 8), sa.roll(sa.abelian(8, 8))
    S = sa.GroupSample.full(shift.group)
    x, target = sa.augment(shift, S, X[:900], y[:900])
    x = x.reshape(len(x), 64)
    moved = shift(sa.GroupSample.full(shift.group), X[1000:1500])
    flat = moved.reshape(-1, 64)
    found = {}
    for name, model in {
        "forest": RandomForestClassifier(100, random_state=0),
        "gradient boosting": HistGradientBoostingClassifier(max_iter=60, random_state=0),
        "MLP": MLPClassifier((128,), batch_size=500, max_iter=20, random_state=0),
    }.items():
        wrong = model.fit(x, target).predict(flat).reshape(64, 500) != y[1000:1500]
        found[name] = wrong.T.astype(float)
    found["CNN"] = (network(x, target, flat).reshape(64, 500) != y[1000:1500]).T.astype(float)
    return found


def network(x: Any, y: Any, asked: Any) -> Any:
    """The labels of a small convolutional network."""
    import torch

    torch.manual_seed(0)
    net = torch.nn.Sequential(
        *(torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Flatten(), torch.nn.Linear(256, 10)),
    )
    data, target = torch.as_tensor(x, dtype=torch.float32) / 16, torch.as_tensor(y)
    optimiser = torch.optim.Adam(net.parameters(), 3e-3)
    for _ in range(8):
        for batch in torch.randperm(len(data)).split(128):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                net(data[batch].reshape(-1, 1, 8, 8)), target[batch]
            )
            loss.backward()
            optimiser.step()
    with torch.no_grad():
        asked = torch.as_tensor(asked, dtype=torch.float32) / 16
        return net(asked.reshape(-1, 1, 8, 8)).argmax(1).numpy()


def shown(title: str, rows: list[dict[str, Any]]) -> Table:
    """Rows of equal keys."""
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name)
    for row in rows:
        table.add_row(
            *(f"{one:.4g}" if isinstance(one, float) else str(one) for one in row.values())
        )
    return table


def main() -> None:
    """All of it, as tables and as accuracy.json."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tables", type=Path, help="npz of more tables of errors (n, |G|)")
    given = parser.parse_args()
    tables = digits()
    if given.tables is not None:
        with np.load(given.tables) as more:
            tables |= {name: more[name] for name in more.files}
    found: dict[str, Any] = {
        "closeness": closeness(tables, given.seeds),
        "evaluations": evaluations(tables),
        "populations": [
            {"model": name, **populations(table, given.seeds)} for name, table in tables.items()
        ],
        "coverage": coverage(given.runs),
    }
    for title, rows in found.items():
        Console(width=200).print(shown(title, rows))
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "accuracy.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
