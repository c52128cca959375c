"""The squared-loss risk of the kernel model from its moments: R = (c' A c - 2 c' v + s) / 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.kernels import Moments, full_moments, sample_moments
from sparseaug.risk.model import KernelModel
from sparseaug.sampling import GroupSample


@final
@dataclass(frozen=True, eq=False)
class MomentRisk:
    """A risk of the kernel model that is fixed once its moments are: built by `augmented_risk`.

    `calls` are the oracle calls behind it: m for a sample, |G| for the full group, 0 for none.
    """

    model: KernelModel
    moments: Moments
    method: Literal["none", "full", "one-shot"]
    calls: int

    def value(self, theta: Any) -> float:
        """The risk at theta."""
        return self.moments.risk(self.model.coefficients(theta))

    def gradient(self, theta: Any) -> NDArray[Any]:
        """Its gradient by theta."""
        by_coefficients = self.moments.gradient(self.model.coefficients(theta))
        return self.model.chain(theta, by_coefficients)

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

    >>> import numpy as np, sparseaug as sa
    >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 3))
    >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
    >>> act = sa.permute_axis(sa.symmetric(3))
    >>> everything = sa.GroupSample(act.group, act.group.all_elements())
    >>> theta = np.ones(8)
    >>> full = sa.augmented_risk(model, (x, x.sum(1)), act, "full").value(theta)
    >>> bool(abs(full - sa.augmented_risk(model, (x, x.sum(1)), act, everything).value(theta)) < 1e-12)
    True
    """
    if not isinstance(model, KernelModel):
        raise ArgumentError(f"model={shorten(model)} is not a KernelModel.")
    x, y = check_data(data)
    if S is None:
        identity = GroupSample(action.group, action.group.identity())
        moments = sample_moments(model.kernel, action, identity, x, y, model.centers)
        return MomentRisk(model, moments, "none", 0)
    if isinstance(S, str):
        if S != "full":
            raise ArgumentError(f'S={S!r} is not allowed; give a GroupSample, "full" or None.')
        moments = full_moments(model.kernel, action, x, y, model.centers)
        return MomentRisk(model, moments, "full", action.group.order)
    moments = sample_moments(model.kernel, action, S, x, y, model.centers)
    return MomentRisk(model, moments, "one-shot", S.calls)


def check_data(data: Any) -> tuple[Any, Any]:
    """(x, y) with one target per sample, or an `ArgumentError`."""
    if not isinstance(data, tuple) or len(data) != 2:
        raise ArgumentError(f"data={shorten(data)} is not a pair; give (x, y).")
    x, y = data
    if np.ndim(y) != 1 or np.ndim(x) < 2 or len(x) != len(y):
        raise ArgumentError(
            f"data has samples of shape {np.shape(x)} and targets of shape {np.shape(y)}; "
            "give (n, ...) and (n,)."
        )
    return x, y
