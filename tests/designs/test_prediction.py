"""The search that minimises what a spectrum predicts, and what `design(m=)` makes of it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.designs.prediction import SpectrumKernel, search_cosets, search_rows
from sparseaug.designs.rotation_search import search_rotations
from sparseaug.designs.selection import kernel_of, select
from sparseaug.errors import ArgumentError
from sparseaug.search.objectives import Columns
from sparseaug.search.search import Places, search
from sparseaug.spectrum.spectrum import Spectrum, prior

GROUPS = (
    *("C30", "C6xC8", "Z2^5", "S4", "A5", "D9", "B3", "SO2", "SO3", "O3", "O2", "Z2^40", "S13"),
    *("S20", "S4xC6", "S8xS7", "A10"),
)


def spectrum_of(name: str, exponent: float) -> Spectrum:
    """Characters of an abelian group, the variance falling with the frequency."""
    group = sa.group(name)
    blocks = group.degrees("frequency", whole=True)
    variances = np.array(blocks.degrees, float) ** -exponent
    none = np.zeros((0, len(variances)))
    return Spectrum(group, "frequency", True, variances / variances.sum(), none, 0, 1)


@pytest.mark.parametrize("name", GROUPS)
def test_a_kernel_is_what_the_spectrum_predicts(name: str) -> None:
    spectrum = prior(sa.group(name))
    S = sa.Oracle(spectrum.group, seed=1).draw(6)
    kernel = SpectrumKernel(spectrum.group, spectrum.blocks, spectrum.variances)
    rel = 2e-3 if not spectrum.group.is_finite else 1e-9  # angles are put into cells
    if name in ("S13", "S20"):  # above degree 3 a prediction knows the mean of all irreps exactly
        rel = 0.05
    assert kernel.potentials(S.elements, S.elements).sum() / S.m**2 == pytest.approx(
        spectrum.predict(S).value, rel=rel
    )


@pytest.mark.parametrize("by", ["frequency", "degree"])
def test_a_kernel_of_bands_shares_them_between_their_characters(by: str) -> None:
    group = sa.abelian(6, 8)
    blocks = group.degrees(by)
    none = np.zeros((0, len(blocks.degrees)))
    spectrum = Spectrum(group, by, False, blocks.prior(), none, 0, 1)
    S = sa.Oracle(group, seed=1).draw(6)
    kernel = SpectrumKernel(group, blocks, spectrum.variances)
    assert kernel.potentials(S.elements, S.elements).sum() / S.m**2 == pytest.approx(
        spectrum.predict(S).value, rel=1e-9
    )


@pytest.mark.parametrize("count", [2, 3, 5])
def test_cosets_are_chosen_for_what_they_leave_together(count: int) -> None:
    group = sa.symmetric(6)
    spectrum = prior(group)
    H = sa.design(group, degree=1)
    found = search_cosets(kernel_of(spectrum), H.elements, 6 * count)
    left = spectrum.predict(sa.GroupSample(group, found)).value
    others = []
    for seed in range(20):
        heads = sa.Oracle(group, seed=seed).draw(count).elements
        rows = group.compose(heads[:, None], H.elements[None]).reshape(-1, 6)
        others.append(spectrum.predict(sa.GroupSample(group, rows)).value)
    assert left < min(others) * (1 + 1e-9)
    assert left < 0.95 * np.mean(others)


def test_rotations_descend_to_what_is_as_good_as_a_solid() -> None:
    """Of 24 and 60 elements the cube and the icosahedron are known, and the search is not told."""
    spectrum = prior(sa.rotations(3))
    for m, degree in ((24, 3), (60, 5)):
        solid = spectrum.predict(sa.design(spectrum.group, degree=degree)).value
        found = search_rotations(spectrum.blocks, spectrum.variances, m)  # type: ignore[arg-type]
        alone = sa.GroupSample(spectrum.group, next(found))
        assert spectrum.predict(alone).value < 1.05 * solid


@pytest.mark.parametrize("m", [8, 12, 16, 32])
def test_even_shifts_are_found_without_being_known(m: int) -> None:
    spectrum = spectrum_of("C427", 3.0)
    even = np.round(np.arange(m) * 427 / m).astype(np.int64)[:, None]
    known = spectrum.predict(sa.GroupSample(spectrum.group, even)).value
    alone = search_rows(kernel_of(spectrum), m)
    assert spectrum.predict(sa.GroupSample(spectrum.group, alone)).value <= 1.005 * known
    chosen = sa.design(spectrum.group, m=m, spectrum=spectrum)  # which starts from them too
    assert spectrum.predict(chosen).value <= known * (1 + 1e-12)


def test_a_stride_is_seen() -> None:
    """28 x 28 shifts, half of the variance at frequencies that a lattice of 49 is blind to."""
    group = sa.abelian(28, 28)
    a = np.indices((28, 28))
    length = (np.minimum(a, 28 - a) ** 2).sum(axis=0).astype(float)
    length[0, 0] = np.inf
    strided = ((a % 7 == 0).all(axis=0)).astype(float)
    strided[0, 0] = 0
    smooth = length**-1.5
    variances = (smooth / smooth.sum() + strided / strided.sum()).ravel()[1:] / 2
    none = np.zeros((0, len(variances)))
    spectrum = Spectrum(group, "frequency", True, variances, none, 0, 1)
    found = spectrum.predict(sa.design(group, m=49, spectrum=spectrum))
    assert found.relative**0.5 < 0.039  # of the lattice 0.708, of draws 0.143
    lattice = spectrum.predict(sa.design(group, m=49, name="lattice"))
    assert lattice.relative**0.5 == pytest.approx(0.708, abs=0.002)


@pytest.mark.parametrize(("name", "m"), [("D4", 3), ("D4", 4), ("S4", 3), ("C12", 4), ("B2", 4)])
def test_small_sets_are_the_best_of_all_there_are(name: str, m: int) -> None:
    spectrum = prior(sa.group(name))
    group = spectrum.group
    sets = itertools.combinations(range(group.order), m)
    least = min(
        spectrum.predict(sa.GroupSample(group, group.unrank(np.array(chosen)))).value
        for chosen in sets
    )
    assert select(spectrum, m).prediction.value <= least + 1e-12


@pytest.mark.parametrize("name", GROUPS)
def test_a_design_leaves_less_than_draws_and_is_the_same_again(name: str) -> None:
    group = sa.group(name)
    S = sa.design(group, m=10)
    assert S.m <= 10
    assert S.calls == 0
    spectrum = prior(group)
    assert spectrum.predict(S).value < 0.8 * spectrum.predict(10).value
    assert sa.design(group, m=10) == S


@pytest.mark.parametrize("name", ["C30", "S4", "Z2^40"])
def test_every_prefix_of_a_nested_set_is_the_choice_of_fewer(name: str) -> None:
    group = sa.group(name)
    rows = sa.design(group, m=9, name="nested").elements
    for k in (1, 4, 7):
        assert np.array_equal(sa.design(group, m=k, name="nested").elements, rows[:k])
    spectrum = prior(group)
    for k in (4, 9):
        prefix = sa.GroupSample(group, rows[:k])
        assert spectrum.predict(prefix).value < 0.9 * spectrum.predict(k).value


@pytest.mark.parametrize("name", ["search", "nested"])
def test_more_than_a_search_can_choose_is_refused_in_small_groups_too(name: str) -> None:
    with pytest.raises(ArgumentError, match=r"m=10{30} is not allowed"):
        sa.design("S4", m=10**30, name=name)


def test_a_nested_set_does_not_depend_on_how_many_are_asked_for(monkeypatch) -> None:
    monkeypatch.setattr("sparseaug.designs.prediction.POOL", 8)
    group = sa.sign_flips(40)
    rows = sa.design(group, m=30, name="nested").elements
    assert np.array_equal(sa.design(group, m=12, name="nested").elements, rows[:12])


@pytest.mark.parametrize("name", ["O2", "O3", "SO2", "SO3", "D4", "S4"])
@pytest.mark.parametrize("m", [1, 2, 7])
def test_there_are_never_more_elements_than_asked_for(name: str, m: int) -> None:
    for options in ({}, {"name": "search"}, {"identity": True}):
        assert 1 <= sa.design(name, m=m, **options).m <= m  # type: ignore[arg-type]


def test_a_small_group_is_used_whole_whatever_m_is() -> None:
    assert sa.design("C12", m=20_000).m == 12


def test_a_budget_is_used_by_translates_of_what_is_exact() -> None:
    group = sa.symmetric(5)
    S = sa.design(group, m=40)
    assert S.m == 40  # two cosets of AGL(1,5), of 20 elements
    assert sa.profile(S).exact_to == 2
    spectrum = prior(group)
    one = spectrum.predict(sa.design(group, degree=2)).value
    assert spectrum.predict(S).value < 0.51 * one


def test_the_worst_case_is_another_question() -> None:
    group = sa.cyclic(91)
    by_model = sa.design(group, m=10)
    worst = sa.design(group, m=10, objective="deviation")
    assert sa.deviation(worst).value < 0.31 < 0.9 < sa.deviation(by_model).value
    spectrum = prior(group)
    assert 20 * spectrum.predict(by_model).value < spectrum.predict(worst).value


@pytest.mark.parametrize("name", ["C30", "S4", "SO3", "D9"])
def test_the_identity_comes_first_where_it_is_asked_for(name: str) -> None:
    group = sa.group(name)
    S = sa.design(group, m=6, identity=True)
    assert np.array_equal(S.elements[:1], group.identity())
    spectrum = prior(group)
    rel = 1e-9 if group.is_finite else 1e-6
    left = spectrum.predict(sa.design(group, m=6)).value
    assert spectrum.predict(S).value == pytest.approx(left, rel=rel)


@pytest.mark.parametrize("options", [{"m": 4, "degree": 1}, {"m": 5, "name": "cyclic shifts"}, {}])
def test_a_spectrum_is_the_only_judge(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="spectrum"):
        sa.design("S4", spectrum=prior(sa.symmetric(4)), **options)
    with pytest.raises(ArgumentError, match=r"of S4, not of S5"):
        sa.design("S5", m=4, spectrum=prior(sa.symmetric(4)))


def test_a_measured_gram_matrix_is_searched_as_any_kernel() -> None:
    """No exchange of one element lowers the mean over S x S, and few of all sets are lower."""
    features = np.random.default_rng(0).normal(size=(12, 5))
    gram = features @ features.T
    found = search(Columns(gram.__getitem__, len(gram)), Places(len(gram)), 3).tolist()
    sums = {
        s: gram[np.ix_(s, s)].sum()
        for s in itertools.combinations_with_replacement(range(len(gram)), 3)
    }
    left = sums[tuple(sorted(found))]
    for place, other in itertools.product(range(3), range(len(gram))):
        rest = [*found[:place], *found[place + 1 :], other]
        assert sums[tuple(sorted(rest))] >= left - 1e-9
    assert np.mean([one < left for one in sums.values()]) < 0.02
