"""Certificates of a user's loss: all of a group that can be listed, or fresh draws.

No function space is known, so the other kinds have nothing to say. What the function returns is
taken for the gradient, and `largest` for a bound of it: the conditions of the certificates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sparseaug._floats import gamma, lifted, norm
from sparseaug.certificate.anytime import Limits
from sparseaug.certificate.audit import MeansToAudit, audit_means, drawn_rows, untranslated
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import CustomRisk
from sparseaug.sampling import GroupSample

_ROWS = 1 << 12  # of translates at a time
_CONDITION = "the function returns gradients without error"


def exact(risk: CustomRisk, theta: Floats) -> Certificate:
    """The norm of the mean gradient over all elements, of a group that can be listed."""
    group = risk.action.group
    if not group.is_finite or group.order > ENUMERATION_LIMIT:
        raise UnsupportedError(f"{group.name} cannot be listed; give oracle= for an audit.")
    total, most = np.zeros(len(theta)), 0.0
    for _, block in risk._element_gradients(theta, group.all_elements()):
        total += block.sum(axis=0)
        most = max(most, norm(block.reshape(-1)))
    mean = total / group.order
    off = gamma(group.order + len(risk.y) + 8) * most
    bound = lifted(norm(mean) + off, len(theta) + 8)
    return make_certificate("exact", bound, risk.calls, condition=_CONDITION, truth=norm(mean))


def audited(risk: CustomRisk, theta: Floats, **options: Any) -> Certificate:
    """The mean over fresh draws and its radius, as `largest` bounds every gradient."""
    largest = risk.largest
    if largest is None:
        raise UnsupportedError("an audit needs largest=, a bound of gradients, in custom_risk.")

    def means(S: GroupSample, fresh: GroupSample) -> Iterable[Floats]:
        step = max(1, _ROWS // S.m)
        for start in range(0, fresh.m, step):
            h = fresh.elements[start : start + step]
            found = risk._element_gradients(theta, drawn_rows(S, h))
            each = np.concatenate([block for _, block in found])
            longest = largest_length(each)
            if longest > largest:
                raise ArgumentError(f"largest={largest!r}, but a gradient has length {longest:g}.")
            yield each.reshape(len(h), S.m, -1).mean(axis=1)

    def prepare(S: GroupSample, calls: int) -> MeansToAudit:
        off = gamma(2 * S.m + len(risk.y) + 8) * largest
        condition = f"{_CONDITION}, none longer than largest={largest!r}"
        return theta, lambda fresh: means(S, fresh), Limits(largest, off=off), condition

    return audit_means(risk, lambda calls: untranslated(risk.action), prepare, **options)


def largest_length(vectors: Floats) -> float:
    """Of the vectors (k, p), at any scale."""
    top = float(abs(vectors).max(initial=0.0))
    return top * float(np.linalg.norm(vectors / top, axis=1).max()) if top else 0.0
