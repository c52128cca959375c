"""The factorised kernel model f(x) = sum_r a_r b_r k(x, z_r), theta = (a, b); section Experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug.kernels import GaussianKernel
from sparseaug.kernels.arrays import Floats, check_samples, check_vector, freeze
from sparseaug.kernels.gaussian import check_gaussian


@final
@dataclass(frozen=True, eq=False)
class KernelModel:
    """f(x) = sum_r a_r b_r k(x, z_r) with fixed centres z_r; theta is a followed by b.

    Args:
        kernel: the kernel k
        centers: the centres z_r, (R, ...), each of the shape of a sample

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), np.zeros((1, 2)))
        >>> model.predict(np.array([2.0, 3.0]), np.zeros((1, 2)))
        array([6.])
    """

    kernel: GaussianKernel
    centers: Floats

    def __post_init__(self) -> None:
        check_gaussian(self.kernel)
        object.__setattr__(self, "centers", freeze(check_samples("centers", self.centers)))

    @property
    def size(self) -> int:
        """Length of theta, two numbers for each centre."""
        return 2 * len(self.centers)

    def features(self, x: Any) -> Floats:
        """phi_r(x) = k(x, z_r), shape (n, R)."""
        return self.kernel._gram(check_samples("x", x, like=self.centers), self.centers)

    def coefficients(self, theta: Any) -> Floats:
        """c_r = a_r b_r."""
        a, b = self.split(theta)
        return a * b

    def predict(self, theta: Any, x: Any) -> Floats:
        """f(x) for each sample.

        Args:
            theta: the 2R parameters, a followed by b
            x: samples (n, ...)
        """
        return np.asarray(self.features(x) @ self.coefficients(theta))

    def losses(self, theta: Floats, x: Any, y: Any) -> tuple[Floats, Floats]:
        """Squared losses (f(x) - y)^2 / 2 of single samples (k,), and their gradients (k, 2R).

        Args:
            theta: the 2R parameters
            x: samples (k, ...)
            y: targets (k,)
        """
        a, b = self.split(theta)
        phi = self.features(x)
        residuals = phi @ (a * b) - y
        by_coefficients = residuals[:, None] * phi
        gradients = np.concatenate([b * by_coefficients, a * by_coefficients], axis=1)
        return np.asarray(residuals**2 / 2), np.asarray(gradients)

    def split(self, theta: Any) -> tuple[Floats, Floats]:
        """a and b."""
        theta = check_vector("theta", theta, self.size)
        return theta[: len(self.centers)], theta[len(self.centers) :]


def chain(theta: Floats, by_coefficients: Floats) -> Floats:
    """(b g, a g) for theta = (a, b) and g, which are not checked."""
    R, by_theta = len(by_coefficients), np.empty(2 * len(by_coefficients))
    np.multiply(theta[R:], by_coefficients, by_theta[:R])
    np.multiply(theta[:R], by_coefficients, by_theta[R:])
    return by_theta
