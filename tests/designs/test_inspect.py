"""inspect: the three lists of the page, brute force on small groups, rows from files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sparseaug as sa


def test_zipped_orders_lie_in_a_coset_and_crossed_ones_are_exact():
    found = sa.inspect([[i % 4, i % 6] for i in range(12)], group="C4xC6")
    assert (found.deviation, found.order, found.index) == (1.0, 12, 2)
    assert found.misses == (2,)
    assert any("zipped" in text for text in found.findings)
    assert [(one.name, one.m) for one in found.instead] == [("full", 24)]
    crossed = sa.inspect([[i, j] for i in range(4) for j in range(6)], group="C4xC6")
    assert crossed.deviation == 0.0
    assert crossed.misses == ()


def test_zipped_orders_of_a_product_that_is_not_abelian_are_found():
    g = sa.direct_product(sa.symmetric(3), sa.sign_flips(1))
    even = sa.symmetric(3).all_elements()
    parity = [sum(p[i] > p[j] for i in range(3) for j in range(i + 1, 3)) % 2 for p in even]
    found = sa.inspect(np.column_stack([even, parity]), group=g)
    assert (found.order, found.index, found.deviation) == (6, 2, 1.0)
    assert any("zipped" in text for text in found.findings)
    assert set(found.misses) == {"S3 x C2"}


def test_draws_from_a_product_are_not_called_zipped():
    found = sa.inspect(sa.Oracle(sa.group("S3xC4"), seed=0).draw(6))
    assert not any("zipped" in text for text in found.findings)
    assert found.deviation == pytest.approx(sa.deviation(found.sample).value)


def test_a_latin_square_is_blind_to_pairs_and_a_design_that_is_not_is_named():
    square = [[(i + j) % 7 for j in range(7)] for i in range(7)]
    found = sa.inspect(square, group=sa.symmetric(7))
    assert found.profile.exact == (1,)
    assert found.profile.lower[2] == 1.0
    assert found.instead[0].name == "AGL(1,7)"
    better = sa.inspect(sa.design(sa.symmetric(7), name="AGL(1,7)"))
    assert set(found.instead[0].exact) == set(better.profile.exact)


def test_of_eight_mirrors_four_suffice_for_pairs():
    mirrors = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    found = sa.inspect(mirrors, group="Z2^3")
    assert found.deviation == 0.0
    assert [(one.m, one.exact) for one in found.instead] == [(2, (1, 3)), (4, (1, 2))]
    assert found.findings == ()


@pytest.mark.parametrize("name", ["S5", "C4xC6", "Z2^4", "D6", "B3", "S3xC4", "A5"])
@pytest.mark.parametrize("seed", range(3))
def test_the_coset_and_what_is_offered_hold_by_brute_force(name, seed):
    g = sa.group(name)
    rng = np.random.default_rng(seed)
    letters = g.sample(2, rng)
    subgroup = sa.GroupSample.generated(g, letters).elements
    S = sa.GroupSample(g, g.compose(g.sample(1, rng), subgroup))
    found = sa.inspect(S)
    assert found.order == len(subgroup)
    assert found.index == g.order // len(subgroup)
    assert found.deviation == pytest.approx(sa.deviation(S).value, abs=1e-9)
    for one in found.instead:
        design = sa.design(g, name=one.name)
        levels = sa.profile(design)
        assert design.m == one.m
        assert set(one.exact) == set(levels.exact)
        assert not set(one.better) & set(found.profile.exact)


@pytest.mark.parametrize("name", ["S5", "C4xC6", "B3"])
def test_draws_are_said_to_be_better_where_the_mean_square_is_one_and_a_half_times_theirs(name):
    """By the profile: less than 1.5 (N - m) / (N - 1) / m is luck, and is not named."""
    lucky = named = 0
    for seed in range(8):
        S = sa.Oracle(sa.group(name), seed=seed).draw(6)
        found = sa.inspect(S)
        drawn = (S.group.order - S.m) / (S.group.order - 1) / S.m
        times = [float(square) / drawn for square in sa.profile(S).mean_square.values()]
        said = [text for text in found.findings if "distinct draws would do better" in text]
        assert len(said) == (max(times) > 1.5)
        assert not said or f"up to {max(times):.3g} times theirs" in said[0]
        lucky, named = lucky + (1 < max(times) < 1.5), named + len(said)
    assert lucky or named


def test_repeated_rows_are_named():
    found = sa.inspect([[0], [0], [1]], group="C3")
    assert any(text.startswith("1 of 3 elements repeat") for text in found.findings)
    twice = sa.inspect([[0], [1], [2]] * 2, group="C3")
    assert any(text.startswith("3 of 6 elements repeat") for text in twice.findings)


def table_of(g):
    everything = g.all_elements()
    products = g.compose(everything[:, None], everything).reshape(-1, g.width)
    return g.rank(products).reshape(g.order, g.order)


def test_a_group_without_degrees_is_inspected_as_far_as_it_goes():
    found = sa.inspect(sa.Oracle(sa.table_group(table_of(sa.dihedral(3))), seed=0).draw(5))
    assert found.profile is None
    assert found.deviation == pytest.approx(sa.deviation(found.sample).value)
    assert "no profile" in str(found)
    json.dumps(found.to_dict())


def test_no_exactness_is_claimed_for_the_corners_of_a_cube_by_the_degrees_of_its_axes():
    cube = sa.permutation_group(
        [[1, 0, 3, 2, 5, 4, 7, 6], [0, 2, 1, 3, 4, 6, 5, 7], [0, 2, 4, 6, 1, 3, 5, 7]]
    )
    S = sa.GroupSample.generated(cube, [[7, 6, 5, 4, 3, 2, 1, 0], [0, 2, 4, 6, 1, 3, 5, 7]])
    assert sa.deviation(S, degree=1).value > 0.99
    found = sa.inspect(S)
    assert found.profile is None
    assert found.deviation == 1.0
    assert found.exact == ()


def test_no_design_is_looked_at_once_one_is_exact_on_all_degrees(monkeypatch):
    """Of Z2^64 to degree 3 that is one of 128; the next have 8,192 rows, which take seconds."""
    built, rows = [], sa.designs.Design.rows
    monkeypatch.setattr(sa.designs.Design, "rows", lambda self: built.append(self.m) or rows(self))
    found = sa.inspect(np.eye(64, dtype=int)[:9], group="Z2^64")
    assert found.instead[-1].m == max(built) == 128


def test_what_rounded_rows_leave_is_told_from_what_they_miss():
    found = sa.inspect(sa.design(sa.rotations(3), degree=5))
    blind = "S is blind on degrees 6, 10, 12, 15 to 16: some function there is not averaged at all."
    assert blind in found.findings
    assert found.exact == (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 14)
    assert found.misses == (6, 10, 12, 15, 16)


@pytest.mark.parametrize("degree", range(1, 10))
def test_designs_of_rotations_are_exact_to_their_degree_within_the_tolerance(degree):
    S = sa.design(sa.rotations(3), degree=degree)
    turned = S.translate(sa.Oracle(S.group, seed=degree), side="both")
    for T in (S, turned):
        found = sa.inspect(T)
        assert set(range(1, degree + 1)) <= set(found.exact)
        assert not set(found.exact) & set(found.misses)


def test_turned_rows_are_exact_where_integers_say_that_the_cube_is():
    found = sa.inspect(sa.design(sa.rotations(3), name="cube"))
    assert found.exact == found.profile.exact == (1, 2, 3, 5, 7, 11)
    S = sa.design(sa.orthogonal(3), name="cube with inversion")
    assert sa.inspect(S.translate(sa.Oracle(S.group, seed=0))).exact == (0, *found.exact)


def gauss_grid(degree):
    """Euler angles, even in both turns and Gauss-Legendre between: exact to l <= degree with weights."""
    x, w = np.polynomial.legendre.leggauss(degree // 2 + 1)
    even = 2 * np.pi * np.arange(degree + 1) / (degree + 1)
    a, b, c = (part.ravel() for part in np.meshgrid(even, np.arccos(x), even, indexing="ij"))
    half = b / 2
    rows = np.stack(
        [
            np.cos(half) * np.cos((a + c) / 2),
            np.sin(half) * np.sin((c - a) / 2),
            np.sin(half) * np.cos((c - a) / 2),
            np.cos(half) * np.sin((a + c) / 2),
        ],
        axis=1,
    )
    weights = np.broadcast_to(w[None, :, None], (degree + 1, len(x), degree + 1))
    return sa.rotations(3).canonical(rows), weights.ravel()


def test_a_grid_with_weights_is_exact_with_them_and_a_smaller_design_is_named():
    rows, weights = gauss_grid(4)
    assert len(rows) == 75
    found = sa.inspect(rows, group="SO3", weights=weights)
    assert set(range(1, 5)) <= set(found.exact)
    assert 5 in found.misses
    assert found.profile.weighted
    assert "SO3, m = 75 with weights" in str(found)
    assert 57 in [one.m for one in found.instead]
    without = sa.inspect(rows, group="SO3")
    assert 2 in without.misses


def test_the_smallest_design_that_reaches_as_far_is_named_though_the_list_is_exact_beyond():
    rows, weights = gauss_grid(7)
    found = sa.inspect(rows, group="SO3", weights=weights)
    assert len(rows) == 256
    assert found.exact[:7] == (1, 2, 3, 4, 5, 6, 7)
    assert 168 in [one.m for one in found.instead]


def test_weights_of_a_finite_group_are_judged_and_other_findings_are_left_out():
    found = sa.inspect([[0], [1], [2], [0]], group="C3", weights=[0.5, 1, 1, 0.5])
    assert found.exact == (1,)
    assert found.deviation < 1e-12
    assert not any("repeat" in text for text in found.findings)
    skew = sa.inspect([[0], [1], [2]], group="C3", weights=[3, -1, 1])
    assert skew.deviation == pytest.approx(
        abs(3 - np.exp(2j * np.pi / 3) + np.exp(-2j * np.pi / 3)) / 3
    )


@pytest.mark.parametrize("name", ["SO2", "SO3", "O3", "S4xSO3"])
def test_of_rotations_the_designs_of_the_table_are_offered_and_are_exact_where_they_say(name):
    g = sa.group(name)
    found = sa.inspect(sa.Oracle(g, seed=0).draw(20))
    assert {one.name for one in found.instead} <= {design.name for design in sa.records(g)}
    assert 2 <= len(found.instead) <= 6
    for one in found.instead:
        assert one.better
        norms = sa.profile(sa.design(g, name=one.name)).norms
        assert max(norms[degree] for degree in one.exact) < 1e-9
    assert found.instead[0].name in str(found)


def test_rounded_rows_are_not_offered_what_they_have_already():
    offered = sa.inspect(sa.design(sa.rotations(3), degree=5)).instead
    sizes = [sa.design("SO3", degree=degree).m for degree in (2, 3, 4, 6, 7, 8)]
    assert [one.m for one in offered] == sizes
    assert all(set(one.better) <= {6} for one in offered)


class PlainDihedral(sa.groups.Dihedral):
    """A family with degrees on its irreps, and nothing that decides zeros in integers."""

    transform = ""


def test_zeros_that_no_integers_decide_are_exact_up_to_rounding():
    rows = [[0, 0], [6, 0], [0, 1], [6, 1]]
    known = sa.inspect(sa.GroupSample("D12", rows))
    found = sa.inspect(sa.GroupSample(PlainDihedral(12), rows))
    assert (found.exact, found.misses) == (known.exact, known.misses)
    assert 1 in found.exact
