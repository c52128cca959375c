"""Characters of abelian groups against dense norms and 50-digit arithmetic."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import fft

import sparseaug as sa
from sparseaug.errors import ArgumentError, SparseAugError, UnsupportedError
from sparseaug.groups.abelian import Abelian
from sparseaug.spectral import characters
from sparseaug.spectral.character_blocks import (
    Block,
    count_blocks,
    product_blocks,
    product_error,
    split,
)
from sparseaug.spectral.character_fft import fft_blocks
from sparseaug.spectral.characters import Measured, characters_norm
from sparseaug.spectral.roots import (
    MEAN_ERROR,
    ROOT_ERROR,
    character_mean,
    phases,
    power_down,
    power_up,
    roots,
)

GROUPS = [sa.cyclic(n) for n in range(1, 25)] + [
    sa.abelian(*moduli)
    for moduli in (
        (2, 3),
        (4, 6),
        (1, 5, 1),
        (3, 3, 3),
        (2, 2, 5),
        (8, 4, 2),
        (7, 11),
        (2, 1, 2, 2),
    )
]


def draw(group: sa.Group, m: int, seed: int = 0) -> sa.GroupSample:
    return sa.Oracle(group, seed=seed).draw(m)


def dense_norm(S: sa.GroupSample, power: int = 1) -> float:
    """The norm of D_S^power in the regular representation."""
    n = S.group.order
    everything = S.group.unrank(np.arange(n))
    matrix = np.full((n, n), -1.0 / n)
    for g in S.elements:
        moved = S.group.rank(S.group.compose(g[None], everything))
        matrix[moved, np.arange(n)] += 1.0 / S.m
    return float(np.linalg.norm(np.linalg.matrix_power(matrix, power), 2))


def true_norm(S: sa.GroupSample, power: int = 1) -> Any:
    """The largest character in 50 digits, by the definition."""
    group = S.group
    assert isinstance(group, Abelian)
    common = math.lcm(*group.moduli)
    weights = [common // n for n in group.moduli]
    with mpmath.workdps(50):
        table = [mpmath.expjpi(mpmath.mpf(2 * p) / common) for p in range(common)]
        best = mpmath.mpf(0)
        for a in group.unrank(np.arange(1, group.order)).tolist():
            total = mpmath.mpc(0)
            for g in S.elements.tolist():
                p = sum(x * y * w for x, y, w in zip(a, g, weights, strict=True))
                total += table[p % common]
            best = max(best, abs(total) / S.m)
        best **= power
    with mpmath.workdps(40):
        return +best  # so that what is 1 is 1


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: str(group.moduli))
@pytest.mark.parametrize("m", [1, 2, 3, 9])
def test_norm_equals_dense_norm_of_the_regular_representation(group: sa.Group, m: int) -> None:
    for seed, power in ((0, 1), (1, 1), (2, 3)):
        S = draw(group, m, seed)
        norm = characters_norm(S, power=power)
        dense = dense_norm(S, power)
        assert norm.upper == pytest.approx(dense, abs=1e-10)
        assert norm.lower == pytest.approx(dense, abs=1e-10)
        assert norm.failure_probability == 0.0


def test_bounds_enclose_50_digits_on_random_groups() -> None:
    rng = np.random.default_rng(0)
    for case in range(500):
        moduli = rng.integers(1, 13, rng.integers(1, 4)).tolist()
        if math.prod(moduli) > 300:
            continue
        S = draw(sa.abelian(*moduli), int(rng.integers(1, 8)), case)
        power = int(rng.integers(1, 4))
        norm, truth = characters_norm(S, power=power), true_norm(S, power)
        assert norm.lower <= truth <= norm.upper
        assert norm.upper - norm.lower < 2e-14


def test_the_named_character_attains_the_norm() -> None:
    for seed in range(20):
        S = draw(sa.abelian(6, 1, 10), 5, seed)
        norm = characters_norm(S)
        named = {irrep.name: irrep for irrep in S.group.irreps()}[norm.block]
        assert abs(named.matrices(S.elements).mean()) == pytest.approx(norm.lower, abs=1e-12)


@pytest.mark.parametrize("moduli", [(2,), (3,), (30,), (4, 6), (300,), (17, 19)])
def test_the_whole_group_has_norm_zero_up_to_rounding(moduli: tuple[int, ...]) -> None:
    group = sa.abelian(*moduli)
    S = sa.GroupSample(group, group.unrank(np.arange(group.order)))
    norm = characters_norm(S)
    assert norm.lower == 0.0
    assert norm.upper < 1e-12


def test_a_coset_of_a_proper_subgroup_has_norm_exactly_one() -> None:
    rows = [[1 + 5 * i] for i in range(7)]
    norm = characters_norm(sa.GroupSample(sa.cyclic(10**6), rows), power=5)
    assert (norm.lower, norm.upper) == (1.0, 1.0)
    norm = characters_norm(sa.GroupSample(sa.cyclic(2**61 - 1), [[3], [3], [3]]))
    assert (norm.lower, norm.upper, norm.block) == (1.0, 1.0, "chi(1,)")


def test_duplicates_count() -> None:
    S = sa.GroupSample(sa.cyclic(7), [[0], [0], [0], [1]])
    norm = characters_norm(S)
    assert norm.lower <= true_norm(S) <= norm.upper
    assert norm.block == "chi(1,)"


@pytest.mark.parametrize("n", [10007, 1000003])
def test_large_primes_agree_with_a_plain_fft(n: int) -> None:
    S = draw(sa.cyclic(n), 64)
    norm = characters_norm(S)
    counts = np.bincount(S.elements[:, 0], minlength=n).astype(float)
    plain = np.abs(fft.fft(counts))[1:].max() / S.m
    assert norm.lower == pytest.approx(plain, abs=1e-10)
    assert norm.upper - norm.lower < 1e-14


def test_every_way_gives_the_same_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [draw(sa.cyclic(5003), 40), draw(sa.abelian(60, 50), 40, 1), draw(sa.cyclic(4096), 9)]
    double = [characters_norm(S) for S in samples]
    monkeypatch.setattr(characters, "SINGLE", 0)
    single = [characters_norm(S) for S in samples]
    monkeypatch.setattr(characters, "SMALL", 0)
    monkeypatch.setattr(characters, "DENSE", 0)
    by_fft = [characters_norm(S) for S in samples]
    assert double == single == by_fft


def test_ties_beyond_number_are_settled_in_double_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # All but the identity: every character is -1 / (n - 1), far more of them than are kept.
    n = 2003
    monkeypatch.setattr(characters, "SINGLE", 0)
    norm = characters_norm(sa.GroupSample(sa.cyclic(n), np.arange(1, n)[:, None]))
    assert norm.lower <= 1 / (n - 1) <= norm.upper
    assert norm.upper - norm.lower < 2e-12
    assert norm.block == "chi(1,)"


@pytest.mark.parametrize(
    "moduli", [(3,), (97,), (1000,), (5003,), (12, 35), (2, 2, 3), (300, 7, 3)]
)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_blocks_hold_every_frequency_up_to_sign_within_their_error(
    moduli: tuple[int, ...], dtype: Any
) -> None:
    S = draw(sa.abelian(*moduli), 20)
    rows, counts = S.counts()
    common = math.lcm(*moduli)
    ways: list[Any] = [list(product_blocks(rows, counts, moduli, m=S.m, dtype=dtype))]
    assert len(ways[0]) == count_blocks(moduli)
    if dtype == np.complex128:
        ways.append(list(fft_blocks(rows, counts, moduli, m=S.m)))
    for blocks in ways:
        seen = set()
        for number, block in enumerate(blocks):
            frequencies = block.frequencies(np.arange(block.values.size))
            assert (number == 0) == (not frequencies[0].any())
            assert frequencies[1:].any(axis=1).all()
            numerators = phases(frequencies, rows, moduli)
            means = [character_mean(p, counts, common, m=S.m) for p in numerators]
            off = np.minimum(abs(block.values - means), abs(block.values.conj() - means))
            assert off.max() <= block.error + MEAN_ERROR
            seen |= {tuple(a) for a in frequencies.tolist()}
            seen |= {tuple(a) for a in (-frequencies % np.array(moduli)).tolist()}
        assert len(seen) == math.prod(moduli)


def test_frequencies_there_was_no_room_for_still_count() -> None:
    # The pass sees 0.5 everywhere, give or take 0.001; one frequency, the last, is 0.5001.
    S = draw(sa.cyclic(10**4), 3)

    def measure(transforms: tuple[Block, ...]) -> Measured:
        (block,) = transforms
        return np.full(block.values.size, 0.5), 1e-3, block.frequencies

    def enclose(frequency: NDArray[np.int64]) -> tuple[float, float]:
        size = 0.5001 if frequency[0] == 5000 else 0.5
        return size, size

    lower, upper, _ = characters.largest([S.counts()], (10**4,), measure, enclose, m=3)
    assert lower == 0.5
    assert 0.5001 <= upper <= 0.502


def test_an_fft_that_is_not_what_the_proof_assumes_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    S = draw(sa.cyclic(1000), 50)
    rows, counts = S.counts()

    def careless(table: NDArray[np.float64], **_: Any) -> NDArray[np.complex128]:
        return np.fft.rfft(table.astype(np.float32)) * (1 + 1e-6)

    monkeypatch.setattr(fft, "rfftn", careless)
    with pytest.raises(SparseAugError, match="FFT"):
        list(fft_blocks(rows, counts, (1000,), m=S.m))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 1009, 10**12 + 39])
def test_roots_of_unity_are_within_their_error(n: int) -> None:
    numerators = np.unique(np.random.default_rng(0).integers(0, n, 500))
    with mpmath.workdps(50):
        for p, root in zip(numerators.tolist(), roots(numerators, n).tolist(), strict=True):
            assert abs(mpmath.expjpi(mpmath.mpf(2 * p) / n) - root) <= ROOT_ERROR


def test_phases_do_not_overflow() -> None:
    n = 2**42 - 11
    a, g = n - 2, n - 5
    assert phases(np.array([[a]]), np.array([[g]]), (n,))[0, 0] == a * g % n


def test_powers_are_rounded_outwards() -> None:
    rng = np.random.default_rng(0)
    with mpmath.workdps(60):
        for x in [0.0, 1.0, 0.5, *rng.random(200).tolist()]:
            for k in (1, 2, 3, 7, 64, 10**4):
                assert power_down(x, k) <= mpmath.mpf(x) ** k <= power_up(x, k)
    assert power_up(0.5, 10**9) > 0.0


def test_the_single_precision_error_is_no_use_for_very_many_elements() -> None:
    assert product_error(64, np.complex64) < 2e-5
    assert product_error(10**6, np.complex64) == math.inf
    assert product_error(10**6, np.complex128) < 1e-9


def test_splits_cover_large_axes_without_a_table() -> None:
    plan = split((10**6, 10**5))
    assert plan.right == (1, 10**5)
    assert math.prod(plan.left) == 10**6 // 2 + 1


def test_progress_reaches_its_total() -> None:
    calls: list[tuple[int, int]] = []
    characters_norm(
        draw(sa.cyclic(10**7), 3), progress=lambda done, total: calls.append((done, total))
    )
    assert calls[-1][0] == calls[-1][1] == len(calls) > 1


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(UnsupportedError, match="degree="):
        characters_norm(draw(sa.cyclic(10**12), 64))
    with pytest.raises(UnsupportedError, match="degree="):
        characters_norm(draw(sa.cyclic(2**60), 2))
    with pytest.raises(UnsupportedError, match="degree="):
        characters_norm(draw(sa.abelian(*[3] * 1000), 2))
    with pytest.raises(ArgumentError, match="S3"):
        characters_norm(draw(sa.symmetric(3), 2))
    with pytest.raises(ArgumentError, match="power"):
        characters_norm(draw(sa.cyclic(3), 2), power=0)
