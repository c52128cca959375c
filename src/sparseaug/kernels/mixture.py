"""The normalised diagonal spectral-mixture kernel of remark "Invariant kernels" in the appendix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from sparseaug._checks import check_list
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.kernels.arrays import Floats, check_floats, check_pair, flat, freeze
from sparseaug.kernels.base import Invariance, Kernel
from sparseaug.kernels.invariance import fitting_shape, isometry, kept_components


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
        for name in names:
            listed = enumerate(check_list(name, getattr(self, name)))
            arrays = tuple(freeze(check_floats(f"{name}[{r}]", part)) for r, part in listed)
            object.__setattr__(self, name, arrays)
        counts = [len(getattr(self, name)) for name in names]
        if not counts[0] or len(set(counts)) > 1:
            raise ArgumentError(f"{', '.join(names)} list {counts} outputs; give as many in each.")
        d = self.frequencies[0].shape[-1] if self.frequencies[0].ndim else 0
        for r, given in enumerate(
            zip(self.weights, self.bandwidths, self.frequencies, strict=True)
        ):
            _check_output(r, d, *given)

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
        x, z = check_pair(x, z)
        points, centers = flat(x), flat(z)
        if points.shape[1] != self.dimension:
            raise ArgumentError(f"x has shape {x.shape}; give samples of {self.dimension} entries.")
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
                    raise ArgumentError("x and z are too large for the frequencies; scale them.")
                gram[:, :, r] += weight * values
        return gram

    def is_invariant(self, action: Action, shape: tuple[int, ...] | None = None) -> Invariance:
        """The paper's sufficient condition, on generators; `shape` of a sample is (d,) by default.

        A mixture whose components an element interchanges is invariant too, and fails here.
        """
        shape = fitting_shape(action, (self.dimension,) if shape is None else shape)
        if math.prod(shape) != self.dimension:
            raise ArgumentError(f"shape={shape} is not allowed; give {self.dimension} entries.")
        answer, matrices = isometry(action, shape)
        if not answer:
            return answer
        return kept_components(action, matrices, self.bandwidths, self.frequencies)


def _check_output(r: int, d: int, weights: Floats, bandwidths: Floats, frequencies: Floats) -> None:
    """Refuse weights, bandwidth matrices or frequencies of one output that make no kernel."""
    A, shapes = weights.size, (weights.shape, bandwidths.shape, frequencies.shape)
    if shapes != ((A,), (A, d, d), (A, d)) or not A * d:
        given = f"weights[{r}], bandwidths[{r}], frequencies[{r}] have shapes {shapes}"
        raise ArgumentError(f"{given}; give (A,), (A, d, d), (A, d) for A components.")
    if weights.min() < 0 or not abs(weights.sum() - 1) <= 1e-12 * A:
        raise ArgumentError(f"weights[{r}]={shorten(weights.tolist())} must be >= 0 and sum to 1.")
    off = abs(bandwidths - bandwidths.swapaxes(1, 2)).max()
    try:
        np.linalg.cholesky(bandwidths)
    except np.linalg.LinAlgError:
        off = math.inf
    if off > 1e-12 * abs(bandwidths).max():
        raise ArgumentError(f"bandwidths[{r}] must hold symmetric positive definite matrices.")
