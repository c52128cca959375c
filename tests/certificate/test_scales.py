"""No bound is below the truth at any scale of theta, x and y: squares neither vanish nor overflow."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mpf

import sparseaug as sa
from sparseaug._floats import MOST_SQUARED
from sparseaug.certificate import KINDS, Evidence, certify, words
from sparseaug.certificate.certificates import BoundOverflowError

ACT = sa.permute_axis(sa.symmetric(3))


def scaled(rng, size):
    """Numbers of one random scale from 1e-320 to 1e300, sometimes each of its own."""
    exponents = rng.uniform(-320, 300, size if rng.random() < 0.3 else 1)
    return rng.normal(size=size) * 10.0**exponents


def problem_of_any_scale(rng):
    """Data, a model and an iterate; sometimes it fits the data, so that the gradient cancels."""
    n, R = (int(k) for k in rng.integers(1, 4, 2))
    unit = 10.0 ** (rng.uniform(-300, 300) * rng.choice([1, 0.4]))
    x, z = rng.normal(size=(n, 3)) * unit, rng.normal(size=(R, 3)) * unit
    sigma = float(np.clip(unit * rng.uniform(0.3, 3), 2e-150, 4e149))
    model = sa.KernelModel(sa.GaussianKernel(sigma), z)
    with np.errstate(over="ignore", invalid="ignore"):
        a = scaled(rng, R)
        b = scaled(rng, R) / a if rng.random() < 0.5 else scaled(rng, R)
        theta = np.nan_to_num(np.concatenate([a, b]), posinf=1e300, neginf=-1e300)
        fitted = model.predict(theta, x)
    y = fitted if rng.random() < 0.3 and np.isfinite(fitted).all() else scaled(rng, n)
    return model, (x, np.clip(y, -MOST_SQUARED, MOST_SQUARED)), theta


def bounds_at_any_scale(trials, seed, precise_norm):
    """How many bounds there are of each kind, and those below the norm to forty digits."""
    made, below = dict.fromkeys(KINDS, 0), []
    for trial in range(trials):
        rng = np.random.default_rng([seed, trial])
        model, data, theta = problem_of_any_scale(rng)
        evidence = Evidence(model, data, ACT, sa.Oracle(ACT.group, seed=trial).draw(trial % 4 + 1))
        truth = precise_norm(model, data, theta)
        for kind in KINDS:
            options = {"audit_calls": 40, "delta": 1e-9}
            fresh = sa.Oracle(ACT.group, seed=trials + trial)
            try:
                if kind == "words" and trial % 2:
                    with np.errstate(over="ignore", invalid="ignore"):
                        bound = words(evidence, theta, words=2).bound
                else:
                    found = certify(theta, evidence, kinds=[kind], oracle=fresh, **options)
                    bound = found[kind].bound
            except BoundOverflowError:
                continue
            made[kind] += 1
            if mpf(bound) < truth:
                below.append((kind, trial, bound, float(truth)))
    return made, below


def test_bounds_hold_where_the_squares_of_theta_underflow_and_targets_are_large(precise_norm):
    """theta of 1e-162 and y = 1e100 on S_3: the gradient is 1e-62, far above the smallest floats."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (4, 3))
    model = sa.KernelModel(sa.GaussianKernel(1.0), rng.uniform(-1, 1, (3, 3)))
    theta, data = np.full(6, 1e-162), (x, np.full(4, 1e100))
    S = sa.Oracle(ACT.group, seed=0).draw(1)
    found = certify(theta, Evidence(model, data, ACT, S), oracle=sa.Oracle(ACT.group, seed=9))
    truth = precise_norm(model, data, theta)
    assert {kind: one.bound for kind, one in found.items() if mpf(one.bound) < truth} == {}
    assert found["exact"].bound <= truth * (1 + mpf("1e-10"))
    assert set(found) == set(KINDS)


@pytest.mark.parametrize(
    ("a", "b", "y"),
    [
        ([1e300, 1e-170], [0.0, 1e-170], 0.0),  # c underflows, what it is multiplied by is large
        ([1e300, 1.0], [1e-300, 1.0], 5e-324),
        ([1e160, 1e160], [1e-165, 0.0], -3e-320),
        ([1e-320, 0.0], [0.0, 1e-310], 1e150),
        ([1e80, -1e-80], [1e70, 1e-300], 1e150),
        ([0.0, 0.0], [1e-200, 0.0], 1e-200),
        ([0.0, 0.0], [1e300, 1.0], 5e-324),
    ],
)
def test_what_underflows_is_counted_where_it_is_multiplied_by_large_numbers(a, b, y, precise_norm):
    x = np.array([[0.1, 0.4, -0.3], [0.7, 0.2, 0.5]])
    model = sa.KernelModel(sa.GaussianKernel(1.0), x[::-1, ::-1])
    theta, data = np.array([*a, *b]), (x, np.full(2, y))
    evidence = Evidence(model, data, ACT, sa.Oracle(ACT.group, seed=0).draw(2))
    found = certify(theta, evidence, oracle=sa.Oracle(ACT.group, seed=9), delta=1e-9)
    truth = precise_norm(model, data, theta)
    assert {kind: one.bound for kind, one in found.items() if mpf(one.bound) < truth} == {}


def test_no_bound_of_any_kind_is_below_the_norm_to_forty_digits_at_any_scale(precise_norm):
    made, below = bounds_at_any_scale(150, 0, precise_norm)
    assert below == []
    assert min(made.values()) > 75
