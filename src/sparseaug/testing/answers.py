"""What every check here shares: a law that fails is a `LawError`, whatever the object at hand does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sparseaug.errors import LawError, SparseAugError, check_integer, shorten
from sparseaug.groups import Group, Rows


def require(condition: bool, law: str) -> None:
    """Raise a `LawError` unless the law holds."""
    if not condition:
        raise LawError(f"a law does not hold: {law}.")


@contextmanager
def answers(what: str) -> Iterator[None]:
    """An exception inside, other than the library's own, is a broken law: `what` must answer."""
    try:
        yield
    except (SparseAugError, MemoryError):
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {shorten(str(error))}"
        raise LawError(f"a law does not hold: {what} works (it raised {told}).") from error


def check_seed(seed: Any) -> int:
    """An integer that NumPy takes as a seed."""
    return check_integer("seed", seed, below=1 << 128)


def near(group: Group, left: Rows, right: Rows, products: int) -> bool:
    """Whether the elements are the same, up to the rounding of so many products."""
    if group.row_dtype == np.int64:
        return equal(left, right)
    if left.shape[-1:] != (group.width,) or right.shape[-1:] != (group.width,):
        return False
    left, right = (rows.reshape(-1, group.width) for rows in np.broadcast_arrays(left, right))
    return bool((group.distance(left, right) <= products * group.rounding).all())


def equal(left: Rows, right: Rows) -> bool:
    """Whether the rows are the same; a single row on the right stands for all."""
    left, right = np.asarray(left), np.asarray(right)
    if right.ndim and len(right) == 1 and left.shape[-1:] == right.shape[-1:]:
        right = np.broadcast_to(right, left.shape)
    return np.array_equal(left, right)
