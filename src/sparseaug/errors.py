"""Typed errors. Every message says what was given, what is allowed and what to do."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

__all__ = [
    "ArgumentError",
    "ConfigMismatchError",
    "ElementError",
    "FileFormatError",
    "GroupError",
    "GroupTooLargeError",
    "LargeSampleWarning",
    "LawError",
    "MissingPackageError",
    "NotAGroupError",
    "OracleBudgetError",
    "SoundnessError",
    "SparseAugError",
    "SparseAugWarning",
    "StorageError",
    "SymmetryWarning",
    "UnsupportedError",
]


class SparseAugError(Exception):
    """Base class of every error of this library."""

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
    """The group has more elements than the operation can enumerate."""


class UnsupportedError(SparseAugError, NotImplementedError):
    """This group or action has no such operation; the message says which do."""


class NotAGroupError(UnsupportedError, AttributeError):
    """What was asked needs products, inverses or degrees, and a mere distribution has none."""


class MissingPackageError(UnsupportedError, ImportError):
    """An optional package is not installed; the message says how to get it."""


class OracleBudgetError(SparseAugError):
    """Drawing would exceed the oracle's budget; nothing was drawn."""


class FileFormatError(SparseAugError):
    """A file that is damaged, has another schema, or was not written by this library."""


class StorageError(SparseAugError, OSError):
    """A file could not be written or read; what was there before is untouched."""


class SoundnessError(SparseAugError, ArithmeticError):
    """A bound that is called certain is below an exact value: a bug in this library, to be reported."""


class LawError(SparseAugError, AssertionError):
    """A group, action or oracle breaks a law that `sparseaug.testing` checks."""


class SparseAugWarning(UserWarning):
    """Base class of every warning of this library."""


class LargeSampleWarning(SparseAugWarning):
    """More elements are drawn than the group has; all of it would be fewer, and exact."""


class SymmetryWarning(SparseAugWarning):
    """Data that may have more symmetry than was found; the message gives the numbers."""


def need(package: str, purpose: str, *, install: str = "") -> ModuleType:
    """The optional package, or a `MissingPackageError` with what to install, if not its own name."""
    try:
        return import_module(package)
    except Exception as error:  # not there, or built for another version of something
        top = package.split(".")[0]
        missing = f"{purpose} needs {top}, which cannot be imported ({shorten_text(str(error))})"
        raise MissingPackageError(f"{missing}; pip install {install or top}.") from error


def escape_controls(text: str) -> str:
    r"""`text` without what a terminal obeys: a name or a header of a file may hold such characters.

    Examples:
        >>> from sparseaug.errors import escape_controls
        >>> print(escape_controls("S\x1b[31m"))
        S\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def cost_text(seconds: float, memory: float = 0.0) -> str:
    """What something takes, for people; `memory` in bytes is left out where it is not known.

    Examples:
        >>> from sparseaug.errors import cost_text
        >>> cost_text(60, 3.1e7), cost_text(9000, 2.1e9), cost_text(1e9)
        ('about 1 minute and 31 MB of memory', 'about 2.5 hours and 2.1 GB of memory', 'about 32 years')
    """
    units = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "year": 31_557_600}
    number, unit = _in_units(max(seconds, 1), units)
    time = f"about {number} {unit}" + "s" * (number != "1")
    return f"{time} and {size_text(memory)} of memory" if memory > 0 else time


def size_text(count: float) -> str:
    """A number of bytes for people, in two digits.

    Examples:
        >>> from sparseaug.errors import size_text
        >>> size_text(16), size_text(3.1e7), size_text(1 << 31)
        ('16 bytes', '31 MB', '2.1 GB')
    """
    units = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
    return " ".join(_in_units(min(count, 1e300), units))


def _in_units(value: float, units: Mapping[str, float]) -> tuple[str, str]:
    """The value to two digits in the largest unit of which it is at least one."""
    rounded = float(f"{value:.2g}")
    unit = [unit for unit, size in units.items() if rounded >= size or size == 1][-1]
    return f"{float(f'{rounded / units[unit]:.2g}'):g}", unit


def shorten(value: object, limit: int = 60) -> str:
    """`repr(value)`, cut so that an error stays one line (whatever the value is, and however large)."""
    try:
        text = " ".join(_SHORT.repr(value).split())
    except Exception:  # a repr that fails, or lists nested too deep
        text = f"<{type(value).__name__}>"
    return shorten_text("".join(c if c.isprintable() else "?" for c in text), limit)


def shorten_text(text: str, limit: int = 60) -> str:
    """`text`, cut to `limit` characters."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


class _Short(reprlib.Repr):
    """The repr of what stands first: 20 entries of 3 characters fill the line."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 20
        self.maxarray = self.maxdeque = 20
        self.maxstring = self.maxother = 1000

    def repr_int(self, x: int, level: int) -> str:
        """Above 4300 digits Python refuses to print."""
        return repr(x) if x.bit_length() <= 400 else f"<integer of {x.bit_length()} bits>"


_SHORT = _Short()
