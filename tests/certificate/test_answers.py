"""An audit by files gives what the audit in one process gives; nothing else is taken for an answer."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.certificate import audit_risk, read_answers, write_pairs
from sparseaug.errors import FileFormatError

X = np.random.default_rng(0).normal(size=(30, 4))
Y = (X.sum(1) > 0).astype(int)


def model(x):
    return (x[:, :3].sum(1) > 0).astype(int)


def answered(tmp_path, seed=3, calls=200):
    """Files of pairs and of right answers, and what was asked of the model."""
    pairs, answers = tmp_path / "pairs.csv", tmp_path / "answers.csv"
    write_pairs(pairs, "S4", n=30, calls=calls, seed=seed)
    act, lines = sa.permute_axis(sa.symmetric(4)), ["pair,correct"]
    for line in pairs.read_text().splitlines()[2:]:
        pair, sample, *g = map(int, line.split(","))
        moved = act(np.array([g]), X[[sample]])[0]
        lines.append(f"{pair},{int(model(moved)[0] == Y[sample])}")
    answers.write_text("\n".join(lines) + "\n")
    return pairs, answers


def test_the_files_say_what_the_audit_of_the_same_seed_says(tmp_path):
    found = read_answers(*answered(tmp_path))
    act = sa.permute_axis(sa.symmetric(4))
    assert found == audit_risk(model, (X, Y), act, oracle=sa.Oracle("S4", seed=3), calls=200)


def test_losses_are_bounded_by_betting_and_never_taken_for_answers_that_are_right(tmp_path):
    pairs, answers = answered(tmp_path)
    lines = answers.read_text().replace("correct", "loss")
    answers.write_text(lines)
    found = read_answers(pairs, answers)
    assert (found.loss, found.quantity) == ("given", "loss")
    answers.write_text(lines.replace("loss", "correct"))
    exact = read_answers(pairs, answers)
    assert exact.estimate == found.estimate
    assert exact.upper - exact.lower < found.upper - found.lower


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda lines: lines[:-1], "no answer to pair 199"),
        (lambda lines: [*lines, lines[5]], "twice"),
        (lambda lines: [*lines[:-1], "200,1"], "below 200"),
        (lambda lines: [*lines[:-1], "199,0.5"], "0 or 1"),
        (lambda lines: [*lines[:-1], "199,nan"], "0 or 1"),
        (lambda lines: ["item,right", *lines[1:]], "columns"),
        (lambda lines: [], "columns"),
    ],
)
def test_every_pair_has_one_answer(tmp_path, change, match):
    pairs, answers = answered(tmp_path)
    answers.write_text("\n".join(change(answers.read_text().splitlines())))
    with pytest.raises(FileFormatError, match=match):
        read_answers(pairs, answers)


@pytest.mark.parametrize("line", [0, 1, 2, 150])
def test_pairs_that_were_changed_are_noticed(tmp_path, line):
    pairs, answers = answered(tmp_path)
    lines = pairs.read_text().splitlines()
    lines[line] = lines[line].replace("3", "2").replace("sample", "row").replace("1", "0")
    pairs.write_text("\n".join(lines))
    with pytest.raises(FileFormatError, match="pairs"):
        read_answers(pairs, answers)
