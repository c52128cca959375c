"""Maps x -> W x + w of integer vectors, modulo given sizes, listed whole. A row is one index.

(W|w)(V|v) = (WV | Wv + w) is associative by itself, so that a list is a group as soon as it holds the
identity and is closed. Products are looked up, not tabulated: the operations of a large supercell, its
inner translations times few matrices W, take no table of their square.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from sparseaug._checks import check_array, require_work
from sparseaug.errors import ElementError, GroupError
from sparseaug.groups.base import Group
from sparseaug.groups.permutations import Rows
from sparseaug.groups.subgroups import closure
from sparseaug.groups.table import check_label

Matrix: TypeAlias = tuple[tuple[int, ...], ...]


@final
@dataclass(frozen=True)
class AffineGroup(Group):
    """Element a is x -> turns[k] x + w modulo `sizes`, with (k, *w) = maps[a]; maps[0] is the identity.

    Checked when built: matrices and maps are closed under products and different.

    Args:
        sizes: the vectors' entries are taken modulo these
        turns: integer matrices W, each well defined modulo the sizes
        maps: for each element the number of its matrix, and w
        label: a name to print; that of another group is refused
    """

    sizes: tuple[int, ...]
    turns: tuple[Matrix, ...]
    maps: tuple[tuple[int, ...], ...]
    label: str

    def __post_init__(self) -> None:
        check_label(self.label, self.maps)
        sizes, turns, maps = self._sizes, self._turns, self._maps
        d, shapes = sizes.size, (sizes.shape, turns.shape, maps.shape)
        if shapes != ((d,), (*turns.shape[:1], d, d), (*maps.shape[:1], d + 1)):
            wanted = "(d,), (k, d, d), (order, d + 1)"
            raise GroupError(f"sizes, turns, maps have shapes {shapes}; give {wanted}.")
        work = len(turns) * (turns.size + maps.size)
        require_work("affine shifts", work, "the list maps", remedy="give a smaller group")
        largest = max(abs(int(turns.min())), int(turns.max()), *self.sizes)
        products = max(len(turns) * math.prod(self.sizes), d * largest**2)
        if min(self.sizes) < 1 or products >= 1 << 62 or not self._is_group():
            raise GroupError("sizes, turns, maps are no group; list all once, the identity first.")

    @property
    def name(self) -> str:
        return self.label or f"<group of {len(self.maps)} affine maps>"

    def __repr__(self) -> str:
        return self.name

    @property
    def radices(self) -> tuple[int, ...]:
        return (len(self.maps),)

    def _compose(self, a: Rows, b: Rows) -> Rows:
        i, j = np.broadcast_arrays(a[..., 0], b[..., 0])
        kinds = self._maps[:, 0]
        shifts = self._moved[kinds[i], j] + self._maps[i, 1:]
        return self._find(self._products[kinds[i], kinds[j]], shifts)[..., None]

    def _inverse(self, a: Rows) -> Rows:
        """(W|w)^-1 = (W^-1 | -W^-1 w)."""
        i = a[..., 0]
        back = np.argmin(self._products, axis=1)[self._maps[i, 0]]  # the identity is matrix 0
        return self._find(back, -self._moved[back, i])[..., None]

    def generators(self) -> Rows:
        return self._generators

    def to_dict(self) -> dict[str, Any]:
        parts = {"sizes": self.sizes, "turns": self.turns, "maps": self.maps}
        lists = {name: np.array(part).tolist() for name, part in parts.items()}
        return {"affine": lists, "label": self.label}

    def _is_group(self) -> bool:
        """Whether all is in range and different, with the identity first, and closed."""
        sizes, turns = self._sizes, self._turns
        kinds, shifts = self._maps[:, 0], self._maps[:, 1:]
        fits = not (turns * sizes % sizes[:, None]).any()
        fits &= bool((kinds >= 0).all() and (kinds < len(turns)).all())
        fits &= bool((shifts >= 0).all() and (shifts < sizes).all())
        first = np.array_equal(turns[0], np.eye(len(sizes))) and not self._maps[0].any()
        matrices = len(np.unique(turns, axis=0)) == len(turns) and self._products.min() >= 0
        if not (fits and first and matrices) or self._products.min(axis=1).any():  # an inverse
            return False
        try:
            return len(np.unique(self._keys)) == len(self.maps) and self._generators is not None
        except ElementError:  # a product is not listed
            return False

    @cached_property
    def _generators(self) -> Rows:
        """Words in these are all maps, and every map times each of these was looked up: it is closed."""
        return closure(self, self.all_elements())[1]

    @cached_property
    def _sizes(self) -> Rows:
        return check_array("sizes", self.sizes, error=GroupError)

    @cached_property
    def _turns(self) -> Rows:
        return check_array("turns", self.turns, error=GroupError)

    @cached_property
    def _maps(self) -> Rows:
        return check_array("maps", self.maps, error=GroupError)

    @cached_property
    def _moved(self) -> Rows:
        """[k, a]: the shift of map a, turned by matrix k."""
        return np.einsum("kij,aj->kai", self._turns, self._maps[:, 1:]) % self._sizes

    @cached_property
    def _products(self) -> Rows:
        """The number of the product of two matrices, -1 where it is not listed."""
        number = {turn.tobytes(): k for k, turn in enumerate(self._turns)}
        products = (self._turns[:, None] @ self._turns).reshape(-1, *self._turns.shape[1:])
        found = [number.get(product.tobytes(), -1) for product in products]
        return np.array(found).reshape(len(self.turns), -1)

    def _codes(self, shifts: Rows) -> Rows:
        """One number for each vector modulo the sizes."""
        places = np.concatenate([np.cumprod(self._sizes[:0:-1])[::-1], [1]])
        return shifts % self._sizes @ places

    @cached_property
    def _keys(self) -> Rows:
        return self._maps[:, 0] * math.prod(self.sizes) + self._codes(self._maps[:, 1:])

    @cached_property
    def _sorted(self) -> tuple[Rows, Rows]:
        order = np.argsort(self._keys)
        return order, self._keys[order]

    def _find(self, kinds: Rows, shifts: Rows) -> Rows:
        """The elements with these matrices and shifts; -1 where there is none."""
        order, keys = self._sorted
        wanted = kinds * math.prod(self.sizes) + self._codes(shifts)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, order[place], -1)
