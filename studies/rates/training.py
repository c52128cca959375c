"""What a step costs, n m transformed images, against accuracy: handwritten digits under shifts.

A network with one hidden layer of 128 units on 8 x 8 images, by full-batch Adam. Training images stand
where they were written, test images are shifted by uniform random ones of the 64 shifts of the periodic
grid. What a step averages over is S of m shifts (reused), m fresh ones, or all 64.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

import numpy as np

from sparseaug.actions import roll
from sparseaug.errors import need
from sparseaug.groups import abelian
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import GroupSample, Oracle, keyed_rng
from studies.rates.numbers import mean_interval
from studies.rates.part import Finding, Line, Measured, Panel, Result, Summary, Table, Task

_HIDDEN, _RATE, _TEST = 128, 0.01, 500
_FULL = 64


def tasks(quick: bool) -> list[Task]:
    """A task for each seed: all methods on the same images."""
    size = {"n": 50, "sizes": [1, 16], "steps": 20}
    if not quick:
        size = {"n": 200, "sizes": [1, 4, 16, 32], "steps": 200}
    return [{**size, "seed": seed} for seed in range(1 if quick else 4)]


def run(task: Task) -> Result:
    """The accuracy of every method, in percent of shifted test images."""
    data = _Digits(task)
    group = data.action.group
    found: dict[str, Any] = {}
    for m in task["sizes"]:
        oracle = Oracle(group, 10 * task["seed"] + 1)
        S = oracle.fresh(m)
        found[f"one-shot {m}"] = [m, oracle.calls, data.train(repeat(S))]
        oracle = Oracle(group, 10 * task["seed"] + 2)
        accuracy = data.train(oracle.fresh(m) for _ in range(task["steps"]))
        found[f"streaming {m}"] = [m, oracle.calls, accuracy]
    found["full"] = [_FULL, _FULL, data.train(repeat(GroupSample.full(group)))]
    found["none"] = [1, 0, data.train(repeat(GroupSample(group, group.identity())))]
    return {"methods": found}


class _Digits:
    """One seed's images, features and labels."""

    def __init__(self, task: Task) -> None:
        loader = need("sklearn.datasets", "the digits of the study", install="scikit-learn")
        images, labels = loader.load_digits(return_X_y=True)
        images = images.reshape(-1, 8, 8) / 16
        rng = keyed_rng(task["seed"], "study: digits")
        chosen = rng.permutation(len(images))[: task["n"] + _TEST]
        train, test = chosen[: task["n"]], chosen[task["n"] :]
        self.action = roll(abelian(8, 8), axes=(-2, -1))
        self.steps = task["steps"]
        self.start = [
            rng.standard_normal((64, _HIDDEN)) * np.sqrt(2 / 64),
            np.zeros(_HIDDEN),
            rng.standard_normal((_HIDDEN, 10)) * np.sqrt(1 / _HIDDEN),
            np.zeros(10),
        ]
        self.x, self.y = images[train], np.eye(10)[labels[train]]
        shifts = self.action.group.sample(_TEST, rng)
        moved = [
            self.action(g[None], x[None])[0, 0] for g, x in zip(shifts, images[test], strict=True)
        ]
        self.test, self.labels = np.stack(moved).reshape(-1, 64), labels[test]

    def train(self, samples: Iterable[GroupSample]) -> float:
        """Accuracy after descent on the mean over the sample of each step; a fixed one is moved once."""
        theta = [each.copy() for each in self.start]
        mean, square = ([np.zeros_like(each) for each in theta] for _ in range(2))
        last, x, y = None, np.empty(0), np.empty(0)
        for step, S in zip(range(1, self.steps + 1), samples, strict=False):
            if S is not last:
                x = self.action(S.elements, self.x).reshape(-1, 64)
                y, last = np.tile(self.y, (S.m, 1)), S
            for i, g in enumerate(_gradient(theta, x, y)):
                mean[i] += 0.1 * (g - mean[i])
                square[i] += 0.001 * (g * g - square[i])
                root = np.sqrt(square[i] / (1 - 0.999**step)) + 1e-8
                theta[i] -= _RATE * mean[i] / (1 - 0.9**step) / root
        scores = np.maximum(self.test @ theta[0] + theta[1], 0) @ theta[2] + theta[3]
        return float(100 * np.mean(scores.argmax(axis=1) == self.labels))


def _gradient(theta: list[Floats], x: Floats, y: Floats) -> list[Floats]:
    """Of the mean cross-entropy of softmax(max(x W + b, 0) V + c)."""
    W, b, V, c = theta
    hidden = np.maximum(x @ W + b, 0)
    scores = hidden @ V + c
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    out = (shares / shares.sum(axis=1, keepdims=True) - y) / len(y)
    back = (out @ V.T) * (hidden > 0)
    return [x.T @ back, back.sum(axis=0), hidden.T @ out, out.sum(axis=0)]


def summarise(measured: Measured) -> Summary:
    """Accuracy by method and m, with intervals over the seeds; cost is n m images a step."""
    n = measured[0][0]["n"]
    names = list(measured[0][1]["methods"])
    by_name = {name: [result["methods"][name] for _, result in measured] for name in names}
    rows: list[list[Any]] = []
    for name in names:
        m, calls, _ = by_name[name][0]
        found = mean_interval([accuracy for _, _, accuracy in by_name[name]])
        rows.append([name, m, n * m, calls, found.mean, found.low, found.high])
    table = Table(
        "training",
        "Accuracy on shifted digits",
        ["method", "m", "images per step", "oracle calls", "accuracy, %", "low", "high"],
        rows,
        f"95 % intervals over {len(measured)} seeds, {n} training images.",
    )
    lines = []
    for kind in ("one-shot", "streaming"):
        chosen = [name for name in names if name.startswith(kind)]
        x = [float(n * by_name[name][0][0]) for name in chosen]
        values = np.array([[each[2] for each in by_name[name]] for name in chosen]).T.tolist()
        lines.append(Line(kind, x, values))
    for name in ("full", "none"):
        x = [float(n * by_name[name][0][0])]
        values = [[each[2]] for each in by_name[name]]
        lines.append(Line(name, x, values, kind="points"))
    accuracy = {row[0]: row for row in rows}
    enough = [
        row for row in rows if row[0].startswith("one-shot") and row[6] >= accuracy["full"][4]
    ]
    least = f"m = {enough[0][1]} on" if enough else "no m that was tried"
    finding = Finding(
        "S of m reused elements costs n m images a step and m oracle calls, whatever the steps.",
        f"all {_FULL} shifts: {accuracy['full'][4]:.1f} %; none: {accuracy['none'][4]:.1f} %; "
        f"one-shot is within its interval of the full group from {least}.",
    )
    panel = Panel("Accuracy on shifted digits, %", "images per step, n m", lines, log_y=False)
    return Summary([finding], [table], [panel])
