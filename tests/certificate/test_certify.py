"""What certificates say, and how bad input is answered."""

from __future__ import annotations

import dataclasses
import json
import sys

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import KINDS, TABLE, Evidence, certify
from sparseaug.errors import ArgumentError, UnsupportedError

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (5, 4))
MODEL, DATA = sa.KernelModel(sa.GaussianKernel(1.0), RNG.uniform(-1, 1, (6, 4))), (X, X.sum(axis=1))
ACT = sa.permute_axis(sa.symmetric(4))
S = sa.Oracle(ACT.group, seed=0).draw(64)
THETA = np.random.default_rng(0).normal(0, 0.5, MODEL.size)


def test_a_collection_is_a_mapping_that_becomes_json():
    found = certify(THETA, Evidence(MODEL, DATA, ACT, S))
    assert list(found) == [kind for kind in KINDS if kind != "audited"]
    assert found.omitted == {"audited": "an audit draws fresh elements; give oracle=."}
    assert found.best is found["exact"]
    assert json.loads(json.dumps(found.to_dict()))["certificates"]["kernel"]["holds"] == "certain"
    assert all(kind in str(found) for kind in KINDS)
    for one in found.values():
        assert one.looseness == one.bound / one.truth >= 1


def test_a_deviation_that_is_an_estimate_certifies_nothing():
    estimate = dataclasses.replace(sa.deviation(S), failure_probability=None)
    likely = dataclasses.replace(sa.deviation(S), failure_probability=1e-6)
    with pytest.raises(UnsupportedError, match="estimate"):
        certify(THETA, Evidence(MODEL, DATA, ACT, S, estimate), kinds=["spectral"])
    found = certify(THETA, Evidence(MODEL, DATA, ACT, S, likely), kinds=["spectral"])
    assert found["spectral"].failure_probability == 1e-6
    assert "1e-06" in found["spectral"].holds


def test_an_action_that_does_not_keep_the_kernel_has_no_function_space_bounds():
    stretch = sa.matrix_group(np.array([np.eye(2), [[0.0, 2.0], [0.5, 0.0]]]))
    act = sa.linear(stretch)
    x = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    model = sa.KernelModel(sa.GaussianKernel(1.0), x)
    S = sa.Oracle(stretch).draw(4)
    found = certify(np.ones(6), Evidence(model, (x, x.sum(1)), act, S))
    assert "exact" in found
    assert not any(TABLE[kind].from_sample for kind in found)
    assert "invariant" in found.omitted["spectral"]


def test_a_bound_that_overflows_is_left_out_with_its_reason_and_the_others_come():
    x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
    model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
    act = sa.permute_axis(sa.symmetric(4))
    sample = sa.Oracle(act.group).draw(8)
    risk = sa.augmented_risk(model, (x, x.sum(1)), act, sample)
    bounds = {kind: one.bound for kind, one in sa.certify(np.full(8, 1e20), risk).items()}
    smallest, largest = min(bounds, key=bounds.get), max(bounds, key=bounds.get)
    between = (bounds[smallest] + bounds[largest]) / 2
    theta = np.full(8, 1e20 * (sys.float_info.max / between) ** (1 / 3))  # bounds grow by cubes
    found = sa.certify(theta, risk)
    assert smallest in found
    assert found.omitted[largest] == f"theta is too large for floats: its {largest} bound is inf."
    with pytest.raises(ArgumentError, match=f"theta is too large for floats: its {largest} bound"):
        sa.certify(theta, risk, kinds=[smallest, largest])
