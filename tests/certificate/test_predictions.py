"""What models return: labels, scores, text, lists; what could be read in two ways is refused."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import BoundedLoss, audit_risk
from sparseaug.errors import ArgumentError

X = np.random.default_rng(0).normal(size=(20, 3))
Y = (X[:, 0] > 0).astype(int)
ACT = sa.permute_axis(sa.symmetric(3))
WORDS = np.array(["no", "yes"])


def labels(x):
    return (x[:, 0] + x[:, 1] > 0).astype(int)


def audited(predict, y=Y, **arguments):
    return audit_risk(predict, (X, y), ACT, **arguments)


TRUTH = audited(labels).estimate


@pytest.mark.parametrize(
    ("predict", "y"),
    [
        (lambda x: WORDS[labels(x)], WORDS[Y]),
        (lambda x: [str(word) for word in WORDS[labels(x)]], WORDS[Y].astype(object)),
        (lambda x: labels(x).tolist(), Y.tolist()),
        (lambda x: labels(x) > 0, Y > 0),
        (lambda x: labels(x).astype(float), Y.astype(float)),
        (lambda x: np.eye(2)[labels(x)], Y.astype(float)),
        (lambda x: np.eye(2, dtype=int)[labels(x)], Y),
    ],
)
def test_labels_text_lists_and_scores_are_read_alike(predict, y):
    assert audited(predict, y).estimate == TRUTH
    S = sa.GroupSample(ACT.group, [[0, 1, 2]])
    assert audited(predict, y, average_over=S).estimate == TRUTH


@pytest.mark.parametrize(
    ("predict", "y", "match"),
    [
        (labels, WORDS[Y], "as text"),
        (labels, WORDS[Y].astype(object), "as text"),
        (labels, Y[:, None], r"give \(20,\)"),
        (labels, np.eye(2)[Y], r"give \(20,\)"),
        (lambda x: np.eye(2)[labels(x)], 2 * Y - 1, "from 0"),
        (lambda x: np.eye(2)[labels(x)], Y + 1, "from 0"),
        (lambda x: np.eye(2)[labels(x)], WORDS[Y], "from 0"),
        (lambda x: np.full((len(x), 2), np.nan), Y, "NaN"),
        (lambda x: np.full(len(x), 0.3), Y, "labels"),
        (lambda x: labels(x)[:, None], Y, "labels"),
        (lambda x: (labels(x), labels(x)), Y, "one of several"),
        (lambda x: {"logits": labels(x)}, Y, "logits"),
        (lambda x: 1, Y, "one row each"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(predict, y, match):
    with pytest.raises(ArgumentError, match=match):
        audited(predict, y)


def test_numbers_are_averaged_even_where_they_happen_to_be_whole():
    loss = BoundedLoss(lambda y, out: np.abs(y - out), bound=10.0)
    S = sa.GroupSample(ACT.group, [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    x = np.tile([0.0, 1.0, 5.0], (4, 1))
    found = audit_risk(lambda x: x[:, 0], (x, np.zeros(4)), ACT, loss=loss, average_over=S)
    assert found.estimate == pytest.approx(2.0)  # votes would give 0, 1 or 5
    counts = audit_risk(
        lambda x: np.stack([x[:, 0], 1.9 + 0 * x[:, 0]], 1),
        (x, np.zeros(4, int)),
        ACT,
        average_over=S,
    )
    assert counts.estimate == 1  # means 2 and 1.9


def test_dicts_and_tuples_of_arrays_are_moved_together():
    act = sa.together(left=ACT, right=ACT)
    data = {"left": X, "right": 2 * X}
    found = audit_risk(lambda left, right: labels(right), (data, Y), act)
    assert found.estimate == TRUTH


def test_estimators_and_modules_as_they_are():
    torch = pytest.importorskip("torch")
    linear = pytest.importorskip("sklearn.linear_model")
    fitted = linear.LogisticRegression().fit(X, WORDS[Y])
    assert audit_risk(fitted.predict, (X, WORDS[Y]), ACT).estimate > 0.3
    with pytest.raises(ArgumentError, match=r"model\.predict"):
        audit_risk(fitted, (X, WORDS[Y]), ACT)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = torch.nn.Dropout(0.9)
            self.modes = []

        def forward(self, x):
            self.modes.append((self.training, torch.is_grad_enabled()))
            score = self.drop(x[:, 0] + x[:, 1])
            return torch.stack([torch.zeros_like(score), score], 1).to(torch.bfloat16)

    net, x = Net().train(), torch.tensor(X)
    found = audit_risk(net, (x, torch.tensor(Y)), ACT)
    assert found.estimate == TRUTH
    assert audit_risk(net.forward, (x, torch.tensor(Y)), ACT).estimate == TRUTH  # a method of it
    assert set(net.modes) == {(False, False)}
    assert net.training
