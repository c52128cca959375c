"""What a kernel is here: Gram matrices, a bound for point evaluation, invariance, group means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

from sparseaug.actions import Action
from sparseaug.actions.base import require_action
from sparseaug.kernels.arrays import Floats, check_pair
from sparseaug.kernels.group_means import enumerated_mean


class Kernel(ABC):
    """A positive definite kernel with k(x, x) = 1, scalar or diagonal matrix-valued."""

    @property
    def C(self) -> float:  # noqa: N802 - the paper's letter
        """Bound of point evaluation, |h(x)| <= C ||h||: the root of k(x, x), which is 1."""
        return 1.0

    @abstractmethod
    def __call__(self, x: Any, z: Any) -> Floats:
        """Gram matrix (n, k) of samples x (n, ...) and z (k, ...); (n, k, p) with p outputs."""

    @abstractmethod
    def is_invariant(self, action: Action, shape: tuple[int, ...]) -> Invariance:
        """Whether k(g.x, g.z) = k(x, z), decided on generators; `shape` is that of one sample.

        Args:
            action: how the group moves samples
            shape: of one sample
        """

    def group_mean(self, action: Action, x: Any, z: Any) -> Floats:
        """E over all g of k(g.x, z), shaped as the Gram matrix, for groups that can be enumerated.

        Args:
            action: how the group moves x
            x: samples (n, ...)
            z: centres (k, ...)
        """
        require_action(action)
        return enumerated_mean(self, action, *check_pair(x, z))


@dataclass(frozen=True)
class Invariance:
    """Whether the condition holds (this is the truth value), and if not, what breaks it.

    Attributes:
        holds: the answer
        reason: what breaks the condition; empty where it holds
        generator: the row of the group element that shows it
        condition: what a positive answer rests on; empty where it is proved
    """

    holds: bool
    reason: str
    generator: tuple[int, ...] | None = None
    condition: str = ""

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)
