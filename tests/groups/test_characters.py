"""Characters of A_n and B_n against published tables (Conway et al., ATLAS of Finite Groups, for A_5
and A_6; B_3 is S_4 x C_2)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import sparseaug as sa

PHI, PSI = (1 + 5**0.5) / 2, (1 - 5**0.5) / 2

# Columns: class size and element order; the two classes of 5-cycles may be named either way round.
ATLAS = {
    "A5": (
        [(1, 1), (15, 2), (20, 3), (12, 5), (12, 5)],
        [
            [1, 1, 1, 1, 1],
            [3, -1, 0, PHI, PSI],
            [3, -1, 0, PSI, PHI],
            [4, 0, 1, -1, -1],
            [5, 1, -1, 0, 0],
        ],
    ),
    "A6": (
        [(1, 1), (45, 2), (40, 3), (40, 3), (90, 4), (72, 5), (72, 5)],
        [
            [1, 1, 1, 1, 1, 1, 1],
            [5, 1, 2, -1, -1, 0, 0],
            [5, 1, -1, 2, -1, 0, 0],
            [8, 0, -1, -1, 0, PHI, PSI],
            [8, 0, -1, -1, 0, PSI, PHI],
            [9, 1, 0, 0, 1, -1, -1],
            [10, -2, 1, 1, 0, 0, 0],
        ],
    ),
}


def classes_and_characters(g):
    """One representative, the size and the element order of each class; the characters there."""
    rows = np.concatenate(list(g.elements()))
    conjugated = g.compose(g.compose(rows[:, None], rows[None]), g.inverse(rows)[:, None])
    label = g.rank(conjugated.reshape(-1, g.width)).reshape(g.order, g.order).min(axis=0)
    first, sizes = np.unique(label, return_counts=True)
    representatives = g.unrank(first)
    orders = [order_of(g, row[None]) for row in representatives]
    characters = [np.trace(i.matrices(representatives), axis1=1, axis2=2) for i in g.irreps()]
    return list(zip(sizes.tolist(), orders, strict=True)), np.array(characters)


def order_of(g, row):
    power, order = row, 1
    while not (power == g.identity()).all():
        power, order = g.compose(power, row), order + 1
    return order


def signatures(kinds, characters):
    """For each irrep the multiset of (class size, element order, value)."""
    return Counter(
        tuple(
            sorted(
                (*kind, complex(np.round(value, 6) + 0.0).real)
                for kind, value in zip(kinds, row, strict=True)
            )
        )
        for row in characters
    )


@pytest.mark.parametrize("name", list(ATLAS))
def test_alternating_characters_are_the_published_ones(name):
    kinds, table = ATLAS[name]
    found_kinds, found = classes_and_characters(sa.group(name))
    assert sorted(found_kinds) == sorted(kinds)
    assert np.abs(found.imag).max() < 1e-12  # all characters of A_5 and A_6 are real
    assert signatures(found_kinds, found) == signatures(kinds, np.array(table, complex))


def test_b3_has_the_characters_of_s4_times_c2():
    ours = classes_and_characters(sa.hyperoctahedral(3))
    theirs = classes_and_characters(sa.group("S4xC2"))
    assert signatures(*ours) == signatures(*theirs)


def test_b4_has_twenty_irreps_of_the_published_degrees_with_orthonormal_characters():
    """Orthonormal and as many as classes: that is the whole character table."""
    g = sa.hyperoctahedral(4)
    kinds, characters = classes_and_characters(g)
    degrees = sorted(irrep.dimension for irrep in g.irreps())
    assert degrees == [1] * 4 + [2] * 2 + [3] * 4 + [4] * 4 + [6] * 4 + [8] * 2
    sizes = np.array([size for size, _ in kinds])
    gram = (characters * sizes) @ characters.conj().T / g.order
    assert len(kinds) == 20
    assert np.abs(gram - np.eye(20)).max() < 1e-12
    assert np.abs(characters - np.round(characters.real)).max() < 1e-12  # all are integers
