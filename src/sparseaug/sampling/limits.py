"""What a group described in a file may cost, refused before the work with the number.

A few lines of a file can describe a group that takes hours and gigabytes to build. Permutation
groups are built when they are used, and refuse what is too large themselves.
"""

from __future__ import annotations

from typing import Any

from sparseaug.errors import GroupTooLargeError

MOST_WORK = 500_000_000
"""Steps of matching products: half a minute, mostly much less."""

MOST_NUMBERS = 30_000_000
"""Numbers in a description: 0.24 GB, held a few times."""

_TABLE = 10_000_000  # entries of a table; Python's integers take 80 bytes each on the way
_PER_PRODUCT = 200  # multiplications for n matrices of d x d, in the time of a unit


def require_affordable(description: Any) -> None:
    """Raise a `GroupTooLargeError` for the data of a group that would take minutes or gigabytes."""
    match description:
        case {"product": list(factors)}:
            for factor in factors:
                require_affordable(factor)
        case {"permutations": [[_, *_] as first, *_] as images}:
            _require("numbers in its generators", len(images) * len(first), MOST_NUMBERS)
        case {"matrices": [[[*_] as row, *_], *_] as matrices}:
            n, d = len(matrices), len(row)
            work = (n**2 * d**3 + n**3 * d**2) // _PER_PRODUCT
            _require("numbers in its matrices", n * d * d, MOST_NUMBERS)
            _require("steps to match the products", work, MOST_WORK)
        case {"table": [[*_], *_] as table}:
            _require("entries in its table", len(table) ** 2, _TABLE)


def _require(what: str, count: int, most: int) -> None:
    if count > most:
        raise GroupTooLargeError(
            f"its group takes at least {count} {what}, and a group in a file may take {most}; save the "
            "rows alone, and build the group in your own code."
        )
