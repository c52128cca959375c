"""The squared-loss risk of the kernel model from its moments: R = (c' A c - 2 c' v + s) / 2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from scipy.linalg.blas import ddot

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.kernels import Moments, full_moments, sample_moments
from sparseaug.kernels.arrays import Floats, check_vector
from sparseaug.risk.problem import KernelModel, Problem, chain
from sparseaug.sampling import GroupSample

_NO_OVERFLOW = 1e100  # of the square of theta; then |c| is below it, and |b g| below its square


@final
@dataclass(frozen=True, eq=False, repr=False)
class MomentRisk(Problem):
    """A risk of the kernel model that is fixed once its moments are: built by `augmented_risk`.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: what is averaged over: a GroupSample, "full", or None for the data as they are
        moments: A, v and s over the data moved by S

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
        >>> risk = sa.augmented_risk(model, (x, x.sum(1)), act, "full")
        >>> risk
        MomentRisk(full, 2 samples, 2 centres, group Z2^2, 0 oracle calls)
        >>> risk.gradient(np.ones(4)).round(3)
        array([0.063, 0.063, 0.063, 0.063])
    """

    moments: Moments

    _words = (None, "full")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.moments, Moments) or len(self.moments.v) != len(self.model.centers):
            raise ArgumentError(
                f"moments={shorten(self.moments)} are not Moments of {len(self.model.centers)} centres."
            )

    def value(self, theta: Any) -> float:
        """The risk at theta."""
        with np.errstate(over="ignore"):  # of a theta that diverges
            c = self.model.coefficients(theta)
        return self.moments.risk(c) if np.isfinite(c).all() else math.inf

    def gradient(self, theta: Any) -> Floats:
        """Its gradient by theta, (b g, a g) with g = A c - v; infinite where c = a b is."""
        theta = check_vector("theta", theta, self.model.size)
        if ddot(theta, theta) < _NO_OVERFLOW:
            return self._gradient(theta)
        with np.errstate(over="ignore", invalid="ignore"):
            c = self.model.coefficients(theta)
            known = np.isfinite(c).all()
            return self._gradient(theta) if known else np.full(len(theta), math.inf)

    def _gradient(self, theta: Floats) -> Floats:
        """The gradient at a float64 vector of the right length, which is not checked."""
        A, v = self.moments.A, self.moments.v
        return chain(theta, A.dot(theta[: len(v)] * theta[len(v) :]) - v)

    def at_step(self, step: int) -> MomentRisk:
        """The risk that descent follows at this step: always this one."""
        return self


def augmented_risk(
    model: KernelModel,
    data: tuple[Any, Any],
    action: Action,
    S: GroupSample | Literal["full"] | None,
) -> MomentRisk:
    """R_n^S for a sample, R_n^G for "full", R_n for None, of a kernel model under squared loss.

    One pass over data and transformations gives the moments; then value and gradient cost R^2. The
    full group needs no enumeration where the kernel's group means are in closed form.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: what is averaged over

    Returns:
        The risk: `.value(theta)`, `.gradient(theta)`, `.calls`, and the four parts it is made of.

    Raises:
        UnsupportedError: S is "full", and the group has neither closed forms nor few elements

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
    x, y = MomentRisk._check(model, data, action, S)
    if S == "full":
        moments = full_moments(model.kernel, action, x, y, model.centers)
    else:
        sample = GroupSample(action.group, action.group.identity()) if S is None else S
        moments = sample_moments(model.kernel, action, sample, x, y, model.centers)
    return MomentRisk(model, (x, y), action, S, moments)
