"""The list of mutants fits the code it is about; `make mutants` runs it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutants import mutants

ROOT = Path(__file__).parents[2]
EVERY = mutants.mutants()


def test_the_old_text_of_each_mutant_stands_in_its_file_exactly_once():
    wrong = []
    for mutant in EVERY:
        try:
            text = mutant.applied(ROOT)
            ast.parse(text)
        except (ValueError, OSError, SyntaxError) as error:
            wrong.append(f"{mutant.name}: {error}")
        else:
            if text == (ROOT / mutant.file).read_text(encoding="utf-8"):
                wrong.append(f"{mutant.name}: changes nothing")
    assert not wrong, "\n".join(wrong)


def test_every_mutant_has_a_name_of_its_own_a_reason_and_tests_that_exist():
    assert len({mutant.name for mutant in EVERY}) == len(EVERY) >= 60
    for mutant in EVERY:
        assert mutant.why
        assert mutant.tests
        for test in mutant.tests:
            file, _, name = test.partition("::")
            text = (ROOT / file).read_text(encoding="utf-8")
            assert not name or f"def {name.partition('[')[0]}(" in text, test


def test_few_mutants_are_known_to_survive_and_each_is_explained():
    survivors = [mutant for mutant in EVERY if mutant.survives]
    assert len(survivors) <= mutants.MOST_SURVIVORS
    assert all(len(mutant.survives) > 40 for mutant in survivors)


def test_a_mutant_whose_text_has_changed_is_refused(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ny = 1\n")
    for old in ("z", "= 1"):
        mutant = mutants.Mutant("m", "a.py", old, "", ("t",), "why")
        with pytest.raises(ValueError, match="not once"):
            mutant.applied(tmp_path)
