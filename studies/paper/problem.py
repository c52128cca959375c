"""One seed's problem: data, centres, start and the elements drawn, each a function of its key.

Inputs are uniform on [-1, 1]^n and sorted, centres uniform and unsorted, the target is the sum of the
coordinates. What the methods share is drawn once; each method that draws has an oracle of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug.actions import Action, permute_axis
from sparseaug.groups import symmetric
from sparseaug.kernels import GaussianKernel, sample_moments
from sparseaug.kernels.arrays import Floats
from sparseaug.risk import KernelModel, MomentRisk, augmented_risk
from sparseaug.sampling import GroupSample, Oracle, keyed_rng
from studies.paper.config import Config

ENUMERATED = 40_320
"""Order up to which enumerating the group with BLAS beats permanents; measured between 8! and 9!."""

_BLOCK = 8  # elements at a time: 1024 feature vectors of the train set stay in a core's cache


@final
@dataclass(frozen=True, eq=False)
class Problem:
    """What the methods of one seed share.

    Examples:
        >>> given = Problem(Config(), seed=0)
        >>> given.train[0].shape, given.sample(16).m, given.oracle("streaming").calls
        ((128, 6), 16, 0)
    """

    config: Config
    seed: int

    @cached_property
    def action(self) -> Action:
        """S_n on the coordinates."""
        return permute_axis(symmetric(self.config.group_size))

    @cached_property
    def train(self) -> tuple[Floats, Floats]:
        """Sorted inputs and targets for training."""
        return self._data("x_train", self.config.train)

    @cached_property
    def test(self) -> tuple[Floats, Floats]:
        """Sorted inputs and targets for testing."""
        return self._data("x_test", self.config.test)

    @cached_property
    def model(self) -> KernelModel:
        """The factorised model with its centres."""
        centers = self._uniform("centers", self.config.centers)
        return KernelModel(GaussianKernel(self.config.sigma), centers)

    @cached_property
    def start(self) -> Floats:
        """theta_0: a followed by b, independent normal numbers, projected onto the box."""
        size, std, edge = self.config.centers, self.config.init_std, self.config.box
        normal = [std * self._rng(name).standard_normal(size) for name in ("a0", "b0")]
        return np.clip(np.concatenate(normal), -edge, edge)

    def oracle(self, method: str) -> Oracle:
        """The oracle of a method, at its first draw; oracles of different methods share nothing."""
        seed = int(self._rng(f"oracle of {method}").integers(1 << 63))
        return Oracle(self.action.group, seed)

    def sample(self, m: int) -> GroupSample:
        """The m elements of a one-shot method."""
        return self.oracle(f"one-shot-{m}").fresh(m)

    def full_risk(self, data: tuple[Floats, Floats]) -> MomentRisk:
        """The risk over data and the whole group."""
        group = self.action.group
        if group.order > ENUMERATED:
            return augmented_risk(self.model, data, self.action, "full")
        S = GroupSample(group, group.all_elements())
        kernel, centers = self.model.kernel, self.model.centers
        moments = sample_moments(kernel, self.action, S, *data, centers, block=_BLOCK)
        return MomentRisk(self.model, data, self.action, "full", moments)

    def replay(self) -> dict[str, NDArray[Any]]:
        """All random numbers of the seed, enough to repeat it with other code."""
        half = self.config.centers
        draws = self.config.num_steps * self.config.streaming_batch
        return {
            "x_train": self.train[0],
            "x_test": self.test[0],
            "centers": self.model.centers,
            "a0": self.start[:half],
            "b0": self.start[half:],
            **{f"one_shot_{m}": self.sample(m).elements for m in self.config.sample_sizes},
            "streaming": self.oracle("streaming").fresh(draws).elements,
        }

    def _data(self, name: str, count: int) -> tuple[Floats, Floats]:
        x = np.sort(self._uniform(name, count), axis=1)
        return x, x.sum(axis=1)

    def _uniform(self, name: str, count: int) -> Floats:
        return self._rng(name).uniform(-1, 1, (count, self.config.group_size))

    def _rng(self, name: str) -> np.random.Generator:
        return keyed_rng(self.seed, f"experiment: {name}")
