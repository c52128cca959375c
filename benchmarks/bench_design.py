"""`design(m=, spectrum=)` next to the search by the worst case, on one core.

Limits, on a quiet core: 0.1 s for 32 shifts of 427, 1 s for 49 of 28 x 28, 10 s for 128 permutations of
10 points and for 60 rotations. By the worst case permutations of 10 points are judged on degree 2, and
rotations not at all.
"""

from __future__ import annotations

import sys

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.spectrum.spectrum import prior

CASES = (
    ("C427", 32, 0.1, {"objective": "deviation"}),
    ("C28xC28", 49, 1.0, {"objective": "deviation"}),
    ("S10", 128, 10.0, {"degree": 2}),
    ("SO3", 60, 10.0, None),
)


def main() -> None:
    slow = False
    for name, m, limit, other in CASES:
        group = sa.group(name)
        spectrum = prior(group)
        ways = {"by spectrum": lambda g=group, m=m, s=spectrum: sa.design(g, m=m, spectrum=s)}
        if other is not None:
            ways["worst case"] = lambda g=group, m=m, o=other: sa.design(g, m=m, **o)
        best = compare(f"{name}, m = {m}", ways, rounds=3, limit=f"limit {limit:g} s")
        slow |= best["by spectrum"] > limit
    sys.exit(slow)


if __name__ == "__main__":
    main()
