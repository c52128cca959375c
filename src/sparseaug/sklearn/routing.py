"""Arguments of `fit` on their way to the inner estimator: which it takes, and their copies."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object, process_routing
from sklearn.utils.validation import _check_sample_weight

from sklearn import get_config
from sparseaug.errors import ArgumentError, SparseAugWarning
from sparseaug.sklearn.checks import name_in_errors
from sparseaug.sklearn.moved_rows import take_rows


def routing_enabled() -> bool:
    """Whether `sklearn.set_config(enable_metadata_routing=True)` was called."""
    return bool(get_config()["enable_metadata_routing"])


def route_arguments(
    estimator: Any, inner: Any, X: Any, given: Mapping[str, Any], method: str = "fit"
) -> dict[str, Any]:
    """What `inner.fit` gets of the arguments that `estimator.fit` was given, one entry per sample.

    The same for `partial_fit`, if that is the method.

    With metadata routing, what the inner estimator and its parts request; without, `sample_weight`
    where the inner estimator has it in its signature, and nothing else.
    """
    given = {name: value for name, value in given.items() if value is not None}
    if given and routing_enabled():
        given = dict(process_routing(estimator, method, **given).estimator[method])
    elif others := sorted(set(given) - {"sample_weight"}):
        raise ArgumentError(f"fit_params {others} need metadata routing; enable it.")
    if given.get("sample_weight") is not None:
        with name_in_errors("sample_weight"):
            given["sample_weight"] = _check_sample_weight(given["sample_weight"], X)
        if not (routing_enabled() or _has_weights(inner, method)):
            del given["sample_weight"]
            # bagging and boosting pass weights to whatever has them in the signature of `fit`
            warn(
                f"sample_weight is given, but {type(inner).__name__}.{method} takes none: all samples "
                "count alike. Let a part request weights by metadata routing.",
                SparseAugWarning,
                stacklevel=4,
            )
    return given


def copy_arguments(given: Mapping[str, Any], n: int, rows: NDArray[np.int64]) -> dict[str, Any]:
    """These rows of every argument that has one entry per sample; the others as they are."""

    return {
        name: take_rows(value, rows) if _length(value) == n else value
        for name, value in given.items()
    }


def takes_weights(inner: Any, method: str = "fit") -> bool:
    """Whether copies by equal elements can be one copy with a weight.

    Not where weights are routed: they may reach one part of a pipeline and not another.
    """
    if not _has_weights(inner, method):
        return False
    return not (routing_enabled() and isinstance(get_routing_for_object(inner), MetadataRouter))


def splits_by_groups(inner: Any) -> bool:
    """Whether fitting it cross-validates with a splitter that takes groups, and can get them."""
    takes = routing_enabled() or isinstance(inner, GridSearchCV | RandomizedSearchCV)
    return takes and "groups" in get_routing_for_object(inner).consumes("fit", ["groups"])


def _has_weights(inner: Any, method: str) -> bool:
    return "sample_weight" in signature(getattr(inner, method)).parameters


def _length(value: Any) -> int:
    """How many entries an array, a list or a series has; none for a number or a text."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return shape[0] if len(shape) else 0
    return len(value) if hasattr(value, "__len__") and not isinstance(value, str) else 0
