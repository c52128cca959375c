"""`choose`: the smallest S that leaves no more than an error, of all that can be made.

m uniform draws leave variance / m in expectation, so that many are enough at most, or all of the group.
Below that `sizes` looks for the smallest set; rows of a pool are tried by bisection. All are judged by
the spectrum of the model, at the upper end of the error bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparseaug._archive import fields_as_json
from sparseaug._checks import LIMITS, Progress, check_integer, check_progress, check_real
from sparseaug._tables import Shown
from sparseaug.designs.selection import PredictedSet, select
from sparseaug.designs.sizes import MOST_SEARCHED, distinct_draws, draws_for, smallest_within
from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectrum.pool import PoolSpectrum, require_variance
from sparseaug.spectrum.spectrum import Prediction, Spectrum, require_spectrum


@dataclass(frozen=True)
class Choice(Shown):
    """The smallest S for an error, and what independent draws would need.

    Attributes:
        sample: S
        name: of the design; "search", "full"; "draws" where nothing needs fewer elements, and "identity"
            where one element is enough
        prediction: what averaging over S leaves
        draws: how many independent draws reach the error, in expectation
        error: that was asked for: root mean square, in the units of the outputs
        note: what to do where most of what S may leave is the error bar; empty otherwise
    """

    sample: GroupSample
    name: str
    prediction: Prediction
    draws: int
    error: float
    note: str = ""

    @property
    def distinct(self) -> int:
        """How many draws reach the error in expectation if none is drawn twice: at most the order."""
        return distinct_draws(self.draws, self.sample.distribution)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return fields_as_json(self)

    def __str__(self) -> str:
        reached = f"rms at most {self.prediction.rms_upper:.3g} of {self.error:g} allowed"
        text = (
            f"{self.name}, m = {self.sample.m:,} ({reached}); distinct draws need {self.distinct:,}"
        )
        return f"{text}\n{self.note}" if self.note else text


def choose(
    spectrum: Spectrum | PoolSpectrum,
    *,
    error: float,
    max_m: int | None = None,
    oracle: Oracle | None = None,
    progress: Progress | None = None,
) -> Choice:
    """The smallest S whose average is within `error` of the mean over the group.

    It is the smallest of everything that can be made: constructions, subgroups and unions of their
    cosets, sets found by a search for this spectrum, the full group, independent draws. The error is a
    root mean square in the units of the outputs: over inputs, summed over the outputs, in expectation
    over translates of S. A set is taken only if its prediction is within the error at the upper end of
    its bar. Without any averaging the error is the root of the variance: give error=0.1 *
    spectrum.variance**0.5 for a tenth of it.

    Args:
        spectrum: of the function, from `orbit_spectrum`
        error: what may be left
        max_m: most elements of S; by default as many as independent draws need
        oracle: draws S where nothing else is smaller; by default one with a large seed of its own
        progress: called before each search with two numbers, how many are done and of about how many

    Returns:
        The `Choice`: `sample`, `prediction`, `draws`, how many draws would be needed, and a `note`
        where a smaller S may be enough and the error bar is too wide to be sure.

    Raises:
        ArgumentError: nothing reaches the error with max_m elements; the message says what is nearest.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(7))
        >>> x = np.random.default_rng(0).normal(size=(20, 7))
        >>> f = lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2])
        >>> print(sa.choose(sa.orbit_spectrum(f, act, x), error=0.04))
        3 cosets of cyclic shifts, m = 21 (rms at most 0.0355 of 0.04 allowed); distinct draws need 308
    """
    if isinstance(spectrum, PoolSpectrum):
        require_variance(spectrum)
        of = spectrum.distribution
    else:
        require_spectrum(spectrum)
        of = spectrum.group
    error, watch = check_real("error", error, above=0), check_progress(progress)
    if oracle is not None:
        require_oracle(oracle, of)
    limit = None if max_m is None else check_integer("max_m", max_m, at_least=1, below=1 << 62)
    draws = draws_for(spectrum.predict(1).upper, error)
    most = draws if limit is None else min(draws, limit)
    if isinstance(spectrum, PoolSpectrum):
        found = _of_pool(spectrum, error * error, most, watch)
        more = f"Measured with calls={4 * len(spectrum.rows)}, a smaller S may be enough."
        note = "" if found else more
    elif draws == 1:
        alone = GroupSample(spectrum.group, spectrum.group.identity())
        return Choice(alone, "identity", spectrum.predict(1), draws, error)
    else:
        found = smallest_within(spectrum, error, most, progress=watch)
        note = _note(spectrum, error, found)
    if found is not None:
        return Choice(found.sample, found.name, found.prediction, draws, error, note)
    if draws > most or 8 * draws * of.width > LIMITS["sample"].most:
        nearest = _nearest(spectrum, min(most, MOST_SEARCHED))
        raise ArgumentError(
            f"error={error:g} needs {shorten(draws)} independent draws, more than "
            f"{f'max_m={limit}' if limit else 'fit in memory'}, and the best set of at most "
            f"{min(most, MOST_SEARCHED)} elements, {nearest.name} with m={nearest.sample.m}, leaves up "
            f"to {nearest.prediction.rms_upper:.3g}; raise error or max_m. {note}".rstrip()
        )
    if oracle is None:
        oracle = Oracle(of, int(keyed_rng(0, "choose").integers(1 << 63)))
    return Choice(oracle.fresh(draws), "draws", spectrum.predict(draws), draws, error, note)


def _of_pool(
    spectrum: PoolSpectrum, allowed: float, most: int, progress: Progress
) -> PredictedSet | None:
    """The fewest rows of the pool that leave at most so much, by doubling and then by bisection."""
    most = min(most, len(spectrum.rows), MOST_SEARCHED)
    found: dict[int, PredictedSet] = {}

    def is_enough(m: int) -> bool:
        progress(len(found), len(found) + most.bit_length())
        found[m] = _rows_of_pool(spectrum, m)
        return found[m].left <= allowed

    low, top = 0, 1  # `low` is too few, `top` is tried
    while not is_enough(top):
        if top == most:
            return None
        low, top = top, min(2 * top, most)
    while top - low > 1:
        middle = (low + top) // 2
        low, top = (low, middle) if is_enough(middle) else (middle, top)
    return found[top]


def _rows_of_pool(spectrum: PoolSpectrum, m: int) -> PredictedSet:
    sample = spectrum._sample_at(spectrum._best_places(m))
    return PredictedSet("search", "search", sample, spectrum.predict(sample))


def _nearest(spectrum: Spectrum | PoolSpectrum, m: int) -> PredictedSet:
    """What leaves least with so many elements."""
    if isinstance(spectrum, PoolSpectrum):
        return _rows_of_pool(spectrum, min(m, len(spectrum.rows)))
    return select(spectrum, m)


def _note(spectrum: Spectrum, error: float, found: PredictedSet | None) -> str:
    """What to do where most of what a set may leave is its error bar."""
    wide = found is None or 2 * found.prediction.value <= error * error
    if not wide or not len(spectrum.replicates):
        return ""
    return (
        "A smaller S may be enough: sets are judged by the upper ends of their error bars, which are "
        f"wide after {spectrum.calls} calls. Measure with calls={4 * spectrum.calls}."
    )
