"""Characters of B_n: B_3 is S_4 x C_2, and all of B_4 by orthogonality."""

from __future__ import annotations

from collections import Counter

import numpy as np

import sparseaug as sa


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
