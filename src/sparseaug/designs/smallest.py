"""`choose`: the cheapest known S that leaves no more than an error, beside what draws need.

m uniform draws leave variance / m in expectation, so ceil(variance / error^2) of them are needed. A
design is taken where the spectrum predicts that it reaches the error with no more elements than that;
then it leaves no more than as many draws, or is not taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sparseaug._checks import LIMITS, check_integer, check_real
from sparseaug.designs.best import build
from sparseaug.designs.catalogue import SEARCHED, candidates, known, sized
from sparseaug.designs.offers import Offer
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Group
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectral.spectrum import Prediction, Spectrum

MOST_SIZES = 48
"""Sizes for which designs of any size are looked at."""

MOST_ELEMENTS = 20_000
"""Elements of a design whose mean squares are looked at; all of the group may have more."""


@dataclass(frozen=True)
class Choice:
    """The cheapest known S for an error, and what independent draws would need.

    Attributes:
        sample: S
        name: of the design; "full"; "draws" where no design needs fewer elements, and "identity" where
            one element is enough
        prediction: what averaging over S leaves
        draws: how many independent draws reach the error, in expectation
        error: that was asked for: root mean square, in the units of the outputs
    """

    sample: GroupSample
    name: str
    prediction: Prediction
    draws: int
    error: float

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return {
            "sample": self.sample.to_dict(),
            "name": self.name,
            "prediction": self.prediction.to_dict(),
            "draws": self.draws,
            "error": self.error,
        }

    def __str__(self) -> str:
        reached = f"rms {self.prediction.rms:.3g} of {self.error:g} allowed"
        return f"{self.name}, m = {self.sample.m} ({reached}); independent draws need {self.draws}"


def choose(
    spectrum: Spectrum, *, error: float, max_m: int | None = None, oracle: Oracle | None = None
) -> Choice:
    """The cheapest known S whose average is within `error` of the mean over the group.

    The error is a root mean square in the units of the outputs: over inputs, summed over the outputs,
    in expectation over translates of S; it is compared with `spectrum.predict(S).rms`, of a design at
    the upper end of its error bar, since few draws say little about high degrees. Without any
    averaging it is the root of the variance: give error=0.1 * spectrum.variance**0.5 for a tenth of it.

    Args:
        spectrum: of the function, from `orbit_spectrum`
        error: what may be left
        max_m: most elements of S; by default as many as independent draws need
        oracle: draws S where no design is cheaper; by default one whose draws no small seed gives

    Returns:
        The `Choice`: `sample`, `prediction`, and `draws`, how many draws would be needed. The sample
        never leaves more than as many draws, as far as the spectrum tells.

    Raises:
        ArgumentError: nothing that is known reaches the error with max_m elements; the message says what
            comes nearest.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(7))
        >>> x = np.random.default_rng(0).normal(size=(20, 7))
        >>> f = lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2])
        >>> print(sa.choose(sa.orbit_spectrum(f, act, x), error=0.04))
        AGL(1,7), m = 42 (rms 0.0186 of 0.04 allowed); independent draws need 283
    """
    if not isinstance(spectrum, Spectrum):
        raise ArgumentError(f"spectrum={shorten(spectrum)} is not a Spectrum; use orbit_spectrum.")
    error = check_real("error", error, above=0)
    group = spectrum.group
    if oracle is not None:
        require_oracle(oracle, group)
    limit = None if max_m is None else check_integer("max_m", max_m, at_least=1, below=1 << 62)
    ratio = math.sqrt(spectrum.variance) / error
    draws = max(1, math.ceil(ratio * ratio * (1 - 1e-12))) if ratio < 1 << 30 else 1 << 60
    if draws == 1:
        alone = GroupSample(group, group.identity())
        return Choice(alone, "identity", spectrum.predict(1), draws, error)
    most = draws if limit is None else limit
    found, nearest = smallest_within(spectrum, error, min(draws, most))
    if found is not None:
        return Choice(found.sample, found.name, found.prediction, draws, error)
    nearest = min(nearest, (spectrum.predict(most).rms, f"{most} draws"))
    if draws > most or 8 * draws * group.width > LIMITS["sample"].most:
        raise ArgumentError(
            f"error={error!r} needs {draws} independent draws, and no known S of at most {most} "
            f"elements reaches it; the nearest is {nearest[1]}, rms {nearest[0]:.3g}: raise "
            "error or max_m."
        )
    if oracle is None:
        oracle = Oracle(group, int(keyed_rng(0, "choose").integers(1 << 63)))
    sample = oracle.fresh(draws)
    return Choice(sample, "draws", spectrum.predict(draws), draws, error)


class Judged(NamedTuple):
    """A design, and what averaging over it leaves."""

    name: str
    sample: GroupSample
    prediction: Prediction


def smallest_within(
    spectrum: Spectrum, error: float, most: int
) -> tuple[Judged | None, tuple[float, str]]:
    """The smallest design that leaves at most `error` at the upper end of its bar, and the nearest."""
    nearest = (math.inf, "none")
    for found in judged(spectrum, most):
        name, sample, prediction = found
        within = prediction.value + prediction.error <= error * error
        if within and prediction.value <= spectrum.predict(sample.m).value:
            return found, nearest
        nearest = min(nearest, (prediction.rms, f"{name} with m={sample.m}"))
    return None, nearest


def judged(spectrum: Spectrum, most: int) -> Iterator[Judged]:
    """Known designs of at most so many elements, and all of the group, the smallest first."""
    group = spectrum.group
    offers = [*candidates(group, most=most), *_lattices(group, most)]
    offers.sort(key=lambda offer: (offer.m or 0, -offer.degree))
    for offer in offers:
        if (offer.m or 0) > MOST_ELEMENTS and offer.name != "full":
            continue
        try:
            sample = build(group, offer)
            prediction = spectrum.predict("full" if offer.name == "full" else sample)
            yield Judged(offer.name, sample, prediction)
        except (ArgumentError, UnsupportedError, GroupTooLargeError):
            continue  # a size that this design does not have, or one that cannot be judged


def _lattices(group: Group, most: int) -> list[Offer]:
    """Those that are made for a given m and need no search."""
    if all(offer.m is not None or offer.name in SEARCHED for offer in known(group)):
        return []
    sizes = [m for m in range(2, min(most, MOST_ELEMENTS) + 1) if group.order % m == 0]
    if len(sizes) > MOST_SIZES:
        sizes = sizes[:: math.ceil(len(sizes) / MOST_SIZES)]
    return [offer for m in sizes for offer in sized(group, m) if offer.name not in SEARCHED]
