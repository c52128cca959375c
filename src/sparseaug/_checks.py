"""Every check of an argument and every limit of size: asked at the public door, once.

What is inside trusts what it is given. A message says what was given, what is allowed and what to do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, NamedTuple, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sparseaug.errors import (
    ArgumentError,
    ElementError,
    GroupTooLargeError,
    need,
    shorten,
    size_text,
)


class Limit(NamedTuple):
    """How much of something is done at most, and why no more."""

    most: int
    unit: str
    reason: str


LIMITS: dict[str, Limit] = {
    # groups
    "array": Limit(1 << 27, "numbers", "one array of 1 GiB"),
    "row": Limit(1 << 24, "numbers", "the row of one element, 128 MiB"),
    "named row": Limit(1_000_000, "numbers", "a few characters would describe gigabytes"),
    "listing": Limit(10_000_000, "elements", "all elements of a group, one by one"),
    "subgroup": Limit(1 << 17, "elements", "listed by products in about a second"),
    "order": Limit(1 << 22, "bits", "half a second to compute; above, there is its logarithm"),
    "chain": Limit(1 << 26, "entries", "of transversals, kept with their inverses: 1 GiB"),
    "chain proof": Limit(1 << 33, "entries to read", "three nanoseconds each: half a minute"),
    "factors": Limit(10_000, "factors", "each operation goes over them, at microseconds each"),
    "generators": Limit(1 << 18, "generators", "a second to look at them"),
    "table": Limit(4096, "elements", "checking the table takes 0.9 GB and twenty seconds"),
    "matrix products": Limit(1 << 30, "entries", "of products that are looked up: a minute"),
    "affine shifts": Limit(1 << 26, "numbers", "shifts moved by every matrix: half a gigabyte"),
    "boxes": Limit(10_000, "boxes", "the dimension, a quotient of factorials: a tenth of a second"),
    "sample": Limit(
        1 << 30, "bytes", "rows of one sample; checking them takes three times as much"
    ),
    "involutions": Limit(50_000, "things", "a second for a number of 330,000 bits"),
    "irreps": Limit(20_000, "irreps", "looked at one by one"),
    "irreps of low degree": Limit(1 << 20, "irreps", "a minute or so"),
    "dimension of an irrep": Limit(5_000, "dimensions of one", "its matrix is formed and verified"),
    # degrees
    "characters": Limit(1 << 22, "characters", "a second or so for all of them"),
    "characters of frequencies": Limit(1 << 27, "numbers", "a gigabyte"),
    "classes times elements": Limit(1 << 24, "products of elements", "seconds"),
    "matrix entries of a pool": Limit(
        1 << 25, "matrix entries", "half a gigabyte of complex numbers"
    ),
    "pairs of elements": Limit(2000, "elements", "all pairs of them are looked at"),
    "rotations in quotients": Limit(1 << 13, "elements", "all quotients are looked at, a minute"),
    # actions
    "commuting": Limit(1 << 30, "moved entries", "pairs of generators compared: some ten seconds"),
    # kernels and orbits
    "permanent": Limit(20, "rows of a permanent", "2^20 subsets take 8 MB and 1e7 multiplications"),
    "energy distances": Limit(1 << 40, "distances", "about an hour"),
    "pilot numbers": Limit(1 << 30, "numbers to hold", "4 GB in single precision"),
    # sources
    "cell distances": Limit(1 << 28, "pairs of sites to compare", "about half a minute"),
    "cell images": Limit(1 << 22, "images", "where each operation takes each site is listed"),
    "cell sites": Limit(2048, "sites to compare", "two seconds, as spglib compares all pairs"),
    "graph colours": Limit(1 << 27, "colours to keep", "1 GiB"),
    "graph search": Limit(1 << 29, "colours to look at", "a minute"),
    "graph size": Limit(1 << 20, "nodes and edges", "they take seconds to read"),
    "molecule atoms": Limit(2048, "atoms to compare", "each candidate moves all atoms"),
    "molecule frames": Limit(1 << 14, "frames to try", "half a minute for the largest molecule"),
    "molecule operations": Limit(512, "operations to list", "an n-gon in its plane has 4n"),
    "relabelled atoms": Limit(1 << 14, "atoms to move", "a generator is a row of all of them"),
    # norms
    "images of points": Limit(1 << 29, "images", "tables of 2 GiB, twice: there and back"),
    "modulus": Limit(1 << 42, "steps around one axis", "products of phases would overflow"),
    "parities": Limit(1 << 38, "words of 64 parities", "a few minutes on two cores"),
    "characters of low weight": Limit(1 << 36, "characters", "some minutes"),
    "weight": Limit(8, "characters multiplied", "as many as the error of their product is for"),
    "tuple codes": Limit(1 << 25, "entries", "of the table that numbers tuples"),
    "points": Limit(
        10_000_000, "points", "as many as there are elements in a group that is listed"
    ),
    "entries of a sample": Limit(4096, "entries", "the matrix of an action is formed and verified"),
    "values of characters": Limit(1 << 43, "values of characters", "some minutes on two cores"),
}
"""One row per limit of size; `require_work` reads it."""

MOST_ENTRIES = 1 << 26
"""Entries of one sample at most, where its shape is given and not the sample."""

Kind = TypeVar("Kind")
Number = TypeVar("Number", int, float)
Progress: TypeAlias = Callable[[int, int], None]  # (done, total), called now and then


def require_work(limit: str, amount: float, what: str, *, remedy: str) -> None:
    """Raise a `GroupTooLargeError` where `what` is more than this row of `LIMITS` allows."""
    most, unit, _ = LIMITS[limit]
    if amount > most:
        number = shorten(amount) if isinstance(amount, int) else f"{amount:.3g}"
        raise GroupTooLargeError(f"{what} takes {number} {unit}, above {most}; {remedy}.")


def require_memory(name: str, count: int, width: int, what: str) -> None:
    """Raise an `ArgumentError` if `count` rows of `width` numbers take more than a sample may."""
    most, size = LIMITS["sample"].most, 8 * count * width
    if size > most:
        most, given = most // (8 * width), f"{name}={shorten(count)} is too many"
        raise ArgumentError(f"{given}: {what} take {size_text(size)}; give {most:,} at most.")


def check_type(name: str, value: Any, kind: type[Kind] | tuple[type, ...], what: str) -> Kind:
    """`value`, which is of this kind; else an error: "S=5 is not a mapping; give names and parts"."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{name}={shorten(value)} is not {what}.")
    return value  # type: ignore[return-value]


def check_flag(name: str, value: bool) -> bool:
    """True or False as it is: a list or an array is neither."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name}={shorten(value)} is neither True nor False; give one of them.")
    return bool(value)


def check_text(name: str, value: str) -> str:
    """Text as it is."""
    return check_type(name, value, str, "text; give a string")


def check_callable(name: str, value: object, form: str = "a function") -> None:
    """What can be called; `form` says how, as "loss(y, target)"."""
    if not callable(value):
        raise ArgumentError(f"{name}={shorten(value)} is not a function; give {form}.")


def check_choice(name: str, value: str, allowed: Sequence[str]) -> str:
    """One of the allowed words; the error lists them."""
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(f'"{word}"' for word in allowed)
        raise ArgumentError(f"{name}={shorten(value)} is unknown; give {words}.")
    return value


def check_list(name: str, value: object) -> list[Any]:
    """The entries of what is iterable; not of text, a set or a mapping."""
    try:
        if isinstance(value, str | bytes | dict | set | frozenset):
            raise TypeError
        return list(value)  # type: ignore[call-overload]
    except Exception as error:  # not iterable, or a foreign object
        raise ArgumentError(f"{name}={shorten(value)} is not a list; give one.") from error


def check_integer(
    name: str, value: SupportsIndex, *, at_least: int = 0, below: int | None = None
) -> int:
    """`value` as a Python int within range."""
    end = "" if below is None else f", below {below:,}"
    allowed = f"an integer of at least {at_least:,}{end}"
    number = _one_number(name, value, index, "an integer", allowed)
    if number < at_least or (below is not None and number >= below):
        raise ArgumentError(f"{name}={shorten(number)} is not allowed; give {allowed}.")
    return number


def check_real(
    name: str, value: float, *, above: float = -math.inf, below: float = math.inf
) -> float:
    """`value` as a float strictly between the limits."""
    allowed = f"a number with {above} < {name} < {below}"
    number = _one_number(name, value, float, "a number", allowed)  # no integer beyond the floats
    if not above < number < below:  # false for NaN too
        raise ArgumentError(f"{name}={number!r} is not allowed; give {allowed}.")
    return number


def check_not_negative(name: str, value: float, *, at_most: float = math.inf) -> float:
    """`value` as a finite float from 0 up to the limit."""
    number = check_real(name, value)
    if not 0 <= number <= at_most:
        allowed = "of at least 0" if math.isinf(at_most) else f"from 0 to {at_most:g}"
        raise ArgumentError(f"{name}={number!r} is not allowed; give a number {allowed}.")
    return number


def check_rng(rng: Any) -> np.random.Generator:
    """A NumPy generator as it is, or a new one for a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    try:
        return np.random.default_rng(check_integer("rng", rng))
    except ArgumentError as error:
        message = f"rng={shorten(rng)} is not allowed; give a seed or a NumPy generator."
        raise ArgumentError(message) from error


def check_array(
    name: str,
    value: ArrayLike,
    dtype: DTypeLike = np.int64,
    error: type[ArgumentError] = ArgumentError,
) -> NDArray[Any]:
    """`value` as an array of int64 or, with NaN and infinity, of float64."""
    whole = np.dtype(dtype) == np.int64
    parts = value if isinstance(value, list | tuple) else (value,)
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):  # NumPy would drop the mask
        raise error(f"{name} is a masked array; give the rows that are not masked.")
    try:
        array = np.asarray(value)
    except Exception as problem:  # ragged lists, foreign objects
        raise error(f"{name}={shorten(value)} is not an array of numbers.") from problem
    if not array.size:
        return np.empty(array.shape, dtype)
    if array.dtype.kind not in ("iu" if whole else "iuf") or (whole and array.dtype == np.uint64):
        allowed = "integers that fit 64 bits" if whole else "real numbers"
        raise error(f"{name} has dtype {array.dtype}; give {allowed}.")
    return array.astype(dtype, copy=False)


def check_rows(
    name: str, value: ArrayLike, width: int, dtype: DTypeLike = np.int64
) -> NDArray[Any]:
    """`value` as an array (k, width), one row per element."""
    rows = check_array(name, value, dtype, ElementError)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ElementError(f"{name} has shape {rows.shape}; give (k, {width}), a row each.")
    return rows


def check_weights(weights: ArrayLike, count: int) -> NDArray[np.float64] | None:
    """One finite real number per row, of positive sum; None where all are equal."""
    array = check_array("weights", weights, np.float64)
    largest = float(abs(array).max(initial=0.0))
    fits = array.shape == (count,) and 0 < largest < math.inf  # false for NaN too
    if not (fits and math.fsum(array / largest) > 0):
        raise ArgumentError(f"weights={shorten(weights)} are not {count} numbers of positive sum.")
    return None if (array == array[0]).all() else array


def check_shape(shape: Any) -> tuple[int, ...]:
    """The shape of one sample as positive integers."""
    sizes = tuple(check_integer("shape", n, at_least=1) for n in check_list("shape", shape))
    if not sizes or math.prod(sizes) > MOST_ENTRIES:
        raise ArgumentError(f"shape={shorten(sizes)} has no axes or over {MOST_ENTRIES:,} entries.")
    return sizes


def check_axes(name: str, axes: Any, count: int | None = None) -> tuple[int, ...]:
    """Axes of an array, one integer or different ones in a list, as a tuple; `count` says how many."""
    given = axes if isinstance(axes, list | tuple) and count != 1 else (axes,)
    checked = tuple(check_integer(name, axis, at_least=-64, below=64) for axis in given)
    if not checked or len(set(checked)) < len(checked) or count not in (None, len(checked)):
        wanted = "different axes" if count is None else "one axis" if count == 1 else "two axes"
        raise ArgumentError(f"{name}={shorten(axes)} is not allowed; give {wanted} of a sample.")
    return checked


def check_plot_axes(axes: Any, what: str) -> Any:
    """Matplotlib axes to draw on, new ones for None; `what` is said to need matplotlib."""
    if axes is None:
        pyplot = need("matplotlib.pyplot", what)
        return pyplot.subplots(layout="constrained")[1]
    if not all(hasattr(axes, name) for name in ("bar", "errorbar", "axhline", "set_xticks")):
        raise ArgumentError(f"axes={shorten(axes)} are not matplotlib axes; leave them out.")
    return axes


def silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


def check_progress(progress: Progress | None) -> Progress:
    """It, or `silent` for None."""
    if progress is None:
        return silent
    check_callable("progress", progress, "progress(done, total)")
    return progress


def _one_number(
    name: str, value: Any, make: Callable[[Any], Number], kind: str, allowed: str
) -> Number:
    """One real number made an int or a float, which by themselves take text and truth values too.

    Numbers of NumPy and torch have a dtype, such as uint8, float64 or torch.bfloat16.
    """
    try:
        if type(value) not in (int, float):
            dtype = str(getattr(value, "dtype", "int"))
            real = hasattr(value, "__index__") or hasattr(value, "__float__")
            one = real and getattr(value, "ndim", 0) == 0 and not isinstance(value, bool | type)
            if not one or not re.search("int|float", dtype):
                raise TypeError(f"{type(value).__name__} is not one real number")
        return make(value)
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(f"{name}={shorten(value)} is not {kind}; give {allowed}.") from error
