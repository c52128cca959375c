"""Every number of section Experiments, frozen; the initialisation is ours, the paper gives none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, final

from sparseaug._archive import canonical_json
from sparseaug._checks import check_integer, check_real
from sparseaug.errors import ArgumentError, shorten
from studies.paper.methods import FIXED, Method, one_shot

LARGEST_GROUP = 12
"""S_n up to which exact means over the group, by permanents, take minutes and not days."""

MOST_SEEDS = 10_000
"""A seed is half a dozen files, and every progress report looks at all of them."""

LARGEST_ARRAY = 100_000_000
"""Numbers in the largest array of a run, 0.8 GB; a worker holds a few of that size."""

_LARGEST_COUNT = 10**9
_LARGEST_REAL = 1e6  # far above what makes sense, and far below where squares overflow
_MOST_SIZES = 100


@final
@dataclass(frozen=True)
class Config:
    """What is run; the defaults are the paper's, `init_std` is not in it.

    Args:
        group_size: n of the group S_n
        train: training samples
        test: test samples
        centers: R, the centres of the kernel model
        sigma: width of the kernel
        box: bound on every entry of theta
        step_size: of every step
        num_steps: steps of every method
        eval_every: steps between two evaluations
        sample_sizes: m of each one-shot run, increasing
        streaming_batch: fresh elements per streaming step
        init_std: standard deviation of the initial a and b, which the paper does not give
        seeds: number of seeds, from 0
        quick: a label: fewer seeds and steps than the paper's

    Examples:
        >>> Config().methods
        ('none', 'full', 'streaming', 'one-shot-4', 'one-shot-16', 'one-shot-64')
        >>> Config.shortened().num_steps
        100
    """

    group_size: int = 6
    train: int = 128
    test: int = 256
    centers: int = 160
    sigma: float = 1.25
    box: float = 3.0
    step_size: float = 0.05
    num_steps: int = 500
    eval_every: int = 25
    sample_sizes: tuple[int, ...] = (4, 16, 64)
    streaming_batch: int = 1
    init_std: float = 0.5
    seeds: int = 10
    quick: bool = False  # a label: fewer seeds and steps than the paper's

    def __post_init__(self) -> None:
        most = {"group_size": LARGEST_GROUP, "seeds": MOST_SEEDS}
        counts = ("group_size", "train", "test", "centers", "num_steps", "eval_every")
        for name in (*counts, "streaming_batch", "seeds"):
            below = most.get(name, _LARGEST_COUNT) + 1
            self._set(name, check_integer(name, getattr(self, name), at_least=1, below=below))
        for name in ("sigma", "box", "step_size", "init_std"):
            value = check_real(name, getattr(self, name), above=0, below=_LARGEST_REAL)
            self._set(name, value)
        self._set("sample_sizes", _check_sizes(self.sample_sizes))
        if not isinstance(self.quick, bool):
            raise ArgumentError(f"quick={shorten(self.quick)} is not a bool; give True or False.")
        self._require_room()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Config:
        """The config that `to_dict` turned into JSON data; other fields are an `ArgumentError`."""
        try:
            return cls(**data)
        except TypeError as error:
            raise ArgumentError(f"config={shorten(data)} is not a config: {error}.") from error

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all fields."""
        return tuple(each.name for each in fields(cls))

    @classmethod
    def shortened(cls, **changes: Any) -> Config:
        """The same experiment with 2 seeds and 100 steps, labelled as such."""
        return cls(**{"seeds": 2, "num_steps": 100, "quick": True, **changes})

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order in which they are run and listed."""
        return tuple(method.name for method in self.all_methods())

    def all_methods(self) -> list[Method]:
        """The methods themselves, in the same order."""
        return [*FIXED, *map(one_shot, self.sample_sizes)]

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return {**asdict(self), "sample_sizes": list(self.sample_sizes)}

    def differences(self, other: Mapping[str, Any]) -> list[str]:
        """The fields in which JSON data of a config is another one, as `name: there, here`."""
        own = self.to_dict()
        names = [*own, *(name for name in other if name not in own)]
        return [
            f"{name}: {shorten(other.get(name))} there, {shorten(own.get(name))} here"
            for name in names
            if name not in own or canonical_json(other.get(name)) != canonical_json(own[name])
        ]  # compared as JSON: true is not 1

    def _require_room(self) -> None:
        """Refuse what would need an array above the limit: the largest of each part of a run."""
        R, m = self.centers, self.sample_sizes[-1]
        evaluations = self.num_steps // self.eval_every + 2
        for names, numbers in (
            ("train and centers", 8 * self.train * R),  # features, eight elements at a time
            ("test and centers", 8 * self.test * R),
            ("centers", R * R),
            ("streaming_batch, train and centers", self.streaming_batch * self.train * R),
            (
                "num_steps and streaming_batch",
                self.num_steps * self.streaming_batch * self.group_size,
            ),
            ("num_steps, eval_every and centers", evaluations * 2 * R),
            ("sample_sizes", m * m),  # the kernel between all pairs of moved samples
            ("sample_sizes and train", m * self.train * self.group_size),
        ):
            if numbers > LARGEST_ARRAY:
                raise ArgumentError(
                    f"{names} are too large: they need an array of {numbers} numbers, and the limit "
                    f"is {LARGEST_ARRAY}; lower them."
                )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


def _check_sizes(value: Any) -> tuple[int, ...]:
    if isinstance(value, list | tuple) and 0 < len(value) <= _MOST_SIZES:
        limits = {"at_least": 1, "below": _LARGEST_COUNT + 1}
        sizes = tuple(check_integer("sample_sizes", m, **limits) for m in value)
        if all(a < b for a, b in pairwise(sizes)):
            return sizes
    raise ArgumentError(
        f"sample_sizes={shorten(value)} is not allowed; give 1 to {_MOST_SIZES} increasing integers."
    )
