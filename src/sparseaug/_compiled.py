"""Whether numba can be used: found out once, for all modules of this library that it compiles.

numba may be installed and not work: built for another NumPy, without a folder to keep what it compiled,
or told not to compile. Each of its users has another way to the same result, up to rounding (permanents
differ by some units in the last place, and their bounds cover both); so one warning gives the reason why
numba is not used, and the other way is taken from then on.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from sparseaug.errors import AcceleratorWarning, shorten_text

T = TypeVar("T")

_lock = threading.Lock()
_failure: str | None = None  # why numba cannot be used in this process


def usable() -> bool:
    """Whether numba is installed and has not failed so far."""
    return _failure is None and _installed()


def attempt(module: str, use: Callable[[Any], T]) -> T | None:
    """`use(module)` for a module that numba compiles, or None where numba is absent or fails.

    Args:
        module: the module that numba compiles
        use: what to do with it

    Examples:
        >>> from sparseaug._compiled import attempt
        >>> attempt("sparseaug.actions.gather_numba", lambda compiled: compiled.__name__)
        'sparseaug.actions.gather_numba'
    """
    if not usable():
        return None
    try:
        if importlib.import_module("numba").config.DISABLE_JIT:
            raise RuntimeError("NUMBA_DISABLE_JIT is set")
        return use(importlib.import_module(module))
    except MemoryError:
        raise
    except Exception as error:  # whatever a broken installation or a compiler raises
        _give_up(error)
        return None


def _installed() -> bool:
    try:
        return importlib.util.find_spec("numba") is not None
    except (ImportError, ValueError):  # kept out by an import hook, or by None in sys.modules
        return False


def _give_up(error: Exception) -> None:
    """Remember that numba fails, and say so the first time."""
    global _failure
    with _lock:
        first = _failure is None
        _failure = f"{type(error).__name__}: {error}"
    if first:
        reason = shorten_text(" ".join(_failure.split()), 200)
        warnings.warn(
            f"numba is installed but cannot be used ({reason}); results agree up to rounding, large "
            "problems take longer. Fix numba, set NUMBA_CACHE_DIR to a folder that can be written to, "
            "or remove it.",
            AcceleratorWarning,
            stacklevel=3,
        )
