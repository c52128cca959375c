"""A pipeline that is no group: which 16 of its views does one average over?

A small network reads handwritten digits, and its predictions are averaged over a random pipeline:
rotation, shift, scale, shear, brightness, contrast. The truth is the mean over 2,048 Sobol points. What
an average over m views leaves of that, on digits that nothing was chosen on, as a share of what one
view leaves, and how many labels differ from those of the truth.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import sparseaug as sa
from studies.pipelines.compare import reference, table, thin
from studies.pipelines.pairs import cnn

SIZES = (4, 8, 16, 32, 64)
STORED = 8
REPEATS = 100
SCRAMBLES = 8


def measure(data: Path) -> dict[str, Any]:
    """What each way leaves at each m, and what a store of the views costs."""
    pair = cnn(data)
    of, rng = pair.action.distribution, np.random.default_rng(0)
    spectrum: Any = sa.orbit_spectrum(pair.f, pair.action, pair.fit, calls=pair.pool)
    many = table(pair, reference(pair, pair.reference), pair.held)
    mean = many.mean(axis=0)
    inputs, labels = np.arange(len(mean)), mean.argmax(axis=1)
    variance = float(((many - mean) ** 2).sum(axis=2).mean())

    def judge(way: str, m: int, averages: list[Any]) -> dict[str, Any]:
        left = [((one - mean) ** 2).sum(axis=1).mean() / variance for one in averages]
        other = [(one.argmax(axis=1) != labels).mean() for one in averages]
        return {"way": way, "m": m, "left": np.mean(left), "labels": np.mean(other)}

    pool = table(pair, spectrum.rows, pair.held)
    rows = []
    for m in (1, *SIZES):
        draws = [rng.integers(len(many), size=m) for _ in range(REPEATS)]
        own = [rng.integers(len(many), size=(m, len(mean))) for _ in range(REPEATS)]
        rows.append(judge("draws", m, [many[at].mean(axis=0) for at in draws]))
        rows.append(judge("own draws of each image", m, [many[at, inputs].mean(0) for at in own]))
        if m == 1:
            continue
        points = [of.quantile(_sobol(of.dimensions, m, seed)) for seed in range(SCRAMBLES)]
        averages = [table(pair, one, pair.held).mean(axis=0) for one in points]
        rows.append(judge("Sobol points", m, averages))
        thinned = [thin(spectrum.gram, m, seed) for seed in range(5)]
        rows.append(judge("kernel thinning", m, [pool[at].mean(axis=0) for at in thinned]))
        S = sa.design(of, m=m, spectrum=spectrum)
        rows.append(judge("chosen", m, [table(pair, S.elements, pair.held).mean(axis=0)]))
    return {"rows": rows, "store": _store(pair, sa.design(of, m=STORED, spectrum=spectrum))}


def _sobol(dimensions: Any, m: int, seed: int) -> Any:
    from scipy.stats import qmc

    return qmc.Sobol(dimensions, rng=seed).random(m)


def _store(pair: Any, S: sa.GroupSample) -> dict[str, Any]:
    """Seconds to compute the views of all held-out images once, and to average them again."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        store = sa.views.compute(pair.held, pair.action, S, pair.f, name="digits", out=folder)
        computed = time.monotonic() - start
        start = time.monotonic()
        store.mean()
        return {"computing": computed, "reading": time.monotonic() - start}
