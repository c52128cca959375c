"""What the deviation of m uniform draws typically is, and why it depends on the family of groups.

The bounds grow like sqrt(log|G| / m) for every group. What is typical depends on the irreps.

One-dimensional irreps (abelian groups): each gives the absolute value of a mean of m independent signs
or roots of unity, and the deviation is the largest of |G| - 1 of them. Signs: P(|mean| >= t) is a
binomial tail; S is the generator matrix of a random linear code of length m, and t its largest
|1 - 2 w / m|. Roots of unity: exp(-m t^2), and a character and its conjugate give the same. Of N
independent ones the median t of the largest has N P(t) = log 2.

Large irreps: a mean of m independent uniform d x d unitary matrices has a norm that rises with d to that
of m free ones, 2 sqrt(m - 1) / m (Akemann and Ostrand 1976), and fluctuates less as d grows. Symmetric
groups and signed permutations have few irreps, and large ones: the largest norm stays near that number,
and log|G| disappears.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import keyed_rng


def free_norm(m: int) -> float:
    """The norm of the mean of m free unitaries.

    Examples:
        >>> round(free_norm(64), 3)
        0.248
    """
    return 2 * math.sqrt(m - 1) / m


def largest_of_signs(m: int, log_count: float) -> float:
    """The median of the largest of exp(log_count) independent |means of m signs|.

    Examples:
        >>> largest_of_signs(64, 20 * math.log(2))
        0.59375
    """
    k = np.arange((m + 1) // 2, m + 1)
    tails = math.log(2) + stats.binom.logsf(k - 1, m, 0.5)
    reached = k[tails + log_count >= math.log(math.log(2))]
    return float(2 * reached[-1] / m - 1) if len(reached) else 0.0


def largest_of_phases(m: int, log_count: float) -> float:
    """The median of the largest of exp(log_count) independent |means of m phases|, m large.

    Examples:
        >>> round(largest_of_phases(64, math.log(4096 / 2)), 3)
        0.353
    """
    return min(1.0, math.sqrt(max(0.0, log_count - math.log(math.log(2))) / m))


def haar_norms(m: int, dimension: int, draws: int, seed: int) -> Floats:
    """Norms of means of m independent uniform orthogonal matrices of this dimension."""
    rng, found = keyed_rng(seed, f"study: orthogonal matrices of dimension {dimension}"), []
    for _ in range(draws):
        q, r = np.linalg.qr(rng.standard_normal((m, dimension, dimension)))
        signs = np.sign(np.diagonal(r, axis1=1, axis2=2))
        found.append(np.linalg.norm((q * signs[:, None, :]).mean(axis=0), 2))
    return np.array(found)
