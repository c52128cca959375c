"""Algorithm alg:sparse-aug and its siblings: theta <- project(theta - eta_t grad R(theta)).

The loop is the same for none, full, streaming and one-shot; what differs is the risk it follows. It
knows no backend: theta may be a NumPy array or a torch tensor, as long as the risk takes it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, final

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj, is_torch_array

from sparseaug._checks import (
    check_callable,
    check_choice,
    check_integer,
    check_not_negative,
    check_real,
)
from sparseaug.descent.checkpoint import Checkpoint, RunFile
from sparseaug.descent.identity import run_identity
from sparseaug.descent.state import FollowedRisk, State, Theta
from sparseaug.descent.trace import Trace, frozen
from sparseaug.errors import ArgumentError, shorten
from sparseaug.kernels.arrays import check_floats

_LOG = logging.getLogger("sparseaug.descent")


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

    Attributes:
        best: the iterate at which the risk followed had its smallest gradient norm
        best_step: its step
        best_gradient_norm: that norm
        last: the last iterate
        num_steps: steps taken
        calls: oracle calls, those behind the risk included
        clipped: entries that `project` changed, over all steps. With 0 the run is plain descent, as in
            the paper's theorems; otherwise they say nothing of it (docs/kernels.md has what holds)
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
    clipped: int
    trace: Trace
    risk: Any = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "risk": None}

    def __repr__(self) -> str:
        clipped = f"; {self.clipped} entries clipped" if self.clipped else ""
        return (
            f"Run({self.num_steps} steps, {shorten(self.calls)} oracle calls, smallest gradient norm "
            f"{self.best_gradient_norm:.4g} at step {self.best_step}{clipped})"
        )


def descend(
    risk: Risk,
    theta0: Theta,
    *,
    step_size: float | Callable[[int], float],
    num_steps: int,
    method: str | None = None,
    project: Callable[[Theta], Theta] | None = None,
    eval_every: int = 25,
    checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
) -> Run:
    """Follow the risk for `num_steps` steps.

    The best iterate has the smallest gradient norm of the risk *followed*, as alg:sparse-aug says,
    among theta_0, ..., theta_(T-1). A value that is not finite stops the run before the step.

    Args:
        risk: what to follow: `augmented_risk`, `streaming_risk`, `sparseaug.nn.ModuleRisk`, or any
            object with `calls` and `at_step(step)`
        theta0: where to start, a NumPy array or a torch tensor
        step_size: a number, or a function of the step
        num_steps: steps at most
        method: "none", "full", "streaming" or "one-shot": a risk for another one is refused
        project: applied to theta after every step, such as `Box(3.0)`; a function of yours sees every
            iterate here. `Run.clipped` counts the entries that it changed
        eval_every: steps between two rows of the trace; each is logged too, at level INFO of the logger
            "sparseaug.descent": `logging.basicConfig(level="INFO")` shows how far a long run is
        checkpoint: a file, or a `Checkpoint(path, every=)`: a run that finds one resumes from it, to
            the same bits. That of another run is refused with the names of what differs: S, inputs,
            targets, action, kernel, centers, theta0, step_size, project, the oracle's seed and all
            else that decides the iterates (`sparseaug.descent.checkpoint` says what is known of
            functions)

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
        >>> run.calls, run.best_step
        (0, 99)
        >>> round(risk.value(np.ones(8)), 3), round(risk.value(run.last), 3)
        (1.629, 0.306)
    """
    check_risk(risk, method)
    theta0 = check_theta(theta0)
    num_steps = check_integer("num_steps", num_steps, at_least=1, below=1 << 63)
    eval_every = check_integer("eval_every", eval_every, at_least=1)
    if project is not None:
        check_callable("project", project)
    rate = check_rates(step_size)
    state = State(theta0)
    followed: FollowedRisk | None = None
    file: RunFile | None = None
    if checkpoint is not None:
        kept = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
        identity = run_identity(risk, theta0, rate, num_steps, project, eval_every)
        file = RunFile(Path(kept.path), kept.every, num_steps, identity)
        if file.restore(state):
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
            state.record(norm, risk.calls)
            _LOG.info("step %d of %d, gradient norm %.4g", state.step, num_steps, norm)
        with np.errstate(over="ignore", invalid="ignore"):
            state.move(state.theta - rate(state.step) * gradient, project)
        state.step += 1
        if file is not None:
            file.save(state)
    if followed is not None and state.columns["step"][-1:] != [state.step]:
        state.record(state.norm(state.gradient(followed)), risk.calls)
    return Run(
        state.best,
        state.best_step,
        state.best_norm,
        state.theta,
        state.step,
        risk.calls,
        state.clipped,
        frozen(state.columns),
        risk,
    )


@final
@dataclass(frozen=True)
class Box:
    """The projection onto [-width, width]^p, for `descend(project=)`.

    Args:
        width: largest absolute value of an entry

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> sa.descent.Box(1.0)(np.array([0.5, 2.0]))
        array([0.5, 1. ])
    """

    width: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", check_real("width", self.width, above=0))

    def __call__(self, theta: Theta) -> Theta:
        """The nearest point of the box."""
        if isinstance(theta, np.ndarray) and theta.dtype.kind in "fiu":
            return theta.clip(-self.width, self.width)
        try:
            if isinstance(theta, np.ndarray):
                raise TypeError(theta.dtype)
            return array_namespace(theta).clip(theta, -self.width, self.width)
        except (TypeError, ValueError, RuntimeError) as error:  # no array, complex or sparse
            raise ArgumentError(f"theta={shorten(theta)} is not a dense real array.") from error


METHODS = ("none", "full", "streaming", "one-shot")


def check_risk(risk: Any, method: Any) -> None:
    """A risk that can be followed, by this method if one is named."""
    if not callable(getattr(risk, "at_step", None)) or not hasattr(risk, "calls"):
        raise ArgumentError(f"risk={shorten(risk)} is not a risk; see augmented_risk.")
    if method is not None and check_choice("method", method, METHODS) != getattr(
        risk, "method", method
    ):
        raise ArgumentError(f"method={method!r}, but the risk is for {risk.method!r}.")


def check_theta(theta0: Any) -> Any:
    """A copy of the start: finite real numbers, NumPy's unless another library's."""
    checked = check_floats("theta0", theta0)
    if not checked.ndim or not checked.size:
        raise ArgumentError(f"theta0 has shape {checked.shape}; give a vector of parameters.")
    dtype = str(getattr(theta0, "dtype", ""))
    if isinstance(theta0, np.ndarray) or not is_array_api_obj(theta0):
        return np.array(theta0 if dtype in ("float16", "float32") else checked)
    if "float" not in dtype:
        raise ArgumentError(f"theta0 has dtype {dtype}; give real floating-point numbers.")
    return theta0.clone() if is_torch_array(theta0) else theta0


def check_rates(step_size: float | Callable[[int], float]) -> Callable[[int], float]:
    """The rate of each step, checked when it is asked for."""
    if not callable(step_size):
        rate = check_real("step_size", step_size, above=0)
        return lambda step: rate

    def checked(step: int) -> float:
        return check_not_negative(f"step_size({step})", step_size(step))

    return checked
