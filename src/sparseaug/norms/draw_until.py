"""`draw_until`: draw until the exact deviation is small enough. The guarantee needs no delta.

Where a norm comes from random starts, each round is a test that may fail, and the first one that is
passed is believed. So round r spends FAILURE_PROBABILITY 6 / (pi^2 r^2): as sum 1/r^2 = pi^2/6, all
rounds together, however many, fail with FAILURE_PROBABILITY at most, and that is what is stated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparseaug._checks import Progress, check_integer, check_progress, check_real, check_type
from sparseaug._tables import Shown, Table
from sparseaug.errors import OracleBudgetError
from sparseaug.groups.representations import infinite
from sparseaug.norms.deviation import Deviation, deviation
from sparseaug.norms.lanczos import FAILURE_PROBABILITY
from sparseaug.norms.methods import preferred, restricted
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.origin import merged_draws
from sparseaug.theory import deviation_floor

GROWTH = 0.125
"""Size of a batch, as a share of what is drawn."""


@dataclass(frozen=True)
class Drawn(Shown):
    """A sample that reached its target: S, its deviation, the oracle calls it took.

    Attributes:
        sample: S
        deviation: the deviation of S
        calls: oracle calls that were made
    """

    sample: GroupSample
    deviation: Deviation
    calls: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON data, the sample by its hash."""
        return {
            "m": self.sample.m,
            "sha256": self.sample.sha256,
            "calls": self.calls,
            "deviation": self.deviation.to_dict(),
        }

    def _table(self) -> Table:
        table = self.deviation._table()
        cost = ("elements m", f"{self.sample.m:,}, from {self.calls:,} oracle calls")
        return replace(table, rows=[cost, *table.rows])


def draw_until(
    oracle: Oracle,
    *,
    target: float,
    max_calls: int = 100_000,
    degree: int | None = None,
    progress: Progress | None = None,
) -> Drawn:
    """Draw in batches until the deviation of all that was drawn is at most `target`.

    The first batch is as large as the floor says it must be; each further one adds an eighth. Where the
    norm is only known with a stated probability (`degree=` of many tuples), all rounds together fail
    with that probability: `deviation.kind` says. Where as many draws as the group has elements do
    not suffice, the sample is all of the group.

    Args:
        oracle: draws the elements, and counts them.
        target: the deviation that is wanted.
        max_calls: oracle calls, at most.
        degree: of `deviation`: only functions of this many coordinates at a time, of all factors of a
            product together.
        progress: called with the calls made and `max_calls`.

    Returns:
        The sample, its deviation, and the calls that it took.

    Raises:
        OracleBudgetError: if `max_calls` or the budget would be passed; it says how far it came.
        UnsupportedError: before anything is drawn, if the group has no deviation that can be computed.

    Examples:
        >>> import sparseaug as sa
        >>> found = sa.draw_until(sa.Oracle(sa.symmetric(5), seed=0), target=0.4)
        >>> round(found.deviation.value, 3), found.calls, found.sample.m
        (0.391, 23, 23)
    """
    target = check_real("target", target, above=0, below=1)
    max_calls = check_integer("max_calls", max_calls, at_least=1)
    check_type("oracle", oracle, Oracle, "an Oracle")
    watch = check_progress(progress)
    # refuse before drawing
    if degree is not None:
        restricted(oracle.group, degree)
    elif not oracle.group.is_finite:
        raise infinite(oracle.group)  # no draws are close on all of them
    else:
        preferred(oracle.group)
    order = oracle.group.order
    S: GroupSample | None = None
    found: Deviation | None = None
    m, calls, rounds = 1 if degree else _smallest_m(target, order), 0, 0
    while True:
        if calls + m >= order:
            everything = GroupSample.full(oracle.group)
            return Drawn(everything, deviation(everything, degree=degree), calls)
        if calls + m > min(max_calls, calls + oracle.remaining):
            so_far = found and found.value
            reached = f"target={target} needs more than {calls} calls, {so_far} so far"
            raise OracleBudgetError(f"{reached}; raise budget, max_calls={max_calls} or target.")
        S = _extend(S, oracle.fresh(m))
        calls += m
        m = max(1, math.ceil(GROWTH * calls))
        watch(calls, max_calls)
        rounds += 1
        found = deviation(S, degree=degree, failure_probability=share_of_round(rounds))
        if found.value <= target:
            if found.failure_probability:
                found = replace(found, failure_probability=FAILURE_PROBABILITY)
            return Drawn(S, found, calls)


def share_of_round(r: int) -> float:
    """What round r may spend of FAILURE_PROBABILITY: 0.6079 < 6 / pi^2, divided by r^2.

    Examples:
        >>> from sparseaug.norms.draw_until import FAILURE_PROBABILITY, share_of_round
        >>> sum(share_of_round(r) for r in range(1, 10**4)) < FAILURE_PROBABILITY
        True
    """
    return 0.6079 * FAILURE_PROBABILITY / r**2


def _extend(S: GroupSample | None, batch: GroupSample) -> GroupSample:
    """The sample that one longer draw would have given; its size was not fixed beforehand."""
    parts = [batch] if S is None else [S, batch]
    rows = np.concatenate([part.elements for part in parts])
    draws = merged_draws(draw for part in parts for draw in part.origin.draws)
    origin = replace(parts[0].origin, kind="until", draws=draws)
    return GroupSample(batch.group, rows, sum(part.calls for part in parts), origin)


def _smallest_m(target: float, order: int) -> int:
    """The least m whose floor does not exclude the target, by bisection."""
    low, high = 0, order
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if deviation_floor(middle, order=order) <= target else (middle, high)
        )
    return high
