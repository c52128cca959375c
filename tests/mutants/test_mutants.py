"""The runner of mutants: what an entry changes, and that one which does not apply is said to."""

from __future__ import annotations

import pytest

from tests.mutants.mutants import Mutant

SOURCE = (
    "LIMIT = 2\n\nclass Box:\n    def f(self, x):\n        return (x\n            + 1)  # more\n"
)


def mutant(where, old, new):
    return Mutant("m", f"sparseaug.box.{where}", old, new, (), "why")


@pytest.fixture
def root(tmp_path):
    (tmp_path / "src/sparseaug").mkdir(parents=True)
    (tmp_path / "src/sparseaug/box.py").write_text(SOURCE)
    return tmp_path


@pytest.mark.parametrize(
    ("where", "old", "new"), [("Box.f", "x + 1", "x - 1"), ("LIMIT", "2", "3")]
)
def test_a_mutant_changes_the_code_whatever_its_line_breaks(root, where, old, new):
    path, text = mutant(where, old, new).applied(root)
    assert path == root / "src/sparseaug/box.py"
    assert new in text
    assert old not in text


@pytest.mark.parametrize(
    ("where", "old", "new"),
    [
        ("Box.g", "x + 1", "x"),
        ("Box.f", "x", "y"),
        ("Box.f", "x + 1", "(x + 1)"),
        ("LIMIT", "2", ")"),
    ],
)
def test_an_entry_that_does_not_apply_is_reported(root, where, old, new):
    assert mutant(where, old, new).fault(root)
