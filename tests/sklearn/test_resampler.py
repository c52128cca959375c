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


def test_targets_move_along_with_a_y_action() -> None:
    rotate = sa.linear(sa.groups.cube_rotations())
    points = np.random.default_rng(1).normal(size=(5, 3))
    resampler = OneShotResampler(rotate, m=6, y_action=rotate, random_state=0)
    moved, forces = resampler.fit_resample(points, 2.0 * points)
    assert np.allclose(forces, 2.0 * moved)
    assert not np.allclose(forces, 2.0 * points[resampler.groups_])
    shaped = resampler.set_params(sample_shape=(1, 3)).fit_resample(points, points[:, None, :])[1]
    assert np.allclose(shaped[:, 0], moved)


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


@pytest.mark.parametrize("identity", [True, False])
def test_columns_of_text_and_numbers_that_change_places_are_refused_by_name(identity: bool) -> None:
    frame = pd.DataFrame({"age": [1, 2], "size": [0.5, 1.5], "who": ["p", "q"]})
    rows = [[0, 1, 2], [2, 1, 0]] if identity else [[2, 1, 0]]
    swap = sa.GroupSample(sa.symmetric(3), rows)
    resampler = OneShotResampler(sa.permute_axis(swap.group), S=swap)
    with pytest.raises(ArgumentError, match=r"columns 'age' \(int64\) and 'who' \(.*no dtype"):
        resampler.fit_resample(frame, [0, 1])
    with pytest.raises(ArgumentError, match=r"columns 'age' \(bool\) and 'who' \(int64\)"):
        resampler.fit_resample(frame.assign(age=[True, False], who=[3, 4]), [0, 1])
    numbers = frame.assign(who=[0.25, 0.75])
    moved, _ = resampler.fit_resample(numbers, [0, 1])
    assert moved["age"].tolist()[-2:] == [0.25, 0.75]
    categories = frame.assign(age=pd.Categorical(["a", "b"]), who=pd.Categorical(["b", "c"]))
    with pytest.raises(ArgumentError, match=r"'age' \(category\) and 'who' \(category\)"):
        resampler.fit_resample(categories, [0, 1])


def test_columns_that_change_sign_keep_their_dtypes_and_those_that_mix_become_floats() -> None:
    frame = pd.DataFrame({"i": np.array([1, 2], np.int32), "x": [0.5, 0.25], "k": ["u", "v"]})
    width = 3
    flips = sa.custom_action(
        sa.cyclic(2), lambda g, x: np.stack([x * [1 - 2 * e[0], 1, 1] for e in g])
    )
    S = sa.GroupSample(sa.cyclic(2), [[0], [1]])
    moved, _ = OneShotResampler(flips, S=S).fit_resample(frame, [0, 1])
    assert moved.dtypes.tolist() == frame.dtypes.tolist()
    assert moved["i"].tolist() == [1, 2, -1, -2]
    assert moved["x"].tolist() == [0.5, 0.25] * 2
    turn = np.eye(width)
    turn[:2, :2] = [[0.6, 0.8], [0.8, -0.6]]
    mix = sa.linear(sa.cyclic(2), np.stack([np.eye(width), turn]))
    mixed, _ = OneShotResampler(mix, S=S).fit_resample(frame, [0, 1])
    assert mixed.dtypes.tolist() == [np.dtype(float), np.dtype(float), frame.dtypes["k"]]
    assert np.allclose(mixed["i"], [1, 2, 0.6 + 0.4, 1.2 + 0.2])


def test_a_column_that_stays_but_has_a_part_in_one_that_moves_is_used() -> None:
    """The reflection (a, b) -> (b - a, b) has order two."""
    S = sa.GroupSample(sa.cyclic(2), [[0], [1]])
    reflect = sa.linear(S.group, [np.eye(3), [[-1, 1, 0], [0, 1, 0], [0, 0, 1]]])
    values = np.array([[1.0, 10.0, 5.0], [2.0, 20.0, 6.0]])
    frame = pd.DataFrame(values, columns=list("abc"))
    resampler = OneShotResampler(reflect, S=S)
    wanted, _ = resampler.fit_resample(values, [0, 1])
    assert wanted[2:].tolist() == [[9.0, 10.0, 5.0], [18.0, 20.0, 6.0]]
    moved, _ = resampler.fit_resample(frame, [0, 1])
    assert np.array_equal(moved.to_numpy(), wanted)
    with pytest.raises(ArgumentError, match="dtype object"):
        resampler.fit_resample(frame.assign(b=["p", "q"]), [0, 1])
