"""`orbit_spectrum`: the spectrum of a model, from its outputs at moved inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, check_callable, check_progress
from sparseaug._floats import MOST_SQUARED
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import (
    as_numpy,
    describe,
    dtype_kind,
    joined,
    leaves,
    map_leaves,
    namespace,
)
from sparseaug.actions.base import require_same_group
from sparseaug.actions.laws import differences
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Distribution, Rows
from sparseaug.sampling import Oracle
from sparseaug.spectrum.inputs import measured_on
from sparseaug.spectrum.measure import measure
from sparseaug.spectrum.models import (
    call_by_rows,
    check_chunk,
    choose_output,
    evaluating,
    other_shapes,
    require_inputs,
    try_moving,
    usual_chunk,
)
from sparseaug.spectrum.one_sided import OneSidedSpectrum, one_sided
from sparseaug.spectrum.pool import PoolSpectrum, is_pooled, pool_of
from sparseaug.spectrum.spectrum import Spectrum

AnySpectrum: TypeAlias = Spectrum | PoolSpectrum | OneSidedSpectrum

_HELD = 1 << 30  # bytes of outputs held at a time
_AT_ONCE = 1 << 24  # numbers of outputs of one call of f, where no chunk_size is given
_TWICE = 16  # samples on which f is called twice


def orbit_spectrum(
    f: Callable[..., Any],
    action: Action,
    x: Array,
    *,
    output_action: Action | None = None,
    oracle: Oracle | None = None,
    calls: int | None = None,
    by: str | None = None,
    chunk_size: int | None = None,
    progress: Progress | None = None,
) -> Any:  # AnySpectrum: one of three, by action and by
    """How the variance of f over the orbits of x is shared between degrees.

    With v(g) = f(g x), Var_G(v) is the sum of var_pi(v) over the irreps; those of one degree
    together are its share. Degrees are those of `profile`: coordinates at a time for permutations,
    signs and signed permutations, frequencies for shifts and dihedral groups, l for rotations, sets
    of factors for products; and points at a time for every other group that permutes points and can
    be listed. An average over S leaves little of the degrees on which S is good, so that the
    spectrum predicts the error of averaging: `spectrum.predict(S)`. Outputs that move with x (masks,
    forces) are moved back first, v(g) = g^-1 f(g x), as `OrbitAverage` does: if f is equivariant nothing
    is left to average.

    A group with up to `calls` elements is enumerated, and the spectrum is exact. Else `calls` elements
    are drawn, f is evaluated once at each of them for every sample, and all pairs of values are used.
    A distribution that is no group has no degrees. There f is evaluated on a pool of `calls` elements
    (Sobol points where there are parameters), and the result is a `PoolSpectrum`: `predict(16)` for
    draws, `predict(S)` for rows of the pool, and `design` and `choose` take S from it. by="pool" does
    this for any group.

    Where the outputs of one sample at all elements take more than a gigabyte, f is evaluated again for
    each gigabyte of them.

    Args:
        f: any callable (n, ...) -> (n, ...) in floating point: a torch module (put in eval mode
            meanwhile), `predict`, `predict_proba`; called as f(x), as f(*x) where x is a tuple and as
            f(**x) where it is a dict. Squares are summed over the outputs of a sample, and over all
            arrays of a tuple or dict of outputs; for one of them give lambda x: f(x)["forces"], say
        action: how x moves; `sparseaug.together` for several inputs
        x: samples (n, ...), a torch tensor or NumPy array, or a tuple or dict of them; a data frame of
            numbers, of which f gets frames; or a torch loader of x or (x, y, ...), of which the first
            256 samples are taken
        output_action: how outputs move with x; `sparseaug.together` for several
        oracle: draws the elements; by default one with a large seed of its own
        calls: elements to evaluate at. By default all of a group of up to 10,000, and of a larger one
            256 draws, or two for each degree (318 for shifts of 224 x 224); where that would be above
            1,024, all of it if it can be enumerated
        by: "degree" or "frequency", for abelian groups; by default frequency for shifts and degree
            for sign flips; "pool" to measure on a pool, without degrees; "places" for functions of an
            order, to see which places interact: a `OneSidedSpectrum` predicts the mean over S h instead
            of k S h, from 512 draws by default, and `design` takes it
        chunk_size: how many moved copies go through f at once; by default 1024, or n if more, or fewer
            where f has more than 16,384 outputs
        progress: called now and then with two numbers, how much is done and of how much

    Returns:
        The `Spectrum`: `shares`, `errors`, `variance`, `predict(S)`, `plot()`. It is an estimate for
        these samples; its error bars are for the draws.

    Raises:
        ArgumentError: f returns something that is not finite, not floating point, not of one shape, or
            not the same twice; output_action does not move it; or calls are too few to separate the
            degrees.
        LawError: a custom action is not one of its group.
        UnsupportedError: the group has no degrees. GroupTooLargeError: they are out of reach.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.permute_axis(sa.symmetric(6))
        >>> x = np.random.default_rng(0).normal(size=(8, 6))
        >>> spectrum = sa.orbit_spectrum(lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2]), act, x)
        >>> {degree: round(share, 3) + 0.0 for degree, share in spectrum.shares.items()}
        {1: 0.71, 2: 0.276, 3: 0.014, 4: 0.0, 5: 0.0}
        >>> smooth = lambda x: x - x.mean(axis=1, keepdims=True)      # its outputs move as x does
        >>> sa.orbit_spectrum(smooth, act, x, output_action=act).variance
        0.0
    """
    check_callable("f", f)
    f, x = measured_on(f, x)
    n = require_inputs(action, x)
    require_same_group(action, output_action, "output_action")
    watch = check_progress(progress)
    given = check_chunk(chunk_size)
    try_moving(action, x)  # before anything is drawn
    measurement: Any = (
        pool_of(action.distribution, oracle, calls, n)
        if is_pooled(action.distribution, by)
        else one_sided(action.group, oracle, calls, n)
        if isinstance(by, str) and by == "places"
        else measure(action.group, oracle=oracle, calls=calls, by=by)
    )

    def values(rows: Rows, x: Any) -> list[NDArray[Any]]:
        y = _outputs(f, joined(action(rows, x)))
        return _arrays(y if output_action is None else _moved_back(output_action, rows, y))

    with evaluating(f):
        few = map_leaves(lambda part: part[:_TWICE], x)
        if not action.distribution.is_group:  # it may change shapes
            few = joined(action(measurement.rows[:1], few))
        outputs = _outputs(f, few)
        first = _arrays(outputs)
        _require_same(first, _arrays(_outputs(f, few)))
        if output_action is not None:
            try:
                try_moving(output_action, outputs)
            except ArgumentError as error:
                message = f"output_action does not move what f returned: {error}"
                raise ArgumentError(message) from error
        eps = max(float(np.finfo(part.dtype).eps) for part in first)
        usual = min(usual_chunk(None, n), max(1, _AT_ONCE // max(1, _count(first))))
        chunk = usual if given is None else given
        blocks = _blocks(values, x, measurement.rows, first, chunk, watch)
        return measurement.spectrum(blocks, inputs=n, floor=(64 * eps) ** 2)


def varied_by(spectrum: Any) -> Distribution:
    """What a spectrum is of; an `ArgumentError` unless it is one in which something was seen to vary."""
    if not isinstance(spectrum, AnySpectrum):
        raise ArgumentError(f"spectrum={shorten(spectrum)} is not a spectrum; use orbit_spectrum.")
    pooled = isinstance(spectrum, PoolSpectrum)
    if not spectrum.variance if pooled else math.isinf(getattr(spectrum, "unseen", 0.0)):
        same = f"f is the same at all {spectrum.calls} elements it was evaluated at"
        raise ArgumentError(f"spectrum has no variance: {same}; use f as it is, or more calls.")
    return spectrum.distribution if isinstance(spectrum, PoolSpectrum) else spectrum.group


def _require_same(one: list[NDArray[Any]], two: list[NDArray[Any]]) -> None:
    """The outputs for a few samples, asked for twice."""
    same = [part.shape for part in one] == [part.shape for part in two]
    for first, again in zip(one, two, strict=True) if same else ():
        if np.isfinite(first).all():
            tolerance = 1e3 * float(np.finfo(first.dtype).eps)
            same = same and not differences(first, again, tolerance).any()
    if not same:
        raise ArgumentError("f gave two answers for the same x; turn off dropout, by model.eval().")


def _outputs(f: Callable[..., Any], x: Any) -> Any:
    """What f returns for these samples, in floating point."""
    y = call_by_rows("f", f, x, len(leaves(x)[0]))
    for part in leaves(y):
        if dtype_kind(part) not in "fc":
            given = f"f returned {part.dtype} for x of {describe(x)}, not floating point"
            raise ArgumentError(f"{given}; give values or predict_proba{choose_output(y)}.")
    return y


def _moved_back(action: Action, rows: Rows, y: Any) -> Any:
    """g_j^-1 y_ji for outputs (k n, ...), those of n samples moved by each of k elements g_j."""
    k = len(rows)
    y = map_leaves(
        lambda part: namespace(part).reshape(part, (k, len(part) // k, *part.shape[1:])), y
    )
    back = action.over(y)
    shapes = map_leaves(lambda part: tuple(part.shape[1:]), y)
    prepared = back.prepare(back.group.inverse(rows), shapes)
    return joined(back.apply(back.place(prepared, y), y))


def _arrays(y: Any) -> list[NDArray[Any]]:
    """The outputs as NumPy's arrays, in single precision at least."""
    arrays = map(as_numpy, leaves(y))
    return [part if part.dtype.itemsize >= 4 else part.astype(np.float32) for part in arrays]


def _count(arrays: list[NDArray[Any]]) -> int:
    """How many numbers belong to one sample."""
    return sum(math.prod(part.shape[1:]) for part in arrays)


def _blocks(
    values: Callable[[Rows, Any], list[NDArray[Any]]],
    x: Any,
    rows: Rows,
    first: list[NDArray[Any]],
    chunk: int,
    progress: Progress,
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Values (N, samples, outputs) of as many samples at a time as fit; of one, of as many outputs.

    Before them the number of the first sample.
    """
    n, N = len(leaves(x)[0]), len(rows)
    dtype, outputs = np.result_type(*first), _count(first)
    shapes = [part.shape[1:] for part in first]
    fit = max(1, _HELD // (N * dtype.itemsize))
    width = min(n, chunk, max(1, fit // max(1, outputs)))
    passes = max(1, math.ceil(outputs / fit))
    for start, turn in product(range(0, n, width), range(passes)):
        part = map_leaves(lambda array, at=start: array[at : at + width], x)
        count = min(width, n - start)
        step = max(1, chunk // count)
        kept = slice(turn * fit, (turn + 1) * fit)
        block = np.empty((N, count * len(range(outputs)[kept])), dtype)
        for at in range(0, N, step):
            some = rows[at : at + step]
            arrays = values(some, part)
            if [y.shape[1:] for y in arrays] != shapes:
                raise other_shapes("f", shapes, [y.shape[1:] for y in arrays])
            flat = [y.reshape(len(some), count, -1) for y in arrays]
            y = np.concatenate(flat, axis=2)[:, :, kept]
            block[at : at + step] = y.reshape(len(some), -1)
            _require_finite(block[at : at + step], some)
            done = (start * passes + count * turn) * N + count * min(N, at + step)
            progress(done, n * passes * N)
        yield start, block.reshape(N, count, -1)


def _require_finite(values: NDArray[Any], rows: Rows) -> None:
    limit = min(MOST_SQUARED, float(np.finfo(values.dtype).max))
    for j in np.flatnonzero(~(np.isfinite(values) & (np.abs(values) <= limit)).all(axis=1)):
        moved = f"for x moved by {shorten(rows[j].tolist())}"
        raise ArgumentError(f"f returned outputs not finite, or above {MOST_SQUARED:g}, {moved}.")
