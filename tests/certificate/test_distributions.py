"""What holds over a distribution that is no group: the a-priori bound without log|G|, and audits."""

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import UnsupportedError
from sparseaug.theory import distribution_gradient_bound

ACT = sa.random_transform(lambda x, rng: x + 0.3 * rng.normal(size=x.shape), name="noise")
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (8, 3))
Y = X.sum(axis=1)
MODEL = sa.KernelModel(sa.GaussianKernel(1.0), X[:4])


def gradient(theta, S):
    return sa.augmented_risk(MODEL, (X, Y), ACT, S).gradient(theta)


TRUE_S = sa.Oracle(ACT.distribution, seed=999).draw(2000)


@pytest.fixture(scope="module")
def truth():
    """The risk over 2,000 draws, whose error is far below the bounds."""
    return sa.augmented_risk(MODEL, (X, Y), ACT, TRUE_S)


def test_bounds_hold_and_audits_are_closer(truth):
    failed = {"a-priori": 0, "audited": 0}
    for seed in range(10):
        S = sa.Oracle(ACT.distribution, seed=seed).draw(32)
        risk = sa.augmented_risk(MODEL, (X, Y), ACT, S)
        run = sa.descend(risk, np.ones(8), step_size=0.1, num_steps=20)
        oracle = sa.Oracle(ACT.distribution, seed=10_000 + seed)
        found = sa.certify(run, oracle=oracle, audit_calls=200)
        assert set(found.omitted) == {"spectral", "words", "kernel", "exact"}
        assert all("no group" in reason for reason in found.omitted.values())
        true = np.linalg.norm(truth.gradient(run.best))
        for kind in failed:
            failed[kind] += true > found[kind].bound
        assert found["audited"].bound < found["a-priori"].bound
        assert oracle.calls == 200
    assert failed == {"a-priori": 0, "audited": 0}  # each with probability at least 0.95


def test_the_a_priori_certificate_is_the_norm_on_S_and_the_bound():
    theta, S = RNG.normal(size=8), sa.Oracle(ACT.distribution, seed=0).draw(100)
    evidence = sa.certificate.Evidence(MODEL, (X, Y), ACT, S)
    small = sa.certify(theta, evidence, kinds=["a-priori"], delta=0.05)["a-priori"]
    large_S = sa.Oracle(ACT.distribution, seed=0).draw(400)
    large = sa.certify(
        theta, sa.certificate.Evidence(MODEL, (X, Y), ACT, large_S), kinds=["a-priori"]
    )["a-priori"]
    off = [
        one.bound - np.linalg.norm(gradient(theta, sample))
        for one, sample in ((small, S), (large, large_S))
    ]
    assert off[0] == pytest.approx(2 * off[1], rel=1e-6)
    ratio = distribution_gradient_bound(100, 0.05, C=2**0.5, B=1.0, nonnegative=True)
    assert off[0] > ratio * abs(theta[:4] @ theta[4:]) * 0.01
    chosen = sa.GroupSample(ACT.distribution, S.elements)
    with pytest.raises(UnsupportedError, match="independent uniform draws"):
        sa.certify(theta, sa.certificate.Evidence(MODEL, (X, Y), ACT, chosen), kinds=["a-priori"])
