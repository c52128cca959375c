"""Mini-batches over the data with a fixed S: fresh pairs (sample, element of S) at every step.

The pairs of step t are a function of (seed, t): a run resumes to the same bits, and the oracle
calls are those of S. What is promised for such a run is `sparseaug.theory.one_shot_sgd_bound`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug._checks import check_integer, check_type
from sparseaug.actions.arrays import map_leaves
from sparseaug.actions.prepared import PreparedAction
from sparseaug.errors import ArgumentError
from sparseaug.kernels.arrays import Floats, check_vector
from sparseaug.risk.custom import CustomRisk
from sparseaug.risk.kernel_risks import MomentRisk
from sparseaug.risk.problem import Draws, LossFunction
from sparseaug.sampling import GroupSample, keyed_rng


@final
@dataclass(frozen=True, eq=False)
class BatchRisk:
    """The mean loss of a batch: what one stochastic step follows."""

    losses: LossFunction
    x: Any
    y: Any

    def gradient(self, theta: Any) -> Floats:
        """The mean gradient."""
        return np.asarray(self.losses(check_vector("theta", theta), self.x, self.y)[1].mean(axis=0))


@final
@dataclass(frozen=True, eq=False, repr=False)
class MinibatchRisk:
    """A risk on S, followed by batches of pairs; built by `minibatch`.

    Attributes:
        risk: on S
        batch: pairs for each step
        seed: of the pairs
    """

    risk: MomentRisk | CustomRisk
    batch: int
    seed: int

    def __repr__(self) -> str:
        return f"MinibatchRisk({self.risk!r}, batch={self.batch}, seed={self.seed})"

    @property
    def method(self) -> str:
        """That of the risk: "one-shot", or "full" and "none"."""
        return self.risk.method

    @property
    def calls(self) -> int:
        """Oracle calls behind S: the pairs cost none."""
        return self.risk.calls

    @property
    def draws(self) -> Draws:
        """The oracle draws behind S."""
        return self.risk.draws

    def value(self, theta: Any) -> float:
        """The risk on all of S."""
        return self.risk.value(theta)

    def gradient(self, theta: Any) -> Floats:
        """The gradient on all of S."""
        return self.risk.gradient(theta)

    def at_step(self, step: int) -> BatchRisk:
        """The mean loss of this step's pairs."""
        rng = keyed_rng(self.seed, "minibatch", step=step)
        x, y, rows = self.risk.x, self.risk.y, self._rows
        which = rng.integers(len(y), size=self.batch)
        by = rng.integers(len(rows), size=self.batch)
        action = PreparedAction(self.risk.action, rows[by], memory=0)
        moved = action.each(map_leaves(lambda part: part[which], x), np.arange(self.batch))
        return BatchRisk(self.risk.losses, moved, y[which])

    def identity(self) -> dict[str, str]:
        """What its steps depend on, by name and hash."""
        pairs = {"minibatch": str(self.batch), "minibatch seed": str(self.seed)}
        return {**self.risk.identity(), **pairs}

    @property
    def _rows(self) -> Any:
        S = self.risk.S
        if isinstance(S, GroupSample):
            return S.elements
        group = self.risk.action.group
        return group.identity() if S is None else group.all_elements()


def minibatch(risk: MomentRisk | CustomRisk, batch: int, seed: int = 0) -> MinibatchRisk:
    """Follow a risk on a fixed S by `batch` fresh pairs (sample, element) at every step.

    Args:
        risk: what `augmented_risk` or `custom_risk` returned, for a sample, "full" or None
        batch: pairs for each step, with replacement
        seed: of the pairs; that of step t depends on the seed and t alone

    Returns:
        A risk for `descend`; `certify(run)` speaks of the risk itself.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 3))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> act = sa.permute_axis(sa.symmetric(3))
        >>> S = sa.Oracle(act.group, seed=0).draw(4)
        >>> risk = sa.augmented_risk(model, (x, x.sum(1)), act, S)
        >>> run = sa.descend(sa.risk.minibatch(risk, 4), np.ones(8), step_size=0.05, num_steps=300)
        >>> run.calls, round(risk.value(np.ones(8)), 2), round(risk.value(run.last), 2)
        (4, 1.68, 0.29)
    """
    check_type("risk", risk, (MomentRisk, CustomRisk), "a risk on a fixed S")
    if risk.method == "streaming":
        raise ArgumentError("risk is streaming and has no fixed S; give its own batch=.")
    batch = check_integer("batch", batch, at_least=1)
    return MinibatchRisk(risk, batch, check_integer("seed", seed, below=1 << 64))
