"""`choose`: the smallest S that leaves no more than an error, of all that can be made.

m uniform draws leave variance / m in expectation, so that many are enough at most, or all of the group.
Below that: the constructions of the catalogue, and what the search finds, by bisection on m. All are
judged by the spectrum of the model, at the upper end of the error bar.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparseaug._archive import fields_as_json
from sparseaug._checks import LIMITS, Progress, check_integer, check_progress, check_real, silent
from sparseaug._tables import Shown
from sparseaug.designs.kernel import takes_all
from sparseaug.designs.selector import Judged, best, constructions
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectral.spectrum import Prediction, Spectrum, require_spectrum

MOST_SEARCHED = 512
"""Elements of a set that is searched for on the way to an error."""

FINE = 128
"""Elements up to which every size is tried in groups that can be listed; above, to within 3 %."""

HOPELESS = 64
"""Elements from which on an error is given up that is out of reach if what is left falls as 1/m^3."""


@dataclass(frozen=True)
class Choice(Shown):
    """The smallest S for an error, and what random elements would need.

    Attributes:
        sample: S
        name: of the design; "search", "full"; "draws" where nothing needs fewer elements, and "identity"
            where one element is enough
        prediction: what averaging over S leaves
        draws: how many independent draws reach the error, in expectation
        error: that was asked for: root mean square, in the units of the outputs
        note: what to do where the error bar is too wide for a smaller S; empty otherwise
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
        return distinct_draws(self.draws, self.sample.group)

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
    spectrum: Spectrum,
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
        where a smaller S is enough by the estimate alone and the error bar is too wide to be sure.

    Raises:
        ArgumentError: nothing reaches the error with max_m elements; the message says what is nearest.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(7))
        >>> x = np.random.default_rng(0).normal(size=(20, 7))
        >>> f = lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2])
        >>> print(sa.choose(sa.orbit_spectrum(f, act, x), error=0.04))  # doctest: +NORMALIZE_WHITESPACE
        5 cosets of cyclic shifts, m = 35 (rms at most 0.0382 of 0.04 allowed);
        distinct draws need 308
    """
    require_spectrum(spectrum)
    error = check_real("error", error, above=0)
    watch = check_progress(progress)
    group = spectrum.group
    if oracle is not None:
        require_oracle(oracle, group)
    limit = None if max_m is None else check_integer("max_m", max_m, at_least=1, below=1 << 62)
    draws = draws_for(spectrum.predict(1).upper, error)
    if draws == 1:
        alone = GroupSample(group, group.identity())
        return Choice(alone, "identity", spectrum.predict(1), draws, error)
    most = draws if limit is None else min(draws, limit)
    found = smallest(spectrum, error, most, progress=watch)
    note = _note(spectrum, error, most, found, watch)
    if found is not None:
        return Choice(found.sample, found.name, found.prediction, draws, error, note)
    if draws > most or 8 * draws * group.width > LIMITS["sample"].most:
        nearest = best(spectrum, min(most, MOST_SEARCHED))
        raise ArgumentError(
            f"error={error:g} needs {shorten(draws)} independent draws, more than "
            f"{f'max_m={limit}' if limit else 'fit in memory'}, and the best set of at most "
            f"{min(most, MOST_SEARCHED)} elements, {nearest.name} with m={nearest.sample.m}, leaves up "
            f"to {nearest.prediction.rms_upper:.3g}; raise error or max_m. {note}".rstrip()
        )
    if oracle is None:
        oracle = Oracle(group, int(keyed_rng(0, "choose").integers(1 << 63)))
    sample = oracle.fresh(draws)
    return Choice(sample, "draws", spectrum.predict(draws), draws, error, note)


def draws_for(variance: float, error: float) -> int:
    """How many draws leave a mean square of at most error^2."""
    ratio = min(math.sqrt(variance) / error, 1e300)
    if ratio > 1 << 31:  # whose square may not be a float
        return math.ceil(ratio) ** 2
    return max(1, math.ceil(ratio * ratio * (1 - 1e-12)))


def distinct_draws(draws: int, group: Group) -> int:
    """How many elements, drawn without repeats, leave as much as so many independent draws.

    m of N leave variance / m times (N - m) / (N - 1): that of r draws where m = N r / (N - 1 + r).
    """
    if not group.is_finite:
        return draws
    return -(-group.order * draws // (group.order - 1 + draws))


def smallest(
    spectrum: Spectrum,
    error: float,
    most: int,
    left: Callable[[Judged], float] = lambda one: one.left,
    progress: Progress = silent,
) -> Judged | None:
    """The smallest set of at most so many elements that leaves at most `error`, if there is one."""
    allowed = error * error
    known: list[Judged] = []
    found = None
    for one in constructions(spectrum, most):
        known.append(one)
        if left(one) <= allowed:  # larger ones are not needed
            found = one
            break
    low, high = 1, min(most, MOST_SEARCHED, found.sample.m - 1 if found else most)
    m, up = min(4, high), True
    fine = takes_all(spectrum.group)
    searched = 0
    # low elements are too few, high + 1 are enough or not looked at
    while high - low > (0 if fine and high <= FINE else high // 32):
        progress(searched, searched + (high - low).bit_length())
        searched += 1
        one = best(spectrum, m, moves=False, known=known)
        over = left(one) / max(allowed, np.finfo(float).tiny)
        if over <= 1:
            found, high, up = one, one.sample.m - 1, False
        elif m >= HOPELESS and over > (high / m) ** 3:
            return found
        else:
            low = m
        further = math.ceil(low * min(4.0, math.sqrt(over)))
        m = min(further, high) if up else (low + high + 1) // 2
    return found


def _note(
    spectrum: Spectrum, error: float, most: int, found: Judged | None, watch: Progress
) -> str:
    """What a longer measurement might find, where the answer is twice as large as by the estimate."""
    if not len(spectrum.replicates):
        return ""
    top = most if found is None else found.sample.m // 2
    likely = smallest(spectrum, error, top, lambda one: one.prediction.value, watch)
    if likely is None or 2 * likely.sample.m > (found.sample.m if found else most):
        return ""
    m = likely.sample.m
    return (
        f"By the estimate alone, without its error bar, m = {m} would do ({likely.name}); "
        f"{spectrum.calls} calls are too few to say so. Measure with calls={4 * spectrum.calls}, or "
        f"test design(group, m={m}, spectrum=spectrum): invariance_error of the average over it."
    )
