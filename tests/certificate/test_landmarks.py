"""The bound with landmarks: any landmarks and any coefficients give one, and every term of it counts."""

from __future__ import annotations

import dataclasses
import importlib
import math

import numpy as np
import pytest
from mpmath import mp, mpf

import sparseaug as sa
from sparseaug.certificate import Evidence, certify, exact, kernel, landmarks
from sparseaug.errors import UnsupportedError
from sparseaug.kernels import GaussianKernel
from tests.references import expansion_norm

module = importlib.import_module("sparseaug.certificate.landmarks")


@pytest.fixture
def few(monkeypatch):
    """Sets how many landmarks there are at most."""
    return lambda number: monkeypatch.setattr(module, "MOST", number)


def fresh(evidence: Evidence) -> Evidence:
    """The same without what was kept."""
    return Evidence(evidence.model, evidence.data, evidence.action, evidence.S)


@pytest.mark.parametrize("number", [1, 4, 12, 600])
def test_no_number_of_landmarks_gives_a_bound_below_the_full_gradient_norm(number, cases, few):
    few(number)
    kept: dict[int, Evidence] = {}
    for case in cases[::2]:
        evidence = kept.setdefault(id(case.evidence), fresh(case.evidence))
        assert landmarks(evidence, case.theta).bound >= case.truth * (1 - 1e-12)


def test_the_cases_tell_a_bound_from_the_estimate(cases, few):
    """Without the rests, or with a hundredth of them, it is below the truth somewhere."""
    few(3)
    below = {"": 0, "F": 0}
    for case in cases[::3]:
        evidence = fresh(case.evidence)
        for name in below:
            landmarks(evidence, case.theta)
            of = evidence.kept["landmarks"]
            factor = 0.0 if name == "" else 0.01
            evidence.kept["landmarks"] = dataclasses.replace(of, rest=factor * of.rest)
            below[name] += landmarks(evidence, case.theta).bound < case.truth * (1 - 1e-9)
            evidence.kept["landmarks"] = of
    assert all(below.values())


def test_all_middles_as_landmarks_give_the_norm_itself(problem, reference_norm):
    """F lies in their span, but for the ridge: what remains is rounding."""
    model, data, act = problem(5, 0)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    for S in (sa.Oracle(act.group, seed=0).draw(8), None, "full", "streaming"):
        found = landmarks(Evidence(model, data, act, S), theta)
        assert found.certain
        truth = reference_norm(model, data, theta)
        assert truth * (1 - 1e-12) <= found.bound <= truth * (1 + 1e-4)


def test_landmarks_are_far_below_the_kernel_bound(problem):
    model, data, act = problem(6, 0, samples=30, centers=40)
    S = sa.Oracle(act.group, seed=0).draw(32)
    evidence = Evidence(model, data, act, S)
    start = np.random.default_rng(0).normal(0, 0.5, 80)
    theta = sa.descend(evidence.sparse_risk, start, step_size=0.05, num_steps=500).best
    truth = exact(evidence, theta).truth
    assert truth <= landmarks(evidence, theta).bound < 1.2 * truth
    assert kernel(evidence, theta).bound > 10 * truth


@pytest.mark.parametrize("tau", [0.0, 0.3, 1.0, 1.7])
def test_any_coefficients_give_a_bound(tau, problem, reference_norm, monkeypatch, few):
    """Coefficients that are off by as much as they are large; with a tau from anywhere."""
    few(6)
    solve = module.cho_solve
    rng = np.random.default_rng(0)

    def sloppy(factor, right, **options):
        solution = solve(factor, right, **options)
        return solution + rng.normal(0, 0.5, solution.shape) * abs(solution).max()

    monkeypatch.setattr(module, "cho_solve", sloppy)
    monkeypatch.setattr(module, "_share", lambda *rests: tau)
    for seed in range(8):
        model, data, act = problem(4, seed)
        theta = rng.normal(0, 0.5, model.size)
        evidence = Evidence(model, data, act, sa.Oracle(act.group, seed=seed).draw(6))
        found = landmarks(evidence, theta)
        assert evidence.kept["landmarks"].tau == tau
        assert found.bound >= reference_norm(model, data, theta)


@pytest.mark.parametrize("tau", [0.0, 0.3, 1.0, 1.7])
def test_the_rest_of_the_mean_is_its_norm_for_any_share_of_S(tau, problem, monkeypatch, few):
    """rho as a sum of kernels at all images of the data, those by S and the landmarks."""
    few(3)
    monkeypatch.setattr(module, "_share", lambda *rests: tau)
    model, (x, y), act = problem(4, 0)
    S = sa.Oracle(act.group, seed=0).draw(3)
    evidence = Evidence(model, (x, y), act, S)
    of = module._prepare(evidence)
    every, some = (act(rows, x).reshape(-1, 4) for rows in (act.group.all_elements(), S.elements))
    weights = [np.full(len(every), 1 / len(every)), np.full(len(some), -tau / len(some)), -of.alpha]
    points = np.concatenate([every, some, of.points])
    rho = expansion_norm(evidence.narrow, points, np.concatenate(weights))
    assert of.rest == pytest.approx(rho, rel=1e-6)


@pytest.mark.parametrize("tau", [0.0, 0.6, 1.3])
@pytest.mark.parametrize("sloppy", ["alpha", "beta"])
def test_one_good_approximation_makes_up_for_a_bad_one(
    sloppy, tau, problem, reference_norm, monkeypatch
):
    """alpha from nowhere, where F lies in the span of all middles; or beta, where the mean over the
    group lies in it, as all images of the data are centres. Then the bound is the norm itself.
    """
    solve, rng = module.cho_solve, np.random.default_rng(0)

    def solved(factor, right, **options):
        solution = solve(factor, right, **options)
        bad = (right.ndim == 1) == (sloppy == "alpha")
        return solution + bad * rng.normal(0, 0.5, solution.shape)

    monkeypatch.setattr(module, "cho_solve", solved)
    monkeypatch.setattr(module, "_share", lambda *rests: tau if sloppy == "alpha" else 0.0)
    for seed in range(4):
        model, data, act = problem(3, seed, samples=2, centers=4)
        if sloppy == "beta":
            every = np.concatenate(list(act.group.elements()))
            moved = act(every, data[0]).reshape(-1, 3)
            model = sa.KernelModel(model.kernel, moved)
        theta = rng.normal(0, 0.5, model.size)
        evidence = Evidence(model, data, act, sa.Oracle(act.group, seed=seed).draw(4))
        truth = reference_norm(model, data, theta)
        assert truth * (1 - 1e-12) <= landmarks(evidence, theta).bound <= truth * (1 + 1e-3)


@pytest.mark.parametrize("act_and_shape", ["Z2^5", "D7", "C3xC3", "B3", "A5", "cube"])
def test_other_groups_and_other_landmarks(act_and_shape, few):
    act, shape = {
        "Z2^5": (sa.flip_signs(sa.sign_flips(5)), (5,)),
        "D7": (sa.permute_axis(sa.dihedral(7)), (7,)),
        "C3xC3": (sa.roll(sa.abelian(3, 3)), (3, 3)),
        "B3": (sa.signed_permute(sa.hyperoctahedral(3)), (3,)),
        "A5": (sa.permute_axis(sa.alternating(5)), (5,)),
        "cube": (sa.linear(sa.groups.cube_rotations()), (3,)),
    }[act_and_shape]
    for number in (2, 8, 600):
        few(number)
        for seed in range(4):
            rng = np.random.default_rng(seed)
            x, z = rng.uniform(-1, 1, (4, *shape)), rng.uniform(-1, 1, (5, *shape))
            y = rng.normal(size=4) * 10.0 ** rng.integers(-8, 9)
            model = sa.KernelModel(GaussianKernel(float(rng.uniform(0.4, 2))), z)
            S = sa.GroupSample(act.group, act.group.sample(7, rng))
            evidence = Evidence(model, (x, y), act, S)
            theta = rng.normal(0, 10.0 ** rng.integers(-3, 3), model.size)
            truth = exact(evidence, theta)
            assert landmarks(evidence, theta).bound >= 2 * truth.truth - truth.bound


OFF = 1e-3


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("what", ["landmarks", "targets", "moments"])
def test_every_error_that_is_claimed_is_covered(what, sign, problem, reference_norm, monkeypatch):
    """Numbers moved by their claimed error: the bound is still above the truth.

    All middles are landmarks, so the rests are next to nothing and only claimed errors can cover.
    """
    for seed in range(6):
        model, data, act = problem(4, seed, samples=3, centers=3)
        theta = np.random.default_rng(seed).normal(0, 1.0, model.size)
        S = sa.Oracle(act.group, seed=seed).draw(5) if what == "moments" else None
        evidence = Evidence(model, data, act, S)
        with monkeypatch.context() as patch:
            if what == "moments":
                patch.setattr(module, "_share", lambda *_: 1.0)
                risk = evidence.sparse_risk
                moments = dataclasses.replace(
                    risk.moments, A=risk.moments.A + sign * OFF, error=OFF
                )
                evidence.__dict__["sparse_risk"] = dataclasses.replace(risk, moments=moments)
            else:
                mean = GaussianKernel.group_mean
                wide = what == "targets"

                def moved(self, *args, mean=mean, wide=wide, model=model):
                    return mean(self, *args) + sign * OFF * (wide == (self == model.kernel))

                patch.setattr(GaussianKernel, "group_mean", moved)
                patch.setattr(module, "_mean_error", lambda *_: OFF)
            found = landmarks(evidence, theta)
        assert found.bound >= reference_norm(model, data, theta)


def test_a_gradient_that_nearly_vanishes_is_covered_by_the_roundings(problem, reference_norm):
    """Descent on the whole group: the norm of S, or of a rest, is not small there."""
    for seed in range(2):
        model, data, act = problem(4, seed, samples=3, centers=3)
        full = sa.augmented_risk(model, data, act, "full")
        start = np.random.default_rng(seed).normal(0, 0.5, model.size)
        theta = sa.descend(full, start, step_size=0.3, num_steps=4000).best
        found = landmarks(Evidence(model, data, act, sa.Oracle(act.group).draw(5)), theta)
        truth = reference_norm(model, data, theta)
        assert truth < 1e-3
        assert truth <= found.bound < truth + 1e-5


def test_the_bound_is_above_the_norm_to_forty_digits(problem, precise_norm):
    for seed in range(4):
        model, data, act = problem(3, seed, samples=2, centers=3)
        theta = np.random.default_rng(seed).normal(0, 2.0, model.size)
        truth = precise_norm(model, data, theta)
        for S in (None, sa.Oracle(act.group, seed=seed).draw(4)):
            assert truth <= landmarks(Evidence(model, data, act, S), theta).bound <= truth * 1.001


def in_digits(p, q, width) -> mpf:
    """exp(-|p - q|^2 / width) for vectors of mpf."""
    return mp.exp(-sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) / width)


def as_digits(rows) -> list[list[mpf]]:
    return [[mpf(float(v)) for v in row] for row in np.atleast_2d(rows)]


@pytest.mark.parametrize("seed", range(3))
def test_both_rests_are_above_those_to_forty_digits(seed):
    """The data and their images are centres, so both rests are far below the roundings of squares."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (1, 2))
    z = np.concatenate([x, x[:, ::-1], rng.uniform(-1, 1, (1, 2))])
    act = sa.permute_axis(sa.symmetric(2))
    model = sa.KernelModel(GaussianKernel(1.3), z)
    evidence = Evidence(model, (x, np.ones(1)), act, None)
    of = module._prepare(evidence)
    c = rng.normal(size=3)
    phi = model.kernel(of.points, z)
    F = (phi @ c)[:, None] * phi
    beta = module.cho_solve((of.factor, True), F)
    found = module._outside(evidence, of, c, F, beta)
    with mp.workdps(40):
        square = mpf(1.3) ** 2
        # the narrow kernel exp(-|p - q|^2 / sigma^2), and what is expanded in it
        places, coefficients = as_digits(of.points), as_digits(of.alpha)[0]
        moved = [*as_digits(x), *as_digits(x[:, ::-1])]
        terms = [(mpf(1) / 2, p) for p in moved]
        terms += [(-k, p) for k, p in zip(coefficients, places, strict=True)]
        rho = sum(k * h * in_digits(p, q, square) for k, p in terms for h, q in terms)
        assert of.rest >= mp.sqrt(rho)
        centers = as_digits(z)
        for r, center in enumerate(centers):
            terms = [
                (
                    mpf(float(c[s])) * in_digits(other, center, 4 * square),
                    [(p + q) / 2 for p, q in zip(other, center, strict=True)],
                )
                for s, other in enumerate(centers)
            ]
            terms += [(-k, p) for k, p in zip(as_digits(beta[:, r])[0], places, strict=True)]
            outside = sum(k * h * in_digits(p, q, square) for k, p in terms for h, q in terms)
            assert outside <= found[r] <= outside + mpf(1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_the_rest_of_the_mean_covers_coefficients_that_cancel(seed, monkeypatch):
    """Every landmark twice, with coefficients of 1e4 and -1e4 more: the same function, and roundings."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (1, 2))
    z = np.concatenate([x, x[:, ::-1]])
    act = sa.permute_axis(sa.symmetric(2))
    evidence = Evidence(sa.KernelModel(GaussianKernel(1.3), z), (x, np.ones(1)), act, None)
    points, solve = module._points, module.cho_solve
    large = 1e4 * rng.uniform(1, 2, 3)
    monkeypatch.setattr(module, "_points", lambda *args: np.tile(points(*args), (2, 1)))
    monkeypatch.setattr(
        module, "cho_solve", lambda *args: solve(*args) + np.concatenate([large, -large])
    )
    of = module._prepare(evidence)
    with mp.workdps(40):
        terms = [(mpf(1) / 2, p) for p in (*as_digits(x), *as_digits(x[:, ::-1]))]
        places = as_digits(of.points)
        terms += [(-k, p) for k, p in zip(as_digits(of.alpha)[0], places, strict=True)]
        rho = sum(k * h * in_digits(p, q, mpf(1.3) ** 2) for k, p in terms for h, q in terms)
        assert mp.sqrt(rho) <= of.rest <= mp.sqrt(rho) + mpf(1e-2)


@pytest.mark.parametrize("scale", [1e-120, 1e-40, 1e40])
def test_scales_of_targets_and_parameters(scale, problem):
    """y times s^2 and theta times s scale the gradient by s^3, and the bound with it."""
    model, (x, y), act = problem(4, 0)
    S = sa.Oracle(act.group, seed=0).draw(5)
    theta = np.random.default_rng(0).normal(0, 0.5, model.size)
    one = landmarks(Evidence(model, (x, y), act, S), theta).bound
    scaled = Evidence(model, (x, scale**2 * y), act, S)
    assert landmarks(scaled, scale * theta).bound >= scale**3 * one * (1 - 1e-9)
    uneven = np.concatenate([theta[:6] * scale, theta[6:] / scale])  # c = a b is as before
    truth = exact(Evidence(model, (x, y), act, S), uneven)
    assert landmarks(Evidence(model, (x, y), act, S), uneven).bound >= 2 * truth.truth - truth.bound


def test_more_work_than_the_budget_is_declined_with_its_size(problem, monkeypatch):
    model, data, act = problem(4, 0)
    theta = np.ones(model.size)
    evidence = Evidence(model, data, act, sa.Oracle(act.group).draw(5))
    monkeypatch.setattr(module, "WORK", 1000)
    with pytest.raises(UnsupportedError, match="1000 that landmarks may take"):
        landmarks(evidence, theta)
    assert "1000" in certify(theta, evidence).omitted["landmarks"]


def test_a_large_S_takes_no_part(problem, monkeypatch):
    model, data, act = problem(4, 0)
    evidence = Evidence(model, data, act, sa.Oracle(act.group).draw(5))
    monkeypatch.setattr(module, "PAIRS", 600)
    landmarks(evidence, np.ones(model.size))
    assert evidence.kept["landmarks"].tau == 0.0
    assert "discrepancies" not in evidence.__dict__
    assert math.isfinite(evidence.kept["landmarks"].rest)
