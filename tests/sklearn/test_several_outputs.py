"""Classification of several outputs: lists of probabilities, and votes where there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotClassifier

X = np.random.default_rng(2).normal(size=(60, 4))
SHIFT = sa.permute_axis(sa.cyclic(4))
Y = np.stack([np.digitize(X.max(axis=1), [0.6, 1.3]), 5 + (X.sum(axis=1) > 0)], axis=1)


def moved(model: Any) -> list[np.ndarray]:
    return [np.roll(X, int(g), axis=1) for g in model.sample_.elements[:, 0]]


@pytest.mark.parametrize(
    "inner",
    [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        RandomForestClassifier(5, max_depth=3, random_state=0),
        KNeighborsClassifier(3),
        MultiOutputClassifier(LogisticRegression()),
    ],
)
def test_probabilities_of_every_output_are_averaged(inner: Any) -> None:
    model = OneShotClassifier(inner, action=SHIFT, m=3, random_state=1).fit(X, Y)
    each = [model.estimator_.predict_proba(rows) for rows in moved(model)]
    found = model.predict_proba(X)
    assert [c.tolist() for c in model.classes_] == [[0, 1, 2], [5, 6]]
    for output, (classes, proba) in enumerate(zip(model.classes_, found, strict=True)):
        wanted = np.mean([one[output] for one in each], axis=0)
        assert np.allclose(proba, wanted)
        assert np.array_equal(model.predict(X)[:, output], classes[wanted.argmax(axis=1)])
    assert model.score(X, Y) == (model.predict(X) == Y).all(axis=1).mean()


def test_without_probabilities_every_output_is_voted_on() -> None:
    inner = MultiOutputClassifier(LinearSVC())
    model = OneShotClassifier(inner, action=SHIFT, m=3, random_state=1).fit(X, Y)
    votes = np.array([model.estimator_.predict(rows) for rows in moved(model)])
    for output, classes in enumerate(model.classes_):
        counts = (votes[:, :, output, None] == classes).sum(axis=0)
        assert np.array_equal(model.predict(X)[:, output], classes[counts.argmax(axis=1)])


@pytest.mark.parametrize("inner", [RidgeClassifier(), MLPClassifier((4,), max_iter=2000, tol=1e-2)])
def test_several_labels_that_come_as_one_array_are_voted_on(inner: Any) -> None:
    labels = np.stack([X.max(axis=1) > 1.0, X.sum(axis=1) > 0], axis=1).astype(int)
    inner.set_params(random_state=0)
    model = OneShotClassifier(inner, action=SHIFT, m=3, random_state=1).fit(X, labels)
    votes = np.array([model.estimator_.predict(rows) for rows in moved(model)])
    assert np.array_equal(model.predict(X), (votes.sum(axis=0) > 1).astype(int))
    if hasattr(inner, "predict_proba"):
        each = [model.estimator_.predict_proba(rows) for rows in moved(model)]
        assert np.allclose(model.predict_proba(X), np.mean(each, axis=0))


def test_several_outputs_without_the_mean_are_those_of_the_inner_estimator() -> None:
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = OneShotClassifier(tree, action=SHIFT, m=3, average=False, random_state=1).fit(X, Y)
    assert np.array_equal(model.predict(X), model.estimator_.predict(X))
    alone = model.estimator_.predict_proba(X)
    assert all(map(np.array_equal, model.predict_proba(X), alone))


def test_several_outputs_are_refused_where_the_inner_estimator_takes_one() -> None:
    with pytest.raises(ArgumentError, match="y cannot be used"):
        OneShotClassifier(LogisticRegression(), action=SHIFT).fit(X, Y)
