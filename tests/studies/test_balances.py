"""`signs` and `orders(for_=...)` leave less than random rows, which leave 1; seeds are fixed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sparseaug as sa
from studies import orders_for, signs_for


@pytest.mark.parametrize("name", signs_for.STATISTICS)
def test_signs_leave_less_than_random_signs_on_even_and_odd_statistics(name: str) -> None:
    """By more than three standard errors; a row with its negative leaves 2 of the four even ones."""
    row = signs_for.cell(name, d=8, m=16, repeats=300)
    assert float(row["signs"]) + 1.5 * float(row["noise"]) < 1


def test_distances_of_an_even_number_of_items_leave_less_than_random_orders() -> None:
    """Squares of six shifts leave 1.16."""
    statistic = orders_for.ORDERS["distance in the order"][1]
    makers = {"reversible": lambda seed: sa.orders(6, 12, for_="reversible", rng=seed)}
    many = partial(orders_for.random_orders, 6)
    left, noise = orders_for.left(statistic, makers, many, 12, 1500)["reversible"]
    assert left + noise < 1
    rows = sa.orders(6, 5, for_="reversible")
    assert (np.sort(rows, axis=1) == np.arange(6)).all()
    assert (rows[:3] == sa.orders(6, 3, for_="reversible")).all()


def test_an_exchange_that_only_half_of_the_inputs_see_does_not_replace_the_right_balance() -> None:
    """Judged on one half alone, the set that is found is taken: it leaves 1.4 times as much."""
    statistic = orders_for.ORDERS["Shapley value"][1]
    rows = orders_for.chosen_by_places(statistic, 7, 14)
    makers = {
        "chosen": partial(orders_for.relabelled, rows),
        "right": partial(orders_for.balanced, 7, 14, "shapley"),
    }
    found = orders_for.left(statistic, makers, partial(orders_for.random_orders, 7), 14, 400)
    (chosen, _), (right, noise) = found["chosen"], found["right"]
    assert chosen < right + noise
