"""Algorithm alg:sparse-aug and its siblings: theta <- project(theta - eta_t grad R(theta)).

The loop is the same for none, full, streaming and one-shot; what differs is the risk it follows. It
knows no backend: theta may be a NumPy array or a torch tensor, as long as the risk takes it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, final

from array_api_compat import array_namespace

from sparseaug.descent.checkpoint import Checkpoint
from sparseaug.descent.trace import Recorder, Trace
from sparseaug.errors import ArgumentError, SparseAugError, check_integer, check_real

Theta = Any
_OWN = ("step", "gradient_norm", "calls")  # columns of every trace


class NonFiniteError(SparseAugError, ArithmeticError):
    """A risk or gradient that is not finite: the run stopped at `step`; `best` is its best iterate."""

    step: int = 0
    best: Theta = None


class FollowedRisk(Protocol):
    """What the loop needs of a risk at one step."""

    def value(self, theta: Theta) -> float:
        """The risk."""

    def gradient(self, theta: Theta) -> Theta:
        """Its gradient."""


class Risk(Protocol):
    """What the loop needs of a risk."""

    @property
    def calls(self) -> int:
        """Oracle calls made so far."""

    def at_step(self, step: int) -> FollowedRisk:
        """The risk followed at this step; a streaming one draws here."""


@final
@dataclass(frozen=True, eq=False)
class Run:
    """Where descent went: the iterate with the smallest followed gradient norm, and the last one."""

    best: Theta
    best_step: int
    best_gradient_norm: float
    last: Theta
    num_steps: int
    calls: int
    trace: Trace

    def __repr__(self) -> str:
        return (
            f"Run({self.num_steps} steps, {self.calls} oracle calls, smallest gradient norm "
            f"{self.best_gradient_norm:.4g} at step {self.best_step})"
        )


def descend(
    risk: Risk,
    theta0: Theta,
    *,
    step_size: float | Callable[[int], float],
    num_steps: int,
    method: str | None = None,
    project: Callable[[Theta], Theta] | None = None,
    evaluate: Callable[[Theta], dict[str, float]] | None = None,
    eval_every: int = 25,
    eps: float = 0.0,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 100,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Follow the risk for `num_steps` steps, or until its gradient norm is at most `eps`.

    step_size   a number, or a function of the step
    method      "none", "full", "streaming" or "one-shot", if it should be checked against the risk's
    project     applied to theta after every step, for instance `box(3.0)`
    evaluate    quantities of theta for the trace, at every `eval_every` steps and at the end
    checkpoint  a file: a run that finds one goes on from it, to the same bits

    The best iterate has the smallest gradient norm of the risk *followed*, as alg:sparse-aug says,
    among theta_0, ..., theta_(T-1). A value that is not finite stops the run before the step.

    >>> import numpy as np, sparseaug as sa
    >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 3))
    >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
    >>> risk = sa.augmented_risk(model, (x, x.sum(1)), sa.permute_axis(sa.symmetric(3)), "full")
    >>> run = sa.descend(risk, np.ones(8), step_size=0.05, num_steps=100, method="full")
    >>> run.calls, run.best_step, risk.value(run.last) < risk.value(np.ones(8))
    (6, 99, True)
    """
    num_steps = check_integer("num_steps", num_steps, at_least=1)
    eval_every = check_integer("eval_every", eval_every, at_least=1)
    rate = _step_size(step_size)
    if method is not None and method != getattr(risk, "method", method):
        raise ArgumentError(f"method={method!r}, but the risk is for {risk.method!r}.")  # type: ignore[attr-defined]
    state = _State(theta0)
    followed: FollowedRisk | None = None
    store = Checkpoint.open(
        checkpoint,
        checkpoint_every,
        theta0,
        num_steps=num_steps,
        eval_every=eval_every,
        eps=eps,
        method=getattr(risk, "method", ""),
        rates=[rate(0), rate(num_steps - 1)],
    )
    if store is not None and store.restore(state):
        resume = getattr(risk, "resume", lambda step: None)
        if state.step < num_steps:
            resume(state.step)
        else:  # nothing is left but the last evaluation, of the risk that was followed last
            resume(state.step - 1)
            followed = risk.at_step(state.step - 1)
    while state.step < num_steps:
        followed = risk.at_step(state.step)
        gradient = followed.gradient(state.theta)
        norm = state.norm(gradient)
        if norm < state.best_norm:
            state.best, state.best_step, state.best_norm = state.theta, state.step, norm
        if state.step % eval_every == 0:
            state.record(norm, risk.calls, evaluate)
        if norm <= eps:
            break
        theta = state.theta - rate(state.step) * gradient
        state.theta = theta if project is None else project(theta)
        state.step += 1
        if store is not None:
            store.save(state)
        if progress:
            progress(state.step, num_steps)
    if followed is not None and state.last_recorded != state.step:
        state.record(state.norm(followed.gradient(state.theta)), risk.calls, evaluate)
    return Run(
        state.best,
        state.best_step,
        state.best_norm,
        state.theta,
        state.step,
        risk.calls,
        state.recorder.trace(),
    )


def box(width: float) -> Callable[[Theta], Theta]:
    """The projection onto [-width, width]^p."""
    width = check_real("width", width, above=0)

    def project(theta: Theta) -> Theta:
        return array_namespace(theta).clip(theta, -width, width)

    return project


class _State:
    """What changes along the way."""

    def __init__(self, theta0: Theta) -> None:
        self.theta = theta0
        self.step = 0
        self.best = theta0
        self.best_step = 0
        self.best_norm = math.inf
        self.recorder = Recorder()

    @property
    def last_recorded(self) -> int:
        steps = self.recorder.columns.get("step", [-1])
        return int(steps[-1])

    def stopped(self, what: str) -> NonFiniteError:
        """The error for something that is not finite, with the best iterate so far."""
        error = NonFiniteError(f"{what} at step {self.step}; lower step_size.")
        error.step, error.best = self.step, self.best
        return error

    def norm(self, gradient: Theta) -> float:
        """The length of a gradient at this step, which must be finite."""
        norm = float(array_namespace(gradient).linalg.vector_norm(gradient))
        if not math.isfinite(norm):
            raise self.stopped("the gradient is not finite")
        return norm

    def record(
        self, norm: float, calls: int, evaluate: Callable[[Theta], dict[str, float]] | None
    ) -> None:
        row = {"step": self.step, "gradient_norm": norm, "calls": calls}
        for name, value in (evaluate(self.theta) if evaluate else {}).items():
            if name in _OWN:
                raise ArgumentError(f"evaluate returned {name!r}, which the trace has of its own.")
            if not math.isfinite(value):
                raise self.stopped(f"{name} is {value}")
            row[name] = value
        self.recorder.add(row)


def _step_size(step_size: float | Callable[[int], float]) -> Callable[[int], float]:
    if callable(step_size):
        return step_size
    rate = check_real("step_size", step_size, above=0)
    return lambda step: rate
