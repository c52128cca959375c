"""The copies that OneShotResampler makes, of arrays and of data frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotResampler

X = np.random.default_rng(0).normal(size=(7, 4))
Y = np.arange(7.0)
REORDER = sa.permute_axis(sa.symmetric(4))


def by_hand(S: sa.GroupSample, rows: np.ndarray) -> np.ndarray:
    """(g.x)[g(i)] = x[i], one entry at a time."""
    copies = np.empty((S.m * len(rows), rows.shape[1]), rows.dtype)
    for j, g in enumerate(S.elements):
        for i, row in enumerate(rows):
            for source, target in enumerate(g):
                copies[j * len(rows) + i, target] = row[source]
    return copies


def test_copy_jn_plus_i_is_sample_i_moved_by_element_j() -> None:
    resampler = OneShotResampler(REORDER, m=5, random_state=3)
    moved, y = resampler.fit_resample(X, Y)
    S = sa.Oracle(REORDER.group, seed=3).draw(5, identity=True)
    assert np.array_equal(resampler.sample_.elements, S.elements)
    assert np.array_equal(moved, by_hand(S, X))
    assert np.array_equal(y, np.concatenate([Y] * 5))
    assert np.array_equal(y, Y[resampler.groups_])
    assert np.array_equal(np.sort(moved, axis=1), np.sort(X[resampler.groups_], axis=1))


def test_an_integer_seed_gives_the_same_sample_and_a_random_state_goes_on() -> None:
    state = np.random.RandomState(5)
    first, second = (OneShotResampler(REORDER, random_state=state).fit(X) for _ in range(2))
    assert first.sample_ != second.sample_
    one = OneShotResampler(REORDER, random_state=np.int64(5)).fit(X).sample_
    assert one == OneShotResampler(REORDER, random_state=5).fit(X).sample_
    assert one.seed == 5


def test_a_frame_of_integers_stays_a_frame_of_integers() -> None:
    frame = pd.DataFrame(np.arange(8).reshape(2, 4), columns=list("abcd"), index=[10, 20])
    series = pd.Series(["x", "y"], index=[10, 20], name="label", dtype="category")
    resampler = OneShotResampler(REORDER, m=3, random_state=0)
    moved, y = resampler.fit_resample(frame, series)
    assert list(moved.columns) == list("abcd")
    assert set(moved.dtypes) == {np.dtype(np.int64)}
    assert np.array_equal(moved.to_numpy(), by_hand(resampler.sample_, frame.to_numpy()))
    assert (y.name, str(y.dtype), y.tolist()) == ("label", "category", ["x", "y"] * 3)
    assert moved.index.tolist() == y.index.tolist() == list(range(6))
    assert resampler.feature_names_in_.tolist() == list("abcd")


def test_columns_that_stay_keep_their_dtypes_and_those_that_mix_become_floats() -> None:
    frame = pd.DataFrame({"i": [1, 2], "x": [0.5, 0.25], "n": [3, 4], "k": ["u", "v"]})
    turn = np.eye(4)
    turn[:2, :2] = [[0.6, 0.8], [0.8, -0.6]]
    mix = sa.linear(sa.cyclic(2), np.stack([np.eye(4), turn]))
    mixed, _ = OneShotResampler(mix, m="full").fit_resample(frame, [0, 1])
    assert mixed.dtypes.tolist() == [np.dtype(float), np.dtype(float), *frame.dtypes[2:]]
    assert np.allclose(mixed["i"], [1, 2, 0.6 + 0.4, 1.2 + 0.2])
    assert (mixed["n"].tolist(), mixed["k"].tolist()) == ([3, 4] * 2, ["u", "v"] * 2)


def test_text_that_moves_or_has_a_part_in_what_moves_is_refused_by_name() -> None:
    """The reflection (a, b) -> (b - a, b) has order two."""
    reflect = sa.linear(sa.cyclic(2), [np.eye(3), [[-1, 1, 0], [0, 1, 0], [0, 0, 1]]])
    frame = pd.DataFrame([[1.0, 10.0, 5.0], [2.0, 20.0, 6.0]], columns=list("abc"))
    resampler = OneShotResampler(reflect, m="full")
    moved, _ = resampler.fit_resample(frame.assign(c=["p", "q"]), [0, 1])
    assert moved["a"].tolist() == [1.0, 2.0, 9.0, 18.0]
    for column in "ab":
        with pytest.raises(ArgumentError, match=f"columns '{column}' of X move"):
            resampler.fit_resample(frame.assign(**{column: ["p", "q"]}), [0, 1])
