"""Plans of draws: every number against the theory, the irreps and the samples that it speaks of."""

from __future__ import annotations

import pytest

import sparseaug as sa
from sparseaug import theory
from sparseaug.norms.coordinates import coordinates
from sparseaug.plans import degree_dimension_sum, plan
from sparseaug.plans.table import format_deviation
from tests.references import degree_of_irrep

CONSTANTS = {"C": 1.5, "B": 0.7, "L": 4.0, "gap": 1.25}


def dimensions_to_degree(group: sa.groups.Group, degree: int) -> int:
    """Over the factors' irreps one by one: the sum of d_pi of degree 1 to `degree`."""
    sums = {0: 1}
    for factor in group.factors or (group,):
        new: dict[int, int] = {}
        for irrep in factor.irreps():
            own = degree_of_irrep(factor, irrep)
            for d, total in sums.items():
                new[d + own] = new.get(d + own, 0) + total * irrep.dimension
        sums = new
    return sum(total for d, total in sums.items() if 0 < d <= degree)


@pytest.mark.parametrize("name", ["S6", "Z2^6", "C3xC4xC2", "B4", "S4xZ2^3", "B2xS4", "Z2xS3xC5"])
def test_dimension_sums_to_a_degree_are_those_of_the_irreps(name):
    group = sa.group(name)
    highest = len(group.moduli) if group.moduli else coordinates(group).number
    for degree in range(1, highest + 1):
        found = degree_dimension_sum(group, degree)
        assert found == (dimensions_to_degree(group, degree), True)
    assert degree_dimension_sum(group, highest).value == group.dimension_sum().value


def test_other_groups_have_upper_bounds_that_never_pass_the_whole():
    for name in ("A6", "D7", "M11", "D4xS3", "Grid3"):
        group, before = sa.group(name), 0
        for degree in (1, 2, 3):
            found = degree_dimension_sum(group, degree)
            assert before <= found.value <= group.dimension_sum().value
            assert found.exact == name.startswith("D")
            before = found.value
    # D_7: the sign of flips, and two dimensions for each frequency
    assert [degree_dimension_sum(sa.dihedral(7), k).value for k in (1, 2, 3)] == [3, 5, 7]
    # A_6: the shapes (5,1), (4,2), (4,1,1) of S_6 stay irreducible and different
    assert degree_dimension_sum(sa.alternating(6), 2).value == 5 + 9 + 10
    assert degree_dimension_sum(sa.groups.mathieu(11), 1).value == 10  # two-transitive: one irrep
    # shapes too large for the hook formula: the irrep of degree 1 has dimension n - 1
    assert degree_dimension_sum(sa.symmetric(20_000), 1) == (19_999, False)
    assert degree_dimension_sum(sa.hyperoctahedral(11_000), 1) == (2 * 11_000 - 1, False)


@pytest.mark.parametrize(("name", "degree"), [("S10", 2), ("S6", None), ("B6", 2), ("D12", None)])
def test_rows_are_the_numbers_of_the_theory(name, degree):
    group = sa.group(name)
    found = plan(group, deviation=0.3, degree=degree, delta=0.1)
    D = group.dimension_sum().value if degree is None else degree_dimension_sum(group, degree).value
    assert found.row("one-shot").m == theory.deviation_sample_size(
        0.3, order=group.order, delta=0.1
    )
    assert found.row("one-shot sharp").m == theory.sharp_deviation_sample_size(
        0.3, dimension_sum=D, delta=0.1
    )
    assert (found.row("full").m, found.row("full").calls) == (group.order, 0)
    assert found.facts["dimension_sum"] == D


@pytest.mark.parametrize(("name", "degree"), [("S10", 2), ("S6", None), ("S6xZ2^5", 2), ("B6", 1)])
def test_what_draw_until_and_the_design_promise_their_samples_have(name, degree):
    group = sa.group(name)
    found = plan(group, deviation=0.3, degree=degree)
    row = found.row("draw_until")
    drawn = sa.draw_until(sa.Oracle(group, seed=0), target=0.3, degree=degree)
    assert (row.m, row.calls, row.deviation) == (drawn.sample.m, drawn.calls, drawn.deviation.value)
    if degree is not None:
        design = sa.design(group, degree=degree)
        assert (found.row("design").m, found.row("design").calls) == (design.m, 0)
        assert sa.deviation(design, degree=degree).value < 1e-12


def test_a_flat_set_is_the_design_where_all_functions_count():
    row = plan(sa.cyclic(91), deviation=0.35).row("design")
    S = sa.design(sa.cyclic(91), m=row.m, objective="deviation")
    assert sa.deviation(S).value <= row.deviation + 1e-12 <= 0.35


def test_a_search_is_asked_where_no_theorem_gives_a_set():
    row = plan(sa.cyclic(427), deviation=0.25).row("design")
    assert row.m <= 36  # 96 draws
    S = sa.design(sa.cyclic(427), m=row.m, objective="deviation")
    assert sa.deviation(S).value == row.deviation <= 0.25


def test_best_has_the_fewest_elements_and_then_the_fewest_calls():
    found = plan(sa.dihedral(4), deviation=0.1)
    assert (found.best.m, found.best.calls) == (8, 0)  # the full group
    assert plan(sa.symmetric(7), deviation=0.01, degree=2).best.method == "design"
    found = plan(sa.symmetric(10), deviation=0.25, degree=2)
    assert found.best.m == min(row.m for row in found.rows if row.m is not None)


def test_draw_until_is_run_only_where_it_is_cheap():
    assert plan(sa.symmetric(12), deviation=0.5).row("draw_until").m is None
    assert plan(sa.symmetric(5), deviation=0.001).row("draw_until").m is None
    assert "no exact deviation" in plan(sa.groups.rubik(), deviation=0.5).row("draw_until").note


def test_a_target_is_printed_as_it_was_given():
    plan = sa.plan(sa.rotations(3), deviation=0.2, degree=3)  # the float 0.2 is above 1/5
    line = next(line for line in str(plan).splitlines() if line.startswith("one-shot sharp "))
    assert line.split()[4] == "0.2"
    assert format_deviation(0.20000000001) == "0.201"
