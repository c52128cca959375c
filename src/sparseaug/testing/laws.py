"""What a group, its irreps, an action and an oracle must keep; a `LawError` says what broke.

A statistical check states its failure probability; with a fixed seed it passes or fails for good.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_callable, check_integer
from sparseaug.actions import Action, Array
from sparseaug.actions.base import require_action
from sparseaug.actions.laws import require_law
from sparseaug.errors import (
    GroupTooLargeError,
    LawError,
    OracleBudgetError,
    UnsupportedError,
    shorten,
)
from sparseaug.groups import Group, Irrep, Rows, as_group
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.testing.uniform import (
    LARGEST_SEED,
    SMALL,
    answers,
    check_uniform,
    equal,
    near,
    require,
    require_drawable,
)

LARGE = 64
"""Irreps above this dimension are left out."""

BAND = 6
"""Degree up to which irreps are looked at where they are infinitely many."""

_BATCH = 64  # random elements for each law
_ROUNDING = 1e-12  # of the arithmetic of a check: above LARGE^2 times 2^-53
_MOST_ROUNDING = 1e-6  # a representation that errs by more says nothing


def check_group(group: Group | str, *, seed: int = 0) -> None:
    """Check that a group keeps its laws and samples uniformly.

    Rows of rotations are rounded: there two elements count as one if their `distance` is at most
    that of the products that were made, `group.rounding` each. Identity, inverses, associativity,
    commutativity and the action on points on random elements; membership of elements, and of rows
    that are not elements; ranks, enumeration and closure of the whole group if it has at most 720
    elements; equality, hash and pickle; its irreps up to dimension 64, where it has them, with all
    characters up to order 720; and the uniformity of `sample` (false alarm below 1e-9 for each
    statistic). An exception that is not the library's own is a broken law too.

    Args:
        group: the group to check
        seed: of the random elements

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.testing import check_group
        >>> check_group(sa.dihedral(4))  # silent: every law holds
    """
    group = as_group(group)
    require_drawable(group)
    seed = check_integer("seed", seed, below=LARGEST_SEED)
    with answers("the group"):
        _group_laws(group, seed)


def check_action(action: Action, x: Array, *, seed: int = 0) -> None:
    """Check that act(e, x) = x and act(ab, x) = act(a, act(b, x)) on these samples.

    Exact for integer data; floating-point results may differ by rounding (1000 units in the last
    place of the largest entry). On a group where order matters, a right action fails.

    Args:
        action: the action to check
        x: samples that it moves: an array, a tuple or a dict of arrays
        seed: of the random elements

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.testing import check_action
        >>> check_action(sa.permute_axis(sa.symmetric(4)), np.arange(8).reshape(2, 4))
    """
    require_action(action)
    seed = check_integer("seed", seed, below=LARGEST_SEED)
    with answers("the action"):
        require_law(action, x, seed=seed)


def _group_laws(group: Group, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = (group.sample(_BATCH, rng) for _ in range(3))
    e = group.identity()
    require(
        a.dtype == group.row_dtype and a.shape == (_BATCH, group.width),
        f"sample(k) is {group.row_dtype} (k, width)",
    )
    require(_contains(group, a), "sampled elements are contained")
    require(e.shape == (1, group.width) and _contains(group, e), "identity() is contained")
    sides = group.compose(e, a), group.compose(a, e)
    require(all(near(group, side, a, 1) for side in sides), "ea = a = ae")
    back = group.inverse(a)
    require(_contains(group, back), "inverses are contained")
    sides = group.compose(a, back), group.compose(back, a)
    require(all(near(group, side, e, 2) for side in sides), "a a^-1 = e")
    left, right = group.compose(group.compose(a, b), c), group.compose(a, group.compose(b, c))
    require(near(group, left, right, 4), "(ab)c = a(bc)")
    require(_contains(group, left), "products are contained")
    require(_contains(group, group.generators()), "generators are contained")
    require(_commutes(group, a, b) == group.is_abelian, "is_abelian says whether all commute")
    with answers("pickle of the group"):
        copy = pickle.loads(pickle.dumps(group))  # noqa: S301  (our own bytes)
    require(copy == group and hash(copy) == hash(group), "a pickled group comes back equal")
    if group.order < 1 << 63:
        require(equal(group.unrank(group.rank(a)), a), "unrank(rank(a)) = a")
        require(int(group.rank(e)[0]) == 0, "the identity has rank 0")
    if group.order <= SMALL:
        _listing_laws(group)
    _membership_laws(group, a)
    _point_laws(group, a, b)
    check_uniform(group, group.sample, seed=seed)
    _irreps_laws(group, a, b)


def _contains(group: Group, rows: Rows) -> bool:
    inside = group.contains(rows)
    right = isinstance(inside, np.ndarray) and inside.dtype == np.bool_
    require(right and inside.shape == (len(rows),), "contains(rows) is a bool for each row")
    return bool(inside.all())


def _listing_laws(group: Group) -> None:
    rows = _all_rows(group)
    require(rows.shape == (group.order, group.width), "elements() lists order rows")
    require(len(np.unique(rows, axis=0)) == group.order, "elements() lists each element once")
    require(_contains(group, rows), "elements() lists elements")
    require(np.array_equal(group.rank(rows), np.arange(group.order)), "elements() is in rank order")
    reached = group.identity()
    generators = group.generators()
    while True:
        grown = group.compose(generators[:, None], reached[None]).reshape(-1, group.width)
        grown = np.unique(np.concatenate([reached, grown]), axis=0)
        require(len(grown) <= group.order, "generators() generate no more than the order")
        if len(grown) == len(reached):
            break
        reached = grown
    require(len(reached) == group.order, "generators() generate the group")


def _all_rows(group: Group) -> Rows:
    """All rows of elements(), which may never end for a user's group."""
    blocks: list[Rows] = []
    for block in group.elements():
        blocks.append(block)
        enough = len(blocks) <= group.order and sum(map(len, blocks)) <= group.order
        require(enough, "elements() lists order rows")
    return np.concatenate(blocks)


def _commutes(group: Group, a: Rows, b: Rows) -> bool:
    """Whether 64 random pairs commute; of a group that is not abelian at most 5/8 of all pairs do
    (Gustafson 1973), so that this misses it with probability 1e-13.
    """
    return near(group, group.compose(a, b), group.compose(b, a), 2)


def _membership_laws(group: Group, a: Rows) -> None:
    """No element reaches the ends of its type; no set of rows holds more elements than the order."""
    columns = np.linspace(0, group.width - 1, min(group.width, 64)).astype(np.int64)
    ends = np.iinfo(np.int64)
    whole = group.row_dtype == np.int64
    for entry in (ends.min, ends.max) if whole else (np.nan, np.inf, -np.inf, -0.0, 2.0**60):
        rows = np.repeat(a[:16, None], len(columns), axis=1)
        rows[:, np.arange(len(columns)), columns] = entry
        rows = rows.reshape(-1, group.width)
        require(not group.contains(rows).any(), f"contains refuses rows with the entry {entry}")
    low, high = a.min(axis=0) - 1, a.max(axis=0) + 1
    if whole and np.log(high - low + 1.0).sum() < np.log(1 << 18):
        box = np.indices(high - low + 1).reshape(group.width, -1).T + low
        inside = int(group.contains(np.ascontiguousarray(box)).sum())
        require(inside <= group.order, "contains holds for no more rows than the order")


def _point_laws(group: Group, a: Rows, b: Rows) -> None:
    points = group.points
    if points is None or points > 1 << 20:
        return
    count = max(1, (1 << 20) // max(1, points))
    a, b = a[:count], b[:count]
    left, right, both = map(group.permutations, (a, b, group.compose(a, b)))
    for p in (left, right):
        require(p.shape == (len(a), points), "permutations is (k, points)")
        require(equal(np.sort(p, axis=1), np.arange(points)[None]), "permutations permute")
    product = np.take_along_axis(left, right, axis=1)
    require(equal(both, product), "permutations: (ab)(i) = a(b(i))")


def _irreps_laws(group: Group, a: Rows, b: Rows) -> None:
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
            _irrep_laws(group, irrep, a, b)
    if group.order <= SMALL:
        total = sum(irrep.dimension**2 for irrep in irreps)
        require(total == group.order, "the squares of the irreps' dimensions add up to the order")
        _character_laws(group, irreps)


def _irrep_laws(group: Group, irrep: Irrep, a: Rows, b: Rows) -> None:
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


def _character_laws(group: Group, irreps: list[Irrep]) -> None:
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


def check_oracle(make: Callable[[int, int | None], Oracle]) -> None:
    """Check that oracles built by `make(seed, budget)` count, keep to budget and repeat themselves.

    Drawn in one go or in parts, the elements are the same; a refused draw draws and counts nothing.

    Args:
        make: `make(seed, budget)` returns an oracle

    Examples:
        >>> import sparseaug as sa
        >>> from sparseaug.testing import check_oracle
        >>> check_oracle(lambda seed, budget: sa.Oracle(sa.symmetric(4), seed, budget))
    """
    check_callable("make", make)
    with answers("an oracle of make(seed, budget)"):
        _oracle_laws(make)


def _oracle_laws(make: Callable[[int, int | None], Oracle]) -> None:
    whole, parts = make(0, None), make(0, None)
    S = _drawn(whole, 24)
    require(S.m == 24 and S.calls == 24 and whole.calls == 24, "24 draws are 24 calls")
    first, second = _drawn(parts, 5), _drawn(parts, 19)
    require(parts.calls == 24, "5 and 19 draws are 24 calls")
    joined = np.concatenate([first.elements, second.elements])
    require(np.array_equal(joined, S.elements), "draw(24) equals draw(5) then draw(19)")
    require(bool(S.group.contains(S.elements).all()), "drawn elements are contained")
    other = _drawn(make(1, None), 24)
    require(S.group.order < 16 or not np.array_equal(other.elements, S.elements), "seeds differ")
    limited = make(0, 10)
    _drawn(limited, 8)
    with suppress(OracleBudgetError):
        limited.draw(3)
        raise LawError("a law does not hold: drawing past the budget is refused.")
    require(limited.calls == 8 and limited.remaining == 2, "a refused draw counts nothing")
    last = _drawn(limited, 2)
    require(np.array_equal(last.elements, S.elements[8:10]), "a refused draw draws nothing")


def _drawn(oracle: Any, m: int) -> GroupSample:
    S = oracle.draw(m)
    require(isinstance(S, GroupSample), f"draw({m}) is a GroupSample (it is {shorten(S)})")
    return S
