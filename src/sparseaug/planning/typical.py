"""How many draws typically reach a deviation: an expectation beside the bounds, never in their place.

The bounds have log|G| for every group. Measured (docs/evidence.md), it is there only where irreps are
many and small:

    abelian          the largest of |G| - 1 means of m signs or phases: at most about sqrt(2 log|G| / m)
    |G| >= 4 D       few and large irreps, as of S_n and B_n: near the norm of m free unitaries,
                     2 sqrt(m - 1) / m (Akemann and Ostrand 1976), whatever |G| is

|G| / D is a mean dimension, weighted by d_pi: 1 for abelian groups, below 2 for dihedral ones, 4.8 for
S_5.
"""

from __future__ import annotations

import math

from sparseaug.groups import Group

_LARGE = 4  # |G| / D from which irreps count as large: S_5 and B_4 have 4.8 and 5.1


def typical_draws(group: Group, deviation: float, dimension_sum: int) -> int | None:
    """The m whose typical deviation is the one that is asked for; None where that is not known.

    Args:
        group: what is drawn from
        deviation: to reach
        dimension_sum: D of the group, or an upper bound of it

    Examples:
        >>> import sparseaug as sa
        >>> typical_draws(sa.symmetric(10), 0.25, 9495)
        63
        >>> typical_draws(sa.sign_flips(10), 0.25, 1023)
        222
        >>> typical_draws(sa.dihedral(10), 0.25, 11) is None
        True
    """
    if group.is_abelian:
        return max(1, math.ceil(2 * group.log_order / deviation**2))
    if group.order < _LARGE * dimension_sum:
        return None
    # m tau^2 / 4 = (m - 1) / m, the larger root
    return math.ceil(2 * (1 + math.sqrt(1 - deviation**2)) / deviation**2)
