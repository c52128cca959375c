"""A risk and what is known of it: moments, deviation, discrepancies.

Nothing here depends on theta, so one `Evidence` serves all iterates; each part is computed when first
asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from sparseaug._checks import check_type
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.kernels import Discrepancy, GaussianKernel, invariance_on, kernel_discrepancy
from sparseaug.kernels.arrays import Floats, check_vector
from sparseaug.norms import Deviation, deviation
from sparseaug.risk import MomentRisk, augmented_risk
from sparseaug.risk.problem import Draws, KernelProblem, check_problem
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
    full: MomentRisk | None = None

    def __post_init__(self) -> None:
        checked = check_problem(self.model, self.data, self.action, self.S)
        object.__setattr__(self, "data", checked)
        known, full = self.deviation, self.full
        if known is not None:
            check_type("deviation", known, Deviation, "a Deviation; see deviation(S)")
            if known.sha256 != self.sample.sha256:
                raise ArgumentError("deviation is that of others than this S; give deviation(S).")
        if full is not None:
            check_type("full", full, MomentRisk, "a risk of augmented_risk")
            own = KernelProblem(self.model, self.data, self.action, "full")._facts()
            found = full._facts()
            other = [what for what, text in own.items() if found[what] != text]
            if other:
                raise ArgumentError(f"full has other {' and '.join(other)}; give the same.")

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
        check_type("risk", risk, KernelProblem, "a risk of a kernel model")
        evidence = cls(risk.model, risk.data, risk.action, risk.S, deviation)
        evidence.__dict__["draws"] = risk.draws
        evidence.__dict__["audits"] = risk.audits
        if isinstance(risk, MomentRisk):
            evidence.__dict__["full" if risk.method == "full" else "sparse_risk"] = risk
        return evidence

    @cached_property
    def draws(self) -> Draws:
        """Those of S, or of the risk that it was made from."""
        return super().draws

    @cached_property
    def sample(self) -> GroupSample:
        """S; without augmentation it holds the identity alone."""
        if isinstance(self.S, GroupSample):
            return self.S
        if self.S is None:
            return GroupSample(self.action.group, self.action.group.identity())
        raise UnsupportedError(f'S="{self.S}" has no sample; ask for kinds "exact" and "audited".')

    @cached_property
    def sparse_risk(self) -> MomentRisk:
        """R_n^S."""
        S = self.S if self.S is None else self.sample
        return augmented_risk(self.model, self.data, self.action, S)

    @cached_property
    def full_risk(self) -> MomentRisk:
        """R_n^G, by closed form or enumeration; an `UnsupportedError` where neither reaches."""
        return self.full or augmented_risk(self.model, self.data, self.action, "full")

    @cached_property
    def known_deviation(self) -> Deviation:
        """The norm of Pi_S - Pi_G."""
        if self.deviation is not None:
            return self.deviation
        try:
            return deviation(self.sample)
        except UnsupportedError as error:
            what = f"the deviation of S on all functions of {self.sample.group.name} is not known"
            raise UnsupportedError(f'{what}; ask for kinds=["audited"] or ["a-priori"].') from error

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
            why = f"the action does not leave the kernel invariant ({answer.reason})"
            raise UnsupportedError(f'{why}; ask for the kinds "exact" and "audited".')
        return answer.condition


def check_theta(evidence: Any, theta: Any) -> Floats:
    """theta as a vector of the evidence's model."""
    check_type("evidence", evidence, Evidence, "an Evidence")
    return check_vector("theta", theta, evidence.model.size)
