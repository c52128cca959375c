"""What a risk is of: a kernel model under squared loss, data, an action, and what is averaged over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels.arrays import Floats, check_action, check_samples, check_vector, freeze
from sparseaug.risk.elements import element_gradients
from sparseaug.risk.identity import order_facts, problem_facts, sha256_of
from sparseaug.risk.model import KernelModel, check_model
from sparseaug.sampling import GroupSample

Draws = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """The base of the risks of a kernel model, and of the evidence for certificates.

    Args:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: a GroupSample, None for the data as they are, "full" for the whole group, or
            "streaming" for fresh elements at every step
    """

    model: KernelModel
    data: tuple[Any, Any]
    action: Action
    S: GroupSample | Literal["full", "streaming"] | None

    _words: ClassVar[tuple[str | None, ...]] = (None, "full", "streaming")
    """What S may be but for a sample."""

    def __post_init__(self) -> None:
        checked = self._check(self.model, self.data, self.action, self.S)
        object.__setattr__(self, "data", checked)

    @classmethod
    def _check(cls, model: Any, data: Any, action: Any, S: Any) -> tuple[Floats, Floats]:
        """Copies of the data that cannot change, or an `ArgumentError` for any of the four."""
        centers = check_model(model).centers
        if not isinstance(data, tuple) or len(data) != 2:
            raise ArgumentError(f"data={shorten(data)} is not a pair; give (x, y).")
        x = check_samples("data[0]", data[0], like=centers)
        y = check_vector("data[1]", data[1], len(x))
        check_action(action)
        if isinstance(S, GroupSample):
            action.rows(S)  # S must be of the action's group
        elif not (S is None or isinstance(S, str)) or S not in cls._words:
            names = ", ".join(map(repr, cls._words)) or "nothing else"
            raise ArgumentError(f"S={shorten(S)} is not allowed; give a GroupSample, or {names}.")
        return freeze(x), freeze(y)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.method}, {len(self.y)} samples, {len(self.model.centers)} "
            f"centres, group {self.action.group.name}, {shorten(self.calls)} oracle calls)"
        )

    @property
    def x(self) -> Floats:
        """The inputs."""
        return self.data[0]

    @property
    def y(self) -> Floats:
        """The targets."""
        return self.data[1]

    @property
    def method(self) -> str:
        """Which of "none", "full", "streaming" and "one-shot" it is."""
        if self.S is None:
            return "none"
        return self.S if isinstance(self.S, str) else "one-shot"

    @property
    def calls(self) -> int:
        """Oracle calls behind S: m for m draws (of the letters, for words), 0 for the full group."""
        return self.S.calls_behind if isinstance(self.S, GroupSample) else 0

    @cached_property
    def draws(self) -> Draws:
        """(seed, start, stop) of the oracle draws behind it that are known."""
        return self.S.origin.draws if isinstance(self.S, GroupSample) else ()

    @cached_property
    def audits(self) -> dict[str, list[tuple[Any, ...]]]:
        """The audits made of it, by iterate: those of one iterate share the delta of one."""
        return {}

    def _checked_theta(self, theta: Any) -> Floats:
        """What a pilot asks: theta as a vector of the model's parameters."""
        return check_vector("theta", theta, self.model.size)

    def _element_gradients(self, theta: Floats, rows: Rows) -> Iterator[tuple[Floats, Floats]]:
        """And the values and gradients of single elements, in blocks."""
        return element_gradients(self, theta, rows)

    def identity(self) -> dict[str, str]:
        """What its gradients depend on to the last bit, by name and hash."""
        return {**self._facts(), "risk": type(self).__name__, **order_facts(self.S)}

    def _facts(self) -> dict[str, str]:
        """What it is of, by name and hash; equal for risks that differ by rounding only."""
        S = self.S if isinstance(self.S, GroupSample) else self.method
        return {
            "method": self.method,
            "kernel": repr(self.model.kernel),
            "centers": sha256_of(self.model.centers),
            **problem_facts(*self.data, self.action, S),
        }
