"""Checks for your own groups, actions and oracles; each raises a `LawError` that says what broke.

A statistical check states its failure probability; with a fixed seed it passes or fails for good.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action, Array, require_law
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    LawError,
    OracleBudgetError,
    UnsupportedError,
)
from sparseaug.groups import Group, Irrep, Rows
from sparseaug.groups.base import integer_array
from sparseaug.sampling import Oracle

FALSE_ALARM = 1e-9  # chance that a uniform sampler fails one statistic
_SMALL = 720  # groups up to this order are checked exhaustively
_LARGE = 64  # irreps above this dimension are left out
_CELLS = 4096  # of a chi-square statistic: at least eight draws are expected in each
_ROUNDING = 1e-12  # of the arithmetic of a check: above _LARGE^2 times 2^-53
_MOST_ROUNDING = 1e-6  # a representation that errs by more says nothing

Table: TypeAlias = tuple[
    Rows, NDArray[np.float64]
]  # a cell for every draw; each cell's probability


def check_group(group: Group, *, seed: int = 0, batch: int = 64) -> None:
    """Check that a group keeps its laws and samples uniformly.

    Identity, inverses, associativity, commutativity and the action on points on random elements;
    membership of elements and of strangers; ranks, enumeration and closure of the whole group if it
    has at most 720 elements; equality, hash and pickle; its irreps up to dimension 64, where it has
    them, with all characters up to order 720; and the uniformity of `sample` (false alarm below
    1e-9 for each statistic).
    """
    rng = np.random.default_rng(seed)
    a, b, c = (group.sample(batch, rng) for _ in range(3))
    e = group.identity()
    _require(
        a.dtype == np.int64 and a.shape == (batch, group.width), "sample(k) is int64 (k, width)"
    )
    _require(bool(group.contains(a).all()), "sampled elements are contained")
    _require(
        e.shape == (1, group.width) and bool(group.contains(e).all()), "identity() is contained"
    )
    _require(_equal(group.compose(e, a), a) and _equal(group.compose(a, e), a), "ea = a = ae")
    back = group.inverse(a)
    _require(bool(group.contains(back).all()), "inverses are contained")
    _require(_equal(group.compose(a, back), e) and _equal(group.compose(back, a), e), "a a^-1 = e")
    left, right = group.compose(group.compose(a, b), c), group.compose(a, group.compose(b, c))
    _require(_equal(left, right), "(ab)c = a(bc)")
    _require(bool(group.contains(left).all()), "products are contained")
    _require(bool(group.contains(group.generators()).all()), "generators are contained")
    _require(_commutes(group, a, b) == group.is_abelian, "is_abelian says whether all commute")
    copy = pickle.loads(pickle.dumps(group))  # noqa: S301  (our own bytes)
    _require(copy == group and hash(copy) == hash(group), "a pickled group comes back equal")
    if group.order < 1 << 63:
        _require(_equal(group.unrank(group.rank(a)), a), "unrank(rank(a)) = a")
        _require(int(group.rank(e)[0]) == 0, "the identity has rank 0")
    if group.order <= _SMALL:
        _check_whole(group)
    _check_strangers(group, a, rng)
    _check_points(group, a, b)
    check_uniform(group, group.sample, seed=seed)
    _check_irreps(group, a, b)


def check_uniform(
    group: Group,
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
    """
    rng = np.random.default_rng([seed, 1])
    k = max(20_000, 50 * min(group.order, _SMALL))
    try:
        rows = integer_array("sample(k)", sample(k, rng))
    except ArgumentError as error:
        raise LawError(f"a law does not hold: sample(k) is rows of integers ({error}).") from error
    shape = (k, group.width)
    _require(rows.shape == shape, f"sample({k}) has shape {shape} (it has {rows.shape})")
    _require(bool(group.contains(rows).all()), "sample(k) draws elements of the group")
    for what, tables in _statistics(group, rows):
        p = _chi_square(tables)
        _require(p >= false_alarm, f"sample is uniform ({what}: chi-square gives p = {p:.1e})")


def check_action(action: Action, x: Array, *, seed: int = 0) -> None:
    """Check that act(e, x) = x and act(ab, x) = act(a, act(b, x)) on these samples.

    Exact for integer data; floating-point results may differ by rounding (1000 units in the last
    place of the largest entry). On a group where order matters, a right action fails.
    """
    require_law(action, x, seed=seed)


def check_oracle(make: Callable[[int, int | None], Oracle]) -> None:
    """Check that oracles built by `make(seed, budget)` count, keep to budget and repeat themselves.

    Drawn in one go or in parts, the elements are the same; a refused draw draws and counts nothing.
    """
    whole, parts = make(0, None), make(0, None)
    S = whole.draw(24)
    _require(S.m == 24 and S.calls == 24 and whole.calls == 24, "24 draws are 24 calls")
    first, second = parts.draw(5), parts.draw(19)
    _require(parts.calls == 24, "5 and 19 draws are 24 calls")
    joined = np.concatenate([first.elements, second.elements])
    _require(np.array_equal(joined, S.elements), "draw(24) equals draw(5) then draw(19)")
    _require(bool(S.group.contains(S.elements).all()), "drawn elements are contained")
    other = make(1, None).draw(24)
    _require(S.group.order < 16 or not np.array_equal(other.elements, S.elements), "seeds differ")
    limited = make(0, 10)
    limited.draw(8)
    try:
        limited.draw(3)
    except OracleBudgetError:
        pass
    else:
        raise LawError("the oracle breaks a law: drawing past the budget is refused.")
    _require(limited.calls == 8 and limited.remaining == 2, "a refused draw counts nothing")
    _require(
        np.array_equal(limited.draw(2).elements, S.elements[8:10]), "a refused draw draws nothing"
    )


def _check_whole(group: Group) -> None:
    rows = np.concatenate(list(group.elements()))
    _require(rows.shape == (group.order, group.width), "elements() lists order rows")
    _require(len(np.unique(rows, axis=0)) == group.order, "elements() lists each element once")
    _require(bool(group.contains(rows).all()), "elements() lists elements")
    _require(
        np.array_equal(group.rank(rows), np.arange(group.order)), "elements() is in rank order"
    )
    reached = group.identity()
    generators = group.generators()
    while True:
        grown = group.compose(generators[:, None], reached[None]).reshape(-1, group.width)
        grown = np.unique(np.concatenate([reached, grown]), axis=0)
        if len(grown) == len(reached):
            break
        reached = grown
    _require(len(reached) == group.order, "generators() generate the group")


def _commutes(group: Group, a: Rows, b: Rows) -> bool:
    """Whether random pairs commute, and the generators (the first 64).

    In a group that is not abelian at most 5/8 of all pairs commute (Gustafson 1973), so that 64
    pairs miss it with probability 1e-13, whatever the generators.
    """
    some = group.generators()[:64]
    pairs = ((a, b), (some[:, None], some[None]))
    return all(_equal(group.compose(x, y), group.compose(y, x)) for x, y in pairs)


def _check_strangers(group: Group, a: Rows, rng: np.random.Generator) -> None:
    """No element reaches the ends of int64; and no set of rows holds more elements than the order."""
    from scipy.special import bdtrc

    columns = np.linspace(0, group.width - 1, min(group.width, 64)).astype(np.int64)
    extremes = np.iinfo(np.int64)
    for entry in (extremes.min, extremes.max):
        rows = np.repeat(a[:16, None], len(columns), axis=1)
        rows[:, np.arange(len(columns)), columns] = entry
        rows = rows.reshape(-1, group.width)
        _require(not group.contains(rows).any(), f"contains refuses rows with the entry {entry}")
    low, high = a.min(axis=0) - 1, a.max(axis=0) + 1
    log_box = float(np.log(high - low + 1.0).sum())
    if log_box < np.log(1 << 18):
        grid = np.indices(high - low + 1).reshape(group.width, -1).T + low
        inside = int(group.contains(np.ascontiguousarray(grid)).sum())
        _require(inside <= group.order, "contains holds for no more rows than the order")
        return
    # elements are at most this share of the box, so their number is at most binomial
    share = min(1.0, np.exp(group.log_order - log_box))
    inside = int(group.contains(rng.integers(low, high, (256, group.width), endpoint=True)).sum())
    p = 1.0 if not inside else float(bdtrc(inside - 1, 256, share))
    _require(
        p >= FALSE_ALARM, f"contains refuses strangers ({inside} of 256 random rows are let in)"
    )


def _check_points(group: Group, a: Rows, b: Rows) -> None:
    if group.degree is None or group.degree > 1 << 20:
        return
    count = max(1, (1 << 20) // group.degree)
    a, b = a[:count], b[:count]
    left, right = group.permutations(a), group.permutations(b)
    for p in (left, right):
        _require(p.shape == (len(a), group.degree), "permutations is (k, degree)")
        _require(_equal(np.sort(p, axis=1), np.arange(group.degree)[None]), "permutations permute")
    product = group.permutations(group.compose(a, b))
    _require(
        _equal(product, np.take_along_axis(left, right, axis=1)), "permutations: (ab)(i) = a(b(i))"
    )


def _check_irreps(group: Group, a: Rows, b: Rows) -> None:
    try:
        irreps = list(group.irreps() if group.order <= _SMALL else islice(group.irreps(), 64))
    except (UnsupportedError, GroupTooLargeError):
        return  # not every group has them in closed form, or few enough to list
    for irrep in irreps:
        if irrep.dimension <= _LARGE:
            _check_irrep(group, irrep, a, b)
    _require(bool(irreps) and _is_trivial(irreps[0], a), "the first irrep is trivial")
    if group.order <= _SMALL:
        total = sum(irrep.dimension**2 for irrep in irreps)
        _require(total == group.order, "the squares of the irreps' dimensions add up to the order")
        _check_characters(group, irreps)


def _check_irrep(group: Group, irrep: Irrep, a: Rows, b: Rows) -> None:
    """With true matrices L, R of norm 1 and errors up to r each: LR - P errs by 3r + r^2."""
    small = 0 <= irrep.rounding <= _MOST_ROUNDING
    _require(small, f"{irrep.name} has a rounding between 0 and {_MOST_ROUNDING}")
    left, right = irrep.matrices(a), irrep.matrices(b)
    product = irrep.matrices(group.compose(a, b))
    unit = np.eye(irrep.dimension)
    tolerance = 4 * irrep.rounding + _ROUNDING
    for matrices in (left, right, product):
        _require(matrices.shape == (len(a), *unit.shape), f"{irrep.name} has its dimension")
    _require(_distance(left @ right, product) <= tolerance, f"{irrep.name} is a homomorphism")
    gram = left @ left.conj().swapaxes(1, 2)
    _require(_distance(gram, unit) <= tolerance, f"{irrep.name} is unitary")


def _is_trivial(irrep: Irrep, a: Rows) -> bool:
    ones = np.ones((1, 1, 1))
    return irrep.dimension == 1 and _distance(irrep.matrices(a), ones) <= irrep.rounding + _ROUNDING


def _check_characters(group: Group, irreps: list[Irrep]) -> None:
    """Characters of different irreps are orthonormal: mean over g of chi_i(g) conj(chi_j(g)).

    A trace errs by at most sqrt(d) r, and the root mean square of a true character is 1.
    """
    rows = np.concatenate(list(group.elements()))
    traces = np.array([np.trace(i.matrices(rows), axis1=1, axis2=2) for i in irreps])
    gram = traces @ traces.conj().T / group.order
    error = np.array([np.sqrt(i.dimension) * i.rounding for i in irreps])
    allowed = error[:, None] + error + np.outer(error, error) + _ROUNDING
    orthonormal = bool((abs(gram - np.eye(len(irreps))) <= allowed).all())
    _require(orthonormal, "the irreps' characters are orthonormal")


def _statistics(group: Group, rows: Rows) -> Iterator[tuple[str, list[Table]]]:
    """What is tested, and its tables; those of one statistic are independent and add up."""
    digits = [
        (np.ascontiguousarray(digit), radix)
        for digit, radix in zip(group.to_digits(rows), group.radices, strict=True)
        if radix > 1
    ]
    if group.order <= _SMALL:
        whole = (group.rank(rows), group.order)
        yield "elements", [_bins(*whole, _SMALL)]
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


def _require(condition: bool, law: str) -> None:
    if not condition:
        raise LawError(f"a law does not hold: {law}.")


def _equal(left: Rows, right: Rows) -> bool:
    """Whether the rows are the same; a single row on the right stands for all."""
    return np.array_equal(left, np.broadcast_to(right, left.shape) if len(right) == 1 else right)


def _distance(left: NDArray[Any], right: NDArray[Any]) -> float:
    """The largest Frobenius norm of a difference of matrices (k, d, d)."""
    return float(np.linalg.norm(left - right, axis=(1, 2)).max())
