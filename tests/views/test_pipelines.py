"""Stores of a random pipeline: grown, and chosen from; the same bytes each time."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import sparseaug as sa
from sparseaug.errors import ArgumentError, ConfigMismatchError

pytest.importorskip("zarr")


def shake(x, rng):
    return np.roll(x, rng.integers(4), -1) + 0.1 * rng.normal(size=x.shape)


def f(x):
    return np.tanh(x @ np.arange(12.0).reshape(6, 2) / 9)


X = np.random.default_rng(0).random((16, 6))
ACT = sa.random_transform(shake)
S = sa.Oracle(ACT.distribution, seed=0).draw(40)
VALUES = f(ACT(S, X).reshape(-1, 6)).reshape(40, 16, 2).swapaxes(0, 1)


def compute(out, act=ACT, sample=S, **options):
    return sa.views.compute(X, act, sample, f, out=out, name="tanh", batch=8, **options)


def test_a_store_is_the_values_and_grows_and_refuses_another_pipeline(tmp_path):
    few = sa.Oracle(ACT.distribution, seed=0).draw(33)
    store = compute(tmp_path / "s", sample=few)
    np.testing.assert_array_equal(store.array(), VALUES[:, :33])
    store = store.extend(S)
    np.testing.assert_array_equal(store.array(), VALUES)
    again = sa.views.open(tmp_path / "s")
    assert again.S == S
    assert again.S.distribution == ACT.distribution
    other = sa.random_transform(lambda x, rng: x * rng.random(), name=ACT.pipeline)
    with pytest.raises(ConfigMismatchError, match="action"):
        compute(tmp_path / "s", act=other)
    newer = sa.random_transform(shake, name="shake, version 2")
    with pytest.raises(ArgumentError, match="is a sample of"):
        compute(tmp_path / "s", act=newer)
    with pytest.raises(ConfigMismatchError, match="action is"):
        compute(tmp_path / "s", act=newer, sample=sa.Oracle(newer.distribution).draw(40))


@pytest.mark.parametrize("workers", [None, 2])
def test_workers_write_the_same_bytes(tmp_path, workers):
    store = compute(tmp_path / "s", workers=workers)
    np.testing.assert_array_equal(store.array(), VALUES)


def test_the_best_of_the_stored_draws_needs_no_further_pass(tmp_path):
    store = compute(tmp_path / "s")
    spectrum = store.spectrum()
    direct = sa.orbit_spectrum(
        f, ACT, X, oracle=sa.Oracle(ACT.distribution, seed=0), calls=40, chunk_size=8
    )
    np.testing.assert_allclose(spectrum.gram, direct.gram, atol=1e-12)
    best = sa.design(ACT.distribution, m=8, spectrum=spectrum)
    np.testing.assert_allclose(
        store.at(best).mean(), f(ACT(best, X).reshape(-1, 6)).reshape(8, 16, 2).mean(0), atol=1e-12
    )
    with pytest.raises(ArgumentError, match="not stored"):
        store.at(sa.Oracle(ACT.distribution, seed=7).draw(2))
    with pytest.raises(ArgumentError, match="no pool"):
        store.at(best).spectrum()


def test_every_sample_has_a_file_of_its_own(tmp_path):
    store = compute(tmp_path / "s")
    paths = sa.views.export(store, tmp_path / "npz")
    assert [Path(path).name for path in paths[:2]] == ["00000000.npz", "00000001.npz"]
    with np.load(paths[7]) as one:
        np.testing.assert_array_equal(one["values"], VALUES[7])
        np.testing.assert_allclose(one["values.mean"], VALUES[7].mean(0), atol=1e-12)
    few = sa.views.export(store, tmp_path / "st", format="safetensors", samples=[3, 5])
    np.testing.assert_array_equal(load_file(few[1])["values"], VALUES[5])
    assert len(few) == len(list((tmp_path / "st").iterdir())) == 2
