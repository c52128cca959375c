"""A user's function is held to the laws of a left action wherever it is first used."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import LawError
from tests.extras import optional

torch = optional("torch")
nn = optional("sparseaug.nn")
sklearn = optional("sparseaug.sklearn")

X = np.random.default_rng(0).uniform(0.1, 0.9, (6, 4))


def gamma(elements, x):
    """Exponents 1, 1.2, ..., 1.8 in place of a group of five: the last times the second is no first."""
    return x[None] ** (1 + 0.2 * elements[:, 0]).reshape(-1, *[1] * x.ndim)


def right(elements, x):
    """(x.p)[i] = x[p(i)], which is an action from the right."""
    return x[:, elements].swapaxes(0, 1)


def left(elements, x):
    return x[:, np.argsort(elements, axis=1)].swapaxes(0, 1)


WRONG = {
    "gamma": sa.custom_action(sa.cyclic(5), gamma),
    "right": sa.custom_action(sa.symmetric(4), right),
    "right, of commuting factors": sa.custom_action(
        sa.direct_product(sa.cyclic(2), sa.symmetric(4)), lambda g, x: right(g[:, 1:], x)
    ),
}
WRONG["product"] = sa.product_action(WRONG["right"], sa.flip_signs(sa.sign_flips(1), 2))
WRONG["together"] = sa.together(WRONG["right"], sa.permute_axis(sa.symmetric(4)))


def data(name):
    return {"product": X[:, :, None], "together": (X, X)}.get(name, X)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_left_action_is_refused_wherever_it_moves_data(name):
    action, x = WRONG[name], data(name)
    S = sa.Oracle(action.group, seed=0).draw(3)
    model = (lambda a, b: a) if name == "together" else (lambda a: a.reshape(len(a), -1))
    calls = [
        lambda: action(S, x),
        lambda: sa.augment(action, S, x, np.zeros(6)),
        lambda: sa.invariance_error(model, action, S, x),
        lambda: sa.orbit_spectrum(model, action, x, calls=64),
        lambda: sa.test_invariance(x, action),
        lambda: sa.actions.PreparedAction(action, S.elements)(x),
    ]
    for call in calls:
        with pytest.raises(LawError, match="not a left action"):
            call()


def test_layers_and_estimators_refuse_it_too():
    action, y = WRONG["right"], np.arange(6) % 2
    S = sa.Oracle(action.group, seed=0).draw(3)
    x = torch.tensor(X)
    copies = nn.OneShotDataset(torch.utils.data.TensorDataset(x, torch.tensor(y)), action, S)
    average = nn.OrbitAverage(lambda x: x, action, S)
    for call in (
        lambda: copies[0],
        lambda: average(x),
        lambda: sklearn.OneShotClassifier(action=action, m=3, random_state=0).fit(X, y),
        lambda: sa.GaussianKernel(1.0).group_mean(action, X, X),
    ):
        with pytest.raises(LawError, match="not a left action"):
            call()


def test_an_action_is_tried_once_for_each_shape():
    calls = []

    def counted(elements, x):
        calls.append(len(x))
        return left(elements, x)

    action = sa.custom_action(sa.symmetric(4), counted)
    S = sa.Oracle(action.group, seed=0).draw(5)
    for shape in ((6, 4), (9, 4), (6, 4, 2), (6, 4, 2)):
        x = np.random.default_rng(1).normal(size=shape)
        assert np.array_equal(action(S, x), sa.permute_axis(action.group, 1)(S, x))
    assert sum(calls) <= 6 + 9 + 6 + 6 + 2 * 20  # one sample at a time in what is tried
    before = len(calls)
    pickle.loads(pickle.dumps(sa.custom_action(sa.symmetric(4), left)))(S, X)
    action(S, X)
    assert len(calls) == before + 1


def matrices(elements):
    return np.eye(4)[elements].swapaxes(1, 2)


def test_a_bound_for_every_x_says_that_it_rests_on_the_law():
    own = sa.custom_action(sa.symmetric(4), left)
    known, turn = sa.permute_axis(own.group), sa.linear(sa.symmetric(4), matrices)
    S = sa.Oracle(own.group, seed=0).draw(3)
    for action, back in ((own, None), (known, own), (known, known), (turn, None)):
        average = nn.OrbitAverage(lambda x: x, action, S, back)
        bound = average.invariance_bound(output_range=(0, 1))
        assert bool(bound.condition) == (action is not known or back is own)
        assert " ".join(bound.condition.split()) in " ".join(str(bound).split())
        assert bound.to_dict()["condition"] == bound.condition
