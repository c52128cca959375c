"""The squared-loss risk of the kernel model from its moments: R = (c' A c - 2 c' v + s) / 2."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, check_integer, shorten
from sparseaug.kernels import Moments, full_moments, sample_moments
from sparseaug.kernels.arrays import check_action
from sparseaug.risk.identity import Facts, model_facts, problem_facts, sha256_of
from sparseaug.risk.model import KernelModel, check_data, check_model
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample

METHODS = ("none", "full", "streaming", "one-shot")


@final
@dataclass(frozen=True, eq=False)
class MomentRisk:
    """A risk of the kernel model that is fixed once its moments are: built by `augmented_risk`.

    `calls` are the oracle calls behind it: m for a sample, |G| for the full group, 0 for none. `facts`
    are the hashes of data, action and S that the moments are made of.
    """

    model: KernelModel
    moments: Moments
    method: Literal["none", "full", "one-shot"]
    calls: int
    facts: Facts = field(default=(), repr=False)

    def __post_init__(self) -> None:
        check_model(self.model)
        if not isinstance(self.moments, Moments) or len(self.moments.v) != len(self.model.centers):
            raise ArgumentError(
                f"moments={shorten(self.moments)} are not Moments of {len(self.model.centers)} centres."
            )
        check_method(self.method, ("none", "full", "one-shot"))
        check_integer("calls", self.calls)
        check_facts(self.facts)

    def value(self, theta: Any) -> float:
        """The risk at theta."""
        c = self.model.coefficients(theta)
        return self.moments.risk(c) if np.isfinite(c).all() else math.inf

    def gradient(self, theta: Any) -> NDArray[Any]:
        """Its gradient by theta; infinite where products of its entries are."""
        c = self.model.coefficients(theta)
        if not np.isfinite(c).all():
            return np.full(self.model.size, math.inf)
        return self.model.chain(theta, self.moments.gradient(c))

    def at_step(self, step: int) -> MomentRisk:
        """The risk that descent follows at this step: always this one."""
        return self

    def identity(self) -> dict[str, str]:
        """What it depends on, by name; by its moments where it was not built by `augmented_risk`."""
        moments = self.moments
        by_hand = (("moments", sha256_of(moments.A, moments.v, repr(moments.s))),)
        return {"method": self.method, **dict(model_facts(self.model) + (self.facts or by_hand))}


def augmented_risk(
    model: KernelModel,
    data: tuple[Any, Any],
    action: Action,
    S: GroupSample | Literal["full"] | None,
) -> MomentRisk:
    """R_n^S for a sample, R_n^G for "full", R_n for None, of a kernel model under squared loss.

    One pass over data and transformations gives the moments; then value and gradient cost R^2. The
    full group needs no enumeration where the kernel's group means are in closed form.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 3))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> act = sa.permute_axis(sa.symmetric(3))
        >>> everything = sa.GroupSample(act.group, act.group.all_elements())
        >>> theta = np.ones(8)
        >>> full = sa.augmented_risk(model, (x, x.sum(1)), act, "full").value(theta)
        >>> sparse = sa.augmented_risk(model, (x, x.sum(1)), act, everything).value(theta)
        >>> bool(abs(full - sparse) < 1e-12)
        True
    """
    x, y = check_data(check_model(model), data)
    group = check_action(action).group
    if S is None:
        identity = GroupSample(group, group.identity())
        moments = sample_moments(model.kernel, action, identity, x, y, model.centers)
        return MomentRisk(model, moments, "none", 0, problem_facts(x, y, action, "none"))
    if isinstance(S, str):
        if S != "full":
            raise ArgumentError(
                f'S={shorten(S)} is not allowed; give a GroupSample, "full" or None.'
            )
        moments = full_moments(model.kernel, action, x, y, model.centers)
        return MomentRisk(model, moments, "full", group.order, problem_facts(x, y, action, "full"))
    require_sample(S)
    moments = sample_moments(model.kernel, action, S, x, y, model.centers)
    return MomentRisk(model, moments, "one-shot", S.calls_behind, problem_facts(x, y, action, S))


def check_method(method: Any, methods: tuple[str, ...] = METHODS) -> None:
    """Raise an `ArgumentError` unless it is the name of one of these methods."""
    if not isinstance(method, str) or method not in methods:
        raise ArgumentError(f"method={shorten(method)} is not allowed; give one of {methods}.")


def check_facts(facts: Any) -> None:
    """Raise an `ArgumentError` unless they are pairs of texts."""
    pairs = isinstance(facts, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
        for pair in facts
    )
    if not pairs:
        raise ArgumentError(f"facts={shorten(facts)} are not pairs (name, text).")
