"""Table 1 with its constants: what full, streaming and one-shot descent cost, side by side.

(tab:nonconvex-comparison.) The paper's gaps of R_n^G and of R_n^S are one number here: `gap`
bounds both.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction

from sparseaug.theory._interval import Interval, log_ratio, rounded_down
from sparseaug.theory._letters import group_size, letters
from sparseaug.theory.one_shot import num_steps, sample_size, smallest_eps
from sparseaug.theory.streaming import full_gd_steps, sgd_plan

__all__ = ["Crossovers", "MethodCost", "comparison", "crossovers"]


@dataclass(frozen=True, slots=True)
class MethodCost:
    """One row of Table 1.

    Args:
        method: "full", "streaming" or "one-shot"
        batch: transformations that one step averages over
        steps: number of steps
        calls: oracle calls in all
        guarantee: what eps-stationarity of the full objective means for this method
    """

    method: str
    batch: int
    steps: int
    calls: int
    guarantee: str

    def to_dict(self) -> dict[str, str | int]:
        """The fields, by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Crossovers:
    """Limits on eps within which one-shot makes fewer oracle calls than the other methods.

    Args:
        than_full: one-shot makes fewer calls than |G| exactly for eps >= this (inf: for no eps)
        than_streaming: and fewer than streaming for every eps <= this (0.0: not sure for any eps)
    """

    than_full: float
    than_streaming: float

    def to_dict(self) -> dict[str, float]:
        """The fields, by name."""
        return asdict(self)


def comparison(
    eps: float,
    delta: float,
    *,
    order: int,
    C: float,
    B: float,
    L: float,
    gap: float,
    sigma: float,
    b: int = 1,
) -> tuple[MethodCost, MethodCost, MethodCost]:
    """The rows of Table 1 at given constants: full, streaming, one-shot.

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail, between 0 and 1
        order: |G|, an integer of any size
        C: bound of point evaluation
        B: bound on the norm of the gradient functions
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0
        sigma: bound on the standard deviation of the gradient over a uniform group element
        b: fresh elements per step

    Examples:
        >>> from sparseaug.theory import comparison
        >>> numbers = dict(order=3628800, C=1.0, B=2.0, L=4.0, gap=1.0, sigma=2.0, b=8)
        >>> for row in comparison(0.25, 0.05, **numbers):
        ...     print(row.method, row.batch, row.steps, row.calls)
        full 3628800 128 3628800
        streaming 8 4096 32768
        one-shot 12830 512 12830
    """
    order, m = group_size("order", order), sample_size(eps, delta, order=order, C=C, B=B)
    stream = sgd_plan(eps, L=L, gap=gap, sigma=sigma, b=b)
    return (
        MethodCost("full", order, full_gd_steps(eps, L=L, gap=gap), order, "certain"),
        MethodCost("streaming", stream.b, stream.num_steps, stream.calls, "in mean square"),
        MethodCost("one-shot", m, num_steps(eps, L=L, gap=gap), m, "with probability 1 - delta"),
    )


def crossovers(
    delta: float, *, order: int, C: float, B: float, L: float, gap: float, sigma: float, b: int = 1
) -> Crossovers:
    """Where one-shot becomes the cheapest in oracle calls, whole numbers included.

    Than full: m <= |G| - 1 exactly for eps >= `smallest_eps(|G| - 1)`.

    Than streaming: m < A/eps^2 + 1 with A = 32/3 C^2 B^2 log(2|G|/delta), and the plan of `sgd_plan`,
    which is an upper bound for plain SGD, has at least P/eps^4 and at least Q/eps^2 calls, P = 8 L gap
    sigma^2 and Q = 4 b L gap. Either suffices, for all smaller eps too:

        P/eps^4 >= A/eps^2 + 1,  that is  eps^2 <= 2P / (A + sqrt(A^2 + 4P)),
        Q/eps^2 >= A/eps^2 + 1,  that is  eps^2 <= Q - A.

    The larger of the two limits is given, rounded down.

    Args:
        delta: how often the bound may fail, between 0 and 1
        order: |G|, an integer of any size
        C: bound of point evaluation
        B: bound on the norm of the gradient functions
        L: smoothness of the objective
        gap: initial value less the infimum, at least 0
        sigma: bound on the standard deviation of the gradient over a uniform group element
        b: fresh elements per step

    Examples:
        >>> from sparseaug.theory import crossovers
        >>> found = crossovers(0.05, order=3628800, C=1.0, B=2.0, L=4.0, gap=1.0, sigma=2.0)
        >>> round(found.than_full, 4), round(found.than_streaming, 4)
        (0.0149, 0.3995)
    """
    order, share, scale, size = letters(order=order, delta=delta, C=C, B=B)
    smoothness, start, noise, b = letters(L=L, gap=gap, sigma=sigma, b=b)
    if order == 1:
        return Crossovers(math.inf, 0.0)
    log = log_ratio(2 * order * share.denominator, share.numerator)
    steady = 4 * smoothness * start
    limit = _streaming_limit(
        log * (Fraction(32, 3) * (scale * size) ** 2), 2 * steady * noise**2, b * steady
    )
    than_full = smallest_eps(order - 1, order=order, delta=delta, C=C, B=B)
    return Crossovers(than_full, rounded_down(limit.sqrt()))


def _streaming_limit(cost: Interval, noisy: Fraction, steady: Fraction) -> Interval:
    """eps^2 <= max(2P / (A + sqrt(A^2 + 4P)), Q - A), which falls as A = `cost` grows."""
    root = (cost * cost + 4 * noisy).sqrt()
    low = max(2 * noisy / (cost.high + root.high), steady - cost.high)
    high = max(2 * noisy / (cost.low + root.low), steady - cost.low)
    return Interval(low, high)
