"""Whether an oracle counts, keeps to its budget and repeats itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparseaug.errors import ArgumentError, LawError, OracleBudgetError, check_callable, shorten
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.testing.answers import answers, require


def check_oracle(make: Callable[[int, int | None], Oracle]) -> None:
    """Check that oracles built by `make(seed, budget)` count, keep to budget and repeat themselves.

    Drawn in one go or in parts, the elements are the same; a refused draw draws and counts nothing.

    Args:
        make: `make(seed, budget)` returns an oracle

    Examples:
        >>> import sparseaug as sa
        >>> check_oracle(lambda seed, budget: sa.Oracle(sa.symmetric(4), seed, budget))
    """
    check_callable("make", make)
    with answers("an oracle of make(seed, budget)"):
        _check(make)


def _check(make: Callable[[int, int | None], Oracle]) -> None:
    whole, parts = _made(make, 0, None), _made(make, 0, None)
    S = _drawn(whole, 24)
    require(S.m == 24 and S.calls == 24 and whole.calls == 24, "24 draws are 24 calls")
    first, second = _drawn(parts, 5), _drawn(parts, 19)
    require(parts.calls == 24, "5 and 19 draws are 24 calls")
    joined = np.concatenate([first.elements, second.elements])
    require(np.array_equal(joined, S.elements), "draw(24) equals draw(5) then draw(19)")
    require(bool(S.group.contains(S.elements).all()), "drawn elements are contained")
    other = _drawn(_made(make, 1, None), 24)
    require(S.group.order < 16 or not np.array_equal(other.elements, S.elements), "seeds differ")
    limited = _made(make, 0, 10)
    _drawn(limited, 8)
    try:
        limited.draw(3)
    except OracleBudgetError:
        pass
    else:
        raise LawError("the oracle breaks a law: drawing past the budget is refused.")
    require(limited.calls == 8 and limited.remaining == 2, "a refused draw counts nothing")
    last = _drawn(limited, 2)
    require(np.array_equal(last.elements, S.elements[8:10]), "a refused draw draws nothing")


def _made(make: Callable[[int, int | None], Oracle], seed: int, budget: int | None) -> Any:
    oracle = make(seed, budget)
    if not callable(getattr(oracle, "draw", None)) or not hasattr(oracle, "calls"):
        raise ArgumentError(
            f"make({seed}, {budget}) is {shorten(oracle)}, which is not an oracle; return one with "
            "draw(m), calls and remaining."
        )
    return oracle


def _drawn(oracle: Any, m: int) -> GroupSample:
    S = oracle.draw(m)
    require(isinstance(S, GroupSample), f"draw({m}) is a GroupSample (it is {shorten(S)})")
    return S
