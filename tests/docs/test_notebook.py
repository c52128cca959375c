"""The notebook of the tutorial: it is the page's, it runs from top to bottom, and no line is wide."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

from studies.pages.notebook import notebook
from tests.extras import REASON

DOCS = Path(__file__).parents[2] / "docs"
CELLS = json.loads((DOCS / "tutorial.ipynb").read_text())["cells"]


def test_the_notebook_is_that_of_the_page():
    made = notebook((DOCS / "tutorial.md").read_text())
    again = "run python -m studies.pages.notebook docs/tutorial.md docs/tutorial.ipynb"
    assert (DOCS / "tutorial.ipynb").read_text() == made, again


def test_the_notebook_runs_from_top_to_bottom_and_prints_what_it_shows(tmp_path, monkeypatch):
    pytest.importorskip("sklearn", reason=REASON.format("sklearn"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in CELLS:
        if cell["cell_type"] == "code":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec("".join(cell["source"]), names)  # noqa: S102
            assert printed.getvalue().split() == "".join(cell["outputs"][0]["text"]).split()
