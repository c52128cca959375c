"""What a kernel is here: Gram matrices, a bound for point evaluation, invariance, group means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sparseaug.actions import Action
from sparseaug.kernels.arrays import Floats
from sparseaug.kernels.invariance import Invariance


class Kernel(ABC):
    """A positive definite kernel with k(x, x) = 1, scalar or diagonal matrix-valued."""

    @property
    def C(self) -> float:  # noqa: N802 - the paper's letter
        """Bound of point evaluation, |h(x)| <= C ||h||: the root of k(x, x), which is 1."""
        return 1.0

    @property
    @abstractmethod
    def outputs(self) -> int | None:
        """Number of diagonal entries; None for a scalar kernel (times any identity matrix)."""

    @abstractmethod
    def __call__(self, x: Any, z: Any) -> Floats:
        """Gram matrix (n, k) of samples x (n, ...) and z (k, ...); (n, k, p) with p outputs."""

    @abstractmethod
    def is_invariant(self, action: Action, shape: tuple[int, ...] | None = None) -> Invariance:
        """Whether k(g.x, g.z) = k(x, z), decided on generators; `shape` is that of one sample.

        Args:
            action: how the group moves samples
            shape: of one sample
        """

    @abstractmethod
    def group_mean(self, action: Action, x: Any, z: Any, *, limit: int) -> Floats:
        """E over all g of k(g.x, z), shaped as the Gram matrix.

        Args:
            action: how the group moves x
            x: samples (n, ...)
            z: centres (k, ...)
            limit: largest group that is enumerated where there is no closed form
        """
