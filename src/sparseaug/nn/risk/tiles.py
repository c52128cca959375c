"""Which copies are computed at once: ranks get runs of copies, runs are cut into rectangles.

Copy j n + i is sample i moved by element j. A rectangle, some elements times some samples, is moved
and averaged in one go; the rectangles, and so the order of all sums, follow from n, m, the chunk size
and the number of ranks alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class Tile:
    """Elements first, then samples, as half-open ranges of positions."""

    elements: slice
    samples: slice

    def __len__(self) -> int:
        rows = self.elements.stop - self.elements.start
        return rows * (self.samples.stop - self.samples.start)


def share(total: int, rank: int, num_ranks: int) -> tuple[int, int]:
    """The run of copies of one rank: lengths differ by at most one, and nothing is padded.

    Examples:
        >>> from sparseaug.nn.risk.tiles import share
        >>> [share(10, rank, 3) for rank in range(3)]
        [(0, 3), (3, 6), (6, 10)]
    """
    return total * rank // num_ranks, total * (rank + 1) // num_ranks


def tiles(start: int, stop: int, n: int, chunk_size: int) -> Iterator[Tile]:
    """Rectangles of at most `chunk_size` copies that cover copies `start` to `stop`, in order.

    Examples:
        >>> from sparseaug.nn.risk.tiles import tiles
        >>> [len(tile) for tile in tiles(3, 25, 10, 20)]
        [7, 10, 5]
    """
    while start < stop:
        element, first = divmod(start, n)
        whole = min(chunk_size, stop - start) // n
        if first == 0 and whole:
            tile = Tile(slice(element, element + whole), slice(0, n))
        else:
            last = min(n, first + min(chunk_size, stop - start))
            tile = Tile(slice(element, element + 1), slice(first, last))
        yield tile
        start += len(tile)


def runs(values: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Equal neighbours: the value, where they begin and where they end.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.nn.risk.tiles import runs
        >>> list(runs(np.array([1, 1, 3])))
        [(1, 0, 2), (3, 2, 3)]
    """
    ends = [*np.flatnonzero(np.diff(values)) + 1, len(values)]
    for start, stop in zip([0, *ends[:-1]], ends, strict=True):
        yield int(values[start]), int(start), int(stop)
