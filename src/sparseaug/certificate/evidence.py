"""A risk and what is known of it: moments, deviation, discrepancies.

Nothing here depends on theta, so one `Evidence` serves all iterates; each part is computed when first
asked for.

The full-group gradient itself, by its moments; and how far rounding can move a gradient.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from sparseaug._floats import SMALLEST, down, gamma, lifted, norm
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.errors import ArgumentError, SoundnessError, UnsupportedError, shorten
from sparseaug.kernels import Discrepancy, GaussianKernel, invariance_on, kernel_discrepancy
from sparseaug.kernels.arrays import Floats, check_vector
from sparseaug.norms import Deviation, deviation
from sparseaug.risk import MomentRisk, augmented_risk
from sparseaug.risk.problem import KernelProblem, check_problem
from sparseaug.sampling import GroupSample


@final
@dataclass(frozen=True, eq=False, repr=False)
class Evidence(KernelProblem):
    """A kernel model under squared loss on data (x, y), the sample S it is trained on, and facts.

    Known facts must be of this S, these data, this model and this action: hashes are compared.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: a GroupSample (one-shot), None (no augmentation), "full" or "streaming"
        deviation: of this S, if it is known already
        sparse: the risk on S, as `augmented_risk` gave it, if you have it
        full: the risk on the full group, if you have it

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> evidence = sa.certificate.Evidence(model, (x, x.sum(1)), act, sa.Oracle(act.group).draw(8))
        >>> evidence.calls, round(evidence.known_deviation.value, 3)
        (8, 0.511)
    """

    deviation: Deviation | None = None
    sparse: MomentRisk | None = None
    full: MomentRisk | None = None

    def __post_init__(self) -> None:
        checked = check_problem(self.model, self.data, self.action, self.S)
        object.__setattr__(self, "data", checked)
        if self.deviation is not None:
            check_deviation(self.deviation, self.sample)
        if self.sparse is not None:
            self._check_risk("sparse", self.sparse, self.S and self.sample)
        if self.full is not None:
            self._check_risk("full", self.full, "full")

    @classmethod
    def of(cls, risk: KernelProblem, deviation: Deviation | None = None) -> Evidence:
        """The evidence of a risk, which is what it is on S or on the full group.

        Args:
            risk: a risk that `augmented_risk` or `streaming_risk` returned
            deviation: of its S, if it is known already

        Examples:
            >>> import numpy as np, sparseaug as sa
            >>> act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
            >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
            >>> risk = sa.augmented_risk(model, (x, x.sum(1)), act, "full")
            >>> sa.certificate.Evidence.of(risk).full_risk.calls
            0
        """
        if not isinstance(risk, KernelProblem):
            raise ArgumentError(f"risk={shorten(risk)} is not a risk of a kernel model.")
        evidence = cls(risk.model, risk.data, risk.action, risk.S, deviation)
        evidence.__dict__["draws"] = risk.draws
        evidence.__dict__["audits"] = risk.audits
        if isinstance(risk, MomentRisk):
            name = "full" if risk.method == "full" else "sparse"
            evidence.__dict__[name] = risk
        return evidence

    @cached_property
    def sample(self) -> GroupSample:
        """S; without augmentation it holds the identity alone."""
        if isinstance(self.S, GroupSample):
            return self.S
        if self.S is None:
            return GroupSample(self.action.group, self.action.group.identity())
        raise UnsupportedError(
            f'S="{self.S}" has no fixed sample; the kinds "exact" and "audited" need none.'
        )

    @cached_property
    def sparse_risk(self) -> MomentRisk:
        """R_n^S."""
        S = self.S if self.S is None else self.sample
        return self.sparse or augmented_risk(self.model, self.data, self.action, S)

    @cached_property
    def full_risk(self) -> MomentRisk:
        """R_n^G, by closed form or enumeration; an `UnsupportedError` where neither reaches."""
        return self.full or augmented_risk(self.model, self.data, self.action, "full")

    @cached_property
    def known_deviation(self) -> Deviation:
        """The norm of Pi_S - Pi_G."""
        return self.deviation or deviation(self.sample)

    @cached_property
    def narrow(self) -> GaussianKernel:
        """The kernel of the space that products of two kernels lie in; its width is rounded."""
        return GaussianKernel(self.model.kernel.sigma / math.sqrt(2))

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What kinds of certificates keep for the next iterate, by their names."""
        return {}

    @cached_property
    def discrepancies(self) -> tuple[Discrepancy, Discrepancy]:
        """Of the data under S: in the space of width sigma / sqrt(2), and of width sigma with y as
        weights.
        """
        return (
            kernel_discrepancy(self.narrow, self.action, self.sample, self.x),
            kernel_discrepancy(self.model.kernel, self.action, self.sample, self.x, weights=self.y),
        )

    @cached_property
    def kernel_condition(self) -> str:
        """What G acting unitarily on the kernel's function space, on the data, rests on.

        Nothing where that is proved; an `UnsupportedError` where it is not so.
        """
        answer = invariance_on(self.model.kernel, self.action, self.sample.elements, self.x)
        if not answer:
            raise UnsupportedError(
                f"the action does not leave the kernel invariant ({answer.reason}), so its function "
                'space bounds nothing; the kinds "exact" and "audited" need no such space.'
            )
        return answer.condition

    def _check_risk(self, name: str, risk: Any, S: Any) -> None:
        """Raise an `ArgumentError` unless a risk is that of this model, data and action, and of S."""
        own = KernelProblem(self.model, self.data, self.action, S)._facts()
        if not isinstance(risk, MomentRisk) or risk.method != own["method"]:
            raise ArgumentError(
                f"{name}={shorten(risk)} is not a {own['method']!r} risk of augmented_risk."
            )
        found = risk._facts()
        for what, text in own.items():
            if found[what] != text:
                raise ArgumentError(
                    f"{name} is a risk of other {what} ({_show(found[what])}) than this evidence "
                    f"({_show(text)}); give augmented_risk of the same model, data, action and S."
                )


def check_theta(evidence: Any, theta: Any) -> Floats:
    """theta as a vector of the evidence's model, or an `ArgumentError` that names which is wrong."""
    if not isinstance(evidence, Evidence):
        raise ArgumentError(f"evidence={shorten(evidence)} is not an Evidence.")
    return check_vector("theta", theta, evidence.model.size)


def check_deviation(found: Any, S: GroupSample) -> None:
    """Raise an `ArgumentError` unless it is the deviation of S in the whole function space."""
    if not isinstance(found, Deviation):
        raise ArgumentError(f"deviation={shorten(found)} is not a Deviation; see deviation(S).")
    if not found.sha256:
        raise ArgumentError(
            "deviation is that of words or of some functions only; give deviation(S), which holds "
            "in the whole function space."
        )
    if found.sha256 != S.sha256:
        raise ArgumentError(
            f"deviation is that of another sample, of m={found.m} elements; give deviation(S) of this "
            f"one, m={S.m}."
        )


def _show(text: str) -> str:
    """A hash by its first digits."""
    return text[:12] if len(text) == 64 else text


def exact(evidence: Evidence, theta: Floats) -> Certificate:
    """||grad R_n^G(theta)|| by closed form or enumeration: the truth and its rounding, certain."""
    theta = check_theta(evidence, theta)
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
                f"the {one.kind} bound {one.bound!r} is called certain and is below the exact "
                f"gradient norm, {truth.truth!r} and at least {low!r}. This is a bug in sparseaug: do "
                "not trust its bounds here, and please report it with these numbers, the action "
                f"({type(evidence.action).__name__} of {evidence.action.group.name}) and S ({S})."
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
