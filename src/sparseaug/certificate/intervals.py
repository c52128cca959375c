"""What independent losses in [0, 1] say about their mean: bounds that fail with a stated
probability.

binomial   losses that are 0 or 1 with one probability: exact (Clopper and Pearson 1934)
betting    any losses in [0, 1], for one number of them or for all numbers at once

Proof of `betting` (Waudby-Smith and Ramdas 2024, with other bets). Let x_1, x_2, ... have the mean m
given all before, and let 0 <= l_t < 1/m be chosen before x_t is seen. Then each factor of

    W_N = prod_t (1 + l_t (x_t - m))

is positive and has the mean 1 given what came before: W is a martingale from 1, and so is a mean of
several. With probability 1 - delta none reaches 1/delta at any N (Ville). With l_t = min(a_t, c/m),
c < 1, each factor decreases in m: 1 + a (x - m) and 1 - c + c x/m both do. So the m with W_N(m) <
1/delta are all those above a root, and that root is a lower bound of the mean. 1 - x gives the upper
one. The order of the x_t must not depend on them: sorted losses are no such sequence.

A bet of l gains most where the mean exceeds m by f = l (v + f (2 mean - 1) - f^2), exactly so for
losses that are 0 or 1, and m is rejected after h losses if f is about sqrt(2 v log(1/delta) / h). So
a_t follows from the mean and the variance v of what came before, for one h, the number of losses, if
that is fixed; for a running stop there is one W for each h = N/4^k, and their mean costs the logarithm
of their number.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from sparseaug._floats import down, up

Floats = NDArray[np.float64]

LEAST_DELTA = 1e-300
"""Half of it is still a float of full precision."""

# relative: above the error of SciPy's incomplete beta function and of sums of logarithms
_LIFT = 1e-9
_KEPT = 0.99  # c of the proof: the share of the stake that may be lost at once
_SHORTEST = 16.0  # losses, of the first horizon
_HALVINGS = 40  # of an interval of length 1 around a root: to 1e-12, on the safe side


class Ends(NamedTuple):
    """A lower and an upper bound; each fails with the probability that it was asked for."""

    lower: float
    upper: float


def binomial(wrong: int, count: int, delta: float) -> Ends:
    """Each end fails with probability at most delta, for `wrong` of `count` independent equal
    trials.

    Examples:
        >>> from sparseaug.certificate.intervals import binomial
        >>> [round(1 - end, 4) for end in binomial(158, 1000, 0.05)]  # 842 of 1,000 are right
        [0.8607, 0.8218]
    """
    lower = down(1.0 - _above(count - wrong, count, delta)) if wrong else 0.0
    return Ends(max(0.0, lower), _above(wrong, count, delta))


def _above(wrong: int, count: int, delta: float) -> float:
    """The p at which `wrong` or fewer of `count` have probability delta, or a little more."""
    if wrong >= count:
        return 1.0
    p = float(betaincinv(wrong + 1, count - wrong, 1 - delta))
    right = float(betaincinv(count - wrong, wrong + 1, delta))  # 1 - p, to more digits near p = 1
    step = _LIFT
    # P(Bin(count, p) <= wrong) = I_(1-p)(count - wrong, wrong + 1)
    while betainc(count - wrong, wrong + 1, right) * (1 + _LIFT) > delta and right > 0:
        right *= 1 - step
        step *= 2
    return min(1.0, max(p, 1.0 - right) * (1 + 4e-16))


def betting(losses: Floats, delta: float, *, horizon: int | None = None) -> Ends:
    """Each end fails with probability at most delta, for losses in [0, 1] in the order they came
    in.

    Args:
        losses: independent, of one mean
        delta: how often an end may fail; with a horizon, ever
        horizon: the most losses there may be, where one may stop at any number of them; None where
            their number was fixed beforehand

    Examples:
        >>> import numpy as np
        >>> from sparseaug.certificate.intervals import betting
        >>> [round(end, 3) for end in betting(np.tile([0.1, 0.2, 0.3], 300), 0.05)]
        [0.193, 0.207]
    """
    upper = up(1.0 - _below_mean(1.0 - losses, delta, horizon))
    return Ends(_below_mean(losses, delta, horizon), min(1.0, upper))


def decided(losses: Floats, level: float, delta: float, *, horizon: int) -> bool:
    """Whether `betting` puts the mean on one side of this level: a look of a running stop.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.certificate.intervals import decided
        >>> x = np.tile([0.1, 0.2, 0.3], 30)
        >>> decided(x, 0.5, 0.05, horizon=300), decided(x, 0.21, 0.05, horizon=300)
        (True, False)
    """
    if not 0 < level < 1:
        return True
    sides = ((losses, level), (1.0 - losses, 1.0 - level))
    return any(_is_rejected(m, x, _bets(x, delta, horizon), delta) for x, m in sides)


def _is_rejected(m: float, x: Floats, bets: Floats, delta: float) -> bool:
    """Whether W(m) >= 1/delta."""
    wanted = -math.log(delta) + _LIFT * (1 + 1e-3 * len(x))
    logs = np.log1p(np.minimum(bets, _KEPT / m) * (x - m)).sum(axis=1)
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).mean())) >= wanted


def _below_mean(x: Floats, delta: float, horizon: int | None) -> float:
    """The root of W(m) = 1/delta, from below."""
    bets = _bets(x, delta, horizon)
    low, high = 0.0, 1.0  # low is always rejected, or 0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _is_rejected(middle, x, bets, delta) else (low, middle)
    return low * (1 - _LIFT)


def _bets(x: Floats, delta: float, horizon: int | None) -> Floats:
    """a_t of the proof, one row for each h."""
    before = np.arange(1.0, len(x) + 1)  # an imagined loss of 1/2, of variance 1/4, came first
    means = (0.5 + np.concatenate([[0.0], np.cumsum(x)[:-1]])) / before
    squares = (0.25 + np.concatenate([[0.0], np.cumsum((x - means) ** 2)[:-1]])) / before
    horizons = [float(len(x) if horizon is None else horizon)]
    while horizon is not None and horizons[-1] > _SHORTEST:
        horizons.append(horizons[-1] / 4)
    cost = math.log(len(horizons) / delta) / np.array(horizons)[:, None]
    far = np.sqrt(2 * squares * cost) + cost
    return far / (squares + far * np.maximum(0.0, 2 * means - 1))
