"""From bounds of norms and counts to the levels of a profile.

Mean squares are fractions where the rows of S are integers, and zeros exact; otherwise they are the
middle of a proved interval, and no zero is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from sparseaug._floats import UNIT, down, float_above, float_below, gamma, up
from sparseaug.groups.degrees.counts import Count, Degree, Number, Part, degree_size
from sparseaug.groups.fourier import Block
from sparseaug.norms.norm import Norm
from sparseaug.norms.profiles.result import Level


def levels_of_parts(parts: list[Part], norms: Mapping[Degree, Norm]) -> list[Level]:
    """One level per degree, its mean square as well as those of its irreps are known."""
    by_degree: dict[Degree, list[Part]] = {}
    for part in parts:
        by_degree.setdefault(part.degree, []).append(part)
    found = []
    for degree in sorted(by_degree, key=degree_size):
        own, norm = by_degree[degree], norms.get(degree, Norm(0.0, 0.0))
        total: Number = sum((part.weight * part.mean_square for part in own), Fraction(0))
        square = total / sum(part.weight for part in own)
        block = "" if (exact := all(part.exact for part in own)) else norm.block
        found.append(Level(degree, norm.upper, norm.lower, square, exact, block))
    return found


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


def part_of(degree: Degree, block: Block, square: Fraction | None) -> Part:
    """With its mean square where that is known as a fraction, else the middle of an interval."""
    d = len(block.values)
    if square is not None:
        return Part(block.label, degree, d, d * d, square, not square)
    low, high = square_interval(block)
    return Part(
        block.label, degree, d, d * d, 0.5 * (low + high) / d, None if low == 0.0 else False
    )


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


def root_below(square: Fraction) -> float:
    """A float not above the root."""
    return max(0.0, down(math.sqrt(float_below(square))))


def root_above(square: Fraction) -> float:
    """A float not below the root."""
    return up(math.sqrt(float_above(square)) * (1 + 2 * UNIT))
