"""Symmetric and alternating groups: the norm of every irrep is bounded.

The blocks are made by Clausen's recursion and verified by Cholesky factorisation, up to n = 12: the
largest block of S_13 has 21,450 rows, 3.7 GB, and its factorisation takes ten minutes.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from sparseaug._checks import LIMITS, Progress, require_work, silent
from sparseaug.groups.degrees.shapes import is_first
from sparseaug.groups.young import Partition, dimension, partitions
from sparseaug.norms.irreps import largest_norm
from sparseaug.norms.norm import Norm, announce
from sparseaug.norms.young.clausen import mean_blocks
from sparseaug.sampling import GroupSample

LARGEST_N = LIMITS["young"].most
"""Up to here every block is made and verified."""

HEAVY = 5000
"""Dimension of the irreps of S_12 that take most of its time."""


def symmetric_norm(S: GroupSample, *, progress: Progress = silent) -> Norm:
    """The norm of D_S on S_n or A_n.

    On A_n the irreps of a partition and its conjugate agree, and those of a self-conjugate one split
    in two halves, whose larger norm is that of the whole: so one of each pair of conjugates is enough.
    """
    group, n = S.group, S.group.width
    what = f"the norm on all irreps of {group.name}"
    require_work("young", n, what, remedy="restrict the norm with degree=1 or 2")
    even = group.order < math.factorial(n)  # A_n
    shapes = [p for p in partitions(n)[1:] if not even or is_first(p)]
    announce_shapes(S, shapes, what)
    blocks = mean_blocks(np.array(S.elements), shapes=shapes)
    return largest_norm(blocks, total=len(shapes), progress=progress)


def announce_shapes(S: GroupSample, shapes: Collection[Partition], what: str) -> None:
    """Say what the large irreps of S_12 take."""
    if S.group.width == LARGEST_N and max(map(dimension, shapes)) > HEAVY:
        announce(what, seconds=100.0, memory=5e9)
