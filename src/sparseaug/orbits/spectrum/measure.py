"""Which elements to evaluate a function at, and the spectrum from its values there.

    measurement = measure(group, oracle=oracle, calls=256)
    measurement.rows                    # (N, width): evaluate v at these elements, in this order
    spectrum = measurement.spectrum([values])   # (N, p): row j is v(g_j), real or complex

v is any function from the group to vectors: the outputs of a model at g x, side by side for all x; or
the gradient of a risk at g. Squares are summed over the p columns and divided by `inputs`. Where p is
large the values may come in several blocks of columns, each (N, p_i), one after the other.

A group that can be listed at this cost is listed: then the spectrum is exact, and no call is made. Else
`calls` elements are drawn, each evaluated once: as they are, or in couples g, g q (`pairs`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, GroupTooLargeError, check_integer
from sparseaug.groups import Group, Rows
from sparseaug.orbits.models import MOST_CALLS
from sparseaug.orbits.spectrum.pairs import fit_pairs
from sparseaug.orbits.spectrum.result import Spectrum
from sparseaug.orbits.spectrum.units import (
    MOST_LISTED,
    Floats,
    Units,
    check_order,
    family,
    units_of,
    usual_order,
)
from sparseaug.sampling import Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectral.profiles.shifts import TABLE

LISTED = 10_000
"""Order up to which a group is listed where no number of calls is given."""

CALLS = 256
"""Draws from a larger group where no number is given; more where its degrees need more."""

MOST_USUAL = 1024
"""Draws above which a group is listed instead where no number is given and it can be."""

MOST_DRAWS = 8192
"""Draws of which all pairs are used: a gigabyte."""

SMALLEST = 1e-145
"""A variation whose square, divided by 10^7 elements and inputs, still has eleven digits."""

LEAST_CALLS = 32
"""Draws from which on 95 % intervals hold about that often (measured; 20 draws: 90 %)."""

_ENTRIES = 1 << 23  # of values that are transformed together: 64 MB, and five times that in all


@dataclass(frozen=True, eq=False)
class Measurement:
    """Elements to evaluate a function at.

    Attributes:
        group: what they are of
        rows: one row per element (N, width)
        order: "degree" or "frequency" of an abelian group, else None
        exact: whether they are all of the group, in rank order
        couples: whether every second one is the partner of the one before
        calls: elements freshly drawn
    """

    group: Group
    rows: Rows
    order: str | None
    exact: bool
    couples: bool
    calls: int

    def spectrum(
        self, blocks: Iterable[NDArray[Any]], *, inputs: int = 1, floor: float = 0.0
    ) -> Spectrum:
        """The spectrum of a function, from its values at the rows.

        Args:
            blocks: of columns: arrays (N, p_i) of finite numbers
            inputs: what sums of squares are divided by
            floor: a variance up to this times the mean square of the values is rounding, and taken for 0
        """
        group, convert = family(self.group)
        rows = convert(self.rows)
        units = units_of(group, self.order, whole=self.exact)
        square = largest = spread = 0.0
        variances, replicates = np.zeros(len(units.degrees)), np.zeros((0, len(units.degrees)))
        gram = np.zeros((0, 0) if self.exact else (len(rows), len(rows)))
        for values in _columns(blocks, len(rows)):
            largest = max(largest, float(abs(values).max(initial=0.0)))
            square += float(np.linalg.norm(values) ** 2) / len(rows)
            values = values - values.mean(axis=0)
            spread = max(spread, float(abs(values).max(initial=0.0)))
            if self.exact:
                variances += _transformed(units, group, rows, values)
            else:
                gram += values @ values.T
        if math.sqrt(floor) * largest < spread < SMALLEST:
            raise ArgumentError(
                f"f varies by at most {spread:.3g} over the group, and squares of that are below the "
                "range of floats; multiply its outputs by a constant, such as 1e100."
            )
        total = float(variances.sum()) if self.exact else float(np.trace(gram)) / len(rows)
        if total <= floor * square or not total:
            variances = np.zeros(len(units.degrees))
        elif not self.exact:
            fitted = fit_pairs(units, group, rows, gram / total, couples=self.couples)
            variances, replicates = total * fitted[0], total * fitted[1]
        return Spectrum(
            self.group,
            self.order,
            self.exact,
            variances / inputs,
            replicates / inputs,
            self.calls,
            inputs,
        )


def measure(
    group: Group,
    *,
    oracle: Oracle | None = None,
    calls: int | None = None,
    order: str | None = None,
) -> Measurement:
    """The elements at which a function must be known.

    Args:
        group: of the function
        oracle: draws them; by default one of this group whose draws nobody else has
        calls: how many elements to evaluate at. A group with no more elements is listed. By default
            groups of up to 10,000 elements are listed, and of others 256 elements drawn, or two for
            each degree; where that would be above 1,024, the group is listed if it can be.
        order: "degree" or "frequency" for abelian groups; by default frequency for shifts, degree for
            sign flips

    Raises:
        ArgumentError: calls are too few to separate the degrees.
        UnsupportedError: the irreps of the group have no degrees.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> measurement = measure(sa.symmetric(4))
        >>> values = (measurement.rows[:, 0] == 2).astype(float)[:, None]
        >>> {d: round(s, 12) + 0.0 for d, s in measurement.spectrum([values]).shares.items()}
        {1: 1.0, 2: 0.0, 3: 0.0}
    """
    order = check_order(order)
    if oracle is not None:
        require_oracle(oracle, group)
    known = family(group)[0]
    if known.moduli is not None:
        order = order or usual_order(known)
    largest = TABLE if known.moduli is not None else MOST_LISTED
    if calls is None:
        count, limit = CALLS, LISTED
        if group.log_order > math.log(LISTED) + 1e-9:
            count = usual_calls(group, order, CALLS)
            limit = LISTED if count <= MOST_USUAL else largest
    else:
        count = limit = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    if group.log_order <= math.log(min(limit, largest)) + 1e-9 and _is_transformed(known, order):
        return Measurement(group, group.all_elements(), order, True, False, 0)
    if oracle is None:  # training may have drawn S with any small seed
        oracle = Oracle(group, int(keyed_rng(0, "orbit spectrum").integers(1 << 63)))
    return drawn(group, oracle, count, order)


def _is_transformed(group: Group, order: str | None) -> bool:
    """Whether the values on all of a group that can be listed give its spectrum."""
    try:
        units_of(group, order, whole=True)
    except GroupTooLargeError:
        return False
    return True


def drawn(group: Group, oracle: Oracle, count: int, order: str | None) -> Measurement:
    """So many elements drawn, whatever the order of the group; of couples an even number."""
    known = family(group)[0]
    units = units_of(known, order, whole=False)
    _require_enough(group, units, count)
    couples = units.partners is not None and known is group
    count -= count % 2 if couples else 0
    rows = oracle.fresh(count).elements
    if couples and units.partners is not None:
        rng = keyed_rng(0, "orbit spectrum", step=count)
        partners = units.partners(rows[0::2], rows[1::2], rng)
        rows = np.stack([rows[0::2], partners], axis=1).reshape(count, -1)
    return Measurement(group, rows, order, False, couples, count)


def usual_calls(group: Group, order: str | None, usual: int) -> int:
    """So many draws, or more where the degrees need more."""
    return max(usual, _least_calls(group, units_of(family(group)[0], order, whole=False)))


def _least_calls(group: Group, units: Units) -> int:
    """Draws that separate the degrees, or all of a group that has fewer elements."""
    least = max(LEAST_CALLS, 2 * len(set(units.degrees)))
    return group.order if group.log_order < math.log(least) else least


def _require_enough(group: Group, units: Units, calls: int) -> None:
    degrees, least = len(set(units.degrees)), _least_calls(group, units)
    if least > MOST_DRAWS:
        raise GroupTooLargeError(
            f"{group.name} has {degrees} degrees, too many to separate by draws: all pairs of them are "
            f"used, and at most {MOST_DRAWS} drawn."
        )
    if calls > MOST_DRAWS:
        raise ArgumentError(
            f"calls={calls} is too many: all pairs of draws are used; give at most {MOST_DRAWS}."
        )
    if calls < least:
        everything = ", all of the group" if least == group.order else ""
        raise ArgumentError(
            f"calls={calls} is too few to separate the {degrees} degrees of {group.name}; give at least "
            f"{least}{everything}."
        )


def _columns(blocks: Iterable[Any], count: int) -> Iterator[Floats]:
    """The blocks as float64, a few columns at a time, complex ones as two."""
    for block in blocks:
        values = np.asarray(block)
        if values.ndim != 2 or len(values) != count:
            raise ArgumentError(
                f"blocks holds an array of shape {values.shape}; give one row for each of the {count} "
                "rows."
            )
        step = max(1, _ENTRIES // max(1, count))
        for start in range(0, values.shape[1], step):
            some = values[:, start : start + step]
            for part in (some.real, some.imag) if values.dtype.kind == "c" else (some,):
                yield part.astype(np.float64)


def _transformed(units: Units, group: Group, rows: Rows, values: Floats) -> Floats:
    """The variances, from values in the order of the rows."""
    ranked = np.empty_like(values)
    ranked[group.rank(rows)] = values
    return units.variances(ranked)
