"""The risks of a kernel model under squared loss, built by `augmented_risk` and `streaming_risk`.

From moments: R = (c' A c - 2 c' v + s) / 2, so each step costs R^2, whatever n |S| is.
By the plain sum over data and transformations: the reference, and what a streaming step follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, final

import numpy as np
from scipy.linalg.blas import ddot

from sparseaug._checks import check_integer, require_memory
from sparseaug.actions import Action
from sparseaug.kernels import Moments, full_moments, sample_moments
from sparseaug.kernels.arrays import Floats, check_vector, move
from sparseaug.risk.model import KernelModel, chain
from sparseaug.risk.problem import KernelProblem, check_problem
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle

_NO_OVERFLOW = 1e100  # of the square of theta; then |c| is below it, and |b g| below its square


@final
@dataclass(frozen=True, eq=False, repr=False)
class MomentRisk(KernelProblem):
    """A risk of the kernel model that is fixed once its moments are: built by `augmented_risk`.

    Attributes:
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
        MomentRisk(full, 2 samples, group Z2^2, 0 oracle calls)
        >>> risk.gradient(np.ones(4)).round(3)
        array([0.063, 0.063, 0.063, 0.063])
    """

    moments: Moments

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
        GroupTooLargeError: S is "full", and its closed form takes permanents of more than 20 rows

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 3))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> act = sa.permute_axis(sa.symmetric(3))
        >>> everything = sa.GroupSample(act.group, act.group.all_elements())
        >>> theta = np.ones(8)
        >>> full = sa.augmented_risk(model, (x, x.sum(1)), act, "full").value(theta)
        >>> sparse = sa.augmented_risk(model, (x, x.sum(1)), act, everything).value(theta)
        >>> round(full, 6), round(sparse, 6)
        (1.628639, 1.628639)
    """
    x, y = check_problem(model, data, action, S, words=(None, "full"))
    if S == "full":
        moments = full_moments(model.kernel, action, x, y, model.centers)
    else:
        sample = GroupSample(action.group, action.group.identity()) if S is None else S
        moments = sample_moments(model.kernel, action, sample, x, y, model.centers)
    return MomentRisk(model, (x, y), action, S, moments)


@final
@dataclass(frozen=True, eq=False, repr=False)
class DirectRisk(KernelProblem):
    """Half the mean of (f(g.x_i) - y_i)^2 over all transformed samples: what a streaming step follows.

    Attributes:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: the sample

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.risk import DirectRisk
        >>> act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
        >>> parts = model, (x, x.sum(1)), act, sa.Oracle(act.group).draw(3)
        >>> direct, risk = DirectRisk(*parts), sa.augmented_risk(*parts)
        >>> round(direct.value(np.ones(4)), 6), round(risk.value(np.ones(4)), 6)
        (0.095533, 0.095533)
    """

    S: GroupSample

    @cached_property
    def features(self) -> Floats:
        """phi(g.x_i) for all g of S and all samples, (m n, R)."""
        moved = move(self.action, self.S.elements, self.x)
        return self.model.kernel._gram(moved.reshape(-1, *moved.shape[2:]), self.model.centers)

    def value(self, theta: Any) -> float:
        """The risk at theta."""
        residuals = self._residuals(check_vector("theta", theta, self.model.size))
        return float(0.5 * np.mean(residuals**2))

    def gradient(self, theta: Any) -> Floats:
        """Its gradient by theta."""
        return self._gradient(check_vector("theta", theta, self.model.size))

    def _gradient(self, theta: Floats) -> Floats:
        """The gradient at a float64 vector of the right length, which is not checked."""
        residuals = self._residuals(theta)
        return chain(theta, residuals @ self.features / len(residuals))

    def _residuals(self, theta: Floats) -> Floats:
        a, b = theta.reshape(2, -1)
        return np.asarray(self.features @ (a * b) - np.tile(self.y, self.S.m))


@final
@dataclass(frozen=True, eq=False, repr=False)
class StreamingRisk(KernelProblem):
    """A fresh batch S_t of the oracle at every step, counted; built by `streaming_risk`.

    Attributes:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        oracle: where the elements come from; it counts them
        batch: elements drawn at each step
        first: calls the oracle had made before
    """

    S: Literal["streaming"] = field(default="streaming", init=False)
    oracle: Oracle
    batch: int
    first: int

    def _on(self, S: GroupSample) -> DirectRisk:
        return DirectRisk(self.model, self.data, self.action, S)


def streaming_risk(
    model: KernelModel, data: tuple[Any, Any], action: Action, oracle: Oracle, *, batch: int = 1
) -> StreamingRisk:
    """eq:streaming-group-sgd: the risk over `batch` fresh elements of the oracle at every step.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        oracle: where the elements come from; it counts them
        batch: elements drawn at each step

    Returns:
        A risk for `descend`.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act, x = sa.flip_signs(sa.sign_flips(2)), np.eye(2)
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
        >>> risk = sa.risk.streaming_risk(model, (x, x.sum(1)), act, sa.Oracle(act.group), batch=3)
        >>> sa.descend(risk, np.ones(4), step_size=0.1, num_steps=10).calls
        30
    """
    x, y = check_problem(model, data, action, None)
    require_oracle(oracle, action.distribution)
    batch = check_integer("batch", batch, at_least=1)
    numbers = len(x) * max(x[0].size, len(model.centers))
    require_memory("batch", batch, numbers, "elements, with the copies of the data,")
    return StreamingRisk(model, (x, y), action, oracle, batch, oracle.calls)
