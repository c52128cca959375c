"""Sequences of orders and of rotations that can be continued, and arrays of signs.

They have SciPy's `random`, `reset` and `fast_forward`, and need NumPy alone. They do not derive from
`QMCEngine`, whose `integers` and optimizers are about points of a cube.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import deepcopy
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_choice, check_integer, check_rng, require_memory
from sparseaug.groups.quaternions import Quaternions, multiplied, signed, unit
from sparseaug.qmc.orders import BALANCES, orders
from sparseaug.qmc.signs import signs

MOST_ITEMS = 1 << 27
"""Below it, the length of a row: a gigabyte."""


class _Sequence(ABC):
    """Rows that are made from a generator to whatever length is asked for."""

    def __init__(self, d: int, rng: int | np.random.Generator) -> None:
        self.d = d
        self.num_generated = 0
        self._rng = deepcopy(check_rng(rng))
        self._rows: NDArray[Any] = np.empty((0, d))

    def random(self, n: int = 1) -> NDArray[Any]:
        """The next n rows."""
        end = self.num_generated + check_integer("n", n)
        require_memory("n", end, self.d, "rows")
        if len(self._rows) < end:
            self._rows = self._first(max(end, 2 * len(self._rows)), deepcopy(self._rng))
        rows = self._rows[self.num_generated : end].copy()
        self.num_generated = end
        return rows

    def fast_forward(self, n: int) -> None:
        """Leave out the next n rows."""
        self.num_generated += check_integer("n", n)

    def reset(self) -> None:
        """Back to the first row."""
        self.num_generated = 0

    @abstractmethod
    def _first(self, m: int, rng: np.random.Generator) -> NDArray[Any]:
        """The first m rows, or more."""


@final
class Permutations(_Sequence):
    """The rows of `orders(n, m)`, as many at a time as you ask for.

    Args:
        n: number of items, at least 1.
        balance: as in `orders`.
        rng: a seed, or a NumPy generator, which is copied.

    Examples:
        >>> import sparseaug as sa
        >>> engine = sa.qmc.Permutations(5)
        >>> engine.random(2)
        array([[2, 1, 0, 4, 3],
               [3, 4, 0, 1, 2]])
        >>> engine.random(2)  # rows 3 and 4 of orders(5, m)
        array([[0, 2, 3, 4, 1],
               [1, 4, 3, 2, 0]])
    """

    def __init__(
        self, n: int, *, balance: str = "middle", rng: int | np.random.Generator = 0
    ) -> None:
        super().__init__(check_integer("n", n, at_least=1, below=MOST_ITEMS), rng)
        self.balance = check_choice("balance", balance, BALANCES)

    def _first(self, m: int, rng: np.random.Generator) -> NDArray[Any]:
        return orders(self.d, m, balance=self.balance, rng=rng)


@final
class Signs:
    """Rows of `signs(d, m)`; each call of `random` is an array of its own, as strong as it can be.

    Args:
        d: signs in a row, at least 1.
        rng: a seed, or a NumPy generator, which is copied.

    Examples:
        >>> import sparseaug as sa
        >>> sa.qmc.Signs(3).random(4).sum(axis=0)
        array([0, 0, 0])
    """

    def __init__(self, d: int, *, rng: int | np.random.Generator = 0) -> None:
        self.d = check_integer("d", d, at_least=1, below=MOST_ITEMS)
        self.num_generated = 0
        self._rng = deepcopy(check_rng(rng))
        self._start = deepcopy(self._rng)

    def random(self, n: int = 1) -> NDArray[Any]:
        """n rows, independent of those before."""
        n = check_integer("n", n)
        require_memory("n", n, self.d, "rows")
        self.num_generated += n
        return signs(self.d, n, rng=self._rng) if n else np.empty((0, self.d), np.int64)

    def reset(self) -> None:
        """Back to the first array."""
        self.num_generated = 0
        self._rng = deepcopy(self._start)


@final
class Rotations(_Sequence):
    """Rotations of space, each uniform: the next 12 and the next 60 are those of a solid, turned.

    Each 12 are exact for functions of degree l <= 2, each 60 for l <= 5; the turns of the solids follow
    a Kronecker sequence, through Shoemake's map from the cube.

    Args:
        rng: a seed, or a NumPy generator, which is copied.

    Examples:
        >>> import sparseaug as sa
        >>> q = sa.qmc.Rotations().random(12)     # unit quaternions (w, x, y, z)
        >>> q.shape, (q * q).mean(axis=0).round(12).tolist()
        ((12, 4), [0.25, 0.25, 0.25, 0.25])
    """

    def __init__(self, *, rng: int | np.random.Generator = 0) -> None:
        super().__init__(4, rng)

    def _first(self, m: int, rng: np.random.Generator) -> NDArray[Any]:
        solid = _icosahedral()
        start = rng.random(3)
        whole = unit(rng.standard_normal(4))
        k = np.arange(-(-m // len(solid)))
        # the plastic number of three dimensions, the root of x^4 = x + 1 (Roberts 2018)
        steps = 1.2207440846057596 ** -np.arange(1.0, 4.0)
        turns = multiplied(_shoemake((start + k[:, None] * steps) % 1), whole)
        return signed(unit(multiplied(solid[None], turns[:, None]).reshape(-1, 4)))


def _shoemake(cube: NDArray[np.float64]) -> Quaternions:
    """Uniform points of the cube to uniform unit quaternions."""
    u, v, w = np.moveaxis(cube, -1, 0)
    low, high, v, w = np.sqrt(1 - u), np.sqrt(u), 2 * math.pi * v, 2 * math.pi * w
    return np.stack([low * np.sin(v), low * np.cos(v), high * np.sin(w), high * np.cos(w)], axis=-1)


def _icosahedral() -> Quaternions:
    """The 60 rotations of the icosahedron: 4 half turns, 12 of the tetrahedron, its 5 cosets."""
    golden = (1 + math.sqrt(5)) / 2
    rows = np.eye(4)
    for generator, order in (((1, 1, 1, 1), 3), ((golden, 1 / golden, 1, 0), 5)):
        cosets = [rows]
        while len(cosets) < order:
            cosets.append(multiplied(cosets[-1], np.array(generator) / 2))
        rows = np.concatenate(cosets)
    return rows
