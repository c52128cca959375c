"""`pilot`: the spectrum of the gradient of a risk over the group, at one theta.

v(g) is the gradient of the risk of the data moved by g, a vector. Its mean over S is the gradient of
R_n^S, over the group that of R_n^G; so what averaging v over S leaves is the discrepancy of the paper,
||grad R_n^S - grad R_n^G||, and the spectrum of v predicts it for every S. No RKHS, no C, no B.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, UnsupportedError, check_integer, shorten
from sparseaug.orbits.models import MOST_CALLS
from sparseaug.orbits.pilots.result import Pilot
from sparseaug.orbits.pilots.smoothness import largest_curvature
from sparseaug.orbits.spectrum.measure import measure, usual_calls
from sparseaug.sampling import Oracle
from sparseaug.sampling.oracle import require_oracle

LISTED = 1024
"""Order up to which a group is enumerated where no number of calls is given."""

CALLS = 64
"""Elements drawn from a larger group where no number is given."""

MOST_NUMBERS = 1 << 30
"""Entries of all gradients that are held, 4 GB in single precision."""

_BLOCK = 1 << 22  # entries of gradients that are transformed at a time


def pilot(
    risk: Any, theta: Any, oracle: Oracle, *, calls: int | None = None, order: str | None = None
) -> Pilot:
    """How the gradient of a risk varies over the group, from gradients at some of its elements.

    It is an estimate at one theta: for planning before a run; `certify` or `audit` prove what was
    reached at its end.

    Args:
        risk: a kernel risk (`augmented_risk`, `streaming_risk`) or a `ModuleRisk`, over any S: the pilot
            takes its data, model and action
        theta: the parameters: the start of a run, or better some steps into it
        oracle: draws the elements; not the one behind S
        calls: elements whose gradients are computed, five times: once for the spectrum and four times
            for the curvature. A group with no more elements is enumerated: no call is made and the
            spectrum is exact. By default groups of up to 1,024 elements are enumerated, and of others
            64 elements drawn, or two for each degree
        order: "degree" or "frequency", for abelian groups

    Returns:
        A `Pilot`: `.spectrum`, `.sigma`, `.predict(S)`, `.plan(eps)`, `.constants()`, `.save(path)`.

    Raises:
        ArgumentError: a gradient is not finite, or calls are too few to separate the degrees.
        UnsupportedError: the group has no degrees, or the module cannot be differentiated in batches.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> risk = sa.augmented_risk(model, (x, x.sum(1)), act, None)
        >>> found = sa.pilot(risk, np.ones(16), sa.Oracle(act.group, seed=7))
        >>> found.calls, found.predict(sa.design(act.group, degree=2)).rms < found.predict(12).rms / 10
        (0, True)
    """
    gradients = getattr(risk, "_element_gradients", None)
    if not callable(gradients):
        raise ArgumentError(
            f"risk={shorten(risk)} is not a risk that has gradients by element; give "
            "sparseaug.augmented_risk(...) or sparseaug.nn.ModuleRisk(...)."
        )
    group = risk.action.group
    require_oracle(oracle, group)
    theta = risk._checked_theta(theta)
    if calls is None:
        few = group.log_order <= math.log(LISTED) + 1e-9
        count = group.order if few else usual_calls(group, order, CALLS)
    else:
        count = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    size = len(theta)
    if count * size > MOST_NUMBERS:
        raise ArgumentError(
            f"calls={count} gradients of {size} parameters are {count * size} numbers, above "
            f"{MOST_NUMBERS}; lower calls."
        )
    measurement = measure(group, oracle=oracle, calls=count, order=order)
    values, vectors = _collected(gradients(theta, measurement.rows), len(measurement.rows))
    spectrum = measurement.spectrum(_columns(vectors))
    eps = float(np.finfo(vectors.dtype).eps)

    def gradient(move: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the mean over all elements: that of one may be flat where the others are steep."""
        moved = theta + (theta.new_tensor(move) if hasattr(theta, "new_tensor") else move)
        parts = gradients(moved, measurement.rows)
        return np.asarray(sum(v.sum(axis=0, dtype=np.float64) for _, v in parts) / len(vectors))

    norm = float(
        np.linalg.norm(np.asarray(theta.detach().cpu() if hasattr(theta, "detach") else theta))
    )
    base = vectors.mean(axis=0, dtype=np.float64)
    mean = float(np.linalg.norm(base) ** 2)
    short = 0.0 if measurement.exact else spectrum.variance / len(vectors)
    return Pilot(
        spectrum=spectrum,
        value=float(values.mean(dtype=np.float64)),
        gradient_norm=math.sqrt(max(0.0, mean - short)),
        L=largest_curvature(gradient, base, size=norm, eps=eps),
        samples=len(risk.data[1]),
        parameters=size,
    )


def _collected(
    parts: Iterator[tuple[NDArray[Any], NDArray[Any]]], count: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Values (N,) and gradients (N, P) from chunks of elements."""
    values, vectors, start = np.empty(count), None, 0
    try:
        for value, gradient in parts:
            if vectors is None:
                vectors = np.empty((count, gradient.shape[1]), gradient.dtype)
            values[start : start + len(value)] = value
            vectors[start : start + len(value)] = gradient
            start += len(value)
    except RuntimeError as error:
        if "vmap" not in str(error) and "functorch" not in str(error):
            raise
        raise UnsupportedError(
            f"risk has a module or loss that torch.func.vmap cannot take: {error}"
        ) from error
    if vectors is None or not (np.isfinite(vectors).all() and np.isfinite(values).all()):
        raise ArgumentError("theta has a gradient that is not finite for some transformation.")
    return values, vectors


def _columns(vectors: NDArray[Any]) -> Iterator[NDArray[Any]]:
    step = max(1, _BLOCK // len(vectors))
    return (vectors[:, i : i + step] for i in range(0, vectors.shape[1], step))
