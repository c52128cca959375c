"""polars in, polars out; the copies are those of arrays."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sklearn import OneShotRegressor, OneShotResampler, moved_folds, moved_scorer

pl = pytest.importorskip("polars")

X = np.random.default_rng(0).normal(size=(12, 3))
FRAME = pl.DataFrame(X, schema=["a", "b", "c"])
TARGETS = pl.Series("t", X.max(axis=1))
SHIFT = sa.permute_axis(sa.cyclic(3))


def test_a_frame_gives_a_frame_and_a_series_a_series() -> None:
    given: dict[str, Any] = {"m": 3, "random_state": 0}
    moved, y = OneShotResampler(SHIFT, **given).fit_resample(FRAME, TARGETS)
    wanted, numbers = OneShotResampler(SHIFT, **given).fit_resample(X, TARGETS.to_numpy())
    assert isinstance(moved, pl.DataFrame)
    assert isinstance(y, pl.Series)
    assert (moved.columns, y.name) == (["a", "b", "c"], "t")
    assert np.array_equal(moved.to_numpy(), wanted)
    assert np.array_equal(y.to_numpy(), numbers)


def test_columns_of_any_dtype_change_places() -> None:
    frame = pl.DataFrame({"a": ["x", "y"], "b": ["z", "w"]})
    swap = sa.permute_axis(sa.cyclic(2))
    moved, _ = OneShotResampler(swap, m="full").fit_resample(frame, pl.Series([0, 1]))
    assert moved.rows() == [("x", "z"), ("y", "w"), ("z", "x"), ("w", "y")]
    mixed = pl.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    with pytest.raises(
        ArgumentError, match=r"columns 'a' \(String\) and 'b' \(Int64\) .*no dtype in common"
    ):
        OneShotResampler(swap, m="full").fit_resample(mixed, pl.Series([0, 1]))


def test_columns_that_change_sign_keep_their_dtypes_and_others_stay() -> None:
    frame = pl.DataFrame(
        {"a": [1, 2], "b": [0.5, 1.5], "name": ["x", "y"]}, schema_overrides={"a": pl.Int16}
    )
    signs = sa.GroupSample(sa.sign_flips(3), [[0, 0, 0], [1, 1, 0]])
    moved, _ = OneShotResampler(sa.flip_signs(sa.sign_flips(3)), S=signs).fit_resample(
        frame, pl.Series([0, 1])
    )
    assert moved.dtypes == [pl.Int16, pl.Float64, pl.String]
    assert moved.rows()[2:] == [(-1, -0.5, "x"), (-2, -1.5, "y")]


def test_targets_that_move_are_a_frame_again() -> None:
    model = OneShotResampler(SHIFT, m=2, y_action=SHIFT, random_state=0)
    moved, y = model.fit_resample(FRAME, FRAME)
    assert isinstance(y, pl.DataFrame)
    assert y.equals(moved)


def test_a_frame_reaches_the_inner_estimator_as_a_frame() -> None:
    inner = make_pipeline(make_column_transformer((StandardScaler(), ["a", "c"])), Ridge())
    model = OneShotRegressor(inner, action=SHIFT, m=3, random_state=0).fit(FRAME, TARGETS)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    plain = OneShotRegressor(Ridge(), action=SHIFT, m=3, random_state=0)
    assert model.predict(FRAME).shape == (12,)
    found = plain.fit(FRAME, TARGETS).predict(FRAME)
    assert np.allclose(found, plain.fit(X, TARGETS.to_numpy()).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME[["b", "a", "c"]])


def test_scores_move_frames() -> None:
    score = moved_scorer(SHIFT, sa.Oracle(SHIFT.group, seed=1))
    model = OneShotRegressor(action=SHIFT, m="full")
    found = cross_val_score(model, FRAME, TARGETS, cv=3, scoring=score)
    arrays = cross_val_score(model, X, TARGETS.to_numpy(), cv=3, scoring=score)
    assert np.allclose(found, arrays)
    both, y, _ = moved_folds(
        FRAME, TARGETS > 0.5, SHIFT, sa.Oracle(SHIFT.group, seed=1), cv=2, draws=3
    )
    assert isinstance(both, pl.DataFrame)
    assert (both.shape, y.shape) == ((24, 3), (24,))


def test_a_lazy_frame_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"X is a LazyFrame.*X.collect\(\)"):
        OneShotRegressor(action=SHIFT).fit(FRAME.lazy(), TARGETS)


def test_polars_is_not_imported_for_arrays() -> None:
    code = (
        "import sys, numpy as np, sparseaug as sa; from sparseaug.sklearn import OneShotRegressor; "
        "OneShotRegressor(action=sa.permute_axis(sa.cyclic(3))).fit(np.eye(3), [1., 2., 3.]); "
        "sys.exit('polars' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
