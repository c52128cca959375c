"""Several arrays moved by one element: a tuple or a dict of them, each by an action of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions.arrays import Array, Shape, is_tensor, namespace
from sparseaug.actions.base import KINDS, Action, Kind, require_action, require_same_group
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Distribution, Group, Rows
from sparseaug.groups.distributions.base import group_of


@final
@dataclass(frozen=True)
class Together(Action):
    """g.(x_1, x_2, ...) = (g.x_1, g.x_2, ...), each part by its own action of one group.

    Without names the parts are those of a tuple, with names those of a dict.
    """

    actions: tuple[Action, ...]
    names: tuple[str, ...] = ()

    @property
    def distribution(self) -> Distribution:
        return self.actions[0].distribution

    @property
    def group(self) -> Group:  # type: ignore[override]
        return group_of(self.distribution)

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
        given = f"a dict of {shorten([*x])}" if isinstance(x, Mapping) else f"a {type(x).__name__}"
        raise ArgumentError(f"x is {given}, but the action moves {wanted} together; give that.")


@final
@dataclass(frozen=True)
class Stay(Action):
    """g.x = x."""

    of: Distribution
    kind = "entries"

    @property
    def distribution(self) -> Distribution:
        return self.of

    @property
    def group(self) -> Group:  # type: ignore[override]
        return group_of(self.of)

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        return (np.empty((len(elements), 0), np.int64),)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        """Copies, since what is moved may be changed."""
        copies = namespace(x).broadcast_to(x, (prepared[0].shape[0], *x.shape[1:]))
        return copies.clone() if is_tensor(x) else copies.copy()


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
    given = named or {f"actions[{k}]": action for k, action in enumerate(actions)}
    moving = {name: action for name, action in given.items() if action is not None}
    if not moving or (actions and named):
        raise ArgumentError("together takes actions, as (a, b), or named ones; give one kind.")
    one, first = next(iter(moving.items()))
    require_action(first, one)
    for name, action in moving.items():
        require_same_group(first, action, name)
    stay = Stay(first.distribution)
    parts = tuple(stay if action is None else action for action in given.values())
    return Together(parts, tuple(named))
