"""`MomentRisk.gradient` next to its three plain lines, and `descend` next to the loop around them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

import sparseaug as sa
from benchmarks.side_by_side import compare

Floats = NDArray[np.float64]
REPEAT = 200


def plain_gradient(A: Floats, v: Floats, theta: Floats) -> Floats:
    """A c - v by the chain rule: what a user would write."""
    a, b = theta[: len(v)], theta[len(v) :]
    g = A @ (a * b) - v
    return np.concatenate([b * g, a * g])


def plain_descent(A: Floats, v: Floats, theta: Floats, num_steps: int) -> Floats:
    """The loop with its best iterate, no checks and no trace."""
    best, smallest = theta, np.inf
    for _ in range(num_steps):
        gradient = plain_gradient(A, v, theta)
        norm = float(np.linalg.norm(gradient))
        if norm < smallest:
            best, smallest = theta, norm
        theta = np.clip(theta - 0.05 * gradient, -3.0, 3.0)
    return best


def main() -> None:
    for R in (5, 20, 80, 160, 320):
        rng = np.random.default_rng(0)
        x, z = np.sort(rng.uniform(-1, 1, (128, 6))), rng.uniform(-1, 1, (R, 6))
        model, action = sa.KernelModel(sa.GaussianKernel(1.25), z), sa.permute_axis(sa.symmetric(6))
        risk = sa.augmented_risk(model, (x, x.sum(axis=1)), action, sa.Oracle(action.group).draw(4))
        theta = rng.normal(0, 0.5, 2 * R)
        plain = partial(plain_gradient, risk.moments.A, risk.moments.v)
        _require_same(plain(theta), risk.gradient(theta))
        paper = " (the paper's)" if R == 160 else ""
        compare(
            f"Gradient with {R} centres{paper}, {REPEAT} times",
            {
                "three plain lines": partial(_repeat, plain, theta),
                "MomentRisk.gradient": partial(_repeat, risk.gradient, theta),
            },
            rounds=300,
        )
    steps = partial(sa.descend, step_size=0.05, num_steps=500, project=sa.descent.Box(3.0))
    plain_run = partial(plain_descent, risk.moments.A, risk.moments.v, theta, 500)
    _require_same(plain_run(), steps(risk, theta).best)
    compare(
        f"500 steps with {R} centres",
        {"plain loop": plain_run, "descend": partial(steps, risk, theta)},
    )


def _require_same(one: Floats, other: Floats) -> None:
    if not np.array_equal(one, other):
        raise SystemExit("the two ways do not give the same bits")


def _repeat(function: Callable[[Floats], Floats], theta: Floats) -> None:
    for _ in range(REPEAT):
        function(theta)


if __name__ == "__main__":
    main()
