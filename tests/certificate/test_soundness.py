"""Evidence believes what is about its own S and data; a certain bound below the truth is an alarm."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import TABLE, Evidence, certify
from sparseaug.errors import ArgumentError, SoundnessError

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (5, 4))
DATA = (X, X.sum(axis=1))
MODEL = sa.KernelModel(sa.GaussianKernel(1.0), RNG.uniform(-1, 1, (6, 4)))
ACT = sa.permute_axis(sa.symmetric(4))
S = sa.Oracle(ACT.group, seed=0).draw(8)
THETA = np.random.default_rng(0).normal(0, 0.5, MODEL.size)


def risk(*, model=MODEL, data=DATA, act=ACT, S=S):
    return sa.augmented_risk(model, data, act, S)


@pytest.mark.parametrize("what", ["inputs", "targets", "kernel", "centers", "action"])
def test_the_full_risk_of_another_problem_is_refused_by_name(what):
    changed = {
        "inputs": {"data": (X[:, ::-1], DATA[1])},
        "targets": {"data": (X, DATA[1][::-1])},
        "kernel": {"model": sa.KernelModel(sa.GaussianKernel(1.1), MODEL.centers)},
        "centers": {"model": sa.KernelModel(MODEL.kernel, MODEL.centers[::-1])},
        "action": {"act": sa.permute_axis(sa.alternating(4))},
    }[what]
    with pytest.raises(ArgumentError, match=f"full has other {what}"):
        Evidence(MODEL, DATA, ACT, S, full=risk(S="full", **changed))


def shrunk(monkeypatch, kind, factor):
    """A certificate of this kind that is wrong by a factor."""
    real = TABLE[kind].make

    def wrong(*args, **options):
        one = real(*args, **options)
        return dataclasses.replace(one, bound=one.bound * factor)

    monkeypatch.setitem(TABLE, kind, TABLE[kind]._replace(make=wrong))


@pytest.mark.parametrize("kind", ["spectral", "kernel"])
def test_a_certain_bound_below_the_exact_norm_raises_the_alarm(kind, monkeypatch):
    given = {"evidence": Evidence(MODEL, DATA, ACT, S)}
    sound = certify(THETA, **given)
    truth = sound["exact"].truth
    shrunk(monkeypatch, kind, truth / sound[kind].bound * (1 - 1e-9))
    with pytest.raises(SoundnessError, match=f"the {kind} bound") as found:
        certify(THETA, **given)
    assert repr(truth) in str(found.value)
    assert S.sha256 in str(found.value)
    full = risk(S="full")
    with pytest.raises(SoundnessError):
        certify(THETA, Evidence(MODEL, DATA, ACT, S, full=full), kinds=[kind])
    certify(THETA, **given, kinds=[kind])  # without the exact norm there is nothing to compare with


def test_the_alarm_leaves_room_for_the_rounding_of_the_exact_norm_and_no_more(monkeypatch):
    given = {"evidence": Evidence(MODEL, DATA, ACT, S)}
    sound = certify(THETA, **given)
    exact = sound["exact"]
    rounding = exact.bound - exact.truth
    for low, alarmed in (
        (exact.truth - 0.9 * rounding, False),
        (exact.truth - 1.1 * rounding, True),
    ):
        with monkeypatch.context() as patch:
            shrunk(patch, "kernel", low / sound["kernel"].bound)
            if alarmed:
                with pytest.raises(SoundnessError):
                    certify(THETA, **given)
            else:
                certify(THETA, **given)
