"""Multiple-choice questions in chosen orders: scores come back to their options, and bias is found."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.choices import answer_orders, answer_spectrum, ask, position_bias
from tests.extras import REASON

RNG = np.random.default_rng(0)
KNOWN = RNG.normal(size=(30, 4))  # what a fair model thinks of each option
PLACE = np.array([1.0, 0.2, 0.0, -0.3])
PAIR = RNG.normal(size=(4, 4, 4))  # what the option before an option does to it, by place


def fair(questions, orders):
    return np.take_along_axis(KNOWN[list(questions)], orders, axis=1)


def biased(questions, orders):
    return fair(questions, orders) + PLACE


def reading(questions, orders):
    """Places matter, and so does which option stands before."""
    before = np.roll(orders, 1, axis=1)
    return biased(questions, orders) + PAIR[before, orders, np.arange(4)]


@pytest.mark.parametrize("k", range(2, 9))
def test_each_option_is_at_each_place_equally_often_and_each_two_at_each_two(k):
    for balance, t in (("positions", 1), ("pairs", min(2, k - 1))):
        orders = answer_orders(k, balance)
        assert orders[0].tolist() == list(range(k))
        S = sa.GroupSample(sa.symmetric(k), orders)
        assert sa.profile(S).exact_to >= t
    assert len(answer_orders(4, "pairs")) == 12
    if k < 6:
        assert len(np.unique(answer_orders(k, "all"), axis=0)) == np.prod(np.arange(1, k + 1))


def test_the_scores_of_a_fair_model_are_the_same_in_every_order():
    found = ask(fair, range(30), answer_orders(4, "all"))
    assert found.scores.shape == (24, 30, 4)
    np.testing.assert_array_equal(found.scores, np.broadcast_to(KNOWN, (24, 30, 4)))
    assert found.consistency == 1


def test_four_orders_average_out_places_and_twelve_what_depends_on_two():
    for model, few in ((biased, "positions"), (reading, "pairs")):
        truth = ask(model, range(30), answer_orders(4, "all")).mean
        found = ask(model, range(30), answer_orders(4, few))
        assert np.abs(found.mean - truth).max() < 1e-12
        assert np.abs(found.scores - truth).max() > 0.5
        assert found.consistency < 1
        assert (found.chosen == truth.argmax(axis=1)).all()
    four = ask(reading, range(30), answer_orders(4)).mean
    assert np.abs(four - truth).max() > 0.1


def test_the_spectrum_predicts_what_a_set_of_orders_leaves():
    spectrum = answer_spectrum(reading, range(30), 4)
    assert spectrum.shares[1] > 0
    assert spectrum.shares[2] > 0.1
    assert spectrum.shares[3] < 1e-9
    assert spectrum.predict(sa.design(sa.symmetric(4), degree=2)).value < 1e-12
    orders = answer_orders(4, "all")
    scores = ask(reading, range(30), orders).scores
    variance = ((scores - scores.mean(axis=0)) ** 2).sum(axis=2).mean()
    assert spectrum.variance == pytest.approx(variance)


def test_position_bias_is_found_where_it_is_and_the_level_holds_where_it_is_not():
    assert position_bias(biased, range(30), 4).pvalue <= 0.002
    found = [position_bias(fair, range(30), 4, draws=19, seed=seed).pvalue for seed in range(200)]
    # at most 1/20 each: more than 24 of 200 has probability below 1e-4
    assert sum(p <= 0.05 for p in found) <= 24


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda questions, orders: orders[:, :3], r"shape \(n, k\) = \(30, 4\); got \(30, 3\)"),
        (lambda questions, orders: orders * np.nan, "finite scores"),
        (lambda questions, orders: "A", "what model returned has dtype"),
    ],
)
def test_what_a_model_returns_is_checked(model, message):
    with pytest.raises(sa.errors.ArgumentError, match=message):
        ask(model, range(30), answer_orders(4))


def test_in_inspect_ai_a_model_that_always_says_a_is_right_once_in_four_epochs(tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai", reason=REASON.format("inspect_ai"))
    model, solver = import_module("inspect_ai.model"), import_module("inspect_ai.solver")
    dataset, scorer = import_module("inspect_ai.dataset"), import_module("inspect_ai.scorer")
    epochs = import_module("sparseaug.choices.epochs")

    def always(*given, **named):
        said = model.ModelOutput.from_content("mockllm/model", "ANSWER: A")
        said.usage = model.ModelUsage()  # else inspect_ai downloads a tokenizer to count
        return said

    samples = [dataset.Sample(input="Which?", choices=list("abcd"), target=t) for t in "ABCD"]
    task = inspect_ai.Task(
        dataset.MemoryDataset(samples),
        solver=[epochs.ordered_choices(), solver.multiple_choice()],
        scorer=scorer.choice(),
        epochs=4,
    )
    said = model.get_model("mockllm/model", custom_outputs=always)
    log = inspect_ai.eval(task, model=said, display="none", log_dir=str(tmp_path))[0]
    assert log.status == "success"
    assert [log.results.scores[0].metrics[name].value for name in ("accuracy", "stderr")] == [
        0.25,
        0,
    ]
