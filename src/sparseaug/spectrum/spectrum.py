"""How a function's variance over the group is shared between degrees, and what that predicts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sparseaug._checks import (
    LIMITS,
    check_flag,
    check_integer,
    check_not_negative,
    check_plot_axes,
    check_rows,
    check_type,
)
from sparseaug._floats import MOST_SQUARED
from sparseaug._tables import Shown, Table
from sparseaug.errors import ArgumentError, shorten_text
from sparseaug.groups import Group
from sparseaug.groups import from_dict as group_from_dict
from sparseaug.groups.degrees import Degree, Degrees
from sparseaug.groups.degrees.abelian import usual_grading
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.degrees.factors import FactorSets, factor_sets
from sparseaug.norms.methods import as_known
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample

LEVEL = 0.95
"""How often an error bar holds."""

ROUNDING = 1e-12
"""Of the variance: a smaller prediction is 0 and rounding."""


@dataclass(frozen=True)
class Prediction(Shown):
    """What averaging a function over S is expected to leave, an estimate.

    Attributes:
        value: the mean-square error: of the mean over k S h from the mean over the group, in
            expectation over k, h uniform; summed over outputs, averaged over inputs
        error: half the length of its 95 % interval, for other inputs like those measured: long where
            the draws do not show whether S is blind to the function, or inputs differ; infinite where
            all draws agree, which does not say what others do; 0 for one input in an exact spectrum
        m: elements of S
        variance: of the function over the group: what one draw leaves
    """

    value: float
    error: float
    m: int
    variance: float

    @property
    def rms(self) -> float:
        """The root of `value`, in the units of the outputs."""
        return math.sqrt(self.value)

    @property
    def upper(self) -> float:
        """value + error, the upper end of the interval: what a set is judged by."""
        return self.value + self.error

    @property
    def rms_upper(self) -> float:
        """The root of `upper`, in the units of the outputs."""
        return math.sqrt(self.upper)

    @property
    def relative(self) -> float:
        """value / variance: the part of the variance that is left; 0 for an invariant function."""
        return self.value / self.variance if self.variance else 0.0

    @property
    def draws(self) -> float:
        """How many independent draws leave as much: variance / value, infinite if that is rounding."""
        return 1 / self.relative if self.relative > ROUNDING else math.inf

    def to_dict(self) -> dict[str, Any]:
        """All fields, and what follows from them, as JSON data; null for what is infinite."""
        found = {"rms": self.rms, "upper": self.upper, "rms_upper": self.rms_upper}
        found = {**vars(self), **found, "relative": self.relative, "draws": self.draws}
        return {name: _finite(number) for name, number in found.items()}

    def __str__(self) -> str:
        bar = f" +- {self.error:.2g}" if self.error else ""
        most = f", at most {self.rms_upper:.3g}" if self.error else ""
        part = f"{100 * self.relative:.2g}% of the variance; "
        if self.value < self.error:  # from 256 draws smooth functions look like rough ones here
            part = (
                "which these draws do not tell from 0: rely on the upper end, or give more calls="
            )
        elif self.draws < math.inf:
            part += f"as {self.draws:.4g} draws"
        else:
            part += "0, up to rounding"
        return (
            f"mean-square error {self.value:.4g}{bar} with m = {self.m} "
            f"(rms {self.rms:.3g}{most}, {part})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(Shown):
    """The variance of a function over the group, shared between degrees.

    It is the mean over the inputs that were given, summed over the outputs. Error bars of shares and
    of the variance are for the draws: with 95 % probability all shares of the group's own spectrum for
    these inputs lie within theirs at once. So does a prediction, whichever irreps of a degree hold the
    variance, and its bar is also for other inputs of the same kind. Bars know only the values that
    were drawn. Where those all agree, at most about 3/N of the group differs (N draws), and by how much
    is unknown: the variance is 0 and its bar infinite.

    Attributes:
        group: what moves the inputs
        by: "degree" or "frequency" of an abelian group, else None
        exact: whether all of the group was looked at
        variances: of each block: irreps, or all irreps of one degree together
        replicates: fits of noisy copies, one per row, from which error bars come; no rows if exact
        calls: elements freshly drawn
        inputs: number of inputs
        unseen: variance that the draws may have missed: values like the largest, on a share of 3/N of
            the group; 0 if exact, infinite if all draws agree
        between: rows d_j, the noise of the variances' mean over inputs having the covariance
            sum_j d_j d_j^T; no rows for one input

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(5))
        >>> spectrum = sa.orbit_spectrum(lambda x: x[:, 0] * x[:, 1], act, np.arange(10.0).reshape(2, 5))
        >>> print(spectrum)
        S5, 2 inputs, exact; degree: coordinates at a time
        <BLANKLINE>
        degree  share
        1       0.9687
        2       0.03129
        3       0
        4       0
        <BLANKLINE>
        variance 82.55
        >>> print(spectrum.predict(sa.design(sa.symmetric(5), degree=1)))
        mean-square error 0.5167 with m = 5 (rms 0.719, 0.63% of the variance; as 159.8 draws)
    """

    group: Group
    by: str | None
    exact: bool
    variances: Floats
    replicates: Floats
    calls: int
    inputs: int
    unseen: float = 0.0
    between: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @cached_property
    def blocks(self) -> Degrees:
        """What the variances are of."""
        return self.group.known_as().group.degrees(self.by, whole=self.exact)

    @property
    def variance(self) -> float:
        """The whole variance: what one uniform draw leaves on average."""
        return float(self.variances.sum())

    @property
    def variance_error(self) -> float:
        """Half the length of its 95 % interval for these inputs; 0 where the spectrum is exact."""
        every = np.ones(len(self.variances))
        return 0.0 if self.exact else self._half_width(every, every, 1.0)

    @property
    def upper(self) -> Floats:
        """The variance of each block, at the upper end of a bar of its own: what a search minimises."""
        if not len(self.replicates):
            return self.variances
        return np.maximum(self.variances, np.quantile(self.replicates, 0.9, axis=0))

    @cached_property
    def shares(self) -> Mapping[Degree, float]:
        """The part of the variance in each degree; they sum to 1, of an invariant function to 0."""
        total = self.variance or 1.0
        return self._mapping(self._by_degree(self.variances[None])[0] / total)

    @cached_property
    def errors(self) -> Mapping[Degree, float]:
        """Half the lengths of the shares' 95 % band, in which all of them lie at once."""
        shares = np.array(list(self.shares.values()))
        if math.isinf(self.unseen):
            return self._mapping(np.ones(len(shares)))
        if not len(self.replicates):
            return self._mapping(np.zeros(len(shares)))
        totals = self.replicates.sum(axis=1, keepdims=True)
        found = self._by_degree(self.replicates) / np.where(totals > 0, totals, 1.0) - shares
        scale = np.sqrt((found**2).mean(axis=0))
        scale = np.where(scale > 0, scale, np.finfo(float).tiny)
        band = scale * np.quantile((np.abs(found) / scale).max(axis=1), LEVEL)
        return self._mapping(np.minimum(1.0, band + self.unseen / self.variance))

    def predict(self, S: GroupSample | int | Literal["full"]) -> Prediction:
        """The mean-square error of averaging the function over a translate of S.

        sum_pi var_pi ||pi(S)||_F^2 / d_pi: an expectation over k, h uniform, of the mean over k S h.
        Irreps that were measured together take the mean of their factors, with weights d_pi^2; the upper
        end of the error bar takes the largest of them, or a bound: all variance in the worst irrep.

        Args:
            S: a sample of the group, drawn, designed or of words; "full"; or a number m of independent
                draws, which leave variance / m

        Examples:
            >>> import numpy as np, sparseaug as sa
            >>> act = sa.flip_signs(sa.sign_flips(4))
            >>> spectrum = sa.orbit_spectrum(lambda x: x[:, :1] ** 3, act, np.ones((1, 4)))
            >>> spectrum.predict(8).value, spectrum.predict(sa.design(act.group, degree=1)).value
            (0.125, 0.0)
        """
        if (m := as_count(S)) is not None:
            every = np.ones(len(self.variances))
            error = math.hypot(self.variance_error, self._between(every)) if self.inputs else 0.0
            return Prediction(self.variance / m, error / m, m, self.variance)
        if isinstance(S, str) and S == "full" and self.group.is_finite:
            return Prediction(0.0, 0.0, self.group.order, self.variance)
        sample = as_sample(S, self.group)
        known = as_known(sample)
        worst = squares = self.blocks.mean_squares(known)
        error = 0.0
        # a prior has no bars; of an exact spectrum irreps are mostly known one by one
        if self.inputs and (not self.exact or isinstance(self.blocks, FactorSets)):
            worst = self.blocks.worst_squares(known, squares)
            equal = float((sample.counts()[1] ** 2).sum()) / sample.m**2
            error = self._half_width(squares, worst, equal)
        error = math.hypot(error, max(self._between(squares), self._between(worst)))
        return Prediction(float(self.variances @ squares), error, sample.m, self.variance)

    def plot(self, axes: Any = None) -> Any:
        """Draw the share of each degree, with its 95 % bar.

        Args:
            axes: matplotlib axes; new ones by default

        Returns:
            The axes.

        Raises:
            MissingPackageError: matplotlib is not installed.
        """
        axes = check_plot_axes(axes, "Spectrum.plot")
        shares = dict(list(self.shares.items())[:_MOST_BARS])
        places, heights = range(len(shares)), np.array(list(shares.values()))
        bars = np.array([self.errors[degree] for degree in shares])
        ends = np.minimum(bars, [heights, 1 - heights])  # a share lies between 0 and 1
        axes.bar(places, heights, color="#0072B2")
        if len(self.replicates):
            axes.errorbar(places, heights, ends, fmt="none", ecolor="#333333", capsize=2.5)
        axes.set_xticks(places, [shorten_text(str(degree), 16) for degree in shares])
        axes.set(xlabel=self.blocks.meaning, ylabel="share of the variance", ylim=(0, None))
        axes.set_title(f"{shorten_text(self.group.name, 24)}: variance {self.variance:.3g}")
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON data, understood by `from_dict`; shares and errors in degree order."""
        return {
            "group": self.group.to_dict(),
            "by": self.by,
            "exact": self.exact,
            "calls": self.calls,
            "inputs": self.inputs,
            "variance": self.variance,
            "variance_error": _finite(self.variance_error),
            "degrees": list(self.shares),
            "shares": list(self.shares.values()),
            "errors": list(self.errors.values()),
            "variances": self.variances.tolist(),
            "replicates": self.replicates.tolist(),
            "unseen": _finite(self.unseen),
            "between": self.between.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Spectrum:
        """The spectrum that `to_dict` described.

        Args:
            data: what `to_dict` gave
        """
        check_type("data", data, Mapping, "a mapping; give to_dict()")
        names = ("group", "by", "exact", "variances", "replicates", "between", "unseen")
        missing = [name for name in (*names, "calls", "inputs") if name not in data]
        if missing:
            raise ArgumentError(f"data has no {missing[0]!r}; give to_dict().")
        described, by, exact, variances, copies, between, unseen = (data[name] for name in names)
        group, exact = group_from_dict(described), check_flag("exact", exact)
        count = len(group.known_as().group.degrees(by, whole=exact).degrees)
        return cls(
            group,
            by,
            exact,
            _stored("variances", [variances], count)[0],
            _stored("replicates", copies, count),
            check_integer("calls", data["calls"], below=1 << 62),
            check_integer("inputs", data["inputs"], at_least=1, below=1 << 62),
            math.inf if unseen is None else check_not_negative("unseen", unseen),
            _stored("between", between, count, least=-MOST_SQUARED),
        )

    def _table(self) -> Table:
        how = "exact" if self.exact else f"{self.calls} calls"
        noun = "input" if self.inputs == 1 else "inputs"
        bars = not self.exact and bool(self.inputs)  # a prior has none
        rows = [
            (str(degree), _short(share) + f" +- {self.errors[degree]:.2g}" * bars)
            for degree, share in list(self.shares.items())[:_MOST_ROWS]
        ]
        more = len(self.shares) - _MOST_ROWS
        notes = [f"... and {more} more"] * (more > 0)
        notes.append(f"variance {self.variance:.4g}" + f" +- {self.variance_error:.2g}" * bars)
        name = shorten_text(self.group.name)
        title = f"{name}, {self.inputs} {noun}, {how}; degree: {self.blocks.meaning}"
        return Table(("degree", "share"), rows, title=title, notes=notes)

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"calls={self.calls}"
        return f"Spectrum({self.group.name}, variance={self.variance:.4g}, {how})"

    def _half_width(self, squares: Floats, worst: Floats, equal: float) -> float:
        """Half of the 95 % interval of sum_u var_u squares_u.

        Above, the variance of each block sits in its worst irrep; below, S leaves nothing of a block of
        several. The fit moves variance into blocks that have none, and so do the replicates, again, but
        less of it: twice what they lose is added. Of what the draws may have missed S leaves as much as
        of the rest, or, as rare values are in all irreps alike, the share of equal pairs in S.
        """
        least = np.where(worst > squares, 0.0, squares)
        value, most = float(self.variances @ squares), float(self.variances @ worst)
        if math.isinf(self.unseen):
            return math.inf
        copies = self.replicates if len(self.replicates) else self.variances[None]
        high = copies @ worst
        off = np.maximum(high - value, value - copies @ least)
        unseen = self.unseen * max(equal, most / (self.variance or 1.0))
        return float(np.quantile(off, (1 + LEVEL) / 2) + 2 * abs(high.mean() - most) + unseen)

    def _between(self, squares: Floats) -> float:
        """Half of the 95 % interval that sum_u var_u squares_u has for other inputs, by Student's t.

        It holds less often where few inputs carry most: the upper end in 19 of 24 cases for a product
        of three normal numbers and 48 inputs.
        """
        if len(self.between) < 2:
            return 0.0
        quantile = stdtrit(len(self.between) - 1, (1 + LEVEL) / 2)
        half = float(quantile * np.linalg.norm(self.between @ squares))
        return half if half > ROUNDING * self.variance else 0.0

    @cached_property
    def _degrees(self) -> tuple[Degree, ...]:
        """In ascending order; sets of factors as they are named, what lies above all numbers last."""
        unique = dict.fromkeys(self.blocks.degrees)
        known = self.group.known_as().group
        named = list(factor_sets(known).values()) if known.factors else []
        numbers = sorted(degree for degree in unique if isinstance(degree, int))
        return (*numbers, *(named or [degree for degree in unique if isinstance(degree, str)]))

    def _by_degree(self, values: Floats) -> Floats:
        """Sums (k, degrees) of (k, blocks)."""
        place = {degree: i for i, degree in enumerate(self._degrees)}
        index = np.array([place[degree] for degree in self.blocks.degrees], np.int64)
        found = np.zeros((len(values), len(place)))
        np.add.at(found.T, index, values.T)
        return found

    def _mapping(self, values: Floats) -> Mapping[Degree, float]:
        return MappingProxyType(dict(zip(self._degrees, values.tolist(), strict=True)))


def as_count(S: Any) -> int | None:
    """The number of independent draws that was given in place of a sample; None for a sample."""
    if isinstance(S, int | np.integer) and not isinstance(S, bool):
        return check_integer("S", S, at_least=1, below=1 << 62)
    return None


def half_width(means: Floats, counts: NDArray[np.int64]) -> float:
    """Half of the 95 % interval of the mean over inputs, by Student's t, from those of their parts."""
    shares, k = counts / counts.sum(), len(counts)
    off = float(np.linalg.norm(shares * (means - shares @ means)))
    return float(stdtrit(k - 1, (1 + LEVEL) / 2)) * off * math.sqrt(k / (k - 1))


def prior(group: Group) -> Spectrum:
    """The spectrum to begin with, where no model is at hand: the share of degree k is as 1 / k^3.

    Most models look like that: functions of few coordinates, low frequencies and small l carry most.

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.spectrum.spectrum import prior
        >>> {k: round(share, 3) for k, share in prior(sa.symmetric(4)).shares.items()}
        {1: 0.861, 2: 0.108, 3: 0.032}
    """
    known = group.known_as().group
    whole = known.moduli is not None and known.log_order < math.log(LIMITS["characters"].most)
    blocks = known.degrees(whole=whole)
    none = np.zeros((0, len(blocks.degrees)))
    by = usual_grading(known) if known.moduli is not None else None
    return Spectrum(group, by, whole, blocks.prior(), none, 0, 0)


_MOST_ROWS = 40
_MOST_BARS = 24


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _short(share: float) -> str:
    return f"{share:.4g}" if share >= 1e-12 else "0"


def _stored(name: str, given: Any, count: int, least: float = 0.0) -> Floats:
    """Rows of finite numbers, one for each block; JSON has no shape (0, count)."""
    rows = check_rows(name, given or np.zeros((0, count)), count, np.float64)
    if not ((rows >= least) & (rows <= MOST_SQUARED)).all():  # false for NaN too
        raise ArgumentError(f"{name} holds numbers that are no variances; give to_dict().")
    return rows
