"""What is known of a problem and its sample S: moments, deviation, discrepancies.

Nothing here depends on theta, so one `Evidence` serves all iterates; each part is computed when first
asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, final

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, UnsupportedError, shorten
from sparseaug.kernels import Discrepancy, GaussianKernel, invariance_on, kernel_discrepancy
from sparseaug.kernels.arrays import Floats, check_action, check_vector, freeze
from sparseaug.risk import KernelModel, MomentRisk, augmented_risk
from sparseaug.risk.identity import model_facts, problem_facts
from sparseaug.risk.model import check_data, check_model
from sparseaug.sampling import GroupSample
from sparseaug.spectral import Deviation, deviation


@final
@dataclass(frozen=True, eq=False)
class Evidence:
    """A kernel model under squared loss on data (x, y), and the sample S it is trained on.

    Attributes:
        S: a GroupSample (one-shot), None (no augmentation), "full" or "streaming"
        deviation: of this S, if it is known already
        sparse: the risk on S, as `augmented_risk` gave it, if it is there already
        full: the risk on the full group, likewise

    What is handed in must be of this S, these data, this model and this action: their hashes are
    compared.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> evidence = Evidence(model, (x, x.sum(1)), act, sa.Oracle(act.group).draw(8))
        >>> evidence.calls, evidence.known_deviation.rigorous
        (8, True)
    """

    model: KernelModel
    data: tuple[Any, Any]
    action: Action
    S: GroupSample | Literal["full", "streaming"] | None
    deviation: Deviation | None = None
    sparse: MomentRisk | None = None
    full: MomentRisk | None = None

    def __post_init__(self) -> None:
        x, y = check_data(check_model(self.model), self.data)
        object.__setattr__(self, "data", (freeze(x), freeze(y)))
        check_action(self.action)
        if isinstance(self.S, GroupSample):
            self.action.rows(self.S)  # S must be of the action's group
        elif not (self.S is None or (isinstance(self.S, str) and self.S in ("full", "streaming"))):
            raise ArgumentError(
                f'S={shorten(self.S)} is not allowed; give a GroupSample, None, "full" or "streaming".'
            )
        if self.deviation is not None:
            check_deviation(self.deviation, self.sample)
        if self.sparse is not None:
            self._check_risk("sparse", self.sparse, "none" if self.S is None else self.sample)
        if self.full is not None:
            self._check_risk("full", self.full, "full")

    @property
    def x(self) -> Floats:
        """The inputs."""
        return self.data[0]

    @property
    def y(self) -> Floats:
        """The targets."""
        return self.data[1]

    @property
    def calls(self) -> int:
        """Oracle calls of the method, as far as they show in S; a run knows its own.

        Those of the letters count where S is made of words.
        """
        if isinstance(self.S, GroupSample):
            return self.S.calls_behind
        return self.action.group.order if self.S == "full" else 0

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
    def discrepancies(self) -> tuple[Discrepancy, Discrepancy]:
        """Of the data under S: in the space of width sigma / sqrt(2), and of width sigma with y as
        weights.
        """
        sigma = self.model.kernel.sigma
        narrow = GaussianKernel(sigma / math.sqrt(2))
        return (
            kernel_discrepancy(narrow, self.action, self.sample, self.x),
            kernel_discrepancy(self.model.kernel, self.action, self.sample, self.x, weights=self.y),
        )

    def require_invariant_kernel(self) -> str:
        """An `UnsupportedError` unless G acts unitarily on the kernel's function space, on the data.

        Returned is what that rests on; nothing where it is proved.
        """
        return self._kernel_condition

    @cached_property
    def _kernel_condition(self) -> str:
        rows = self.sample.elements
        answer = invariance_on(self.model.kernel, self.action, rows, self.x)
        if not answer:
            raise UnsupportedError(
                f"the action does not leave the kernel invariant ({answer.reason}), so its function "
                'space bounds nothing; the kinds "exact" and "audited" need no such space.'
            )
        return answer.condition

    def _check_risk(self, name: str, risk: Any, S: GroupSample | str) -> None:
        """That a risk handed in is the one of this model, this data, this action and this S."""
        method = "one-shot" if isinstance(S, GroupSample) else S
        if not isinstance(risk, MomentRisk) or risk.method != method:
            raise ArgumentError(
                f"{name}={shorten(risk)} is not a {method!r} risk of augmented_risk."
            )
        found = risk.identity()
        for what, text in (*model_facts(self.model), *problem_facts(*self.data, self.action, S)):
            if found.get(what) != text:
                raise ArgumentError(
                    f"{name} is a risk of other {what} ({_show(found.get(what))}) than this evidence "
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


def _show(text: str | None) -> str:
    """A hash by its first digits."""
    return "not said" if text is None else text[:12] if len(text) == 64 else text
