"""From the gradient on S to that on G: thm:uniform-gradient-approximation, and two sharper forms.

grad R_n^S - grad R_n^G = (1/n) sum_i [(Pi_S - Pi_G) h_i](x_i), where h_i = P - y_i Q is the gradient
function of sample i. All three bound this by quantities of S times norms of h_i; `before` has those of
the first.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from sparseaug._checks import check_choice, check_real
from sparseaug._floats import UNIT, lifted, norm, up
from sparseaug.certificate.before import factors
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.certificate.evidence import Evidence, check_theta
from sparseaug.certificate.exact import largest_norm
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.kernels import GradientNorms, box_bound, gradient_norms
from sparseaug.kernels.arrays import Floats
from sparseaug.theory import distribution_gradient_bound

# "certain" is said of actions that move entries and signs, which are isometries. Of matrices with
# rounded entries and of a user's function, isometry and law are tested on the data moved by S, and the
# certificate carries the condition that they hold on whole orbits (sparseaug.kernels.invariance).
#
# P_r = b_r f phi_r (and a_r f phi_r) lies in the Gaussian space of width sigma / sqrt(2), as a product
# of two kernels of width sigma; Q_r = b_r phi_r lies in the one of width sigma. G acts unitarily on
# both, since it acts isometrically, and k(x, x) = 1, so that C = 1 in both. With D = Pi_S - Pi_G,
#
#   |(D h)(x_i)| = |<h, xi_i>| <= ||xi_i|| ||h||,   ||xi_i|| <= ||D||,
#
# componentwise, hence for vectors too: sum_r <h_r, xi_i>^2 <= ||xi_i||^2 sum_r ||h_r||^2. Norms of S
# and of the inverses of its elements agree, as one is the adjoint of the other.


def a_priori(
    evidence: Evidence,
    theta: Floats,
    *,
    delta: float = 0.05,
    box: float | None = None,
    by: Literal["paper", "one kernel"] | None = None,
) -> Certificate:
    """||grad R_n^S(theta)|| + what is known of the error before S is drawn (`before`):

        C B min{1, sqrt(8/(3m) log(2|G|/delta))}                    by="paper"
        C B_2 min{1, sqrt(2 log(2/delta) / m)}, C^2 = 2             by="one kernel"

    By default the one with the smaller factor, or over a box the smaller one. B and B_2 are the largest
    over the box if one is given, as in the paper, else those of theta; either is valid, since the event
    is one of S alone. Where the paper's minimum is 1 it is certain. Rotations have the second alone, and
    products of draws have sqrt(1 / (m delta)) in it. A sample that `draw_until` stopped at has none: m
    was not fixed beforehand.
    """
    theta = check_theta(evidence, theta)
    delta = check_real("delta", delta, above=0, below=1)
    box = None if box is None else check_real("box", box, above=0)
    if by is not None:
        check_choice("by", by, ("paper", "one kernel"))
    if not evidence.sample.distribution.is_group:
        return _of_draws(evidence, theta, delta)
    rests_on = evidence.kernel_condition
    found = factors(evidence.sample, delta)
    if by is not None and by not in found:
        raise UnsupportedError(f"the {by} bound needs independent uniform draws; leave by= out.")
    norms = _norms(evidence, theta) if box is None else _box_norms(evidence, theta, box)
    known = [found[by]] if by is not None else found.values()
    best = min(known, key=lambda one: one.value if box is None else one.of(norms))
    bound = lifted(_sparse_norm(evidence, theta) + best.of(norms), 8)
    condition = " and ".join(filter(None, (best.condition, rests_on)))
    over = "the draw of S"
    return make_certificate("a-priori", bound, evidence.calls, best.failure, over, condition)


def _of_draws(evidence: Evidence, theta: Floats, delta: float) -> Certificate:
    """The same for draws of a distribution that is no group, without log|G| and without invariance.

    v(g) is the mean of <P, phi(g x_i)> - y_i <Q, psi(g x_i)>, phi and psi in the narrow and the wide
    space: of <h_i, Z_i(g)> in their sum, whose kernel is not negative and at most 2, with |h_i|^2 =
    |P|^2 + y_i^2 |Q|^2 (`theory.distribution_gradient_bound`).
    """
    if not evidence.sample.origin.is_uniform:
        raise UnsupportedError("S is not made of independent uniform draws of an Oracle.")
    P, Q = _norms(evidence, theta, y=[0.0]).B, lifted(norm(theta), len(theta) + 4)
    sizes = [P, *(Q * float(y) / math.sqrt(len(evidence.y)) for y in evidence.y)]
    B = lifted(norm(np.array(sizes)), len(sizes) + 8)
    C = up(math.sqrt(2))
    off = distribution_gradient_bound(evidence.sample.m, delta, C=C, B=B, nonnegative=True)
    bound = lifted(_sparse_norm(evidence, theta) + off, 8)
    return make_certificate("a-priori", bound, evidence.calls, delta, "the draw of S")


def spectral(evidence: Evidence, theta: Floats) -> Certificate:
    """||grad R_n^S(theta)|| + ||Pi_S - Pi_G|| C B(theta), with the deviation of this very S."""
    condition = evidence.kernel_condition
    found = evidence.known_deviation
    if found.failure_probability is None:
        raise UnsupportedError("the deviation of S is an estimate, which certifies nothing.")
    B = _norms(evidence, theta).B
    bound = lifted(_sparse_norm(evidence, theta) + found.value * B, 8)
    failure, over = found.failure_probability, "the norm estimate"
    return make_certificate("spectral", bound, evidence.calls, failure, over, condition)


def kernel(evidence: Evidence, theta: Floats) -> Certificate:
    """||grad R_n^S(theta)|| + the discrepancy of S on this data times norms, the smaller of two:

        (1/n) sum_i max(||xi_i||_narrow, ||xi_i||_wide) ||h_i||
        ||P||_narrow ||(1/n) sum_i xi_i||_narrow + ||Q||_wide ||(1/n) sum_i y_i xi_i||_wide

    The first holds for every split of h_i over the two spaces, so for the one that ||h_i|| is the
    least of; the second sums over the data before it takes norms.
    """
    condition = evidence.kernel_condition
    narrow, wide = evidence.discrepancies
    n = len(evidence.y)
    largest = [max(p, q) for p, q in zip(narrow.per_sample, wide.per_sample, strict=True)]
    norms = _norms(evidence, theta).per_sample
    single = sum(_lifted(p) * (h / n) for p, h in zip(largest, norms, strict=True))
    P, Q = _norms(evidence, theta, y=[0.0]).B, lifted(norm(theta), len(theta) + 4)
    pooled = P * _lifted(narrow.pooled) + Q * wide.pooled
    bound = lifted(_sparse_norm(evidence, theta) + min(single, pooled), n + 16)
    return make_certificate("kernel", bound, evidence.calls, condition=condition)


def _lifted(distance: float) -> float:
    """sigma / sqrt(2) is a rounded number: its Gaussian is off by at most 4 u, as e exp(-e) < 1, and
    the square of a distance, of four such means, by 16 u.
    """
    return math.sqrt(distance**2 + 16 * UNIT)


def _sparse_norm(evidence: Evidence, theta: Floats) -> float:
    return largest_norm(evidence.sparse_risk, theta)


def _norms(evidence: Evidence, theta: Floats, y: list[float] | None = None) -> GradientNorms:
    a, b = evidence.model.split(theta)
    targets = evidence.y if y is None else y
    return gradient_norms(evidence.model.kernel, evidence.model.centers, a, b, targets)


def _box_norms(evidence: Evidence, theta: Floats, box: float) -> GradientNorms:
    if abs(theta).max() > box:
        raise ArgumentError(f"theta has an entry of {abs(theta).max():g}, outside box={box:g}.")
    return box_bound(evidence.model.kernel, evidence.model.centers, evidence.y, box=box)
