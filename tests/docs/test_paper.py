"""The page from the paper to the code: every result of the paper, its function, what was measured."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

import pytest

import sparseaug as sa
from tests.extras import REASON

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/paper.md").read_text()

# the \label of every theorem, proposition, lemma, corollary and assumption of the paper
RESULTS = [
    *(
        "ass:gradient-rkhs",
        "ass:initial-gap",
        "lem:app-full-projection",
        "lem:app-matrix-bernstein",
    ),
    *("prop:spectral-approximation", "thm:app-tw", "lem:app-evaluation"),
    *("thm:uniform-gradient-approximation", "thm:app-uniform-gradient", "thm:main", "thm:app-main"),
    *("cor:app-main-complexity", "lem:app-descent", "lem:app-gd-rate", "prop:app-group-sgd"),
]


@pytest.mark.parametrize("label", RESULTS)
def test_every_result_of_the_paper_has_its_code_and_its_measured_counterpart(label):
    rows = [line for line in PAGE.splitlines() if re.search(rf"[|,] {label}[,:]", line)]
    assert len(rows) == 1
    _, code, test, measured = re.split(r"(?<!\\)\|", rows[0].strip("|"))
    assert "`" in code
    assert (ROOT / re.search(r"`(tests/[^`]*)`", test)[1]).exists()
    assert re.search(r"\d|through the next line", measured)


def test_every_name_of_the_library_on_the_page_exists():
    for package in ("torch", "sklearn", "networkx"):
        pytest.importorskip(package, reason=REASON.format(package))
    named = set(re.findall(r"`(?:sa|sparseaug)\.([\w.]+)", PAGE))
    assert len(named) > 30
    for name in named:
        reduce(getattr, name.split("."), sa)
