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
from sparseaug.certificate.audit import MeansToAudit, audit_means
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import CustomRisk
from sparseaug.sampling import GroupSample

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
        raise UnsupportedError(
            "an audit needs largest=, a bound on the gradient of a single sample; give it to custom_risk."
        )

    def means(S: GroupSample, fresh: GroupSample) -> Iterable[Floats]:
        for h in fresh.elements:
            rows = risk.action.group.compose(S.elements, h[None])
            blocks = [block for _, block in risk._element_gradients(theta, rows)]
            each = np.concatenate(blocks)
            if norm(each.reshape(-1)) > largest and (longest := max(map(norm, each))) > largest:
                raise ArgumentError(
                    f"largest={largest!r}, but a gradient of length {longest:g} was met; give a larger bound."
                )
            yield each.mean(axis=0)[None]

    def prepare(S: GroupSample, calls: int) -> MeansToAudit:
        off = gamma(2 * S.m + len(risk.y) + 8) * largest
        condition = f"{_CONDITION}, none longer than largest={largest!r}"
        return theta, lambda fresh: means(S, fresh), Limits(largest, off=off), condition

    group = risk.action.group
    return audit_means(risk, lambda calls: GroupSample(group, group.identity()), prepare, **options)
