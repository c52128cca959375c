"""How often the forecast's bar holds the error that a chosen S has on all inputs, over repetitions.

Inputs and pools are drawn again each time; the truth is that of the pair's held-out inputs, from which
the inputs are drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparseaug.spectrum.pool import BLOCKS, Pool, sobol
from studies.pipelines.compare import reference, table
from studies.pipelines.pairs import Pair


def coverage(pair: Pair, repetitions: int = 200, inputs: int = 64) -> list[dict[str, Any]]:
    """One row per size and kind of pool."""
    of = pair.action.distribution
    mean = table(pair, reference(pair, pair.reference), pair.held).mean(axis=0)
    rows = []
    for kind in ("sobol", "draws") if of.dimensions else ("draws",):
        found: dict[int, list[tuple[bool, bool]]] = {4: [], 16: [], 32: []}
        for r in range(repetitions):
            rng = np.random.default_rng(r)
            some = rng.choice(len(pair.held), inputs, replace=False)
            pool = of.sample(pair.pool, rng)
            if kind == "sobol" and of.dimensions:
                size = pair.pool // BLOCKS
                at = [sobol(of.dimensions, size, 10_000 + BLOCKS * r + j) for j in range(BLOCKS)]
                pool = of.quantile(np.concatenate(at))
            held = table(pair, pool, pair.held)
            spectrum = Pool(of, pool).spectrum([(0, held[:, some])], inputs=inputs)
            for m, hits in found.items():
                places = spectrum._best_places(m)
                one = spectrum.predict(spectrum._sample_at(places))
                true = float(((held[places].mean(axis=0) - mean) ** 2).sum() / len(mean))
                hits.append((abs(true - one.value) <= one.error, true <= one.upper))
        for m, hits in found.items():
            within, below = np.mean(hits, axis=0).tolist()
            rows.append(
                {"pair": pair.name, "pool": kind, "m": m, "within": within, "below upper": below}
            )
    return rows
