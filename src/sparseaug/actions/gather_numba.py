"""The copies of a batch read in one pass, compiled by numba; imported where numba can be used."""

from __future__ import annotations

from typing import Any

from numba import njit

from sparseaug.actions.arrays import Array, namespace
from sparseaug.actions.prepared import Indices


def gather(x: Array, source: Array, which: Indices, index: Array) -> Array:
    """Entry q of datum t is entry index[which[t], q] of x[source[t]], for a contiguous tensor x."""
    torch = namespace(x)
    moved = torch.empty(len(source), *x.shape[1:], dtype=x.dtype)
    # whatever the entries are, moving them is moving so many bytes
    bytes_ = (torch.uint8, torch.int16, torch.int32, torch.int64)
    kind = bytes_[x.dtype.itemsize.bit_length() - 1]
    flat, out = x.detach().view(-1).view(kind), moved.view(-1).view(kind)
    # unsigned, as numba then knows that no index counts from the end
    unsigned = index.numpy().view(f"u{index.dtype.itemsize}")
    _gather(flat.numpy(), source.numpy(), which, unsigned, out.numpy())
    return moved


@njit(cache=True, nogil=True)
def _gather(flat: Any, source: Any, which: Any, index: Any, out: Any) -> None:
    size = index.shape[1]
    for t in range(len(source)):
        sample = flat[source[t] * size : (source[t] + 1) * size]
        place = out[t * size : (t + 1) * size]
        row = index[which[t]]
        for q in range(size):
            place[q] = sample[row[q]]
