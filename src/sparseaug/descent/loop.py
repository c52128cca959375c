"""Algorithm alg:sparse-aug and its siblings: theta <- project(theta - eta_t grad R(theta)).

The loop is the same for none, full, streaming and one-shot; what differs is the risk it follows. It
knows no backend: theta may be a NumPy array or a torch tensor, as long as the risk takes it.

The arguments of `descend`, checked once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, final

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj, is_torch_array

from sparseaug._checks import check_callable, check_integer, check_not_negative, check_real
from sparseaug.descent.checkpoint import Checkpoint, run_identity
from sparseaug.descent.state import FollowedRisk, State, Theta, Trace, quantities
from sparseaug.errors import ArgumentError, StorageError, shorten
from sparseaug.kernels.arrays import check_floats


class Risk(Protocol):
    """What the loop needs of a risk; a checkpoint needs `identity()` too, a dict of names and texts
    that says what the risk depends on.
    """

    @property
    def calls(self) -> int:
        """Oracle calls made so far."""

    def at_step(self, step: int) -> FollowedRisk:
        """The risk followed at this step; a streaming one draws here."""


@final
@dataclass(frozen=True, eq=False)
class Run:
    """Where descent went: the iterate with the smallest followed gradient norm, and the last one.

    Args:
        best: the iterate at which the risk followed had its smallest gradient norm
        best_step: its step
        best_gradient_norm: that norm
        last: the last iterate
        num_steps: steps taken
        calls: oracle calls, those behind the risk included
        trace: what was evaluated along the way
        risk: the risk that was followed, so that `certify(run)` needs nothing else; a copy that goes
            to another process or to a file leaves it behind, and has None
    """

    best: Theta
    best_step: int
    best_gradient_norm: float
    last: Theta
    num_steps: int
    calls: int
    trace: Trace
    risk: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("best", "last"):
            if not is_array_api_obj(getattr(self, name)):
                raise ArgumentError(f"{name}={shorten(getattr(self, name))} is not an array.")
        for name in ("best_step", "num_steps", "calls"):
            check_integer(name, getattr(self, name))
        check_not_negative("best_gradient_norm", self.best_gradient_norm)
        if not isinstance(self.trace, Trace):
            raise ArgumentError(f"trace={shorten(self.trace)} is not a Trace.")
        if self.risk is not None:
            check_risk(self.risk, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "risk": None}

    def __repr__(self) -> str:
        return (
            f"Run({self.num_steps} steps, {shorten(self.calls)} oracle calls, smallest gradient norm "
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

    The best iterate has the smallest gradient norm of the risk *followed*, as alg:sparse-aug says,
    among theta_0, ..., theta_(T-1). A value that is not finite stops the run before the step.

    Args:
        risk: what to follow: `augmented_risk`, `streaming_risk`, `sparseaug.nn.ModuleRisk`, or any
            object with `calls` and `at_step(step)`
        theta0: where to start, a NumPy array or a torch tensor
        step_size: a number, or a function of the step
        num_steps: steps at most
        method: "none", "full", "streaming" or "one-shot", if it should be checked against the
            risk's
        project: applied to theta after every step, such as `box(3.0)`
        evaluate: quantities of theta for the trace, at every `eval_every` steps and at the end
        eval_every: steps between two rows of the trace
        eps: gradient norm at which the run stops
        checkpoint: a file: a run that finds one resumes from it, to the same bits. That of another
            run is refused with the names of what differs: S, inputs, targets, action, kernel,
            centers, theta0, step_size, project, the oracle's seed and all else that decides the
            iterates (`sparseaug.descent.checkpoint` says what is known of functions)
        checkpoint_every: steps between two writes of that file
        progress: called after every step with the steps taken and `num_steps`

    Returns:
        The run: its best iterate, its trace, its calls and the risk, for `certify(run)`.

    Raises:
        NonFiniteError: a gradient or an iterate is not finite; it holds the best iterate so far
        FileFormatError: the checkpoint is damaged, or of another run

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 3))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> risk = sa.augmented_risk(model, (x, x.sum(1)), sa.permute_axis(sa.symmetric(3)), "full")
        >>> run = sa.descend(risk, np.ones(8), step_size=0.05, num_steps=100, method="full")
        >>> run.calls, run.best_step, risk.value(run.last) < risk.value(np.ones(8))
        (0, 99, True)
    """
    check_risk(risk, method)
    theta0 = check_theta(theta0)
    num_steps = check_integer("num_steps", num_steps, at_least=1, below=1 << 63)
    eval_every = check_integer("eval_every", eval_every, at_least=1)
    every = check_integer("checkpoint_every", checkpoint_every, at_least=1)
    eps = check_not_negative("eps", eps)
    for name, function in (("project", project), ("evaluate", evaluate), ("progress", progress)):
        if function is not None:
            check_callable(name, function)
    rate = check_rates(step_size)
    state = State(theta0)
    followed: FollowedRisk | None = None
    store: Checkpoint | None = None
    if checkpoint is not None:
        path = check_path(checkpoint)
        identity = run_identity(
            risk, theta0, rate, num_steps, project, eval_every=eval_every, eps=eps
        )
        store = Checkpoint(path, every, num_steps, identity)
        if store.restore(state, lambda theta: quantities(evaluate, theta)):
            resume = getattr(risk, "resume", lambda step: None)
            if state.step < num_steps:
                resume(state.step)
            else:  # nothing is left but the last evaluation, of the risk that was followed last
                resume(state.step - 1)
                followed = risk.at_step(state.step - 1)
    while state.step < num_steps:
        followed = risk.at_step(state.step)
        gradient = state.gradient(followed)
        norm = state.norm(gradient)
        if norm < state.best_norm:
            state.best, state.best_step, state.best_norm = state.theta, state.step, norm
        if state.step % eval_every == 0:
            state.record(norm, risk.calls, evaluate)
        if norm <= eps:
            break
        with np.errstate(over="ignore", invalid="ignore"):
            state.move(state.theta - rate(state.step) * gradient, project)
        state.step += 1
        if store is not None:
            store.save(state)
        if progress is not None:
            progress(state.step, num_steps)
    if followed is not None and state.last_recorded != state.step:
        state.record(state.norm(state.gradient(followed)), risk.calls, evaluate)
    return Run(
        state.best,
        state.best_step,
        state.best_norm,
        state.theta,
        state.step,
        risk.calls,
        state.recorder.trace(),
        risk,
    )


@final
@dataclass(frozen=True)
class Box:
    """The projection onto [-width, width]^p."""

    width: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", check_real("width", self.width, above=0))

    def __call__(self, theta: Theta) -> Theta:
        """The nearest point of the box."""
        if type(theta) is np.ndarray and theta.dtype.kind in "fiu":
            return theta.clip(-self.width, self.width)
        message = f"theta={shorten(theta)} cannot be clipped; give a dense array of real numbers."
        if not is_array_api_obj(theta) or getattr(theta.dtype, "kind", "") == "c":
            raise ArgumentError(message)
        try:
            return array_namespace(theta).clip(theta, -self.width, self.width)
        except (TypeError, ValueError, RuntimeError) as error:  # of texts, a sparse tensor
            raise ArgumentError(message) from error

    def identity(self) -> str:
        """What distinguishes it from other projections."""
        return f"box({self.width!r})"


def box(width: float) -> Box:
    """The projection onto [-width, width]^p.

    Args:
        width: largest absolute value of an entry

    Returns:
        A function of theta, for `descend(project=)`.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> sa.descent.box(1.0)(np.array([0.5, 2.0]))
        array([0.5, 1. ])
    """
    return Box(width)


METHODS = ("none", "full", "streaming", "one-shot")


def check_risk(risk: Any, method: Any) -> None:
    """Raise an `ArgumentError` unless it can be followed, by this method if one is named."""
    if not callable(getattr(risk, "at_step", None)) or not hasattr(risk, "calls"):
        raise ArgumentError(f"risk={shorten(risk)} is not a risk; see augmented_risk.")
    if method is None:
        return
    if not isinstance(method, str) or method not in METHODS:
        raise ArgumentError(f"method={shorten(method)} is not allowed; give one of {METHODS}.")
    if method != getattr(risk, "method", method):
        raise ArgumentError(f"method={method!r}, but the risk is for {risk.method!r}.")


def check_theta(theta0: Any) -> Any:
    """A copy of the start: finite real numbers, NumPy's unless another library's."""
    if is_array_api_obj(theta0) and not isinstance(theta0, np.ndarray | np.generic):
        xp = array_namespace(theta0)
        torch = is_torch_array(theta0)  # whose bfloat16 the standard does not know
        if not (theta0.is_floating_point() if torch else xp.isdtype(theta0.dtype, "real floating")):
            raise ArgumentError(
                f"theta0 has dtype {theta0.dtype}; give real floating-point numbers."
            )
        try:
            finite = bool(xp.all(xp.isfinite(theta0)))
        except RuntimeError as error:  # sparse, or without memory
            raise ArgumentError(
                f"theta0 is a {type(theta0).__name__} whose values cannot be read; give a dense one."
            ) from error
        if not finite:
            raise ArgumentError("theta0 holds a NaN or an infinity; start from finite numbers.")
        start = theta0.clone() if torch else theta0
    else:
        checked = check_floats("theta0", theta0)
        kept = isinstance(theta0, np.ndarray) and theta0.dtype in (np.float16, np.float32)
        start = np.array(theta0 if kept else checked)
    if not start.ndim or not math.prod(start.shape):
        raise ArgumentError(f"theta0 has shape {tuple(start.shape)}; give a vector of parameters.")
    return start


def check_rates(step_size: float | Callable[[int], float]) -> Callable[[int], float]:
    """The rate of each step, checked when it is asked for."""
    if not callable(step_size):
        rate = check_real("step_size", step_size, above=0)
        return lambda step: rate

    def checked(step: int) -> float:
        return check_not_negative(f"step_size({step})", step_size(step))

    return checked


def check_path(checkpoint: Any) -> Path:
    """A path in a folder that is there, or an error that names it."""
    text = os.fspath(checkpoint) if isinstance(checkpoint, str | os.PathLike) else None
    if not isinstance(text, str) or "\0" in text or not Path(text).name:
        raise ArgumentError(f"checkpoint={shorten(checkpoint)} is not a path to a file.")
    try:
        there = Path(text).parent.is_dir()
    except OSError as error:
        raise StorageError(f"checkpoint={shorten(checkpoint)} cannot be used: {error}.") from error
    if not there:
        raise ArgumentError(f"checkpoint={shorten(checkpoint)} is in a folder that does not exist.")
    return Path(text)
