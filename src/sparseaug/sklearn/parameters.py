"""From an estimator's parameters to an action and S: what all three estimators share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sparseaug._checks import check_integer, check_real
from sparseaug.actions import Action, roll
from sparseaug.designs import design
from sparseaug.errors import ArgumentError, SparseAugError, UnsupportedError, shorten, shorten_text
from sparseaug.groups import cyclic
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.sample import as_sample
from sparseaug.sklearn.frames import is_frame
from sparseaug.spectral import Deviation, deviation, draw_until

ActionChoice: TypeAlias = Action | Callable[[int], Action] | None
Shape: TypeAlias = tuple[int, ...]

DEFAULT_M = 16

MOST_ELEMENTS = 10**9  # below this; so many copies of one row already fill the memory of a machine

CHEAP_ORDER = 10_000
"""Groups up to this order have the deviation of 256 elements within seconds, whatever their kind."""


class OneShotMixin:
    """Draws S for the width of X at fit; afterwards `action_`, `sample_`, `deviation_`, `groups_`.

    Parameters that the estimators share: action, m, target_deviation, degree, S,
    identity, sample_shape, random_state.
    """

    action: ActionChoice
    m: int | Literal["full", "design"] | None
    target_deviation: float | None
    degree: int | None
    S: GroupSample | Literal["full"] | None
    identity: bool
    sample_shape: Shape | None
    random_state: Any
    n_features_in_: int
    action_: Action
    sample_: GroupSample
    shape_: Shape
    groups_: NDArray[np.int64]
    _deviation: Deviation | None

    @property
    def deviation_(self) -> Deviation | None:
        """`sparseaug.deviation(sample_, degree=degree)`, on first use; None where it may take long.

        A notebook reads every attribute of an estimator that it shows, so this one never takes long
        and never fails. Call `sparseaug.deviation` for a group above order 10,000.
        """
        check_is_fitted(self, "sample_")
        if self._deviation is None and self.sample_.group.order <= CHEAP_ORDER:
            try:
                self._deviation = deviation(self.sample_, degree=self.degree)
            except UnsupportedError:
                return None
        return self._deviation

    def _draw(self, n: int) -> None:
        """Set the action and S for n samples of `n_features_in_` features."""
        width = self.n_features_in_
        self.shape_ = check_shape(self.sample_shape, width)
        self.action_ = resolve_action("action", self.action, width)
        self.sample_, self._deviation = draw_sample(
            self.action_,
            m=self.m or (1 if self.action is None else DEFAULT_M),
            target_deviation=self.target_deviation,
            degree=self.degree,
            S=self.S,
            identity=self.identity,
            random_state=self.random_state,
        )
        try:
            self.action_.prepare(self.sample_.elements[:1], (n, *self.shape_))
        except ArgumentError as error:
            raise ArgumentError(
                f"{error} A row of X is read with sample_shape={self.shape_}; give another, as (8, 8)."
            ) from error
        self.groups_ = np.tile(np.arange(n), self.sample_.m)


def draw_sample(
    action: Action,
    *,
    m: Any,
    target_deviation: float | None,
    degree: int | None,
    S: Any,
    identity: bool,
    random_state: Any,
) -> tuple[GroupSample, Deviation | None]:
    """S as the parameters want it, and its deviation where drawing found it."""
    if S is not None:
        return as_sample(S, action.group), None
    if m == "full":
        return GroupSample.full(action.group), None
    oracle = Oracle(action.group, seed=check_seed(random_state))
    if m == "design":
        return designed(oracle, degree, identity=identity), None
    if target_deviation is None:
        return oracle.draw(m, identity=identity), None
    found = draw_until(oracle, target=target_deviation, degree=degree)
    return found.sample, found.deviation


def designed(oracle: Oracle, degree: int | None, *, identity: bool) -> GroupSample:
    """The design of this degree, or the best known of 16 elements, with the identity or at random.

    S g^-1 for the first g of S has the identity, and is exact where S is: D_(S h) = D_S Pi(h). It takes
    no call. Without `identity` it is S h for one uniform h, an unbiased sample, by one call.
    """
    group = oracle.group
    S = design(group, degree=degree) if degree is not None else design(group, m=DEFAULT_M)
    if not identity:
        return S.translate(oracle)
    if (S.elements == group.identity()).all(axis=1).any():
        return S
    rows = group.compose(S.elements, group.inverse(S.elements[:1]))
    return GroupSample(group, rows, S.calls, S.origin)


def resolve_action(name: str, action: ActionChoice, width: int) -> Action:
    """The action for rows of this width; None moves nothing."""
    if action is None:
        return roll(cyclic(1), axes=(1,))
    if isinstance(action, Action):
        return action
    try:
        made = action(width) if callable(action) else action
    except SparseAugError:
        raise
    except Exception as error:
        raise ArgumentError(
            f"{name}={shorten(action)} failed for {width} features: {error}; give a function "
            "n_features -> action."
        ) from error
    if not isinstance(made, Action):
        raise ArgumentError(
            f"{name}={shorten(action)} is not an action and makes none; give an action such as "
            "sparseaug.permute_axis(group), or a function n_features -> action."
        )
    return made


def resolve_y_action(y_action: ActionChoice, action: Action, width: int) -> Action:
    """The action on targets of this width, of the same group as the one on samples."""
    along = resolve_action("y_action", y_action, width)
    if along.group != action.group:
        raise ArgumentError(
            f"y_action={shorten(y_action)} is of {along.group.name}, but action is of "
            f"{action.group.name}; use one group."
        )
    return along


def check_shape(
    shape: Shape | None,
    width: int,
    name: str = "sample_shape",
    what: str = "X has {} features",
) -> Shape:
    """How a row of this width is read."""
    if shape is None:
        return (width,)
    if not isinstance(shape, tuple | list):
        raise ArgumentError(f"{name}={shorten(shape)} is not a tuple; give one such as (8, 8).")
    checked = tuple(check_integer(name, size, at_least=1) for size in shape)
    if math.prod(checked) != width:
        raise ArgumentError(
            f"{name}={checked} has {math.prod(checked)} entries, but {what.format(width)}; "
            "give a shape of that many."
        )
    return checked


def check_seed(random_state: Any) -> int:
    """The oracle's seed: an integer itself, or one drawn from scikit-learn's generator."""
    if isinstance(random_state, int | np.integer):
        return check_integer("random_state", random_state, below=1 << 64)
    try:
        return int(check_random_state(random_state).randint(1 << 31))
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(
            f"random_state={shorten(random_state)} is not a seed; give an integer, a RandomState or "
            "None."
        ) from error


def check_choice(estimator: Any) -> None:
    """Raise an `ArgumentError` unless at most one of m, target_deviation and S is given."""
    given = [
        name for name in ("m", "target_deviation", "S") if getattr(estimator, name) is not None
    ]
    if len(given) > 1:
        raise ArgumentError(f"{' and '.join(given)} exclude each other; give one of them.")
    for name in ("identity", "average"):
        value = getattr(estimator, name, True)
        if type(value) is not bool:
            raise ArgumentError(f"{name}={shorten(value)} is neither True nor False.")
    if isinstance(estimator.m, str):
        if estimator.m not in ("full", "design"):
            raise ArgumentError(
                f"m={shorten(estimator.m)} is not allowed; give a number, 'full' or 'design'."
            )
    elif estimator.m is not None:
        check_integer("m", estimator.m, at_least=1, below=MOST_ELEMENTS)
    if estimator.degree is not None:
        check_integer("degree", estimator.degree, at_least=1)
        if estimator.target_deviation is None and estimator.m != "design":
            raise ArgumentError(
                f"degree={shorten(estimator.degree)} says which functions count for target_deviation or "
                "m='design'; give one of these too."
            )
    if estimator.target_deviation is not None:
        check_real("target_deviation", estimator.target_deviation, above=0, below=1)


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a data frame, if it is one, or as a numeric array (n, features).

    The values of a frame are left alone: only columns that move need to be numbers.
    """
    require_not_sparse("X", X)
    if type(X).__name__ == "LazyFrame":
        raise ArgumentError("X is a LazyFrame, which holds no rows yet; give X.collect().")
    with naming("X"):
        if not is_frame(X):
            array = validate_data(estimator, X, reset=reset, ensure_all_finite=False)
            array = array.astype(np.float64) if array.dtype.kind == "O" else array
            if array.dtype.kind not in "biufc":
                raise TypeError(f"it has dtype {array.dtype}; give numbers.")
            return array
        if not X.shape[0] or not X.shape[1]:
            raise ArgumentError(f"X has shape {X.shape}; give at least one row and one column.")
        return validate_data(estimator, X, reset=reset, skip_check_array=True)


def require_not_sparse(name: str, value: Any) -> None:
    """Raise an `ArgumentError` for a sparse matrix or array of SciPy."""
    if issparse(value):
        raise ArgumentError(f"{name} is sparse; actions move dense rows: give {name}.toarray().")


@contextmanager
def naming(name: str) -> Iterator[None]:
    """What scikit-learn says of an argument, as an `ArgumentError` that names it.

    It stays a TypeError where it was one, as scikit-learn's own checks expect.
    """
    try:
        yield
    except (SparseAugError, NotFittedError, UnsetMetadataPassedError):
        raise
    except TypeError as error:
        raise ArgumentTypeError(f"{name} cannot be used: {one_line(error)}") from error
    except (ValueError, RuntimeError, OverflowError) as error:
        raise ArgumentError(f"{name} cannot be used: {one_line(error)}") from error


def one_line(error: Exception) -> str:
    """Its text in one line: scikit-learn prints the data into it."""
    return shorten_text(" ".join(str(error).split()), 400)


class ArgumentTypeError(ArgumentError, TypeError):
    """An `ArgumentError` that is also a TypeError."""
