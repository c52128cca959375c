"""Outputs of a frozen model at all rows that anything takes: measured once, resampled ever after.

For every input the table has f(s x) less the mean over the distribution, mu, for the rows s of a pool;
the means of eight independent blocks of the `REFERENCE` rows whose mean is taken for mu; and means of
the first 4, 8, ..., 64 of several sets of Sobol points. What any set of pool rows leaves follows.

Outputs of many numbers are kept in `DIRECTIONS` directions, the main ones of each input; what they lose
of a single row comes back as independent noise of the same size, which no choice of rows can lower.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug.actions.arrays import as_numpy
from sparseaug.groups import Distribution
from sparseaug.spectrum.models import evaluating
from sparseaug.spectrum.pool import BLOCKS, sobol
from studies.pipelines.pairs import Pair

SIZES = (4, 8, 16, 32, 64)
REFERENCE, POOLED, SCRAMBLES, DIRECTIONS = 2048, 1280, 16, 128
LARGE, SMALL = 64, 32
"""Rows of the first eight blocks of the pool, and of the others: any eight make a pool of 256."""

_COPIES, _NOISE = 2048, 48


@dataclass(frozen=True)
class Table:
    """Values of all inputs, centred at mu.

    Attributes:
        name: of the pair
        of: the distribution
        rows: of the pool
        pool: values (inputs, rows, p)
        blocks: means of the blocks of the reference (inputs, 8, p)
        even: means of Sobol points (inputs, sizes, scrambles, p); None without parameters
        variances: of each input
        inputs: how many a set is chosen on
    """

    name: str
    of: Distribution
    rows: Any
    pool: Any
    blocks: Any
    even: Any
    variances: Any
    inputs: int

    def left(self, means: Any, inputs: Any) -> float:
        """The part of the variance that these means (inputs, p) leave, less what is mu's own error."""
        own = (self.blocks[inputs] ** 2).sum() / (BLOCKS * (BLOCKS - 1)) / len(inputs)
        return float(((means**2).sum() / len(inputs) - own) / self.variances[inputs].mean())


def table(pair: Pair, rows: Any, x: Any) -> Any:
    """Outputs (rows, inputs, p)."""
    step, found = max(1, _COPIES // len(x)), []
    with evaluating(pair.f):
        for start in range(0, len(rows), step):
            moved = pair.action(rows[start : start + step], x)
            y = as_numpy(pair.f(moved.reshape((-1, *moved.shape[2:]))))
            found.append(y.reshape(-1, len(x), y.shape[-1]))
    return np.concatenate(found).astype(np.float64)


def rows_of(of: Distribution) -> tuple[Any, Any, Any]:
    """The pool, the reference and Sobol points to compare with."""
    if of.dimensions is None:
        pool, reference = (
            sa.Oracle(of, seed=seed).draw(count).elements
            for seed, count in ((4321, POOLED), (777, REFERENCE))
        )
        return pool, reference, None
    sizes = [LARGE if r < BLOCKS else SMALL for r in range(BLOCKS + (POOLED - 512) // SMALL)]
    points = (
        [sobol(of.dimensions, size, r) for r, size in enumerate(sizes)],
        [sobol(of.dimensions, REFERENCE // BLOCKS, 1000 + r) for r in range(BLOCKS)],
        [sobol(of.dimensions, SIZES[-1], 5000 + r) for r in range(SCRAMBLES)],
    )
    pool, reference, even = (of.quantile(np.concatenate(part)) for part in points)
    return pool, reference, even


def measure(pair: Pair, path: Path, at_once: int = 16) -> None:
    """Write the table of all inputs of a pair."""
    pool, reference, even = rows_of(pair.action.distribution)
    rows = np.concatenate([part for part in (pool, reference, even) if part is not None])
    found, variances = [], []
    for start in range(0, len(pair.x), at_once):
        outputs = table(pair, rows, pair.x[start : start + at_once])
        for values in outputs.swapaxes(0, 1):
            other = values[POOLED : POOLED + REFERENCE]
            mean = other.mean(axis=0)
            parts = [values[:POOLED], other.reshape(BLOCKS, -1, len(mean)).mean(axis=1)]
            if even is not None:
                sets = values[POOLED + REFERENCE :].reshape(SCRAMBLES, SIZES[-1], -1)
                parts += [sets[:, :m].mean(axis=1) for m in SIZES]
            found.append(_main(np.concatenate(parts) - mean))
            variances.append(float(((other - mean) ** 2).sum()) / REFERENCE)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, values=np.array(found, np.float32), variances=variances)


def _main(values: Any) -> Any:
    """In the main directions of the pool and, above all, of the means."""
    if values.shape[1] <= DIRECTIONS:
        return values
    weighted = np.concatenate([values[:POOLED], 32 * values[POOLED:]])
    return values @ np.linalg.eigh(weighted.T @ weighted)[1][:, -DIRECTIONS:]


def load(pair: Pair, path: Path) -> Table:
    """The table, with noise for what its directions have lost."""
    with np.load(path) as file:
        values, variances = file["values"].astype(np.float64), file["variances"]
    pool = values[:, :POOLED]
    lost = np.maximum(0.0, variances - (pool**2).sum(axis=2).mean(axis=1))
    if values.shape[2] == DIRECTIONS:
        noise = np.random.default_rng(0).normal(size=(*pool.shape[:2], _NOISE))
        wide = np.concatenate([pool, noise * np.sqrt(lost / _NOISE)[:, None, None]], axis=2)
    else:
        wide = pool
    blocks, even = np.split(values[:, POOLED:], [BLOCKS], axis=1)
    shape = (len(values), len(SIZES), SCRAMBLES, values.shape[2])
    of = pair.action.distribution
    return Table(
        pair.name,
        of,
        rows_of(of)[0],
        wide,
        blocks,
        even.reshape(shape) if even.shape[1] else None,
        variances,
        pair.inputs,
    )
