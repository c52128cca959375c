"""Elements drawn once for the rows of X: from parameters to an action and S, or each sample's own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from sparseaug._checks import check_choice, check_flag, check_integer, check_type
from sparseaug.actions import Action, roll
from sparseaug.actions.arrays import Shape
from sparseaug.designs import design
from sparseaug.errors import ArgumentError
from sparseaug.groups import Distribution, cyclic
from sparseaug.sampling import GroupSample, Oracle, SampleTable
from sparseaug.sampling.sample import as_sample
from sparseaug.sklearn.checks import as_seed, as_shape, name_in_errors

ActionChoice: TypeAlias = Action | Callable[[int], Action] | None
PerSample: TypeAlias = Literal[False, "draws", "translates"]

DEFAULT_M = 16


@dataclass(kw_only=True, eq=False, repr=False)
class OneShotMixin:
    """Draws S for the width of X at fit; afterwards `action_`, `sample_`, `groups_`.

    Parameters that the estimators share: action, m, S, identity, per_sample, sample_shape,
    random_state.
    """

    action: ActionChoice = None
    m: int | Literal["full"] = DEFAULT_M
    S: GroupSample | Literal["full"] | None = None
    identity: bool = True
    per_sample: PerSample = False
    sample_shape: Shape | None = None
    random_state: Any = None
    n_features_in_: int = field(init=False)
    training_sample_: GroupSample | SampleTable = field(init=False)

    def _draw(self, n: int) -> None:
        """Set the action, and what makes the copies, for n samples of `n_features_in_` features."""
        width = self.n_features_in_
        self.shape_ = as_shape("sample_shape", self.sample_shape, width)
        self.action_ = resolve_action("action", self.action, width)
        self._oracle: Oracle | None = None
        self.sample_ = self.training_sample_ = self._learn_from(self.action_.distribution, n)
        try:
            self.action_.prepare(self.sample_.elements[:1], (n, *self.shape_))
        except ArgumentError as error:
            raise ArgumentError(f"{error} X is read with sample_shape={self.shape_}.") from error
        self.groups_ = np.tile(np.arange(n), self.training_sample_.m)

    def _learn_from(self, group: Distribution, n: int) -> GroupSample | SampleTable:
        """What the parameters want n samples to be moved by."""
        everything = self.action is None or (self.S is None and self.m == "full")
        if self.per_sample is False or everything:
            return self._shared(group)
        if self.per_sample == "translates":
            S = design(group, m=cast("int", self.m)) if self.S is None else as_sample(self.S, group)
            return SampleTable.translates(S, self._draws(), n)
        if self.S is not None:
            raise ArgumentError("S is shared by all samples; leave it out, or per_sample='draws'.")
        m, first = cast("int", self.m), self.identity and group.is_group
        return SampleTable.draws(self._draws(), n, m, identity=first, distinct=fits(m, group))

    def _draws(self) -> Oracle:
        """The oracle of this fit."""
        if self._oracle is None:
            self._oracle = Oracle(self.action_.distribution, seed=as_seed(self.random_state))
        return self._oracle

    def _shared(self, group: Distribution) -> GroupSample:
        """One S as the parameters want it."""
        if self.S is not None or self.m == "full":
            return as_sample("full" if self.S is None else self.S, group)
        m = 1 if self.action is None else self.m
        # a distribution that is no group has no identity to begin with
        first = self.identity and group.is_group
        return self._draws().draw(m, identity=first, distinct=fits(m, group))


def fits(m: int, group: Distribution) -> bool:
    """Whether it is a group of m different elements or more: without repeats a model learns more."""
    return group.is_group and math.log(m) <= group.log_order + 1e-9


def resolve_action(name: str, action: ActionChoice, width: int) -> Action:
    """The action for rows of this width; None moves nothing."""
    if action is None:
        return roll(cyclic(1), axes=(1,))
    with name_in_errors(name):
        made = action if isinstance(action, Action) or not callable(action) else action(width)
    return check_type(name, made, Action, "an action; give one, or a function n_features -> action")


def check_parameters(estimator: Any) -> None:
    """S is asked for in one way; X and y are not looked at here."""
    check_flag("identity", estimator.identity)
    if estimator.per_sample is not False:
        check_choice("per_sample", estimator.per_sample, ("draws", "translates"))
    if not (isinstance(estimator.m, str) and estimator.m == "full"):
        check_integer("m", estimator.m, at_least=1)
    if estimator.m != DEFAULT_M and estimator.S is not None:
        raise ArgumentError("m and S exclude each other; give one of them.")
