"""The kernel bound with landmarks: group means in closed form at L points, and the rest by norms.

By c = a b the derivative of R_n^G is <F_r, Pi_G mu> - v_r. F_r = f phi_r and mu = (1/n) sum_i k'(., x_i)
lie in the space of the narrow kernel k', of width sigma / sqrt(2), and v_r is the mean over the data of
y_i E_g k(g x_i, z_r): n R group means. For landmarks w_l and any numbers tau, alpha and beta let

    rho = Pi_G mu - tau Pi_S mu - sum_l alpha_l k'(., w_l),    F_r = sum_l beta_rl k'(., w_l) + G_r.

Then <F_r, Pi_G mu> is

    tau <F_r, Pi_S mu> + sum_l alpha_l F_r(w_l) + sum_l beta_rl rho(w_l) + <G_r, rho>.

All but the last term is computed, with n L group means, and |<G_r, rho>| <= ||G_r|| ||rho||, two norms
that are small where tau, alpha and beta are good. Both are computed too, since Pi_S mu - Pi_G mu is
orthogonal to Pi_G mu:

    ||rho||^2 = (1 - tau)^2 ||Pi_G mu||^2 + tau^2 ||Pi_S mu - Pi_G mu||^2
                - 2 sum_l alpha_l (Pi_G mu - tau Pi_S mu)(w_l) + alpha' K alpha,
    ||G_r||^2 = ||F_r||^2 - 2 sum_l beta_rl F_r(w_l) + beta_r' K beta_r,    K = k'(w, w).

F_r is a sum of k' at middles of two centres, so these are the landmarks; with all of them, G_r = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from sparseaug._floats import UNIT, gamma, lifted, norm, unit
from sparseaug.actions import Action
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.certificate.evidence import Evidence, check_theta
from sparseaug.errors import UnsupportedError, shorten
from sparseaug.kernels import GaussianKernel
from sparseaug.kernels.arrays import Floats, move
from sparseaug.kernels.group_means import (
    block_length,
    closed_form,
    enumeration_roundings,
    mean_cost,
    mean_roundings,
)
from sparseaug.sampling import GroupSample, keyed_rng

MOST = 600
"""Landmarks at most: solving with them, for 160 centres, takes 1e8 multiplications per iterate."""

FEWEST = 32
"""With fewer landmarks little is gained over the kernel kind."""

WORK = 1 << 31
"""Multiplications of the group means: some seconds of one core."""

PAIRS = 1 << 28
"""Pairs of moved samples up to which S takes part; above, tau = 0."""

_CANDIDATES = 2  # for each landmark
# a candidate is left out if this is the square of its distance from the span of others
_NEAR = 1e-9
_RIDGE = 1e-10  # any coefficients give a bound; this keeps them small where landmarks nearly agree


@final
@dataclass(frozen=True, eq=False)
class Landmarks:
    """All that does not depend on theta."""

    points: Floats  # w
    gram: Floats  # K
    factor: Floats  # of K + ridge, triangular
    tau: float
    alpha: Floats
    rest_at: Floats  # rho(w)
    rest_error: float  # how far these values may be off
    rest: float  # at least ||rho||
    targets: Floats  # v
    targets_error: float
    condition: str  # what the action leaving the kernel invariant rests on


def landmarks(evidence: Evidence, theta: Floats) -> Certificate:
    """The norm with Pi_G mu approximated in the span of S and landmarks + the product of two rests."""
    theta = check_theta(evidence, theta)
    if "landmarks" not in evidence.kept:
        evidence.kept["landmarks"] = _prepare(evidence)
    of: Landmarks = evidence.kept["landmarks"]
    a, b = evidence.model.split(theta)
    both, edge = unit(theta)
    sides = np.hypot(both[: len(a)], both[len(a) :])
    c, size = unit(a * b)
    one = float(abs(c).sum())
    R, L, d = len(c), len(of.points), of.points[0].size
    phi = evidence.model.kernel._gram(of.points, evidence.model.centers)
    F = (phi @ c)[:, None] * phi  # F_r(w_l), (L, R)
    beta = cho_solve((of.factor, True), F, check_finite=False)
    slopes = of.alpha @ F + of.rest_at @ beta
    error = 0.0
    if of.tau:
        moments = evidence.sparse_risk.moments
        slopes += of.tau * (moments.A @ c)
        error = of.tau * (moments.error + gamma(R + 8)) * one
    # F(w) is off by its 2 (d + 14) + R + 4 roundings times sum |c|; then the sums over landmarks
    absolute = abs(beta).sum(axis=0)
    alpha = float(abs(of.alpha).sum())
    error += alpha * one * gamma(2 * (d + 14) + R + L + 12)
    errors = error + absolute * (of.rest_error + gamma(L + 8) * (of.rest + of.rest_error))
    e = slopes * size - of.targets
    errors = errors * size + of.targets_error + gamma(4) * abs(e)
    rest = norm(sides * np.sqrt(_outside(evidence, of, c, F, beta))) * of.rest * size
    bound = lifted((norm(sides * e) + norm(sides * errors) + rest) * edge, 4 * R + 4 * L + 60)
    return make_certificate("landmarks", bound, evidence.calls, condition=of.condition)


def _prepare(evidence: Evidence) -> Landmarks:
    condition = _condition(evidence)
    x, y, action, kernel = evidence.x, evidence.y, evidence.action, evidence.narrow
    n, d = len(x), x[0].size
    w = _points(evidence, _number(evidence))
    L = len(w)
    K = kernel._gram(w, w)
    ridge = max(_RIDGE, 4 * L * gamma(d + 18))  # above the roundings of K, which may be indefinite
    factor = np.tril(cho_factor(K + ridge * np.eye(L), lower=True)[0])
    every = kernel.group_mean(action, x, np.concatenate([x, w]))
    wide = evidence.model.kernel.group_mean(action, x, evidence.model.centers)
    over_group = every[:, n:].mean(axis=0)
    off = _mean_error(action, x, n + L) + gamma(n + 8)  # and the mean over the data
    own = float(every[:, :n].mean(axis=0).mean()) + off + gamma(n + 8)  # at least ||Pi_G mu||^2
    solved = cho_solve((factor, True), over_group)
    tau, alpha, noise, over_S, off_S = 0.0, solved, 0.0, np.zeros(L), 0.0
    if isinstance(evidence.S, GroupSample) and (evidence.S.m * n) ** 2 <= PAIRS:
        S = evidence.S
        # sigma / sqrt(2) is rounded, see the kernel kind
        noise = lifted(evidence.discrepancies[0].pooled ** 2 + 16 * UNIT, 8)
        over_S, off_S = _over_sample(evidence, S, w), gamma(d + 18 + S.m * n + 8)
        xi = over_S - over_group
        solved_xi = cho_solve((factor, True), xi)
        tau = _share(own - float(over_group @ solved), noise - float(xi @ solved_xi))
        alpha = (1 - tau) * solved - tau * solved_xi
    difference = over_group - tau * over_S
    off += tau * off_S + gamma(4)
    size = float(abs(alpha).sum())
    square = (1 - tau) ** 2 * own + tau**2 * noise - 2 * float(alpha @ difference)
    square += float(alpha @ K @ alpha)
    error = (
        2 * size * (off + gamma(L + 8))
        + size**2 * gamma(d + 2 * L + 30)
        + gamma(12) * (own + noise)
    )
    rest = math.sqrt(lifted(max(square, 0.0) + lifted(error, L + 20), 8))
    absolute = float(abs(y).mean())
    targets_error = lifted(
        absolute * (_mean_error(action, x, wide.shape[1]) + gamma(n + 8)), n + 20
    )
    return Landmarks(
        w,
        K,
        factor,
        tau,
        alpha,
        difference - K @ alpha,
        lifted(off + gamma(8) + size * gamma(d + L + 30), L + 20),
        lifted(rest, 8),
        y @ wide / n,
        targets_error,
        condition,
    )


def _share(of_group: float, of_noise: float) -> float:
    """The tau of the least ||rho||^2 = (1 - tau)^2 of_group + tau^2 of_noise."""
    return of_group / (of_group + of_noise) if of_group > 0 and of_noise > 0 else 0.0


def _number(evidence: Evidence) -> int:
    """L within `WORK`: n (n + R + L) group means."""
    n, R = len(evidence.y), len(evidence.model.centers)
    cost = mean_cost(evidence.action, evidence.x.shape)
    means = WORK // (cost * n)
    number = min(MOST, R * (R + 1) // 2)
    if means < n + R + min(FEWEST, number):
        raise UnsupportedError(
            f"{n} x {n + R} means over {evidence.action.group.name}, of {shorten(cost)} "
            f"multiplications each, are above the {WORK} that landmarks may take; use fewer samples or "
            'centres, or the kind "kernel".'
        )
    return min(number, means - n - R)


def _points(evidence: Evidence, number: int) -> Floats:
    """Up to so many middles of two centres: each the farthest, in the function space, from the span of
    those before it, among twice as many of a fixed key.
    """
    z, kernel = evidence.model.centers, evidence.narrow
    first, second = np.triu_indices(len(z))
    order = keyed_rng(0, "landmarks").permutation(len(first))[: _CANDIDATES * number]
    middles = z[first[order]] / 2 + z[second[order]] / 2
    chosen: list[int] = []
    distances, parts = np.ones(len(middles)), np.zeros((len(middles), number))
    for j in range(number):
        p = int(distances.argmax())
        if distances[p] <= _NEAR:
            break
        column = kernel._gram(middles, middles[p : p + 1])[:, 0] - parts[:, :j] @ parts[p, :j]
        parts[:, j] = column / math.sqrt(distances[p])
        distances -= parts[:, j] ** 2
        distances[p] = 0.0
        chosen.append(p)
    return np.asarray(middles[chosen])


def _over_sample(evidence: Evidence, S: GroupSample, w: Floats) -> Floats:
    """(Pi_S mu)(w)."""
    x, total = evidence.x, np.zeros(len(w))
    step = block_length(x, len(w))
    for start in range(0, S.m, step):
        moved = move(evidence.action, S.elements[start : start + step], x)
        total += evidence.narrow._gram(moved.reshape(-1, *x.shape[1:]), w).sum(axis=0)
    return total / (S.m * len(x))


def _outside(evidence: Evidence, of: Landmarks, c: Floats, F: Floats, beta: Floats) -> Floats:
    """At least ||G_r||^2 = ||F_r||^2 - 2 beta_r' F_r(w) + beta_r' K beta_r, for all r.

    ||F_r||^2 = sum_st c_s c_t E_sr E_tr E_st is three kernel values and 2 R sums, the second term two
    and R + L, the third one and 2 L, all measured against sums of absolute values.
    """
    z = evidence.model.centers
    E = GaussianKernel(evidence.model.kernel.sigma * math.sqrt(2))._gram(z, z)
    U = c[:, None] * E
    squares = (U * (E @ U)).sum(axis=0)
    squares += (beta * (of.gram @ beta)).sum(axis=0) - 2 * (beta * F).sum(axis=0)
    roundings = 3 * (z[0].size + 18) + 2 * len(c) + 2 * len(of.points) + 40
    size = abs(c).sum() + abs(beta).sum(axis=0)
    return np.asarray(np.maximum(squares, 0) + gamma(roundings) * size**2)


def _mean_error(action: Action, x: Floats, width: int) -> float:
    """How far a mean over the group may be off; 4 u for the rounded width of the narrow kernel."""
    if closed_form(action):
        return gamma(mean_roundings(action, x.shape) + 4)
    return gamma(x[0].size + 18 + enumeration_roundings(action.group, x, width))


def _condition(evidence: Evidence) -> str:
    """As for the other kinds; where there is no fixed S, on the data as they are."""
    if not isinstance(evidence.S, str):
        return evidence.kernel_condition
    return Evidence(evidence.model, evidence.data, evidence.action, None).kernel_condition
