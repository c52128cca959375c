"""What a permutation group is made of: orders and membership against sympy; families recognised."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np
import pytest

import sparseaug as sa
from sparseaug._checks import LIMITS
from sparseaug.errors import GroupTooLargeError
from sparseaug.groups import Rows, chain
from sparseaug.groups.chain import are_even, cycle_lengths, stabiliser_chain
from sparseaug.groups.generated import recognise
from sparseaug.groups.parts import ChainPart, DisjointParts, PermutationPart, WreathPart, find_parts
from sparseaug.groups.permutations import compose_permutations
from sparseaug.norms.regular import regular_norm
from sparseaug.plans import degree_dimension_sum
from sparseaug.sources import graph_automorphisms


def some_elements(part: PermutationPart, count: int = 50, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    digits = [rng.integers(0, radix, count) for radix in part.radices]
    return part._from_digits(np.array(digits, np.int64).reshape(len(digits), count))


def are_elements(part: PermutationPart, rows: Rows) -> list[bool]:
    digits = part._to_digits(rows)
    inside = ((digits >= 0) & (digits < np.array(part.radices).reshape(-1, 1))).all(axis=0)
    inside[inside] = (part._from_digits(digits[:, inside]) == rows[inside]).all(axis=1)
    return inside.tolist()


def random_generators(seed: int) -> Rows:
    """One to three permutations of a few of at most ten points."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 11))
    rows = np.tile(np.arange(n), (int(rng.integers(1, 4)), 1))
    for row in rows:
        moved = rng.choice(n, int(rng.integers(2, n + 1)), replace=False)
        row[moved] = rng.permutation(moved)
    return rows


@pytest.mark.parametrize("seed", range(40))
def test_order_and_membership_are_those_of_sympy(seed: int) -> None:
    pytest.importorskip("sympy")
    from sympy.combinatorics import Permutation, PermutationGroup

    generators = random_generators(seed)
    part = find_parts(generators)
    theirs = PermutationGroup([Permutation(row.tolist()) for row in generators])
    assert math.prod(part.radices) == theirs.order()
    n = generators.shape[1]
    rng = np.random.default_rng(seed)
    any_rows = rng.permuted(np.tile(np.arange(n), (30, 1)), axis=1)
    rows = np.concatenate([any_rows, some_elements(part, 10), generators])
    assert are_elements(part, rows) == [theirs.contains(Permutation(row.tolist())) for row in rows]
    group = sa.permutation_group(generators.tolist())
    assert group.contains(rows).tolist() == are_elements(part, rows)


def cycle(n: int, *points: int) -> list[int]:
    image = list(range(n))
    for a, b in zip(points, points[1:] + points[:1], strict=True):
        image[a] = b
    return image


FACTS = {
    "S100": ([cycle(100, *range(100)), cycle(100, 0, 1)], sa.groups.Symmetric, math.factorial(100)),
    "A9": ([cycle(9, *range(9)), cycle(9, 0, 1, 2)], sa.groups.Symmetric, math.factorial(9) // 2),
    "A5": ([cycle(5, *range(5)), cycle(5, 0, 1, 2)], sa.groups.Symmetric, 60),
    "S3 x S4": (
        [cycle(7, 0, 1), cycle(7, 0, 1, 2), cycle(7, 3, 4), cycle(7, 3, 4, 5, 6)],
        DisjointParts,
        144,
    ),
    "S3 wr S4": (
        [
            cycle(12, 0, 1),
            cycle(12, 0, 1, 2),
            np.roll(range(12), 3),
            [3, 4, 5, 0, 1, 2, *range(6, 12)],
        ],
        WreathPart,
        6**4 * 24,
    ),
    "C3 wr S4": (
        [cycle(12, 0, 1, 2), np.roll(range(12), 3), [3, 4, 5, 0, 1, 2, *range(6, 12)]],
        ChainPart,
        3**4 * 24,
    ),
    "D6 on carbons and hydrogens": (
        [[1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11, 6], [0, 5, 4, 3, 2, 1, 6, 11, 10, 9, 8, 7]],
        ChainPart,
        12,
    ),
    "S4 on points and pairs": (
        [
            [1, 0, 2, 3, *(p + 4 for p in (0, 3, 4, 1, 2, 5))],
            [1, 2, 3, 0, *(p + 4 for p in (3, 4, 0, 5, 1, 2))],
        ],
        ChainPart,
        24,
    ),
    "D500": ([np.roll(range(500), 1), [-i % 500 for i in range(500)]], ChainPart, 1000),
}


@pytest.mark.parametrize("name", FACTS)
def test_parts_are_found_and_digits_go_both_ways(name: str) -> None:
    generators, kind, order = FACTS[name]
    part = find_parts(np.array(generators))
    assert isinstance(part, kind)
    assert math.prod(part.radices) == order
    rng = np.random.default_rng(0)
    digits = np.array([rng.integers(0, radix, 30) for radix in part.radices])
    rows = part._from_digits(digits)
    assert np.array_equal(part._to_digits(rows), digits)
    products = compose_permutations(rows, rows[::-1].copy())
    assert np.array_equal(part._from_digits(part._to_digits(products)), products)


@pytest.mark.parametrize("seed", range(5))
def test_diagonal_actions_have_the_order_of_sympy(seed: int) -> None:
    """Copies of an orbit, relabelled, and its pairs."""
    pytest.importorskip("sympy")
    from sympy.combinatorics import Permutation, PermutationGroup

    rng = np.random.default_rng(seed)
    small = random_generators(seed)
    n = small.shape[1]
    mix = rng.permutation(n)
    copy = np.empty_like(small)
    copy[:, mix] = mix[small]
    pairs = (n * small[:, :, None] + small[:, None]).reshape(len(small), -1)
    generators = np.concatenate([pairs, n * n + copy, n * n + n + small], axis=1)
    part = find_parts(generators)
    theirs = PermutationGroup([Permutation(row.tolist()) for row in small])
    assert math.prod(part.radices) == theirs.order()
    rows = some_elements(part, 20)
    assert np.array_equal(part._from_digits(part._to_digits(rows)), rows)
    assert all(theirs.contains(Permutation(row.tolist())) for row in rows[:, -n:] - n * n - n)


def test_classes_are_moved_by_the_elements_of_their_image_only() -> None:
    """S2 wr C5: pairs may be turned in a circle, but two of them are not exchanged."""
    part = find_parts(np.array([cycle(10, 0, 1), np.roll(range(10), 2)]))
    assert isinstance(part, WreathPart)
    assert math.prod(part.radices) == 2**5 * 5
    rows = np.array([np.roll(range(10), 4), [2, 3, 0, 1, *range(4, 10)]])
    assert are_elements(part, rows) == [True, False]


def test_the_chain_depends_on_the_group_alone() -> None:
    turn, flip = cycle(9, *range(9)), [-i % 9 for i in range(9)]
    one = stabiliser_chain(np.array([turn, flip]))
    other = stabiliser_chain(np.array([flip, np.array(flip)[turn], turn, turn]))
    for a, b in zip(one, other, strict=True):
        assert a.point == b.point
        assert np.array_equal(a.transversal, b.transversal)


def test_schreier_generators_complete_what_random_elements_miss(monkeypatch: Any) -> None:
    """With no random elements at all the chain is still the whole one."""
    monkeypatch.setattr(chain, "_QUIET", 0)
    m11 = np.array([cycle(11, *range(11)), cycle(11, 2, 6, 10, 7)])
    m11[1, [3, 9, 4, 5]] = [9, 4, 5, 3]
    s5 = np.array([cycle(5, 0, 1), cycle(5, *range(5))])  # both move the first point
    for generators, order in ((m11, 7920), (s5, 120)):
        found = stabiliser_chain(generators)
        assert math.prod(len(level.transversal) for level in found) == order


def test_a_chain_that_is_too_large_is_refused_before_it_is_built(monkeypatch: Any) -> None:
    generators = np.array(FACTS["D500"][0])
    monkeypatch.setitem(LIMITS, "chain", LIMITS["chain"]._replace(most=1000))
    with pytest.raises(GroupTooLargeError, match="entries"):
        stabiliser_chain(generators)
    monkeypatch.undo()
    monkeypatch.setitem(LIMITS, "chain proof", LIMITS["chain proof"]._replace(most=1000))
    with pytest.raises(GroupTooLargeError, match="proof"):
        stabiliser_chain(generators)


def test_cycle_lengths_and_parities() -> None:
    rows = np.array([cycle(7, 0, 3, 5), cycle(7, 1, 2), list(range(7))])
    assert cycle_lengths(rows).tolist() == [[3, 1, 1, 3, 1, 3, 1], [1, 2, 2, 1, 1, 1, 1], [1] * 7]
    assert are_even(rows).tolist() == [True, False, True]


FAMILIES = {
    "S10": nx.complete_graph(10),
    "S20": nx.star_graph(20),
    "S3xS5": nx.complete_bipartite_graph(3, 5),
    "B5": nx.complete_multipartite_graph(2, 2, 2, 2, 2),
    "B3": nx.complete_multipartite_graph(2, 2, 2),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_recognised_in_automorphism_groups_by_an_isomorphism(name: str) -> None:
    part = find_parts(graph_automorphisms(FAMILIES[name]).group.generators())
    found = recognise(part)
    assert found is not None
    assert found.group.name == name
    assert found.group.order == math.prod(part.radices)
    a, b = some_elements(part, seed=1), some_elements(part, seed=2)
    images = found.rows(a), found.rows(b)
    assert found.group.contains(images[0]).all()
    assert len(np.unique(images[0], axis=0)) == len(np.unique(a, axis=0))
    assert np.array_equal(found.rows(compose_permutations(a, b)), found.group.compose(*images))
    assert np.array_equal(found.back(images[0]), a)


def test_a_product_of_symmetric_groups_is_recognised_by_generators_that_move_all_of_it() -> None:
    group = sa.permutation_group([[1, 0, 3, 4, 2, 5], [0, 1, 3, 2, 4, 5]])
    known = group.known_as()
    assert known.group.name == "S2xS3"
    everything = known.group.all_elements()
    assert np.array_equal(known.rows(known.back(everything)), everything)
    assert group.contains(known.back(everything)).all()


def test_what_is_no_family_is_not_taken_for_one() -> None:
    graphs = nx.petersen_graph(), nx.cycle_graph(16), nx.frucht_graph(), nx.hypercube_graph(3)
    for graph in graphs:
        assert recognise(find_parts(graph_automorphisms(graph).group.generators())) is None


@pytest.mark.parametrize("name", ["S3xS5", "B5", "B3"])
def test_a_recognised_group_has_the_deviation_of_its_family(name: str) -> None:
    group = graph_automorphisms(FAMILIES[name]).group
    S = sa.Oracle(group, seed=0).draw(12)
    known = group.known_as()
    assert known.group is not group
    found = sa.deviation(S)
    assert found.value == sa.deviation(sa.GroupSample(sa.group(name), known.rows(S.elements))).value
    assert found.sha256 == S.sha256
    assert abs(found.value - regular_norm(S).upper) < 1e-9


def functions_of_tuples(images: np.ndarray, degree: int) -> np.ndarray:
    """The character of the functions of `degree` points at a time: the number of fixed tuples."""
    return (images == np.arange(images.shape[1])).sum(1) ** degree


POINTS = {
    "S5": nx.complete_graph(5),
    "S3xS4": nx.complete_bipartite_graph(3, 4),
    "B4": nx.complete_multipartite_graph(2, 2, 2, 2),
}


@pytest.mark.parametrize("name", POINTS)
def test_the_sum_of_dimensions_to_a_degree_is_that_of_the_irreps_in_functions_of_points(
    name: str,
) -> None:
    """Brute force: the irreps of the family whose characters meet that of the functions of k points."""
    group = graph_automorphisms(POINTS[name]).group
    known = group.known_as()
    assert known.group is not group
    assert known.group.name == name
    images = group.all_elements()
    rows = known.rows(images)
    for degree in (1, 2):
        meets = functions_of_tuples(images, degree)
        wanted = 0
        for irrep in list(known.group.irreps())[1:]:
            trace = np.trace(irrep.matrices(rows), axis1=-2, axis2=-1)
            if round(float((trace.real * meets).mean())):
                wanted += irrep.dimension
        found = degree_dimension_sum(group, degree)
        assert found.value == wanted
        assert found.exact
