"""The full-group gradient from fresh transformations, with a dimension-free confidence interval.

For g uniform and independent of theta, v_g = (1/n) sum_i h_i(g x_i) has mean grad R_n^G(theta) and norm
at most G. So N fresh draws bound the gradient, whatever the group, the kernel or the sample S.
"""

# With sigma^2 = E ||v - E v||^2 and ||v - E v|| <= 2 G, Bennett's inequality holds for sums in Hilbert
# spaces with a factor 2 and no dimension (Pinelis, Annals of Probability 22, 1994, section 3), and in
# Bernstein's form it says that with probability 1 - delta/2, for L = log(4 / delta),
#
#   ||mean - E v|| <= sigma sqrt(2 L / N) + 2 G L / (3 N).
#
# sigma^2 is the mean of W = |v - v'|^2 / 2 over N' = N // 2 pairs, 0 <= W <= b = 2 G^2. For W >= 0,
# E exp(-t W) <= 1 - t E W + t^2 E W^2 / 2 and E W^2 <= b sigma^2, so with probability 1 - delta/2, for
# K = log(2 / delta), sigma^2 - mean W <= sqrt(2 b sigma^2 K / N'). That is, with k = G sqrt(K / N'),
#
#   sigma <= k + sqrt(k^2 + mean W).

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparseaug.certificate.evidence import Evidence, check_theta
from sparseaug.certificate.exact import width
from sparseaug.certificate.result import Certificate
from sparseaug.errors import ArgumentError, check_integer, check_real
from sparseaug.floats import gamma, lifted
from sparseaug.groups import Group
from sparseaug.kernels import gradient_norms
from sparseaug.kernels.arrays import Floats
from sparseaug.kernels.enumeration import block_length
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.sample import require_memory


def audited(
    evidence: Evidence, theta: Floats, *, oracle: Oracle, audit_calls: int, delta: float = 0.05
) -> Certificate:
    """||mean of v_g|| + radius over `audit_calls` fresh elements, with probability 1 - delta.

    The oracle must be independent of theta: not the seed and draws behind S or a streaming run. Where
    that shows in S it is refused.
    """
    theta = check_theta(evidence, theta)
    delta = check_real("delta", delta, above=0, below=1)
    audit_calls = check_integer("audit_calls", audit_calls, at_least=2)
    numbers = max(len(theta), evidence.action.group.width)
    require_memory("audit_calls", audit_calls, numbers, "elements and gradients")
    require_fresh(evidence.action.group, evidence, oracle)
    before = oracle.calls
    v = _gradients(evidence, theta, oracle.fresh(audit_calls))
    G = largest_gradient(evidence, theta)
    off = _rounding(evidence, theta)
    pairs = len(v) // 2
    halves = ((v[: 2 * pairs : 2] - v[1 : 2 * pairs : 2]) ** 2).sum(axis=1) / 2
    # each v_g is off by `off`, so the root of a mean of halved squared differences by sqrt(2) off
    spread = math.sqrt(float(halves.mean())) * (1 + gamma(pairs + v.shape[1] + 8)) + 1.5 * off
    mean = float(np.linalg.norm(v.mean(axis=0))) + off + gamma(len(v)) * G
    bound = min(G, lifted(mean + radius(spread, G, len(v), delta=delta), v.shape[1] + 40))
    holds = f"with probability 1 - {delta!r} over the audit's draws"
    calls = evidence.calls + oracle.calls - before
    return Certificate("audited", bound, holds, delta, calls)


def radius(spread: float, G: float, N: int, *, delta: float) -> float:
    """How far a mean of N vectors of norm <= G is from its expectation, with probability 1 - delta.

    `spread` is the root of the mean of |v - v'|^2 / 2 over N // 2 disjoint pairs.

    Examples:
        >>> round(radius(1.0, 10.0, 1000, delta=0.05), 3)
        0.233
    """
    k = G * math.sqrt(math.log(2 / delta) / (N // 2))
    sigma = k + math.hypot(k, spread)
    L = math.log(4 / delta)
    return sigma * math.sqrt(2 * L / N) + 2 * G * L / (3 * N)


def largest_gradient(evidence: Evidence, theta: Floats) -> float:
    """G: no v_g, for any transformation, has a larger norm.

    |h_i(x)| = |f(x) - y_i| sqrt(sum_r (a_r^2 + b_r^2) phi_r(x)^2) with 0 <= phi <= 1, so that f lies
    between the sums of negative and of positive c_r. It is at most ||h_i|| in the function space too.
    """
    a, b = evidence.model.split(theta)
    c = a * b
    highest, lowest = c[c > 0].sum(), c[c < 0].sum()
    residuals = np.maximum(highest - evidence.y, evidence.y - lowest)
    plain = lifted(float(residuals.mean()) * width(theta), len(theta) + len(evidence.y) + 20)
    kernel = evidence.model.kernel
    return min(plain, gradient_norms(kernel, evidence.model.centers, a, b, evidence.y).B)


def require_fresh(group: Group, S: Any, oracle: Any) -> None:
    """Raise an `ArgumentError` unless the oracle is of this group, and past the draws behind S.

    S is a sample or a problem, the draws of a streaming run included; for None nothing is known.
    """
    require_oracle(oracle, group)
    draws = S.origin.draws if isinstance(S, GroupSample) else getattr(S, "draws", ())
    for seed, _, stop in draws:
        if seed == oracle.seed and oracle.calls < stop:
            raise ArgumentError(
                f"oracle has the seed {oracle.seed} of S and would draw elements of S again; continue "
                "with the oracle that S came from, or use another seed."
            )


def _gradients(evidence: Evidence, theta: Floats, fresh: GroupSample) -> Floats:
    """v_g for every element, (N, 2 R), in blocks."""
    x, y, model = evidence.x, evidence.y, evidence.model
    a, b = model.split(theta)
    c = a * b
    rows = evidence.action.rows(fresh)
    step = block_length(x, len(c))
    parts = []
    for start in range(0, fresh.m, step):
        moved = np.asarray(evidence.action(rows[start : start + step], x), np.float64)
        features = model.features(moved.reshape(-1, *x.shape[1:])).reshape(*moved.shape[:2], -1)
        residuals = features @ c - y
        by_coefficients = np.einsum("gi,gir->gr", residuals, features) / len(y)
        parts.append(np.concatenate([by_coefficients * b, by_coefficients * a], axis=1))
    return np.concatenate(parts)


def _rounding(evidence: Evidence, theta: Floats) -> float:
    """How far each v_g may be off.

    Kernel values are off by gamma(d + 14), f by that and R + 2 roundings times sum |c|; a term of the
    mean over data is a residual, at most sum |c| + |y_i|, times a kernel value, and there are n.
    """
    a, b = evidence.model.split(theta)
    size = float(abs(a * b).sum() + abs(evidence.y).mean())
    roundings = 2 * (evidence.x[0].size + 14) + len(a) + len(evidence.y) + 20
    return lifted(gamma(roundings) * size * width(theta), roundings)
