"""From bounds of norms and counts to the levels of a profile."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from sparseaug.floats import UNIT, down, float_above, float_below, gamma, up
from sparseaug.spectral.profiles.counting import Count
from sparseaug.spectral.profiles.result import Degree, Level
from sparseaug.spectral.result import Block, Norm
from sparseaug.spectral.verify.threads import Threads
from sparseaug.spectral.verify.verified import norm_lower, norm_upper


def levels(counts: Iterable[Count], norms: Mapping[Degree, Norm], m: int) -> list[Level]:
    """One level per count. Where the count is 0, so is the norm.

    A degree's mean square is a mean of ||pi(S)||_F^2 / d_pi, each at most ||pi(S)||^2: its root is a
    lower bound of the norm.
    """
    found = []
    for count in counts:
        square = count.mean_square(m)
        if not square:
            found.append(Level(count.degree, 0.0, 0.0, square, True))
            continue
        norm = norms[count.degree]
        lower = max(norm.lower, root_below(square))
        upper = max(min(1.0, norm.upper), lower)
        found.append(
            Level(
                count.degree,
                upper,
                min(lower, 1.0),
                square,
                False,
                norm.block if norm.lower >= lower else "",
                norm.failure_probability,
            )
        )
    return found


def largest_norms(blocks: Iterable[tuple[Degree, Block]]) -> dict[Degree, Norm]:
    """Bounds on the largest ||A|| over the blocks A of each degree; the largest ones first are best."""
    worst: dict[Degree, float] = {}
    best: dict[Degree, Block] = {}
    threads = Threads()
    for degree, block in blocks:
        with threads.for_size(len(block.values)):
            upper = norm_upper(block.values, block.error, at_most=worst.get(degree))
        if degree not in best or upper > worst[degree]:
            worst[degree], best[degree] = upper, block
    found = {}
    for degree, block in best.items():
        with threads.for_size(len(block.values)):
            lower = norm_lower(block.values, block.error)
        found[degree] = Norm(min(1.0, worst[degree]), min(1.0, lower), str(block.label))
    return found


# |A| + e and |A| - e enclose the true Frobenius norm; the computed sum of N squares errs by
# gamma(2 N + 4) relatively.
def square_interval(block: Block) -> tuple[float, float]:
    """Bounds of ||pi(S)||_F^2 for the true block."""
    values = block.values
    computed = float(np.vdot(values, values).real)
    spread = gamma(2 * values.size + 4) * computed
    high = up(up(math.sqrt(up(computed + up(spread)))) + block.error)
    low = max(0.0, down(down(math.sqrt(max(0.0, down(computed - up(spread))))) - block.error))
    return max(0.0, down(low * low)), up(high * high)


def integer_total(block: Block, m: int) -> int | None:
    """sum_ij chi(g_i^-1 g_j) = m^2 ||pi(S)||_F^2 where it is an integer; None if it is not clear."""
    low, high = square_interval(block)
    first = math.ceil(Fraction(low) * m * m)
    last = math.floor(Fraction(high) * m * m)
    return first if first == last else None


def root_below(square: Fraction) -> float:
    """A float not above the root."""
    return max(0.0, down(math.sqrt(float_below(square))))


def root_above(square: Fraction) -> float:
    """A float not below the root."""
    return up(math.sqrt(float_above(square)) * (1 + 2 * UNIT))
