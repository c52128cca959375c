"""`orbit_spectrum`: the spectrum of a model, from its outputs at moved inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, check_callable, check_progress
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import as_numpy, describe, dtype_kind, joined, leaves, map_leaves
from sparseaug.actions.base import differences, require_law
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import LARGEST
from sparseaug.orbits.measure import measure
from sparseaug.orbits.models import (
    call_by_rows,
    check_chunk,
    evaluating,
    require_inputs,
    usual_chunk,
)
from sparseaug.sampling import Oracle
from sparseaug.spectral.spectrum import Spectrum

_HELD = 1 << 30  # bytes of outputs held at a time
_AT_ONCE = 1 << 24  # numbers of outputs of one call of f, where no chunk_size is given
_TWICE = 16  # samples on which f is called twice


def orbit_spectrum(
    f: Callable[..., Any],
    action: Action,
    x: Array,
    *,
    oracle: Oracle | None = None,
    calls: int | None = None,
    by: str | None = None,
    chunk_size: int | None = None,
    progress: Progress | None = None,
) -> Spectrum:
    """How the variance of f over the orbits of x is shared between degrees.

    With v(g) = f(g x), Var_G(v) is the sum of var_pi(v) over the irreps; those of one degree
    together are its share. Degrees are those of `profile`: coordinates at a time for permutations,
    signs and signed permutations, frequencies for shifts and dihedral groups, l for rotations, sets
    of factors for products; and points at a time for every other group that permutes points and can
    be listed. An average over S leaves little of the degrees on which S is good, so that the
    spectrum predicts the error of averaging: `spectrum.predict(S)`.

    A group with up to `calls` elements is enumerated, and the spectrum is exact. Else `calls` elements
    are drawn, f is evaluated once at each of them for every sample, and all pairs of values are used.
    Where the outputs of one sample at all elements take more than a gigabyte, f is evaluated again for
    each gigabyte of them.

    Args:
        f: any callable (n, ...) -> (n, ...) in floating point: a torch module (put in eval mode
            meanwhile), `predict`, `predict_proba`; called as f(x), as f(*x) where x is a tuple and as
            f(**x) where it is a dict. Squares are summed over the outputs of a sample.
        action: how x moves; `sparseaug.together` for several inputs
        x: samples (n, ...), a torch tensor or NumPy array; or a tuple or dict of them
        oracle: draws the elements; by default one whose draws no small seed gives
        calls: elements to evaluate at. By default all of a group of up to 10,000, and of a larger one
            256 draws, or two for each degree (318 for shifts of 224 x 224); where that would be above
            1,024, all of it if it can be enumerated
        by: "degree" or "frequency", for abelian groups; by default frequency for shifts and degree
            for sign flips
        chunk_size: how many moved copies go through f at once; by default 1024, or n if more, or fewer
            where f has more than 16,384 outputs
        progress: called now and then with two numbers, how much is done and of how much

    Returns:
        The `Spectrum`: `shares`, `errors`, `variance`, `predict(S)`, `plot()`. It is an estimate for
        these samples; its error bars are for the draws.

    Raises:
        ArgumentError: f returns something that is not finite, not floating point, not of one shape, or
            not the same twice; or calls are too few to separate the degrees.
        LawError: a custom action is not one of its group.
        UnsupportedError: the group has no degrees. GroupTooLargeError: they are out of reach.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(6))
        >>> x = np.random.default_rng(0).normal(size=(8, 6))
        >>> spectrum = sa.orbit_spectrum(lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2]), act, x)
        >>> {degree: round(share, 3) + 0.0 for degree, share in spectrum.shares.items()}
        {1: 0.71, 2: 0.276, 3: 0.014, 4: 0.0, 5: 0.0}
    """
    check_callable("f", f)
    n = require_inputs(action, x)
    watch = check_progress(progress)
    given = check_chunk(chunk_size)
    # what does not move is refused before anything is drawn
    action(action.group.identity(), map_leaves(lambda part: part[:1], x))
    if action.kind == "custom" or not action.lawful:
        require_law(action, map_leaves(lambda part: part[:2], x), pairs=2)
    measurement = measure(action.group, oracle=oracle, calls=calls, by=by)
    with evaluating(f):
        first = _twice(f, map_leaves(lambda part: part[:_TWICE], x), min(n, _TWICE))
        eps = float(np.finfo(first.dtype).eps)
        outputs = max(1, math.prod(first.shape[1:]))
        usual = min(usual_chunk(None, n), max(1, _AT_ONCE // outputs))
        chunk = usual if given is None else given
        blocks = _blocks(f, action, x, measurement.rows, first, chunk, watch)
        return measurement.spectrum(blocks, inputs=n, floor=(64 * eps) ** 2)


def _twice(f: Callable[..., Any], x: Any, n: int) -> NDArray[Any]:
    """The outputs for a few samples, asked for twice."""
    one, two = _outputs(f, x, n), _outputs(f, x, n)
    same = one.shape == two.shape
    if same and np.isfinite(one).all():
        same = not differences(one, two, 1e3 * float(np.finfo(one.dtype).eps)).any()
    if not same:
        raise ArgumentError(
            "f returned two different answers for the same x; turn off what is random in it, such as "
            "dropout (model.eval())."
        )
    return one


def _outputs(f: Callable[..., Any], x: Any, n: int) -> NDArray[Any]:
    y = call_by_rows("f", f, x, n)
    if dtype_kind(y) not in "fc":
        raise ArgumentError(
            f"f returned {y.dtype} for x of {describe(x)}, not floating point; give values or "
            "predict_proba, not labels."
        )
    values = as_numpy(y)
    return values if values.dtype.itemsize >= 4 else values.astype(np.float32)


def _blocks(
    f: Callable[..., Any],
    action: Action,
    x: Any,
    rows: Rows,
    first: NDArray[Any],
    chunk: int,
    progress: Progress,
) -> Iterator[NDArray[Any]]:
    """Values (N, samples x outputs) of as many samples at a time as fit; of one, of as many outputs."""
    n, N = len(leaves(x)[0]), len(rows)
    outputs = math.prod(first.shape[1:])
    fit = max(1, _HELD // (N * first.itemsize))
    width = min(n, chunk, max(1, fit // max(1, outputs)))
    passes = max(1, math.ceil(outputs / fit))
    for start, turn in product(range(0, n, width), range(passes)):
        part = map_leaves(lambda array, at=start: array[at : at + width], x)
        count = min(width, n - start)
        step = max(1, chunk // count)
        kept = slice(turn * fit, (turn + 1) * fit)
        values = np.empty((N, count * len(range(outputs)[kept])), first.dtype)
        for at in range(0, N, step):
            some = rows[at : at + step]
            y = _outputs(f, joined(action(some, part)), len(some) * count)
            if y.shape[1:] != first.shape[1:]:
                raise ArgumentError(
                    f"f returned {first.shape[1:]} a sample at first and {y.shape[1:]} for moved "
                    "samples; return one shape."
                )
            y = y.reshape(len(some), count, outputs)[:, :, kept]
            values[at : at + step] = y.reshape(len(some), -1)
            _require_finite(values[at : at + step], some)
            done = (start * passes + count * turn) * N + count * min(N, at + step)
            progress(done, n * passes * N)
        yield values


def _require_finite(values: NDArray[Any], rows: Rows) -> None:
    limit = min(LARGEST, float(np.finfo(values.dtype).max))
    for j in np.flatnonzero(~(np.isfinite(values) & (np.abs(values) <= limit)).all(axis=1)):
        raise ArgumentError(
            f"f returned outputs that are not finite, or above {LARGEST:g}, for x moved by "
            f"{shorten(rows[j].tolist())}; there is no spectrum."
        )
