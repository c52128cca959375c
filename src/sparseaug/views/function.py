"""What functions may be: any callable of a batch, a torch module, none; named NumPy arrays out."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._io import is_name
from sparseaug.actions import Action
from sparseaug.actions.arrays import (
    as_numpy,
    call,
    describe,
    dtype_kind,
    is_tensor,
    leaves,
    library,
    map_leaves,
    require_dense,
    require_samples,
)
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.spectrum.models import evaluating
from sparseaug.views.samples import compact

Named = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Function:
    """g, x -> f(g x) in batches of a fixed size, so that every run makes the same calls.

    Args:
        action: how elements move samples
        function: of a batch of moved samples; None for the moved samples themselves
        batch: samples per call
    """

    action: Action
    function: Callable[..., Any] | None
    batch: int

    def __call__(self, row: Rows, x: Any) -> Named:
        """The values by name for one element (width,); x is where `put` places it."""
        parts: list[dict[str, Any]] = []
        with nullcontext() if self._device is None else evaluating(self.function):
            for start in range(0, require_samples(x, "source"), self.batch):
                some = map_leaves(lambda array, k=start: array[k : k + self.batch], x)
                moved = map_leaves(lambda array: array[0], self.action(row[None], some))
                value = moved if self.function is None else call(self.function, moved)
                named = _named(value, len(leaves(some)[0]))
                if self.function is not None:  # which may use its memory again
                    named = {name: compact(part) for name, part in named.items()}
                parts.append(named)
        return _joined(parts)

    def put(self, x: Any) -> Any:
        """Samples where the function takes them: for a torch module, on its device."""
        device = self._device
        if device is None:
            return x
        torch = sys.modules["torch"]
        return map_leaves(
            lambda array: torch.as_tensor(
                array if is_tensor(array) else np.array(array), device=device
            ),
            x,
        )

    @property
    def _device(self) -> Any:
        """Where a torch module computes; None for everything else."""
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(self.function, torch.nn.Module):
            return None
        tensors = itertools.chain(self.function.parameters(), self.function.buffers())
        return next((tensor.device for tensor in tensors), torch.device("cpu"))


def _joined(parts: list[dict[str, Any]]) -> Named:
    if any(part.keys() != parts[0].keys() for part in parts):
        raise ArgumentError("function returned other names for another batch; return the same.")
    return {name: np.concatenate([as_numpy(part[name]) for part in parts]) for name in parts[0]}


def _named(value: Any, count: int) -> dict[str, Any]:
    if isinstance(value, Mapping):
        named = dict(value)
    elif isinstance(value, tuple | list):
        named = {str(k): part for k, part in enumerate(value)}
    else:
        named = {"values": value}
    good = named and all(is_name(name) and library(part) for name, part in named.items())
    if not good or len({name.casefold() for name in named}) < len(named):
        raise ArgumentError(
            f"function returned {shorten(value)}; return an array, or a tuple or dict of arrays whose "
            "names are letters, digits, '.', '_' and '-', and differ not only in case."
        )
    for name, part in named.items():
        require_dense("the output of function", part)
        shaped = part.ndim and len(part) == count and 0 not in part.shape
        long = getattr(part.dtype, "char", "") in ("g", "G")  # other bytes on other machines
        if not shaped or long or dtype_kind(part) not in "biufc":
            given = f"function returned {describe(part)} as {name!r}"
            raise ArgumentError(f"{given}; return a row of numbers for each of {count} samples.")
    return named
