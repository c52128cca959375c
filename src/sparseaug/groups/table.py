"""Groups given whole: a multiplication table, or a closed list of matrices. A row is one index."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import check_array, require_work
from sparseaug.errors import ArgumentError, GroupError, shorten
from sparseaug.groups.base import Group
from sparseaug.groups.permutations import Rows, are_permutations

_LARGEST_ENTRY = 1e100  # a product of two is far from overflow
_REMEDY = "give generators to permutation_group, or a smaller group"


@final
@dataclass(frozen=True)
class TableGroup(Group):
    """A group by its multiplication table, and by matrices where it came from them.

    Element 0 need not be the identity; ranks count from the identity in the order of the table.
    Built by `table_group` and `matrix_group`.
    """

    products: tuple[tuple[int, ...], ...]
    entries: tuple[tuple[tuple[float, ...], ...], ...] = ()
    label: str = ""

    @property
    def name(self) -> str:
        kind = "list of matrices" if self.entries else "table"
        return self.label or f"<group of order {len(self.products)} from a {kind}>"

    def __repr__(self) -> str:
        return self.name

    @property
    def radices(self) -> tuple[int, ...]:
        return (len(self.products),)

    @cached_property
    def table(self) -> Rows:
        """table[a, b] is the index of ab (read-only)."""
        return _frozen(np.array(self.products, np.int64))

    @cached_property
    def matrices(self) -> NDArray[np.float64]:
        """The matrices (order, d, d) by index (read-only); empty for a bare table."""
        return _frozen(np.array(self.entries, np.float64))

    def _from_digits(self, digits: Rows) -> Rows:
        return ((digits + self._identity) % len(self.products)).T

    def _to_digits(self, elements: Rows) -> Rows:
        return (elements - self._identity).T % len(self.products)

    def _compose(self, a: Rows, b: Rows) -> Rows:
        return self.table[a, b]

    def _inverse(self, a: Rows) -> Rows:
        return self._inverses[a]

    def generators(self) -> Rows:
        return np.array(_generating_set(self.table, self._identity), np.int64).reshape(-1, 1)

    def to_dict(self) -> dict[str, Any]:
        if self.entries:
            return {"matrices": self.matrices.tolist(), "label": self.label}
        return {"table": self.table.tolist(), "label": self.label}

    @cached_property
    def _identity(self) -> int:
        return int(np.argmax((self.table == np.arange(len(self.products))).all(axis=1)))

    @cached_property
    def _inverses(self) -> Rows:
        return _frozen(np.argmax(self.table == self._identity, axis=1))


def table_group(table: ArrayLike, *, label: str = "") -> TableGroup:
    """A group from its multiplication table: `table[a][b]` is the index of ab.

    Args:
        table: integers (order, order).
        label: a name to print; that of another group is refused.

    Raises:
        GroupError: if it is not the table of a group; the message says which law is broken.

    Examples:
        >>> import sparseaug as sa
        >>> sa.table_group([[0, 1], [1, 0]]).order
        2
    """
    array = check_array("table", table, error=GroupError)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise GroupError(f"table has shape {array.shape}; give a square table, not empty.")
    require_work("table", len(array), "table", remedy=_REMEDY)
    label = check_label(label)
    _require_group(array)
    return TableGroup(_as_tuples(array), label=label)


def matrix_group(matrices: ArrayLike, *, label: str = "") -> TableGroup:
    """A group from the list of all its real matrices (order, d, d), which must be closed.

    Products are matched to the list within 1e-8 of the largest entry.

    Args:
        matrices: real numbers (order, d, d).
        label: a name to print; that of another group is refused.

    Raises:
        GroupError: if a product is not in the list, or two matrices are equal.

    Examples:
        >>> import sparseaug as sa
        >>> sa.matrix_group([[[1.0]], [[-1.0]]]).order
        2
    """
    with np.errstate(over="ignore"):  # of entries of more than 64 bits
        array = check_array("matrices", matrices, np.float64, GroupError)
    if array.ndim != 3 or array.shape[1] != array.shape[2] or not array.size:
        raise GroupError(f"matrices has shape {array.shape}; give all elements as (order, d, d).")
    n, d = array.shape[:2]
    require_work("table", n, "matrices", remedy=_REMEDY)
    require_work("matrix products", (n * d) ** 2, "matrices", remedy=_REMEDY)
    array = array + 0.0  # -0.0 becomes 0.0: equal groups, equal bytes
    largest = float(abs(array).max())
    if not largest < _LARGEST_ENTRY:  # false for NaN too
        raise GroupError(f"matrices has an entry of size {largest:g}; give numbers below 1e100.")
    tolerance = 1e-8 * max(1.0, largest)
    products = _match_products(array, tolerance)
    _require_group(products)
    unit = np.flatnonzero(products.diagonal() == np.arange(n))[0]
    if abs(array[unit] - np.eye(d)).max() > tolerance:
        raise GroupError("matrices does not hold the unit matrix; they must be invertible.")
    entries = tuple(tuple(map(tuple, matrix)) for matrix in array.tolist())
    return TableGroup(_as_tuples(products), entries, check_label(label, entries))


def check_label(label: str, data: Any = None) -> str:
    """A name for a user's group; that of another group is refused.

    `data` are the generators or matrices: those of a catalogue group may have its name.
    """
    from sparseaug.groups.catalogue import is_name_of_another  # a table of such groups

    if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9 ._-]{0,60}", label):
        raise ArgumentError(f"label={shorten(label)} is not a short name of letters and digits.")
    if is_name_of_another(label, data):
        raise ArgumentError(f"label={label!r} reads like the name of another group; change it.")
    return label


def _as_tuples(table: Rows) -> tuple[tuple[int, ...], ...]:
    """The rows as plain data; every index is one object, however often it stands in the table."""
    index = list(range(len(table)))
    return tuple(tuple(map(index.__getitem__, row)) for row in table.tolist())


def _require_group(table: Rows) -> None:
    n = len(table)
    bad = np.flatnonzero(~are_permutations(table))
    if bad.size:  # then the columns are bad too, or the table is not associative
        raise GroupError(f"row {bad[0]} of table does not hold each of 0..{n - 1} once.")
    left = np.flatnonzero((table == np.arange(n)).all(axis=1))
    if not left.size or not np.array_equal(table[:, left[0]], np.arange(n)):
        raise GroupError("table has no identity; one row and its column must be 0, 1, 2, ...")
    # Light's test: it suffices that x (a y) = (x a) y for all x, y and a in a generating set
    for a in _generating_set(table, int(left[0])):
        wrong = np.argwhere(table[:, table[a]] != table[table[:, a]])
        if len(wrong):
            x, y = wrong[0]
            raise GroupError(f"table is not associative: ({x} {a}) {y} differs from {x} ({a} {y}).")


def _generating_set(table: Rows, identity: int) -> list[int]:
    """Greedy: add the first element not yet reached by products from the left."""
    generators: list[int] = []
    reached = np.zeros(len(table), bool)
    reached[identity] = True
    while not reached.all():
        generators.append(int(np.argmin(reached)))
        frontier = np.flatnonzero(reached)
        while frontier.size:
            found = np.unique(table[frontier][:, generators])
            frontier = found[~reached[found]]
            reached[frontier] = True
    return generators


def _match_products(matrices: NDArray[np.float64], tolerance: float) -> Rows:
    from scipy.spatial import KDTree  # costs a tenth of a second, and few need it

    n = len(matrices)
    tree = KDTree(matrices.reshape(n, -1))
    if n > 1 and tree.query(tree.data, k=2)[0][:, 1].min() <= 2 * tolerance:
        raise GroupError("matrices holds the same matrix twice; list every element once.")
    table = np.empty((n, n), np.int64)
    for a, matrix in enumerate(matrices):
        distance, table[a] = tree.query((matrix @ matrices).reshape(n, -1))
        if distance.max() > tolerance:
            product = f"the product of {a} and {int(distance.argmax())} is not in the list"
            raise GroupError(f"matrices is not closed: {product}; list every element.")
    return table


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
