"""The best known sets as users get them; tests/studies/test_records.py verifies the sets themselves."""

import math
from fractions import Fraction

import pytest

import sparseaug as sa
from sparseaug._records import FAMILIES, table
from sparseaug.designs.constructions import known_designs
from sparseaug.designs.constructions.recorded import ends, record_counts
from sparseaug.designs.constructions.searched import searched_rows

SOME = ("S5", "S6", "S7", "Z2^8", "Z2^11", "C13", "C64", "C8xC8", "D8", "B3", "SO3", "S3xS4")


def best_known(name, criterion=None):
    """The records among the designs of a group."""
    return [one for one in sa.records(name) if one.criterion and criterion in (None, one.criterion)]


@pytest.mark.parametrize("name", SOME)
def test_every_row_of_the_table_is_a_design_by_its_name(name):
    for record in best_known(name):
        S = record.sample()
        assert (S.m, S.calls, S.origin.design) == (record.m, 0, record.name)
        if S.m <= 500:
            assert sa.design(name, name=record.name) == S


@pytest.mark.parametrize("name", SOME)
def test_design_by_degree_takes_the_smallest_exact_set(name):
    for record in best_known(name, "exact"):
        if record.m <= 2000:
            assert sa.design(name, degree=record.degree).m <= record.m


@pytest.mark.parametrize("name", ["S5", "C64", "C8xC8", "Z2^8", "D8", "B3"])
def test_the_least_deviation_is_the_records(name):
    found = [r for r in best_known(name, "deviation") if r.by_degree is None]
    assert found
    for record in found:
        S = sa.design(name, m=record.m, objective="deviation")
        assert S.m <= record.m
        assert sa.deviation(S).lower <= record.value
        assert record.bound <= record.value


def test_the_record_by_degree_is_taken_where_m_and_degree_are_its_own():
    found = [r for r in best_known("S7", "deviation") if r.by_degree == 2]
    assert found
    for record in found:
        S = sa.design("S7", m=record.m, degree=2)
        assert S.origin.design.startswith(record.name)
        assert sa.deviation(S, degree=2).value <= record.value * (1 + 1e-9)


@pytest.mark.parametrize(("name", "m"), [("S5", 47), ("C64", 20), ("D12", 12), ("B3", 30)])
def test_a_record_of_fewer_elements_does_not_stand_in_for_a_better_search(name, m):
    S = sa.design(name, m=m, objective="deviation")
    searched = sa.design(name, m=m, objective="deviation", name="search")
    assert sa.deviation(S).lower <= sa.deviation(searched).value


def test_a_record_of_fewer_elements_is_taken_by_degree_where_the_search_is_worse():
    record = next(r for r in best_known("S10") if (r.by_degree, r.m) == (2, 90))
    S, searched = (sa.design("S10", m=92, degree=2, name=name) for name in (None, "search"))
    left = sa.deviation(S, degree=2).lower
    assert left <= min(record.value, sa.deviation(searched, degree=2).value)


def test_a_record_to_a_higher_degree_is_better_than_none():
    S = sa.design("SO3", m=13, degree=5)
    assert S.m <= 13
    assert sa.deviation(S, degree=5).lower <= min(
        r.value for r in best_known("SO3", "deviation") if r.by_degree == 6 and r.m <= 13
    )


def test_a_record_is_chosen_from_or_beaten_by_a_construction():
    for name in SOME:
        chosen = known_designs(sa.group(name))
        for record in (*best_known(name, "exact"), *best_known(name, "deviation")):
            if record in chosen:
                continue
            fewer = [one for one in chosen if one.m is not None and one.m <= record.m]
            assert any(
                one.degree >= record.by_degree
                if record.by_degree
                else (one.deviation is not None and one.deviation <= record.value)
                for one in fewer
            )


def test_a_value_is_above_what_is_written_and_a_bound_below():
    seen = set()
    for family in FAMILIES:
        for stored in table(family)[:40]:
            lower, value = ends(stored["value"])
            assert lower <= value
            if ".." in stored["value"]:
                least, most = map(Fraction, stored["value"].split(".."))
                assert Fraction(lower) <= least < most <= Fraction(value)
            bound = stored["bound"]
            if bound.startswith("sqrt("):
                assert Fraction(ends(bound)[0]) ** 2 <= Fraction(bound[5:-1])
            seen |= {".." in stored["value"], bound[:5]}
    assert {True, False, "sqrt("} <= seen


def test_designs_claim_the_upper_end_of_a_value_and_the_lower_end_of_a_bound():
    stored = {row["sha256"]: row for family in FAMILIES for row in table(family)}
    wide = set()
    for name in ("C100", "S5", "S6", "C64xC64", "Grid8", "D12", "Z2^14", "C19"):
        for record in best_known(name):
            (lower, value), bound = (ends(stored[record.sha256][k]) for k in ("value", "bound"))
            assert (record.lower, record.bound) == (lower, bound[0])
            assert record.value in (value, None)
            wide |= {("value", lower < value), ("bound", bound[0] < bound[1])}
    assert {("value", True), ("bound", True)} <= wide


def test_factors_in_the_other_order_have_the_same_records():
    there, here = best_known("S3xS4"), best_known("S4xS3")
    assert [(r.m, r.by_degree, r.bound) for r in here] == [
        (r.m, r.by_degree, r.bound) for r in there
    ]
    assert len(here) >= 2
    for record in here:
        S = record.sample()
        assert S.group.name == "S4xS3"
        assert sa.deviation(S, degree=record.by_degree).value < 1e-12


def test_a_group_that_is_known_as_another_has_its_records():
    moved = sa.permutation_group(
        [[1, 2, 3, 4, 0, 5], [1, 0, 2, 3, 4, 5]]
    )  # S5, and a point that stays
    of_five, carried = best_known("S5", "deviation"), best_known(moved, "deviation")
    assert [r.value for r in carried] == [r.value for r in of_five]
    record = min(carried, key=lambda r: r.value if r.by_degree is None else 1.0)
    assert record.lower <= sa.deviation(record.sample()).value
    assert sa.deviation(record.sample()).lower <= record.value


def test_with_the_inversion_there_are_twice_as_many():
    without = {r.degree: r for r in best_known("SO3", "exact")}
    for record in best_known("O3"):
        assert (record.m, record.bound) == (
            2 * without[record.degree].m,
            2 * without[record.degree].bound,
        )
    S = next(r for r in best_known("O3") if r.degree == 4).sample()
    assert sa.deviation(S, degree=4).value < 1e-11


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("0", 0, 0),
        ("3/7", Fraction(9, 49), Fraction(9, 49)),
        ("sqrt(3/16)", Fraction(3, 16), Fraction(3, 16)),
        ("0.31427..0.31428", Fraction("0.31427") ** 2, Fraction("0.31428") ** 2),
        ("0.1", Fraction(1, 100), Fraction(1, 100)),
    ],
)
def test_the_square_of_a_value_lies_between_those_of_its_floats(text, least, most):
    low, high = ends(text)
    assert 0 <= Fraction(low) ** 2 <= least <= most <= Fraction(high) ** 2
    assert high - low <= 2e-5
    assert math.copysign(1, high) == 1  # 0 is not printed as -0.0


def test_no_record_is_worse_than_the_search_for_as_many_elements():
    """A record of m elements is taken without a search."""
    found = 0
    for name in record_counts():
        group = sa.group(name)
        if not group.is_finite or group.order > 64:
            continue
        for record in best_known(name, "deviation"):
            if record.by_degree is None:
                searched = searched_rows(group, record.m, None)
                assert record.value <= sa.deviation(sa.GroupSample(group, searched)).value + 1e-9
                found += 1
    assert found > 40
