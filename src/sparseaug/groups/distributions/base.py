"""A distribution: what can be drawn and checked, without products and inverses.

An element is a row of numbers, as for groups. A `Group` is a distribution with more: its uniform
one, with products, inverses, ranks and irreps.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import check_array, check_integer, check_rows, check_type, require_work
from sparseaug.errors import ArgumentError, ElementError, NotAGroupError, UnsupportedError, shorten
from sparseaug.groups.permutations import Rows

if TYPE_CHECKING:
    from sparseaug.groups.base import Group

GENERATOR = "a NumPy Generator; give numpy.random.default_rng(seed)"


class Distribution(ABC):
    """What an oracle draws. One that is no group is a frozen dataclass with the abstract members.

    Attributes:
        row_dtype: int64 or float64, of the rows
        is_group: whether it is a `Group`: uniform, with products and inverses
        is_finite: whether it has finitely many elements, as most groups do
        row_hint: what a message adds on rows that are not elements
    """

    row_dtype: np.dtype[Any] = np.dtype(np.int64)
    is_group: ClassVar[bool] = False
    is_finite: bool = False
    row_hint: str = ""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called in messages."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Numbers in the row of one element."""

    @abstractmethod
    def _draw(self, k: int, rng: np.random.Generator) -> Rows:
        """k independent rows."""

    @abstractmethod
    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        """For each row of the right type and width, whether it can be drawn."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """It as JSON data, understood by `sparseaug.groups.distribution_from_dict`."""

    @property
    def log_order(self) -> float:
        """Natural logarithm of the number of elements: infinite."""
        return math.inf

    @property
    def dimensions(self) -> int | None:
        """How many uniform numbers `quantile` turns into one element; None where there is none."""
        return None

    def quantile(self, u: ArrayLike) -> Rows:
        """Elements from points of the unit cube, so that uniform points give this distribution.

        Sobol points of the cube give elements that are more even than draws.

        Args:
            u: numbers (k, dimensions), at least 0 and less than 1.

        Examples:
            >>> import sparseaug as sa
            >>> sa.random_affine(degrees=30).distribution.quantile([[0.5] * 5, [0.75] * 5])[:, 0]
            array([ 0., 15.])
            >>> sa.sign_flips(3).quantile([[0.1, 0.7, 0.9]])
            array([[0, 1, 1]])
        """
        if self.dimensions is None:
            raise UnsupportedError(f"{self.name} has no parameters; draw from it by Oracle.")
        points = check_array("u", u, np.float64)
        shaped = points.ndim == 2 and points.shape[1] == self.dimensions
        if not shaped or not ((points >= 0) & (points < 1)).all():
            raise ArgumentError(f"u={shorten(u)} is not (k, {self.dimensions}) numbers in [0, 1).")
        return self._quantile(points)

    def _quantile(self, u: NDArray[np.float64]) -> Rows:
        """`quantile` of checked points."""
        raise NotImplementedError

    def _smooth_kernel(self, elements: Rows) -> NDArray[np.float64]:
        """Products of smooth functions at checked rows, (k, k), of the mean 1 over the distribution.

        A set of rows is even in its parameters where the mean of the kernel over all pairs is near 1. It
        is 1 everywhere where nothing is known of what near means.
        """
        return np.ones((len(elements), len(elements)))

    def sample(self, k: int, rng: np.random.Generator) -> Rows:
        """Draw k independent elements; of a group exactly uniform ones.

        Args:
            k: how many.
            rng: a NumPy generator, such as numpy.random.default_rng(seed).

        Returns:
            Rows (k, width).
        """
        k = check_integer("k", k)
        check_type("rng", rng, np.random.Generator, GENERATOR)
        self.require_rows(k, f"a sample of k={shorten(k)}")
        return self._sample(k, rng)

    def _sample(self, k: int, rng: np.random.Generator) -> Rows:
        """`sample` of checked arguments."""
        return self._draw(k, rng)

    def example(self) -> Rows:
        """One element to try things with, a row (1, width); the identity of a group."""
        return self._draw(1, np.random.default_rng(0))

    def check(self, elements: ArrayLike, name: str = "elements") -> Rows:
        """The elements as rows (k, width) of the right type.

        Args:
            elements: numbers (k, width).
            name: what the message calls them.

        Raises:
            ElementError: if a row is not an element; the message gives the first.
        """
        rows = np.ascontiguousarray(check_rows(name, elements, self.width, self.row_dtype))
        inside = self._contains(rows)
        if not inside.all():
            wrong = np.flatnonzero(~inside)
            first = f"{name}[{wrong[0]}] = {shorten(rows[wrong[0]].tolist())} is not an element"
            raise ElementError(f"{first} of {self.name}; {wrong.size} rows are not{self.row_hint}.")
        return rows

    def contains(self, elements: ArrayLike) -> NDArray[np.bool_]:
        """For each row of an array (k, width), whether it is an element."""
        return self._contains(check_rows("elements", elements, self.width, self.row_dtype))

    def require_rows(self, count: int, what: str, width: int | None = None) -> None:
        """Raise a `GroupTooLargeError` where so many rows would be an array of over a gibibyte.

        Args:
            count: how many rows.
            what: what asks for them, for the message.
            width: of a row, if it is not that of the distribution.
        """
        width, what = self.width if width is None else width, f"{what} of {self.name}"
        require_work("row", width, f"a row of {what}", remedy="use a smaller group")
        remedy = "ask for fewer at a time, or use a smaller group"
        require_work("array", count * width, what, remedy=remedy)


def group_of(distribution: Distribution) -> Group:
    """The distribution itself where it is a group; else a `NotAGroupError`.

    What needs products, inverses or degrees asks for the group, and so is refused here.
    """
    if distribution.is_group:
        return cast("Group", distribution)
    raise NotAGroupError(
        f"{distribution.name} is a distribution and no group, and this needs products, inverses or "
        "degrees; use Oracle, orbit_spectrum, choose, design(distribution, m=, spectrum=) or audits."
    )
