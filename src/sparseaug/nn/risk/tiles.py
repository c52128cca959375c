"""Which copies are computed at once: ranks get runs of copies, runs are cut into rectangles.

Copy j n + i is sample i moved by element j. A rectangle, some elements times some samples, is moved
and averaged in one go; the rectangles, and so the order of all sums, follow from n, m, the chunk size
and the number of ranks alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def share(total: int, rank: int, num_ranks: int) -> tuple[int, int]:
    """The run of copies of one rank: lengths differ by at most one, and nothing is padded.

    Examples:
        >>> from sparseaug.nn.risk.tiles import share
        >>> [share(10, rank, 3) for rank in range(3)]
        [(0, 3), (3, 6), (6, 10)]
    """
    return total * rank // num_ranks, total * (rank + 1) // num_ranks


def tiles(start: int, stop: int, n: int, chunk_size: int) -> Iterator[tuple[range, range]]:
    """Rectangles of at most `chunk_size` copies that cover copies `start` to `stop`, in order.

    Examples:
        >>> from sparseaug.nn.risk.tiles import tiles
        >>> list(tiles(3, 25, 10, 20))  # elements and samples
        [(range(0, 1), range(3, 10)), (range(1, 2), range(0, 10)), (range(2, 3), range(0, 5))]
    """
    while start < stop:
        element, first = divmod(start, n)
        most = min(chunk_size, stop - start)
        whole = most // n if first == 0 else 0
        samples = range(first, n if whole else min(n, first + most))
        elements = range(element, element + max(1, whole))
        yield elements, samples
        start += len(elements) * len(samples)


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
