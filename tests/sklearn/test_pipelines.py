"""A random pipeline in an estimator: S of seeds, and no identity."""

import numpy as np
import pytest

import sparseaug as sa

pytest.importorskip("sklearn")
from sklearn.linear_model import LogisticRegression

from sparseaug.sklearn import OneShotClassifier


def shake(x, rng):
    return x + 0.2 * rng.normal(size=x.shape)


def test_a_classifier_is_trained_and_averaged_over_S():
    act, rng = sa.random_transform(shake), np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = (X[:, 0] > 0).astype(int)
    found = OneShotClassifier(LogisticRegression(), action=act, m=6, random_state=1).fit(X, y)
    assert found.sample_.m == 6
    assert found.sample_.calls == 6
    inner = LogisticRegression().fit(act(found.sample_, X).reshape(-1, 5), np.tile(y, 6))
    np.testing.assert_allclose(found.estimator_.coef_, inner.coef_, atol=1e-8)
    assert found.score(X, y) > 0.8
