"""Streaming over decades of eps on groups that can be listed.

One decade of eps is 10,000 times the calls: two decades are 1e10 steps. So the moments (A_g, v_g) of
every element are computed once, a draw is an index into them, and a compiled step costs some
nanoseconds. The update is that of `walks`, and a test compares the two on the same draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparseaug.errors import need
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import GroupSample, keyed_rng
from studies.rates.problems import CENTERS, StudyProblem, group_label
from studies.rates.walks import BOX

_DRAWS = 1 << 16  # draws that share a key; part of what a seed means, never to be changed
_PAIRS = np.triu_indices(CENTERS)  # of A, which is symmetric


def packed(A: Floats, v: Floats) -> Floats:
    """The upper triangle of A (..., R, R), row by row, and v (..., R), side by side."""
    return np.concatenate([A[..., _PAIRS[0], _PAIRS[1]], v], axis=-1)


def moments_table(given: StudyProblem) -> Floats:
    """The packed moments of each element of the group, in the order of `Group.elements`."""
    return packed(*given.moments_of(GroupSample.full(given.action.group)))


def drawn(given: StudyProblem, seed: int, block: int) -> Any:
    """Draws block * 2^16 and following of this seed: numbers of elements, independent and uniform."""
    order = given.action.group.order
    kind = np.uint16 if order <= 4096 else np.uint32  # 16 bits: faster while few are rejected
    purpose = f"study: elements of {group_label(given.family, given.size)}"
    return keyed_rng(seed, purpose, index=block).integers(order, size=_DRAWS, dtype=kind)


def crossings(
    given: StudyProblem, eps: Sequence[float], steps: Sequence[float], most: Sequence[int], b: int
) -> tuple[Any, Any]:
    """Steps until the mean square of the full gradient is at most eps^2, and until an iterate is at eps.

    Args:
        given: a problem on a group that can be listed
        eps: the gradient norms
        steps: the step size for each of them
        most: the most steps for each of them
        b: elements for a step, a power of two

    Returns:
        Two arrays of shape (eps, 4 seeds); 0 where it did not happen. Every eps sees the same draws.
    """
    need("numba", "streaming over decades of eps")
    from studies.rates.lanes_numba import LANES, ROWS, advance

    table, full = moments_table(given) / b, packed(given.full.A, given.full.v)
    means, hits = np.zeros((2, len(eps), LANES), np.int64)
    for i, (goal, step, limit) in enumerate(zip(eps, steps, most, strict=True)):
        state = np.zeros((ROWS, LANES))
        state[: 2 * CENTERS], state[9], state[10] = given.start[:, None], step, goal**2
        taken = block = 0
        while taken < limit and not state[8].all():
            index = np.stack([drawn(given, seed, block) for seed in range(LANES)])
            advance(table, index, b, full, BOX, state.reshape(-1), taken)
            taken, block = taken + _DRAWS // b, block + 1
        hits[i], means[i] = state[7], state[8]
    return means, hits
