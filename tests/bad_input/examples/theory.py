"""Good arguments for the paper's bounds: numbers in, numbers out."""

from __future__ import annotations

import inspect

from sparseaug import theory
from tests.bad_input.judge import Table

numbers = Table(
    {
        **{"eps": 0.1, "delta": 0.05, "C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0, "sigma": 1.0},
        **{"b": 2, "m": 9, "order": 24, "deviation": 0.5, "T": 10, "step_size": 0.1, "length": 2},
        **{"n": 4, "p": 3, "d": 3, "num_classes": 5, "dimension_sum": 75},
        **{"v": 0.5, "calls": 6, "repeats": 2, "error": 0.1, "nonnegative": True},
    }
)

EXAMPLES = [
    *(
        numbers(function)
        for function in map(vars(theory).get, theory.__all__)
        if inspect.isfunction(function) and function is not theory.product_dimension_sum
    ),
    numbers(
        theory.product_dimension_sum,
        via=lambda dimension_sums: theory.product_dimension_sum(3, dimension_sums),
        dimension_sums=5,
    ),
]
