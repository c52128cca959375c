"""Every check of an argument and every limit of size: asked at the public door, once.

What is inside trusts what it is given. A message says what was given, what is allowed and what to do.
"""

from __future__ import annotations

import math
import re
from operator import index
from typing import Any, NamedTuple, SupportsIndex

from sparseaug.errors import ArgumentError, GroupTooLargeError, shorten


class Limit(NamedTuple):
    """How much of something is done at most, and why no more."""

    most: int
    unit: str
    reason: str


LIMITS: dict[str, Limit] = {
    "cell distances": Limit(1 << 28, "pairs of sites to compare", "about half a minute"),
    "cell images": Limit(1 << 22, "images", "where each operation takes each site is listed"),
    "cell sites": Limit(2048, "sites to compare", "two seconds, as spglib compares all pairs"),
    "energy distances": Limit(1 << 40, "distances", "about an hour"),
    "graph colours": Limit(1 << 27, "colours to keep", "1 GiB"),
    "graph search": Limit(1 << 29, "colours to look at", "a minute"),
    "graph size": Limit(1 << 20, "nodes and edges", "they take seconds to read"),
    "molecule atoms": Limit(2048, "atoms to compare", "each candidate moves all atoms"),
    "molecule frames": Limit(1 << 14, "frames to try", "half a minute for the largest molecule"),
    "molecule operations": Limit(512, "operations to list", "an n-gon in its plane has 4n"),
    "orbit entries": Limit(1 << 26, "entries to recognise orbits", "all moved samples are held"),
    "pilot numbers": Limit(1 << 30, "numbers to hold", "4 GB in single precision"),
    "relabelled atoms": Limit(1 << 14, "atoms to move", "a generator is a row of all of them"),
    "uniformity draws": Limit(1 << 30, "bytes", "as many as one sample takes at most"),
}
"""One row per limit of size; `require_work` reads it."""


def require_work(limit: str, amount: float, what: str, *, remedy: str) -> None:
    """Raise a `GroupTooLargeError` where `what` is more than a limit allows.

    Args:
        limit: its name in `LIMITS`
        amount: how much it would be, in the limit's unit
        what: the subject of the message, such as "the profile of S_12"
        remedy: what to do instead, such as "give degree="
    """
    most, unit, _ = LIMITS[limit]
    if amount > most:
        number = shorten(amount) if isinstance(amount, int) else f"{amount:.3g}"
        raise GroupTooLargeError(f"{what} takes {number} {unit}, above {most}; {remedy}.")


def check_integer(
    name: str, value: SupportsIndex, *, at_least: int = 0, below: int | None = None
) -> int:
    """Return `value` as a Python int within range, or raise an `ArgumentError` that names it.

    Examples:
        >>> check_integer("m", 64, at_least=1)
        64
        >>> check_integer("m", 0, at_least=1)
        Traceback (most recent call last):
        sparseaug.errors.ArgumentError: m=0 is not allowed; give an integer of at least 1.
    """
    allowed = f"an integer of at least {at_least}" + ("" if below is None else f", below {below}")
    try:
        _require_one_number(value)
        number = index(value)
    except Exception as error:  # whatever a foreign object raises
        message = f"{name}={shorten(value)} is not an integer; give {allowed}."
        raise ArgumentError(message) from error
    if number < at_least or (below is not None and number >= below):
        raise ArgumentError(f"{name}={shorten(number)} is not allowed; give {allowed}.")
    return number


def check_real(
    name: str, value: float, *, above: float = -math.inf, below: float = math.inf
) -> float:
    """Return `value` as a float strictly between the limits, or raise an `ArgumentError`.

    Examples:
        >>> check_real("delta", 0.05, above=0, below=1)
        0.05
    """
    allowed = f"a number with {above} < {name} < {below}"
    try:
        _require_one_number(value)
        number = float(value)  # refuses integers beyond the range of a float
    except Exception as error:  # whatever a foreign object raises
        message = f"{name}={shorten(value)} is not a number; give {allowed}."
        raise ArgumentError(message) from error
    if not above < number < below:  # false for NaN too
        raise ArgumentError(f"{name}={number!r} is not allowed; give {allowed}.")
    return number


def check_not_negative(name: str, value: float, *, at_most: float = math.inf) -> float:
    """Return `value` as a finite float from 0 up to the limit, or raise an `ArgumentError`.

    Examples:
        >>> check_not_negative("gap", 0)
        0.0
    """
    number = check_real(name, value)
    if not 0 <= number <= at_most:
        allowed = "of at least 0" if math.isinf(at_most) else f"from 0 to {at_most:g}"
        raise ArgumentError(f"{name}={number!r} is not allowed; give a number {allowed}.")
    return number


def check_text(name: str, value: str) -> str:
    """Return `value` if it is text, or raise an `ArgumentError`."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name}={shorten(value)} is not text; give a string.")
    return value


def check_list(name: str, value: object) -> list[Any]:
    """Return the entries of `value`; text, a set or a mapping raises an `ArgumentError`."""
    try:
        if isinstance(value, str | bytes | dict | set | frozenset):
            raise TypeError
        return list(value)  # type: ignore[call-overload]
    except Exception as error:  # not iterable, or a foreign object
        raise ArgumentError(
            f"{name}={shorten(value)} is not a list; give one entry each."
        ) from error


def check_callable(name: str, value: object) -> None:
    """Raise an `ArgumentError` unless `value` can be called."""
    if not callable(value):
        raise ArgumentError(f"{name}={shorten(value)} cannot be called; give a function.")


def _require_one_number(value: object) -> None:
    """Raise unless it is one real number; int() and float() take text, truth values and arrays too.

    Numbers of NumPy and torch have a dtype, such as uint8, float64 or torch.bfloat16.
    """
    if type(value) in (int, float):
        return
    dtype = str(getattr(value, "dtype", "int"))
    real = hasattr(value, "__index__") or hasattr(value, "__float__")
    one = real and getattr(value, "ndim", 0) == 0 and not isinstance(value, bool | type)
    if not one or not re.search("int|float", dtype):
        raise TypeError(f"{type(value).__name__} is not one real number")
