"""The Gaussian kernel k(x, z) = exp(-|x - z|^2 / (2 sigma^2)), the one of the paper's experiment.

The normalised diagonal spectral-mixture kernel of remark "Invariant kernels" in the appendix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from sparseaug._checks import check_integer, check_real, check_shape
from sparseaug.actions import Action
from sparseaug.actions.arrays import library
from sparseaug.errors import ArgumentError, shorten
from sparseaug.kernels.arrays import (
    Floats,
    check_action,
    check_floats,
    check_samples,
    check_vector,
    flat,
    freeze,
)
from sparseaug.kernels.base import Invariance, Kernel, isometry, kept_components, require_fit
from sparseaug.kernels.group_means import LIMIT, closed_form, enumerated_mean, gaussian_mean


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

    @property
    def outputs(self) -> None:
        """A scalar kernel."""
        return None

    def __call__(self, x: Any, z: Any) -> Floats:
        """Gram matrix (n, k), from differences and not from inner products: no cancellation."""
        x = check_samples("x", x)
        return self._gram(x, check_samples("z", z, like=x))

    def _gram(self, x: Floats, z: Floats) -> Floats:
        """The same of samples that are not checked."""
        distances: Floats = cdist(flat(x), flat(z), "sqeuclidean")
        return np.exp(distances * (-0.5 / self.sigma**2))

    def is_invariant(self, action: Action, shape: tuple[int, ...] | None = None) -> Invariance:
        """Whether the action is a Euclidean isometry; `shape`, of a sample, only where needed.

        Proved for actions that move entries and signs. For others it is tested on generators and eight
        points, and the answer says what it rests on (`condition`).
        """
        exact = check_action(action).kind in ("entries", "signs")
        shape = action.sample_shape if shape is None else shape
        if shape is not None:
            shape = check_shape(shape)
            require_fit(action, shape)
        elif not exact or not action.lawful:
            raise ArgumentError(
                f"shape is missing; {type(action).__name__} needs that of one sample to decide."
            )
        if exact or shape is None:
            return Invariance(True, "the action moves entries and signs, which is an isometry")
        return isometry(action, shape)[0]

    def group_mean(self, action: Action, x: Any, z: Any, *, limit: int = LIMIT) -> Floats:
        """E over all g of k(g.x, z), (n, k).

        Without enumeration for symmetric groups, sign flips and signed permutations (any axis);
        for others by enumerating the group, if it has at most `limit` elements.
        """
        x = check_samples("x", x)
        z = check_samples("z", z, like=x)
        limit = check_integer("limit", limit, at_least=1)
        if closed_form(check_action(action)):
            return gaussian_mean(self.sigma, action, x, z)
        return enumerated_mean(self._gram, action, x, z, limit=limit)

    def product(self, z: Any, z2: Any) -> tuple[GaussianKernel, Floats, Floats]:
        """Kernel q, factors c and middles w with k(., z_i) k(., z2_i) = c_i q(., w_i), for rows i.

        |u - z|^2 + |u - z'|^2 = 2 |u - (z + z')/2|^2 + |z - z'|^2 / 2, hence the width of q is
        sigma / sqrt(2) and c = exp(-|z - z'|^2 / (4 sigma^2)).

        Args:
            z: centres (k, ...)
            z2: centres (k, ...)
        """
        z = check_samples("z", z)
        z2 = check_samples("z2", z2, like=z)
        if len(z2) != len(z):
            raise ArgumentError(f"z2 has {len(z2)} rows, but z has {len(z)}; give as many.")
        with np.errstate(over="ignore"):  # exp(-inf) = 0 is right
            distances = (flat(z - z2) ** 2).sum(axis=1)
        factors = np.exp(distances * (-0.25 / self.sigma**2))
        return GaussianKernel(self.sigma / math.sqrt(2)), factors, z / 2 + z2 / 2


@final
@dataclass(frozen=True, eq=False)
class SpectralMixtureKernel(Kernel):
    """K = diag(k_1, ..., k_p) with, for t = x - z,
    k_r(x, z) = sum_a w_ra exp(-t' Lambda_ra^-1 t / 2) cos(omega_ra' t).

    Attributes:
        weights: for each output r the A_r weights, not negative, with sum 1
        bandwidths: for each output the matrices Lambda_ra, (A_r, d, d), positive definite
        frequencies: for each output the vectors omega_ra, (A_r, d)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> k = sa.kernels.SpectralMixtureKernel([[1.0]], [[np.eye(2)]], [[[3.0, 3.0]]])
        >>> k(np.zeros((1, 2)), np.array([[0.1, 0.2]])).shape
        (1, 1, 1)
        >>> k.is_invariant(sa.permute_axis(sa.symmetric(2))).holds
        True
        >>> k.is_invariant(sa.flip_signs(sa.sign_flips(2))).reason
        "Q' omega is neither omega nor -omega of output 0, component 0"
    """

    weights: Sequence[Floats]
    bandwidths: Sequence[Floats]
    frequencies: Sequence[Floats]

    def __post_init__(self) -> None:
        names = ("weights", "bandwidths", "frequencies")
        parts = [_outputs(name, getattr(self, name)) for name in names]
        if not len(parts[0]) == len(parts[1]) == len(parts[2]):
            raise ArgumentError(
                "weights, bandwidths and frequencies list "
                f"{len(parts[0])}, {len(parts[1])} and {len(parts[2])} outputs; give one p."
            )
        d = parts[2][0].shape[-1] if parts[2][0].ndim else 0
        for r, (weights, bandwidths, frequencies) in enumerate(zip(*parts, strict=True)):
            _check_weights(r, weights)
            _check_shape(f"bandwidths[{r}]", bandwidths, (len(weights), d, d))
            _check_shape(f"frequencies[{r}]", frequencies, (len(weights), d))
            _check_definite(r, bandwidths)
        for name, part in zip(names, parts, strict=True):
            object.__setattr__(self, name, tuple(freeze(array) for array in part))

    @property
    def outputs(self) -> int:
        """p, the number of diagonal entries."""
        return len(self.weights)

    @property
    def dimension(self) -> int:
        """d, the number of entries of a sample."""
        return int(self.frequencies[0].shape[1])

    def __call__(self, x: Any, z: Any) -> Floats:
        """The diagonals of K(x_i, z_j), (n, k, p)."""
        x = check_samples("x", x)
        z = check_samples("z", z, like=x)
        points, centers = flat(x), flat(z)
        if points.shape[1] != self.dimension:
            raise ArgumentError(
                f"x has samples of {points.shape[1]} entries, but the kernel is of dimension "
                f"{self.dimension}."
            )
        gram = np.zeros((len(points), len(centers), self.outputs))
        for r, parts in enumerate(
            zip(self.weights, self.bandwidths, self.frequencies, strict=True)
        ):
            for weight, bandwidth, omega in zip(*parts, strict=True):
                root = np.linalg.cholesky(bandwidth)  # t' Lambda^-1 t = |root^-1 t|^2
                left = solve_triangular(root, points.T, lower=True).T
                right = solve_triangular(root, centers.T, lower=True).T
                with np.errstate(over="ignore", invalid="ignore"):  # refused below
                    phases = np.subtract.outer(points @ omega, centers @ omega)
                    values = np.exp(-0.5 * cdist(left, right, "sqeuclidean")) * np.cos(phases)
                if not np.isfinite(values).all():
                    raise ArgumentError(
                        "x and z are too large for the frequencies of the kernel: omega' (x - z) is "
                        "beyond the range of floats."
                    )
                gram[:, :, r] += weight * values
        return gram

    def is_invariant(self, action: Action, shape: tuple[int, ...] | None = None) -> Invariance:
        """The paper's sufficient condition, on generators; `shape` of a sample is (d,) by default.

        A mixture whose components an element interchanges is invariant too, and fails here.
        """
        check_action(action)
        shape = (self.dimension,) if shape is None else check_shape(shape)
        if math.prod(shape) != self.dimension:
            raise ArgumentError(
                f"shape={shape} does not have the kernel's {self.dimension} entries."
            )
        answer, matrices = isometry(action, shape)
        if not answer:
            return answer
        return kept_components(action, matrices, self.bandwidths, self.frequencies)

    def group_mean(self, action: Action, x: Any, z: Any, *, limit: int = LIMIT) -> Floats:
        """E over all g of K(g.x, z), (n, k, p), for groups of at most `limit` elements."""
        x = check_samples("x", x)
        z = check_samples("z", z, like=x)
        limit = check_integer("limit", limit, at_least=1)
        return enumerated_mean(self, check_action(action), x, z, limit=limit)


def _outputs(name: str, value: Any) -> list[Floats]:
    listed = isinstance(value, list | tuple) or (library(value) and value.ndim)
    if not listed or not len(value):
        raise ArgumentError(f"{name}={shorten(value)} must list one array for each output.")
    return [check_floats(f"{name}[{r}]", part) for r, part in enumerate(value)]


def _check_weights(r: int, weights: Floats) -> None:
    name = f"weights[{r}]"
    check_vector(name, weights, weights.size)
    if not weights.size or weights.min() < 0 or not abs(weights.sum() - 1) <= 1e-12 * weights.size:
        raise ArgumentError(f"{name}={shorten(weights.tolist())} must be >= 0 and sum to 1.")


def _check_shape(name: str, array: Floats, shape: tuple[int, ...]) -> None:
    if array.shape != shape or 0 in shape:
        raise ArgumentError(f"{name} has shape {array.shape}; give {shape}, one for each weight.")


def _check_definite(r: int, bandwidths: Floats) -> None:
    name = f"bandwidths[{r}]"
    if abs(bandwidths - bandwidths.swapaxes(1, 2)).max() > 1e-12 * abs(bandwidths).max():
        raise ArgumentError(f"{name} is not symmetric.")
    try:
        np.linalg.cholesky(bandwidths)
    except np.linalg.LinAlgError as error:
        raise ArgumentError(f"{name} is not positive definite.") from error
