"""Bad arguments of kernels: a typed error in one sentence, or a result; never a raw exception."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import sparseaug as sa
from sparseaug import kernels
from sparseaug.errors import ArgumentError, SparseAugError

ACT = sa.permute_axis(sa.symmetric(3))
S = sa.Oracle(ACT.group, seed=0).draw(4)
X = np.random.default_rng(0).normal(size=(4, 3))
Y = np.arange(4.0)
K = sa.GaussianKernel(1.0)
MIXTURE = sa.SpectralMixtureKernel([[1.0]], [[np.eye(3)]], [[[1.0, 1.0, 1.0]]])
MOMENTS = kernels.full_moments(K, ACT, X, Y, X)
H = kernels.Expansion(K, X, Y)

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "gaussian": (sa.GaussianKernel, {"sigma": 1.0}),
    "gram": (K, {"x": X, "z": X}),
    "invariance": (K.is_invariant, {"action": ACT, "shape": (3,)}),
    "mean": (K.group_mean, {"action": ACT, "x": X, "z": X, "limit": 100}),
    "second moment": (K.group_second_moment, {"action": ACT, "x": X, "z": X, "z2": X}),
    "product": (K.product, {"z": X, "z2": X}),
    "mixture": (
        sa.SpectralMixtureKernel,
        {"weights": [[1.0]], "bandwidths": [[np.eye(3)]], "frequencies": [[[0, 0, 0]]]},
    ),
    "mixture gram": (MIXTURE, {"x": X, "z": X}),
    "mixture invariance": (MIXTURE.is_invariant, {"action": ACT, "shape": (3,)}),
    "mixture mean": (MIXTURE.group_mean, {"action": ACT, "x": X, "z": X, "limit": 100}),
    "expansion": (kernels.Expansion, {"kernel": K, "centers": X, "coefficients": Y}),
    "values": (H, {"x": X}),
    "inner": (H.inner, {"other": H}),
    "full moments": (
        kernels.full_moments,
        {"kernel": K, "action": ACT, "x": X, "y": Y, "centers": X, "limit": 100},
    ),
    "sample moments": (
        kernels.sample_moments,
        {"kernel": K, "action": ACT, "S": S, "x": X, "y": Y, "centers": X, "block": 2},
    ),
    "moments": (kernels.Moments, {"A": np.eye(3), "v": np.ones(3), "s": 1.0, "error": 0.0}),
    "risk": (MOMENTS.risk, {"coefficients": Y}),
    "gradient": (MOMENTS.gradient, {"coefficients": Y}),
    "norms": (kernels.gradient_norms, {"kernel": K, "centers": X, "a": Y, "b": Y, "y": Y}),
    "box": (kernels.box_bound, {"kernel": K, "centers": X, "y": Y, "box": 1.0}),
    "smoothness": (kernels.smoothness_bound, {"kernel": K, "centers": X, "y": Y, "box": 1.0}),
    "smoothness of moments": (kernels.smoothness_of_moments, {"moments": MOMENTS, "box": 1.0}),
    "gap": (kernels.initial_gap, {"moments": MOMENTS, "a": Y, "b": Y}),
    "discrepancy": (
        kernels.kernel_discrepancy,
        {"kernel": K, "action": ACT, "S": S, "x": X, "weights": Y, "limit": 100},
    ),
    "on points": (
        kernels.invariance_on,
        {"kernel": K, "action": ACT, "rows": S.elements, "points": X},
    ),
}

STRANGE = [
    *(None, math.nan, math.inf, -1, 0, 10**400, 1e308, 1e-320, 1j, True, "abc", [], (), {}),
    *([1, [2, 3]], ["a"], [True], object(), len, (10**9, 10**9), (-1,), (3.0,)),
    *(np.zeros((0, 3)), np.zeros((4, 0)), np.zeros(()), np.zeros((4, 3), complex)),
    *(np.zeros((4, 3), bool), np.zeros((4, 3), object), np.array([["a"] * 3] * 4)),
    *(np.full((4, 3), np.nan), np.full((4, 3), 1e308), np.full(4, 1e308), np.full(4, -1e200)),
    *(np.ma.masked_array(X), pd.DataFrame(X), memoryview(X), torch.zeros(4, 3).to_sparse()),
    *(torch.zeros(4, 3, requires_grad=True), X[::-1, ::-1], X[:, ::2], ACT.group, S),
]


@pytest.mark.parametrize("name", CASES)
def test_a_bad_argument_is_answered_and_a_strange_one_gives_no_nan(name):
    function, good = CASES[name]
    function(**good)
    refused = []
    for argument in good:
        for value in STRANGE:
            try:
                result = function(**{**good, argument: value})
            except SparseAugError as error:
                refused.append(str(error))
            else:
                assert not isinstance(result, float) or not math.isnan(result)
                assert not isinstance(result, np.ndarray) or not np.isnan(result).any()
    assert len(refused) > 10 * len(good)
    assert not any("\n" in message for message in refused)


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
        assert kernels.initial_gap(MOMENTS, a, b) == math.inf
