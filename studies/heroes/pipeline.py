"""A pipeline that is no group: over which of its views does one average?

A small network reads handwritten digits, and its predictions are averaged over a random pipeline:
rotation, shift, scale, shear, brightness, contrast. The truth is the mean over 2,048 Sobol points. What
an average over m views leaves of that, on digits that nothing was chosen on, as a share of what one
view leaves, and how many labels differ from those of the truth. Chosen and thinned views are means over
four choices, on 50 digits each.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

import sparseaug as sa
from studies.pipelines.compare import thin
from studies.pipelines.pairs import Pair, cnn

SIZES = (4, 8, 16, 32, 64)
STORED = 16
POOL, MANY, BLOCKS = 256, 2048, 8
SEEN, CHOICES = 50, 4
REPEATS, SCRAMBLES = 100, 8
_COPIES = 256  # at once


def measure(data: Path) -> dict[str, Any]:
    """What each way leaves at each m, and what a store of the views costs."""
    pair = cnn(data)
    seen, held = pair.x[: SEEN * CHOICES].reshape(CHOICES, SEEN, *pair.x.shape[1:]), pair.x[-300:]
    of, rng = pair.action.distribution, np.random.default_rng(0)
    spectra: list[Any] = [sa.orbit_spectrum(pair.f, pair.action, x, calls=POOL) for x in seen]
    blocks = [_sobol(of, MANY // BLOCKS, 1000 + block) for block in range(BLOCKS)]
    many = outputs(pair, np.concatenate(blocks), held)
    pool = outputs(pair, spectra[0].rows, held)  # all take the same
    mean = many.mean(axis=0)
    inputs, labels = np.arange(len(mean)), mean.argmax(axis=1)
    variance = float(((many - mean) ** 2).sum(axis=2).mean())

    def judge(way: str, m: int, averages: list[Any]) -> dict[str, Any]:
        left = [((one - mean) ** 2).sum(axis=1).mean() / variance for one in averages]
        other = [(one.argmax(axis=1) != labels).mean() for one in averages]
        return {"way": way, "m": m, "left": np.mean(left), "labels": np.mean(other)}

    rows = []
    for m in (1, *SIZES):
        draws = [rng.integers(len(many), size=m) for _ in range(REPEATS)]
        own = [rng.integers(len(many), size=(m, len(mean))) for _ in range(REPEATS)]
        rows.append(judge("draws", m, [many[at].mean(axis=0) for at in draws]))
        rows.append(judge("own draws of each image", m, [many[at, inputs].mean(0) for at in own]))
        if m == 1:
            continue
        points = [_sobol(of, m, seed) for seed in range(SCRAMBLES)]
        averages = [outputs(pair, one, held).mean(axis=0) for one in points]
        rows.append(judge("Sobol points", m, averages))
        thinned = [pool[thin(one.gram, m, 0)].mean(axis=0) for one in spectra]
        rows.append(judge("kernel thinning", m, thinned))
        sets = [sa.design(of, m=m, spectrum=one) for one in spectra]
        chosen = [outputs(pair, S.elements, held).mean(axis=0) for S in sets]
        rows.append(judge("chosen", m, chosen))
    return {"rows": rows, "store": _store(pair, held, sa.design(of, m=STORED, spectrum=spectra[0]))}


def outputs(pair: Pair, rows: Any, x: Any) -> Any:
    """Of every input moved by every element: (rows, inputs, classes)."""
    step, found = max(1, _COPIES // len(x)), []
    for start in range(0, len(rows), step):
        moved = pair.action(rows[start : start + step], x)
        y = np.asarray(pair.f(moved.reshape((-1, *moved.shape[2:]))))
        found.append(y.reshape(-1, len(x), y.shape[-1]))
    return np.concatenate(found).astype(np.float64)


def _sobol(of: Any, m: int, seed: int) -> Any:
    """Elements at scrambled Sobol points."""
    return of.quantile(qmc.Sobol(of.dimensions, rng=seed).random(m))


def _store(pair: Pair, x: Any, S: sa.GroupSample) -> dict[str, Any]:
    """Seconds to compute the views of all images once, and to average them again."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        store = sa.views.compute(x, pair.action, S, pair.f, name="digits", out=folder)
        computed = time.monotonic() - start
        start = time.monotonic()
        store.mean()
        return {"computing": computed, "reading": time.monotonic() - start}
