"""The Gaussian kernel k(x, z) = exp(-|x - z|^2 / (2 sigma^2)), the one of the paper's experiment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.spatial.distance import cdist

from sparseaug._checks import check_real, check_type
from sparseaug.actions import Action
from sparseaug.actions.base import require_action
from sparseaug.kernels.arrays import Floats, check_pair, flat
from sparseaug.kernels.base import Invariance, Kernel
from sparseaug.kernels.group_means import closed_form, enumerated_mean, gaussian_mean
from sparseaug.kernels.invariance import fitting_shape, isometry


@final
@dataclass(frozen=True)
class GaussianKernel(Kernel):
    """k(x, z) = exp(-|x - z|^2 / (2 sigma^2)), times the identity where outputs are vectors.

    Args:
        sigma: the width, positive

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> k = sa.kernels.GaussianKernel(1.25)
        >>> k(np.zeros((1, 2)), np.array([[0.0, 0.0], [1.25, 0.0]])).round(4)
        array([[1.    , 0.6065]])
        >>> flips = sa.flip_signs(sa.sign_flips(1000))
        >>> x = np.full((1, 1000), 0.01)
        >>> k.group_mean(flips, x, x).round(4)                # over 2^1000 elements
        array([[0.938]])
    """

    sigma: float

    def __post_init__(self) -> None:
        # beyond these limits sigma^2 leaves the range of a float
        sigma = check_real("sigma", self.sigma, above=1e-150, below=1e150)
        object.__setattr__(self, "sigma", sigma)

    def __call__(self, x: Any, z: Any) -> Floats:
        """Gram matrix (n, k), from differences and not from inner products: no cancellation."""
        return self._gram(*check_pair(x, z))

    def _gram(self, x: Floats, z: Floats) -> Floats:
        """The same of samples that are not checked."""
        distances: Floats = cdist(flat(x), flat(z), "sqeuclidean")
        return np.exp(distances * (-0.5 / self.sigma**2))

    def is_invariant(self, action: Action, shape: tuple[int, ...]) -> Invariance:
        """Whether the action is a Euclidean isometry of samples of this shape.

        Proved for actions that move entries and signs. For others it is tested on generators and eight
        points, and the answer says what it rests on (`condition`).
        """
        shape = fitting_shape(action, shape)
        if action.kind in ("entries", "signs"):
            return Invariance(True, "the action moves entries and signs, which is an isometry")
        return isometry(action, shape)[0]

    def group_mean(self, action: Action, x: Any, z: Any) -> Floats:
        """E over all g of k(g.x, z), (n, k).

        Without enumeration for symmetric groups, sign flips and signed permutations (any axis);
        for others by enumerating the group, if it has at most a million elements.
        """
        require_action(action)
        x, z = check_pair(x, z)
        if closed_form(action):
            return gaussian_mean(self.sigma, action, x, z)
        return enumerated_mean(self._gram, action, x, z)

    def _product(self, z: Floats, z2: Floats) -> tuple[GaussianKernel, Floats, Floats]:
        """Kernel q, factors c and middles w with k(., z_i) k(., z2_i) = c_i q(., w_i), for rows i.

        |u - z|^2 + |u - z'|^2 = 2 |u - (z + z')/2|^2 + |z - z'|^2 / 2, hence the width of q is
        sigma / sqrt(2) and c = exp(-|z - z'|^2 / (4 sigma^2)).
        """
        with np.errstate(over="ignore"):  # exp(-inf) = 0 is right
            distances = (flat(z - z2) ** 2).sum(axis=1)
        factors = np.exp(distances * (-0.25 / self.sigma**2))
        return GaussianKernel(self.sigma / math.sqrt(2)), factors, z / 2 + z2 / 2


def check_gaussian(kernel: Any) -> GaussianKernel:
    """The kernel, which is a Gaussian one."""
    return check_type("kernel", kernel, GaussianKernel, "a GaussianKernel")
