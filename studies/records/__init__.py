"""The table of best known sets: how they are searched for, bounded, checked and shown.

The search (`python -m studies.records`)
    table                    the files: read, merge what is better, write
    permutations             sets that move tuples evenly, as unions of cosets
    orders                   orders with even middles, or even neighbours
    groups, cells            permutation groups by generators; annealing, for these two
    signs                    orthogonal arrays of signs
    products                 orders of classes next to orders of columns
    deviations               least norms: permutations, shifts, grids, dihedral and signed groups, signs
    flat                     difference sets and other known constructions of them
    pairs, matrices, spectra their annealing: permutations by pairs, any group, abelian groups
    rotations                rotations of space, by least squares and gradient
    turning, polishing       their equations; solutions in 30 digits
What no set can beat
    bounds, sizes            the least deviation, the fewest elements
    delsarte, codes          both for rotations, and for signs, by linear programming
The check (`make records`), which shares with the search only what no set can beat
    check                    every record verified from its text alone
    elements                 rows from the text
    counts, moments          counts and norms in integers and balls; rotations
page                         the page and its pictures
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Record: TypeAlias = dict[str, Any]
Rows: TypeAlias = NDArray[np.int64]
