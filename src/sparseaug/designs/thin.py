"""The best m elements of a pool: a design for groups of which there is an oracle and little else."""

from __future__ import annotations

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.designs.low_degree import Signs, moving_points, of_irreps
from sparseaug.designs.worst_case import LARGEST_ORDER, is_listed, worst_case
from sparseaug.errors import UnsupportedError
from sparseaug.groups import Rows
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.sampling import GroupSample, Origin
from sparseaug.sampling.sample import require_sample
from sparseaug.search.objectives import Objective
from sparseaug.search.search import Places, search, tie_order


def thin(S: GroupSample, m: int, degree: int | None = None) -> GroupSample:
    """The m elements of S that are best together, chosen greedily and then by swaps.

    PredictedSet by the whole deviation in groups of up to a million elements, and with `degree` by
    functions of at most that degree: in every group that permutes points to degree 2, and to any
    degree where the irreps up to it are known.

    Args:
        S: the pool; each of its elements is taken at most as often as it occurs there.
        m: how many to keep, at most S.m.
        degree: judge functions of at most this degree.

    Returns:
        The chosen sample. Its `calls` are the pool's, all of them: they were made.

    Raises:
        ArgumentError: m is above the size of the pool, or degree above the group's highest.
        UnsupportedError: the group is too large to list, and degree is not given or has no meaning.

    Examples:
        >>> import sparseaug as sa
        >>> pool = sa.Oracle(sa.symmetric(5), seed=0).draw(100)
        >>> S = sa.thin(pool, 24)
        >>> S.m, S.calls, sa.deviation(S).value < 0.75 * sa.deviation(
        ...     sa.GroupSample(pool.group, pool.elements[:24])).value
        (24, 100, True)
    """
    require_sample(S)
    m = check_integer("m", m, at_least=1, below=S.m + 1)
    if degree is not None:
        degree = require_degree(S.group, degree)
    elif not S.group.is_finite or not is_listed(S.group):
        large = f"degree=None: {S.group.name} has more than {LARGEST_ORDER} elements to judge"
        raise UnsupportedError(f"{large}; give degree=, the largest that counts.")
    origin = Origin(
        "thin",
        parents=(S.sha256,),
        draws=S.origin.draws,
        sourced=S.origin.sourced,
        behind=S.origin.behind,
        design=S.origin.design,
    )
    return GroupSample(S.group, _chosen(S, m, degree), S.calls, origin)


def _chosen(S: GroupSample, m: int, degree: int | None) -> Rows:
    group = S.group
    rows = S.elements[np.lexsort(S.elements.T[::-1])]  # the order of the pool does not matter
    objective: Objective
    listed: Rows | None = None
    order = np.arange(len(rows))
    if degree is None or (group.moduli is not None and is_listed(group)):
        listed = np.sort(group._rank(rows))
        rows = group._unrank(listed)
        objective, order = worst_case(group, m, degree), tie_order(group.order)[listed]
    elif degree <= 2 and set(group.moduli or ()) == {2}:
        objective, listed = Signs((1, 2)[:degree]), rows
    elif degree <= 2 and group.points is not None and not group.irreps_have_degrees:
        listed = group.permutations(rows)
        objective = moving_points(listed.shape[1], degree)
    else:
        objective = of_irreps(group, rows, degree)
    return rows[search(objective, Places(len(rows), listed, True, order), m)]
