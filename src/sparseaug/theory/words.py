"""Words over S: any accuracy from O(log|G| + log 1/delta) oracle calls.

Pi_S Pi_G = Pi_G Pi_S = Pi_G, hence (Pi_S - Pi_G)^k = Pi_S^k - Pi_G: averaging over all words of
length k in S has deviation at most tau^k, if S has tau. Composing elements makes no oracle
call, so the calls are those that bring tau below a constant, and eps only sets the length.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction

from sparseaug._floats import float_above
from sparseaug.theory._interval import Interval, ceiling, exp_above, log_ratio, rounded_up
from sparseaug.theory._letters import below_one, letters, not_negative
from sparseaug.theory.sharp import enclose_sharp, smallest_sharp_sample

__all__ = ["WordsPlan", "word_deviation", "word_length", "words_plan"]


EXACT_LENGTH = 4000
"""Beyond this length tau^k is neither a float nor a ratio e / (2 c b) of floats. Write the floats
with odd parts n, e, c, b: equality needs n^k c b = e < 2^53, so k < 34 unless n = 1, when it
compares powers of two, of which such ratios reach no further than 2^-3200."""


@dataclass(frozen=True, slots=True)
class WordsPlan:
    """m oracle calls, the deviation they are promised to have, and the length of the words.

    Args:
        m: oracle calls
        deviation: what they are promised to have, tau
        length: letters of a word
    """

    m: int
    deviation: float
    length: int

    def to_dict(self) -> dict[str, float | int]:
        """The fields, by name."""
        return asdict(self)


def word_deviation(deviation: float, length: int) -> float:
    """The deviation of all words of that length: tau^k, rounded up.

    Args:
        deviation: tau, the deviation of S, below 1
        length: k, the letters of a word

    Examples:
        >>> from sparseaug.theory import word_deviation
        >>> word_deviation(0.5, 3)
        0.125
    """
    tau, (length,) = _below_one(deviation), letters(length=length)
    if length <= EXACT_LENGTH or tau == 0:
        return float_above(tau ** min(length, EXACT_LENGTH))
    rate = _rate(tau)
    return exp_above(Interval(-rate.high * length, -rate.low * length))


def word_length(deviation: float, eps: float) -> int:
    """The smallest k, at least 1, with tau^k <= eps, for 0 <= tau < 1.

        k >= log(1/eps) / log(1/tau)

    Args:
        deviation: tau, the deviation of S, below 1
        eps: deviation of the words to reach

    Examples:
        >>> from sparseaug.theory import word_length
        >>> word_length(0.5, 0.125), word_length(0.5, 0.124)
        (3, 4)
    """
    return _word_length(_below_one(deviation), *letters(eps=eps))


def words_plan(
    eps: float, delta: float, *, dimension_sum: int, C: float, B: float, deviation: float = 0.5
) -> WordsPlan:
    """Draws and word length for a gradient error of at most eps/2, as `sample_size` grants.

    m is the smallest sample whose `sharp_deviation_bound` tau is at most `deviation` (or at most
    eps/(2CB), where that is larger: then single letters are enough), and k the smallest length with
    C B tau^k <= eps/2. A smaller `deviation` costs calls and shortens the words.

    Args:
        eps: gradient norm to reach
        delta: how often the bound may fail, between 0 and 1
        dimension_sum: D, the sum of d_pi over the non-trivial irreps, or an upper bound of it
        C: bound of point evaluation
        B: bound on the norm of the gradient functions
        deviation: tau that the m letters are promised to have, below 1

    Examples:
        >>> from sparseaug.theory import words_plan
        >>> words_plan(0.1, 0.05, dimension_sum=75, C=1.0, B=2.0)
        WordsPlan(m=75, deviation=0.4990..., length=6)
    """
    target = below_one("deviation", deviation)
    accuracy, scale, size = letters(eps=eps, C=C, B=B)
    total, chance = letters(dimension_sum=dimension_sum, delta=delta)
    share = accuracy / (2 * scale * size)
    m = smallest_sharp_sample(max(share, target), total, chance)
    tau = rounded_up(enclose_sharp(m, total, chance))
    return WordsPlan(m, tau, 1 if share >= target else _word_length(Fraction(tau), share))


def _below_one(deviation: float) -> Fraction:
    """A deviation that is known, which may be 0."""
    tau = not_negative("deviation", deviation)
    return below_one("deviation", deviation) if tau else tau


def _word_length(tau: Fraction, eps: Fraction) -> int:
    if tau <= eps:
        return 1
    length = Interval(_rate(eps).low / _rate(tau).high, _rate(eps).high / _rate(tau).low)
    nearest = round(length.high)
    if nearest <= EXACT_LENGTH and tau**nearest == eps:
        return nearest
    return ceiling(length)


def _rate(tau: Fraction) -> Interval:
    """log(1/tau), for 0 < tau < 1."""
    return log_ratio(tau.denominator, tau.numerator)
