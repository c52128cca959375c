"""What a plan prints: limits rounded so that they stay true, and sizes that are refused."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, GroupTooLargeError
from sparseaug.plans import plan
from sparseaug.plans.table import format_count

CONSTANTS = {"eps": 0.1, "delta": 0.05, "C": 1.5, "B": 0.7, "L": 4.0, "gap": 1.25}


def make(name="S10", **options):
    return plan(sa.group(name), **{**CONSTANTS, **options})


def printed(text, pattern):
    return Fraction(re.search(pattern, " ".join(text.split()))[1])


@pytest.mark.parametrize("name", ["S6", "S7", "S10", "Z2^20", "B5", "M24"])
@pytest.mark.parametrize("C", [1.0, 1.3, 1.7, 2.9])
def test_crossovers_are_printed_on_the_safe_side(name, C):
    found = make(name, C=C)
    full = printed(str(found), r"beats full in calls for eps >= (\S+),")
    stream = printed(str(found), r"streaming for eps <= (\S+)")
    assert full >= Fraction(found.facts["crossovers"]["than_full"])
    assert stream <= Fraction(found.facts["crossovers"]["than_streaming"])
    assert full < Fraction(found.facts["crossovers"]["than_full"]) * Fraction(102, 100)
    assert stream > Fraction(found.facts["crossovers"]["than_streaming"]) * Fraction(98, 100)


def test_a_plan_says_that_calls_of_the_full_group_are_counted_as_in_the_paper():
    """Its row has |G| calls, as Table 1; the sample itself, and risks over it, have none."""
    group = sa.symmetric(6)
    assert (make("S6").row("full").calls, sa.GroupSample.full(group).calls) == (720, 0)
    assert "full: one call per element, as the paper counts; GroupSample.full makes none" in str(
        make("S6")
    )


def test_what_was_asked_for_is_printed_in_full():
    text = str(make(eps=0.12345678, delta=0.012345678, sigma=1.23456789))
    assert "eps = 0.12345678, delta = 0.012345678" in text
    assert "sigma = 1.23456789;" in text
    assert "eps = 5, delta" in str(make(eps=5.0))


def test_a_sum_of_dimensions_that_is_printed_rounded_is_called_a_bound():
    assert "the sum of d_pi = 9,495" in str(make("S10"))
    assert re.search(r"the sum of d_pi <= \S+e", str(make("S100")))


@pytest.mark.parametrize(
    ("number", "up"),
    [
        (0, "0"),
        (9_999_999, "9,999,999"),
        (10**7 + 1, "1.01e7"),
        (99_999_999, "1.00e8"),
        (10**400 - 1, "1.00e400"),
        (10**400, "1.00e400"),
    ],
)
def test_counts_are_rounded_up(number, up):
    assert format_count(number) == up


@pytest.mark.parametrize(
    "group",
    [
        lambda: sa.symmetric(10**6),
        lambda: sa.hyperoctahedral(10**6),
        lambda: sa.direct_product(sa.symmetric(30_000), sa.symmetric(30_000)),
    ],
)
def test_orders_of_millions_of_digits_are_refused_with_the_number(group):
    with pytest.raises(GroupTooLargeError, match=r"group=.*\d{4,} (bits|integers).*524288|4194304"):
        plan(group(), **CONSTANTS)


def test_large_orders_within_the_limit_are_planned():
    assert plan(sa.sign_flips(500_000), **CONSTANTS).best.calls > 0


def test_a_step_size_beyond_all_floats_is_named():
    with pytest.raises(ArgumentError, match="L=5e-324"):
        make(L=5e-324)
