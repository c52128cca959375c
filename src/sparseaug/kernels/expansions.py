"""Finite expansions h = sum_i c_i k(., z_i): values, inner products and norms in the RKHS.

By the reproducing property <h, h'> = sum_ij c_i c'_j k(z_i, z'_j), summed over outputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug.errors import ArgumentError, shorten
from sparseaug.kernels.arrays import Floats, check_floats, check_samples, freeze
from sparseaug.kernels.base import Kernel


@final
@dataclass(frozen=True, eq=False)
class Expansion:
    """h = sum_i c_i k(., z_i), with coefficients (k,), or (k, p) for p outputs.

    Args:
        kernel: any kernel
        centers: the centres z_i, (k, ...)
        coefficients: the c_i, (k,) or (k, p)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> k = sa.kernels.GaussianKernel(1.0)
        >>> h = sa.kernels.Expansion(k, np.array([[0.0], [1.0]]), [3.0, -3.0])
        >>> round(h.norm, 4), h(np.array([[0.0]])).round(4)
        (2.6613, array([1.1804]))
    """

    kernel: Kernel
    centers: Floats
    coefficients: Floats

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise ArgumentError(f"kernel={shorten(self.kernel)} is not a kernel.")
        centers = check_samples("centers", self.centers)
        coefficients = check_floats("coefficients", self.coefficients)
        p = self.kernel.outputs
        allowed = (len(centers),) if p is None else (len(centers), p)
        if coefficients.shape != allowed and not (
            p is None and coefficients.ndim == 2 and len(coefficients) == len(centers)
        ):
            raise ArgumentError(f"coefficients has shape {coefficients.shape}; give {allowed}.")
        object.__setattr__(self, "centers", freeze(centers))
        object.__setattr__(self, "coefficients", freeze(coefficients))

    def __call__(self, x: Any) -> Floats:
        """h(x): (n,), or (n, p) for vector coefficients."""
        gram = self.kernel(x, self.centers)
        if gram.ndim == 3:
            return np.asarray((gram * self.coefficients).sum(axis=1))
        return np.asarray(gram @ self.coefficients)

    def inner(self, other: Expansion) -> float:
        """<h, h'> in the RKHS of the kernel that both share."""
        if not isinstance(other, Expansion) or other.kernel != self.kernel:
            raise ArgumentError(f"other={shorten(other)} is not an expansion in the same kernel.")
        if self.coefficients.shape[1:] != other.coefficients.shape[1:]:
            raise ArgumentError("other has another number of outputs.")
        return float((self(other.centers) * other.coefficients).sum())

    @property
    def norm(self) -> float:
        """||h||; a square that rounding made negative counts as 0."""
        return math.sqrt(max(0.0, self.inner(self)))
