"""Samples of other types, and parameters that diverged."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug import kernels
from sparseaug.errors import ArgumentError
from tests.extras import optional

torch = optional("torch")
pd = optional("pandas")

ACT = sa.permute_axis(sa.symmetric(3))
S = sa.Oracle(ACT.group, seed=0).draw(4)
X = np.random.default_rng(0).normal(size=(4, 3))
Y = np.arange(4.0)
K = sa.GaussianKernel(1.0)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (X.tolist(), "list"),
        (pd.DataFrame(X), "pandas.DataFrame"),
        (np.ma.masked_array(X), "numpy.MaskedArray"),
        (memoryview(X), "memoryview"),
    ],
)
def test_samples_of_another_type_are_refused_by_name(value, kind):
    for argument, call in (
        ("x", lambda: K(value, X)),
        ("z", lambda: K(X, value)),
        ("x", lambda: K.group_mean(ACT, value, X)),
        ("centers", lambda: kernels.full_moments(K, ACT, X, Y, value)),
        ("x", lambda: kernels.kernel_discrepancy(K, ACT, S, value)),
    ):
        with pytest.raises(ArgumentError, match=rf"^{argument} is a {kind}; give a NumPy array"):
            call()


def test_samples_may_be_tensors():
    single = X.astype(np.float32)
    assert np.array_equal(K(torch.tensor(single), X), K(single, X))


def test_read_only_and_strided_samples_give_the_same(rng):
    protected = X.copy()
    protected.flags.writeable = False
    wide = np.zeros((4, 6))
    wide[:, ::2] = X
    for value in (protected, np.asfortranarray(X), wide[:, ::2]):
        assert np.array_equal(K(value, value), K(X, X))
        found = kernels.kernel_discrepancy(K, ACT, S, value)
        assert np.array_equal(found.per_sample, kernels.kernel_discrepancy(K, ACT, S, X).per_sample)


def test_a_theta_that_diverged_has_infinite_bounds_and_no_small_ones():
    """max(0, NaN) is 0 in Python: an overflow must not come out as a bound of 0."""
    for large in (1e120, 1e200, 1e308):
        a, b = np.array([large, -large, large, 1.0]), np.array([large, large, 1.0, -large])
        assert kernels.gradient_norms(K, X, a, b, Y).B == math.inf
        assert kernels.initial_gap(K, X, Y, a, b) == math.inf
