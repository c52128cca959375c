"""Plans: every number against the theory it comes from, at orders of any size."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import sparseaug as sa
from sparseaug import theory
from sparseaug.errors import ArgumentError
from sparseaug.plans import degree_dimension_sum, plan

GROUPS = ["S6", "S10", "Z2^20", "D12", "B5", "S5000", "C1"]
CONSTANTS = {"C": 1.5, "B": 0.7, "L": 4.0, "gap": 1.25}


def make(name, eps=0.1, **options):
    return plan(sa.group(name), eps=eps, **{"delta": 0.05, **CONSTANTS, **options})


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("eps", [0.01, 0.3, 5.0])
def test_rows_are_the_numbers_of_the_theory(name, eps):
    found, group = make(name, eps, sigma=0.5, b=4, n=100), sa.group(name)
    order, D = group.order, group.dimension_sum().value
    C, B, L, gap = CONSTANTS.values()
    stream = theory.sgd_plan(eps, L=L, gap=gap, sigma=0.5, b=4)
    words = theory.words_plan(eps, 0.05, dimension_sum=D, C=C, B=B)
    paper = theory.sample_size(eps, 0.05, order=order, C=C, B=B)
    sharp = theory.sharp_sample_size(eps, 0.05, dimension_sum=D, C=C, B=B)
    T = theory.num_steps(eps, L=L, gap=gap)
    rows = {row.method: (row.m, row.steps, row.calls) for row in found.rows}
    assert rows["full"] == (order, theory.full_gd_steps(eps, L=L, gap=gap), order)
    assert rows["streaming"] == (4, stream.num_steps, stream.calls)
    assert rows["one-shot"] == (paper, T, paper)
    assert rows["one-shot sharp"] == (sharp, T, sharp)
    assert rows["words"] == (min(order, words.m**words.length), T, words.m)
    assert sharp <= paper
    assert found.row("streaming").step_size == stream.step_size
    assert found.row("words").length == words.length
    free = theory.dimension_free_sample_size(eps, 0.05, C=C, B=B, n=100)
    assert rows["one kernel"] == (free, T, free)
    for name, delta in (("products", 0.05), ("products on average", None)):
        calls = theory.products_calls(eps, delta, C=C, B=B, n=100)
        assert rows[name] == (min(order, 2**calls), T, calls)
    batches = theory.one_shot_sgd_plan(
        eps, L=L, gap=gap, sigma=10 * C * B, b=4
    )  # B_2 <= sqrt(100) B
    assert rows["mini-batch"][::2] == (4, free)
    assert rows["mini-batch"][1] == pytest.approx(batches.num_steps, rel=1e-12)
    for row in found.rows:
        copies = 4 if row.method == "mini-batch" else 100 * row.m
        assert (row.copies, row.work) == (copies, copies * row.steps)


@pytest.mark.parametrize("name", GROUPS[:-1])
def test_the_paper_s_promise_holds_at_the_planned_numbers_and_one_draw_less_breaks_it(name):
    """cor:app-main-complexity, by the bound of thm:main itself."""
    found, order = make(name), sa.group(name).order
    row = found.row("one-shot")
    constants = {"order": order, "delta": 0.05, **CONSTANTS}
    assert theory.stationarity_bound(row.calls, T=row.steps, **constants) <= 0.1
    assert theory.smallest_eps(row.calls, order=order, delta=0.05, C=1.5, B=0.7) <= 0.1
    assert theory.smallest_eps(row.calls - 1, order=order, delta=0.05, C=1.5, B=0.7) > 0.1
    sharp = found.row("one-shot sharp")
    for m, enough in ((sharp.calls, True), (sharp.calls - 1, False)):
        tau = theory.sharp_deviation_bound(
            m, dimension_sum=found.facts["dimension_sum"], delta=0.05
        )
        assert (Fraction(tau) * Fraction(1.5) * Fraction(0.7) * 2 <= Fraction(0.1)) == enough


def test_the_deviation_to_draw_to_is_enough():
    row = make("S6").row("one-shot sharp")
    reached = theory.stationarity_given(row.deviation, T=row.steps, **CONSTANTS)
    assert reached <= 0.1
    assert make("S6", 5.0).row("one-shot sharp").calls == 1


def test_sigma_is_C_times_B_rounded_up_where_it_is_not_given():
    sigma = make("S6").facts["sigma"]
    assert Fraction(sigma) >= Fraction(1.5) * Fraction(0.7)
    assert Fraction(math.nextafter(sigma, 0)) < Fraction(1.5) * Fraction(0.7)
    assert make("S6", C=1.0, B=2.0).facts["sigma"] == 2.0
    assert make("S6", sigma=0.0).row("streaming").step_size == 0.25


def test_best_makes_the_fewest_calls_and_the_least_work_among_equals():
    for name in GROUPS:
        found = make(name)
        firm = [r for r in found.rows if r.m <= 10**14 and r.guarantee != "in mean square"]
        assert found.best.calls == min(r.calls for r in firm)
    assert make("S6").best.method == "products"
    assert make("C1").best.method == "full"  # one call, and the fewest steps
    assert make("C8").best.method == "full"  # 8 elements


def test_a_step_of_more_than_10_to_the_14_transformations_is_not_recommended():
    found = make("S5000", eps=1e-7)
    assert found.row("products").m > 10**14
    assert found.best.guarantee == "in mean square"  # every other row averages over more
    found = make("S5000", eps=1e-6)
    assert found.best.method == "one kernel"
    assert "fewest calls in steps of at most 1.00e14 transformations" in str(found)


def test_best_keeps_to_max_batch():
    for most, method in ((10**7, "products"), (4000, "one kernel"), (719, "products on average")):
        found = make("S10", max_batch=most)
        assert (found.best.method, found.best.m <= most) == (method, True)
    assert make("S10", max_batch=1).best.method == "mini-batch"  # streaming makes more calls
    none = make("S6", max_batch=1, b=2)
    assert none.best.m == min(r.m for r in none.rows if r.m is not None)
    assert "no row keeps to batches of 1; the smallest: streaming" in str(none)


def test_a_plan_without_the_order():
    """S100: 100 and 50 times below the paper's and the sharp row; SO(3) has no order at all."""
    numbers = {"eps": 0.5, "delta": 0.05, "C": 1, "B": 1, "L": 1, "gap": 1}
    found = plan("S100", **numbers)
    m = {row.method: row.calls for row in found.rows}
    assert m["one-shot"] >= 100 * m["one kernel"]
    assert m["one-shot sharp"] >= 50 * m["one kernel"]
    assert m["products on average"] <= m["products"] <= 20 < m["streaming"]
    for group in (sa.rotations(3), sa.orthogonal(2)):
        turned = plan(group, **numbers)
        assert {row.method for row in turned.rows}.isdisjoint({"full", "one-shot", "words"})
        assert turned.row("one kernel").calls == m["one kernel"]
        assert turned.to_dict()["order"] is None
        assert "infinite order" in str(turned)
    assert plan(sa.rotations(3), degree=4, **numbers).row("one-shot sharp").calls == 239


def test_promises_without_the_order_hold_at_the_planned_numbers():
    for n in (None, 50):
        found = make("S10", n=n)
        m, c = found.row("one kernel").calls, found.row("products").calls
        average = found.row("products on average").calls
        letters = {"C": 1.5, "B": 0.7, "n": n}
        assert theory.dimension_free_gradient_bound(m, 0.05, **letters) <= 0.05
        assert theory.dimension_free_gradient_bound(m - 1, 0.05, **letters) > 0.05
        assert theory.products_gradient_bound(c, 0.05, **letters) <= 0.05
        assert theory.products_gradient_bound(c - 1, 0.05, **letters) > 0.05
        share = 0.7 * (n or 1) ** 0.5
        assert theory.mean_square_gradient_error(2**average, C=1.5, B=share) <= 0.05
        assert theory.mean_square_gradient_error(2 ** (average - 1), C=1.5, B=share) > 0.05


def test_a_degree_makes_the_sharper_bound_smaller_and_leaves_the_paper_s():
    whole, low = make("S5000"), make("S5000", degree=2)
    assert low.row("one-shot sharp").calls < whole.row("one-shot sharp").calls / 900
    assert low.row("one-shot") == whole.row("one-shot")
    D = degree_dimension_sum(sa.symmetric(5000), 2).value
    assert low.row("one-shot sharp").calls == theory.sharp_sample_size(
        0.1, 0.05, dimension_sum=D, C=1.5, B=0.7
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"deviation": 0.5}, r"eps=0.1 and deviation=0.5 are the two goals; give one"),
        ({"eps": None}, r"eps=None and deviation=None are the two goals; give one"),
        ({"eps": None, "deviation": 0.5}, r"C=1.5 goes with eps=, not with deviation="),
        ({"C": None}, r"C=None is not a number; give a number with 0 < C"),
        ({"L": 5e-324}, r"L=5e-324 is not allowed"),
        ({"degree": 7}, r"degree=7 is above 6"),
    ],
)
def test_what_does_not_go_together_is_answered_with_what_does(wrong, message):
    with pytest.raises(ArgumentError, match=message):
        make("S6", **wrong)
