"""invariance_error, assert_invariant and the metric: loops as reference, torch, NumPy, scikit-learn."""

from __future__ import annotations

import copy
import json
import re

import mpmath
import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge
from torch import nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug._floats import text_up
from sparseaug.errors import ArgumentError, LawError
from sparseaug.spectrum import assert_invariant, invariance_error

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
    assert report.interval == (report.mean, report.mean)
    assert report.exceeding == 0
    assert report.calls == 0
    assert report.scale == pytest.approx(np.sqrt(np.mean(x[:, :2] ** 2)))
    assert report.relative == pytest.approx(report.mean / report.scale)
    assert report.errors[SETS.group.rank(report.worst[None])[0]] == report.max


def test_torch_and_numpy_agree_whatever_the_chunks(x):
    report = invariance_error(first_two, SETS, SETS.group, x)
    for chunk_size in (None, 1, 4, 7, 50):
        for data in (x, torch.tensor(x)):
            other = invariance_error(first_two, SETS, SETS.group, data, chunk_size=chunk_size)
            np.testing.assert_allclose(other.errors, report.errors, rtol=1e-14)


def test_chunks_bound_what_the_model_sees(x):
    seen = []

    def model(batch):
        seen.append(len(batch))
        return batch

    invariance_error(model, SETS, SETS.group, x, chunk_size=14)
    assert max(seen) <= 14
    assert sum(seen) == 6 + 24 * 6


def test_half_precision_is_measured_in_double(x):
    data = torch.tensor(x)
    for dtype, eps in ((torch.bfloat16, 2.0**-7), (torch.float16, 2.0**-10)):
        report = invariance_error(first_two, SETS, SETS.group, data.to(dtype))
        reference = invariance_error(first_two, SETS, SETS.group, data.to(dtype).double())
        np.testing.assert_allclose(report.errors, reference.errors, rtol=1e-14)
        assert report.eps == eps


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
        low, high = stats.t.interval(0.9, 39, loc=found.mean, scale=stats.sem(found.errors))
        assert found.interval == pytest.approx((low, high), rel=1e-9)
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


def test_the_interval_and_the_exceeding_fraction_cover(rng):
    """400 samples of 10 from S_6: the max fails to cover at most 5 %; P(more than 38) < 1e-4.

    Student's interval is an estimate; here it must cover in at least 85 % of the cases.
    """
    act = sa.permute_axis(sa.symmetric(6))
    data = rng.normal(size=(4, 6))
    whole = invariance_error(first_two, act, act.group, data)
    missed, outside = 0, 0
    for seed in range(400):
        S = sa.Oracle(act.group, seed).draw(10)
        report = invariance_error(first_two, act, S, data)
        missed += np.mean(whole.errors > report.max + 1e-12) > report.exceeding
        outside += not report.interval[0] <= whole.mean <= report.interval[1]
    assert missed <= 38
    assert outside <= 60


def test_words_and_given_rows_have_no_interval(x):
    S = sa.Oracle(SETS.group, seed=0).draw(5)
    for sample in (S.words(2, 8), sa.GroupSample(S.group, S.elements)):
        report = invariance_error(first_two, SETS, sample, x)
        assert report.interval is None
        assert report.exceeding is None
        json.dumps(report.to_dict())
    one = invariance_error(first_two, SETS, sa.Oracle(SETS.group).draw(1), x)
    assert one.interval is None
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
    with pytest.raises(LawError, match="tolerance=0;"):
        assert_invariant(predict, SETS, SETS.group, x)
    pairs = invariance_error(lambda x: x[:, :2].argsort(1), SETS, SETS.group, torch.tensor(x))
    assert set(np.round(pairs.errors * 40, 9)) <= set(range(41))


def test_a_scikit_learn_regression_is_measured(rng):
    x = rng.normal(size=(30, 4))
    fit = Ridge(alpha=1e-8).fit(x, x.sum(1))
    assert assert_invariant(fit.predict, SETS, SETS.group, x, tolerance=1e-6).max > 0
    skewed = Ridge(alpha=1e-8).fit(x, x[:, 0])
    with pytest.raises(LawError):
        assert_invariant(skewed.predict, SETS, SETS.group, x, tolerance=1e-6)


def test_outputs_that_move_are_compared_moved(rng):
    x = torch.tensor(rng.normal(size=(2, 1, 5, 5)))
    symmetric = nn.Conv2d(1, 1, 3, padding=1).double()
    nn.init.constant_(symmetric.weight, 0.3)
    assert_invariant(symmetric, GRIDS, GRIDS.group, x, output_action=GRIDS)
    with pytest.raises(LawError):
        assert_invariant(symmetric, GRIDS, GRIDS.group, x)
    torch.manual_seed(0)
    with pytest.raises(LawError):
        assert_invariant(nn.Conv2d(1, 1, 3).double(), GRIDS, GRIDS.group, x, output_action=GRIDS)


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


def test_assert_invariant_names_the_worst_element_its_error_and_the_tolerance(x):
    report = assert_invariant(lambda x: np.sin(x).sum(1), SETS, SETS.group, x)
    assert report.max <= 1e3 * report.eps * report.scale
    report = invariance_error(first_two, SETS, SETS.group, x)
    worst = str(report.worst.tolist()).replace("[", r"\[").replace("]", r"\]")
    pattern = f"under S4: element {worst} changes the output by {report.max:.3g}, .*tolerance=0.5;"
    with pytest.raises(LawError, match=pattern):
        assert_invariant(first_two, SETS, SETS.group, x, tolerance=0.5)
    assert_invariant(first_two, SETS, SETS.group, x, tolerance=report.max)
    assert f"max {text_up(report.max, 4)} at {report.worst.tolist()}" in str(report)


def test_float32_sums_pass_and_a_small_leak_does_not(x):
    data = torch.tensor(x, dtype=torch.float32)
    assert_invariant(lambda x: x.exp().sum(1), SETS, SETS.group, data)
    with pytest.raises(LawError):
        assert_invariant(lambda x: x.exp().sum(1) + 1e-2 * x[:, 0], SETS, SETS.group, data)


def test_very_large_outputs_do_not_overflow(x):
    report = invariance_error(lambda x: 1e200 * x[:, :2], SETS, SETS.group, x)
    plain = invariance_error(first_two, SETS, SETS.group, x)
    np.testing.assert_allclose(report.errors, 1e200 * plain.errors, rtol=1e-13)


def nan_when_moved(x):
    return np.where(x[:, 0] > 0, x[:, 0], np.nan)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": np.empty((0, 4))}, "x is empty"),
        ({"x": [1, 2]}, "x is a list; give a NumPy array"),
        ({"model": 3}, "model=3 cannot be called"),
        ({"model": lambda x: x[:1]}, r"model returned shape \(1, 4\) for 6 samples"),
        ({"model": lambda x: x.sum()}, "model returned"),
        ({"model": lambda x: {"logits": x, "loss": x.sum()}}, r"model returned shape \(\) for"),
        ({"model": lambda x: [x, x]}, r"model returned a list .* lambda x: model\(x\)\[0\]"),
        ({"model": lambda x: {}}, "model returned a dict"),
        ({"model": lambda x: x * np.nan}, "non-finite outputs for x;"),
        (
            {"model": nan_when_moved, "x": np.array([[1.0, -1.0, 1.0, 1.0]])},
            r"non-finite outputs for x moved by \[",
        ),
        ({"action": "permute"}, "action='permute' is not an action"),
        ({"S_or_group": sa.symmetric(5)}, "S_or_group=.* is not the action's group"),
        (
            {"S_or_group": sa.Oracle(sa.symmetric(5)).draw(2)},
            "S_or_group is a sample of S5, but the action is of S4",
        ),
        ({"output_action": "permute"}, "output_action='permute' is neither an action nor None"),
        (
            {
                "action": sa.permute_axis(sa.cyclic(4)),
                "S_or_group": sa.cyclic(4),
                "model": lambda x: np.concatenate([x, x], 1),
                "output_action": sa.permute_axis(sa.cyclic(8)),
            },
            "output_action is of C8, but action is of C4",
        ),
        ({"delta": 1.0}, "delta=1.0"),
        ({"chunk_size": -1}, "chunk_size=-1"),
        ({"chunk_size": 0}, "chunk_size=0"),
    ],
)
def test_bad_input_is_answered(x, change, message):
    arguments = {"model": first_two, "action": SETS, "S_or_group": SETS.group, "x": x, **change}
    with pytest.raises(ArgumentError, match=message):
        invariance_error(**arguments)


def test_a_bad_tolerance_is_answered_and_zero_is_not_bad(x):
    with pytest.raises(ArgumentError, match="tolerance=-1"):
        assert_invariant(first_two, SETS, SETS.group, x, tolerance=-1.0)
    assert_invariant(lambda x: x.max(1), SETS, SETS.group, x, tolerance=0)


def test_what_does_not_move_is_refused_before_the_model_sees_it():
    rotate = sa.linear(sa.groups.cube_rotations())
    S = sa.Oracle(rotate.group).draw(3)

    def ask(x):
        return invariance_error(nn.Linear(3, 1), rotate, S, x)

    with pytest.raises(
        ArgumentError, match=r"x has dtype torch.int64; matrices need floating point"
    ):
        ask(torch.ones(2, 3, dtype=torch.int64))
    with pytest.raises(ArgumentError, match="x has 4 entries on the last axis"):
        ask(torch.ones(2, 4))


def test_what_is_printed_of_a_report_is_never_below_what_was_found():
    """Each number that says "at most" is read back and compared with the field."""
    act = sa.permute_axis(sa.symmetric(9))
    data = np.random.default_rng(5).normal(size=(2, 9))
    for seed in range(40):
        delta = float(np.random.default_rng(seed).uniform(1e-4, 0.3))
        S = sa.Oracle(act.group, seed=seed).draw(5 + seed)
        report = invariance_error(first_two, act, S, data, delta=delta)
        text = str(report)
        largest, fraction, stated = re.search(
            r"max (\S+) at .* at most (\S+) of the group exceeds it \(delta (\S+)\)", text
        ).groups()
        assert report.max <= float(largest) <= 1.002 * report.max
        assert report.exceeding <= float(fraction) <= 1.002 * report.exceeding
        assert float(stated) == delta


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


def test_a_printed_bound_is_for_no_wider_range_than_it_was_asked_for():
    S = sa.Oracle(SETS.group, seed=0).draw(8)
    average = sann.OrbitAverage(lambda x: x, SETS, S)
    bound = average.invariance_bound(output_range=(-1.0000096, 2.0000096))
    low, high = re.search(r"outputs in \[(\S+), (\S+)\]", str(bound)).groups()
    assert -1.0000096 <= float(low) <= float(high) <= 2.0000096


def test_the_repr_of_a_report_is_one_line_without_its_arrays():
    act = sa.permute_axis(sa.symmetric(5))
    report = sa.invariance_error(lambda x: x[:, 0], act, act.group, np.arange(10.0).reshape(2, 5))
    assert repr(report) == (
        "InvarianceReport(all 120 elements of S5, mean=2, relative=0.5657, max=4, calls=0)"
    )
    drawn = sa.invariance_error(lambda x: x[:, 0], act, sa.Oracle(act.group).draw(6), np.eye(5))
    assert repr(drawn).startswith("InvarianceReport(6 elements of S5, mean=")


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


def test_labels_of_several_kinds_are_compared_together_and_numbers_apart(x):
    both = invariance_error(lambda x: (x.argmax(1), x.argmin(1)), SETS, SETS.group, x)
    one = invariance_error(lambda x: x.argmax(1), SETS, SETS.group, x)
    assert (both.errors >= one.errors).all()
    assert both.mean > one.mean
    with pytest.raises(ArgumentError, match=r"numbers and labels.* lambda x: model\(x\)\['y'\]"):
        invariance_error(lambda x: {"y": x, "label": x.argmax(1)}, SETS, SETS.group, x)
