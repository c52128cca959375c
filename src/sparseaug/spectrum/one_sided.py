"""How a function of an order varies where places are kept: which places count, and which together.

With v(g) = f(g x) and h x in place of x, h uniform, the mean over S becomes that over S h, and leaves

    E_h |mean_S v(s h) - mean_G v|^2 = sum_pi d_pi ||F_pi pi(S)||_F^2,    F_pi = mean_g v(g) pi(g)*.

That depends on the matrix F_pi* F_pi, where the mean over k S h of a `Spectrum` depends on its trace
alone: h exchanges items, and k places. From N draws, with M = sum_i v_i pi(g_i),

    (M M* - sum_i |v_i|^2 I) / (N (N - 1))

is an unbiased estimate of F_pi* F_pi. Its negative eigenvalues are noise: they are left out, and the
others scaled to the same trace. Of the variance that is in none of the irreps that are kept the sum of
c_g^2 / m^2 is left, as of draws, c_g how often g is in S.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer
from sparseaug._tables import Shown, Table
from sparseaug.errors import ArgumentError, GroupTooLargeError, shorten_text
from sparseaug.groups import Group, Irrep, Rows
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.measure import Parts
from sparseaug.spectrum.models import MOST_CALLS
from sparseaug.spectrum.spectrum import Prediction, as_count, half_width

LARGEST = 20_000
"""Entries of all irreps that are kept: to degree 3 of S_9, 2 of S_15, 1 of S_100."""

CALLS = 512
"""Draws where no number is given."""

MOST_DEGREE = 8
"""Of groups without a highest one."""

_AT_ONCE = 1 << 22  # entries of M for several columns


@dataclass(frozen=True, eq=False, repr=False)
class OneSidedSpectrum(Shown):
    """How a function varies where places are kept; made by `orbit_spectrum(by="places")`.

    Attributes:
        group: what moves the inputs
        irreps: those that are kept, all up to a degree
        squares: of each part of the inputs, for each irrep, d_pi F_pi* F_pi as estimated, side by side
        counts: inputs in each part
        variance: of the function over the group, on average over inputs
        calls: elements drawn

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(7), axis=1)
        >>> x = np.random.default_rng(0).normal(size=(20, 7, 2))
        >>> tour = lambda x: np.linalg.norm(np.diff(x, axis=1), axis=2).sum(axis=1)
        >>> spectrum = sa.orbit_spectrum(tour, act, x, by="places")
        >>> S = sa.design(act.group, m=14, spectrum=spectrum)
        >>> round(spectrum.predict(S).relative, 2), round(spectrum.predict(14).relative, 2)
        (0.01, 0.07)
    """

    group: Group
    irreps: tuple[Irrep, ...]
    squares: NDArray[Any]
    counts: NDArray[np.int64]
    variance: float
    calls: int

    @property
    def inputs(self) -> int:
        """How many inputs it was measured on."""
        return int(self.counts.sum())

    @cached_property
    def _roots(self) -> list[NDArray[Any]]:
        """For each irrep the root of d_pi F_pi* F_pi, without its negative part."""
        found = []
        for square in _matrices(self.squares.sum(axis=0) / self.inputs, self.irreps):
            values, vectors = np.linalg.eigh((square + square.conj().T) / 2)
            kept = np.maximum(values, 0.0)
            kept *= max(0.0, values.sum()) / (kept.sum() or 1.0)
            found.append((vectors * np.sqrt(kept)) @ vectors.conj().T)
        return found

    @cached_property
    def rest(self) -> float:
        """The variance in none of the irreps."""
        return max(0.0, self.variance - sum(float((abs(r) ** 2).sum()) for r in self._roots))

    def features(self, rows: Rows) -> Floats:
        """Vectors (k, size) of the rows: |their mean over S|^2 is what S leaves, but for the rest."""
        moved = [i.matrices(rows) for i in self.irreps]
        parts = [
            (root @ m).reshape(len(rows), root.size)
            for root, m in zip(self._roots, moved, strict=True)
        ]
        found = np.concatenate(parts, axis=1)
        return np.concatenate([found.real, found.imag], axis=1) if np.iscomplexobj(found) else found

    def predict(self, S: GroupSample | int) -> Prediction:
        """The mean-square error of averaging the function over S h, in expectation over a uniform h.

        The bar is for other inputs, by Student's t over the parts of those measured. An S that was
        chosen by this spectrum leaves more of other inputs than it says.

        Args:
            S: a sample of the group; or a number m of independent draws, which leave variance / m
        """
        if (m := as_count(S)) is not None:
            return Prediction(self.variance / m, 0.0, m, self.variance)
        sample = as_sample(S, self.group)
        error = half_width(self.left(sample), self.counts)
        mean = self.features(sample.elements).mean(axis=0)
        repeats = float((sample.counts()[1] ** 2).sum()) / sample.m**2
        value = float(mean @ mean) + self.rest * repeats
        return Prediction(value, error, sample.m, self.variance)

    def left(self, S: GroupSample) -> Floats:
        """What is left of the inputs in each part but for the rest: unbiased, so at times negative."""
        means = [irrep.matrices(S.elements).mean(axis=0) for irrep in self.irreps]
        products = np.concatenate([(a @ a.conj().T).T.ravel() for a in means])
        return (self.squares @ products).real / self.counts

    def of_parts(self, some: slice) -> OneSidedSpectrum:
        """The same from some of the inputs."""
        return replace(self, squares=self.squares[some], counts=self.counts[some])

    @cached_property
    def shares(self) -> dict[int | str, float]:
        """The part of the variance in each degree, and above those that are kept."""
        found: dict[int | str, float] = {}
        for irrep, root in zip(self.irreps, self._roots, strict=True):
            degree = irrep.degree or 0
            found[degree] = found.get(degree, 0.0) + float((abs(root) ** 2).sum())
        found["higher"] = self.rest
        total = sum(found.values()) or 1.0
        return {degree: share / total for degree, share in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """What it says as JSON data."""
        shares = {str(degree): share for degree, share in self.shares.items()}
        found = {"group": self.group.name, "inputs": self.inputs, "calls": self.calls}
        return {**found, "variance": self.variance, "shares": shares}

    def _table(self) -> Table:
        title = f"{shorten_text(self.group.name)}, {self.inputs} inputs, {self.calls} calls"
        rows = [(str(degree), f"{share:.4g}") for degree, share in self.shares.items()]
        notes = [f"variance {self.variance:.4g}; where places are kept"]
        return Table(("degree", "share"), rows, title=title, notes=notes)

    def __repr__(self) -> str:
        name = shorten_text(self.group.name)
        return f"OneSidedSpectrum({name}, variance={self.variance:.4g}, calls={self.calls})"


@dataclass(frozen=True, eq=False)
class OneSided:
    """Elements to evaluate a function at.

    Attributes:
        group: what they are of
        irreps: that are kept
        rows: one row per element (N, width)
    """

    group: Group
    irreps: tuple[Irrep, ...]
    rows: Rows

    def spectrum(
        self, values: Iterable[Any], *, inputs: int, floor: float = 0.0
    ) -> OneSidedSpectrum:
        """The spectrum of a function, from its values at the rows, as `Measurement.spectrum`."""
        N, parts = len(self.rows), Parts(len(self.rows), inputs, 1)
        matrices = [irrep.matrices(self.rows) for irrep in self.irreps]
        squares = np.zeros((parts.count, sum(i.dimension**2 for i in self.irreps)), complex)
        total = 0.0
        for j, part in parts.centred(values):
            power = float(np.linalg.norm(part) ** 2)
            total += power / (N - 1)
            found = [_square(part, m) - power * np.eye(m.shape[1]) for m in matrices]
            flat = [m.shape[1] * f.ravel() for m, f in zip(matrices, found, strict=True)]
            squares[j] += np.concatenate(flat) / (N * (N - 1))
        if total <= floor * parts.square:
            squares[:], total = 0.0, 0.0
        if not any(map(np.iscomplexobj, matrices)):
            squares = squares.real
        return OneSidedSpectrum(self.group, self.irreps, squares, parts.sizes, total / inputs, N)


def one_sided(group: Group, oracle: Oracle | None, calls: int | None, n: int) -> OneSided:
    """Draws at which `orbit_spectrum(by="places")` evaluates, and irreps of as high a degree as fit."""
    if n < 4:
        raise ArgumentError(f"x has {n} samples, too few to be compared; give four or more.")
    kept: tuple[Irrep, ...] = ()
    for degree in range(1, 1 + (group.highest_degree or MOST_DEGREE)):
        irreps = tuple(group.irreps_to(degree))[1:]
        if sum(irrep.dimension**2 for irrep in irreps) > LARGEST:
            break
        kept = irreps
    if not kept:
        name = shorten_text(group.name)
        raise GroupTooLargeError(f"irreps of {name} have above {LARGEST} entries; leave by= out.")
    if oracle is None:
        oracle = Oracle(group, int(keyed_rng(0, "one-sided spectrum").integers(1 << 63)))
    count = CALLS if calls is None else check_integer("calls", calls, at_least=32, below=MOST_CALLS)
    require_oracle(oracle, group)
    return OneSided(group, kept, oracle.fresh(count).elements)


def _square(part: Floats, matrices: NDArray[Any]) -> NDArray[Any]:
    """M M*, summed over the columns."""
    step = max(1, _AT_ONCE // matrices[0].size)
    total = np.zeros(matrices.shape[1:], matrices.dtype)
    for at in range(0, part.shape[1], step):
        M = np.tensordot(part[:, at : at + step].T, matrices, 1)
        total += np.einsum("pij,pkj->ik", M, M.conj(), optimize=True)
    return total


def _matrices(flat: NDArray[Any], irreps: tuple[Irrep, ...]) -> Iterable[NDArray[Any]]:
    """Side by side to one for each irrep."""
    start = 0
    for d in (irrep.dimension for irrep in irreps):
        yield flat[start : start + d * d].reshape(d, d)
        start += d * d
