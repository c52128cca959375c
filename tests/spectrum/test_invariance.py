"""invariance_error: loops as reference, torch, NumPy, scikit-learn."""

from __future__ import annotations

import copy
import json

import mpmath
import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn

import sparseaug as sa
from sparseaug.spectrum import invariance_error

SETS = sa.permute_axis(sa.symmetric(4))
GRIDS = sa.rotate_grid(sa.dihedral(4))


@pytest.fixture
def x(rng):
    return rng.normal(size=(6, 4))


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 3)).double()


def first_two(x):
    return x[:, :2]


def test_errors_are_those_of_a_plain_loop(x):
    report = invariance_error(first_two, SETS, SETS.group, x)
    assert report.exact
    assert len(report.errors) == 24
    for row, error in zip(report.elements, report.errors, strict=True):
        moved = np.empty_like(x)
        moved[:, row] = x
        assert error == pytest.approx(np.sqrt(np.mean((moved[:, :2] - x[:, :2]) ** 2)), rel=1e-12)
    assert report.mean == pytest.approx(report.errors.mean())
    assert report.max == report.errors.max()
    assert report.exceeding == 0
    assert report.calls == 0
    assert report.scale == pytest.approx(np.sqrt(np.mean(x[:, :2] ** 2)))
    assert report.relative == pytest.approx(report.mean / report.scale)
    assert report.errors[SETS.group.rank(report.worst[None])[0]] == report.max


def test_a_large_group_is_sampled_and_the_calls_are_counted(rng):
    act = sa.permute_axis(sa.symmetric(12))
    data = rng.normal(size=(3, 12))
    report = invariance_error(first_two, act, act.group, data, calls=40, delta=0.1)
    assert not report.exact
    again = invariance_error(first_two, act, act.group, data, calls=40)
    assert np.array_equal(report.elements, again.elements)
    S = sa.Oracle(act.group, seed=3).draw(40)
    given = invariance_error(first_two, act, S, data, delta=0.1)
    assert (report.calls, given.calls) == (40, 0)
    for found in (report, given):
        assert found.exceeding == pytest.approx(1 - 0.1 ** (1 / 40))


def test_a_model_that_knows_S_by_heart_is_found_out_whatever_its_seed():
    """Zero on the copies of one sample under S, one elsewhere: all but 256 of 12! elements exceed 0."""
    act = sa.permute_axis(sa.symmetric(12))
    x = np.arange(12.0)[None]
    learned = {row.tobytes() for row in act(sa.Oracle(act.group).draw(256), x)[:, 0]}

    def model(batch):
        known = [row.tobytes() in learned or np.array_equal(row, x[0]) for row in batch]
        return 1.0 - np.array(known)

    report = invariance_error(model, act, act.group, x)
    assert report.max == 1
    assert report.mean > 0.99


def test_the_exceeding_fraction_covers(rng):
    """400 samples of 10 from S_6: the max fails to cover at most 5 %; P(more than 38) < 1e-4."""
    act = sa.permute_axis(sa.symmetric(6))
    data = rng.normal(size=(4, 6))
    whole = invariance_error(first_two, act, act.group, data)
    missed = 0
    for seed in range(400):
        S = sa.Oracle(act.group, seed).draw(10)
        report = invariance_error(first_two, act, S, data)
        missed += np.mean(whole.errors > report.max + 1e-12) > report.exceeding
    assert missed <= 38


def test_words_and_given_rows_say_nothing_of_the_group(x):
    S = sa.Oracle(SETS.group, seed=0).draw(5)
    for sample in (S.words(2, 8), sa.GroupSample(S.group, S.elements)):
        report = invariance_error(first_two, SETS, sample, x)
        assert report.exceeding is None
        json.dumps(report.to_dict())
    one = invariance_error(first_two, SETS, sa.Oracle(SETS.group).draw(1), x)
    assert one.exceeding == pytest.approx(0.95)


def test_labels_count_the_samples_that_change(rng):
    x = rng.normal(size=(40, 4))
    y = np.where(x[:, 0] + 0.1 * x[:, 1] > 0, "yes", "no")
    predict = LogisticRegression().fit(x, y).predict
    report = invariance_error(predict, SETS, SETS.group, x)
    for row, error in zip(report.elements, report.errors, strict=True):
        changed = predict(x[:, np.argsort(row)]) != predict(x)
        assert error == pytest.approx(changed.mean())
    assert 0 < report.mean < 1
    assert (report.scale, report.eps) == (1.0, 0.0)
    pairs = invariance_error(lambda x: x[:, :2].argsort(1), SETS, SETS.group, torch.tensor(x))
    assert set(np.round(pairs.errors * 40, 9)) <= set(range(41))


def test_outputs_that_move_are_compared_moved(rng):
    x = torch.tensor(rng.normal(size=(2, 1, 5, 5)))
    symmetric = nn.Conv2d(1, 1, 3, padding=1).double()
    nn.init.constant_(symmetric.weight, 0.3)
    moved = invariance_error(symmetric, GRIDS, GRIDS.group, x, output_action=GRIDS)
    assert moved.max <= 1e3 * moved.eps * moved.scale
    assert invariance_error(symmetric, GRIDS, GRIDS.group, x).max > 0.1 * moved.scale


def test_a_module_is_in_eval_mode_meanwhile_and_gets_its_modes_back(x):
    model = network()
    model[0].eval()
    report = invariance_error(model, SETS, SETS.group, torch.tensor(x))
    again = invariance_error(copy.deepcopy(model).eval(), SETS, SETS.group, torch.tensor(x))
    assert np.array_equal(report.errors, again.errors)  # dropout was off
    modes = [part.training for part in model]
    assert modes == [False, True, True, True]
    assert model.training

    class Failing(nn.Module):
        def forward(self, x):
            assert not self.training
            assert not torch.is_grad_enabled()
            raise KeyError("inside")

    failing = Failing()
    with pytest.raises(KeyError):
        invariance_error(failing, SETS, SETS.group, torch.tensor(x))
    assert failing.training
    assert torch.is_grad_enabled()


def test_the_exceeding_fraction_is_not_rounded_below_the_truth():
    """1 - delta^(1/m) to 50 digits."""
    act = sa.permute_axis(sa.symmetric(9))
    data = np.ones((1, 9))
    with mpmath.workdps(50):
        for m in (2, 3, 7, 41, 255, 1000):
            S = sa.Oracle(act.group).draw(m)
            for delta in np.random.default_rng(m).uniform(0, 1, 20):
                report = invariance_error(first_two, act, S, data, delta=delta)
                truth = 1 - mpmath.mpf(float(delta)) ** (mpmath.mpf(1) / m)
                assert truth <= report.exceeding <= truth * (1 + mpmath.mpf(2) ** -48)


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
def test_several_outputs_are_compared_together(rng, library):
    x = library(rng.normal(size=(5, 4)))

    def pair(x):
        return {"sets": x * x[:, :1], "sums": x[:, :3] + x[:, 1:]}

    both = sa.together(sets=SETS, sums=None)
    found = invariance_error(pair, SETS, SETS.group, x, output_action=both, chunk_size=7)
    sets = invariance_error(lambda x: pair(x)["sets"], SETS, SETS.group, x, output_action=SETS)
    sums = invariance_error(lambda x: pair(x)["sums"], SETS, SETS.group, x)
    assert found.errors == pytest.approx(np.sqrt((4 * sets.errors**2 + 3 * sums.errors**2) / 7))
    assert found.scale == pytest.approx(np.sqrt((4 * sets.scale**2 + 3 * sums.scale**2) / 7))
