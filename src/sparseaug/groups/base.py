"""What a group is here: rows of numbers, and a bijection between rows and digits.

Every finite group of this package is a product of independent uniform choices: digits d_1, ..., d_L
with 0 <= d_i < radices[i] are in one-to-one correspondence with the elements. Order, exactly uniform
sampling, rank, unrank and enumeration follow from that bijection and are written once, here. Rotations
have infinitely many elements: their rows are real numbers and their digits cells of equal measure.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import (
    LIMITS,
    check_array,
    check_choice,
    check_flag,
    check_integer,
    check_rows,
    require_work,
)
from sparseaug.errors import (
    ArgumentError,
    ElementError,
    GroupTooLargeError,
    UnsupportedError,
    shorten,
)
from sparseaug.groups.degrees.blocks import Degrees, IrrepDegrees
from sparseaug.groups.degrees.counts import Count
from sparseaug.groups.degrees.graded import require_degree
from sparseaug.groups.degrees.points import Points
from sparseaug.groups.distributions.base import Distribution
from sparseaug.groups.orders import ENUMERATION_LIMIT, format_order, product_by_halves
from sparseaug.groups.permutations import Rows, digits_of_rank, rank_of_digits, uniform_digits
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.representations import (
    DimensionSum,
    Faithful,
    Irrep,
    Isomorphism,
    counted_dimension_sum,
    infinite,
    left_multiplication,
)
from sparseaug.groups.subgroups import closure

_CHUNK = 1 << 16  # entries drawn at a time, in cache; part of what a seed means, never to change


class Group(Distribution):
    """A group. Elements come in batches, arrays of `row_dtype` of shape (k, width), one row each.

    A family is a frozen dataclass of hashable fields (equality, hash, repr and pickle are those of
    plain data) with four members: `name`, `radices`, `_compose` and `_inverse`. Everything else has
    a default, which a family replaces where it knows better; one whose rows are not their digits
    also has `_from_digits` and `_to_digits`. One whose `irreps()` carry degrees says so, and gives its
    `highest_degree`: then it has all that goes by degree. The public methods check arrays and call those
    with an underscore, which see arrays of `row_dtype` and of the right shape.

    Attributes:
        row_dtype: int64; float64 for rotations and for products with them
        is_finite: False for rotations and for products with them: their order is `math.inf`
        rounding: `distance` of a computed product from the true one, at most; 0 for integer rows
        moduli: of an abelian group whose rows are exponents modulo these; None for all other groups
        transform: the family's own way to its irreps: "characters", "dihedral", "young", "signed" or
            "wigner"; or none
        is_signs: whether its rows are bits that add modulo 2: sign flips
        rotates_space: whether it turns three-dimensional space: SO(3) and O(3)
        factors: of a direct product; empty for all other groups
        even: of S_n: only the even permutations, A_n
        signed_axes: how many axes it permutes with signs, in all ways; 0 for all other groups
        shift_axes: how many axes it shifts: the first entries of a row are shifts, the others what else
            it does, which keeps the lengths of frequencies; 0 for all other groups
        irreps_have_degrees: whether `irreps()` gives each a degree
        degree_meaning: what degrees count
        gradings: by what its functions can be ordered: "degree", and of abelian groups "frequency"
        row_hint: what a message adds on rows that are not elements
        quotients_at_once: how many of them are counted in the time of one of most groups
    """

    is_group: ClassVar[bool] = True
    is_finite: bool = True
    rounding: float = 0.0
    moduli: tuple[int, ...] | None = None
    transform: ClassVar[str] = ""
    is_signs: bool = False
    rotates_space: bool = False
    factors: tuple[Group, ...] = ()
    even: bool = False
    signed_axes: int = 0
    shift_axes: int = 0
    irreps_have_degrees: bool = False
    degree_meaning: str = "coordinates at a time"
    gradings: tuple[str, ...] = ("degree",)
    quotients_at_once: int = 1

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]

    @property
    @abstractmethod
    def name(self) -> str:
        """What the group is called, for instance "S6"."""

    @property
    @abstractmethod
    def radices(self) -> tuple[int, ...]:
        """How many values each digit takes; their product is the order."""

    @abstractmethod
    def _compose(self, a: Rows, b: Rows) -> Rows:
        """`compose` on rows of the group's type."""

    @abstractmethod
    def _inverse(self, a: Rows) -> Rows:
        """`inverse` on rows of the group's type."""

    def _from_digits(self, digits: Rows) -> Rows:
        """The elements (k, width) with these digits, int64 (L, k)."""
        return np.ascontiguousarray(digits.T)

    def _to_digits(self, elements: Rows) -> Rows:
        """`to_digits` on rows of the group's type; the inverse of `_from_digits`."""
        return elements.T

    def _contains(self, elements: Rows) -> NDArray[np.bool_]:
        """`contains` on rows of the group's type."""
        if type(self)._to_digits is Group._to_digits:  # rows are their digits
            return np.all((elements >= 0) & (elements < self._radix_array), axis=1)
        digits = self._to_digits(elements)
        inside = np.all((digits >= 0) & (digits < self._radix_array[:, None]), axis=0)
        inside[inside] = (self._from_digits(digits[:, inside]) == elements[inside]).all(axis=1)
        return inside

    def _permutations(self, elements: Rows) -> Rows:
        """`permutations` on rows of the group's type; of groups with `points`."""
        raise NotImplementedError

    @cached_property
    def width(self) -> int:
        """Numbers in the row of one element."""
        return self._from_digits(np.zeros((len(self.radices), 1), np.int64)).shape[1]

    @cached_property
    def is_abelian(self) -> bool:
        """Whether ab = ba for all a, b."""
        rows = self.generators()
        return all(
            np.array_equal(self.compose(g, rows), self.compose(rows, g)) for g in rows[:, None]
        )

    @property
    def has_integer_characters(self) -> bool:
        """Whether all characters are known to have integer values."""
        return False

    def to_digits(self, elements: ArrayLike) -> Rows:
        """Digits (L, k) of these elements (k, width)."""
        return self._to_digits(self.check(elements))

    def example(self) -> Rows:
        """The identity."""
        return self.identity()

    @property
    def dimensions(self) -> int | None:
        """How many uniform numbers `quantile` turns into one element; None of rotations."""
        return len(self.radices) if self.is_finite else None

    def _quantile(self, u: NDArray[np.float64]) -> Rows:
        return self._from_digits((u.T * self._radix_array[:, None]).astype(np.int64))

    def permutations(self, elements: ArrayLike) -> Rows:
        """Image arrays (k, points) of the natural action on points: p[i] = g(i)."""
        if self.points is None:
            raise UnsupportedError(f"{self.name} does not permute points; use a group that does.")
        rows = check_rows("elements", elements, self.width, self.row_dtype)
        self.require_rows(len(rows), "permutations()", self.points)
        return self._guarded(self._permutations, "elements", rows)

    def _guarded(self, method: Callable[..., Any], name: str, *rows: Rows) -> Any:
        """The method of rows that may be no elements: then it fails, or makes what is not finite."""
        with suppress(IndexError):
            found = method(*rows)
            if found.dtype.kind != "f" or np.isfinite(found).all():
                return found
        raise ElementError(f"{name} has rows that are not elements of {self.name}; see contains().")

    def generators(self) -> Rows:
        """A few elements that generate the group (none for the trivial group)."""
        return closure(self, self.all_elements())[1]

    def closure(self, elements: ArrayLike) -> NDArray[np.bool_]:
        """For each rank, whether it is in the subgroup that `elements` generate."""
        return closure(self, self.check(elements))[0]

    def dimension_sum(self) -> DimensionSum:
        """The sum of d_pi over the non-trivial irreps pi, or an upper bound on it.

        Returns:
            `value`, never above the order less 1, and whether it is `exact`.

        Examples:
            >>> import sparseaug as sa
            >>> sa.symmetric(6).dimension_sum()
            DimensionSum(value=75, exact=True)
        """
        return counted_dimension_sum(self)

    def faithful(self) -> Faithful | None:
        """A faithful permutation representation on few points; None if none is known.

        Examples:
            >>> import numpy as np
            >>> import sparseaug as sa
            >>> sa.sign_flips(3).faithful().images(np.array([[0, 1, 0]]))
            array([[0, 1, 3, 2, 4, 5]])
        """
        if self.points is not None:
            return Faithful(self.points, self.permutations)
        return left_multiplication(self)

    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
        """How far elements are from each other; 0 or 1 in a group whose rows are integers.

        Args:
            a: rows (k, width).
            b: as many rows, or one.
        """
        left, right = self._pair(a, b)
        return (left != right).any(axis=-1).astype(np.float64)

    def known_as(self) -> Isomorphism:
        """A family that the group turned out to be, with its degrees and better methods; or itself.

        Examples:
            >>> import sparseaug as sa
            >>> sa.permutation_group([[1, 0, 2, 3], [1, 2, 3, 0]]).known_as().group.name
            'S4'
        """
        return Isomorphism(self)

    @property
    def points(self) -> int | None:
        """Number of points that `permutations` moves, faithfully; None if there are no natural ones."""
        return None

    def irreps(self) -> Iterator[Irrep]:
        """Every irreducible representation up to equivalence, the trivial one first."""
        if not self.is_finite:
            raise infinite(self)
        raise UnsupportedError(f"irreps of {self.name} are not known; deviation(S) does without.")

    def irreps_to(self, degree: int) -> Iterator[Irrep]:
        """The irreps of at most this degree, the trivial one first.

        Args:
            degree: of an irrep, as `Irrep.degree` has it.
        """
        return self._irreps_to(check_integer("degree", degree))

    def _irreps_to(self, degree: int) -> Iterator[Irrep]:
        for irrep in self.irreps():
            if (irrep.degree or 0) <= degree:
                yield irrep

    @property
    def highest_degree(self) -> int | None:
        """The degree that every function has at most; None where degrees are not defined."""
        return self.points

    def degrees(self, by: str | None = None, *, whole: bool = False) -> Degrees:
        """The blocks that the functions on the group fall into, the trivial one left out.

        Args:
            by: "degree" or "frequency" of an abelian group; frequency for shifts by default
            whole: whether all values of a function are known: then irreps one by one, where they can be

        Raises:
            UnsupportedError: degrees are not defined. GroupTooLargeError: they are out of reach.

        Examples:
            >>> import sparseaug as sa
            >>> blocks = sa.symmetric(4).degrees()
            >>> blocks.meaning, dict(zip(blocks.names, blocks.degrees))
            ('coordinates at a time', {'(3, 1)': 1, '(2, 2)': 2, '(2, 1, 1)': 2, '(1, 1, 1, 1)': 3})
        """
        grading = by if by is None else check_choice("by", by, self.gradings)
        return self._degrees(grading, whole=check_flag("whole", whole))

    def _degrees(self, by: str | None, *, whole: bool) -> Degrees:
        return IrrepDegrees.of(self) if self.irreps_have_degrees else Points.of(self, whole=whole)

    def _counted(self, S: Multiset, most: int | None) -> list[Count] | None:
        """`counted`, where the family has characters in integers."""
        return None

    def _class_keys(self, elements: Rows) -> Rows:
        """An integer for each element, the same only for elements of one class."""
        return self._rank(elements)

    def _class_characters(self, element: Rows) -> dict[str, int] | None:
        """The characters of all irreps at an element, by name, but for 0; None without a formula."""
        return None

    def dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        """For each degree from 0 to this one the sum of d_pi over its irreps, or an upper bound.

        Args:
            degree: from 1 to the highest

        Returns:
            The sums, of which the first has the trivial irrep, and whether they are exact.

        Examples:
            >>> import sparseaug as sa
            >>> sa.symmetric(10).dimensions_by_degree(2)
            ([1, 9, 71], True)
        """
        return self._dimensions_by_degree(require_degree(self, degree))

    # all irreps of degree k together occur in the functions of k-tuples of points
    def _dimensions_by_degree(self, degree: int) -> tuple[list[int], bool]:
        if self.irreps_have_degrees:
            sums = [0] * (degree + 1)
            for irrep in self._irreps_to(degree):
                sums[irrep.degree or 0] += irrep.dimension
            return sums, True
        points = [math.perm(self.points or 0, k) for k in range(1, degree + 1)]
        return [1, *(max(0, size - 1) for size in points)], False

    def to_dict(self) -> dict[str, Any]:
        """The group as JSON data, understood by `sparseaug.groups.from_dict`."""
        return {"name": self.name}

    @cached_property
    def order(self) -> int:
        """Number of elements, exact; refused where it has more than four million bits.

        It is `math.inf` for rotations, which compares with every number as it should.
        """
        if not self.is_finite:
            return math.inf  # type: ignore[return-value]  # integers are what others count with
        bits = math.floor(self.log_order / math.log(2)) + 1
        require_work("order", bits, f"the order of {self.name}", remedy="use log_order")
        return product_by_halves(self.radices)

    @property
    def log_order(self) -> float:
        """Natural logarithm of the order."""
        if not self.is_finite:
            return math.inf
        return math.fsum(map(math.log, self.radices))

    def compose(self, a: ArrayLike, b: ArrayLike) -> Rows:
        """The products ab: first b, then a. The rows are assumed to be elements and not checked.

        Args:
            a: rows (..., width).
            b: rows whose leading shape broadcasts with that of a.

        Returns:
            Rows of the common leading shape.

        Examples:
            >>> import sparseaug as sa
            >>> sa.symmetric(3).compose([[1, 0, 2]], [[1, 2, 0]])
            array([[0, 2, 1]])
        """
        return self._guarded(self._compose, "a or b", *self._pair(a, b))

    def _pair(self, a: ArrayLike, b: ArrayLike) -> tuple[Rows, Rows]:
        """Both as rows, as many of each or one."""
        left, right = self._rows("a", a), self._rows("b", b)
        try:
            np.broadcast_shapes(left.shape, right.shape)
        except ValueError as error:
            raise ElementError(f"a and b do not go together: {error}; give one or all.") from error
        return left, right

    def inverse(self, a: ArrayLike) -> Rows:
        """The inverses of a. The rows are assumed to be elements and not checked."""
        return self._guarded(self._inverse, "a", self._rows("a", a))

    def identity(self) -> Rows:
        """The neutral element, one row (1, width)."""
        return self._from_digits(np.zeros((len(self.radices), 1), np.int64))

    def _sample(self, k: int, rng: np.random.Generator) -> Rows:
        rows = np.empty((k, self.width), self.row_dtype)
        step = max(1, _CHUNK // max(1, self.width, len(self.radices)))
        for start in range(0, k, step):
            block = rows[start : start + step]
            block[:] = self._draw(len(block), rng)
        return rows

    def _draw(self, k: int, rng: np.random.Generator) -> Rows:
        """k uniform elements, few enough for one block."""
        return self._from_digits(uniform_digits(self._radix_array, k, rng))

    def rank(self, elements: ArrayLike) -> Rows:
        """Number of each element in 0..order-1; the identity has rank 0."""
        self.require_order((1 << 63) - 1, "rank")
        return self._rank(self.check(elements))

    def _rank(self, elements: Rows) -> Rows:
        """`rank` of rows that are elements, of a group whose ranks fit an integer of 64 bits."""
        return rank_of_digits(self._radix_array, self._to_digits(elements))

    def unrank(self, ranks: ArrayLike) -> Rows:
        """The elements with these ranks, the inverse of `rank`."""
        self.require_order((1 << 63) - 1, "unrank")
        numbers = np.atleast_1d(check_array("ranks", ranks))
        if numbers.ndim != 1 or not ((numbers >= 0) & (numbers < self.order)).all():
            raise ArgumentError(f"ranks={shorten(ranks)} is not a list in 0..{self.order - 1}.")
        self.require_rows(len(numbers), "unrank")
        return self._unrank(numbers)

    def _unrank(self, ranks: Rows) -> Rows:
        """`unrank` of an array (k,) of ranks."""
        return self._from_digits(digits_of_rank(self._radix_array, ranks))

    def elements(self, *, block: int = 1 << 16) -> Iterator[Rows]:
        """All elements in rank order, in blocks of rows.

        Args:
            block: rows in a block, at most.

        Raises:
            GroupTooLargeError: if there are more than ten million elements.
        """
        block = check_integer("block", block, at_least=1)
        self.require_order(ENUMERATION_LIMIT, "elements()")
        block = min(block, max(1, LIMITS["array"].most // max(1, self.width)))
        return (
            self._unrank(np.arange(start, min(start + block, self.order)))
            for start in range(0, self.order, block)
        )

    def all_elements(self) -> Rows:
        """All elements in rank order, (order, width), for groups that fit into memory."""
        blocks = self.elements()
        self.require_rows(self.order, "all_elements()")
        return np.concatenate(list(blocks))

    def require_order(self, most: int, operation: str) -> None:
        """Raise a `GroupTooLargeError` where there are more elements than the operation can take.

        Args:
            most: how many it can take.
            operation: what it is, for the message.
        """
        if self.log_order > math.log(most + 1) + 1 or self.order > most:
            many = f"at most {most} elements, but {self.name} has {format_order(self)}"
            raise GroupTooLargeError(f"{operation} needs a group of {many}; use sample() instead.")

    def _rows(self, name: str, elements: ArrayLike) -> Rows:
        """`elements` (..., width) in the type of rows; int64 holds every sum of two."""
        rows = check_array(name, elements, self.row_dtype, ElementError)
        if self.row_dtype == np.float64 and not np.isfinite(rows).all():
            raise ElementError(f"{name} has entries that are not finite; see contains().")
        if rows.ndim < 1 or rows.shape[-1] != self.width:
            raise ElementError(f"{name} has shape {rows.shape}; give shape (k, {self.width}).")
        return rows

    @cached_property
    def _radix_array(self) -> Rows:
        return np.array(self.radices, np.int64).reshape(-1)
