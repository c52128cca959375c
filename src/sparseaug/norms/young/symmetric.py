"""Symmetric and alternating groups: the norm of every irrep is bounded.

The blocks are made by Clausen's recursion and verified by Cholesky factorisation, up to n = 12: the
largest block of S_13 has 21,450 rows, 3.7 GB, and its factorisation takes ten minutes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from sparseaug._checks import LIMITS, Progress, require_work, silent
from sparseaug.groups.degrees.shapes import is_first
from sparseaug.groups.fourier import Block
from sparseaug.groups.young import Partition, dimension, partitions
from sparseaug.norms.irreps import largest_norms, reported
from sparseaug.norms.norm import Norm, announce
from sparseaug.norms.verified import root_lower, root_upper
from sparseaug.norms.young.clausen import gram_blocks, mean_blocks
from sparseaug.sampling import GroupSample

LARGEST_N = LIMITS["young"].most
"""Up to here every block is made and verified."""

GRAM_FROM = 11
"""From here on A^T A comes from the transform, which takes less time than the product."""

GRAM_SAMPLE = 1024
"""Unless S is larger: the transform goes over all m^2 quotients."""

LARGE = 5000
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
    blocks, bounds = bounded_blocks(S, shapes, what)
    labelled = ((0, block) for block in reported(blocks, len(shapes), progress))
    return largest_norms(labelled, **bounds).get(0, Norm(0.0, 0.0))


def bounded_blocks(
    S: GroupSample, shapes: Collection[Partition], what: str
) -> tuple[Iterator[Block], dict[str, Any]]:
    """The blocks of these shapes, or their Gram matrices, and what bounds the norms from them."""
    n, rows = S.group.width, np.array(S.elements)
    by_gram = n >= GRAM_FROM and S.m <= GRAM_SAMPLE
    if n == LARGEST_N and max(map(dimension, shapes)) > LARGE:
        announce(what, seconds=60.0 if by_gram else 150.0, memory=5e9)
    if by_gram:
        return gram_blocks(rows, shapes=shapes), {"upper": root_upper, "lower": root_lower}
    return mean_blocks(rows, shapes=shapes), {}
