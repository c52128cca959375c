"""Columns of tables in any order, for a predictor that learns in context: the 720 orders of six.

In the manner of TabPFN one network is trained on many small tables and then predicts, without further
training, the target of a query row from a table of labelled rows. Here it sees sufficient statistics:
the query, X'y and X'X of 16 rows and six columns. Tables are random rows and columns of the training
halves of scikit-learn's diabetes, wine and breast cancer data; test tables are of the other halves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparseaug.actions import permute_axis
from sparseaug.groups import symmetric
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import keyed_rng
from studies.rates.part import Task
from studies.views.case import Case, Prepared, root_square
from studies.views.models import regressor, sklearn
from studies.views.orbit import Listed
from studies.views.schemes import Scheme, Views, gathered

ROTATE = (
    "TabPFN 8.4.0, preprocessing/ensemble.py and steps/shuffle_features_step.py, "
    "FEATURE_SHIFT_METHOD='rotate'"
)
_SETS = ("diabetes", "wine", "breast_cancer")
_ROWS = 16


def numbers(quick: bool) -> dict[str, Any]:
    """Columns and tables."""
    if quick:
        return {"columns": 4, "train": 300, "test": 20, "epochs": 10}
    return {"columns": 6, "train": 20000, "test": 150, "epochs": 20}


def prepare(task: Task) -> Prepared:
    """A network that was trained on many tables."""
    rng, width = keyed_rng(task["seed"], "views: columns"), task["columns"]
    halves = [_halves(name, rng) for name in _SETS]
    x, y = _tables([half[0] for half in halves], task["train"], width, rng)
    x_test, y_test = _tables([half[1] for half in halves], task["test"], width, rng)
    how = {"hidden_layer_sizes": (128, 128), "max_iter": task["epochs"]}
    model = regressor(task["model"], statistics(x), y, task["seed"], **how)
    act = permute_axis(symmetric(width))
    orbit = Listed.of(lambda tables: model(statistics(tables)), act, x_test)
    return Prepared(orbit, y_test, [rotated(width)])


def rotated(width: int) -> Scheme:
    """Member i of the ensemble has its columns rolled by start + i, start uniform below 1,000."""

    def views(m: int, rng: np.random.Generator) -> Views:
        shifts = int(rng.integers(1000)) + np.arange(m)
        return Views(gathered([np.roll(np.arange(width), shift) for shift in shifts]))

    return Scheme("rotated columns", "field", (1, 2, 4, width, 8, 16), views, ROTATE, random=True)


def statistics(tables: Floats) -> Floats:
    """Query, X'y and the upper triangle of X'X, of tables (n, rows + 1, 2, width)."""
    X, y, query = tables[:, :-1, 0], tables[:, :-1, 1, 0], tables[:, -1, 0]
    row, column = np.triu_indices(X.shape[-1])
    gram = np.einsum("nri,nrj->nij", X, X, optimize=True)[:, row, column]
    return np.concatenate([query, np.einsum("nri,nr->ni", X, y) / _ROWS, gram / _ROWS], axis=1)


def _halves(name: str, rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Standardised columns and targets: a half to train with and a half to test with."""
    X, y = getattr(sklearn("datasets"), f"load_{name}")(return_X_y=True)
    order = rng.permutation(len(X))
    first = order[: len(X) // 2]
    X = (X - X[first].mean(axis=0)) / X[first].std(axis=0)
    y = (y - y[first].mean()) / y[first].std()
    return [(X[part], y[part]) for part in (first, order[len(X) // 2 :])]


def _tables(
    sets: list[tuple[Floats, Floats]], count: int, width: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Tables (n, rows + 1, 2, width): entries, and targets repeated over the columns; the query last."""
    tables, targets = np.zeros((count, _ROWS + 1, 2, width)), np.zeros(count)
    for i in range(count):
        X, y = sets[i % len(sets)]
        rows = rng.choice(len(X), _ROWS + 1, replace=False)
        columns = rng.choice(X.shape[1], width, replace=False)
        tables[i, :, 0] = X[rows[:, None], columns]
        tables[i, :-1, 1] = y[rows[:-1], None]
        targets[i] = y[rows[-1]]
    return tables, targets


CASE = Case(
    "columns",
    "Tables, 720 orders of columns",
    ("network",),
    root_square("standard deviations"),
    numbers,
    prepare,
    degree=2,
)
