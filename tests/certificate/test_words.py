"""The bound on words: no number of them gives one below the truth, and more of them give less."""

from __future__ import annotations

import dataclasses
import importlib
import itertools

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import Evidence, words
from sparseaug.certificate.exact import exact
from sparseaug.errors import UnsupportedError
from sparseaug.norms import LongRunWarning

module = importlib.import_module("sparseaug.certificate.words")


@pytest.mark.parametrize("number", [1, 20, 90])
def test_no_bound_on_words_is_below_the_full_gradient_norm(number, cases):
    assert all(words(c.evidence, c.theta, words=number).bound >= c.truth for c in cases[::2])


@pytest.mark.parametrize(("y", "theta"), [(0.0, (1.0, 1.0)), (1.0, (0.0, 1.0)), (-1.0, (1.0, 1.0))])
def test_a_case_where_the_bound_is_nearly_attained(y, theta, reference_norm, monkeypatch):
    """One sample, moved away from the only centre by S: truth 1/2, the bound 0 + 1/2.

    By f alone, by the target alone, and by both, which add up.
    """
    x = np.array([[-1.0, 1.0]])
    act = sa.permute_axis(sa.symmetric(2))
    model = sa.KernelModel(sa.GaussianKernel(0.3), x)
    S = sa.GroupSample(act.group, [[1, 0]])
    evidence = Evidence(model, (x, np.array([y])), act, S)
    truth = reference_norm(model, evidence.data, np.array(theta))
    assert 1.0 <= words(evidence, np.array(theta), words=1).bound / truth < 1.0001
    monkeypatch.setattr(module, "PAIRS", 0)  # norms are taken whole: 1 in place of 1/2
    other = Evidence(model, (x, np.array([y])), act, S)
    assert 1.999 < words(other, np.array(theta), words=1).bound / truth < 2.001


@pytest.mark.parametrize("name", ["Z2^5", "D7", "C3xC3", "B3", "cube"])
def test_other_groups_and_other_scales(name):
    """Also with 10 words by which what varies is bounded, in place of the group."""
    act, shape = {
        "Z2^5": (sa.flip_signs(sa.sign_flips(5)), (5,)),
        "D7": (sa.permute_axis(sa.dihedral(7)), (7,)),
        "C3xC3": (sa.roll(sa.abelian(3, 3)), (3, 3)),
        "B3": (sa.signed_permute(sa.hyperoctahedral(3)), (3,)),
        "cube": (sa.linear(sa.groups.cube_rotations()), (3,)),
    }[name]
    for seed, few in itertools.product(range(5), (10, 256)):
        rng = np.random.default_rng(seed)
        x, z = rng.uniform(-1, 1, (4, *shape)), rng.uniform(-1, 1, (5, *shape))
        y = rng.normal(size=4) * 10.0 ** rng.integers(-8, 9)
        model = sa.KernelModel(sa.GaussianKernel(float(rng.uniform(0.3, 2))), z)
        S = sa.GroupSample(act.group, act.group.sample(4, rng))
        theta = rng.normal(0, 10.0 ** rng.integers(-3, 3), model.size)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "FEW", few)
            evidence = Evidence(model, (x, y), act, S)
            truth = exact(evidence, theta)
            for number in (1, 6):
                found = words(evidence, theta, words=number).bound
                assert found >= 2 * truth.truth - truth.bound


@pytest.mark.parametrize("error", [LongRunWarning("long"), UnsupportedError("no")])
def test_without_the_deviation_of_random_words_all_words_of_one_length_serve(
    error, problem, reference_norm, monkeypatch
):
    model, data, act = problem(6, 0)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    S = sa.Oracle(act.group, seed=0).draw(16)
    known = sa.deviation(S)

    def fails(W):
        raise error

    monkeypatch.setattr(module, "deviation", fails)
    monkeypatch.setattr(module, "MOST_WORDS", 500)
    evidence = Evidence(model, data, act, S, known)
    found = words(evidence, theta)
    of = evidence.kept["words"][None]
    assert of.risk.S.m == 256
    assert known.value**2 <= of.deviation <= known.value**2 * (1 + 1e-12)
    assert of.deviation >= sa.deviation(of.risk.S).lower
    assert of.mu <= 1.0
    assert found.bound >= reference_norm(model, data, theta)


def test_a_deviation_with_a_chance_of_failing_is_passed_on(problem, monkeypatch):
    model, data, act = problem(6, 0)
    real = sa.deviation
    likely = lambda W: dataclasses.replace(real(W), failure_probability=1e-6)  # noqa: E731
    monkeypatch.setattr(module, "deviation", likely)
    evidence = Evidence(model, data, act, sa.Oracle(act.group, seed=0).draw(16))
    found = words(evidence, np.ones(model.size), words=300)
    assert found.failure_probability == pytest.approx(2e-6)  # of W, and of the few words for norms
    estimate = lambda W: dataclasses.replace(real(W), failure_probability=None)  # noqa: E731
    monkeypatch.setattr(module, "deviation", estimate)
    given = dataclasses.replace(real(evidence.sample), failure_probability=None)
    other = Evidence(model, data, act, evidence.sample, given)
    with pytest.raises(UnsupportedError, match="estimate"):
        words(other, np.ones(model.size), words=300)


def test_centres_that_the_action_treats_otherwise_than_the_data_count_whole():
    """An isometry on the data is all that is tested. Beyond 9.6 it moves nothing: P would not vary."""

    def swap(g, x):
        swapped = np.where(abs(x).max(axis=-1, keepdims=True) < 9.6, x[..., ::-1], x)
        return np.where(g[:, :, None] == 1, swapped, x)

    act = sa.custom_action(sa.cyclic(2), swap)
    x = np.array([[7.2, -7.2]])
    model = sa.KernelModel(sa.GaussianKernel(8.0), np.array([[12.0, -8.0], [10.4, -9.6]]))
    for theta in (np.ones(4), np.array([2.0, 1.5, 1.0, 1.0])):
        y = model.predict(theta, x)  # no gradient on S, the identity
        evidence = Evidence(model, (x, y), act, sa.GroupSample(act.group, [[0]]))
        found = words(evidence, theta, words=1)
        assert found.condition
        assert found.bound >= exact(evidence, theta).truth > 0.01
