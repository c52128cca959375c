"""The induction transform by torch, on a device: whole levels of the climb at a time, no panels."""

# A mix is a gather of its rows, one product with its small matrix, and a scatter: every number is a
# sum of c + 1 products, as the rounding bound of `cosets` has it for any order of summation.

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, UnsupportedError, need, shorten
from sparseaug.spectral.young.induction import Transform

ENTRIES = 1 << 27
"""Numbers worked on at a time, one gigabyte."""

Tensor = Any


@dataclass(frozen=True, eq=False)
class Prepared:
    """A transform's mixes, each a matrix and the rows that it mixes, on the device."""

    dimension: int
    mixes: tuple[tuple[Tensor, Tensor], ...]
    source: Tensor
    scale: Tensor


@contextmanager
def enough_memory(device: str | None) -> Iterator[None]:
    """A device that is full is named in an error of ours."""
    try:
        yield
    except RuntimeError as error:
        if type(error).__name__ != "OutOfMemoryError":
            raise
        raise UnsupportedError(
            f"device={shorten(device)} has too little memory ({error}); leave it out to use the "
            "processor."
        ) from error


class TorchKernel:
    """Transforms on one device; see `clausen.Kernel`."""

    whole = True

    def __init__(self, device: str) -> None:
        self._torch = need("torch", f"device={shorten(device)}", extra="sparseaug[torch]")
        try:
            probe = self._torch.ones(1, dtype=self._torch.float64, device=device)
            float(probe)  # a device without numbers, such as meta, fails here
            self._device = probe.device
        except (RuntimeError, AssertionError, TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(
                f"device={shorten(device)} is not available; leave it out to use the processor."
            ) from error

    def place(self, values: NDArray[Any]) -> Tensor:
        """The array on the device."""
        return self._torch.as_tensor(values, device=self._device)

    def empty(self, shape: tuple[int, ...]) -> Tensor:
        """An array on the device, not filled."""
        return self._torch.empty(shape, dtype=self._torch.float64, device=self._device)

    def prepare(self, transform: Transform) -> Prepared:
        """The mixes on the device, sent there together."""
        mixes = transform.mixes
        rows = self._sent([mix.rows for mix in mixes], np.int64)
        matrices = self._sent([mix.matrix for mix in mixes], np.float64)
        return Prepared(
            transform.dimension,
            tuple(
                (matrix.reshape(mix.matrix.shape), some)
                for mix, matrix, some in zip(mixes, matrices, rows, strict=True)
            ),
            self.place(transform.source.astype(np.int64)),
            self.place(transform.scale[:, None]),
        )

    def induce(
        self, prepared: Prepared, values: Tensor, first: int, children: Any, result: Tensor
    ) -> None:
        """Write y into result (nodes, rows, columns).

        x_i of a node is rows `first`, ... of values[children[node, i - 1]], or 0 if that is negative.
        """
        nodes, rows, width = result.shape
        table = self.place(children)
        step = max(1, ENTRIES // (rows * width))
        for start in range(0, nodes, step):
            some = table[start : start + step]
            block = values[some.clamp(min=0), first : first + prepared.dimension]
            block.masked_fill_((some < 0)[:, :, None, None], 0.0)
            state = block.permute(1, 2, 0, 3).reshape(rows, -1)
            for matrix, at in prepared.mixes:
                mixed = matrix @ state[at].reshape(len(matrix), -1)
                state.index_copy_(0, at, mixed.reshape(len(at), -1))
            y = prepared.scale * state[prepared.source]
            result[start : start + step] = y.reshape(rows, -1, width).permute(1, 0, 2)

    def transpose_into(self, target: Tensor, matrix: Tensor) -> None:
        """Write matrix.T; whole levels have no need of it."""
        target.copy_(matrix.mT)

    def _sent(self, arrays: list[NDArray[Any]], dtype: type) -> tuple[Tensor, ...]:
        """Each array, flat, on the device: one transfer for all of them."""
        together = np.concatenate([np.empty(0, dtype), *(array.ravel() for array in arrays)])
        return self.place(together).split([array.size for array in arrays])
