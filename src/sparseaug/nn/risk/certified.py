"""Certificates of a module: exact where the group can be listed, audited elsewhere.

The gradient is computed in float64, from the parameters as they are: a module in single precision is
copied first. Roundings inside the module cannot be counted for modules we know nothing of; in double
precision few modules lose anything by them, in single precision residuals that cancel can hide a
gradient of any size. So every certificate says that it takes the module's gradients in float64 as
exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from torch import Tensor, nn

from sparseaug._checks import check_real
from sparseaug._floats import TINY, gamma, lifted
from sparseaug._floats import norm as length
from sparseaug.actions.arrays import map_leaves
from sparseaug.certificate.anytime import Limits
from sparseaug.certificate.audit import MeansToAudit, audit_means, drawn_rows, untranslated
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.errors import ArgumentError, UnsupportedError, shorten
from sparseaug.groups import format_order
from sparseaug.kernels.arrays import Floats
from sparseaug.nn.ranks import require_same
from sparseaug.nn.risk.trial import require_equal, require_pure
from sparseaug.sampling import GroupSample, Oracle

if TYPE_CHECKING:
    from sparseaug.nn.risk.module_risk import ModuleRisk

COPIES = 1 << 20
"""Copies of samples up to which a group is enumerated, and S itself translated by default: minutes for
a small network on one core."""

CONDITION = "the module's gradients in float64 are taken as exact"

_ROOM = 1 << 28  # bytes of gradients that are kept for equal draws


def exact(self: ModuleRisk, theta: Tensor) -> Certificate:
    """||grad R_n^G(theta)|| over all elements of the group, where that is at most `COPIES` copies.

    Args:
        theta: the parameters
    """
    group, n = self.action.group, len(self.data[1])
    if group.order * n > COPIES:
        what = f"all {format_order(group)} elements times {n} samples"
        raise UnsupportedError(f"{what} are above {COPIES} copies; audit.")
    double, at = in_double(self, theta)
    norm = length(double.on("full").gradient(at).cpu().numpy())
    bound = lifted(norm, self.size + 40)
    return make_certificate("exact", bound, self.calls, condition=CONDITION, truth=norm)


def audit(
    risk: ModuleRisk,
    theta: Tensor,
    oracle: Oracle,
    *,
    calls: int = 1000,
    delta: float = 0.05,
    largest: float | None = None,
    translates_of: GroupSample | Literal["full"] | None = None,
    until: float | None = None,
) -> Certificate:
    """A bound of the full-group gradient norm from fresh elements, with probability 1 - delta.

    It needs a limit on single gradients, which you state: without one no number of draws bounds a mean,
    as an element that was not drawn may carry any gradient (Bahadur and Savage, Annals of Mathematical
    Statistics 27, 1956), and what can be derived from layers is hundreds of times the truth. Where
    no limit is known `sparseaug.pilot` estimates, and `sparseaug.audit_risk` bounds accuracy and losses.

    Args:
        risk: the risk of the module
        theta: the parameters to audit
        oracle: source of fresh elements, independent of theta: not the seed and draws behind S or a
            streaming run
        calls: how many to draw; with `until` the most
        delta: how often it may fail, all audits of this iterate together
        largest: limit on the gradient norm of any single transformation; seeing one above it is an
            error
        translates_of: the sample S whose translates S h are averaged over; by default that of the
            risk, as long as that is at most `COPIES` copies, else {identity}
        until: stop as soon as the bound is at most this, or is known to stay above it

    Examples:
        >>> import torch
        >>> import sparseaug as sa
        >>> from sparseaug import nn as sann
        >>> act = sa.flip_signs(sa.sign_flips(2))
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> risk = sann.ModuleRisk(torch.nn.Linear(2, 1), torch.nn.MSELoss(), (x, x[:, :1]), act, None)
        >>> found = sann.audit(risk, risk.theta, sa.Oracle(act.group, seed=1), calls=64, largest=200)
        >>> found.calls, found.holds.split(", if")[0]
        (64, "with probability 1 - 0.05 over the audit's draws")
    """
    if not callable(getattr(risk, "on", None)):
        raise ArgumentError(f"risk={shorten(risk)} is not a ModuleRisk; give one, of S=None say.")
    if largest is None:
        raise UnsupportedError(
            "no limit on single gradients is known; give nn.audit(largest=), or sparseaug.audit_risk."
        )

    def prepare(S: GroupSample, calls: int) -> MeansToAudit:
        double, at = in_double(risk, theta)
        limit = check_real("largest", largest, above=TINY, below=1 / TINY)  # its square is a float
        condition = f"no transformation's gradient is longer than {limit!r}, and {CONDITION}"
        place = f"{oracle.seed} {oracle.calls}".encode()
        facts = f"{calls} {S.sha256} {limit!r} {until!r}".encode()
        require_same(at, theta=[at], oracle=[place], audit=[facts])
        return at.cpu().numpy(), _means(double, at, S, limit), Limits(limit), condition

    usual = partial(_translated, risk)
    return audit_means(risk, usual, prepare, oracle, calls, delta, translates_of, until)


def in_double(risk: ModuleRisk, theta: Tensor) -> tuple[ModuleRisk, Tensor]:
    """The same risk without augmentation, on a copy of the module that holds theta, and theta: in
    double precision, tried again as the module is now.
    """
    at = risk.require_theta(theta).detach().double()
    x, y = (
        map_leaves(lambda part: part.double() if part.is_floating_point() else part, parts)
        for parts in risk.data
    )
    require_pure(risk.module)
    module, loss = _copies(risk)
    loss = loss.double() if isinstance(loss, nn.Module) else loss
    options: dict[str, Any] = {"y_action": risk.y_action, "chunk_size": risk.chunk_size}
    unmoved = None if risk.action.distribution.is_group else risk.sample
    double = type(risk)(module.double(), loss, (x, y), risk.action, unmoved, **options)
    double.load(at)
    copied = copy(risk)  # compared last: what changes from call to call was refused in a copy
    copied.module, copied.loss = _copies(risk)
    require_equal(risk, copied, theta)
    return double, at


def _copies(risk: ModuleRisk) -> Any:
    own = risk.module, risk.loss
    try:
        return [deepcopy(part) if isinstance(part, nn.Module) else part for part in own]
    except (RuntimeError, TypeError) as error:
        raise UnsupportedError(f"module cannot be copied to be certified: {error}.") from error


def _translated(risk: ModuleRisk, calls: int) -> GroupSample:
    """The S of the risk where there is one and its translates are not too much work."""
    if not risk.action.distribution.is_group:
        return untranslated(risk.action)
    group, S = risk.action.group, risk.sample
    few = min(calls, group.order) * S.m * len(risk.data[1]) <= COPIES
    return S if risk.method == "one-shot" and few else GroupSample(group, group.identity())


def _means(
    risk: ModuleRisk, theta: Tensor, S: GroupSample, limit: float
) -> Callable[[GroupSample], Iterator[Floats]]:
    """From fresh elements h the mean gradients over S h, one by one; those of equal draws are computed
    once, while memory allows."""
    kept: dict[bytes, Floats] = {}

    def over(fresh: GroupSample) -> Iterator[Floats]:
        for row in fresh.elements:
            gradient = kept.get(row.tobytes())
            if gradient is None:
                moved = GroupSample(S.distribution, drawn_rows(S, row[None]))
                gradient = risk.on(moved).gradient(theta).cpu().numpy()[None]
                norm = length(gradient)
                if not norm <= limit * (1 + gamma(gradient.size + 40)):  # nor is NaN
                    raise ArgumentError(f"largest={limit:g} is below a gradient of norm {norm:g}.")
                if (len(kept) + 1) * gradient.nbytes < _ROOM:
                    kept[row.tobytes()] = gradient
            yield gradient

    return over
