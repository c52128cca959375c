"""The bound without log|G|: its identities, and how often it fails, by enumeration and by draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

import sparseaug as sa
from sparseaug import theory
from sparseaug.errors import ArgumentError


def gram(name, n=3, seed=0):
    """<Z_g, Z_h> averaged over n samples, for all elements, and v."""
    group = sa.group(name)
    act = {"S": sa.permute_axis, "Z": sa.flip_signs, "C": sa.permute_axis, "D": sa.permute_axis}[
        name[0]
    ](group)
    x = np.random.default_rng(seed).normal(
        size=(n, group.width if name[0] in "SZ" else int(name[1:]))
    )
    moved = act(group.all_elements(), x)
    kernel = sa.GaussianKernel(1.0)
    K = np.stack([kernel(moved[:, i], moved[:, i]) for i in range(n)])
    centred = (
        K - K.mean(1, keepdims=True) - K.mean(2, keepdims=True) + K.mean((1, 2), keepdims=True)
    )
    v = 1 - K.mean((1, 2))
    return centred.mean(0), centred, v


@pytest.mark.parametrize(("name", "m"), [("S3", 4), ("Z2^2", 6), ("C5", 5)])
def test_it_fails_at_most_as_often_as_stated_by_enumeration(name, m):
    whole, _, v = gram(name)
    order = len(whole)
    draws = np.array(list(product(range(order), repeat=m)))
    counts = (draws[:, :, None] == np.arange(order)).sum(1) / m
    length = np.sqrt(np.maximum(np.einsum("ti,ij,tj->t", counts, whole, counts), 0))
    for delta in (0.9, 0.5, 0.2, 0.05, 0.01, 1e-3):
        bound = theory.dimension_free_gradient_bound(m, delta, C=1.0, B=1.0, v=float(v.mean()))
        assert (length > bound).mean() <= delta
    # the mean square is v / m exactly
    assert np.isclose((length**2).mean(), v.mean() / m)


@pytest.mark.parametrize("name", ["S4", "S5", "Z2^6", "C7", "D9"])
def test_it_covers_draws_and_the_worst_of_n_samples(name):
    """10,000 draws of 16; a false alarm is rarer than 1e-6."""
    whole, each, v = gram(name, n=5)
    rng, order = np.random.default_rng(1), len(whole)
    bound = theory.dimension_free_gradient_bound(16, 0.1, C=1.0, B=1.0, v=float(v.mean()))
    worst = theory.dimension_free_gradient_bound(16, 0.1, C=1.0, B=1.0, n=5, v=float(v.max()))
    counts = rng.multinomial(16, np.full(order, 1 / order), size=10_000) / 16
    squares = [((counts @ one) * counts).sum(1) for one in (whole, *each)]
    failed = (squares[0] > bound**2).sum(), (np.max(squares[1:], axis=0) > worst**2).sum()
    assert max(failed) <= binom.isf(1e-6, 10_000, 0.1)


def operators(name, n=2, p=3, seed=0):
    """Z_g' Z_h averaged over samples, (|G|, |G|, p, p), of K = k_1 A + k_2 B, which is not diagonal."""
    group, rng = sa.group(name), np.random.default_rng(seed)
    act = sa.flip_signs(group) if name[0] == "Z" else sa.permute_axis(group)
    moved = act(group.all_elements(), rng.normal(size=(n, 5 if name == "C5" else group.width)))
    roots = rng.normal(size=(2, p, p))
    parts = [root @ root.T for root in roots]
    scale = np.linalg.norm(sum(parts), 2)
    kernels = sa.GaussianKernel(0.7), sa.GaussianKernel(2.0)
    K = np.mean(
        [
            sum(
                np.multiply.outer(kernel(moved[:, i], moved[:, i]), part / scale)
                for kernel, part in zip(kernels, parts, strict=True)
            )
            for i in range(n)
        ],
        axis=0,
    )
    return K - K.mean(0) - K.mean(1)[:, None] + K.mean((0, 1))


@pytest.mark.parametrize(("name", "m"), [("S3", 4), ("Z2^2", 6), ("C5", 5)])
def test_a_matrix_valued_kernel_fails_at_most_as_often_as_stated_by_enumeration(name, m):
    whole = operators(name)
    order, p = len(whole), whole.shape[-1]
    W = whole[0, 0]
    assert np.allclose(whole[np.arange(order), np.arange(order)], W, rtol=0, atol=1e-12)
    v = float(np.linalg.eigvalsh(W)[-1])
    assert v <= 1
    draws = np.array(list(product(range(order), repeat=m)))
    counts = (draws[:, :, None] == np.arange(order)).sum(1) / m
    squares = np.einsum("ti,ijab,tj->tab", counts, whole, counts)
    assert np.allclose(squares.mean(0), W / m)
    length = np.sqrt(np.maximum(np.linalg.eigvalsh(squares)[:, -1], 0))
    for delta in (0.9, 0.5, 0.2, 0.05, 0.01):
        bound = theory.matrix_gradient_bound(m, delta, C=1.0, B=1.0, p=p, v=v)
        assert (length > bound * (1 + 1e-12)).mean() <= delta


def test_lengths_vary_where_there_is_no_group_and_the_other_bound_holds():
    """One rare vector far from all others: the group's formula is broken there."""
    chance, m, delta, C = 0.002, 8, 0.01, 1.0
    # phi is e_0, or with this chance e_1: k >= 0, k(x, x) = 1; Z = phi - mean
    mean = np.array([1 - chance, chance])
    v = float(1 - mean @ mean)
    k = np.arange(m + 1)
    lengths = np.sqrt(2) * abs(k / m - chance)
    law = binom.pmf(k, m, chance)
    group = theory.dimension_free_gradient_bound(m, delta, C=C, B=1.0, v=v)
    assert law[lengths > group].sum() > delta
    for nonnegative in (False, True):
        bound = theory.distribution_gradient_bound(m, delta, C=C, B=1.0, nonnegative=nonnegative)
        assert law[lengths > bound].sum() <= delta


def test_repeats_have_as_many_elements_as_their_sets_together():
    """R sets of c / R draws leave (1 + (R - 1) / 2^(c / R)) v / m in mean square."""
    for calls, repeats in ((12, 1), (12, 2), (12, 4)):
        m = repeats * 2 ** (calls // repeats)
        bound = theory.products_gradient_bound(calls, 0.25, C=1.0, B=1.0, repeats=repeats)
        mean = theory.mean_square_gradient_error(m, C=1.0, B=1.0)
        mean *= (1 + (repeats - 1) / 2 ** (calls // repeats)) ** 0.5
        assert bound == pytest.approx(min(1.0, 2 * mean))
    with pytest.raises(ArgumentError, match="repeats=5"):
        theory.products_gradient_bound(12, 0.25, C=1.0, B=1.0, repeats=5)


@pytest.mark.parametrize(("name", "c", "repeats"), [("S3", 3, 1), ("C5", 4, 1), ("S3", 4, 2)])
def test_products_fail_at_most_as_often_as_stated_by_enumeration(name, c, repeats):
    """All c-tuples: the worst case over functions is the length of the mean vector."""
    group = sa.group(name)
    whole, _, v = gram(name)
    rows, order = group.all_elements(), len(whole)
    table = group.rank(group.compose(rows[:, None], rows[None]).reshape(-1, group.width))
    table = np.asarray(table).reshape(order, order)
    identity = int(group.rank(group.identity())[0])
    squares = []
    for chosen in product(range(order), repeat=c):
        counts = np.zeros(order)
        for start in range(0, c, c // repeats):
            at = np.array([identity])
            for g in chosen[start : start + c // repeats]:
                at = np.concatenate([at, table[at, g]])
            counts += np.bincount(at, minlength=order) / len(at) / repeats
        squares.append(counts @ whole @ counts)
    squares = np.maximum(squares, 0)
    m = repeats * 2 ** (c // repeats)
    more = 1 + (repeats - 1) / 2 ** (c // repeats)
    assert np.isclose(squares.mean(), v.mean() * more / m)
    options = {"C": 1.0, "B": 1.0, "v": float(v.mean()), "repeats": repeats}
    for delta in (0.9, 0.5, 0.2, 0.1, 0.05, 0.01):
        bound = theory.products_gradient_bound(c, delta, **options)
        assert (np.sqrt(squares) > bound * (1 + 1e-12)).mean() <= delta
