"""What m elements leave on held-out inputs: draws, Sobol points, goodpoints' thinning, chosen.

Inputs and pool are drawn again in every repetition, from a table of outputs. Figures are parts of the
variance, each with the standard error of its mean over the repetitions; m draws leave 1 / m. The bar of
a forecast is compared with what S leaves on all inputs of the table, those it was chosen on among them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparseaug.spectrum.pool import BLOCKS, Pool
from studies.pipelines.tables import LARGE, POOLED, SIZES, SMALL, Table

POOL = BLOCKS * SMALL
"""Rows of a pool: the library's usual number."""


def compare(table: Table, repetitions: int = 12, first: int = 0) -> list[dict[str, Any]]:
    """One row per size."""
    found: dict[int, list[dict[str, float]]] = {m: [] for m in SIZES}
    for seed in range(first, first + repetitions):
        for m, one in _repetition(table, np.random.default_rng(seed)):
            found[m].append(one)
    rows = []
    for m, many in found.items():
        row: dict[str, Any] = {"pair": table.name, "m": m, "draws": 1 / m}
        for key in many[0]:
            each = np.array([one[key] for one in many])
            row[key] = float(each.mean())
            if key not in ("within", "below upper", "bar"):
                row[f"{key} +-"] = float(each.std(ddof=1)) / math.sqrt(repetitions)
        rows.append(row)
    return rows


def _repetition(table: Table, rng: np.random.Generator) -> Any:
    order = rng.permutation(len(table.pool))
    fit, held = order[: table.inputs], order[table.inputs :]
    places = _pool(table, rng)
    values = table.pool[:, places]
    spectrum = Pool(table.of, table.rows[places]).spectrum(
        [(0, values[fit].swapaxes(0, 1))], inputs=len(fit)
    )

    def left(at: Any, inputs: Any) -> float:
        return table.left(values[inputs][:, at].mean(axis=1), inputs)

    for k, m in enumerate(SIZES):
        chosen = spectrum._best_places(m)
        forecast = spectrum.predict(spectrum._sample_at(chosen))
        true = left(chosen, order) * float(table.variances.mean())
        one = {
            "chosen": left(chosen, held),
            "forecast": forecast.value / spectrum.variance,
            "bar": forecast.error / spectrum.variance,
            "in-sample": spectrum.gram[np.ix_(chosen, chosen)].mean() / spectrum.variance,
            "within": float(abs(true - forecast.value) <= forecast.error),
            "below upper": float(true <= forecast.upper),
        }
        if table.even is not None:
            sets = table.even[held, k].swapaxes(0, 1)
            one["sobol"] = float(np.mean([table.left(means, held) for means in sets]))
        thinned = thin(spectrum.gram, m, 0)
        if thinned is not None:
            one["goodpoints"] = left(thinned, held)
        yield m, one


def _pool(table: Table, rng: np.random.Generator) -> Any:
    """Places of draws, or of eight of the blocks of Sobol points."""
    if table.even is None:
        return rng.choice(POOLED, POOL, replace=False)
    begins = np.concatenate([LARGE * np.arange(BLOCKS), np.arange(BLOCKS * LARGE, POOLED, SMALL)])
    some = rng.choice(begins, BLOCKS, replace=False)
    return (some[:, None] + np.arange(SMALL)).ravel()


def thin(gram: Any, m: int, seed: int) -> Any:
    """Kernel thinning (Dwivedi and Mackey 2024) of the pool; None where the package is not there."""
    try:
        from goodpoints import kt
    except ImportError:
        return None
    return kt.thin_K(gram, gram, int(math.log2(len(gram) / m)), seed=seed)
