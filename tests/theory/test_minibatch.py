"""Mini-batches with a fixed S: the promise on six groups."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug import theory
from sparseaug.kernels import box_bound, initial_gap, smoothness_bound

CASES = {
    "S3": (sa.permute_axis(sa.symmetric(3)), 3),
    "S4": (sa.permute_axis(sa.symmetric(4)), 4),
    "Z2^3": (sa.flip_signs(sa.sign_flips(3)), 3),
    "C6": (sa.roll(sa.cyclic(6), axes=(-1,)), 6),
    "D5": (sa.permute_axis(sa.dihedral(5)), 5),
    "B2": (sa.signed_permute(sa.hyperoctahedral(2)), 2),
}
BOX = 1.5


def problem(name, m=6, n=4):
    act, size = CASES[name]
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (n, size))
    model = sa.KernelModel(sa.GaussianKernel(1.0), rng.uniform(-1, 1, (3, size)))
    S = sa.Oracle(act.group, seed=1).draw(m)
    data = (x, rng.normal(size=n))
    return model, data, act, S, rng.uniform(-0.5, 0.5, 6)


@pytest.mark.parametrize("name", CASES)
def test_the_promise_holds_against_the_exact_gradient(name):
    """Mean square over the iterates of 20 runs, with L, sigma and gap known beforehand."""
    model, data, act, S, start = problem(name)
    numbers = (model.kernel, model.centers, data[1])
    L = smoothness_bound(*numbers, box=BOX)
    gap = initial_gap(*numbers, *model.split(start))
    sigma = box_bound(*numbers, box=BOX).B_2
    risk = sa.augmented_risk(model, data, act, S)
    full = sa.augmented_risk(model, data, act, "full")
    b, T, step = 4, 200, 0.5 / L
    squares, errors = [], []
    for seed in range(20):
        visited = [start]

        def keep(theta, visited=visited):
            visited.append(theta)
            return theta

        batches = sa.risk.minibatch(risk, b, seed=seed)
        run = sa.descend(batches, start, step_size=step, num_steps=T, project=keep)
        assert abs(np.array(visited)).max() < BOX  # L and sigma hold along the run
        assert run.calls == S.calls
        truth = [full.gradient(theta) for theta in visited[:T:10]]
        squares += [float(g @ g) for g in truth]
        sparse = [risk.gradient(theta) for theta in visited[:T:10]]
        errors += [np.linalg.norm(g - h) for g, h in zip(sparse, truth, strict=True)]
    error = max(errors)
    promised = theory.one_shot_sgd_bound(T, step, L=L, gap=gap, sigma=sigma, b=b, error=error)
    assert np.sqrt(np.mean(squares)) <= promised
    r = theory.dimension_free_gradient_bound(6, 0.05, C=2**0.5, B=sigma)
    assert error <= r  # at every theta of the box, with probability 0.95; the seed is fixed
