"""S drawn once for the width of X: what all estimators share, and `OneShotResampler`.

From an estimator's parameters to an action and S; what is asked of X and y; the copies of a data set, as
imbalanced-learn's samplers give them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from sparseaug._checks import check_flag, check_integer
from sparseaug.actions import Action, roll
from sparseaug.actions.arrays import Shape
from sparseaug.designs import design
from sparseaug.errors import ArgumentError, SparseAugError, UnsupportedError, shorten, shorten_text
from sparseaug.groups import Group, cyclic
from sparseaug.norms import Deviation, deviation
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.sample import as_sample
from sparseaug.sklearn.moved_rows import copies, is_frame, is_table, take_rows

ActionChoice: TypeAlias = Action | Callable[[int], Action] | None

DEFAULT_M = 16

MOST_ELEMENTS = 10**9  # below this; so many copies of one row already fill the memory of a machine

CHEAP_ORDER = 10_000
"""Groups up to this order have the deviation of 256 elements within seconds, whatever their kind."""


@dataclass(kw_only=True, eq=False, repr=False)
class OneShotMixin:
    """Draws S for the width of X at fit; afterwards `action_`, `sample_`, `deviation_`, `groups_`.

    Parameters that the estimators share: action, m, degree, S, identity, sample_shape, random_state.
    """

    action: ActionChoice = None
    m: int | Literal["full", "design"] = DEFAULT_M
    degree: int | None = None
    S: GroupSample | Literal["full"] | None = None
    identity: bool = True
    sample_shape: Shape | None = None
    random_state: Any = None
    n_features_in_: int = field(init=False)
    _deviation: Deviation | None = field(init=False)

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
        self.sample_, self._deviation = self._draw_sample(self.action_.group), None
        try:
            self.action_.prepare(self.sample_.elements[:1], (n, *self.shape_))
        except ArgumentError as error:
            raise ArgumentError(
                f"{error} A row of X is read with sample_shape={self.shape_}; give another, as (8, 8)."
            ) from error
        self.groups_ = np.tile(np.arange(n), self.sample_.m)

    def _draw_sample(self, group: Group) -> GroupSample:
        """S as the parameters want it."""
        if self.S is not None or self.m == "full":
            return as_sample("full" if self.S is None else self.S, group)
        oracle = Oracle(group, seed=check_seed(self.random_state))
        if self.m == "design":
            return self._draw_design(oracle)
        return oracle.draw(1 if self.action is None else self.m, identity=self.identity)

    def _draw_design(self, oracle: Oracle) -> GroupSample:
        """The design of this degree, or the best of 16 elements by the prior, with the identity.

        Without `identity` it is S h for one uniform h, an unbiased sample, by one call.
        """
        m = DEFAULT_M if self.degree is None else None
        S = design(oracle.group, m=m, degree=self.degree, identity=self.identity)
        return S if self.identity else S.translate(oracle)


@dataclass(eq=False, repr=False)
class OneShotResampler(OneShotMixin, BaseEstimator):  # type: ignore[misc]
    """Every sample moved by the same m elements of a group, drawn once: n m rows in all.

    Copy j n + i is row i moved by element j of S. It makes copies for fitting only, so it has
    `fit_resample` and no `transform`. In cross-validation split with `GroupKFold` by `groups_`, or use
    `OneShotClassifier` and `OneShotRegressor`, which augment inside `fit`.

    Args:
        action: an action, a function n_features -> action, or None, which moves nothing
        m: number of elements (1 without an action); "full" for all of the group;
            "design" for elements chosen by construction (`sparseaug.design`): exact to `degree`, or the
            best known 16. They are moved so that the identity is among them, without an oracle call;
            with identity=False by one uniform element, with one call
        degree: for m="design", only functions of at most this many coordinates count
        S: an existing `GroupSample`; then leave m as it is
        identity: of m elements the first is the identity, so that every sample is also seen unmoved
        sample_shape: how to read a row, for instance (8, 8); by default (n_features,)
        y_action: how targets move along, on y (n, outputs, ...): an action of the same group, or a
            function n_outputs -> action
        random_state: an integer is the oracle's seed: the same S every time; None and a RandomState
            as everywhere in scikit-learn

    Attributes:
        sample_: S; its `calls` are the oracle calls that were made
        action_: the action for this width
        groups_: the row that each copy comes from
        deviation_: how good S is; None for groups above order 10,000

    A DataFrame of pandas gives one with the same columns, and a Series a Series, with the index
    0, 1, 2, ...: `X.index[groups_]` has the old one. Columns keep their dtypes where they change places
    with columns of the same dtype, change sign or stay.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.sklearn import OneShotResampler
        >>> resampler = OneShotResampler(sa.permute_axis(sa.symmetric(3)), m=2, random_state=0)
        >>> X, y = resampler.fit_resample(np.array([[1, 2, 3]]), np.array(["a"]))
        >>> X.shape, y.tolist(), resampler.sample_.calls
        ((2, 3), ['a', 'a'], 1)
    """

    action: ActionChoice = None
    y_action: ActionChoice = field(default=None, kw_only=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw S for the width of X.

        Args:
            X: samples, one per row
            y: not used
        """
        check_parameters(self)
        self._draw(len(check_rows(self, X, reset=True)))
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Draw S, and return the n m copies (X, y).

        Args:
            X: samples, one per row
            y: targets
        """
        if y is None:
            raise ArgumentError("y=None is not allowed; give one target for each row of X.")
        require_not_sparse("y", y)
        self.fit(X)
        X = check_rows(self, X, reset=False)
        with name_in_errors("y"):
            y = y if is_table(y) else np.asarray(y)
        with name_in_errors("X and y"):
            check_consistent_length(X, y)
        moved = copies(self.action_, self.sample_.elements, X, self.shape_)
        if self.y_action is None:
            return moved, take_rows(y, self.groups_)
        return moved, self._moved_targets(y)

    def _moved_targets(self, y: Any) -> Any:
        if len(y.shape) < 2:
            raise ArgumentError(f"y has shape {y.shape}; with y_action give (n, outputs, ...).")
        action = resolve_y_action(self.y_action, self.action_, y.shape[1])
        shape = (y.shape[1],) if is_frame(y) else y.shape[1:]
        try:
            return copies(action, self.sample_.elements, y, shape)
        except ArgumentError as error:
            raise ArgumentError(f"y does not move: {error}") from error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # copying asks nothing of the values
        return tags


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
    shape: Shape | None, width: int, name: str = "sample_shape", what: str = "X has {} features"
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


def check_parameters(estimator: Any) -> None:
    """Raise an `ArgumentError` unless S is asked for in one way; X and y are not looked at here."""
    m, degree = estimator.m, estimator.degree
    for name in ("identity", "average"):
        check_flag(name, getattr(estimator, name, True))
    if isinstance(m, str):
        if m not in ("full", "design"):
            raise ArgumentError(
                f"m={shorten(m)} is not allowed; give a number, 'full' or 'design'."
            )
    else:
        check_integer("m", m, at_least=1, below=MOST_ELEMENTS)
    if m != DEFAULT_M and estimator.S is not None:
        raise ArgumentError("m and S exclude each other; give one of them.")
    if degree is not None:
        check_integer("degree", degree, at_least=1)
        if m != "design":
            raise ArgumentError(
                f"degree={shorten(degree)} says to which degree a design is exact; give m='design' too."
            )


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a data frame, if it is one, or as a numeric array (n, features).

    The values of a frame are left alone: only columns that move need to be numbers.
    """
    require_not_sparse("X", X)
    with name_in_errors("X"):
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
def name_in_errors(name: str) -> Iterator[None]:
    """What scikit-learn says of an argument, as an `ArgumentError` that names it.

    It stays a TypeError where it was one, as scikit-learn's own checks expect.
    """
    try:
        yield
    except (SparseAugError, NotFittedError, UnsetMetadataPassedError):
        raise
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        # scikit-learn prints the data into it
        text = shorten_text(" ".join(str(error).split()), 400)
        kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentError
        raise kind(f"{name} cannot be used: {text}") from error


class ArgumentTypeError(ArgumentError, TypeError):
    """An `ArgumentError` that is also a TypeError."""
