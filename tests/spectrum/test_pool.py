"""Spectra measured on a pool: the Gram matrix, S chosen from it, and how true the forecast is."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.search.measured import Measured, places_of
from sparseaug.spectrum.pool import BLOCKS, Pool, pool_of, sobol

ACT = sa.random_affine(degrees=40, translate=0.1, scale=(0.8, 1.2), shear=10)
WEIGHTS = np.random.default_rng(5).normal(size=(36, 6))


def f(x):
    return np.tanh(x.reshape(len(x), -1) @ WEIGHTS)


def images(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, 6, 6)).cumsum(axis=1).cumsum(axis=2) / 9


def values(rows, x):
    return f(ACT(rows, x).reshape(-1, 6, 6)).reshape(len(rows), len(x), -1)


X = images(48)
SPECTRUM = sa.orbit_spectrum(f, ACT, X, calls=128)


def test_the_gram_matrix_is_that_of_the_centred_values():
    v = values(SPECTRUM.rows, X)
    v = v - v.mean(axis=0)
    np.testing.assert_allclose(
        SPECTRUM.gram, np.einsum("sip,tip->st", v, v) / len(X), atol=1e-10 * SPECTRUM.variance
    )
    assert SPECTRUM.rows.shape == (128, 5)
    assert SPECTRUM.inputs == 48
    assert SPECTRUM.calls == 128
    small = sa.orbit_spectrum(f, ACT, X, calls=128, chunk_size=50)
    np.testing.assert_allclose(small.gram, SPECTRUM.gram, atol=1e-10)


def test_the_search_finds_the_best_of_all_sets_of_a_small_pool():
    rng = np.random.default_rng(0)
    found_sum = best_sum = 0.0
    for _ in range(20):
        v = rng.normal(size=(9, 4)) * rng.uniform(0.2, 2, (9, 1))
        v -= v.mean(axis=0)
        gram = v @ v.T
        every = combinations_with_replacement(range(9), 4)
        best = min(float(gram[np.ix_(s, s)].sum()) for s in every)
        found = places_of(gram, 4, parts=9)
        assert len(found) == 4
        assert found.max() < 9
        found_sum += float(gram[np.ix_(found, found)].sum()) / gram.trace()
        best_sum += best / gram.trace()
    assert best_sum <= found_sum < 1.1 * best_sum
    objective = Measured(gram)  # an exchange changes the energy by twice the difference of scores
    scores = objective.scores(np.array([1, 2, 3]), 1, out=0)
    change = objective.energy(np.array([4, 2, 3]), 1) - objective.energy(np.array([1, 2, 3]), 1)
    assert change == pytest.approx(2 * (scores(np.array([4])) - scores(np.array([1])))[0])


def test_a_chosen_set_leaves_less_than_draws_and_its_forecast_holds():
    fresh, many = images(200, seed=1), ACT.distribution.quantile(sobol(5, 2048, 77))
    mean = values(many, fresh).mean(axis=0)

    def left(rows):
        return float(((values(rows, fresh).mean(axis=0) - mean) ** 2).sum(axis=-1).mean())

    for m in (4, 16):
        S = sa.design(ACT.distribution, m=m, spectrum=SPECTRUM)
        found = SPECTRUM.predict(S)
        draws = np.mean(
            [left(sa.Oracle(ACT.distribution, seed=s).draw(m).elements) for s in range(20)]
        )
        assert left(S.elements) < draws / 3
        assert abs(left(S.elements) - found.value) <= 1.5 * found.error  # 95 % bars, two of them
        assert SPECTRUM.predict(m).value == pytest.approx(draws, rel=0.5)
        own = SPECTRUM.gram[np.ix_(*2 * [SPECTRUM._best_places(m)])].mean()
        assert own < found.value  # in-sample it is optimistic


def test_nested_prefixes_choose_and_what_is_refused():
    nested = sa.design(ACT.distribution, m=16, name="nested", spectrum=SPECTRUM)
    few = sa.design(ACT.distribution, m=5, name="nested", spectrum=SPECTRUM)
    np.testing.assert_array_equal(nested.elements[:5], few.elements)
    assert SPECTRUM.predict(sa.GroupSample(ACT.distribution, nested.elements[:5])).value > 0
    error = float(np.sqrt(0.05 * SPECTRUM.variance))
    choice = sa.choose(SPECTRUM, error=error)
    assert choice.name == "search"
    assert choice.prediction.upper <= error**2
    assert choice.sample.m < choice.draws
    assert choice.distinct == choice.draws
    assert "distinct draws need" in str(choice)
    assert choice.to_dict()["draws"] == choice.draws
    smaller = SPECTRUM.predict(SPECTRUM._sample_at(SPECTRUM._best_places(choice.sample.m - 1)))
    assert smaller.upper > error**2
    fine = sa.choose(SPECTRUM, error=error / 300)
    assert fine.name == "draws"
    assert fine.sample.m == fine.draws
    assert "calls=512" in fine.note
    with pytest.raises(ArgumentError, match="raise error or max_m"):
        sa.choose(SPECTRUM, error=error / 30, max_m=4)
    with pytest.raises(ArgumentError, match="not in the pool"):
        SPECTRUM.predict(sa.GroupSample(ACT.distribution, [[1.0, 0, 0, 1, 0]]))
    assert SPECTRUM.predict(sa.Oracle(ACT.distribution).draw(8)).value == SPECTRUM.predict(8).value
    for options in ({"m": 129}, {"m": 4, "degree": 1}, {"m": 4, "group": sa.cyclic(3)}):
        with pytest.raises(ArgumentError):
            sa.design(**{"group": ACT.distribution, "spectrum": SPECTRUM, **options})


def test_pools_of_seeds_come_from_an_oracle_and_pools_of_parameters_from_sobol_points():
    noise = sa.random_transform(lambda x, rng: x + 0.3 * rng.normal(size=x.shape))
    spectrum = sa.orbit_spectrum(f, noise, X, calls=64)
    S = sa.design(noise.distribution, m=8, spectrum=spectrum)
    assert S.calls == 64
    assert spectrum.predict(S).value < spectrum.predict(8).value
    oracle = sa.Oracle(ACT.distribution, seed=2)
    given = sa.orbit_spectrum(f, ACT, X, oracle=oracle, calls=40)
    assert oracle.calls == 40
    np.testing.assert_array_equal(given.rows, sa.Oracle(ACT.distribution, seed=2).draw(40).elements)
    blocks = pool_of(ACT.distribution, None, 256, 2).rows.reshape(BLOCKS, 32, 5)
    low, high = ACT.distribution.ends
    cells = ((blocks - low) / (high - low) * 32).astype(int)
    assert all(len(set(cells[r, :, j])) == 32 for r in range(BLOCKS) for j in range(5))
    with pytest.raises(ArgumentError, match="give two or more"):
        sa.orbit_spectrum(f, ACT, X[:1])
    with pytest.raises(ArgumentError, match="calls=31"):
        sa.orbit_spectrum(f, ACT, X, calls=31)


def test_an_invariant_function_has_no_variance_and_no_choice():
    spectrum = sa.orbit_spectrum(lambda x: np.ones((len(x), 2)), ACT, X, calls=32)
    assert spectrum.variance == 0
    assert spectrum.predict(4).error == np.inf
    with pytest.raises(ArgumentError, match="no variance"):
        sa.choose(spectrum, error=0.1)
    with pytest.raises(ArgumentError, match="no variance"):
        sa.design(ACT.distribution, m=2, spectrum=spectrum)


def test_any_group_can_be_measured_on_a_pool():
    act = sa.permute_axis(sa.symmetric(7))
    x = np.random.default_rng(0).normal(size=(32, 7))
    g = lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2])  # noqa: E731
    pool = sa.orbit_spectrum(g, act, x, by="pool", calls=256)
    exact = sa.orbit_spectrum(g, act, x)
    assert pool.variance == pytest.approx(exact.variance, rel=0.15)
    S = sa.design(act.group, m=14, spectrum=pool)
    assert S.group == act.group
    assert exact.predict(S).relative < 0.07


def test_the_bar_holds_about_as_often_as_it_says():
    """40 repetitions, and 95 % bars that fail in at most 6 of them."""
    rng, many = np.random.default_rng(0), ACT.distribution.quantile(sobol(5, 1024, 88))
    everything = images(300, seed=9)
    mean, failed = values(many, everything).mean(axis=0), 0
    for r in range(40):
        some = rng.choice(300, 32, replace=False)
        rows = ACT.distribution.quantile(
            np.concatenate([sobol(5, 8, 100 + BLOCKS * r + j) for j in range(BLOCKS)])
        )
        spectrum = Pool(ACT.distribution, rows).spectrum(
            [(0, values(rows, everything[some]))], inputs=32
        )
        S = spectrum._sample_at(spectrum._best_places(8))
        true = ((values(S.elements, everything).mean(axis=0) - mean) ** 2).sum(axis=-1).mean()
        found = spectrum.predict(S)
        failed += abs(true - found.value) > found.error
    assert failed <= 6
