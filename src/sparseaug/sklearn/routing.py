"""Arguments of `fit` on their way to the inner estimator: which it takes, and their copies."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.validation import _check_sample_weight, _is_arraylike

from sklearn import get_config
from sparseaug.errors import ArgumentError, SparseAugWarning
from sparseaug.sklearn.copies import take_rows
from sparseaug.sklearn.parameters import naming


def routing_enabled() -> bool:
    """Whether `sklearn.set_config(enable_metadata_routing=True)` was called."""
    return bool(get_config()["enable_metadata_routing"])


def routed(
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
    elif set(given) - {"sample_weight"}:
        names = ", ".join(sorted(set(given) - {"sample_weight"}))
        raise ArgumentError(
            f"fit_params {names} need metadata routing: call "
            "sklearn.set_config(enable_metadata_routing=True), and let the inner estimator request "
            "them by set_fit_request."
        )
    if given.get("sample_weight") is not None:
        with naming("sample_weight"):
            given["sample_weight"] = _check_sample_weight(given["sample_weight"], X)
        if not (routing_enabled() or _has_weights(inner, method)):
            _refuse_weights(estimator, inner, method)
            del given["sample_weight"]
    return given


def copied(given: Mapping[str, Any], n: int, rows: NDArray[np.int64]) -> dict[str, Any]:
    """These rows of every argument that has one entry per sample; the others as they are."""

    def take(value: Any) -> Any:
        if _is_arraylike(value) and not np.isscalar(value) and _length(value) == n:
            return take_rows(value, rows)
        return value

    return {name: take(value) for name, value in given.items()}


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


def _refuse_weights(estimator: Any, inner: Any, method: str) -> None:
    """Raise an `ArgumentError`; of `fit` only warn, as scikit-learn's CalibratedClassifierCV does.

    `fit` has weights in its signature for every inner estimator, so bagging and boosting pass them
    without having been asked.
    """
    outer = type(estimator).__name__
    what = f"sample_weight is given, but {type(inner).__name__}.{method} takes none"
    if method != "fit":
        raise ArgumentError(
            f"{what}; leave it out, or let a part of it request it by metadata routing."
        )
    warn(
        f"{what}: the weights are left out, and all samples count alike. Bagging and boosting choose "
        f"samples by weights: put them inside, as {outer}({outer.replace('OneShot', 'Bagging')}(...)), "
        "or let a part of the inner estimator request weights by metadata routing.",
        SparseAugWarning,
        stacklevel=5,
    )


def _has_weights(inner: Any, method: str) -> bool:
    return "sample_weight" in signature(getattr(inner, method)).parameters


def _length(value: Any) -> int:
    shape = getattr(value, "shape", None)
    return len(value) if shape is None else shape[0] if len(shape) else -1
