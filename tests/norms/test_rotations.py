"""Norms of rotations by l: 50 digits, character theory, the theorem on integer quaternions."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import UnsupportedError
from sparseaug.groups import wigner
from sparseaug.norms.rotations.primes import prime_of, prime_rows
from sparseaug.theory import sharp_deviation_bound

SPACE = sa.rotations(3)
PRIMES = (5, 13, 17, 29, 37)


def reference(rows, ell):
    """The mean of D^l over rows, from the action of SU(2) on polynomials of degree 2l, in mpmath."""
    size = 2 * ell + 1
    total = mpmath.zeros(size)
    for row in rows:
        q = [mpmath.mpf(float(v)) for v in row]
        norm = mpmath.sqrt(sum(v * v for v in q))
        w, x, y, z = (v / norm for v in q)
        a, b = mpmath.mpc(w, z), mpmath.mpc(y, x)
        first, second = (a, -mpmath.conj(b)), (b, mpmath.conj(a))  # x -> , y ->
        for m in range(size):
            image = _product(_power(first, m), _power(second, 2 * ell - m))
            for n in range(size):
                scale = mpmath.mpf(math.comb(2 * ell, m)) / math.comb(2 * ell, n)
                total[n, m] += image[n] * mpmath.sqrt(scale)
    return total / len(rows)


def _power(linear, k):
    """(c x + d y)^k by powers of x."""
    c, d = linear
    return [math.comb(k, j) * c**j * d ** (k - j) for j in range(k + 1)]


def _product(p, q):
    out = [mpmath.mpc(0)] * (len(p) + len(q) - 1)
    for i, u in enumerate(p):
        for j, v in enumerate(q):
            out[i + j] += u * v
    return out


def is_above(matrices, value):
    """Whether value^2 - A*A is positive definite for each A, by Cholesky in 50 digits."""
    for a in matrices:
        try:
            mpmath.cholesky(mpmath.mpf(value) ** 2 * mpmath.eye(a.rows) - a.H * a)
        except ValueError:
            return False
    return True


def against_fifty_digits(seeds, highest):
    with mpmath.workdps(50):
        for seed in seeds:
            rng = np.random.default_rng(seed)
            S = sa.GroupSample(SPACE, SPACE.sample(int(rng.integers(1, 5)), rng))
            L = int(rng.integers(1, highest + 1))
            found = sa.deviation(S, degree=L)
            blocks = [reference(S.elements, ell) for ell in range(1, L + 1)]
            assert found.value == 1.0 or is_above(blocks, found.value)
            assert not is_above(blocks, found.value - 1e-10)
            assert found.lower >= found.value - 1e-10


def test_deviation_is_never_below_fifty_digits_and_close():
    against_fifty_digits(range(6), 4)


@pytest.mark.slow
def test_deviation_is_never_below_fifty_digits_and_close_on_200_samples():
    against_fifty_digits(range(200), 12)


def test_wigner_matrices_are_within_their_stated_rounding(rng):
    """Every entry against 50 digits, where rounding is worst: near the poles and at high l."""
    rows = np.concatenate(
        [
            SPACE.sample(2, rng),
            SPACE.canonical([[1, 1e-9, 1e-12, 0.3], [1e-8, 1, 1e-7, 1e-13], [0, 1, 0, 0]]),
        ]
    )
    with mpmath.workdps(50):
        for ell in (1, 2, 5):
            irrep = next(i for i in SPACE.irreps_to(ell) if i.degree == ell)
            d = wigner.quarter_turns(ell)[ell]
            exact = _quarter(ell)
            assert all(
                abs(mpmath.mpf(float(d[i, j])) - exact[i][j])
                <= wigner.TABLE_ERROR * abs(exact[i][j])
                for i in range(2 * ell + 1)
                for j in range(2 * ell + 1)
            )
            for row, computed in zip(rows, irrep.matrices(rows), strict=True):
                true = _wigner(row, ell)
                error = math.sqrt(
                    sum(
                        float(abs(mpmath.mpc(complex(computed[m, n])) - true[m][n])) ** 2
                        for m in range(2 * ell + 1)
                        for n in range(2 * ell + 1)
                    )
                )
                assert error <= irrep.rounding


def test_the_stated_rounding_covers_the_worst_phases(monkeypatch):
    """Powers of all three phases are moved by what is claimed of them, in one direction."""
    row = np.array([[0.5, 0.1, -0.7, 0.5]])
    rows = SPACE.canonical(row)
    ell = 12
    irrep = next(i for i in SPACE.irreps_to(ell) if i.degree == ell)
    plain = irrep.matrices(rows)
    powers = wigner.phase_powers

    def moved(phase, highest):
        m = np.arange(-highest, highest + 1)
        return powers(phase, highest) * np.exp(1e6j * wigner.PHASE_ERROR * m)  # a million times

    monkeypatch.setattr(wigner, "phase_powers", moved)
    error = np.linalg.norm(irrep.matrices(rows) - plain) / 1e6
    assert irrep.rounding / 20 < error <= irrep.rounding


def _quarter(ell):
    """d^l(pi/2) from its polynomial, in 50 digits."""
    table = []
    for k in range(2 * ell + 1):
        row = []
        for m in range(2 * ell + 1):
            coefficient = sum(
                math.comb(m, j) * math.comb(2 * ell - m, k - j) * (-1) ** (k - j)
                for j in range(max(0, k - 2 * ell + m), min(k, m) + 1)
            )
            scale = mpmath.sqrt(mpmath.mpf(math.comb(2 * ell, m)) / math.comb(2 * ell, k))
            row.append(coefficient * scale / mpmath.mpf(2) ** ell)
        table.append(row)
    return table


def _wigner(row, ell):
    """The formula of `groups.wigner`, with Euler angles in 50 digits."""
    w, x, y, z = (mpmath.mpf(float(v)) for v in row)
    psi, phi = mpmath.arg(mpmath.mpc(w, z)), mpmath.arg(mpmath.mpc(y, -x))
    if w == z == 0:
        psi = mpmath.mpf(0)
    if x == y == 0:
        phi = mpmath.mpf(0)
    alpha, gamma = psi + phi, psi - phi
    beta = 2 * mpmath.atan2(mpmath.hypot(x, y), mpmath.hypot(w, z))
    d = _quarter(ell)
    size = 2 * ell + 1
    return [
        [
            sum(
                d[k][m]
                * d[k][n]
                * mpmath.expj(-((m - ell) * alpha + (k - ell) * beta + (n - ell) * gamma))
                for k in range(size)
            )
            for n in range(size)
        ]
        for m in range(size)
    ]


FIXED = {  # dimensions of the vectors that each group fixes, l = 1..12: Molien's series
    "tetrahedron": (0, 0, 1, 1, 0, 2, 1, 1, 2, 2, 1, 3),
    "cube": (0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 2),
    "icosahedron": (0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1),
}


@pytest.mark.parametrize("name", FIXED)
def test_the_solids_have_norm_0_or_1_as_character_theory_says(name):
    S = sa.design(SPACE, name=name)
    found = sa.profile(S, degree=12)
    for level, fixed in zip(found.levels, FIXED[name], strict=True):
        wanted = Fraction(fixed, 2 * level.degree + 1)  # the trace of a projection, over d
        assert level.lower <= bool(fixed) <= level.norm
        assert level.norm - bool(fixed) < 1e-11
        assert float(level.mean_square) == pytest.approx(float(wanted), abs=1e-12)
        if name != "icosahedron":  # integer rows: decided without rounding
            assert level.mean_square == wanted
            assert level.exact == (fixed == 0)
    assert found.exact_to == {"tetrahedron": 2, "cube": 3, "icosahedron": 0}[name]


def test_integer_quaternions_of_a_prime_norm_keep_their_theorem_to_degree_48():
    close = []
    for p in PRIMES:
        S = sa.GroupSample(SPACE, prime_rows(p))
        bound = 2 * math.sqrt(p) / (p + 1)
        whole = sa.deviation(S)
        assert S.m == p + 1
        assert (whole.method, whole.rigorous) == ("quaternions", True)
        assert whole.lower <= bound <= whole.value <= bound * (1 + 1e-14)
        assert whole.floor <= whole.lower
        found = sa.deviation(S, degree=48)
        assert found.lower <= bound
        close.append(found.lower / bound)
    assert max(close) > 0.95


def test_the_theorem_is_for_exactly_these_samples(rng):
    S = sa.GroupSample(SPACE, prime_rows(13)[::-1])  # in any order
    assert prime_of(S) == 13
    rows = prime_rows(13)
    for other in (
        rows[1:],  # one is missing
        np.concatenate([rows, rows[:1]]),  # one too many
        np.concatenate([rows[1:], [[1, 0, 0, 0]]]),  # another one instead
        np.concatenate([rows[1:], [[2, 3, 0, 0]]]),  # of the same norm
        SPACE.canonical(rows),  # rounded
        SPACE.compose(rows, SPACE.sample(1, rng)),  # translated, and rounded
    ):
        T = sa.GroupSample(SPACE, other)
        assert prime_of(T) is None
        with pytest.raises(UnsupportedError, match="give degree="):
            sa.deviation(T)
    assert prime_of(sa.GroupSample(sa.rotations(2), [[1.0]])) is None


def test_inversion_cancels_odd_parities_and_keeps_the_norm():
    group = sa.orthogonal(3)
    rows = np.concatenate([np.insert(prime_rows(29), 4, bit, axis=1) for bit in (0, 1)])
    S = sa.GroupSample(group, rows)
    assert sa.deviation(S).value == sa.deviation(sa.GroupSample(SPACE, prime_rows(29))).value
    found = sa.profile(S, degree=6)
    odd = [part for part in found.parts if part.name.endswith(("-", "det"))]
    assert len(odd) == 7
    assert all(part.exact for part in odd)
    one = sa.deviation(sa.GroupSample(SPACE, prime_rows(29)), degree=6).value
    assert sa.deviation(S, degree=6).value == pytest.approx(one, rel=1e-9)


def test_parities_are_the_two_halves_against_dense_means(rng):
    group = sa.orthogonal(3)
    S = sa.GroupSample(group, group.sample(40, rng))
    found = {part.name: part for part in sa.profile(S, degree=3).parts}
    for irrep in list(group.irreps_to(3))[2:]:
        mean = irrep.matrices(S.elements).mean(axis=0)
        square = float(np.vdot(mean, mean).real) / irrep.dimension
        assert found[irrep.name].mean_square == pytest.approx(square, rel=1e-10)
    dets = np.where(S.elements[:, 4] == 1, -1, 1).mean()
    assert found["det"].mean_square == pytest.approx(dets**2)


@pytest.mark.parametrize("name", ["SO2", "O2", "S3xSO3", "D4xSO2"])
def test_norms_are_those_of_dense_means(name, rng):
    group = sa.group(name)
    S = sa.Oracle(group, seed=0).draw(25)
    dense = [i.matrices(S.elements).mean(axis=0) for i in list(group.irreps_to(3))[1:]]
    norm = max(np.linalg.norm(mean, 2) for mean in dense)
    found = sa.deviation(S, degree=3)
    assert found.lower <= norm + 1e-12
    assert norm <= found.value + 1e-12
    assert found.value - found.lower < 1e-11
    assert max(sa.profile(S, degree=3).norms.values()) == pytest.approx(found.value, abs=1e-11)


def test_the_bound_beside_uniform_draws_is_the_sharper_one_of_the_band():
    S = sa.Oracle(SPACE, seed=0).draw(200)
    assert sa.deviation(S, degree=4).bound == sharp_deviation_bound(
        200, dimension_sum=5**2 - 1, delta=0.05
    )
    T = sa.Oracle(sa.orthogonal(3), seed=0).draw(200)
    assert sa.deviation(T, degree=4).bound == sharp_deviation_bound(
        200, dimension_sum=2 * 5**2 - 1, delta=0.05
    )
    assert sa.deviation(sa.design(SPACE, degree=3), degree=4).bound is None


def test_drawing_until_a_deviation_needs_a_degree():
    found = sa.draw_until(sa.Oracle(SPACE, seed=0), target=0.4, degree=3)
    assert found.deviation.value <= 0.4
    assert found.calls == found.sample.m < 60
    oracle = sa.Oracle(SPACE, seed=0)
    with pytest.raises(UnsupportedError, match="give degree="):
        sa.draw_until(oracle, target=0.4)
    assert oracle.calls == 0
    with pytest.raises(UnsupportedError, match="infinitely many irreps"):
        sa.deviation(sa.Oracle(sa.group("S3xSO3"), seed=0).draw(3))
