"""The product of two actions on one array: they must commute, unless one is of a mere distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

from numpy.typing import NDArray

from sparseaug.actions.arrays import Array, Shape
from sparseaug.actions.base import KINDS, Action, Kind, require_action
from sparseaug.actions.custom import untried
from sparseaug.actions.laws import is_moved, require_commuting, require_commuting_on
from sparseaug.actions.random import Chain
from sparseaug.actions.together import Together
from sparseaug.errors import ArgumentError
from sparseaug.groups import Group, Rows, direct_product


@final
@dataclass(frozen=True)
class ProductAction(Action):
    """(g, h).x = g.(h.x), for two actions on the same array that commute.

    That they do is checked on generators when a shape is first met (`sparseaug.actions.laws`).
    """

    first: Action
    second: Action
    lawful = False
    _tried: set[Shape] = field(default_factory=set, init=False, repr=False, compare=False)

    @cached_property
    def group(self) -> Group:  # type: ignore[override]
        return direct_product(self.first.group, self.second.group)

    @property
    def parts(self) -> int:  # type: ignore[override]
        return self.first.parts + self.second.parts

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return max(self.first.kind, self.second.kind, key=KINDS.index)

    def moved_axes(self, ndim: int) -> frozenset[int] | None:
        one, other = self.first.moved_axes(ndim), self.second.moved_axes(ndim)
        return None if one is None or other is None else one | other

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        middle = self.first.group.width
        one, other = elements[:, :middle], elements[:, middle:]
        arrays = (
            *self.first.prepare(one.astype(self.first.group.row_dtype, copy=False), shape),
            *self.second.prepare(other.astype(self.second.group.row_dtype, copy=False), shape),
        )
        if self.kind != "custom" and shape[1:] not in self._tried:
            require_commuting(self.first, self.second, shape[1:])
            self._tried.add(shape[1:])
        return arrays

    def place(self, prepared: Sequence[NDArray[Any]], x: Array) -> list[Array]:
        middle = self.first.parts
        return [*self.first.place(prepared[:middle], x), *self.second.place(prepared[middle:], x)]

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """The second action's part first."""
        if self.kind == "custom" and (few := untried(self._tried, x)) is not None:
            require_commuting_on(self.first, self.second, few)
            if is_moved(self.first, few) and is_moved(self.second, few):
                self._tried.add(tuple(few.shape[1:]))
        middle = self.first.parts
        return self.first.apply(prepared[:middle], self.second.apply(prepared[middle:], x))


def product_action(a: Action, b: Action) -> ProductAction | Chain:
    """The direct product acts on one array by both: (g, h).x = g.(h.x). The two must commute.

    Where one of them is of a distribution that is no group, both are drawn independently, and nothing
    needs to commute: b moves x first, then a.

    Actions on different axes do. Others are compared when the product is first used with a shape, on
    all pairs of generators, and a `LawError` says which do not commute: shifts with turns or flips are
    elements of `grid_symmetries`, permutations with signs of `hyperoctahedral`.

    Args:
        a: acts by the first factor of the group
        b: acts by the second, and first on x

    Examples:
        >>> import sparseaug as sa
        >>> reorder, flip = sa.permute_axis(sa.symmetric(4), 1), sa.flip_signs(sa.sign_flips(3))
        >>> sa.product_action(reorder, flip).group.name
        'S4xZ2^3'
    """
    for name, action in {"a": a, "b": b}.items():
        require_action(action, name)
        if isinstance(action, Together):
            raise ArgumentError(f"{name} moves several arrays; make products within together.")
    if not (a.distribution.is_group and b.distribution.is_group):
        return Chain(a, b)
    return ProductAction(a, b)
