"""One S for all samples, or m copies drawn for each sample by itself: same rows, same storage.

    python -m studies.copies --out docs/data/copies.csv

The data of README: 500 digits to learn from, 100 others in all 64 shifts to be asked about, m = 16. The
training rows are the images moved by S, the same for all (drawn without repeats, or the design of 16),
or by elements of each sample's own (drawn without repeats, or the design translated at random).
Each model is then asked alone, and averaged over 16 drawn shifts. "gradient" is the mean square distance
of the logistic gradient on these rows from that on all 64 shifts, at parameters fitted to unmoved
images, as a share of that of the drawn S.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import sparseaug as sa
from studies.pages.tables import write_table

M, TRAIN, TEST, SEEDS = 16, slice(0, 500), slice(1000, 1100), 10
SHIFT = sa.roll(sa.abelian(8, 8))
EVERY = sa.GroupSample.full(SHIFT.group).elements
DESIGN = sa.design(SHIFT.group, m=M).elements
WAYS = ("shared, drawn", "own, drawn", "shared, design", "own, design translated")
Rows = NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("copies.csv"))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args()
    rows = summary([row for seed in range(given.seeds) for row in one_seed(seed)])
    write_table(given.out, rows)
    print(given.out.read_text())


def elements_of(way: str, n: int, rng: np.random.Generator) -> Rows:
    """(n, M, 2): the shifts of each of n samples."""
    shared = way.startswith("shared")
    if way.endswith("drawn"):
        drawn = rng.permuted(np.tile(np.arange(64), (1 if shared else n, 1)), axis=1)[:, :M]
        return np.broadcast_to(EVERY[drawn], (n, M, 2))
    by = np.zeros((1, 2), int) if shared else SHIFT.group.sample(n, rng)
    return np.broadcast_to((DESIGN + by[:, None]) % 8, (n, M, 2))


def moved(x: NDArray[Any], elements: Rows) -> NDArray[Any]:
    """(n * M, 64): each image moved by its elements."""
    pairs = zip(elements, x.reshape(-1, 1, 8, 8), strict=True)
    return np.concatenate([SHIFT(rows, image).reshape(-1, 64) for rows, image in pairs])


def learners(seed: int) -> dict[str, Any]:
    return {
        "forest": RandomForestClassifier(50, random_state=seed),
        "1-NN": KNeighborsClassifier(1),
        "logistic": LogisticRegression(max_iter=1000),
    }


def one_seed(seed: int) -> list[dict[str, Any]]:
    """Accuracy of each learner after each way, alone and averaged, and the error of the gradient."""
    x, y = load_digits(return_X_y=True)
    x = x / 16
    rng = np.random.default_rng(seed)
    asked = moved(x[TEST], np.broadcast_to(EVERY, (100, 64, 2)))
    turns = EVERY[rng.permutation(64)[:M]]  # predictions are averaged over these
    after = ((EVERY[:, None] + turns) % 8) @ [8, 1]  # (64, M): where they take each shift
    every = np.broadcast_to(EVERY, (500, 64, 2))
    plain = LogisticRegression(max_iter=1000).fit(x[TRAIN], y[TRAIN])
    full = gradient(plain, moved(x[TRAIN], every), np.repeat(y[TRAIN], 64))
    rows = []
    for way in WAYS:
        copies = moved(x[TRAIN], elements_of(way, 500, rng))
        labels = np.repeat(y[TRAIN], M)
        off = float(np.sum((gradient(plain, copies, labels) - full) ** 2))
        for name, learner in learners(seed).items():
            shares = learner.fit(copies, labels).predict_proba(asked).reshape(100, 64, 10)
            right = [
                np.mean(one.argmax(axis=-1) == y[TEST, None])
                for one in (shares, shares[:, after].mean(axis=2))
            ]
            rows.append(
                {"learner": name, "copies": way, "alone": right[0], "averaged": right[1]}
                | {"gradient": off}
            )
    return rows


def gradient(model: Any, x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Of the logistic loss in the weights of a fitted model, on other rows."""
    return (model.predict_proba(x) - np.eye(10)[y]).T @ x / len(x)


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over seeds with standard errors; the gradient's relative to a shared S that is drawn."""
    drawn = np.mean([row["gradient"] for row in rows if row["copies"] == WAYS[0]])
    found = []
    for name in learners(0):
        for way in WAYS:
            own = [row for row in rows if (row["learner"], row["copies"]) == (name, way)]
            line: dict[str, Any] = {"learner": name, "copies": way}
            for what in ("alone", "averaged"):
                values = [row[what] for row in own]
                line[what] = f"{np.mean(values):.3f}"
                line[f"{what}_error"] = f"{np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"
            line["gradient"] = f"{np.mean([row['gradient'] for row in own]) / drawn:.3g}"
            found.append(line)
    return found


if __name__ == "__main__":
    main()
