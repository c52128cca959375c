"""Every number of section Experiments, frozen; the initialisation is ours, the paper gives none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, final

from sparseaug.errors import ArgumentError, check_integer, check_real, shorten

LARGEST_GROUP = 12
"""S_n up to which exact means over the group, by permanents, take minutes and not days."""


@final
@dataclass(frozen=True)
class Config:
    """What is run; the defaults are the paper's, `init_std` is not in it.

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
        largest = LARGEST_GROUP + 1
        for name in _COUNTS:
            below = largest if name == "group_size" else None
            self._set(name, check_integer(name, getattr(self, name), at_least=1, below=below))
        for name in ("sigma", "box", "step_size", "init_std"):
            self._set(name, check_real(name, getattr(self, name), above=0))
        try:
            sizes = tuple(check_integer("sample_sizes", m, at_least=1) for m in self.sample_sizes)
        except TypeError as error:
            raise _bad_sizes(self.sample_sizes) from error
        if not sizes or any(a >= b for a, b in pairwise(sizes)):
            raise _bad_sizes(self.sample_sizes)
        self._set("sample_sizes", sizes)
        self._set("quick", bool(self.quick))

    @classmethod
    def shortened(cls, **changes: Any) -> Config:
        """The same experiment with 2 seeds and 100 steps, labelled as such."""
        return cls(**{"seeds": 2, "num_steps": 100, "quick": True, **changes})

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order in which they are run and listed."""
        return ("none", "full", "streaming", *(f"one-shot-{m}" for m in self.sample_sizes))

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return {**asdict(self), "sample_sizes": list(self.sample_sizes)}

    def differences(self, other: dict[str, Any]) -> list[str]:
        """The fields in which JSON data of a config is another one, as `name: there, here`."""
        own = self.to_dict()
        names = [*own, *(name for name in other if name not in own)]
        return [
            f"{name}: {shorten(other.get(name))} there, {shorten(own.get(name))} here"
            for name in names
            if other.get(name) != own.get(name)
        ]

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


_COUNTS = (
    "group_size",
    "train",
    "test",
    "centers",
    "num_steps",
    "eval_every",
    "streaming_batch",
    "seeds",
)


def _bad_sizes(value: object) -> ArgumentError:
    return ArgumentError(f"sample_sizes={shorten(value)} must be increasing integers, one or more.")
