"""The rows of a plan that need no |G|: one kernel and data, fixed before S is drawn.

`theory.dimension_free`, `theory.products` and `theory.minibatch` take B for the root mean square of the
norms of the gradient functions, B_2. Where n is known they take the paper's B, the mean, and pay with
a union over n samples; the mini-batch row then has B_2 <= sqrt(n) B, as the largest norm is at most n B.
Of a matrix-valued kernel of p rows that is not diagonal, `theory.matrix_kernels` takes the place of the
first, and products pay for the p columns of an operator, with sqrt(p) C for C.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sparseaug._floats import float_above
from sparseaug.errors import ArgumentError
from sparseaug.plans.table import PlanRow, format_count
from sparseaug.theory import (
    dimension_free_sample_size,
    matrix_sample_size,
    num_steps,
    one_shot_sgd_plan,
    products_calls,
)

FIXED = "kernel and data are fixed before S is drawn"
DIAGONAL = "the kernel is scalar or diagonal"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What `plan(eps=...)` was given, checked."""

    eps: float
    delta: float
    C: float
    B: float
    L: float
    gap: float
    b: int
    n: int | None
    p: int | None
    order: int | None


def one_kernel_rows(given: Numbers, condition: str) -> Iterator[PlanRow]:
    """One kernel, products, products on average, mini-batch."""
    eps, C, B, L, n, p = given.eps, given.C, given.B, given.L, given.n, given.p
    steps = num_steps(eps, L=L, gap=given.gap)
    promise = "with probability 1 - delta"
    condition = f"{condition}; {FIXED}" + (f"; {DIAGONAL}" if p is None else "")

    def copies(m: int) -> int | None:
        return None if n is None else n * m

    if p is None:
        m, whole = dimension_free_sample_size(eps, given.delta, C=C, B=B, n=n), C
    else:
        m = matrix_sample_size(eps, given.delta, C=C, B=B, p=p, n=n)
        whole = float_above(_root_above(p) * Fraction(C))
    yield PlanRow(
        *("one kernel", m, m, promise, steps, 1 / L), copies=copies(m), condition=condition
    )
    for name, delta, how in (
        ("products", given.delta, promise),
        ("products on average", None, "in mean square"),
    ):
        calls = products_calls(eps, delta, C=whole, B=B, n=n)
        size = 2**calls if given.order is None else min(2**calls, given.order)
        yield PlanRow(
            *(name, size, calls, how, steps, 1 / L),
            copies=copies(size),
            condition=condition,
            note=f"all 2^{calls} subproducts of {calls} drawn elements",
        )
    sigma = float_above(Fraction(C) * Fraction(B))
    if n is not None:  # the largest norm is at most n B, so that B_2^2 <= n B^2
        sigma = float_above(_root_above(n) * Fraction(C) * Fraction(B))
    try:
        batches = one_shot_sgd_plan(eps, L=L, gap=given.gap, sigma=sigma, b=given.b)
    except ArgumentError:  # no float is a step size so small
        return
    yield PlanRow(
        *("mini-batch", given.b, m, "in mean square", batches.num_steps, batches.step_size),
        copies=given.b,
        condition=condition,
        note=f"pairs (sample, element) from an S of {format_count(m)} elements, fresh at each step; in "
        "mean square given S, whose draw fails with probability delta",
    )


def b_note(n: int | None) -> str:
    """What B means to these rows."""
    rows = "one kernel, products, mini-batch"
    if n is None:
        return f"{rows}: B bounds the root mean square of the norms; with n=, their mean"
    return f"{rows}: B bounds the mean of the norms of n = {n:,} samples, by a union over them"


def _root_above(n: int) -> Fraction:
    """sqrt(n), from above to 60 bits."""
    return Fraction(math.isqrt(n << 120) + 1, 1 << 60)
