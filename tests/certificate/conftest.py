"""Small problems, iterates along their runs, and full-group gradients by plain loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from mpmath import mp, mpf

import sparseaug as sa
from sparseaug.certificate import Evidence


@dataclass(frozen=True)
class Case:
    evidence: Evidence
    theta: np.ndarray
    truth: float

    @property
    def sparse_norm(self) -> float:
        return float(np.linalg.norm(self.evidence.sparse_risk.gradient(self.theta)))


def make_problem(n: int, seed: int, *, scale: float = 1.0, samples: int = 5, centers: int = 6):
    """A kernel model on sorted inputs, the sum as target, and the permutations of n coordinates."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, (samples, n)), axis=1)
    model = sa.KernelModel(sa.GaussianKernel(1.0), rng.uniform(-1, 1, (centers, n)))
    return model, (x, scale * x.sum(axis=1)), sa.permute_axis(sa.symmetric(n))


def full_norm(model, data, theta) -> float:
    """|| grad R_n^G || by a loop over all permutations of the coordinates."""
    (x, y), z, sigma = data, model.centers, model.kernel.sigma
    a, b = theta[: len(z)], theta[len(z) :]
    total = np.zeros(2 * len(z))
    for p in itertools.permutations(range(x.shape[1])):
        phi = np.exp(-((x[:, p][:, None] - z) ** 2).sum(axis=2) / (2 * sigma**2))
        residual = phi @ (a * b) - y
        slope = (residual[:, None] * phi).mean(axis=0)
        total += np.concatenate([b * slope, a * slope])
    return float(np.linalg.norm(total) / math.factorial(x.shape[1]))


def full_norm_to_forty_digits(model, data, theta) -> mpf:
    """The same with 40 digits."""
    (x, y), z, R = data, model.centers, len(model.centers)
    with mp.workdps(40):
        total = [mpf(0)] * (2 * R)
        scale = 2 * mpf(model.kernel.sigma) ** 2
        for row, target in zip(x, y, strict=True):
            for moved in itertools.permutations([mpf(float(v)) for v in row]):
                phi = [
                    mp.exp(
                        -sum((u - mpf(float(v))) ** 2 for u, v in zip(moved, c, strict=True))
                        / scale
                    )
                    for c in z
                ]
                a, b = ([mpf(float(t)) for t in part] for part in (theta[:R], theta[R:]))
                off = sum(a[r] * b[r] * phi[r] for r in range(R)) - mpf(float(target))
                for r in range(R):
                    total[r] += b[r] * off * phi[r]
                    total[R + r] += a[r] * off * phi[r]
        count = len(x) * math.factorial(x.shape[1])
        return mp.sqrt(sum((t / count) ** 2 for t in total))


def iterates(scale: float = 1.0) -> Iterator[Case]:
    """Iterates along one-shot and unaugmented runs on S_4, S_5 and S_6."""
    for n, m, seed in itertools.product((4, 5, 6), (0, 4, 16), (0, 1)):
        model, data, act = make_problem(n, seed, scale=scale)
        S = sa.Oracle(act.group, seed=seed).draw(m) if m else None
        evidence = Evidence(model, data, act, S)
        theta = np.random.default_rng(seed + 50).normal(0, 0.5 * math.sqrt(scale), model.size)
        for steps in (1, 200, 2000):
            run = sa.descend(
                evidence.sparse_risk,
                theta,
                step_size=0.05 / scale,
                num_steps=steps,
                project=sa.descent.Box(40),
            )
            yield Case(evidence, run.best, full_norm(model, data, run.best))


@pytest.fixture(scope="session")
def cases():
    """Iterates of all problems, with targets of size 1 and of size 100."""
    return [*iterates(), *iterates(scale=100.0)]


@pytest.fixture(scope="session")
def problem():
    return make_problem


@pytest.fixture(scope="session")
def reference_norm():
    return full_norm


@pytest.fixture(scope="session")
def precise_norm():
    return full_norm_to_forty_digits
