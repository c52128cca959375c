"""The factorised kernel model f(x) = sum_r a_r b_r k(x, z_r), theta = (a, b); section Experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, shorten
from sparseaug.kernels import GaussianKernel
from sparseaug.kernels.arrays import Floats, check_samples, check_vector, freeze


@final
@dataclass(frozen=True, eq=False)
class KernelModel:
    """f(x) = sum_r a_r b_r k(x, z_r) with fixed centres z_r; theta is a followed by b.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), np.zeros((1, 2)))
        >>> model.predict(np.array([2.0, 3.0]), np.zeros((1, 2)))
        array([6.])
    """

    kernel: GaussianKernel
    centers: Floats

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, GaussianKernel):
            raise ArgumentError(f"kernel={shorten(self.kernel)} is not a GaussianKernel.")
        object.__setattr__(self, "centers", freeze(check_samples("centers", self.centers)))

    @property
    def size(self) -> int:
        """Length of theta, two numbers for each centre."""
        return 2 * len(self.centers)

    def features(self, x: Any) -> Floats:
        """phi_r(x) = k(x, z_r), shape (n, R)."""
        return self.kernel(check_samples("x", x, like=self.centers), self.centers)

    def coefficients(self, theta: Any) -> NDArray[Any]:
        """c_r = a_r b_r."""
        a, b = self.split(theta)
        return a * b

    def predict(self, theta: Any, x: Any) -> Floats:
        """f(x) for each sample."""
        return np.asarray(self.features(x) @ self.coefficients(theta))

    def split(self, theta: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """a and b."""
        theta = check_vector("theta", theta, self.size)
        return theta[: len(self.centers)], theta[len(self.centers) :]

    def chain(self, theta: Any, by_coefficients: NDArray[Any]) -> NDArray[Any]:
        """The derivative by theta from the one by c = a b: (b g, a g)."""
        a, b = self.split(theta)
        wrong = f"by_coefficients={shorten(by_coefficients)} is not a vector of {len(a)} numbers."
        try:
            g = np.asarray(by_coefficients)
        except (TypeError, ValueError) as error:  # ragged lists, foreign objects
            raise ArgumentError(wrong) from error
        if g.shape != a.shape or g.dtype.kind not in "iuf":
            raise ArgumentError(wrong)
        return np.concatenate([b * g, a * g])


def check_model(model: Any) -> KernelModel:
    """The model itself, or an `ArgumentError`."""
    if not isinstance(model, KernelModel):
        raise ArgumentError(f"model={shorten(model)} is not a KernelModel.")
    return model


def check_data(model: KernelModel, data: Any) -> tuple[Floats, Floats]:
    """(x, y) as finite numbers, one target per sample, each like a centre; or an `ArgumentError`."""
    if not isinstance(data, tuple) or len(data) != 2:
        raise ArgumentError(f"data={shorten(data)} is not a pair; give (x, y).")
    x = check_samples("data[0]", data[0], like=model.centers)
    return x, check_vector("data[1]", data[1], len(x))
