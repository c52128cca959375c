"""Whether a sampler is uniform: chi-square statistics with exact expected counts.

A law that fails is a `LawError`, whatever the object at hand does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_callable, check_integer, check_real, require_work
from sparseaug.errors import LawError, SparseAugError, shorten, shorten_text
from sparseaug.groups import Group, Rows, as_group

LARGEST_SEED = 1 << 128  # below it NumPy takes an integer as a seed
FALSE_ALARM = 1e-9  # chance that a uniform sampler fails one statistic
SMALL = 720  # groups up to this order are checked exhaustively
DRAWS = 20_000  # at least so many elements are drawn
_CELLS = 4096  # of a chi-square statistic: at least eight draws are expected in each

# a cell for every draw, and the probability of each cell
Table: TypeAlias = tuple[Rows, NDArray[np.float64]]


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


def check_uniform(
    group: Group | str,
    sample: Callable[[int, np.random.Generator], Rows],
    *,
    seed: int = 0,
    false_alarm: float = FALSE_ALARM,
) -> None:
    """Check by chi-square that `sample(k, rng)` is uniform on the group and independent in a row.

    Groups of up to 720 elements, two statistics: the counts of all elements, and pairs of
    successive draws. Larger ones, for each digit of the element: its values (above 4096 values, in
    64 bins and modulo 2048), its pairs with the next digit and, in successive draws, with itself;
    and runs of digits together. What is not k rows of the group fails too.

    Args:
        group: the group
        sample: `sample(k, rng)` returns k rows
        seed: of the generator
        false_alarm: the chance that a uniform sampler fails one statistic

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.testing import check_uniform
        >>> group = sa.cyclic(6)
        >>> check_uniform(group, lambda k, rng: rng.integers(5, size=(k, 1)))
        Traceback (most recent call last):
        sparseaug.errors.LawError: a law does not hold: sample is uniform (elements: ...
    """
    require_drawable(group := as_group(group))
    check_callable("sample", sample)
    false_alarm = check_real("false_alarm", false_alarm, above=0, below=1)
    rng = np.random.default_rng([check_integer("seed", seed, below=LARGEST_SEED), 1])
    k = max(DRAWS, 50 * min(group.order, SMALL))
    with answers("sample(k, rng)"):
        rows = np.asarray(sample(k, rng))
    said = f"sample({k}) is {group.row_dtype} of shape {(k, group.width)}, not {rows.dtype} {rows.shape}"
    kinds = "iu" if group.row_dtype == np.int64 else "iuf"
    require(rows.dtype.kind in kinds and rows.shape == (k, group.width), said)
    rows = rows.astype(group.row_dtype)
    require(bool(group.contains(rows).all()), "sample(k) draws elements of the group")
    for what, tables in _statistics(group, rows):
        p = _chi_square(tables)
        require(p >= false_alarm, f"sample is uniform ({what}: chi-square gives p = {p:.1e})")


def require_drawable(group: Group) -> None:
    """Raise an error unless so many draws of it fit into memory."""
    what, size = f"the check of group={shorten_text(group.name)}", 8 * DRAWS * group.width
    require_work("sample", size, what, remedy="check a smaller group of its family")


def _statistics(group: Group, rows: Rows) -> Iterator[tuple[str, list[Table]]]:
    """What is tested, and its tables; those of one statistic are independent and add up."""
    digits = [
        (np.ascontiguousarray(digit), radix)
        for digit, radix in zip(group.to_digits(rows), group.radices, strict=True)
        if radix > 1
    ]
    if group.order <= SMALL:
        whole = (group.rank(rows), group.order)
        yield "elements", [_bins(*whole, SMALL)]
        yield "successive draws", [_lagged(*d) for d in ([whole] if group.order <= 32 else digits)]
        return
    for digit, radix in digits:
        if radix <= _CELLS:
            yield "a digit", [_bins(digit, radix, _CELLS)]
        else:
            yield "bins of a digit", [_bins(digit, radix, 64)]
            yield "a digit modulo 2048", [_residues(digit, radix)]
        yield "a digit in successive draws", [_lagged(digit, radix)]
    for (first, p), (second, q) in pairwise(digits):
        bins = _CELLS if p * q <= _CELLS else 16
        yield "neighbouring digits", [_joint(_bins(first, p, bins), _bins(second, q, bins))]
    run: Table | None = None
    for digit, radix in digits:
        table = _bins(digit, radix, _CELLS if radix <= _CELLS else 64)
        if run is not None and len(run[1]) * len(table[1]) > _CELLS:
            yield "a run of digits", [run]
            run = None
        run = table if run is None else _joint(run, table)
    if run is not None:
        yield "a run of digits", [run]


def _bins(digit: Rows, radix: int, bins: int) -> Table:
    """Bin floor(digit * bins / radix), which holds ceil((i+1) r / b) - ceil(i r / b) digits."""
    bins = min(bins, radix)
    edges = [-(-i * radix // bins) for i in range(bins + 1)]
    share = np.array([(high - low) / radix for low, high in pairwise(edges)])
    return (digit if bins == radix else np.searchsorted(edges[1:], digit, side="right")), share


def _residues(digit: Rows, radix: int) -> Table:
    """digit mod 2048, which is c for ceil((r - c) / 2048) digits."""
    return digit % 2048, np.array([-(-(radix - c) // 2048) / radix for c in range(2048)])


def _lagged(digit: Rows, radix: int) -> Table:
    """Draws 2i and 2i + 1 of a digit together: all its values up to 32, else 16 bins."""
    cell, share = _bins(digit, radix, 32 if radix <= 32 else 16)
    return _joint((cell[:-1:2], share), (cell[1::2], share))


def _joint(first: Table, second: Table) -> Table:
    return first[0] * len(second[1]) + second[0], np.outer(first[1], second[1]).ravel()


def _chi_square(tables: list[Table]) -> float:
    """The probability of a sum of chi-square statistics as large as this."""
    from scipy.special import chdtrc

    statistic, freedom = 0.0, 0
    for cell, share in tables:
        if cell.min() < 0 or cell.max() >= len(share):
            return 0.0
        expected = len(cell) * share
        observed = np.bincount(cell, minlength=len(share))
        statistic += float(((observed - expected) ** 2 / expected).sum())
        freedom += len(share) - 1
    return float(chdtrc(freedom, statistic)) if freedom else 1.0
