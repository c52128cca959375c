"""Heads on frozen features: trained on a table of columns, judged on moved test samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from studies.store.cases import Floats
from studies.store.features import Features, Table

Head = Callable[[Features, NDArray[np.int64], Table, int, int], float]
BATCH = 128  # samples per step
LONG = 50  # epochs for which the step sizes are; fewer epochs take longer steps


def linear(data: Features, which: NDArray[np.int64], table: Table, epochs: int, seed: int) -> float:
    """Logistic or least-squares regression by gradient steps; see `_trained`."""
    torch.manual_seed(seed)
    head = nn.Linear(data.values.shape[-1], data.classes or 1)
    return _trained(head, data, which, table, epochs, rate=1e-3, decay=3.0)


def perceptron(
    data: Features, which: NDArray[np.int64], table: Table, epochs: int, seed: int
) -> float:
    """One hidden layer of 128; see `_trained`."""
    torch.manual_seed(seed)
    layers = (nn.Linear(data.values.shape[-1], 128), nn.ReLU(), nn.Linear(128, data.classes or 1))
    return _trained(nn.Sequential(*layers), data, which, table, epochs, rate=6e-4, decay=10.0)


def ridge(
    data: Features, which: NDArray[np.int64], table: Table, _epochs: int, _seed: int
) -> float:
    """Least squares on all columns at once, lambda by a held-out fifth of the samples.

    Streaming can do the same with running sums: here every pass counts for it.
    """
    inner = len(which) * 4 // 5
    sums = [_sums(data, which[part], table) for part in (slice(inner), slice(inner, None))]
    held, target = _rows(data, which[inner:], table)
    error = {}
    for power in range(-4, 4):
        theta = _solved(sums[0], 10.0**power * inner)
        error[power] = float(np.abs(held @ theta[:-1] + theta[-1] - target).mean())
    both = (sums[0][0] + sums[1][0], sums[0][1] + sums[1][1])
    theta = _solved(both, 10.0 ** min(error, key=lambda power: error[power]) * len(which))
    return _score(data, data.test @ theta[:-1].astype(np.float32) + np.float32(theta[-1]))


def machine(
    data: Features, which: NDArray[np.int64], table: Table, _epochs: int, _seed: int
) -> float:
    """A support vector classifier on the rows of 300 samples, reduced to 64 components."""
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    X, y = _rows(data, which[:300], table)
    return _predicted(data, make_pipeline(PCA(64, random_state=0), SVC(C=10)).fit(X, y))


def forest(
    data: Features, which: NDArray[np.int64], table: Table, _epochs: int, seed: int
) -> float:
    """50 extremely random trees on the rows of 300 samples."""
    from sklearn.ensemble import ExtraTreesClassifier

    X, y = _rows(data, which[:300], table)
    return _predicted(data, ExtraTreesClassifier(50, random_state=seed).fit(X, y))


HEADS: dict[str, Head] = {
    "linear": linear,
    "perceptron": perceptron,
    "ridge": ridge,
    "machine": machine,
    "forest": forest,
}


def _trained(
    head: nn.Module,
    data: Features,
    which: NDArray[np.int64],
    table: Table,
    epochs: int,
    *,
    rate: float,
    decay: float,
) -> float:
    """In epoch e sample i is shown at column e + i of its table, as a store's data set shows it.

    Rate and decay are those at which streaming did well on turned photographs, after 50 epochs and,
    with the rate in inverse proportion to them, after 10 and 20.
    """
    values, y = torch.from_numpy(data.values), torch.from_numpy(data.y)
    loss = nn.functional.mse_loss if data.classes is None else nn.functional.cross_entropy
    steps = epochs * -(-len(which) // BATCH)
    optimiser = torch.optim.AdamW(head.parameters(), weight_decay=decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate * LONG / epochs, total_steps=steps
    )
    rows, columns = torch.from_numpy(which), torch.from_numpy(table)
    for epoch in range(epochs):
        for places in torch.randperm(len(rows)).split(BATCH):
            i = rows[places]
            found = head(values[i, columns[i, (epoch + places) % columns.shape[1]]])
            value = loss(found[:, 0] if data.classes is None else found, y[i])
            optimiser.zero_grad(set_to_none=True)
            value.backward()
            optimiser.step()
            schedule.step()
    with torch.no_grad():
        found = torch.cat([head(part) for part in torch.from_numpy(data.test).split(64)])
    return _score(data, (found[..., 0] if data.classes is None else found.argmax(-1)).numpy())


def _score(data: Features, found: NDArray[Any]) -> float:
    """Accuracy, or mean absolute error, over all moved copies (test samples, elements)."""
    if data.classes is None:
        return float(np.abs(found - data.y_test[:, None]).mean())
    return float((found == data.y_test[:, None]).mean())


def _rows(data: Features, which: NDArray[np.int64], table: Table) -> tuple[Floats, NDArray[Any]]:
    every = data.values[which[:, None], table[which]]
    return every.reshape(-1, every.shape[-1]), np.repeat(data.y[which], table.shape[1])


def _predicted(data: Features, model: Any) -> float:
    n, elements, width = data.test.shape
    return _score(data, model.predict(data.test.reshape(-1, width)).reshape(n, elements))


def _sums(
    data: Features, which: NDArray[np.int64], table: Table
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means over columns of x x' and x y, summed over samples, with a constant entry."""
    X, y = _rows(data, which, table)
    X = np.hstack([X, np.ones((len(X), 1), np.float32)])
    return (X.T @ X).astype(float) / table.shape[1], (X.T @ y).astype(float) / table.shape[1]


def _solved(
    sums: tuple[NDArray[np.float64], NDArray[np.float64]], penalty: float
) -> NDArray[np.float64]:
    ridge = np.full(len(sums[1]), penalty)
    ridge[-1] = 0.0
    return np.asarray(np.linalg.solve(sums[0] + np.diag(ridge), sums[1]), np.float64)
