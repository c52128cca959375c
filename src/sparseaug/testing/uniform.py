"""What every check here shares: a law that fails is a `LawError`, whatever the object at hand does.

Whether a sampler is uniform: chi-square statistics with exact expected counts.

Whether the irreps of a group are what they say: homomorphisms, unitary, irreducible, all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_array, check_callable, check_integer, check_real, require_work
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    LawError,
    SparseAugError,
    UnsupportedError,
    shorten,
    shorten_text,
)
from sparseaug.groups import Group, Irrep, Rows, as_group


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


FALSE_ALARM = 1e-9  # chance that a uniform sampler fails one statistic
SMALL = 720  # groups up to this order are checked exhaustively
DRAWS = 20_000  # at least so many elements are drawn
_CELLS = 4096  # of a chi-square statistic: at least eight draws are expected in each

# a cell for every draw, and the probability of each cell
Table: TypeAlias = tuple[Rows, NDArray[np.float64]]


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
    64 bins and modulo 16 and 2048), its pairs with the next digit and, in successive draws, with
    itself; and runs of digits together. `false_alarm` is the chance that a uniform sampler fails
    one statistic. What is not k rows of the group fails too.

    Args:
        group: the group
        sample: `sample(k, rng)` returns k rows
        seed: of the generator
        false_alarm: the chance that a uniform sampler fails one statistic

    Examples:
        >>> import sparseaug as sa
        >>> group = sa.cyclic(6)
        >>> check_uniform(group, lambda k, rng: rng.integers(5, size=(k, 1)))
        Traceback (most recent call last):
        sparseaug.errors.LawError: a law does not hold: sample is uniform (elements: ...
    """
    require_drawable(group := as_group(group))
    check_callable("sample", sample)
    false_alarm = check_real("false_alarm", false_alarm, above=0, below=1)
    rng = np.random.default_rng([check_seed(seed), 1])
    k = _draws(group)
    try:
        with answers("sample(k, rng)"):
            drawn = sample(k, rng)
        rows = check_array("sample(k)", drawn, group.row_dtype)
    except ArgumentError as error:
        what = "integers" if group.row_dtype == np.int64 else "numbers"
        raise LawError(f"a law does not hold: sample(k) is rows of {what} ({error}).") from error
    shape = (k, group.width)
    require(rows.shape == shape, f"sample({k}) has shape {shape} (it has {rows.shape})")
    require(bool(group.contains(rows).all()), "sample(k) draws elements of the group")
    for what, tables in _statistics(group, rows):
        p = _chi_square(tables)
        require(p >= false_alarm, f"sample is uniform ({what}: chi-square gives p = {p:.1e})")


def require_drawable(group: Group) -> None:
    """Raise an error unless so many draws of it fit into memory."""
    what = f"the check of uniformity of group={shorten_text(group.name)}"
    require_work("sample", 8 * DRAWS * group.width, what, remedy="give a smaller group")


def _draws(group: Group) -> int:
    return max(DRAWS, 50 * min(group.order, SMALL))


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
            yield "a digit modulo 16", [_residues(digit, radix, 16)]
            yield "a digit modulo 2048", [_residues(digit, radix, 2048)]
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


def _residues(digit: Rows, radix: int, modulus: int) -> Table:
    """digit mod m, which is c for ceil((r - c) / m) digits."""
    return digit % modulus, np.array([-(-(radix - c) // modulus) / radix for c in range(modulus)])


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


LARGE = 64
"""Irreps above this dimension are left out."""

BAND = 6
"""Degree up to which irreps are looked at where they are infinitely many."""

_ROUNDING = 1e-12  # of the arithmetic of a check: above LARGE^2 times 2^-53
_MOST_ROUNDING = 1e-6  # a representation that errs by more says nothing


def check_irreps(group: Group, a: Rows, b: Rows) -> None:
    """The laws of every irrep on these elements, where the group has irreps; of rotations to `BAND`."""
    try:
        if group.is_finite:
            most = group.order + 1 if group.order <= SMALL else 64
            irreps = list(islice(group.irreps(), most))
        else:
            irreps = list(group.irreps_to(BAND))
    except (UnsupportedError, GroupTooLargeError):
        return  # not every group has them in closed form, or few enough to list
    for irrep in irreps:
        if irrep.dimension <= LARGE:
            _check_irrep(group, irrep, a, b)
    require(bool(irreps) and _is_trivial(irreps[0], a), "the first irrep is trivial")
    if group.order <= SMALL:
        total = sum(irrep.dimension**2 for irrep in irreps)
        require(total == group.order, "the squares of the irreps' dimensions add up to the order")
        _check_characters(group, irreps)


def _check_irrep(group: Group, irrep: Irrep, a: Rows, b: Rows) -> None:
    """With true matrices L, R of norm 1 and errors up to r each: LR - P errs by 3r + r^2."""
    small = 0 <= irrep.rounding <= _MOST_ROUNDING
    require(small, f"{irrep.name} has a rounding between 0 and {_MOST_ROUNDING}")
    left, right = irrep.matrices(a), irrep.matrices(b)
    product = irrep.matrices(group.compose(a, b))
    unit = np.eye(irrep.dimension)
    # a product within r of the true one is moved by less than 4 d r: |D^l(q) - 1| <= l omega
    tolerance = 4 * irrep.rounding + _ROUNDING + 4 * irrep.dimension * group.rounding
    for matrices in (left, right, product):
        require(matrices.shape == (len(a), *unit.shape), f"{irrep.name} has its dimension")
    require(_distance(left @ right, product) <= tolerance, f"{irrep.name} is a homomorphism")
    gram = left @ left.conj().swapaxes(1, 2)
    require(_distance(gram, unit) <= tolerance, f"{irrep.name} is unitary")


def _is_trivial(irrep: Irrep, a: Rows) -> bool:
    ones = np.ones((1, 1, 1))
    return irrep.dimension == 1 and _distance(irrep.matrices(a), ones) <= irrep.rounding + _ROUNDING


def _check_characters(group: Group, irreps: list[Irrep]) -> None:
    """Characters of different irreps are orthonormal: mean over g of chi_i(g) conj(chi_j(g)).

    A trace errs by at most sqrt(d) r, and the root mean square of a true character is 1.
    """
    rows = group.all_elements()
    traces = np.array([np.trace(i.matrices(rows), axis1=1, axis2=2) for i in irreps])
    gram = traces @ traces.conj().T / group.order
    error = np.array([np.sqrt(i.dimension) * i.rounding for i in irreps])
    allowed = error[:, None] + error + np.outer(error, error) + _ROUNDING
    orthonormal = bool((abs(gram - np.eye(len(irreps))) <= allowed).all())
    require(orthonormal, "the irreps' characters are orthonormal")


def _distance(left: NDArray[Any], right: NDArray[Any]) -> float:
    """The largest Frobenius norm of a difference of matrices (k, d, d)."""
    return float(np.linalg.norm(left - right, axis=(1, 2)).max())
