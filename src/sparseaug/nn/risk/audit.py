"""The full-group gradient of a module from fresh elements: what was reached, measured and not assumed.

For g uniform and independent of theta, v_g = (1/n) sum_i grad loss(f(g x_i), y_i) has the mean
grad R_n^G(theta). With N of them, sum over j != k of <v_j, v_k> / (N (N - 1)) is an unbiased estimate of
the squared norm of that mean.
"""

# Without a limit on the norms of v_g no number of draws bounds their mean: an element that was not
# drawn may carry any gradient (Bahadur and Savage, Annals of Mathematical Statistics 27, 1956). So there
# are two kinds of interval. With `largest`, a limit that the user vouches for, it is the one of
# `sparseaug.certificate.anytime` and holds with probability 1 - delta. Without it, it is Student's
# on the jackknife over groups of draws: an estimate, right as N grows.

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, final

import torch
from scipy.special import stdtrit
from torch import Tensor

from sparseaug._checks import check_integer, check_real
from sparseaug._floats import down, text_down, text_up, up
from sparseaug.certificate.anytime import over_draws, require_fresh
from sparseaug.errors import ArgumentError
from sparseaug.nn.ranks import require_same
from sparseaug.nn.risk.certified import CONDITION, bounded, require_risk
from sparseaug.orbits.models import MOST_CALLS
from sparseaug.sampling import GroupSample, Oracle

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

_ROOM = 1 << 28  # bytes of gradients that are kept for equal draws
_GROUPS = 40  # of the jackknife: Student's quantile is then within 4 % of the normal one


@final
@dataclass(frozen=True)
class Audit:
    """What fresh elements say of ||grad R_n^G(theta)||^2.

    Attributes:
        squared_norm: unbiased, so it may be below 0 where the truth is near it
        interval: of the squared norm, by the given kind
        kind: "with probability 1 - delta" and over what, or "estimate"; `holds` adds what it rests on
        delta: how often the first kind may fail
        calls: elements freshly drawn for it
        largest: the limit on single gradients that the first kind rests on, else None
    """

    squared_norm: float
    interval: tuple[float, float]
    kind: str
    delta: float
    calls: int
    largest: float | None = None

    @property
    def norm_bound(self) -> float:
        """The root of the upper end of the interval, rounded up; never above `largest`."""
        root = up(math.sqrt(self.interval[1]))
        return root if self.largest is None else min(root, self.largest)

    @property
    def holds(self) -> str:
        """What the interval rests on, in words."""
        if self.largest is None:
            return f"{self.kind}, delta {self.delta}"
        return (
            f"{self.kind}, if no transformation's gradient is longer than "
            f"{self.largest}, and {CONDITION}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return {**asdict(self), "interval": list(self.interval)}

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"squared norm of the full-group gradient {self.squared_norm:.4g}, in "
            f"[{text_down(low, 4)}, {text_up(high, 4)}] ({self.holds}); {self.calls} oracle calls"
        )


def audit(
    risk: ModuleRisk,
    theta: Tensor,
    oracle: Oracle,
    calls: int,
    delta: float = 0.05,
    *,
    largest: float | None = None,
) -> Audit:
    """Estimate ||grad R_n^G(theta)||^2 from `calls` fresh elements, with an interval.

    The oracle must be independent of theta: not the seed and draws behind S or a streaming run.
    `largest` is a limit on the gradient norm of every single transformation, if you know one; then the
    interval holds with probability 1 - delta. It is computed in float64, whatever the module is in. For
    networks of common layers `certify` derives the limit.

    Args:
        risk: the risk of the module
        theta: the parameters to audit
        oracle: source of fresh elements, independent of theta
        calls: how many to draw
        delta: how often the interval may fail
        largest: limit on the gradient norm of every single transformation, if you know one

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug import nn as sann
        >>> act = sa.flip_signs(sa.sign_flips(2))
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> risk = sann.ModuleRisk(torch.nn.Linear(2, 1), torch.nn.MSELoss(), (x, x[:, :1]), act, None)
        >>> found = sann.audit(risk, risk.theta, sa.Oracle(act.group, seed=1), calls=64)
        >>> found.calls, found.kind
        (64, 'estimate')
    """
    require_risk(risk)
    delta = check_real("delta", delta, above=0, below=1)
    calls = check_integer("calls", calls, at_least=4, below=MOST_CALLS)
    risk.require_theta(theta)
    if largest is not None:
        alone = GroupSample(risk.action.group, risk.action.group.identity())
        options: dict[str, Any] = {"delta": delta, "largest": largest, "translates_of": alone}
        found, limit, number = bounded(risk, theta, oracle=oracle, audit_calls=calls, **options)
        # squares are rounded outward: `limit` itself may be the upper end
        ends = max(0.0, down(found.lower**2)), up(found.upper**2)
        kind = over_draws(delta, number)
        return Audit(found.unbiased, ends, kind, delta, found.calls, limit)
    require_fresh(risk.action.group, risk.sample if risk.method == "one-shot" else None, oracle)
    facts = f"{oracle.seed} {oracle.calls} {calls}"
    require_same(theta, theta=[theta], oracle=[facts.encode()])
    before = oracle.calls
    fresh = oracle.fresh(calls)
    made = oracle.calls - before
    sums = Sums(_gradients(risk, theta, fresh), calls, risk.size)
    if not math.isfinite(sums.longest):
        raise ArgumentError("theta has a gradient that is not finite for some transformation.")
    return Audit(sums.unbiased, jackknife(sums, delta), "estimate", delta, made)


def _gradients(risk: ModuleRisk, theta: Tensor, fresh: GroupSample) -> Iterator[Tensor]:
    """The gradient of every draw; of equal draws it is computed once, while memory allows."""
    kept: dict[bytes, Tensor] = {}
    for row in fresh.elements:
        key = row.tobytes()
        gradient = kept.get(key)
        if gradient is None:
            gradient = risk.on(GroupSample(fresh.group, row[None])).gradient(theta)
            if len(kept) * gradient.nbytes < _ROOM:
                kept[key] = gradient
        yield gradient


@final
class Sums:
    """Sums over N vectors of length p that need no more memory than the groups of the jackknife."""

    def __init__(self, vectors: Iterable[Tensor], N: int, p: int) -> None:
        groups = min(_GROUPS, N)
        which = torch.arange(N) * groups // N
        sums = torch.zeros(groups, p, dtype=torch.float64)
        squares = torch.empty(N, dtype=torch.float64)
        for j, vector in enumerate(vectors):
            v = vector.double().cpu()
            sums[which[j]] += v
            squares[j] = v @ v
        total = sums.sum(0)
        self.longest = math.sqrt(float(squares.max()))
        self.unbiased = float(total @ total - squares.sum()) / (N * (N - 1))
        # the same estimate without one group
        rest = N - torch.bincount(which).double()
        squares_of_rest = squares.sum() - torch.bincount(which, squares)
        pairs = ((total - sums) ** 2).sum(1) - squares_of_rest
        self.without = pairs / (rest * (rest - 1))


def jackknife(sums: Sums, delta: float) -> tuple[float, float]:
    """Student's interval of the squared norm of the mean, an estimate."""
    groups = len(sums.without)
    variance = (groups - 1) * float(sums.without.var(unbiased=False))
    half = float(stdtrit(groups - 1, 1 - delta / 2)) * math.sqrt(variance)
    return max(0.0, sums.unbiased - half), max(0.0, sums.unbiased + half)
