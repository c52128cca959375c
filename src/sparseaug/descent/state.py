"""What changes along the way: theta, the best iterate, the trace; and what stops a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from array_api_compat import array_namespace

from sparseaug.descent.trace import COLUMNS
from sparseaug.errors import ArgumentError, SparseAugError, shorten

Theta = Any


class NonFiniteError(SparseAugError, ArithmeticError):
    """A risk or gradient that is not finite: the run stopped at `step`; `best` is its best iterate."""

    step: int = 0
    best: Theta = None


class FollowedRisk(Protocol):
    """What the loop needs of a risk at one step.

    One that has `_gradient` too, the same without checks of theta, is asked for that after the
    first step, at float64 vectors of NumPy.
    """

    def gradient(self, theta: Theta) -> Theta:
        """Its gradient, or an `ArgumentError` where theta does not fit."""


class State:
    """Where a run is."""

    def __init__(self, theta0: Theta) -> None:
        self.theta = theta0
        self.step = 0
        self.best = theta0
        self.best_step = 0
        self.best_norm = math.inf
        self.clipped = 0
        self.columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}

    def stopped(self, what: str) -> NonFiniteError:
        """The error for something that is not finite, with the best iterate so far."""
        error = NonFiniteError(f"{what} at step {self.step}; lower step_size.")
        error.step, error.best = self.step, self.best
        return error

    def gradient(self, followed: FollowedRisk) -> Theta:
        """The gradient at this iterate, of its shape."""
        plain = type(self.theta) is np.ndarray and self.theta.dtype == np.float64
        ask = getattr(followed, "_gradient", None) if plain and self.step else None
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is told apart
                gradient = (ask or followed.gradient)(self.theta)
        except ArgumentError as error:
            if self.step:
                raise
            raise ArgumentError(f"theta0 does not fit the risk: {error}") from error
        if getattr(gradient, "shape", None) != self.theta.shape:
            shape = tuple(self.theta.shape)
            raise ArgumentError(f"risk has the gradient {shorten(gradient)}; give shape {shape}.")
        return gradient

    def norm(self, gradient: Theta) -> float:
        """The length of a gradient at this step, which must be finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            norm = float(array_namespace(gradient).linalg.vector_norm(gradient))
        if not math.isfinite(norm):
            raise self.stopped("the gradient is not finite")
        return norm

    def move(self, theta: Theta, project: Callable[[Theta], Theta] | None) -> None:
        """Take the step to theta, projected, and count the entries that the projection changed."""
        xp = array_namespace(theta)
        free = theta if project is None else xp.asarray(theta, copy=True)  # it may write to theta
        moved = theta if project is None else project(theta)
        if getattr(moved, "shape", None) != self.theta.shape:
            shape = tuple(self.theta.shape)
            raise ArgumentError(f"project returned {shorten(moved)}; return shape {shape}.")
        if not bool(array_namespace(moved).all(array_namespace(moved).isfinite(moved))):
            raise self.stopped("the step leads to a theta that is not finite")
        if project is not None:
            self.clipped += int(xp.count_nonzero(moved != free))
        self.theta = moved

    def record(self, norm: float, calls: int) -> None:
        """Add a row to the trace."""
        for name, value in zip(COLUMNS, (self.step, norm, calls), strict=True):
            self.columns[name].append(value)
