"""What a computation will take, said before it starts: nothing runs for minutes unannounced.

Estimates are rough: for one core of 2020 or later, mostly too high, and by a factor of ten at times.
"""

from __future__ import annotations

import warnings

from sparseaug.errors import GroupTooLargeError, SparseAugWarning, cost_text

ANNOUNCED_SECONDS = 30.0
"""Above this a `LongRunWarning` gives the estimate."""

LONGEST_SECONDS = 3600.0
"""Above this a computation is refused."""

ANNOUNCED_BYTES = 1 << 31
"""Memory above which the warning gives the estimate."""


class LongRunWarning(SparseAugWarning):
    """The computation that starts now takes minutes or gigabytes; the message says how many."""


def announce(what: str, *, seconds: float, memory: float = 0.0, instead: str = "") -> None:
    """Warn of a long computation, or raise a `GroupTooLargeError` if it is too long.

    Examples:
        >>> announce("a norm on S5", seconds=0.1)
        >>> announce("a norm on S9xS8xS4", seconds=1e5, instead="use action=.")
        Traceback (most recent call last):
        sparseaug.errors.GroupTooLargeError: a norm on S9xS8xS4 would take about 1.2 days; at most 1 hour
        is tried: use action=.
    """
    takes = cost_text(seconds, memory)
    if seconds > LONGEST_SECONDS:
        raise GroupTooLargeError(f"{what} would take {takes}; at most 1 hour is tried: {instead}")
    if seconds > ANNOUNCED_SECONDS or memory > ANNOUNCED_BYTES:
        warnings.warn(f"{what} takes {takes}.", LongRunWarning, stacklevel=2)
