"""Characters of the symmetric group, in integers: the rule of Murnaghan and Nakayama.

A partition with at most n parts is a set of n beads, at lambda_i + n - i. A rim hook of length k is
added by moving one bead up by k to a free place, with the sign (-1)^(beads passed). Adding hooks of the
lengths mu_1, mu_2, ... to the empty partition reaches each lambda as often as chi_lambda(mu) says:
p_mu = sum chi_lambda(mu) s_lambda, so one pass gives all characters at the cycle type mu.
"""

from __future__ import annotations

from functools import lru_cache

from sparseaug.groups.young import Partition


@lru_cache(maxsize=4096)
def characters_at(cycle_type: Partition) -> dict[Partition, int]:
    """chi_lambda(mu) of every partition lambda where it is not 0, for a cycle type mu of n points.

    Examples:
        >>> characters_at((2, 1, 1)) == {(4,): 1, (3, 1): 1, (2, 1, 1): -1, (1, 1, 1, 1): -1}
        True
    """
    n = sum(cycle_type)
    found = {(1 << n) - 1: 1}  # the empty partition: beads at 0..n-1
    for k in cycle_type:
        longer: dict[int, int] = {}
        for beads, value in found.items():
            free = beads & ~(beads >> k)  # beads with a free place k above
            while free:
                bead = free & -free
                free ^= bead
                passed = (beads & ((bead << k) - (bead << 1))).bit_count()
                moved = beads ^ bead ^ (bead << k)
                longer[moved] = longer.get(moved, 0) + (-value if passed % 2 else value)
        found = {beads: value for beads, value in longer.items() if value}
    return {_partition(beads, n): value for beads, value in found.items()}


def _partition(beads: int, n: int) -> Partition:
    places = [place for place in range(beads.bit_length()) if beads >> place & 1]
    parts = (place - i for i, place in enumerate(places))
    return tuple(sorted((part for part in parts if part), reverse=True))
