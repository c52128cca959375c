"""What m elements leave on held-out inputs: draws, Sobol points, goodpoints' thinning, chosen.

Outputs are tabulated once, for every input at every row that anything takes; all else is resampled.
Figures are parts of the variance. The mean over the distribution is that over `reference` rows, whose
own
mean-square error, as its eight blocks show it, is subtracted.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug.actions.arrays import as_numpy
from sparseaug.spectrum.models import evaluating
from sparseaug.spectrum.pool import BLOCKS, Pool, pool_of, sobol
from studies.pipelines.pairs import Pair

SIZES = (4, 8, 16, 32, 64)
_COPIES = 256


def table(pair: Pair, rows: Any, x: Any) -> Any:
    """Outputs (rows, inputs, p)."""
    step, found = max(1, _COPIES // len(x)), []
    with evaluating(pair.f):
        for start in range(0, len(rows), step):
            moved = pair.action(rows[start : start + step], x)
            y = as_numpy(pair.f(moved.reshape((-1, *moved.shape[2:]))))
            found.append(y.reshape(-1, len(x), y.shape[-1]))
    return np.concatenate(found).astype(np.float64)


def reference(pair: Pair, count: int) -> Any:
    """Rows whose mean stands for that of the distribution, in independent blocks."""
    of = pair.action.distribution
    if of.dimensions is None:
        return sa.Oracle(of, seed=777).draw(count).elements
    points = [sobol(of.dimensions, count // BLOCKS, 1000 + r) for r in range(BLOCKS)]
    return of.quantile(np.concatenate(points))


def compare(pair: Pair, scrambles: int = 4, repeats: int = 200) -> list[dict[str, Any]]:
    """One row per size."""
    of, start = pair.action.distribution, time.monotonic()
    pool = pool_of(of, None, pair.pool, len(pair.fit))
    spectrum = Pool(of, pool.rows).spectrum(
        [(0, table(pair, pool.rows, pair.fit))], inputs=len(pair.fit)
    )
    measured = time.monotonic() - start
    held = table(pair, pool.rows, pair.held)
    other = table(pair, reference(pair, pair.reference), pair.held)
    mean = other.mean(axis=0)
    blocks = other.reshape(BLOCKS, -1, *mean.shape).mean(axis=1) - mean
    own = float((blocks**2).sum() / len(mean)) / (BLOCKS * (BLOCKS - 1))
    variance = float(((other - mean) ** 2).sum() / other.shape[0] / len(mean))

    def left(values: Any) -> float:
        return (float(((values.mean(axis=0) - mean) ** 2).sum() / len(mean)) - own) / variance

    rows, rng = [], np.random.default_rng(0)
    for m in (m for m in SIZES if 2 * m <= pair.pool):
        started = time.monotonic()
        places = spectrum._best_places(m)
        found = spectrum.predict(spectrum._sample_at(places))
        row = {
            "pair": pair.name,
            "m": m,
            "draws": np.mean(
                [left(other[rng.integers(len(other), size=m)]) for _ in range(repeats)]
            ),
            "chosen": left(held[places]),
            "forecast": found.value / spectrum.variance,
            "bar": found.error / spectrum.variance,
            "in-sample": spectrum.gram[np.ix_(places, places)].mean() / spectrum.variance,
            "seconds to measure": measured,
            "seconds to choose": time.monotonic() - started,
        }
        tried = [thin(spectrum.gram, m, seed) for seed in range(5)]
        thinned = [left(held[at]) for at in tried if at is not None]
        row["goodpoints"] = np.mean(thinned) if thinned else None
        row["sobol"] = None
        if of.dimensions is not None:
            points = [of.quantile(sobol(of.dimensions, m, 5000 + r)) for r in range(scrambles)]
            row["sobol"] = np.mean([left(table(pair, one, pair.held)) for one in points])
        rows.append({key: float(v) if isinstance(v, np.floating) else v for key, v in row.items()})
    return rows


def thin(gram: Any, m: int, seed: int) -> Any:
    """Kernel thinning (Dwivedi and Mackey 2024) of the pool; None where the package is not there."""
    try:
        from goodpoints import kt
    except ImportError:
        return None
    rounds = math.log2(len(gram) / m)
    return kt.thin_K(gram, gram, int(rounds), seed=seed) if rounds.is_integer() else None
