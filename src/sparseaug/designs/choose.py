"""`choose`: the smallest S that leaves no more than an error, of all that can be made.

m uniform draws leave variance / m in expectation, so that many are enough at most, or all of the group.
Below that `sizes` looks for the smallest set; rows of a pool are tried by bisection. All are judged by
the spectrum of the model, at the upper end of the error bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparseaug._archive import fields_as_json
from sparseaug._checks import LIMITS, check_integer, check_real
from sparseaug._tables import Shown
from sparseaug.designs.places import best_by_places, smallest_balance
from sparseaug.designs.selection import PredictedSet
from sparseaug.designs.sizes import MOST_SEARCHED, distinct_draws, draws_for, smallest_within
from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectrum.one_sided import OneSidedSpectrum
from sparseaug.spectrum.orbit_spectrum import AnySpectrum, varied_by
from sparseaug.spectrum.pool import PoolSpectrum
from sparseaug.spectrum.spectrum import Prediction

MOST_BY_PLACES = 16
"""Elements up to which sets are searched for by places, some seconds each; above, balances."""


@dataclass(frozen=True)
class Choice(Shown):
    """The smallest S for an error, and what independent draws would need.

    Attributes:
        sample: S
        name: of the design; "search", "balance", "full"; "draws" where nothing needs fewer elements,
            and "identity" where one element is enough
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
    spectrum: AnySpectrum,
    *,
    error: float,
    max_m: int | None = None,
    oracle: Oracle | None = None,
) -> Choice:
    """The smallest S whose average is within `error` of the mean over the group.

    It is the smallest of everything that can be made: constructions, subgroups and unions of their
    cosets, sets found by a search for this spectrum, the full group, independent draws. The error is a
    root mean square in the units of the outputs: over inputs, summed over the outputs, in expectation
    over translates of S. A set is taken only if its prediction is within the error at the upper end of
    its bar. Without any averaging the error is the root of the variance: give error=0.1 *
    spectrum.variance**0.5 for a tenth of it.

    Args:
        spectrum: of the function, from `orbit_spectrum`. Of one measured with by="places" it is the
            smallest balance of `orders`, or a smaller set of up to 16 elements that is searched for
        error: what may be left
        max_m: most elements of S; by default as many as independent draws need
        oracle: draws S where nothing else is smaller; by default one with a large seed of its own

    Returns:
        The `Choice`: `sample`, `prediction`, `draws`, how many draws would be needed, and a `note`
        where a smaller S may be enough and the error bar is too wide to be sure.

    Raises:
        ArgumentError: nothing reaches the error with max_m elements.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(7))
        >>> x = np.random.default_rng(0).normal(size=(20, 7))
        >>> f = lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2])
        >>> print(sa.choose(sa.orbit_spectrum(f, act, x), error=0.04))
        3 cosets of cyclic shifts, m = 21 (rms at most 0.0355 of 0.04 allowed); distinct draws need 308
        >>> act = sa.permute_axis(sa.symmetric(6), axis=1)
        >>> x = np.random.default_rng(0).normal(size=(16, 6, 2))
        >>> tour = lambda x: np.linalg.norm(np.diff(x, axis=1), axis=2).sum(axis=1)
        >>> choice = sa.choose(sa.orbit_spectrum(tour, act, x, by="places"), error=0.3)
        >>> choice.name, choice.sample.m, choice.draws
        ('balance', 3, 17)
    """
    of = varied_by(spectrum)
    error = check_real("error", error, above=0)
    if oracle is not None:
        require_oracle(oracle, of)
    limit = None if max_m is None else check_integer("max_m", max_m, at_least=1, below=1 << 62)
    draws = draws_for(spectrum.predict(1).upper, error)
    most = draws if limit is None else min(draws, limit)
    if isinstance(spectrum, PoolSpectrum):
        found = _of_pool(spectrum, error * error, most)
        wide = found is None
    elif draws == 1:
        alone = GroupSample(spectrum.group, spectrum.group.identity())
        return Choice(alone, "identity", spectrum.predict(1), draws, error)
    elif isinstance(spectrum, OneSidedSpectrum):
        found, wide = _by_places(spectrum, error * error, most), False
    else:
        found = smallest_within(spectrum, error, most)
        wide = found is None or 2 * found.prediction.value <= error * error
        wide = wide and bool(len(spectrum.replicates))
    more = (
        f"Measured with calls={4 * spectrum.calls}, a smaller S may be enough: error bars are wide."
    )
    note = more if wide else ""
    if found is not None:
        return Choice(found.sample, found.name, found.prediction, draws, error, note)
    if draws > most or 8 * draws * of.width > LIMITS["sample"].most:
        end = f"max_m={limit}" if limit else "what fits in memory"
        needed = f"error={error:g} needs {shorten(draws)} independent draws, more than {end}"
        raise ArgumentError(f"{needed}, and no known set is within it; raise error or max_m.")
    if oracle is None:
        oracle = Oracle(of, int(keyed_rng(0, "choose").integers(1 << 63)))
    return Choice(oracle.fresh(draws), "draws", spectrum.predict(draws), draws, error, note)


def _of_pool(spectrum: PoolSpectrum, allowed: float, most: int) -> PredictedSet | None:
    """The fewest rows of the pool that leave at most so much, by doubling and then by bisection."""
    most = min(most, len(spectrum.rows), MOST_SEARCHED)
    low, top = 0, 1
    while (found := _best_of_size(spectrum, top)).left > allowed:
        if top == most:
            return None
        low, top = top, min(2 * top, most)
    return _bisected(spectrum, allowed, low, top) or found


def _by_places(spectrum: OneSidedSpectrum, allowed: float, most: int) -> PredictedSet | None:
    """The fewest rows of a balance, or few that the search finds."""
    even = smallest_balance(spectrum, allowed, min(most, MOST_SEARCHED))
    top = min(most + 1, MOST_BY_PLACES + 1) if even is None else min(even.m, MOST_BY_PLACES + 1)
    found = _bisected(spectrum, allowed, 0, top)
    if found is None and even is not None:
        return PredictedSet("balance", "balance", even, spectrum.predict(even))
    return found


def _bisected(
    spectrum: PoolSpectrum | OneSidedSpectrum, allowed: float, low: int, top: int
) -> PredictedSet | None:
    """The smallest set that is enough between two sizes, if there is one: `low` is too few."""
    found = None
    while top - low > 1:
        middle = (low + top) // 2
        one = _best_of_size(spectrum, middle)
        if one.left <= allowed:
            found, top = one, middle
        else:
            low = middle
    return found


def _best_of_size(spectrum: PoolSpectrum | OneSidedSpectrum, m: int) -> PredictedSet:
    """What leaves least with so many elements."""
    if isinstance(spectrum, PoolSpectrum):
        sample = spectrum._sample_at(spectrum._best_places(m))
    else:
        sample = best_by_places(spectrum, m)
    return PredictedSet("search", "search", sample, spectrum.predict(sample))
