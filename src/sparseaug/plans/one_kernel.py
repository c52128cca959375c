"""The rows of a plan that need no |G|: one scalar or diagonal kernel and data, fixed before S is drawn.

`theory.dimension_free`, `theory.products` and `theory.minibatch` take B for the root mean square of the
norms of the gradient functions, B_2. Where n is known they take the paper's B, the mean, and pay with
a union over n samples; the mini-batch row then has B_2 <= sqrt(n) B, as the largest norm is at most n B.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from sparseaug._floats import float_above
from sparseaug.errors import ArgumentError
from sparseaug.plans.numbers import CONDITION, Numbers
from sparseaug.plans.table import PROMISE, PlanRow, format_count
from sparseaug.theory import dimension_free_sample_size, one_shot_sgd_plan, products_calls

_FIXED = (
    f"{CONDITION}; kernel and data are fixed before S is drawn; the kernel is scalar or diagonal"
)


def one_kernel_rows(given: Numbers) -> Iterator[PlanRow]:
    """One kernel, products, products on average, mini-batch."""
    eps, C, B, L, n = given.eps, given.C, given.B, given.L, given.n
    m = dimension_free_sample_size(eps, given.delta, C=C, B=B, n=n)
    yield given.row("one kernel", m, m, condition=_FIXED)
    for name, delta, how in (
        ("products", given.delta, PROMISE),
        ("products on average", None, "in mean square"),
    ):
        calls = products_calls(eps, delta, C=C, B=B, n=n)
        size = 2**calls if given.order is None else min(2**calls, given.order)
        note = f"all 2^{calls} subproducts of {calls} drawn elements"
        yield given.row(name, size, calls, how, condition=_FIXED, note=note)
    root = Fraction(math.isqrt((n or 1) << 120) + (n is not None), 1 << 60)  # of n, from above
    sigma = float_above(root * Fraction(C) * Fraction(B))
    try:
        batches = one_shot_sgd_plan(eps, L=L, gap=given.gap, sigma=sigma, b=given.b)
    except ArgumentError:  # no float is a step size so small
        return
    note = (
        f"pairs (sample, element) from an S of {format_count(m)} elements, fresh at each step; in mean "
        "square given S, whose draw fails with probability delta"
    )
    steps = {"steps": batches.num_steps, "step_size": batches.step_size, "copies": given.b}
    yield given.row(
        "mini-batch", given.b, m, "in mean square", **steps, condition=_FIXED, note=note
    )


def b_note(n: int | None) -> str:
    """What B means to these rows."""
    rows = "one kernel, products, mini-batch"
    if n is None:
        return f"{rows}: B bounds the root mean square of the norms; with n=, their mean"
    return f"{rows}: B bounds the mean of the norms of n = {n:,} samples, by a union over them"
