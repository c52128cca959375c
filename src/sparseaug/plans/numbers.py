"""What `plan(eps=...)` was given, checked; and a row made of it.

The methods with a fixed sample share cor:app-main-complexity: steps for eps/2, and an error of the
gradient on S of at most eps/2. The theorems are about descent without projection, so every row holds
only if `CONDITION` does.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sparseaug._checks import check_integer, check_not_negative, check_real
from sparseaug._floats import float_above
from sparseaug.plans.table import PROMISE, PlanRow
from sparseaug.theory import num_steps

CONDITION = "C, B, L and gap hold along the run and run.clipped == 0"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The goal and the constants of the problem; an order of None is infinite."""

    eps: float
    delta: float
    C: float
    B: float
    L: float
    gap: float
    sigma: float
    b: int
    n: int | None
    max_batch: int | None
    order: int | None

    def row(
        self, method: str, m: int, calls: int, guarantee: str = PROMISE, **more: Any
    ) -> PlanRow:
        """A row whose steps, unless `more` has others, are those of the paper for eps/2."""
        usual = {
            "steps": num_steps(self.eps, L=self.L, gap=self.gap),
            "step_size": 1 / self.L,
            "copies": None if self.n is None else self.n * m,
            "condition": CONDITION,
        }
        return PlanRow(method, m, calls, guarantee, **usual | more)


def check_numbers(
    order: int | None,
    eps: Any,
    delta: float,
    C: Any,
    B: Any,
    L: Any,
    gap: Any,
    sigma: Any,
    b: Any,
    n: Any,
    max_batch: Any,
) -> Numbers:
    """The numbers, each in its range; without sigma C B, the largest norm of a gradient."""
    eps, C, B = (check_real(*given, above=0) for given in (("eps", eps), ("C", C), ("B", B)))
    L = check_real("L", L, above=sys.float_info.min)  # steps are 1 / L
    gap = check_not_negative("gap", gap)
    largest = float_above(Fraction(C) * Fraction(B))
    sigma = check_not_negative("sigma", largest if sigma is None else sigma)
    b, n, max_batch = (
        None if value is None else check_integer(name, value, at_least=1)
        for name, value in (("b", b), ("n", n), ("max_batch", max_batch))
    )
    return Numbers(eps, delta, C, B, L, gap, sigma, b or 1, n, max_batch, order)
