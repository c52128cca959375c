"""Characters of abelian groups against dense norms and 50-digit arithmetic."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

import sparseaug as sa
from sparseaug._floats import power_up
from sparseaug.groups import Abelian
from sparseaug.groups.fourier import Block
from sparseaug.norms.abelian import characters
from sparseaug.norms.abelian.characters import characters_norm
from sparseaug.norms.abelian.products import (
    count_blocks,
    half_of_means,
    product_blocks,
    product_error,
)
from sparseaug.norms.abelian.roots import ROOT_ERROR, phases, roots


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
        assert norm.upper - norm.lower < 4 * product_error(len(S.counts()[0]))


@pytest.mark.parametrize(
    "moduli", [(3,), (97,), (1000,), (5003,), (12, 35), (2, 2, 3), (300, 7, 3), (1, 6)]
)
def test_blocks_hold_every_frequency_up_to_sign(moduli: tuple[int, ...]) -> None:
    S = draw(sa.abelian(*moduli), 20)
    blocks = list(product_blocks(*S.counts(), moduli, m=S.m))
    assert len(blocks) == count_blocks(moduli)
    seen = set()
    for number, block in enumerate(blocks):
        frequencies = block.label(np.arange(block.values.size))
        assert (number == 0) == (not frequencies[0].any())
        assert frequencies[1:].any(axis=1).all()
        seen |= {tuple(a) for a in frequencies.tolist()}
        seen |= {tuple(a) for a in (-frequencies % np.array(moduli)).tolist()}
    assert len(seen) == math.prod(moduli)
    half, values, _ = half_of_means(*S.counts(), moduli, m=S.m)
    one_of_each = {tuple(a) for a in half.tolist()}
    assert len(one_of_each) == len(half) == len(values)
    assert one_of_each | {tuple(a) for a in (-half % np.array(moduli)).tolist()} == seen


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
def test_the_error_of_a_product_covers_the_distance_to_40_digits(moduli: tuple[int, ...]) -> None:
    S = draw(sa.abelian(*moduli), 30)
    rng = np.random.default_rng(0)
    largest = 0.0
    for block in product_blocks(*S.counts(), moduli, m=S.m):
        index = rng.integers(0, block.values.size, 40)
        truth = true_values(S, block.label(index))
        for value, true in zip(block.values[index].tolist(), truth, strict=True):
            off = min(abs(value - true), abs(value.conjugate() - true))
            assert off <= block.error
            largest = max(largest, float(off))
    assert largest > 1e-3 * product_error(30)


def test_the_error_of_a_product_is_that_of_all_its_roundings() -> None:
    """2 k real terms in each part: sqrt(2) gamma(2 k), and roots and casts beside it."""
    for k in (10, 1000, 10**5):
        unit = 2.0**-53
        sums = math.sqrt(2) * 2 * k * unit
        assert product_error(k) >= sums + 2 * ROOT_ERROR
        assert product_error(k) <= 1.1 * (sums + 3 * ROOT_ERROR)


@pytest.mark.parametrize("n", [2**31 - 1, 2**31 + 11, 2**33 - 9, 2**37 + 9, 2**42 - 11])
def test_products_of_phases_do_not_overflow_at_any_size(n: int) -> None:
    for a, g in ((n - 2, n - 5), (n // 2, n - 1), (n - 1, n - 1)):
        assert phases(np.array([[a]]), np.array([[g]]), (n,))[0, 0] == a * g % n
