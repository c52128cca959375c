"""Shapley values: chosen orders next to shap's random ones and four regressions, against exact values.

    python -m studies.shapley --out shapley --jobs 2
    python -m studies.shapley --bars             how often 95 % intervals cover, a minute

Diabetes (10 features), wine (13) and breast cancer (30), a random forest and a network on each. The
players are the features of a sample; features that are not there yet are those of ten background
samples, in turn. Exact: all 2^n coalitions (10 and 13 features), for 30 the mean of 3,000 random pairs
of orders, whose own error is a hundredth of that of the 30 pairs compared. (TreeSHAP would be exact for
the forests, but shap 0.51 with scikit-learn 1.9 was off from the enumeration by about as much as our
error.) An evaluation is one of a coalition. The table has the mean square error over features, samples
and repeats, as a share of the mean square of the values, and its ratio to that of shap's pairs with a
95 % interval (bootstrap over repeats and samples). KernelSHAP (with paired coalitions), Leverage SHAP
and OddSHAP are those of `shapiq[proxy]` 1.6 or later, which needs Python 3.12; without it their columns
are empty.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import shap
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import stdtrit
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from examples.shapley import PermutationExplainer

DATA = {"diabetes": load_diabetes, "wine": load_wine, "breast cancer": load_breast_cancer}
MODELS = ("forest", "network")
EVALUATIONS = (100, 200, 434, 1000, 1858)
REPEATS, SAMPLES, BACKGROUND, LONG = 20, 4, 10, 3000
Values = NDArray[np.float64]
Game = Callable[[NDArray[Any]], Values]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("shapley"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--evaluations", type=int, nargs="+", default=EVALUATIONS)
    parser.add_argument("--bars", action="store_true")
    given = parser.parse_args()
    if given.bars:
        print(bars(given.repeats))
        return
    began = time.time()
    cases = [(data, model) for data in DATA for model in MODELS]
    parts = Parallel(given.jobs)(
        delayed(measure)(data, model, sample, given.evaluations, given.repeats)
        for data, model in cases
        for sample in range(SAMPLES)
    )
    rows = [
        row for i, case in enumerate(cases) for row in table(case, parts[i * SAMPLES :][:SAMPLES])
    ]
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "shapley.json").write_text(json.dumps(rows, indent=1) + "\n")
    (given.out / "shapley.md").write_text(page(rows))
    print(page(rows) + f"\n{time.time() - began:.0f} s")
    if tuple(given.evaluations) == EVALUATIONS:
        for claim, holds in claims(rows).items():
            print(f"{'holds' if holds else 'FAILS'}: {claim}")


def measure(data: str, model: str, sample: int, evaluations: Any, repeats: int) -> dict[str, Any]:
    """The mean square errors of each method: an array (evaluations, repeats)."""
    game, truth = make_game(data, model, sample)
    n = len(truth)
    found: dict[str, Any] = {"features": n, "scale": float(np.mean(truth**2))}
    for name, method in METHODS.items():
        errors = np.full((len(evaluations), repeats), np.nan)
        for i, count in enumerate(evaluations):
            for repeat in range(repeats):
                values = method(game, n, count, repeat) if count > 2 * n else None
                if values is not None:
                    errors[i, repeat] = np.mean((values - truth) ** 2)
        found[name] = errors
    return {"evaluations": list(evaluations), **found}


def make_game(data: str, model: str, sample: int) -> tuple[Game, Values]:
    """What a coalition of features is worth for one sample, and the Shapley values."""
    x, y = DATA[data](return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order], y[order]
    regression = data == "diabetes"
    fitted: Any
    if model == "forest":
        kind = RandomForestRegressor if regression else RandomForestClassifier
        fitted = kind(40, max_depth=8, random_state=0).fit(x[50:], y[50:])
    else:
        network = MLPRegressor if regression else MLPClassifier
        hidden = network(hidden_layer_sizes=(32, 32), alpha=1e-2, max_iter=2000, random_state=0)
        fitted = make_pipeline(StandardScaler(), hidden).fit(x[50:], y[50:])
    output = fitted.predict if regression else lambda rows: fitted.predict_proba(rows)[:, 0]
    background, own = x[:BACKGROUND], x[BACKGROUND + sample]
    n = len(own)

    def game(coalitions: NDArray[Any]) -> Values:
        there = np.asarray(coalitions, bool)[:, None]
        rows = np.where(there, own, background)
        return output(rows.reshape(-1, n)).reshape(len(there), -1).mean(axis=1)

    if n <= 13:
        return enumerated(game, n)
    rng = np.random.default_rng([7, sample])  # other draws than any method's
    orders = rng.permuted(np.tile(np.arange(n), (LONG, 1)), axis=1)
    return game, np.mean([both_ways(game, part) for part in np.array_split(orders, 30)], axis=0)


def enumerated(game: Game, n: int) -> tuple[Game, Values]:
    """The same game from a table of all coalitions, and its Shapley values by their definition."""
    there = np.arange(1 << n)[:, None] >> np.arange(n) & 1
    worth = np.concatenate([game(part) for part in np.array_split(there, 16)])
    size = there.sum(axis=1)
    weight = np.array([1 / (n * math.comb(n - 1, k)) for k in range(n)])
    truth = np.empty(n)
    for i in range(n):
        before = np.flatnonzero(there[:, i] == 0)
        truth[i] = weight[size[before]] @ (worth[before | 1 << i] - worth[before])
    return lambda coalitions: worth[np.asarray(coalitions, int) @ (1 << np.arange(n))], truth


def both_ways(game: Game, orders: NDArray[Any]) -> Values:
    """The mean of what each player adds in these orders and in their reverses."""
    n = orders.shape[1]
    rank = np.argsort(orders, axis=1)
    before = (
        rank[:, None] < np.arange(n + 1)[:, None]
    )  # (orders, n + 1, n): the first 0, ..., n players
    forth, back = (game(there.reshape(-1, n)).reshape(-1, n + 1) for there in (before, ~before))
    added = (np.diff(forth) - np.diff(back)) / 2
    return np.take_along_axis(added, rank, axis=1).mean(axis=0)


def by_orders(explainer: Any) -> Callable[..., Values]:
    """An explainer of shap's kind: a masked sample is the coalition itself."""

    def method(game: Game, n: int, evaluations: int, seed: int) -> Values:
        explain = explainer(game, np.zeros((1, n)), seed=seed)
        return explain(np.ones((1, n)), max_evals=evaluations, silent=True).values[0]

    return method


def regression(name: str, **options: Any) -> Callable[..., Values | None]:
    """An approximator of shapiq, by name; it finds nothing where shapiq is not installed."""

    def method(game: Game, n: int, evaluations: int, seed: int) -> Values | None:
        if find_spec("shapiq") is None:
            return None
        approximator = import_module("shapiq.approximator")
        fitted = getattr(approximator, name)(n, random_state=seed, **options)
        return fitted.approximate(min(evaluations, 2**n), game).get_n_order_values(1)

    return method


def additive(game: Game, n: int, evaluations: int, seed: int) -> Values | None:
    """kADD-SHAP: a game of interactions of at most k players, fitted to coalitions drawn in pairs.

    k is the largest of 3 and 2 for which there are at least 1.5 evaluations per unknown.
    """
    sets = {k: [T for j in range(1, k + 1) for T in combinations(range(n), j)] for k in (3, 2)}
    fitting = [k for k in sets if 1.5 * len(sets[k]) <= evaluations]
    if not fitting:
        return None
    rng = np.random.default_rng([11, seed])
    sizes = np.arange(1, n)
    share = 1 / (sizes * (n - sizes))
    drawn: dict[bytes, list[Any]] = {}
    while len(drawn) < min(evaluations - 2, 2**n - 2):
        there = np.zeros(n, bool)
        there[rng.permutation(n)[: rng.choice(sizes, p=share / share.sum())]] = True
        for one in (there, ~there):
            drawn.setdefault(one.tobytes(), [one, 0])[1] += 1
    coalitions = np.array([one for one, _ in drawn.values()])
    weight = np.sqrt([count for _, count in drawn.values()])
    coalitions = np.vstack([coalitions, np.zeros(n, bool), np.ones(n, bool)])
    weight = np.append(weight, [1e3, 1e3])
    worth = game(coalitions)
    unknowns = sets[fitting[0]]
    columns = np.array([coalitions[:, list(T)].all(axis=1) for T in unknowns], float).T
    fitted = np.linalg.lstsq(weight[:, None] * columns, weight * (worth - worth[-2]), rcond=None)[0]
    values = np.zeros(n)
    for T, part in zip(unknowns, fitted, strict=True):
        values[list(T)] += part / len(T)
    return values


def bars(repeats: int) -> str:
    """How often 95 % intervals cover, of shap's scatter of orders and of independent chosen sets."""
    lines = ["| data | model | evaluations | intervals | cover | error / bar | half width |"]
    lines.append("|---" * 7 + "|")
    for data, model, evaluations in product(("diabetes", "wine"), MODELS, (434, 1000)):
        games = [make_game(data, model, sample) for sample in range(SAMPLES)]
        for name in ("scatter of random orders", "scatter of one chosen set", "four chosen sets"):
            off, bar = [], []
            for (game, truth), seed in product(games, range(repeats)):
                n = len(truth)
                passes = 2 * (evaluations // (2 * n + 1))
                four = name == "four chosen sets"
                kind = shap.PermutationExplainer if "random" in name else PermutationExplainer
                asked = {
                    "max_evals": evaluations,
                    "silent": True,
                    "error_bounds": "one" not in name,
                }
                found = kind(game, np.zeros((1, n)), seed=seed)(np.ones((1, n)), **asked)
                if "one" in name:  # shap's scatter, of as many random orders
                    other = shap.PermutationExplainer(game, np.zeros((1, n)), seed=seed)
                    spread = other(np.ones((1, n)), **{**asked, "error_bounds": True}).error_std[0]
                else:
                    spread = found.error_std[0]
                bar.append(spread * stdtrit(3, 0.975) if four else spread / passes**0.5 * 1.96)
                off.append(found.values[0] - truth)
            e, h = np.array(off), np.array(bar)
            cover, ratio = (
                (abs(e) <= h + 1e-12).mean(),
                np.sqrt((e**2).mean() / (h**2).mean()) * 1.96,
            )
            scale = np.sqrt(np.mean([truth**2 for _, truth in games]))
            lines.append(
                f"| {data} | {model} | {evaluations:,} | {name} | {100 * cover:.0f} % | {ratio:.2f} "
                f"| {h.mean() / scale:.3f} |"
            )
    return "\n".join(lines)


METHODS = {
    "shap": by_orders(shap.PermutationExplainer),
    "ours": by_orders(PermutationExplainer),
    "kernel": regression("KernelSHAP", pairing_trick=True),
    "leverage": regression("LeverageSHAP"),
    "odd": regression("OddSHAP"),
    "kadd": additive,
}


def table(case: tuple[str, str], parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each number of evaluations; errors in units of the mean square of the values."""
    rows = []
    rng = np.random.default_rng(5)
    for i, count in enumerate(parts[0]["evaluations"]):
        errors = {m: np.array([p[m][i] / p["scale"] for p in parts]) for m in METHODS}
        if np.isnan(errors["shap"]).any():
            continue
        picks = rng.integers(errors["shap"].size, size=(2000, errors["shap"].size))
        row: dict[str, Any] = {"data": case[0], "model": case[1], "features": parts[0]["features"]}
        row |= {"evaluations": count, **{m: float(e.mean()) for m, e in errors.items()}}
        for m in list(METHODS)[1:]:
            flat, random = errors[m].ravel(), errors["shap"].ravel()
            if not np.isnan(flat).any():
                boot = flat[picks].mean(axis=1) / random[np.roll(picks, 1, 0)].mean(axis=1)
                ratio = [flat.mean() / random.mean(), *np.quantile(boot, [0.025, 0.975])]
                row[f"{m}_ratio"] = [float(r) for r in ratio]
        rows.append(row)
    return rows


def claims(rows: list[dict[str, Any]]) -> dict[str, bool]:
    """What the table must show."""

    def worst(features: int, evaluations: int) -> float:
        asked = {"features": features, "evaluations": evaluations}
        return max(row["ours_ratio"][0] for row in rows if asked.items() <= row.items())

    return {
        "at most 1/5 of shap's error, 10 features, 434 evaluations": worst(10, 434) <= 1 / 5,
        "at most 1/1.5 of it, 30 features, 1,858 evaluations": worst(30, 1858) <= 1 / 1.5,
        "never worse beyond noise": all(row["ours_ratio"][1] <= 1 for row in rows),
    }


def page(rows: list[dict[str, Any]]) -> str:
    """The table, in Markdown."""
    lines = [
        "| data | model | evaluations | shap's pairs | ours | ours / shap's | KernelSHAP / shap's "
        "| Leverage SHAP / shap's | OddSHAP / shap's | kADD-SHAP / shap's |",
        "|---" * 10 + "|",
    ]
    for row in rows:
        ratios = [
            "{:.2g} ({:.2g} to {:.2g})".format(*row[f"{m}_ratio"]) if f"{m}_ratio" in row else "-"
            for m in list(METHODS)[1:]
        ]
        start = f"| {row['data']} ({row['features']}) | {row['model']} | {row['evaluations']:,} "
        lines.append(start + f"| {row['shap']:.2g} | {row['ours']:.2g} | {' | '.join(ratios)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
