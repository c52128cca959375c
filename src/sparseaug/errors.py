"""Typed errors. Every message says what was given, what is allowed and what to do."""

from __future__ import annotations

import math
from importlib import import_module
from operator import index
from types import ModuleType
from typing import SupportsIndex


class SparseAugError(Exception):
    """Whatever goes wrong in this library, and nothing else."""

    def __str__(self) -> str:
        return escape_controls(super().__str__())


class ArgumentError(SparseAugError, ValueError):
    """An argument is out of range or of the wrong kind; the message names it."""


class ConfigMismatchError(ArgumentError):
    """A folder holds the experiment of another config; the message names the fields."""


class ElementError(ArgumentError):
    """Rows that are not elements of the group they were given for."""


class GroupError(ArgumentError):
    """Data that does not describe a finite group, or a name that does not parse."""


class GroupTooLargeError(SparseAugError):
    """The group has more elements than the operation can go through."""


class UnsupportedError(SparseAugError, NotImplementedError):
    """This group or action has no such operation; the message says which do."""


class MissingPackageError(UnsupportedError, ImportError):
    """An optional package is not installed; the message says how to get it."""


class OracleBudgetError(SparseAugError):
    """Drawing would exceed the oracle's budget; nothing was drawn."""


class FileFormatError(SparseAugError):
    """A file that is damaged, of another schema, or not ours."""


class StorageError(SparseAugError, OSError):
    """The disk did not take or give a file; what was there before is untouched."""


class LawError(SparseAugError, AssertionError):
    """A group, action or oracle breaks a law that `sparseaug.testing` checks."""


def check_integer(
    name: str, value: SupportsIndex, *, at_least: int = 0, below: int | None = None
) -> int:
    """Return `value` as a Python int within range, or raise an `ArgumentError` that names it.

    >>> check_integer("m", 64, at_least=1)
    64
    >>> check_integer("m", 0, at_least=1)
    Traceback (most recent call last):
    sparseaug.errors.ArgumentError: m=0 is not allowed; give an integer of at least 1.
    """
    allowed = f"an integer of at least {at_least}" + ("" if below is None else f", below {below}")
    try:
        if _is_no_number(value):
            raise TypeError
        number = index(value)  # an array has __index__ too, and refuses
    except TypeError as error:
        message = f"{name}={shorten(value)} is not an integer; give {allowed}."
        raise ArgumentError(message) from error
    if number < at_least or (below is not None and number >= below):
        raise ArgumentError(f"{name}={shorten(number)} is not allowed; give {allowed}.")
    return number


def check_real(
    name: str, value: float, *, above: float = -math.inf, below: float = math.inf
) -> float:
    """Return `value` as a float strictly between the limits, or raise an `ArgumentError`.

    >>> check_real("delta", 0.05, above=0, below=1)
    0.05
    """
    allowed = f"a number with {above} < {name} < {below}"
    try:
        if _is_no_number(value):
            raise TypeError
        number = float(value)  # refuses arrays, and integers beyond the range of a float
    except (TypeError, ValueError, OverflowError) as error:
        message = f"{name}={shorten(value)} is not a number; give {allowed}."
        raise ArgumentError(message) from error
    if not above < number < below:  # false for NaN too
        raise ArgumentError(f"{name}={number!r} is not allowed; give {allowed}.")
    return number


def need(package: str, purpose: str, *, extra: str) -> ModuleType:
    """The optional package, or a `MissingPackageError` with what to install, as extra="numpy"."""
    try:
        return import_module(package)
    except ImportError as error:
        message = f"{purpose} needs {package}, which is not installed; pip install '{extra}'."
        raise MissingPackageError(message) from error


def escape_controls(text: str) -> str:
    r"""`text` without what a terminal obeys: a name or a header of a file may hold such characters.

    >>> print(escape_controls("S\x1b[31m"))
    S\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def shorten(value: object, limit: int = 60) -> str:
    """`repr(value)`, cut so that an error stays one line (and an int of 10^5 digits prints)."""
    if isinstance(value, int) and value.bit_length() > 400:
        return f"<integer of {value.bit_length()} bits>"
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # somewhere inside stands an integer of more than 4300 digits
        text = f"<{type(value).__name__}>"
    return shorten_text(text, limit)


def shorten_text(text: str, limit: int = 60) -> str:
    """`text`, cut to `limit` characters."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _is_no_number(value: object) -> bool:
    """Text and truth values, Python's and NumPy's, which int() and float() would take."""
    return type(value).__name__ in ("bool", "bool_", "str", "str_", "bytes")
