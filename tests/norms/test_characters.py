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
from sparseaug._floats import power_up
from sparseaug.errors import SparseAugError
from sparseaug.groups import Abelian
from sparseaug.groups.fourier import Block
from sparseaug.norms.abelian import characters
from sparseaug.norms.abelian.characters import Measured, characters_norm
from sparseaug.norms.abelian.ffts import fft_blocks, fft_error
from sparseaug.norms.abelian.products import count_blocks, product_blocks, product_error
from sparseaug.norms.abelian.roots import MEAN_ERROR, ROOT_ERROR, character_mean, phases, roots
from sparseaug.norms.norm import Norm


def draw(group: sa.groups.Group, m: int, seed: int = 0) -> sa.GroupSample:
    return sa.Oracle(group, seed=seed).draw(m)


def true_norm(S: sa.GroupSample) -> Any:
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
    with mpmath.workdps(40):
        return +best  # so that what is 1 is 1


def test_bounds_enclose_50_digits_on_random_groups() -> None:
    rng = np.random.default_rng(0)
    for case in range(500):
        moduli = rng.integers(1, 13, rng.integers(1, 4)).tolist()
        if math.prod(moduli) > 300:
            continue
        S = draw(sa.abelian(*moduli), int(rng.integers(1, 8)), case)
        norm, truth = characters_norm(S), true_norm(S)
        assert norm.lower <= truth <= norm.upper
        assert norm.upper - norm.lower < 2e-14


def test_a_coset_of_a_proper_subgroup_has_norm_exactly_one() -> None:
    rows = [[1 + 5 * i] for i in range(7)]
    norm = characters_norm(sa.GroupSample(sa.cyclic(10**6), rows))
    assert (norm.lower, norm.upper) == (1.0, 1.0)
    norm = characters_norm(sa.GroupSample(sa.cyclic(2**61 - 1), [[3], [3], [3]]))
    assert (norm.lower, norm.upper, norm.block) == (1.0, 1.0, "chi(1,)")


def test_every_way_gives_the_same_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [draw(sa.cyclic(5003), 40), draw(sa.abelian(60, 50), 40, 1), draw(sa.cyclic(4096), 9)]
    double = [characters_norm(S) for S in samples]
    monkeypatch.setattr(characters, "SMALL", 0)
    monkeypatch.setattr(characters, "DENSE", 0)
    by_fft = [characters_norm(S) for S in samples]
    assert double == by_fft


@pytest.mark.parametrize(
    "moduli", [(3,), (97,), (1000,), (5003,), (12, 35), (2, 2, 3), (300, 7, 3)]
)
def test_blocks_hold_every_frequency_up_to_sign_within_their_error(
    moduli: tuple[int, ...],
) -> None:
    S = draw(sa.abelian(*moduli), 20)
    rows, counts = S.counts()
    common = math.lcm(*moduli)
    ways: list[Any] = [list(product_blocks(rows, counts, moduli, m=S.m))]
    assert len(ways[0]) == count_blocks(moduli)
    ways.append(list(fft_blocks(rows, counts, moduli, m=S.m)))
    for blocks in ways:
        seen = set()
        for number, block in enumerate(blocks):
            frequencies = block.label(np.arange(block.values.size))
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
        return np.full(block.values.size, 0.5), 1e-3, block.label

    def enclose(frequency: NDArray[np.int64]) -> Norm:
        size = 0.5001 if frequency[0] == 5000 else 0.5
        return Norm(size, size)

    found, _ = characters.largest([S.counts()], (10**4,), measure, enclose, m=3)
    assert found.lower == 0.5
    assert 0.5001 <= found.upper <= 0.502


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


def test_powers_are_rounded_up() -> None:
    rng = np.random.default_rng(0)
    with mpmath.workdps(60):
        for x in [0.0, 1.0, 0.5, *rng.random(200).tolist()]:
            for k in (1, 2, 3, 7, 64, 10**4):
                assert mpmath.mpf(x) ** k <= power_up(x, k)
    assert power_up(0.5, 10**9) > 0.0


def off_by(error: float, top: tuple[int, ...]) -> Any:
    """`product_blocks` with values that are off by `error`: those of `top` too small, others too large.

    The block says so: the largest character has to be found all the same.
    """

    def blocks(*args: Any, **options: Any) -> Any:
        for block in product_blocks(*args, **options):
            frequencies = block.label(np.arange(block.values.size))
            sign = np.where((frequencies == np.array(top)).all(axis=1), -1.0, 1.0)
            size = np.abs(block.values)
            scale = np.maximum(size + 0.999 * error * sign, 0.0) / np.maximum(size, 1e-30)
            yield Block(block.label, block.values * scale, error)

    return blocks


@pytest.mark.parametrize("error", [1e-3, 0.05, 0.2])
def test_a_pass_that_is_off_by_all_it_says_does_not_hide_the_largest_character(
    error: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(20):
        S = draw(sa.abelian(8, 9), 7, seed)
        exact = characters_norm(S)
        top = tuple(int(part) for part in exact.block[4:-1].split(","))
        with monkeypatch.context() as patch:
            patch.setattr(characters, "product_blocks", off_by(error, top))
            found = characters_norm(S)
        assert found.upper >= exact.lower
        assert found.lower <= exact.upper


def test_a_search_keeps_whatever_may_win_when_a_better_one_comes() -> None:
    """0.5 and 0.65, each within 0.1: the first may be 0.6, the second 0.55."""
    search = characters._Search(8)

    def frequencies(index: NDArray[np.intp]) -> NDArray[np.int64]:
        return index[:, None] + 1

    search.add(np.array([0.5]), 0.1, frequencies, skip=False)
    search.add(np.array([0.65]), 0.1, lambda index: frequencies(index) + 1, skip=False)
    assert [int(a[0]) for a in search.kept] == [1, 2]
    search.add(np.array([0.9]), 0.1, lambda index: frequencies(index) + 2, skip=False)
    assert [int(a[0]) for a in search.kept] == [3]


def test_only_the_first_frequency_of_the_first_block_is_trivial() -> None:
    def measure(transforms: tuple[Block, ...]) -> Measured:
        (block,) = transforms
        first = block.label(np.array([0]))[0, 0]
        sizes = np.full(block.values.size, 0.25)
        sizes[0] = 1.0 if first == 0 else 0.75  # the trivial one, and one that counts
        return sizes, 0.0, block.label

    def enclose(frequency: NDArray[np.int64]) -> Norm:
        size = 0.25 if frequency[0] < 10**5 else 0.75
        return Norm(size, size)

    n = 2 * 10**7
    S = draw(sa.cyclic(n), 2)
    found, _ = characters.largest([S.counts()], (n,), measure, enclose, m=2)
    assert found.lower == found.upper == 0.75


def true_values(S: sa.GroupSample, frequencies: NDArray[np.int64]) -> list[Any]:
    """Means of characters in 40 digits."""
    group = S.group
    assert isinstance(group, Abelian)
    with mpmath.workdps(40):
        found = []
        for a in frequencies.tolist():
            terms = [
                mpmath.expjpi(
                    2
                    * sum(
                        mpmath.mpf(x * y % n) / n
                        for x, y, n in zip(a, g, group.moduli, strict=True)
                    )
                )
                for g in S.elements.tolist()
            ]
            found.append(sum(terms) / S.m)
        return found


@pytest.mark.parametrize("moduli", [(97,), (1024,), (60, 50), (5003,)])
def test_the_error_of_every_pass_covers_the_distance_to_40_digits(moduli: tuple[int, ...]) -> None:
    S = draw(sa.abelian(*moduli), 30)
    rows, counts = S.counts()
    rng = np.random.default_rng(0)
    passes: dict[str, list[Block]] = {
        "product": list(product_blocks(rows, counts, moduli, m=S.m)),
        "fft": list(fft_blocks(rows, counts, moduli, m=S.m)),
    }
    for name, blocks in passes.items():
        largest = 0.0
        for block in blocks:
            index = rng.integers(0, block.values.size, 40)
            for value, true in zip(
                block.values[index].tolist(),
                true_values(S, block.label(index)),
                strict=True,
            ):
                off = min(abs(value - true), abs(value.conjugate() - true))
                assert off <= block.error
                largest = max(largest, float(off))
        assert largest > (0.2 * 2.0**-53 if name == "fft" else 1e-3 * blocks[0].error)


def test_the_error_of_a_product_is_that_of_all_its_roundings() -> None:
    """2 k real terms in each part: sqrt(2) gamma(2 k), and roots and casts beside it."""
    for k in (10, 1000, 10**5):
        unit = 2.0**-53
        sums = math.sqrt(2) * 2 * k * unit
        assert product_error(k) >= sums + 2 * ROOT_ERROR
        assert product_error(k) <= 1.1 * (sums + 3 * ROOT_ERROR)


def test_means_of_characters_are_within_their_error() -> None:
    rng = np.random.default_rng(1)
    largest = 0.0
    for _ in range(300):
        n = int(rng.integers(3, 2000))
        numerators, counts = rng.integers(0, n, 3), rng.integers(1, 4, 3)
        m = int(counts.sum())
        mean = character_mean(numerators, counts, n, m=m)
        with mpmath.workdps(40):
            true = (
                sum(
                    c * mpmath.expjpi(mpmath.mpf(2 * p) / n)
                    for p, c in zip(numerators.tolist(), counts.tolist(), strict=True)
                )
                / m
            )
            off = float(abs(true - mean))
        assert off <= MEAN_ERROR
        largest = max(largest, off)
    assert largest > 0.02 * MEAN_ERROR


def test_bluesteins_way_is_allowed_more_than_a_radix() -> None:
    """X = b . ifft(fft(b x) fft(b')): three transforms, whose errors are stretched by up to 2 n."""
    for n in (1009, 100003, 10**6 + 3):
        assert (
            fft_error((n,))
            >= 7 * math.sqrt(n) * math.log2(4 * n) * 2 * math.sqrt(2) * 34 * 2.0**-53
        )
    assert fft_error((2**20,)) < 1e-12


@pytest.mark.parametrize("n", [2**31 - 1, 2**31 + 11, 2**33 - 9, 2**37 + 9, 2**42 - 11])
def test_products_of_phases_do_not_overflow_at_any_size(n: int) -> None:
    for a, g in ((n - 2, n - 5), (n // 2, n - 1), (n - 1, n - 1)):
        assert phases(np.array([[a]]), np.array([[g]]), (n,))[0, 0] == a * g % n
