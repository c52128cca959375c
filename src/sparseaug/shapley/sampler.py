"""pyDVL's permutation sampler with chosen orders, for the values of data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.errors import need
from sparseaug.shapley.chosen import chosen_orders

# pyDVL 0.10 asks for NumPy below 2 and works with NumPy 2 where it is installed beside it
need(
    "pydvl", "PermutationSampler (add --no-deps: pyDVL asks for an old NumPy)", extra="pydvl>=0.10"
)

from pydvl.valuation import samplers
from pydvl.valuation.types import Sample


class PermutationSampler(samplers.PermutationSampler):  # type: ignore[misc]
    """pyDVL's `PermutationSampler`, whose orders are chosen in blocks instead of drawn one by one.

    Args:
        truncation: pyDVL's policy to stop an order early
        seed: of the random names
        batch_size: orders that pyDVL takes at once
        block: orders that are chosen together; the next block has other random names. Set it to
            the number of orders that you will use, where you know it

    Examples:
        >>> import numpy as np
        >>> from itertools import islice
        >>> from sparseaug.shapley import PermutationSampler
        >>> sampler = PermutationSampler(seed=0, block=12)
        >>> a, b = (sample.subset for sample in islice(sampler.generate(np.arange(5)), 2))
        >>> a.tolist(), b.tolist()  # an order and its reverse
        ([3, 4, 2, 1, 0], [0, 1, 2, 4, 3])
    """

    def __init__(
        self, truncation: Any = None, seed: Any = None, batch_size: int = 1, *, block: int = 64
    ) -> None:
        super().__init__(truncation, seed, batch_size)
        self.block = check_integer("block", block, at_least=1)

    def generate(self, indices: Any) -> Iterator[Any]:
        """Orders of the indices that are not skipped, without end."""
        while len(left := np.setdiff1d(indices, self.skip_indices)):
            names = self._rng.permutation(left)
            for order in names[chosen_orders(len(names), self.block)]:
                yield Sample(None, order[~np.isin(order, self.skip_indices)])
