"""Actions of distributions that are no group: a function with a seed, and one action after another.

A row is one map, the same for every sample and in every process: a function draws all its
randomness from a generator that starts from the row, for each sample again. Libraries that draw
from global generators (Python's, NumPy's, torch's) find these at the same seed, and they are put
back after each call.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_callable, check_flag, check_text
from sparseaug.actions.arrays import (
    Array,
    Shape,
    as_numpy,
    is_tensor,
    leaves,
    library,
    map_leaves,
    namespace,
    shapes_of,
    type_name,
)
from sparseaug.actions.base import Action
from sparseaug.actions.laws import differences
from sparseaug.errors import ArgumentError
from sparseaug.groups import Distribution, Group, Rows
from sparseaug.groups.distributions.base import group_of
from sparseaug.groups.distributions.independent import Independent
from sparseaug.groups.distributions.seeds import Seeds

_SEEDING = threading.RLock()  # global generators belong to one call at a time


class RandomAction(Action):
    """An action of a distribution: maps that are drawn, and have neither products nor inverses."""

    lawful = False

    @property
    def group(self) -> Group:  # type: ignore[override]
        """None: a `NotAGroupError`, which is an AttributeError."""
        return group_of(self.distribution)


@final
@dataclass(frozen=True)
class RandomTransform(RandomAction):
    """A user's function (x, rng) -> x. A row is the seed of rng."""

    function: Callable[[Any, np.random.Generator], Any]
    pipeline: str
    batch: bool = False
    any_form = True
    _tried: set[Any] = field(default_factory=set, init=False, repr=False, compare=False)

    @property
    def distribution(self) -> Distribution:
        return Seeds(self.pipeline)

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """The seeds; the function does the rest."""
        return (elements.astype(np.int64),)

    def place(self, prepared: Sequence[NDArray[Any]], x: Array) -> list[Array]:
        """Seeds stay NumPy's wherever x lives."""
        return list(prepared)

    def apply(self, prepared: Sequence[Array], x: Any) -> Any:
        seeds = as_numpy(prepared[0])[:, 0].tolist()
        one, n = leaves(x)[0].shape[0] == 1, leaves(x)[0].shape[1]
        if not seeds or not n:
            return map_leaves(lambda part: part[:0] if not seeds else part, x)
        if self.batch:
            self._require_by_rows(seeds[0], map_leaves(lambda part: part[0], x))
            return _stacked([self._at(x, seed, 0 if one else j) for j, seed in enumerate(seeds)])
        copies = [
            self._at(x, seed, (0 if one else j, i))
            for j, seed in enumerate(seeds)
            for i in range(n)
        ]
        flat = _stacked(copies)
        return map_leaves(lambda part: part.reshape((len(seeds), n, *part.shape[1:])), flat)

    def _at(self, x: Any, seed: int, place: Any) -> Any:
        """The function of the samples at this place; it may write to them."""
        data = map_leaves(lambda part: _copy(part[place]), x)
        with seeded(seed):
            y = self.function(data, np.random.default_rng(seed))
        like = leaves(x)[0]
        for part in leaves(y):
            if library(part) != library(like):
                given = f"a {type_name(part)} for a {type_name(like)}"
                raise ArgumentError(f"function returned {given}; return the same.")
        return y

    def _require_by_rows(self, seed: int, x: Any) -> None:
        """Of a batch the map must not depend on what else is in it; tried on the first of a form."""
        form, n = str(shapes_of(map_leaves(lambda part: part[:1], x))), len(leaves(x)[0])
        if form in self._tried or n < 2:
            return
        whole = self._at(map_leaves(lambda part: part[None], x), seed, 0)
        for i in (0, n - 1):
            alone = self._at(map_leaves(lambda part, i=i: part[None, i : i + 1], x), seed, 0)
            for one, many in zip(leaves(alone), leaves(whole), strict=True):
                own, other = as_numpy(one), as_numpy(many)
                same = len(other) == n and own.shape == (1, *other.shape[1:])
                if not same or differences(own, other[i : i + 1], 1e-4).any():
                    found = "function moves a sample in a batch otherwise than alone"
                    raise ArgumentError(f"{found}; draw once for all, or give batch=False.")
        self._tried.add(form)


def random_transform(
    function: Callable[[Any, np.random.Generator], Any],
    batch: bool = False,
    *,
    name: str | None = None,
) -> RandomTransform:
    """Any random function as an action: an element is the function with one seed.

    `act.distribution` is what the oracle draws. A row is one map, the same for every sample: the
    function sees one sample at a time, each time with a fresh generator of the row's seed. Python's,
    NumPy's and torch's global generators start from it as well, and are put back. On one machine, with
    one version of the libraries, the same row gives the same copy in every process. The result may have
    another shape than the sample, the same for all.

    Args:
        function: function(x, rng) of one sample, an array or a tensor, or a tuple or dict of them,
            and a NumPy generator, returns the moved sample
        batch: whether it takes and returns a batch (n, ...), with one map for all of it; this is
            tried on first use
        name: what it is, with versions, as "crop and blur, kornia 0.8": a sample S of seeds fits only
            actions of the same name; by default the name of the function

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> def jitter(x, rng):
        ...     return np.roll(x, rng.integers(3)) + rng.normal(scale=0.1, size=x.shape)
        >>> act = sa.random_transform(jitter)
        >>> S = sa.Oracle(act.distribution, seed=0).draw(4)
        >>> copies = act(S, np.zeros((5, 8)))
        >>> copies.shape, bool((copies[2] == copies[2, :1]).all())
        ((4, 5, 8), True)
    """
    check_callable("function", function, "function(x, rng)")
    given = getattr(function, "__qualname__", type(function).__qualname__)
    label = given if name is None else check_text("name", name)
    return RandomTransform(function, label, check_flag("batch", batch))


@final
@dataclass(frozen=True)
class Chain(RandomAction):
    """(s, t).x = s.(t.x), s and t drawn independently."""

    first: Action
    second: Action

    @property
    def distribution(self) -> Independent:
        return Independent((self.first.distribution, self.second.distribution))

    @property
    def any_form(self) -> bool:  # type: ignore[override]
        return self.first.any_form and self.second.any_form

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """The rows as bits, which no change of precision may touch: the second may change shapes."""
        return (np.ascontiguousarray(elements).view(np.int64),)

    def place(self, prepared: Sequence[NDArray[Any]], x: Array) -> list[Array]:
        """Rows stay NumPy's wherever x lives."""
        return list(prepared)

    def apply(self, prepared: Sequence[Array], x: Any) -> Any:
        """The second action's part first."""
        of = self.distribution
        rows = np.ascontiguousarray(as_numpy(prepared[0])).view(of.row_dtype)
        for action, piece in zip((self.second, self.first), reversed(of.split(rows)), strict=True):
            one = map_leaves(lambda part: part[0], x)
            arrays = action.place(action.prepare(piece, shapes_of(one)), one)
            x = action.apply(arrays, x)
        return x


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """The global generators of Python, NumPy and torch at this seed, and as they were afterwards."""
    torch = sys.modules.get("torch")
    with _SEEDING:
        plain, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
        tensors = None if torch is None else torch.get_rng_state()
        try:
            random.seed(seed)
            np.random.seed([seed & 0xFFFFFFFF, seed >> 32])  # noqa: NPY002
            if torch is not None:
                torch.default_generator.manual_seed(seed)
            yield
        finally:
            random.setstate(plain)
            np.random.set_state(numpy)  # noqa: NPY002
            if torch is not None:
                torch.set_rng_state(tensors)


def _copy(part: Array) -> Array:
    if is_tensor(part):
        return part.clone()
    return np.array(part) if library(part) == "numpy" or np.isscalar(part) else part


def _stacked(copies: list[Any]) -> Any:
    """Data of one form and shape as one."""
    shapes = {str(shapes_of(copy)) for copy in copies}
    if len(shapes) > 1:
        raise ArgumentError(f"function returned shapes {sorted(shapes)[:3]}; return one shape.")
    return map_leaves(lambda *parts: namespace(parts[0]).stack(parts), copies[0], *copies[1:])
