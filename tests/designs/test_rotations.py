"""Designs of rotations: sizes, what is left of the error, where they can be had."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.designs.constructions.rotations import subgroup
from sparseaug.errors import ArgumentError, UnsupportedError

SPACE, ALL = sa.rotations(3), sa.orthogonal(3)
SIZES = (4, 12, 24, 57, 60, 144, 168, 300, 360, 595, 672, 1020, 1134, 1260)  # degree 1 to 14


@pytest.mark.parametrize(("degree", "m"), list(enumerate(SIZES, start=1)))
def test_the_smallest_known_design_of_each_degree_to_14(degree, m):
    S = sa.design(SPACE, degree=degree)
    assert S.m <= m  # less, once somebody finds a smaller one
    assert (S.calls, S.origin.kind) == (0, "design")
    found = sa.deviation(S, degree=degree)
    assert found.rigorous
    assert found.value < 1e-11  # a proved number, not 0: the rows are rounded
    assert (found.value == 0.0) == (degree <= 3)  # V4, T and O have integer rows
    assert sa.deviation(S, degree=degree + 2).lower > 1e-3  # 13 is that of 14
    assert len(S.counts()[0]) == S.m


@pytest.mark.parametrize(("degree", "most"), [(3, 48), (5, 120), (7, 336), (9, 720)])
def test_with_inversion_designs_are_smaller_than_the_grids_in_use(degree, most):
    """metatomic uses 84, 308 and 780 for l = 3, 5 and 7; rotations and their inversions."""
    S = sa.design(ALL, degree=degree)
    assert S.m <= most
    assert sa.deviation(S, degree=degree).value < 1e-11
    proper = S.elements[:, 4] == 0
    assert proper.sum() == S.m // 2


def test_thirty_rotations_have_a_proved_deviation_on_all_functions():
    S = sa.design(SPACE, m=30, objective="deviation")
    assert S.m == 30
    assert sa.deviation(S).value == pytest.approx(2 * math.sqrt(29) / 30)
    assert sa.design(SPACE, m=36, objective="deviation").m == 30  # the best of at most m
    assert sa.design(SPACE, m=500, objective="deviation").m == 462
    assert sa.design(ALL, m=60, objective="deviation").m == 60
    assert sa.deviation(sa.design(ALL, m=60, objective="deviation")).value == sa.deviation(S).value
    with pytest.raises(UnsupportedError, match="m=5"):
        sa.design(SPACE, m=5, objective="deviation")


@pytest.mark.parametrize("degree", [1, 2, 7, 64])
def test_even_angles_are_exact_below_their_number(degree):
    for group, size in ((sa.rotations(2), degree + 1), (sa.orthogonal(2), 2 * degree + 2)):
        S = sa.design(group, degree=degree)
        assert S.m == size
        assert sa.deviation(S, degree=degree).value < 1e-12
        if degree < 64:
            assert sa.deviation(S, degree=degree + 1).lower > 0.999


def test_the_solids_are_groups_of_the_right_order():
    for letter, order in (("V4", 4), ("T", 12), ("O", 24), ("I", 60), ("D5", 10), ("C1", 1)):
        rows = SPACE.canonical([[float(x) for x in q] for q in subgroup(letter)])
        assert len(rows) == order
        products = SPACE.compose(rows[:, None], rows[None]).reshape(-1, 4)
        nearest = abs(products @ rows.T).max(axis=1)
        assert nearest.min() > 1 - 1e-12  # closed
        assert (abs(rows @ rows.T) > 1 - 1e-9).sum() == order  # and all different


def test_designs_stay_exact_when_translated_and_in_products():
    S = sa.design(SPACE, degree=5)
    T = S.translate(sa.Oracle(SPACE, seed=1), side="both")
    assert (T.m, T.calls) == (60, 2)
    assert sa.deviation(T, degree=5).value < 1e-11
    P = sa.design(sa.group("S4xSO3"), degree=2)
    assert sa.deviation(P, degree=2).value < 1e-11


def test_the_table_names_every_design():
    offers = {offer.name: offer for offer in sa.records(SPACE)}
    assert offers["icosahedron"].degree == 5
    assert offers["integer quaternions of norm 29"].deviation == pytest.approx(0.35901, abs=1e-5)
    assert sa.design(SPACE, name="cube").m == 24
    assert sa.design(ALL, name="cube with inversion").m == 48
    with pytest.raises(ArgumentError, match="name='dodecahedron'"):
        sa.design(SPACE, name="dodecahedron")


def test_thinning_a_pool_of_rotations_is_better_than_its_first_elements():
    pool = sa.Oracle(SPACE, seed=0).draw(120)
    S = sa.thin(pool, 24, degree=3)
    assert (S.m, S.calls) == (24, 120)
    first = sa.GroupSample(SPACE, pool.elements[:24])
    assert sa.deviation(S, degree=3).value < 0.6 * sa.deviation(first, degree=3).value
    rows = {row.tobytes() for row in pool.elements}
    assert all(row.tobytes() in rows for row in S.elements)
    turned = sa.GroupSample(SPACE, pool.elements[::-1])
    assert sa.thin(turned, 24, degree=3) == S  # the order of the pool does not matter
    with pytest.raises(UnsupportedError, match="give degree="):
        sa.thin(pool, 24)


def test_an_average_over_the_icosahedron_is_exact_for_polynomials_of_degree_5(rng):
    """A polynomial of degree 5 in the coordinates holds l <= 5; one of degree 6 holds l = 6."""
    S = sa.design(SPACE, degree=5)
    act = sa.rotate(SPACE)
    x = rng.standard_normal((1, 3))
    direction = rng.standard_normal(3)

    def mean(y, power):
        return (act(S, y) @ direction).__pow__(power).mean()

    turned = act(SPACE.sample(20, rng), x)
    for power in range(1, 6):
        values = [mean(y, power) for y in turned]
        assert (
            np.ptp(values) < 1e-12 * np.linalg.norm(x) ** power * np.linalg.norm(direction) ** power
        )
    assert np.ptp([mean(y, 6) for y in turned]) > 1e-6
