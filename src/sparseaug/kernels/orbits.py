"""How far the points of an orbit lie from its mean in the RKHS: v_i of `theory.dimension_free`.

v_i = k(x_i, x_i) - |mu(x_i)|^2, mu(x) = E_g k(., g x). As the kernel is invariant, |mu(x)|^2 is
E_g k(g x, x): one mean over the group for each sample. It depends on kernel, data and group alone, so
it may stand in a bound that is made before S is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparseaug._floats import gamma
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError
from sparseaug.kernels.arrays import Floats, check_samples, freeze
from sparseaug.kernels.gaussian import GaussianKernel, check_gaussian
from sparseaug.kernels.group_means import closed_form, enumeration_roundings, mean_roundings

_BLOCK = (
    8  # samples whose means are taken together: all pairs of them, of which the diagonal counts
)


def orbit_variances(kernel: GaussianKernel, action: Action, x: Any) -> Floats:
    """v_i of every sample, rounded up: their mean, or the largest, is `v` of the bounds without |G|.

    Args:
        kernel: the Gaussian kernel
        action: how the group moves x; it must leave the kernel invariant
        x: samples (n, ...)

    Returns:
        v_i (n,), between 0 and 1.

    Raises:
        UnsupportedError: no closed form is known, and the group cannot be enumerated.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.sort(np.random.default_rng(0).uniform(-1, 1, (3, 6)))
        >>> found = sa.kernels.orbit_variances(
        ...     sa.GaussianKernel(1.25), sa.permute_axis(sa.symmetric(6)), x
        ... )
        >>> found.round(3)
        array([0.797, 0.687, 0.742])
    """
    check_gaussian(kernel)
    x = check_samples("x", x)
    answer = kernel.is_invariant(action, x.shape[1:])
    if not answer:
        raise ArgumentError(f"action does not leave the kernel invariant: {answer.reason}.")
    blocks = [x[start : start + _BLOCK] for start in range(0, len(x), _BLOCK)]
    means = np.concatenate([np.diag(kernel.group_mean(action, block, block)) for block in blocks])
    if closed_form(action):
        roundings = mean_roundings(action, x.shape)
    else:
        roundings = x[0].size + 14 + enumeration_roundings(action.group, x[:_BLOCK], _BLOCK)
    return freeze(np.clip(1 - means + gamma(roundings + 4), 0.0, 1.0))
