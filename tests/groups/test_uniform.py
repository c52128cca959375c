"""Draws are uniform: every group up to 720 elements, Bonferroni at 1e-6 over all tests; biased
samplers are caught by the very same test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

import sparseaug as sa
from sparseaug.errors import LawError
from sparseaug.groups.permutations import uniform_digits
from sparseaug.testing import check_uniform

SMALL = [
    *(f"C{n}" for n in (2, 3, 4, 5, 6, 7, 11, 16, 30, 97, 360, 719, 720)),
    *(f"Z2^{d}" for d in range(2, 10)),
    *("C3xC3", "C4xC6", "C5xC5", "C26xC27", "C3^5"),
    *(f"D{n}" for n in (1, 2, 3, 4, 5, 6, 7, 12, 100, 360)),
    *(f"S{n}" for n in range(2, 7)),
    *(f"A{n}" for n in range(3, 7)),
    *(f"B{n}" for n in range(1, 5)),
    *("S3xZ2^4", "C4xD3", "S4xS3", "D4xD4", "A4xC5", "S5xC6", "Cube24", "Cube48", "S3xCube24"),
]
FALSE_ALARM = 1e-6 / (2 * (len(SMALL) + 3))  # two statistics for each group


def generated(images):
    return sa.permutation_group(images)


MORE = [
    generated([[1, 2, 3, 4, 0], [0, 2, 4, 1, 3]]),  # affine maps of Z_5, order 20
    generated([[1, 2, 3, 4, 5, 6, 0], [0, 2, 4, 6, 1, 3, 5], [0, 3, 6, 2, 5, 1, 4]]),  # order 42
    generated([[1, 2, 3, 4, 5, 0], [1, 0, 2, 3, 4, 5]]),  # S_6 from its generators
]


@pytest.mark.parametrize("g", [*map(sa.group, SMALL), *MORE], ids=lambda g: g.name)
def test_draws_are_uniform(g):
    assert g.order <= 720
    check_uniform(g, g.sample, false_alarm=FALSE_ALARM)


def rounds_a_continuous_draw(k, rng):
    """Rounding to the nearest of n values gives the two ends half the weight."""
    return np.rint(rng.uniform(0, 3, size=(k, 1))).astype(np.int64)


def sorts_coarse_keys(k, rng):
    """Key-argsort with four-bit keys: ties favour the identity."""
    return np.argsort(rng.integers(0, 16, size=(k, 5)), axis=1, kind="stable")


def takes_a_remainder(k, rng):
    """Four bits modulo 6: 0..3 are likelier than 4 and 5."""
    return (rng.integers(0, 16, size=(k, 1)) % 6).astype(np.int64)


def swaps_with_any_place(k, rng):
    """The naive shuffle: n^n equally likely paths do not divide by n!."""
    rows = np.tile(np.arange(4), (k, 1))
    lane = np.arange(k)
    for i in range(4):
        j = rng.integers(0, 4, size=k)
        rows[lane, i], rows[lane, j] = rows[lane, j], rows[lane, i].copy()
    return rows


def walks_at_random(k, rng):
    """Six random generators of S_5 are not a uniform element."""
    g = sa.symmetric(5)
    rows = np.repeat(g.identity(), k, axis=0)
    for _ in range(6):
        rows = g.compose(g.generators()[rng.integers(0, 2, k)], rows)
    return rows


def repeats_itself(k, rng):
    """Each element right, but every second draw copies the one before."""
    return np.repeat(sa.symmetric(4).sample((k + 1) // 2, rng), 2, axis=0)[:k]


@pytest.mark.parametrize(
    ("name", "sample"),
    [
        ("C4", rounds_a_continuous_draw),
        ("S5", sorts_coarse_keys),
        ("C6", takes_a_remainder),
        ("S4", swaps_with_any_place),
        ("S5", walks_at_random),
        ("S4", repeats_itself),
    ],
)
def test_biased_samplers_are_caught(name, sample):
    g = sa.group(name)
    with pytest.raises(LawError, match="sample is uniform"):
        check_uniform(g, sample, false_alarm=FALSE_ALARM)


class FewWords:
    """Random words squeezed to the top four bits and zeros, to force refusals to happen."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def integers(self, low, high, size, dtype):
        words = self.rng.integers(0, 16, (np.prod(size, dtype=int) * 2,)).astype("<u4")
        return (words << np.uint32(28)).view("<u8").reshape(size)


def test_refusals_keep_the_digits_uniform():
    """With 4-bit words, 16 values on 3 digits: 6, 5, 5 unless one word is refused and redrawn.

    Each of the words 0..15 times 2^28 gives w r / 2^32, so digit d is hit by the words with
    floor(3 w / 16) = d; the refusal drops those whose remainder is below 2^32 mod 3 = 1, w = 0.
    """
    digits = uniform_digits(np.array([3]), 60_000, FewWords(0))[0]
    observed = np.bincount(digits, minlength=3)
    statistic = ((observed - 20_000.0) ** 2).sum() / 20_000
    assert chi2.sf(statistic, 2) > 1e-9
    assert observed.sum() == 60_000


def test_radices_beyond_32_bits_are_uniform_in_their_top_and_bottom_bits(rng):
    radix = 3 << 40
    digits = uniform_digits(np.array([radix, 5]), 60_000, rng)
    assert digits[0].min() >= 0
    assert digits[0].max() < radix
    for cells in (digits[0] // (radix // 12), digits[0] % 12, digits[1]):
        observed = np.bincount(cells)
        expected = 60_000 / len(observed)
        assert chi2.sf(((observed - expected) ** 2).sum() / expected, len(observed) - 1) > 1e-9


class TheseWords:
    """Hands out 64-bit words from a list, as often as it is asked."""

    def __init__(self, words):
        self.words = list(words)

    def integers(self, low, high, size, dtype):
        count = int(np.prod(size, dtype=int))
        taken, self.words = self.words[:count], self.words[count:]
        return np.array(taken, "<u8").reshape(size)


@pytest.mark.parametrize("radix", [3, 5, 12345, 2**31 - 1, 3 * 2**29 + 1])
def test_exactly_the_words_below_the_remainder_are_refused(radix):
    """A word w is refused if w r mod 2^32 is below 2^32 mod r: 2^32 // r are left for each digit."""
    remainder = 2**32 % radix
    inverse = pow(radix, -1, 2**32)
    accepted, refused = remainder * inverse % 2**32, (remainder - 1) * inverse % 2**32
    other = 2**31  # what is drawn instead: another digit
    for word, kept in ((accepted, True), (refused, False)):
        digit = int(uniform_digits(np.array([radix]), 1, TheseWords([word, other]))[0, 0])
        assert digit == (word if kept else other) * radix >> 32


@pytest.mark.parametrize("radix", [2**32 + 1, 10**12, 2**61, 2**62 - 1])
def test_a_wide_digit_is_below_its_radix(radix):
    bits = int(np.ceil(np.log2(radix))) + 1
    for value, kept in ((radix - 1, True), (radix, False), (radix + 1, False)):
        words = TheseWords([value << (64 - bits), 5 << (64 - bits)])
        digit = int(uniform_digits(np.array([radix]), 1, words)[0, 0])
        assert digit == (value if kept else 5)
