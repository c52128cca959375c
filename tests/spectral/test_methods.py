"""One table of methods: best_method, the check, the docstring and the command's help agree with it."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import sparseaug as sa
from sparseaug.cli import cli
from sparseaug.errors import ArgumentError, SparseAugError, UnsupportedError
from sparseaug.spectral import METHODS, best_method, generation
from sparseaug.spectral.symmetric import symmetric_norm

deviation_module = sys.modules["sparseaug.spectral.deviation"]


def test_the_docstring_and_the_help_list_the_methods_in_their_order():
    names = [method.name for method in METHODS]
    text = sa.deviation.__doc__.split("method: ")[1].split(";")[0]
    assert re.findall(r'"(\w+)"', text) == names
    shown = CliRunner().invoke(cli, ["certify", "--help"]).output
    assert ", ".join(names) in " ".join(shown.split())


def test_the_best_method_is_the_first_that_fits(group):
    family = group.known_as().group
    fitting = [m for m in METHODS if not m.fits(family) and not m.too_large(family)]
    if fitting:
        assert best_method(group) == fitting[0].name
    else:
        with pytest.raises(UnsupportedError, match=r"too large|infinitely many irreps"):
            best_method(group)


def test_a_method_that_does_not_fit_says_what_it_is_for(group):
    S = sa.GroupSample(group, group.identity())
    for method in METHODS:
        if reason := method.fits(group):
            assert reason == f"it is for {method.groups}"
            with pytest.raises(ArgumentError, match=f"method='{method.name}' .* {method.groups}"):
                sa.deviation(S, method=method.name)


def test_every_method_that_fits_gives_the_same_norm():
    for name in ("Z2^4", "C12", "D6", "S4", "A5", "B3", "Grid3", "Cube24", "S3xZ2^2"):
        S = sa.Oracle(sa.group(name), seed=3).draw(25)
        values = []
        for method in METHODS:
            if not method.fits(S.group) and not method.too_large(S.group):
                values.append(sa.deviation(S, method=method.name).value)
        assert len(values) >= 1
        assert max(values) - min(values) < 1e-9


def test_whether_s_generates_is_asked_only_where_the_norm_is_one(monkeypatch):
    asked = []

    def why_not(S):
        asked.append(S)
        return generation.why_not(S)

    monkeypatch.setattr(deviation_module, "why_not", why_not)
    S = sa.Oracle(sa.symmetric(5), seed=0).draw(30)
    assert sa.deviation(S).value < 1
    assert asked == []
    even = sa.GroupSample(S.group, sa.alternating(5).all_elements())
    found = sa.deviation(even)
    assert (found.value, found.lower, found.method) == (1.0, 1.0, "subgroup")
    assert "order 60, index 2 in S5" in found.reason
    assert asked == [even]


def test_a_coset_in_a_group_that_is_out_of_reach_still_has_its_reason():
    n = 2**50
    S = sa.GroupSample(sa.cyclic(n), np.array([[0], [2], [6]]))
    found = sa.deviation(S)
    assert found.value == found.lower == 1.0
    assert f"subgroup of order {n // 2}, index 2" in found.reason
    with pytest.raises(SparseAugError):
        sa.deviation(sa.GroupSample(sa.cyclic(n), np.array([[0], [1], [3]])))


def test_one_block_by_its_name_has_the_norm_that_it_has_among_all():
    S = sa.Oracle(sa.symmetric(6), seed=2).draw(20)
    whole = symmetric_norm(S)
    alone = symmetric_norm(S, blocks=[whole.block])
    assert alone.block == whole.block
    assert alone.lower <= whole.upper
    assert alone.upper >= whole.lower


def test_the_first_deviation_on_s6_imports_no_sympy():
    code = (
        "import sys, sparseaug as sa\n"
        "sa.deviation(sa.Oracle(sa.symmetric(6), seed=0).draw(64))\n"
        "print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
