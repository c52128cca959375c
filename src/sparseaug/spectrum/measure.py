"""Which elements to evaluate a function at, and the spectrum from its values there.

    measurement = measure(group, oracle=oracle, calls=256)
    measurement.rows                    # (N, width): evaluate v at these elements, in this order
    spectrum = measurement.spectrum([values])   # (N, p): row j is v(g_j), real or complex

v is any function from the group to vectors: the outputs of a model at g x, side by side for all x; or
the gradient of a risk at g. Squares are summed over the p columns and divided by `inputs`. Where p is
large the values may come in several blocks of columns, each (N, p_i), one after the other. A pair
(i, block) with a block (N, k, p_i) has the values of the inputs i, ..., i + k - 1.

The inputs are a sample too. They are parted at random into `PARTS`, and the spectrum of part j with n_j
inputs, fitted in the same way, has the sum T_j over its inputs. With V = sum_j T_j / n the mean of other
inputs differs from V by noise of the covariance sum_j d_j d_j^T, where for k parts

    d_j = (T_j - n_j V) / n  sqrt(k / (k - 1)),      the rows of `Spectrum.between`.

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

from sparseaug._checks import LIMITS, check_choice, check_integer
from sparseaug.errors import ArgumentError, GroupTooLargeError
from sparseaug.groups import Group, Rows
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.abelian import MEANINGS, usual_grading
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectrum.models import MOST_CALLS
from sparseaug.spectrum.pairs import Pairs
from sparseaug.spectrum.spectrum import Spectrum

MOST_TRANSFORMED = 50_000
"""Order of groups that are not abelian and are transformed whole: |G|^2 operations for each output."""

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
        by: "degree" or "frequency" of an abelian group, else None
        exact: whether they are all of the group, in rank order
        couples: whether every second one is the partner of the one before
        calls: elements freshly drawn
    """

    group: Group
    rows: Rows
    by: str | None
    exact: bool
    couples: bool
    calls: int

    def spectrum(
        self,
        values: Iterable[NDArray[Any] | tuple[int, NDArray[Any]]],
        *,
        inputs: int = 1,
        floor: float = 0.0,
    ) -> Spectrum:
        """The spectrum of a function, from its values at the rows.

        Args:
            values: blocks of columns: arrays (N, p_i) of finite numbers; or pairs of the number of an
                input and an array (N, k, p_i) of the values of that and the following inputs
            inputs: what sums of squares are divided by
            floor: a variance up to this times the mean square of the values is rounding, and taken for 0
        """
        group, convert, _ = self.group.known_as()
        rows = convert(self.rows)
        blocks = group.degrees(self.by, whole=self.exact)
        spread = unseen = 0.0
        empty = np.zeros((0, len(blocks.degrees)))
        variances, replicates, between = np.zeros(len(blocks.degrees)), empty, empty
        parts = Parts(len(rows), inputs, 1 if self.exact else len(rows) ** 2)
        sums = np.zeros((parts.count, len(variances)))
        grams = np.zeros((0, 0, 0) if self.exact else (parts.count, len(rows), len(rows)))
        for j, part in parts.centred(values):
            spread = max(spread, float(abs(part).max(initial=0.0)))
            if self.exact:
                ranked = np.empty_like(part)
                ranked[group.rank(rows)] = part
                sums[j] += blocks.variances(ranked)
            else:
                grams[j] += part @ part.T
        if math.sqrt(floor) * parts.largest < spread < SMALLEST:
            small = f"f varies by at most {spread:.3g} over the group, too little to square"
            raise ArgumentError(f"{small}; multiply its outputs by a constant, such as 1e100.")
        gram = grams.sum(axis=0)
        total = float(sums.sum()) if self.exact else float(np.trace(gram)) / len(rows)
        if total <= floor * parts.square or not total:
            unseen = 0.0 if self.exact else math.inf
        elif self.exact:
            variances, between = sums.sum(axis=0), parts.between(sums)
        else:
            pairs = Pairs(blocks, group, rows, gram / total, 2 if self.couples else 1)
            fit = pairs.fit()
            variances, replicates = total * fit.variances, total * pairs.replicates(fit)
            unseen = total * pairs.unseen()
            if parts.count > 1:
                grams /= total
                between = total * parts.between(pairs.parts(fit, grams))
        return Spectrum(
            self.group,
            self.by,
            self.exact,
            variances / inputs,
            replicates / inputs,
            self.calls,
            inputs,
            float(unseen / inputs),
            between / inputs,
        )


class Parts:
    """The inputs, parted at random.

    Attributes:
        count: of the parts
        number: of each input, that of its part
        square: mean square of the values at one row, summed over the columns so far
        largest: of the values so far
    """

    def __init__(self, rows: int, inputs: int, entries: int) -> None:
        self.rows, self.inputs = rows, inputs
        self.count = min(PARTS, inputs, _GRAM_ENTRIES // entries)
        order = keyed_rng(0, "parts of the inputs").permutation(inputs)
        self.number = np.empty(inputs, np.int64)
        self.number[order] = np.arange(inputs) % self.count
        self.square = self.largest = 0.0

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Inputs in each part."""
        return np.bincount(self.number, minlength=self.count).astype(np.int64)

    def centred(self, values: Iterable[Any]) -> Iterator[tuple[int, Floats]]:
        """Columns less their means over the rows, and the part that they are of."""
        for j, part in self._columns(values):
            self.largest = max(self.largest, float(abs(part).max(initial=0.0)))
            self.square += float(np.linalg.norm(part) ** 2) / self.rows
            yield j, part - part.mean(axis=0)

    def _columns(self, values: Iterable[Any]) -> Iterator[tuple[int, Floats]]:
        """Columns as float64, a few at a time, complex ones as two, and the part that they are of.

        Where nobody says whose the columns are, there is one part.
        """
        for item in values:
            if not isinstance(item, tuple):
                self.count = 1
                for part in _columns(item, self.rows):
                    yield 0, part
                continue
            first, block = item
            numbers = self.number[first : first + block.shape[1]]
            for j in np.unique(numbers).tolist():
                own = block if (numbers == j).all() else block[:, numbers == j]
                for part in _columns(own.reshape(len(own), -1), self.rows):
                    yield j, part

    def between(self, sums: Floats) -> Floats:
        """The rows d_j times the number of inputs, from T_j; none of one part."""
        k = self.count
        if k == 1:
            return sums[:0]
        return np.asarray(
            (sums - self.sizes[:, None] * sums.sum(axis=0) / self.inputs) * math.sqrt(k / (k - 1))
        )


def measure(
    group: Group, *, oracle: Oracle | None = None, calls: int | None = None, by: str | None = None
) -> Measurement:
    """The elements at which a function must be known.

    Args:
        group: of the function
        oracle: draws them; by default one of this group whose draws nobody else has
        calls: how many elements to evaluate at. A group with no more elements is listed. By default
            groups of up to 10,000 elements are listed, and of others 256 elements drawn, or two for
            each degree; where that would be above 1,024, the group is listed if it can be.
        by: "degree" or "frequency" for abelian groups; by default frequency for shifts, degree for
            sign flips

    Raises:
        ArgumentError: calls are too few to separate the degrees.
        UnsupportedError: the irreps of the group have no degrees.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.spectrum.measure import measure
        >>> measurement = measure(sa.symmetric(4))
        >>> values = (measurement.rows[:, 0] == 2).astype(float)[:, None]
        >>> {d: round(s, 12) + 0.0 for d, s in measurement.spectrum([values]).shares.items()}
        {1: 1.0, 2: 0.0, 3: 0.0}
    """
    by, known = _grading(group, by), group.known_as().group
    if oracle is not None:
        require_oracle(oracle, group)
    characters = LIMITS["characters"].most
    largest = MOST_TRANSFORMED if known.moduli is None else characters
    if calls is None:
        count, limit = CALLS, LISTED
        if group.log_order > math.log(LISTED) + 1e-9:
            count = usual_calls(group, by, CALLS)
            limit = LISTED if count <= MOST_USUAL else largest
    else:
        count = limit = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    if group.log_order <= math.log(min(limit, largest)) + 1e-9 and _is_transformed(known, by):
        return Measurement(group, group.all_elements(), by, True, False, 0)
    if oracle is None:  # training may have drawn S with any small seed
        oracle = Oracle(group, int(keyed_rng(0, "orbit spectrum").integers(1 << 63)))
    return drawn(group, oracle, count, by)


def measurement_at(S: GroupSample, by: str | None = None) -> Measurement:
    """The elements of an S at which a function is known already: all of the group, or fresh draws."""
    by, group = _grading(S.group, by), S.group
    if group.is_finite and len(S.counts()[0]) == group.order and _is_transformed(group, by):
        return Measurement(group, group.all_elements(), by, True, False, 0)
    if S.origin.kind not in ("oracle", "source") or S.origin.distinct:
        given = f"S is neither all of {group.name} nor drawn from it (it is {S.origin.kind!r})"
        raise ArgumentError(f"{given}; draw one with Oracle(group, seed).draw(m).")
    rows = S.elements[1:] if S.origin.identity else S.elements
    _require_enough(group, group.known_as().group.degrees(by), len(rows))
    return Measurement(group, rows, by, False, False, len(rows))


def _grading(group: Group, by: str | None) -> str | None:
    """`by`, or the usual one of an abelian group."""
    known = group.known_as().group
    by = None if by is None else check_choice("by", by, tuple(MEANINGS))
    return by or usual_grading(known) if known.moduli is not None else by


def _is_transformed(group: Group, by: str | None) -> bool:
    """Whether the values on all of a group that can be listed give its spectrum."""
    try:
        group.degrees(by, whole=True)
    except GroupTooLargeError:
        return False
    return True


def drawn(group: Group, oracle: Oracle, count: int, by: str | None) -> Measurement:
    """So many elements drawn, whatever the order of the group; of couples an even number."""
    known, convert, back = group.known_as()
    blocks = known.degrees(by)
    _require_enough(group, blocks, count)
    couples = blocks.partners is not None
    count -= count % 2 if couples else 0
    rows = oracle.fresh(count).elements
    if couples and blocks.partners is not None:
        rng = keyed_rng(0, "orbit spectrum", step=count)
        partners = back(blocks.partners(convert(rows[0::2]), convert(rows[1::2]), rng))
        rows = np.stack([rows[0::2], partners], axis=1).reshape(count, -1)
    return Measurement(group, rows, by, False, couples, count)


def usual_calls(group: Group, by: str | None, usual: int) -> int:
    """So many draws, or more where the degrees need more."""
    return max(usual, _least_calls(group, group.known_as().group.degrees(by)))


def _least_calls(group: Group, blocks: Degrees) -> int:
    """Draws that separate the degrees, or all of a group that has fewer elements."""
    least = max(LEAST_CALLS, 2 * len(set(blocks.degrees)))
    return group.order if group.log_order < math.log(least) else least


def _require_enough(group: Group, blocks: Degrees, calls: int) -> None:
    """So many draws separate the degrees by all pairs of them."""
    least = _least_calls(group, blocks)
    if least > MOST_DRAWS:
        raise GroupTooLargeError(f"{group.name} has more degrees than {MOST_DRAWS} draws separate.")
    check_integer("calls", calls, at_least=least, below=MOST_DRAWS + 1)


def _columns(block: Any, count: int) -> Iterator[Floats]:
    """The columns as float64, a few at a time, complex ones as two."""
    values = np.asarray(block)
    step = max(1, _ENTRIES // max(1, count))
    for start in range(0, values.shape[1], step):
        some = values[:, start : start + step]
        for part in (some.real, some.imag) if values.dtype.kind == "c" else (some,):
            yield part.astype(np.float64)


PARTS = 16
"""Of the inputs, whose spectra show how inputs differ: Student's quantile of 15 differences is 2.13."""

_GRAM_ENTRIES = 1 << 27  # of the Gram matrices of all parts: a gigabyte, two of the most draws
