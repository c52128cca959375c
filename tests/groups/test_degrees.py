"""One idea of degree: a group that says which degree its irreps have has all that goes by degree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.groups import Group, Irrep, Rows
from sparseaug.spectrum.measure import drawn as drawn_measurement
from sparseaug.spectrum.measure import measure

P = 3


@dataclass(frozen=True)
class Heisenberg(Group):
    """Upper triangular 3 x 3 matrices mod p, ones on the diagonal: rows (a, b, c), c in the corner."""

    p: int = P

    irreps_have_degrees = True
    degree_meaning = "shifts, then their commutator"

    @property
    def name(self) -> str:
        return f"Heisenberg{self.p}"

    @property
    def radices(self) -> tuple[int, ...]:
        return (self.p,) * 3

    @property
    def highest_degree(self) -> int:
        return 2

    def _compose(self, a: Rows, b: Rows) -> Rows:
        total = a + b
        total[..., 2] += a[..., 0] * b[..., 1]
        return total % self.p

    def _inverse(self, a: Rows) -> Rows:
        back = -a
        back[..., 2] += a[..., 0] * a[..., 1]
        return back % self.p

    def irreps(self) -> Iterator[Irrep]:
        """p^2 characters, of degree 1 but the trivial one; p - 1 of dimension p, of degree 2."""
        root = np.exp(2j * np.pi / self.p)
        for k, n in np.ndindex(self.p, self.p):
            name = f"chi({k},{n})"
            yield Irrep(
                name,
                1,
                lambda g, k=k, n=n: root ** (k * g[:, 0] + n * g[:, 1])[:, None, None],
                1e-14,
                0 if k == n == 0 else 1,
            )
        for c in range(1, self.p):
            yield Irrep(f"centre({c})", self.p, lambda g, c=c: self._schroedinger(g, c), 1e-13, 2)

    def _schroedinger(self, g: Rows, c: int) -> np.ndarray:
        """(pi(a, b, z) f)(x) = root^(c (z + x b)) f(x + a)."""
        x = np.arange(self.p)
        found = np.zeros((len(g), self.p, self.p), np.complex128)
        phase = np.exp(2j * np.pi * c * (g[:, 2:] + x * g[:, 1:2]) / self.p)
        found[np.arange(len(g))[:, None], x, (x + g[:, :1]) % self.p] = phase
        return found


G = Heisenberg()


def test_a_group_that_says_its_degrees_is_a_group_with_these_irreps():
    sa.testing.check_group(G)
    rows = G.all_elements()
    for irrep in G.irreps():
        left, right = rows[:, None], rows[None]
        products = G.compose(left, right).reshape(-1, 3)
        matrices = irrep.matrices(rows)
        both = np.einsum("gab,hbc->ghac", matrices, matrices).reshape(-1, *matrices.shape[1:])
        assert irrep.matrices(products) == pytest.approx(both, abs=1e-12)
    assert G.dimensions_by_degree(2) == ([1, P * P - 1, P * (P - 1)], True)


def dense_norm(S: sa.GroupSample, irreps: list[Irrep]) -> float:
    return max(np.linalg.norm(irrep.matrices(S.elements).mean(axis=0), 2) for irrep in irreps)


def test_deviation_and_profile_go_by_its_degrees():
    S = sa.Oracle(G, seed=0).draw(7)
    irreps = list(G.irreps())
    first = dense_norm(S, [irrep for irrep in irreps if irrep.degree == 1])
    second = dense_norm(S, [irrep for irrep in irreps if irrep.degree == 2])
    assert sa.deviation(S, degree=1).value == pytest.approx(first, abs=1e-12)
    assert sa.deviation(S, degree=2).value == pytest.approx(max(first, second), abs=1e-12)
    found = sa.profile(S)
    assert dict(found.norms) == pytest.approx({1: first, 2: second}, abs=1e-12)
    assert found.meaning == "shifts, then their commutator"


def test_plans_draws_and_designs_go_by_its_degrees():
    rows = {row.method: row for row in sa.plan(G, deviation=0.25, degree=1).rows}
    whole = {row.method: row for row in sa.plan(G, deviation=0.25).rows}
    assert rows["one-shot sharp"].m < whole["one-shot sharp"].m
    drawn = sa.draw_until(sa.Oracle(G, seed=1), target=0.4, degree=1)
    assert sa.deviation(drawn.sample, degree=1).value <= 0.4
    S = sa.design(G, m=P * P, degree=1)  # one of each (a, b) leaves nothing of degree 1
    assert S.m == P * P
    assert sa.deviation(S, degree=1).value < 1e-12
    pool = sa.Oracle(G, seed=2).draw(60)
    thinned = sa.thin(pool, 9, degree=1)
    few = sa.GroupSample(G, pool.elements[:9])
    assert sa.deviation(thinned, degree=1).value < sa.deviation(few, degree=1).value


def test_spectra_go_by_its_degrees_and_predict():
    weights = np.random.default_rng(0).normal(size=(P, P))
    values = np.array([weights[a, b] for a, b, _ in G.all_elements()])[:, None]
    exact = measure(G).spectrum([values])
    assert dict(exact.shares) == pytest.approx({1: 1.0, 2: 0.0}, abs=1e-12)
    drawn = drawn_measurement(G, sa.Oracle(G, seed=3), 400, None)
    at = {tuple(row): value for row, value in zip(G.all_elements().tolist(), values, strict=True)}
    estimate = drawn.spectrum([np.array([at[tuple(row)] for row in drawn.rows.tolist()])])
    assert estimate.shares[1] == pytest.approx(1.0, abs=0.02)
    S = sa.design(G, m=P * P, degree=1)
    assert exact.predict(S).value == pytest.approx(0.0, abs=1e-20)
    assert sa.choose(exact, error=1e-6).sample.m <= G.order


@pytest.mark.parametrize("name", ["S5", "A5", "B3", "Z2^4", "C12", "C4xC6", "D8", "S3xZ2^2", "M11"])
def test_the_characters_of_blocks_are_orthogonal_and_sum_up_to_the_order(name):
    """sum over blocks of weight phi is |G| at the identity less 1, and phi has mean 0 over the group."""
    group = sa.group(name)
    blocks = group.degrees()
    table, index = blocks.characters(group.all_elements())
    phi = table[index]
    assert phi[0] == pytest.approx(np.ones(len(blocks.degrees)))
    assert phi.mean(axis=0) == pytest.approx(np.zeros(len(blocks.degrees)), abs=1e-9)
    gram = phi.T @ phi / group.order
    weights = 1 / np.diag(gram)  # sum of d_pi^2 in each block
    assert gram == pytest.approx(np.diag(np.diag(gram)), abs=1e-9)
    assert weights.sum() == pytest.approx(group.order - 1)


@pytest.mark.parametrize("name", ["C4xC6", "Z2^4", "S5", "B3", "D7", "D8", "D3xC2", "S3xZ2^2xD4"])
def test_the_irreps_up_to_a_degree_are_those_of_all_irreps(name):
    group = sa.group(name)
    every = list(group.irreps())
    if group.factors:  # where all are listed without the degree of a tensor product
        every = list(group.irreps_to(group.highest_degree))
        assert len(every) == len(list(group.irreps()))
    for degree in range(group.highest_degree + 1):
        found = list(group.irreps_to(degree))
        assert found[0].name == every[0].name
        kept = [one.name for one in every if one.degree <= degree]
        assert sorted(one.name for one in found) == sorted(kept)


@pytest.mark.parametrize("name", ["Z2^60", "C1000xC1000", "S200", "B60", "D1000000000"])
def test_irreps_of_low_degree_are_listed_without_the_others(name):
    group = sa.group(name)
    assert all(one.degree <= 1 for one in islice(group.irreps_to(1), 100))
