"""One table of kinds: the documentation and the functions say the same."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import sparseaug as sa
from sparseaug.certificate import KINDS, TABLE

PAGE = Path(__file__).parents[2] / "docs" / "certificates.md"


def test_the_page_has_the_table_and_no_other_kinds():
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    expected = [
        " | ".join((f"| `{name}`", *(text.replace("|", r"\|") for text in texts))) + " |"
        for name, kind in TABLE.items()
        for texts in [(kind.bound, kind.holds, kind.needs)]
    ]
    assert rows == expected


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_takes_options_that_certify_has(name):
    options = {"audit_calls" if option == "calls" else option for option in TABLE[name].options}
    assert options <= set(inspect.signature(sa.certify).parameters)
    assert set(TABLE[name].options) <= set(inspect.signature(TABLE[name].make).parameters)
