"""Many runs of descent at once, in NumPy: theta has the shape (..., 2 R), and each run its own moments.

`sparseaug.descend` takes one run; a study takes thousands of runs of three centres, whose steps cost
less than the loop around them. The update is the same, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import numpy as np

from sparseaug.kernels.arrays import Floats

BOX = 1.5
"""Bound on the entries of theta, onto which iterates are projected, as in the paper."""

_ASKED = 100  # steps between two looks at whether descent has ended
_COMPILED = "studies.rates.walks_numba"


def product(theta: Floats) -> Floats:
    """c = a b."""
    a, b = np.split(theta, 2, axis=-1)
    return a * b


def chain(theta: Floats, g: Floats) -> Floats:
    """(b g, a g), the gradient by theta from the one by c."""
    a, b = np.split(theta, 2, axis=-1)
    return np.concatenate([b * g, a * g], axis=-1)


def norms(gradient: Floats) -> Floats:
    """Euclidean norms over the last axis."""
    return np.sqrt((gradient * gradient).sum(axis=-1))


def spread(theta: Floats, A: Floats, v: Floats) -> float:
    """The root of the mean squared distance of the gradients at theta from their mean."""
    gradients = chain(theta, A @ product(theta) - v)
    return float(np.sqrt(((gradients - gradients.mean(axis=0)) ** 2).sum(axis=-1).mean()))


def gradients(A: Floats, v: Floats, theta: Floats) -> Floats:
    """The gradient of each run at its theta."""
    return chain(theta, (A @ product(theta)[..., None])[..., 0] - v)


def descend_all(
    A: Floats,
    v: Floats,
    theta: Floats,
    step: float,
    done: Callable[[Floats], bool],
    *,
    most: int,
) -> Floats:
    """Where gradient descent of each run, A (runs, R, R) and v (runs, R), is once `done(theta)`.

    That is asked every hundred steps, and there are at most `most` of them.
    """
    at = np.tile(theta, (1, len(v), 1))
    block = np.broadcast_to(A, (_ASKED, *A.shape)), np.broadcast_to(v, (_ASKED, *v.shape))
    for _ in range(0, most, _ASKED):
        _advance(*block, (A[0], v[0]), at, np.array([step]))
        if done(at[0]):
            break
    return at[0]


def stream(
    draws: Callable[[], tuple[Floats, Floats]],
    full: tuple[Floats, Floats],
    theta: Floats,
    steps: Floats,
) -> Iterator[Floats]:
    """Streaming descent, block by block: the norms of the full gradient before each step of a block.

    Args:
        draws: the next block of moments, (block, runs, R, R) and (block, runs, R)
        full: the moments over the group
        theta: where all runs start
        steps: step sizes; every one of them is used on the same draws

    Yields:
        An array (block, step sizes, runs).
    """
    at: Floats | None = None
    while True:
        A, v = draws()
        if at is None:
            at = np.tile(theta, (len(steps), v.shape[1], 1))
        yield _advance(A, v, full, at, steps)


def _advance(
    A: Floats, v: Floats, full: tuple[Floats, Floats], at: Floats, steps: Floats
) -> Floats:
    """Take `at` through a block; the full gradient's norms before each step, compiled if possible."""
    seen = np.empty((len(v), len(steps), v.shape[1]))
    given = (A, v, *full, at, steps, BOX, seen)
    try:
        walk = import_module(_COMPILED).walk
    except ImportError:  # without numba
        walk = _walk
    walk(*given)
    return np.sqrt(seen)


def _walk(
    A: Floats,
    v: Floats,
    A_full: Floats,
    v_full: Floats,
    at: Floats,
    steps: Floats,
    box: float,
    seen: Floats,
) -> None:
    """Move `at` through a block of draws; the squared norms of the full gradient go to `seen`."""
    for i in range(len(v)):
        a, b = np.split(at, 2, axis=-1)
        c = a * b
        g = c @ A_full - v_full
        seen[i] = (g * g * (a * a + b * b)).sum(axis=-1)
        noisy = (A[i] @ c[..., None])[..., 0] - v[i]
        moved = at - steps[:, None, None] * np.concatenate([b * noisy, a * noisy], axis=-1)
        np.clip(moved, -box, box, out=at)
