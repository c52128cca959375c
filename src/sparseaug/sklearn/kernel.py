"""`AveragedKernel`: a kernel averaged over S, for learners that take a kernel or its values.

With phi the feature map of k, and phi_S(x) the mean of phi(s.x) over s in S,

    k_S(x, z) = 1/m^2 sum over s, t in S of k(s.x, t.z) = <phi_S(x), phi_S(z)>.

So k_S is positive definite where k is, for every S; and with all of the group k_S(g.x, z) = k_S(x, z):
every function that a learner makes of it is invariant, with n coefficients for n samples, not n m.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from sparseaug._checks import check_callable
from sparseaug.actions import Action
from sparseaug.actions.arrays import Shape
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError, shorten
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample
from sparseaug.sklearn.checks import check_shape, name_in_errors
from sparseaug.sklearn.moved_rows import copies
from sparseaug.sklearn.one_shot import resolve_action


@dataclass(frozen=True)
class AveragedKernel:
    """The mean of k(s.x, t.z) over all pairs s, t of elements of S.

    A function of two data sets, as `SVC(kernel=...)` takes it. For learners of `kernel="precomputed"`
    its values are what they fit on: `kernel(X)`, and `kernel(Z, X)` to predict at Z.

    Args:
        kernel: a function of samples (n, features) and (k, features) that returns their kernel values
            (n, k), as `sklearn.metrics.pairwise.rbf_kernel` and `sparseaug.GaussianKernel(sigma)` are
        action: how the group moves samples, or a function n_features -> action
        S: the m elements, or "full": all of the group. Kernel values are computed m^2 times
        sample_shape: how a row is read, (8, 8) for instance; by default (n_features,)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sklearn.svm import SVC
        >>> from sparseaug.sklearn import AveragedKernel
        >>> kernel = AveragedKernel(sa.GaussianKernel(1.0), sa.permute_axis(sa.cyclic(2)), "full")
        >>> kernel([[0.0, 3.0]], [[0.0, 3.0], [3.0, 0.0]]).round(2)
        array([[0.5, 0.5]])
        >>> X, y = np.array([[0.0, 3.0], [4.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), [1, 1, 0, 0]
        >>> SVC(kernel=kernel).fit(X, y).predict([[3.0, 0.0], [0.0, 0.5]])
        array([1, 0])
    """

    kernel: Callable[[Any, Any], Any]
    action: Action | Callable[[int], Action]
    S: GroupSample | Literal["full"]
    sample_shape: Shape | None = None

    def __post_init__(self) -> None:
        example = "one of two data sets, such as sklearn.metrics.pairwise.rbf_kernel"
        check_callable("kernel", self.kernel, example)
        if isinstance(self.action, Action) or not callable(self.action):
            require_action(self.action)
            as_sample(self.S, self.action.group)

    def __call__(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """The values (n, k) of the averaged kernel.

        Args:
            X: samples, one per row
            Y: others, k rows; those of X by default
        """
        with name_in_errors("X"):
            X = check_array(X)
        with name_in_errors("Y"):
            Y = X if Y is None else check_array(Y)
        width = X.shape[1]
        if Y.shape[1] != width:
            raise ArgumentError(f"Y has {Y.shape[1]} features, but X has {width}; give as many.")
        action = resolve_action("action", self.action, width)
        S, shape = as_sample(self.S, action.group), check_shape(self.sample_shape, width)
        rows, counts = S.counts()
        right = [copies(action, row[None], Y, shape) for row in rows]
        total = np.zeros((len(X), len(Y)))
        for row, count in zip(rows, counts.tolist(), strict=True):
            left = copies(action, row[None], X, shape)
            for moved, times in zip(right, counts.tolist(), strict=True):
                total += count * times * self._values(left, moved)
        return total / S.m**2

    def _values(self, X: NDArray[Any], Y: NDArray[Any]) -> NDArray[Any]:
        with name_in_errors("kernel, or X or Y,"):
            values = np.asarray(self.kernel(X, Y))
        if values.shape != (len(X), len(Y)) or values.dtype.kind not in "iuf":
            raise ArgumentError(
                f"kernel={shorten(self.kernel)} returned shape {values.shape} of {values.dtype} for "
                f"{len(X)} and {len(Y)} samples; it must return one real number for each pair."
            )
        if not np.isfinite(values).all():
            raise ArgumentError(
                f"kernel={shorten(self.kernel)} of X and Y holds a NaN or an infinity; scale X and Y."
            )
        return values
