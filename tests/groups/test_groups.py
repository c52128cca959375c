"""Every group: laws, orders against published values, names, sizes that overflow, bad input."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparseaug as sa
from sparseaug.errors import ArgumentError, ElementError, GroupError, GroupTooLargeError
from sparseaug.groups import format_order, from_dict
from sparseaug.groups.young import dimension, young_matrices, young_rounding
from sparseaug.testing import check_group


def test_every_group_passes_the_public_check(group):
    check_group(group)


def test_a_group_survives_json_and_pickle(group):
    assert from_dict(group.to_dict()) == group
    assert pickle.loads(pickle.dumps(group)) == group
    assert hash(from_dict(group.to_dict())) == hash(group)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        *((f"S{n}", math.factorial(n)) for n in range(1, 22)),
        *((f"A{n}", math.factorial(n) // 2) for n in range(2, 22)),
        *((f"B{n}", 2**n * math.factorial(n)) for n in range(1, 18)),
        *((f"D{n}", 2 * n) for n in range(1, 13)),
        ("M11", 7920),
        ("M12", 95040),
        ("M22", 443520),
        ("M24", 244823040),
        ("Rubik", 43252003274489856000),
        ("Cube24", 24),
        ("Cube48", 48),
        ("C28xC28", 784),
        ("S3xZ2^4", 96),
        ("Z2^100", 2**100),
    ],
)
def test_orders_are_the_published_ones(name, order):
    g = sa.group(name)
    assert g.order == order
    assert g.log_order == pytest.approx(math.log(order), rel=1e-15)


@pytest.mark.parametrize(
    "name",
    [
        *("S6", "A5", "C12", "D4", "B5", "Z2^20", "C28xC28", "S3xZ2^4", "C1", "C3^5"),
        *("S3^2xD4", "M24", "Cube24", "Cube48", "Rubik", "C2xC3xZ2^2", "Grid28", "Grid3^2xC2"),
    ],
)
def test_a_name_parses_and_prints(name):
    assert sa.group(name).name == name
    assert sa.group(sa.group(name).name) == sa.group(name)


def test_a_product_is_one_thing_however_it_was_built():
    s3, c2 = sa.symmetric(3), sa.cyclic(2)
    nested = sa.direct_product(sa.direct_product(s3, c2), sa.direct_product(c2, s3))
    assert nested == sa.direct_product(s3, c2, c2, s3) == sa.group("S3xZ2^2xS3")
    assert sa.direct_product(sa.cyclic(28), sa.cyclic(28)) == sa.abelian(28, 28)
    assert sa.cyclic(6) != sa.abelian(2, 3)
    assert sa.symmetric(3) != sa.dihedral(3)


def test_huge_groups_can_be_made_sampled_composed_and_printed(rng):
    for name in ("S5000", "Z2^4096", "B600", "A1000"):
        g = sa.group(name)
        a, b = g.sample(2, rng), g.sample(2, rng)
        product = g.compose(a, b)
        assert g.contains(product).all()
        assert (g.compose(product, g.inverse(b)) == a).all()
        assert g.name == name
        assert type(g).__name__ in repr(g)
        with pytest.raises(GroupTooLargeError, match="rank needs a group of at most"):
            g.rank(a)
        with pytest.raises(GroupTooLargeError, match="use sample"):
            g.elements()


def test_enumeration_comes_in_blocks():
    blocks = list(sa.symmetric(5).elements(block=50))
    assert [len(block) for block in blocks] == [50, 50, 20]


def test_composition_is_that_of_functions():
    """(ab)(i) = a(b(i)): the convention, spelled out on the two generators of S_3."""
    g = sa.symmetric(3)
    a, b = np.array([[1, 0, 2]]), np.array([[1, 2, 0]])
    assert g.compose(a, b).tolist() == [[a[0, b[0, i]] for i in range(3)]]
    assert g.compose(a, b).tolist() != g.compose(b, a).tolist()


def test_compose_takes_any_integers_without_overflow():
    a = np.array([[150]], np.uint8)
    g = sa.cyclic(200)
    assert g.compose(a, a).tolist() == [[100]]
    assert g.inverse(a).tolist() == [[50]]
    assert sa.cyclic(3).compose([[1]], [[2]]).tolist() == [[0]]
    turned = np.array([[4, 1]], np.uint8)
    assert sa.dihedral(5).compose(turned, turned).tolist() == [[0, 0]]
    with pytest.raises(ElementError, match="b has shape"):
        g.compose([[1]], [[1, 2]])


def test_groups_that_differ_in_the_sign_of_zero_are_one():
    plus = np.array([[[1.0, 0.0], [0.0, 1.0]], [[-1.0, 0.0], [0.0, -1.0]]])
    minus = np.where(plus == 0, -0.0, plus)
    one, other = sa.matrix_group(plus), sa.matrix_group(minus)
    assert one == other
    assert sa.GroupSample(one, [[1]]).sha256 == sa.GroupSample(other, [[1]]).sha256


def test_orders_are_printed_in_any_size():
    for moduli, text in (((10**11 - 1,) * 2, "1.00e22"), ((10**15,) * 2, "1.00e30")):
        assert format_order(sa.abelian(*moduli)) == text


def test_what_a_group_computed_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        sa.groups.mathieu(11).parts.levels[0].transversal[1, 0] = 5


@pytest.mark.parametrize("name", ["S4", "C4xS3", "O3", "SO3xS4"])
def test_the_distance_and_the_product_of_unequal_rows_are_refused(name, rng):
    group = sa.group(name)
    a, b = group.sample(2, rng), group.sample(3, rng)
    for both in (group.distance, group.compose):
        with pytest.raises(ElementError, match="do not go together"):
            both(a, b)
    assert group.distance(b, b[:1]).shape == (3,)


def test_compose_broadcasts_to_a_multiplication_table():
    for name in ("S3", "D4", "B2", "C6", "Cube24", "S3xZ2^2"):
        g = sa.group(name)
        rows = np.concatenate(list(g.elements()))
        products = g.compose(rows[:, None], rows[None])
        table = g.rank(products.reshape(-1, g.width)).reshape(g.order, g.order)
        assert sa.table_group(table).order == g.order


def test_a_table_group_multiplies_as_the_group_it_came_from(rng):
    g = sa.group("S4")
    rows = np.concatenate(list(g.elements()))
    table = g.rank(g.compose(rows[:, None], rows[None]).reshape(-1, 4)).reshape(24, 24)
    t = sa.table_group(table)
    a, b = g.sample(50, rng), g.sample(50, rng)
    left = t.compose(g.rank(a)[:, None], g.rank(b)[:, None])[:, 0]
    assert np.array_equal(left, g.rank(g.compose(a, b)))
    assert len(t.generators()) <= math.log2(24)


def test_a_table_whose_identity_is_not_first_still_ranks_it_zero():
    t = sa.table_group([[1, 0], [0, 1]])
    assert t.identity().tolist() == [[1]]
    assert t.rank([[1], [0]]).tolist() == [0, 1]


def test_inverses_in_a_table_whose_identity_is_not_first(rng):
    g = sa.symmetric(3)
    rows = rng.permutation(g.all_elements()[1:])
    rows = np.concatenate([rows[:2], g.identity(), rows[2:]])
    products = g.compose(rows[:, None], rows[None])
    t = sa.table_group((products[:, :, None] == rows).all(axis=-1).argmax(axis=-1))
    everything = np.arange(6)[:, None]
    assert t.identity().tolist() == [[2]]
    assert (t.compose(everything, t.inverse(everything)) == 2).all()


@pytest.mark.parametrize("off", [(0.01, 0.0), (0.0, 0.01), (0.01, 0.02)])
def test_the_rounding_of_a_tensor_product_covers_that_of_each_factor(off):
    """Matrices that are off by all that their rounding allows, in the direction of the matrix."""
    group = sa.direct_product(sa.symmetric(3), sa.symmetric(4))
    irreps = [list(factor.irreps())[1] for factor in group.factors]
    stretched = tuple(
        replace(
            irrep,
            rounding=one,
            matrices=lambda rows, irrep=irrep, one=one: (
                irrep.matrices(rows) * (1 + one / math.sqrt(irrep.dimension))
            ),
        )
        for irrep, one in zip(irreps, off, strict=True)
    )
    assert [irrep.dimension for irrep in irreps] == [2, 3]
    rows = group.unrank([77])
    true, found = group._tensor(tuple(irreps), None), group._tensor(stretched, None)
    error = np.linalg.norm(found.matrices(rows)[0] - true.matrices(rows)[0])
    assert 0.99 * found.rounding < error <= found.rounding


def test_the_rounding_of_signed_permutations_covers_that_of_both_young_matrices(monkeypatch):
    """Young's matrices off by all that their rounding allows, in the direction of the matrix."""
    group = sa.hyperoctahedral(5)
    irrep = next(one for one in group.irreps() if one.name == "(2, 1)|(1, 1)")
    rows = group.unrank([1234])
    true = irrep.matrices(rows)

    def stretched(shape, images):
        size = dimension(shape)
        return young_matrices(shape, images) * (1 + young_rounding(sum(shape), size) / size**0.5)

    module = import_module("sparseaug.groups.hyperoctahedral")  # not the function of that name
    monkeypatch.setattr(module, "young_matrices", stretched)
    assert 0 < np.linalg.norm(irrep.matrices(rows) - true) <= irrep.rounding


def test_the_matrices_of_a_matrix_group_multiply_as_its_elements(rng):
    g = sa.groups.cube_symmetries()
    a, b = g.sample(40, rng), g.sample(40, rng)
    product = g.matrices[a[:, 0]] @ g.matrices[b[:, 0]]
    assert np.array_equal(product, g.matrices[g.compose(a, b)[:, 0]])
    assert not g.matrices.flags.writeable


def test_matrix_groups_take_rotations_of_solids_from_scipy():
    from scipy.spatial.transform import Rotation

    for letter, order in (("T", 12), ("O", 24), ("I", 60), ("C5", 5), ("D6", 12)):
        assert sa.matrix_group(Rotation.create_group(letter).as_matrix()).order == order


def test_membership_in_a_permutation_group_is_exact(rng):
    """M_11 inside S_11: exactly 7920 / 11! of random permutations belong."""
    g = sa.groups.mathieu(11)
    assert g.contains(g.sample(1000, rng)).all()
    strangers = sa.symmetric(11).sample(1000, rng)
    inside = g.contains(strangers)
    assert inside.sum() <= 5
    assert not g.contains(np.array([[1, 0, *range(2, 11)]]))[0]
    assert not g.contains(np.zeros((1, 11), np.int64))[0]
    assert not g.contains(np.full((1, 11), 99))[0]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.booleans(), st.data())
def test_rank_and_unrank_are_inverse(n, even, data):
    g = sa.alternating(n) if even else sa.symmetric(n)
    rank = data.draw(st.integers(0, g.order - 1))
    row = g.unrank(rank)
    assert g.contains(row).all()
    assert g.rank(row).tolist() == [rank]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.permutations(range(6)), min_size=1, max_size=3))
def test_a_generated_group_contains_its_products_and_divides_720(images):
    g = sa.permutation_group(images)
    a = g.sample(20, np.random.default_rng(0))
    assert 720 % g.order == 0
    assert g.contains(g.compose(a, a[::-1])).all()
    assert g.contains(np.array(images)).all()


NOT_ASSOCIATIVE = [  # the smallest loop that is not a group: a Latin square with an identity
    [0, 1, 2, 3, 4],
    [1, 0, 3, 4, 2],
    [2, 4, 0, 1, 3],
    [3, 2, 4, 0, 1],
    [4, 3, 1, 2, 0],
]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: sa.permutation_group([[0, 0, 1]]), GroupError, "is not a permutation of"),
        (lambda: sa.matrix_group([[[1.0]], [[2.0]]]), GroupError, "matrices is not closed"),
        (lambda: sa.matrix_group([[[1.0]], [[1.0]]]), GroupError, "same matrix twice"),
        (lambda: sa.matrix_group([[[0.0]]]), GroupError, "unit matrix"),
        (lambda: sa.matrix_group([[[np.nan]]]), GroupError, "size nan"),
        (lambda: sa.table_group(NOT_ASSOCIATIVE), GroupError, "not associative"),
        (lambda: sa.table_group([[0, 1], [1, 1]]), GroupError, "row 1 of table"),
        (lambda: sa.table_group([[0, 1, 2], [2, 0, 1], [1, 2, 0]]), GroupError, "no identity"),
        (lambda: sa.permutation_group([[1, 0]], label="S6"), ArgumentError, "another group"),
        (lambda: sa.group("S\uff16"), GroupError, "does not parse"),
    ],
)
def test_what_is_no_group_is_refused_with_a_reason(make, error, message):
    with pytest.raises(error, match=message):
        make()


MASKED = np.ma.masked_array([[1, 0, 0, 0]], [[False, True, False, False]])


@pytest.mark.parametrize(
    ("take", "name"),
    [
        (lambda: sa.GroupSample(sa.rotations(3), MASKED * 1.0), "elements"),
        (lambda: sa.abelian(2, 2, 2, 2).check([MASKED[0]]), "elements"),
        (lambda: sa.permutation_group(np.ma.masked_array([[1, 0]], [[0, 1]])), "generators"),
    ],
)
def test_masked_rows_are_refused_as_a_mask_would_be_ignored(take, name):
    with pytest.raises(ArgumentError, match=rf"^{name}\b.* masked array"):
        take()
