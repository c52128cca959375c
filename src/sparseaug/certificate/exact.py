"""The full-group gradient itself, by its moments; and how far rounding can move a gradient."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sparseaug._floats import SMALLEST, down, gamma, lifted, norm
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.certificate.evidence import Evidence
from sparseaug.errors import SoundnessError
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import MomentRisk


def exact(evidence: Evidence, theta: Floats) -> Certificate:
    """||grad R_n^G(theta)|| by closed form or enumeration: the truth and its rounding, certain."""
    risk = evidence.full_risk
    truth = norm(risk.gradient(theta))
    return make_certificate("exact", largest_norm(risk, theta), evidence.calls, truth=truth)


def require_sound(found: Iterable[Certificate], truth: Certificate, evidence: Evidence) -> None:
    """Raise a `SoundnessError` where a certain bound is below the exact norm less its rounding.

    The exact bound is the computed norm and all that rounding can have taken from it; it can have
    added as much.
    """
    if truth.truth is None:
        return
    low = down(truth.truth - (truth.bound - truth.truth))
    for one in found:
        if one.certain and one.bound < low:
            S = evidence.S if isinstance(evidence.S, str | None) else evidence.S.sha256
            raise SoundnessError(
                f"the {one.kind} bound {one.bound!r} is called certain and is below the exact gradient "
                f"norm, {truth.truth!r} and at least {low!r}: please report this bug of sparseaug, "
                f"with {type(evidence.action).__name__} of {evidence.action.group.name} and S ({S})."
            )


def largest_norm(risk: MomentRisk, theta: Floats) -> float:
    """An upper bound of the norm of the risk's gradient, with all roundings since the data.

    The derivative by c = a b is A c - v. Entries of A are off by `error` and those of v by `error`
    times sqrt(s); they are at most 1 and sqrt(s) themselves. With R + 4 roundings of the product and
    of c, every entry of A c - v is off by at most (error + gamma(R + 4)) (sum |c| + sqrt(s)). The
    chain rule multiplies entry r by a_r and b_r, so the gradient is off by sqrt(sum a^2 + b^2) times
    that, and its own roundings and those of the norm are 2 R + 8.
    """
    R = len(risk.moments.v)
    # sqrt(s), at any scale; `error` covers the roundings of means over the data
    size = float(abs(risk.model.coefficients(theta)).sum())
    size += norm(risk.y) / math.sqrt(len(risk.y)) * (1 + risk.moments.error)
    off = rounding(theta, risk.moments.error + gamma(R + 4), size)
    return lifted(norm(risk.gradient(theta)) + off, 3 * R + len(theta) + 40)


def rounding(theta: Floats, error: float, size: float) -> float:
    """How far (b g, a g) may be off where every entry of g = A c - v is by error * size.

    Underflow counts beside it: R products of c, R of A c and a few of v, each off by `SMALLEST`.
    """
    return (error * size + 3 * len(theta) * SMALLEST) * norm(theta)
