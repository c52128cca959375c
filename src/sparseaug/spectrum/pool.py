"""How a function varies over a distribution, measured on a pool of its elements.

For pool rows s_1, ..., s_N and inputs x_i let v_i(s) = f(s x_i) and c_i the pool's mean of v_i. The Gram
matrix K(s, t) = mean_i <v_i(s) - c_i, v_i(t) - c_i> gives for every S of pool rows

    mean_i |mean_S v_i - c_i|^2 = (1/m^2) sum_{s,t in S} K(s, t).

Three things lie between that and the error for other inputs and the whole distribution.

Choice. The S of the least value is good by luck for these inputs, by a factor of two to four. So the
inputs are parted; an S chosen without a fold of them is judged on that fold, and what it leaves there
more than on its own inputs is added to every S of as many elements.

Inputs. The parts that were held out also show how inputs differ: Student's t.

The pool. It is made of `BLOCKS` independent ones (of Sobol points, each scrambled by itself, where the
distribution has parameters), so that the error of c_i is seen: D = sum_r |b_r - c|^2 / (R (R - 1)), b_r
the means of R blocks, is added, and the product 2 <mean_S - c, c - mu> is in the error bar, as it is
on parts that S was not chosen for: on its own S is next to c. What a chosen S does to c is left out:
centred values of a normal sample are independent of its mean.

The search. Few inputs leave to chance what even points are, so that a part of the smooth kernel of the
parameters is added to K where there are parameters (`Distribution._smooth_kernel`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sparseaug._archive import to_json
from sparseaug._checks import check_choice, check_integer
from sparseaug._tables import Shown, Table
from sparseaug.errors import ArgumentError, shorten, shorten_text
from sparseaug.groups import Distribution, Rows
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.sampling import GroupSample, Oracle, Origin
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.sample import as_sample
from sparseaug.search.measured import places_of
from sparseaug.spectrum.measure import CALLS, MOST_DRAWS, Parts
from sparseaug.spectrum.spectrum import LEVEL, Prediction, as_count, half_width

BLOCKS = 8
"""Independent parts of the pool: Student's quantile of 7 differences is 2.36."""

FOLDS = 8
"""Of the inputs: S is chosen on seven eighths of them and judged on the rest."""

SHARED = 2.0
"""By what bars over inputs are longer than for independent parts: folds share the inputs that S is
chosen on. For 95 % of the bars the digits and the sentences needed 1.7 and 2.0 at m = 4, 1.2 at m = 8;
`studies.pipelines` counts other repetitions, and other pairs."""

SMOOTH = 0.1
"""Of the variance in the matrix that is searched: few inputs leave to chance what even points are."""

LEAST = 32
"""Elements of a pool: four in each block."""

NAME = "chosen from a pool"


@dataclass(frozen=True, eq=False, repr=False)
class PoolSpectrum(Shown):
    """How a function varies over a distribution, from its values on a pool.

    Attributes:
        distribution: of the pool; it may be a group's
        rows: the pool (N, width), in `BLOCKS` independent parts of the same size
        grams: for each part of the inputs the sum of K over its inputs (parts, N, N)
        counts: inputs in each part
        calls: elements evaluated for the pool

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.random_affine(degrees=30, translate=0.1, scale=(0.8, 1.2))
        >>> x = np.random.default_rng(0).random((32, 8, 8))
        >>> spectrum = sa.orbit_spectrum(lambda x: np.tanh(x[:, 2:6, 2:6].sum((1, 2)) - 8), act, x)
        >>> S = sa.design(act.distribution, m=16, spectrum=spectrum)
        >>> round(spectrum.predict(S).relative, 2), round(spectrum.predict(16).relative, 2)
        (0.01, 0.06)
    """

    distribution: Distribution
    rows: Rows
    grams: Floats
    counts: NDArray[np.int64]
    calls: int
    _known: dict[int, tuple[Floats, float, float]] = field(default_factory=dict, init=False)

    @property
    def inputs(self) -> int:
        """How many inputs it was measured on."""
        return int(self.counts.sum())

    @cached_property
    def gram(self) -> Floats:
        """K on the pool, the mean over all inputs."""
        return np.asarray(self.grams.sum(axis=0) / self.inputs)

    @property
    def variance(self) -> float:
        """What one draw leaves on average."""
        return float(self.gram.trace()) / len(self.rows) + self.center_error

    @cached_property
    def center_error(self) -> float:
        """The mean square D of the error of the pool's own mean."""
        return float(self._centers.trace()) / (BLOCKS * (BLOCKS - 1))

    @cached_property
    def _centers(self) -> Floats:
        """Inner products of the blocks' means, (R, R)."""
        halves = self.gram.reshape(BLOCKS, -1, len(self.rows)).mean(axis=1)
        return np.asarray(halves.reshape(BLOCKS, BLOCKS, -1).mean(axis=2))

    def predict(self, S: GroupSample | int) -> Prediction:
        """The mean-square error of averaging the function over S, for inputs like those measured.

        Of rows of the pool it is cross-fitted over inputs, as if S had been chosen for them.

        Args:
            S: rows of the pool, as `design` and `choose` give them; or a number m of independent
                draws, or such draws, which leave variance / m

        Raises:
            ArgumentError: S has rows that are neither in the pool nor uniform draws.
        """
        if (m := as_count(S)) is not None:
            return self._draws(m)
        sample = as_sample(S, self.distribution)
        places = [self._places.get(row.tobytes(), -1) for row in sample.elements]
        if min(places) < 0:
            if sample.origin.is_uniform:
                return self._draws(sample.m)
            given = f"S={shorten(sample)} has rows not in the pool, where f was not evaluated"
            raise ArgumentError(f"{given}; give rows of the pool, or a number of draws.")
        weights = np.bincount(places, minlength=len(self.rows)) / sample.m
        return self._judged(weights, sample.m)

    def _best_places(self, m: int, *, nested: bool = False) -> NDArray[np.int64]:
        """The places in the pool of the best m rows, by greedy choice and exchange."""
        return np.asarray(places_of(self._even(self.gram), m, parts=BLOCKS, nested=nested))

    def _even(self, gram: Floats) -> Floats:
        """The matrix, and a part of the smooth kernel of the parameters."""
        even = self._smooth
        return gram + SMOOTH * gram.trace() / (even.trace() or 1.0) * even

    @cached_property
    def _smooth(self) -> Floats:
        return self.distribution._smooth_kernel(self.rows) - 1.0

    def _sample_at(self, places: Any) -> GroupSample:
        """The rows of the pool at these places, as a sample."""
        origin = Origin("design", design=NAME)
        return GroupSample(self.distribution, self.rows[places], self.calls, origin)

    def to_dict(self) -> dict[str, Any]:
        """What it says as JSON data."""
        found = {"distribution": self.distribution.name, "inputs": self.inputs, "calls": self.calls}
        return {**found, "variance": self.variance, "variance_error": to_json(self._draws(1).error)}

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {row.tobytes(): place for place, row in reversed([*enumerate(self.rows)])}

    def _draws(self, m: int) -> Prediction:
        N = len(self.rows)
        each = np.trace(self.grams, axis1=1, axis2=2) / N / self.counts
        blocks = self.gram.diagonal().reshape(BLOCKS, -1).mean(axis=1)
        pool = _quantile(BLOCKS) * float(blocks.std(ddof=1)) / math.sqrt(BLOCKS)
        error = math.hypot(half_width(each, self.counts), pool) if self.variance else math.inf
        return Prediction(self.variance / m, error / m, m, self.variance)

    def _judged(self, weights: Floats, m: int) -> Prediction:
        if not self.variance:
            return Prediction(0.0, math.inf, m, 0.0)
        held, excess, toward = self._crossed(m)
        value = float(weights @ self.gram @ weights) + excess + self.center_error
        centers = self._centers
        product = 2 * math.sqrt(toward / (BLOCKS * (BLOCKS - 1)))
        spread = self.center_error * math.sqrt(
            2 * float((centers * centers).sum()) / max(float(centers.trace()) ** 2, 1e-300)
        )
        pool = _quantile(BLOCKS) * math.hypot(product, spread)
        error = math.hypot(SHARED * half_width(held, self.counts), pool)
        return Prediction(value, error, m, self.variance)

    def _crossed(self, m: int) -> tuple[Floats, float, float]:
        """What an S of m leaves on parts it was not chosen for, and how much more than on its own.

        And the sum over blocks of the squares of <mean_S - c, b_r - c>, there too.
        """
        if m in self._known:
            return self._known[m]
        grams, counts = self.grams, self.counts
        fold = np.arange(len(counts)) % min(FOLDS, len(counts))
        held, own, toward = np.empty(len(counts)), 0.0, 0.0
        for j in range(int(fold.max()) + 1):
            out = fold == j
            gram = grams[~out].sum(axis=0) / counts[~out].sum()
            chosen, share = places_of(self._even(gram), m, parts=BLOCKS), counts[out].sum()
            at = np.ix_(chosen, chosen)
            held[out] = [part[at].mean() for part in grams[out]] / counts[out]
            own += gram[at].mean() * share / self.inputs
            to_blocks = grams[out].sum(axis=0)[chosen].mean(axis=0).reshape(BLOCKS, -1).mean(axis=1)
            toward += float(to_blocks @ to_blocks) / share / self.inputs
        excess = max(0.0, float(held @ counts / self.inputs - own))
        return self._known.setdefault(m, (held, excess, toward))

    def _table(self) -> Table:
        name = shorten_text(self.distribution.name, 32)
        title = f"{name}, {self.inputs} inputs, pool of {len(self.rows)}"
        notes = [f"variance {self.variance:.4g} +- {self._draws(1).error:.2g}"]
        return Table((), (), title=title, notes=notes)

    def __repr__(self) -> str:
        name = shorten_text(self.distribution.name)
        return f"PoolSpectrum({name}, variance={self.variance:.4g}, pool={len(self.rows)})"


def _quantile(count: int) -> float:
    return float(stdtrit(count - 1, (1 + LEVEL) / 2))


@dataclass(frozen=True, eq=False)
class Pool:
    """Elements to evaluate a function at, in `BLOCKS` independent parts.

    Attributes:
        distribution: what they are of
        rows: one row per element (N, width)
    """

    distribution: Distribution
    rows: Rows

    def spectrum(self, values: Iterable[Any], *, inputs: int, floor: float = 0.0) -> PoolSpectrum:
        """The spectrum of a function, from its values at the rows, as `Measurement.spectrum`.

        Args:
            values: pairs of the number of an input and an array (N, k, p) of the values of that and
                the following inputs
            inputs: how many there are
            floor: a variance up to this times the mean square of the values is taken for 0
        """
        N = len(self.rows)
        parts = Parts(N, inputs, N * N)
        grams = np.zeros((parts.count, N, N))
        for j, part in parts.centred(values):
            grams[j] += part @ part.T
        if float(np.trace(grams, axis1=1, axis2=2).sum()) / N <= floor * parts.square:
            grams[:] = 0.0
        return PoolSpectrum(self.distribution, self.rows, grams, parts.sizes, N)


def is_pooled(distribution: Distribution, by: Any) -> bool:
    """Whether a pool is asked for, by by="pool" or by a distribution that has no degrees."""
    if by is not None and not distribution.is_group:
        check_choice("by", by, ("pool",))
    return not distribution.is_group or (isinstance(by, str) and by == "pool")


def pool_of(distribution: Distribution, oracle: Oracle | None, calls: int | None, n: int) -> Pool:
    """A pool of about so many elements: Sobol points of the parameters, or draws of the oracle."""
    if n < 2:
        raise ArgumentError("x has one sample, with which none can be compared; give two or more.")
    count = CALLS if calls is None else calls
    size = check_integer("calls", count, at_least=LEAST, below=MOST_DRAWS + 1) // BLOCKS
    if oracle is not None:
        require_oracle(oracle, distribution)
        rows = oracle.fresh(size * BLOCKS).elements
    elif distribution.dimensions is None:
        seed = int(keyed_rng(0, "pool").integers(1 << 63))
        rows = Oracle(distribution, seed).fresh(size * BLOCKS).elements
    else:
        points = [sobol(distribution.dimensions, size, r) for r in range(BLOCKS)]
        rows = distribution.quantile(np.concatenate(points))
    return Pool(distribution, rows)


def pool_at(S: GroupSample, n: int) -> Pool:
    """The pool that an S of uniform draws is, where a function is known at them already."""
    if not S.origin.is_uniform or not LEAST <= S.m <= MOST_DRAWS or n < 2:
        given = f"S={shorten(S)} is no pool for {n} inputs"
        raise ArgumentError(f"{given}; give {LEAST} to {MOST_DRAWS} Oracle draws and two inputs.")
    return Pool(S.distribution, S.elements[: S.m // BLOCKS * BLOCKS])


def sobol(dimensions: int, count: int, index: int = 0) -> Floats:
    """Scrambled Sobol points (count, dimensions), another scrambling for each index."""
    from scipy.stats import qmc  # which takes half a second to import

    rng = np.random.default_rng(int(keyed_rng(0, "sobol pool", index=index).integers(1 << 63)))
    points = qmc.Sobol(max(1, dimensions), rng=rng).random_base2(max(0, (count - 1).bit_length()))
    return np.minimum(points[:count, :dimensions], np.nextafter(1.0, 0.0))
