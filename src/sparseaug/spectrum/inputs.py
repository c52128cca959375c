"""What a model may be measured on besides arrays: a data frame, or a loader of batches."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from sparseaug.actions.arrays import is_tensor, leaves, map_leaves
from sparseaug.errors import ArgumentError, SparseAugWarning, shorten

FROM_LOADER = 256
"""Samples that are taken of a loader: more of them hardly change a spectrum."""


def measured_on(f: Callable[..., Any], x: Any) -> tuple[Callable[..., Any], Any]:
    """The function, and arrays to ask it at: of a frame its numbers, of a loader its first samples.

    What was fitted to frames is still asked about frames of the same columns.
    """
    if hasattr(x, "iloc") and x.ndim == 2:
        numbers = x.to_numpy()
        if numbers.dtype.kind not in "biuf":
            raise ArgumentError(f"x has columns of dtype {numbers.dtype}; give columns of numbers.")

        def of_frames(rows: Any) -> Any:
            y = f(type(x)(rows, columns=x.columns))
            return y.to_numpy() if hasattr(y, "iloc") else y

        return of_frames, numbers
    if hasattr(x, "dataset") and hasattr(x, "batch_size"):
        return f, _first_of(x, f)
    return f, x


def warn_of_one_class(labels: Any, name: str) -> None:
    """Warn where a model is measured at samples of one class: how it varies at others is not seen."""
    found = np.asarray(labels)
    labels_alike = found.ndim == 1 and found.dtype.kind not in "fc" and len(np.unique(found)) == 1
    if labels_alike and len(found) > 1:
        warnings.warn(
            f"{name} holds {len(found)} samples of one class, {found[0]}: how the model varies at those "
            "of others is not measured; shuffle the samples.",
            SparseAugWarning,
            stacklevel=4,
        )


def _first_of(loader: Any, f: Any) -> Any:
    """The first samples of a loader whose batches are x or (x, y, ...), where a torch module is."""
    xs: list[Any] = []
    ys: list[Any] = []
    for batch in loader:
        x, *rest = batch if isinstance(batch, tuple | list) else [batch]
        x = tuple(x) if isinstance(x, list) else x  # several arrays, as torch collates them
        if not all(map(is_tensor, leaves(x))):
            raise ArgumentError(f"x gave {shorten(x)}; give a loader of tensors x or (x, y, ...).")
        xs.append(x)
        ys += rest[:1]
        if sum(len(leaves(x)[0]) for x in xs) >= FROM_LOADER:
            break
    if not xs:
        raise ArgumentError("x has no batches; give a loader of at least one sample.")
    torch = sys.modules["torch"]
    if ys and all(map(is_tensor, ys)):
        warn_of_one_class(torch.cat(ys).cpu(), "x")
    device = next((p.device for p in f.parameters()), None) if hasattr(f, "parameters") else None
    return map_leaves(lambda *some: torch.cat(some)[:FROM_LOADER].to(device), *xs)
