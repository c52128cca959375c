"""The chosen orders, with the players renamed at random: each order alone is then uniform."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.balance.orders import orders
from sparseaug.groups import Rows


def permutation_generator(
    num_features: int, num_samples: int, seed: int | None = None
) -> Iterator[list[int]]:
    """Orders for captum's `ShapleyValueSampling`: each, and after it its reverse.

    Args:
        num_features: how many features there are
        num_samples: how many orders; an even number keeps each with its reverse
        seed: of the random names; by default other ones at each call

    Returns:
        An iterator over the orders, as lists.

    Examples:
        With captum: `method.permutation_generator = permutation_generator`, and then `method.attribute`.

        >>> from sparseaug.shapley import permutation_generator
        >>> for order in permutation_generator(4, 2, seed=0):
        ...     print(sorted(order))
        [0, 1, 2, 3]
        [0, 1, 2, 3]
    """
    n = check_integer("num_features", num_features, at_least=1)
    m = check_integer("num_samples", num_samples, at_least=1)
    names = np.random.default_rng(seed).permutation(n)
    return iter(names[chosen_orders(n, m)].tolist())


@lru_cache(maxsize=16)
def chosen_orders(n: int, m: int) -> Rows:
    """(m, n): `sparseaug.orders`, kept, since one explainer asks for the same with each sample."""
    rows = orders(n, m, balance="middle", rng=0)
    rows.flags.writeable = False
    return rows
