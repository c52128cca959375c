"""What averaging over S really leaves of one view's error, on inputs that played no part in the choice
of S.

The share left is the mean-square distance from the mean over G of the mean over k S h, k and h
uniform, over the variance. A group whose irreps can all be measured: the expectation over all k and
h, from the exact spectra of `PARTS` parts of the inputs, which say how much it depends on them.
Others: the mean over `TRANSLATES` pairs k, h that are the same for all S, next to the mean over G:
over all of it, from a quadrature (rotations), or from `REFERENCE` draws, whose own share 1 /
`REFERENCE` is taken off.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

import sparseaug as sa
from sparseaug.spectrum.spectrum import Spectrum
from studies.views.orbit import product_grid
from studies.which.contenders import Contender
from studies.which.pairs import Pair

Floats = NDArray[np.float64]
ENUMERATED = 10_000
TRANSLATES = 64
REFERENCE = 20_000
PARTS = 8
AT_ONCE = 20_000  # moved inputs


class Truth:
    """Of one pair on some inputs; a share is an array, of each part or each k, h; its mean is meant."""

    def __init__(
        self, pair: Pair, x: Any, *, translates: int = TRANSLATES, parts: int = PARTS
    ) -> None:
        self.pair, self.x, self.group = pair, x, pair.action.group
        rng = np.random.default_rng(7)
        self.k, self.h = (self.group.sample(translates, rng) for _ in range(2))
        listed = self.group.is_finite and self.group.order <= ENUMERATED
        self.spectra: list[Spectrum] = []
        self.table: Floats | None = None
        if listed:
            self.spectra = [
                sa.orbit_spectrum(pair.model, pair.action, x[i::parts], calls=self.group.order)
                for i in range(parts)
            ]
            self.weights = np.array([each.inputs for each in self.spectra]) * parts / len(x)
            self.variance = float(self.weights @ [each.variance for each in self.spectra]) / parts
            some = sa.GroupSample(self.group, self.group.sample(5, rng))
            if not self.spectra[0].predict(some).error:
                return
            self.spectra = []  # irreps that are measured together do not say what S leaves of each
        self.known = 0.0
        if not self.group.is_finite:
            rows, weights = product_grid(29, 30)
        else:
            rows = self.group.all_elements() if listed else self.group.sample(REFERENCE, rng)
            weights = np.full(len(rows), 1 / len(rows))
            self.known = 0.0 if listed else 1 / REFERENCE
        mean, square, kept = np.zeros(()), np.zeros(()), []
        for at in range(0, len(rows), self.step):
            values, weight = self.values(rows[at : at + self.step]), weights[at : at + self.step]
            mean = mean + np.tensordot(weight, values, 1)
            square = square + np.tensordot(weight, values**2, 1)
            if listed:
                kept.append(values)
        if listed:
            self.table = np.concatenate(kept)
        self.mean = mean
        self.variance = float((square - mean**2).sum(axis=-1).mean())

    @property
    def exact(self) -> bool:
        return bool(self.spectra)

    @cached_property
    def step(self) -> int:
        return max(1, AT_ONCE // len(self.x))

    def values(self, rows: Any) -> Floats:
        """(elements, inputs, outputs)"""
        if self.table is not None:
            return self.table[self.group.rank(rows)]
        moved = self.pair.action(rows, self.x)
        flat = np.asarray(self.pair.model(moved.reshape(-1, *moved.shape[2:])), np.float64)
        return flat.reshape(len(rows), len(self.x), -1)

    def share(self, one: Contender) -> Floats:
        """What a contender leaves of one view's error; draws in expectation, in closed form."""
        if one.samples:
            return np.mean([self.left(S) for S in one.samples], axis=0)
        share = 1 / one.size
        if one.kind == "distinct" and self.group.is_finite:
            share *= (self.group.order - one.size) / (self.group.order - 1)
        return np.array([share])

    def left(self, S: sa.GroupSample) -> Floats:
        """What the mean over k S h leaves of one view's error."""
        if self.group.is_finite and S.m == self.group.order and len(S.counts()[1]) == S.m:
            return np.zeros(1)
        if self.spectra:
            values = np.array([each.predict(S).value for each in self.spectra])
            return self.weights * values / self.variance
        found = []
        for k, h in zip(self.k, self.h, strict=True):
            rows = self.group.compose(self.group.compose(k[None], S.elements), h[None])
            parts = [self.values(rows[at : at + self.step]) for at in range(0, S.m, self.step)]
            mean = np.concatenate(parts).mean(axis=0)
            found.append(((mean - self.mean) ** 2).sum(axis=-1).mean() / self.variance)
        return np.array(found) - self.known


def noise(values: Floats) -> float:
    """Half of the 95 % interval of the mean."""
    if len(values) == 1:
        return 0.0
    return float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)
