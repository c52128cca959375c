"""`orders(for_=...)`: the balance that suits what is averaged, never worse than random orders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.qmc.orders import BALANCES, STATISTICS
from studies.orders_for import ORDERS, table


def test_every_statistic_has_a_balance_and_the_page_says_which() -> None:
    page = (Path(__file__).parents[2] / "docs" / "howto" / "orders.md").read_text()
    for name, (balance, _) in STATISTICS.items():
        assert balance in BALANCES
        assert np.array_equal(sa.orders(7, 9, for_=name), sa.orders(7, 9, balance=balance))
        assert f'| `"{name}"` | `"{balance}"`' in page
    assert {for_ for for_, _ in ORDERS.values()} == set(STATISTICS)


def test_orders_and_signs_are_not_worse_than_random_ones() -> None:
    """22 statistics at five standard errors: fails by chance less than once in 10^4 runs."""
    for line in table(8, 16, 100):
        left, noise = float(line["left"]), float(line["noise"])
        assert left < 1 + 2.5 * noise, line
        if line["statistic"] in ("a before b", "carry-over", "length of a tour", "the last item"):
            assert left < 0.02, line


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ArgumentError, match="exclude each other"):
        sa.orders(5, 3, for_="first", balance="middle")
    with pytest.raises(ArgumentError, match="for_"):
        sa.orders(5, 3, for_="tours")
