"""Checks for your own groups, actions and oracles; each raises a `LawError` that says what broke.

A statistical check states its failure probability; with a fixed seed it passes or fails for good.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action, Array, require_law
from sparseaug.errors import LawError, OracleBudgetError, SparseAugError, UnsupportedError
from sparseaug.groups import Group, Irrep, Rows
from sparseaug.sampling import Oracle

FALSE_ALARM = 1e-9  # chance that a uniform sampler fails one uniformity check
_SMALL = 720  # groups up to this order are checked exhaustively


def check_group(group: Group, *, seed: int = 0, batch: int = 64) -> None:
    """Check that a group keeps its laws and samples uniformly.

    Identity, inverses, associativity and membership on random elements; ranks, enumeration and
    closure on all of them if there are at most 720; equality, hash and pickle; its irreps, where it
    has them; and the uniformity of `sample` (false alarm below 1e-9 each).
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
    commute = _equal(group.compose(a, b), group.compose(b, a))
    _require(commute or not group.is_abelian, "an abelian group commutes")
    generators = group.generators()
    _require(bool(group.contains(generators).all()), "generators are contained")
    copy = pickle.loads(pickle.dumps(group))  # noqa: S301  (our own bytes)
    _require(copy == group and hash(copy) == hash(group), "a pickled group comes back equal")
    if group.order < 1 << 63:
        _require(_equal(group.unrank(group.rank(a)), a), "unrank(rank(a)) = a")
        _require(int(group.rank(e)[0]) == 0, "the identity has rank 0")
    if group.order <= _SMALL:
        _check_whole(group)
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

    Groups of up to 720 elements: the counts of all elements, and of pairs of successive draws in
    classes. Larger ones: each digit of the element and pairs of neighbouring digits.
    """
    rng = np.random.default_rng([seed, 1])
    k = max(20_000, 50 * min(group.order, _SMALL))
    digits = group.to_digits(sample(k, rng))
    cells: list[tuple[Rows, int]] = []  # an index for every draw, and how many values it takes
    if group.order <= _SMALL:
        ranks = group.rank(group.from_digits(digits))
        classes = min(group.order, 16)
        # ranks split into nearly equal classes would not be equally likely: use whole divisors
        while group.order % classes:
            classes -= 1
        coarse = ranks % classes
        cells.append((ranks, group.order))
        cells.append((coarse[:-1:2] * classes + coarse[1::2], classes * classes))
    else:
        radices = group.radices
        chosen = [i for i, r in enumerate(radices) if 1 < r <= 4096][:64]
        cells += [(digits[i], radices[i]) for i in chosen]
        cells += [
            (digits[i] * radices[j] + digits[j], radices[i] * radices[j])
            for i, j in pairwise(chosen)
            if radices[i] * radices[j] <= 4096
        ]
    for index, count in cells:
        p = _chi_square(index, count)
        _require(p >= false_alarm, f"sample is uniform (chi-square gives p = {p:.1e})")


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


def _check_irreps(group: Group, a: Rows, b: Rows) -> None:
    try:
        irreps: list[Irrep] = []
        total = 0
        for irrep in group.irreps():
            irreps.append(irrep)
            total += irrep.dimension**2
            if len(irreps) == 64 and group.order > _SMALL:
                break
    except (UnsupportedError, SparseAugError):
        return  # not every group has them in closed form
    if group.order <= _SMALL:
        _require(total == group.order, "the squares of the irreps' dimensions add up to the order")
    _require(_close(irreps[0].matrices(a), np.ones((1, 1, 1))), "the first irrep is trivial")
    for irrep in irreps:
        left, right = irrep.matrices(a), irrep.matrices(b)
        product = irrep.matrices(group.compose(a, b))
        unit = np.eye(irrep.dimension)
        _require(product.shape == (len(a), *unit.shape), f"{irrep.name} has its dimension")
        _require(_close(left @ right, product), f"{irrep.name} is a homomorphism")
        _require(_close(left @ left.conj().swapaxes(1, 2), unit), f"{irrep.name} is unitary")


def _chi_square(index: Rows, count: int) -> float:
    from scipy.stats import chi2  # scipy.stats takes most of a second to import

    observed = np.bincount(index, minlength=count)
    if len(observed) > count:
        return 0.0
    expected = len(index) / count
    statistic = float(((observed - expected) ** 2).sum() / expected)
    return float(chi2.sf(statistic, count - 1)) if count > 1 else 1.0


def _require(condition: bool, law: str) -> None:
    if not condition:
        raise LawError(f"a law does not hold: {law}.")


def _equal(left: Rows, right: Rows) -> bool:
    return bool((left == right).all())


def _close(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return bool(abs(left - right).max(initial=0.0) < 1e-10)
