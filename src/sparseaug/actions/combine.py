"""Actions made of others (products, several arrays moved together), or of a user's function.

Whether two actions on one array commute, so that the direct product of their groups acts.

If a(b x) = b(a x) for generators a of one group and b of the other, it holds for all elements. Actions
on different axes commute: x is a tensor, and they act on different factors. Otherwise each pair of
generators is compared on data:

entries and signs  on one sample that holds 1, 2, 3, ...: a(b x) and b(a x) are permutations of it with
                   signs, and so are equal for every x if for this one; a proof
matrices           on four random samples, within 1e-9 of the largest entry; linear maps that differ by
                   more than that are recognised, but nothing is proved
a user's function  on the data it is given, within the same tolerance; of other data nothing is known

A user's function itself is held to the laws of a left action in the same way: on the first data of each
shape that it moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_callable, require_work
from sparseaug.actions.arrays import (
    Array,
    Shape,
    as_numpy,
    is_tensor,
    is_traced,
    library,
    namespace,
    type_name,
)
from sparseaug.actions.base import (
    KINDS,
    Action,
    Kind,
    differences,
    is_moved,
    require_action,
    require_law,
)
from sparseaug.errors import ArgumentError, LawError, SparseAugError, shorten, shorten_text
from sparseaug.groups import Group, Rows, as_group, direct_product

_COMPARED = 8
"""Samples on which a user's function must commute with the other action of a product."""

_PAIRS = 2
"""Random elements b on which a user's function must be an action, besides generators."""


@final
@dataclass(frozen=True)
class ProductAction(Action):
    """(g, h).x = g.(h.x), for two actions on the same array that commute.

    That they do is checked on generators when a shape is first met (`sparseaug.actions.combine`).
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
        if self.kind == "custom" and (few := _untried(self._tried, x)) is not None:
            require_commuting_on(self.first, self.second, few)
            if is_moved(self.first, few) and is_moved(self.second, few):
                self._tried.add(tuple(few.shape[1:]))
        middle = self.first.parts
        return self.first.apply(prepared[:middle], self.second.apply(prepared[middle:], x))


@final
@dataclass(frozen=True)
class Together(Action):
    """g.(x_1, x_2, ...) = (g.x_1, g.x_2, ...), each part by its own action of one group.

    Without names the parts are those of a tuple, with names those of a dict.
    """

    actions: tuple[Action, ...]
    names: tuple[str, ...] = ()

    @property
    def group(self) -> Group:  # type: ignore[override]
        return self.actions[0].group

    @property
    def parts(self) -> int:  # type: ignore[override]
        return sum(action.parts for action in self.actions)

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        # no key=: torch.compile cannot trace it
        return KINDS[max([KINDS.index(action.kind) for action in self.actions])]

    @property
    def lawful(self) -> bool:  # type: ignore[override]
        return all(action.lawful for action in self.actions)

    def over(self, x: Any) -> Together:
        """Itself, each part's action being the one that moves that part of x."""
        parts = self._split(x)
        actions = tuple(action.over(part) for action, part in zip(self.actions, parts, strict=True))
        same = all(new is old for new, old in zip(actions, self.actions, strict=True))
        return self if same else Together(actions, self.names)

    def prepare(self, elements: Rows, shape: Any) -> tuple[NDArray[Any], ...]:
        """The arrays of all parts, one after the other; `shape` has the form of the data."""
        shapes = self._split(shape)
        return tuple(
            array
            for action, part in zip(self.actions, shapes, strict=True)
            for array in action.prepare(elements, part)
        )

    def place(self, prepared: Sequence[NDArray[Any]], x: Any) -> list[Array]:
        pieces = zip(self.actions, self._pieces(prepared), self._split(x), strict=True)
        return [array for action, piece, part in pieces for array in action.place(piece, part)]

    def named(self) -> dict[str, Action]:
        return dict(zip(self.names, self.actions, strict=False))

    def apply(self, prepared: Sequence[Array], x: Any) -> Any:
        pieces = zip(self.actions, self._pieces(prepared), self._split(x), strict=True)
        moved = [action.apply(piece, part) for action, piece, part in pieces]
        if self.names:
            return dict(zip(self.names, moved, strict=True))
        return x._make(moved) if hasattr(x, "_make") else tuple(moved)

    def _pieces(self, prepared: Sequence[Array]) -> list[Sequence[Array]]:
        pieces, start = [], 0
        for action in self.actions:
            pieces.append(prepared[start : start + action.parts])
            start += action.parts
        return pieces

    def _split(self, x: Any) -> Sequence[Any]:
        """The parts of x in the order of the actions, or an `ArgumentError` if x has another form."""
        if not self.names and isinstance(x, tuple) and len(x) == len(self.actions):
            return x
        if self.names and isinstance(x, Mapping) and set(x) == set(self.names):
            return [x[name] for name in self.names]
        wanted = f"a dict of {[*self.names]}" if self.names else f"a tuple of {len(self.actions)}"
        given = f"one {type(x).__name__}"
        if isinstance(x, tuple | Mapping):
            given = f"a tuple of {len(x)}" if isinstance(x, tuple) else f"a dict of {shorten([*x])}"
        raise ArgumentError(f"x is {given}, but the action moves {wanted} together; give that.")


@final
@dataclass(frozen=True)
class Stay(Action):
    """g.x = x."""

    group: Group
    kind = "entries"

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        return (np.empty((len(elements), 0), np.int64),)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Copies, since what is moved may be changed."""
        copies = namespace(x).broadcast_to(x, (prepared[0].shape[0], *x.shape[1:]))
        return copies.clone() if is_tensor(x) else copies.copy()


@final
@dataclass(frozen=True)
class CustomAction(Action):
    """A user's function (elements (k, width), x (n, ...)) -> (k, n, ...)."""

    group: Group
    function: Callable[[Rows, Array], Array]
    _tried: set[Shape] = field(default_factory=set, init=False, repr=False, compare=False)

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """A copy of the rows, which the function may change; it does the rest."""
        return (elements.copy(),)

    def place(self, prepared: Sequence[NDArray[Any]], x: Array) -> list[Array]:
        """Rows stay NumPy's wherever x lives."""
        return list(prepared)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Call the function; once per element where each has data of its own."""
        rows = as_numpy(prepared[0])
        if (few := _untried(self._tried, x)) is not None:
            self._require_law(few[:1])
        if x.shape[0] == 1 or not len(rows):
            return self._moved(rows, x[0])
        moved = [self._moved(rows[j : j + 1], x[j]) for j in range(len(rows))]
        return namespace(x).concatenate(moved)

    def _require_law(self, x: Array) -> None:
        """The law on this sample; not again for others of its shape if it is one that moves."""
        shape = tuple(x.shape[1:])
        alone = CustomAction(self.group, self.function)  # which is not tried while it is
        alone._tried.add(shape)
        require_law(alone, x, pairs=_PAIRS)
        if is_moved(alone, x):
            self._tried.add(shape)

    def _moved(self, rows: Rows, x: Array) -> Array:
        """What the function makes of x, which must be an array of x's library, (k, n, ...)."""
        y = self.function(rows, x)
        if library(y) != library(x):
            raise ArgumentError(
                f"function returned a {type_name(y)} for data that are a {type_name(x)}; return an "
                "array (k, n, ...) of the same library."
            )
        wanted = (len(rows), *x.shape)
        if tuple(y.shape) != wanted:
            raise ArgumentError(
                f"function returned shape {tuple(y.shape)}; for {len(rows)} elements and x of "
                f"shape {tuple(x.shape)} return {wanted}."
            )
        return y


def _untried(tried: set[Shape], x: Array) -> Array | None:
    """Samples (n, ...) of x (k, n, ...) to try a user's function on, where their shape is new.

    None of data without values. Two threads may both try; a set takes both answers.
    """
    if tuple(x.shape[2:]) in tried or not math.prod(x.shape) or is_traced(x):
        return None
    return x[0][:_COMPARED]


def product_action(a: Action, b: Action) -> ProductAction:
    """The direct product acts on one array by both: (g, h).x = g.(h.x). The two must commute.

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
    for name, action in (("a", a), ("b", b)):
        require_action(action, name)
        if isinstance(action, Together):
            raise ArgumentError(
                f"{name} moves several arrays together; make the product for each array, as "
                "together(image=product_action(a, b), ...)."
            )
    return ProductAction(a, b)


def together(*actions: Action | None, **named: Action | None) -> Together:
    """Move several arrays by one element: a tuple of arrays, or a dict of them where names are given.

    Each part has an action of its own, all of one group. Wherever data are moved (`augment`, data sets,
    `OrbitBatch`, `OrbitAverage`, `ModuleRisk`, `invariance_error`) x is then such a tuple or dict, and
    a model is called as model(*x) or model(**x). Parts may again be tuples or dicts.

    Args:
        actions: one for each part of a tuple; None for a part that stays as it is
        named: one for each part of a dict, by name, instead

    Returns:
        An action of the same group. Its `kind` is the loosest of its parts'.

    Raises:
        ArgumentError: for actions of different groups, or both positional and named ones.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> turn = sa.rotate_grid(sa.cyclic(4))
        >>> act = sa.together(image=turn, mask=turn)
        >>> x = {"image": np.arange(12.0).reshape(1, 3, 2, 2), "mask": np.eye(2, dtype=int)[None]}
        >>> moved = act([[1]], x)
        >>> moved["image"].shape, moved["mask"].tolist()
        ((1, 1, 3, 2, 2), [[[[0, 1], [1, 0]]]])
        >>> sets = sa.symmetric(3)
        >>> pair = sa.together(sa.permute_axis(sets), sa.permute_axis(sets, 1))
        >>> [part.shape for part in pair(sets.identity(), (np.ones((5, 3)), np.ones((5, 3, 2))))]
        [(1, 5, 3), (1, 5, 3, 2)]
        >>> sa.together(energy=None, forces=sa.rotate(sa.rotations(3))).group.name
        'SO3'
    """
    if bool(actions) == bool(named):
        raise ArgumentError(
            "together takes actions for a tuple, together(a, b), or by name for a dict, "
            "together(image=a, mask=b); give one of the two."
        )
    given = named or {f"actions[{k}]": action for k, action in enumerate(actions)}
    moving = {name: action for name, action in given.items() if action is not None}
    if not moving:
        raise ArgumentError("together moves nothing; give an action for one part at least.")
    one, first = next(iter(moving.items()))
    for name, action in moving.items():
        require_action(action, name)
        if action.group != first.group:
            raise ArgumentError(
                f"{name} is of {action.group.name}, but {one} is of {first.group.name}; "
                "one element moves all parts: use one group."
            )
    parts = tuple(Stay(first.group) if action is None else action for action in given.values())
    return Together(parts, tuple(named))


def custom_action(
    group: Group | str, function: Callable[[Rows, Array], Array], *, samples: Array | None = None
) -> CustomAction:
    """An action by a user's own function.

    Args:
        group: any group
        function: maps elements (k, width) and x (n, ...) to the moved samples (k, n, ...). The laws of a
            left action are tried on the first sample of each shape, wherever it is first used
        samples: data on which they are checked at once, with more elements

    Raises:
        LawError: if a law fails on the samples, here or where it is used.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> def swap(elements, x):
        ...     return np.where(elements[:, :, None] == 1, x[:, ::-1], x)
        >>> act = sa.custom_action(sa.cyclic(2), swap, samples=np.array([[1.0, 2.0]]))
        >>> act(np.array([[1]]), np.array([[1.0, 2.0]]))
        array([[[2., 1.]]])
    """
    group = as_group(group)
    check_callable("function", function)
    action = CustomAction(group, function)
    if samples is not None:
        try:
            require_law(action, samples, name="samples")
        except SparseAugError:
            raise
        except Exception as error:
            raise ArgumentError(
                f"function fails on samples, with {type(error).__name__}: {shorten_text(str(error))}"
            ) from error
    return action


TOLERANCE = 1e-9
"""How far a(b x) and b(a x) may differ where values are computed, of the largest entry."""

_BLOCK = 1 << 22  # entries at a time


def require_commuting(first: Action, second: Action, shape: Shape) -> None:
    """Raise a `LawError` unless the two commute on samples of this shape; not for user's functions."""
    axes = first.moved_axes(len(shape)), second.moved_axes(len(shape))
    if axes[0] is not None and axes[1] is not None and axes[0].isdisjoint(axes[1]):
        return
    size = math.prod(shape)
    if {first.kind, second.kind} <= {"entries", "signs"}:
        x = np.arange(1.0, size + 1.0).reshape(1, *shape)
    else:
        x = np.random.default_rng(0).standard_normal((4, *shape))
    require_commuting_on(first, second, x)


def require_commuting_on(first: Action, second: Action, x: Array) -> None:
    """Raise a `LawError` unless the generators of the two commute on these samples (n, ...)."""
    ours, theirs = first.group.generators(), second.group.generators()
    size = math.prod(x.shape)
    require_work(
        "commuting",
        len(ours) * len(theirs) * size,
        f"product_action of {first.group.name} and {second.group.name}, compared by generators,",
        remedy="let them move different axes, or make one group of them",
    )
    exact = {first.kind, second.kind} <= {"entries", "signs"}
    step = max(1, _BLOCK // max(1, size))
    for start in range(0, len(theirs), step):
        block = theirs[start : start + step]
        moved = second(block, x)
        for a in ours[:, None]:
            once = second(block, first(a, x)[0])
            flat = moved.reshape((moved.shape[0] * moved.shape[1], *moved.shape[2:]))
            other = first(a, flat)[0].reshape(once.shape)
            one, two = as_numpy(once), as_numpy(other)
            rounded = not exact and one.dtype.kind in "fc"
            tolerance = max(TOLERANCE, 1e3 * float(np.finfo(one.dtype).eps)) if rounded else 0.0
            differs = differences(one, two, tolerance).reshape(len(block), -1).any(axis=1)
            if differs.any():
                b, shape = block[differs.argmax()], one.shape[2:]
                raise LawError(
                    f"the two actions of product_action do not commute on samples of shape {shape}: the "
                    f"generator {a[0].tolist()} of {first.group.name} ({type(first).__name__}) and the "
                    f"generator {b.tolist()} of {second.group.name} ({type(second).__name__}) give "
                    "different results in different order. For shifts with turns and flips use "
                    "grid_symmetries(n) with move_grid, for permutations with signs "
                    "hyperoctahedral(n) with signed_permute; others may act on different axes, or as "
                    "one permutation_group or matrix_group."
                )
