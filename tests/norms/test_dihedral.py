"""Dihedral groups against dense norms and 50-digit arithmetic."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import sparseaug as sa
from sparseaug.groups.fourier import Block
from sparseaug.norms.abelian import characters
from sparseaug.norms.abelian.products import ENTRIES, product_blocks, split
from sparseaug.norms.dihedral import dihedral_norm


def draw(n: int, m: int, seed: int = 0) -> sa.GroupSample:
    return sa.Oracle(sa.dihedral(n), seed=seed).draw(m)


def true_norm(S: sa.GroupSample) -> Any:
    """The largest norm over the irreps in 50 digits: rotation matrices, singular values by formula."""
    n = S.group.order // 2
    with mpmath.workdps(50):
        best = mpmath.mpf(0)
        for f in (1, -1):
            for t in (1, -1) if n % 2 == 0 else (1,):
                if (t, f) != (1, 1):
                    total = sum(t ** int(a % 2) * f ** int(s) for a, s in S.elements.tolist())
                    best = max(best, mpmath.mpf(abs(total)) / S.m)
        for j in range(1, (n + 1) // 2):
            mean = mpmath.zeros(2)
            for a, s in S.elements.tolist():
                angle = mpmath.mpf(2 * (j * a % n)) / n
                cos, sin, flip = mpmath.cospi(angle), mpmath.sinpi(angle), (-1) ** s
                mean += mpmath.matrix([[cos, -sin * flip], [sin, cos * flip]])
            mean = mean / S.m
            # 2 sigma = |(a+d, c-b)| + |(a-d, b+c)| for a real 2 x 2 matrix [[a, b], [c, d]]
            a, b, c, d = mean[0, 0], mean[0, 1], mean[1, 0], mean[1, 1]
            best = max(best, (mpmath.hypot(a + d, c - b) + mpmath.hypot(a - d, b + c)) / 2)
    with mpmath.workdps(40):
        return +best  # so that what is 1 is 1


def test_bounds_enclose_50_digits_on_random_samples() -> None:
    rng = np.random.default_rng(0)
    for case in range(200):
        S = draw(int(rng.integers(1, 14)), int(rng.integers(1, 9)), case)
        norm, truth = dihedral_norm(S), true_norm(S)
        assert norm.lower <= truth <= norm.upper
        assert norm.upper - norm.lower < 1e-13


def test_the_first_frequency_of_every_block_is_in_the_bound() -> None:
    """The largest mean sits at the first frequency of the second block that is gone through."""
    n = 20_000_003
    plan = split((n,))
    first = max(1, ENTRIES // math.prod(plan.right)) * plan.step
    turn = pow(first, -1, n)
    S = sa.GroupSample(sa.dihedral(n), [[0, 0], [turn, 0], [0, 1]])
    with mpmath.workdps(50):
        truth = (2 * mpmath.cos(mpmath.pi / n) + 1) / 3
        assert mpmath.mpf(dihedral_norm(S).upper) >= truth


@pytest.mark.parametrize("error", [1e-3, 0.05])
def test_halves_that_are_off_by_all_they_say_do_not_hide_the_largest_turn(
    error: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both halves of the worst turn too small by `error`, those of all others too large."""
    for seed in range(15):
        S = draw(24, 6, seed)
        exact = dihedral_norm(S)
        if not exact.block.startswith("turn"):
            continue
        top = int(exact.block[5:-1])

        def off(*args: Any, top: int = top, **options: Any) -> Any:
            for block in product_blocks(*args, **options):
                frequency = block.label(np.arange(block.values.size))[:, 0]
                sign = np.where((frequency == top) | (frequency == 24 - top), -1.0, 1.0)
                size = np.abs(block.values)
                scale = np.maximum(size + 0.999 * error * sign, 0.0) / np.maximum(size, 1e-30)
                yield Block(block.label, block.values * scale, error)

        with monkeypatch.context() as patch:
            patch.setattr(characters, "product_blocks", off)
            found = dihedral_norm(S)
        assert found.upper >= exact.lower
        assert found.lower <= exact.upper
