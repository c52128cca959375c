"""What a plan prints: limits rounded so that they stay true, and sizes that are refused."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import sparseaug as sa
from sparseaug.errors import GroupTooLargeError
from sparseaug.plans import plan

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
