"""The learners of the table: a network, a forest and a kernel machine, from scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sparseaug.errors import need
from sparseaug.kernels.arrays import Floats
from studies.views.orbit import Predict


def sklearn(module: str) -> Any:
    """A module of scikit-learn, or what to install."""
    return need(f"sklearn.{module}", "the views of the study", install="scikit-learn")


def classifier(name: str, x: Floats, y: Any, seed: int) -> Predict:
    """Probabilities of the classes."""
    if name == "forest":
        model = sklearn("ensemble").RandomForestClassifier(100, random_state=seed)
    else:
        model = sklearn("neural_network").MLPClassifier(
            (64,), max_iter=60, learning_rate_init=0.003, random_state=seed
        )
    return _fitted(model, x, y, "predict_proba")


def regressor(name: str, x: Floats, y: Floats, seed: int, **how: Any) -> Predict:
    """Values (n, 1), in the units of y."""
    mean, scale = float(y.mean()), float(y.std())
    if name.startswith("kernel"):
        width = {"kernel": "rbf", "gamma": 0.5 / np.prod(x.shape[1:]), "alpha": 0.01}
        model = sklearn("kernel_ridge").KernelRidge(**{**width, **how})
    else:
        usual = {"hidden_layer_sizes": (64, 64), "max_iter": 60, "learning_rate_init": 0.003}
        model = sklearn("neural_network").MLPRegressor(random_state=seed, **{**usual, **how})
    predict = _fitted(model, x, (y - mean) / scale, "predict")
    return lambda x: mean + scale * predict(x)


def _fitted(model: Any, x: Floats, y: Any, method: str) -> Predict:
    """On features of mean 0 and variance 1."""
    flat = x.reshape(len(x), -1)
    mean, scale = flat.mean(axis=0), flat.std(axis=0)
    scale[scale == 0] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # that a network has not converged: it is trained for so long
        model.fit((flat - mean) / scale, y)

    def predict(x: Floats) -> Floats:
        found = getattr(model, method)((x.reshape(len(x), -1) - mean) / scale)
        return np.asarray(found, np.float64).reshape(len(x), -1)

    return predict
