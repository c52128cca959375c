"""What is known of a linear head's gradient over the whole group.

The loss is cross-entropy and a penalty, lambda / 2 ||theta||^2. The risk over the group is then
strongly convex, and a bound of its gradient bounds what is lost by training on S:

    R(theta) - min R <= ||grad R(theta)||^2 / (2 lambda).

The kernel of such a head, the inner product of features, is not invariant under the group. So only
those certificates remain that look at more of the group than S: all of it, or fresh draws.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.sampling import GroupSample
from studies.store.cases import Case
from studies.store.features import Features

SAMPLES = 200
PENALTY = 1e-3


class Penalised(nn.Module):
    """A linear head on stored features (samples, elements, d); its penalty is one more output.

    Its input is where they are: pairs of a sample and an element.
    """

    stored: Tensor

    def __init__(self, stored: Tensor, classes: int) -> None:
        super().__init__()
        self.register_buffer("stored", stored)
        self.linear = nn.Linear(stored.shape[-1], classes).to(stored.dtype)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, places: Tensor) -> Tensor:
        i, g = places.long().unbind(1)
        squares = torch.stack([part.square().sum() for part in self.parameters()]).sum()
        penalty = (PENALTY / 2 * squares).expand(len(places), 1)
        return torch.cat([self.linear(self.stored[i, g]), penalty], dim=1)


def loss(found: Tensor, y: Tensor) -> Tensor:
    return nn.functional.cross_entropy(found[:, :-1], y) + found[:, -1].mean()


def certificate(case: Case, features: Features, store: Path, m: int) -> dict[str, Any]:
    """Of the head that is trained to the end on the design of m elements, all from the store."""
    group = case.action.group
    kept = sa.views.open(store)
    columns = features.tables["design", m, 0][0]
    S = GroupSample(group, kept.S.elements[columns])
    place = {row.tobytes(): j for j, row in enumerate(kept.S.elements)}
    raw = kept.array(samples=np.arange(min(SAMPLES, case.train)))
    scale = float(np.sqrt((raw[:, 0] ** 2).sum(axis=1).mean()))
    y = torch.from_numpy(case.y[: len(raw)])

    def moved(elements: Any, x: Any) -> Any:
        """h moves (i, g), which stands for f(g x_i), to (i, h g)."""
        after = group.compose(np.asarray(elements)[:, None], kept.S.elements[x[:, 1].long()][None])
        flat = after.astype(kept.S.elements.dtype).reshape(-1, kept.S.elements.shape[1])
        columns = torch.tensor([place[row.tobytes()] for row in flat]).view(after.shape[:2])
        return torch.stack([x[:, 0].expand_as(columns), columns], dim=-1)

    head = Penalised(torch.from_numpy(raw / scale).double(), case.classes or 1)
    first = torch.full((len(raw),), place[group.identity().astype(kept.S.elements.dtype).tobytes()])
    x = torch.stack([torch.arange(len(raw)), first], dim=1)
    risk = sann.ModuleRisk(head, loss, (x, y), sa.custom_action(group, moved), S)
    _minimise(head, columns, y)
    theta = risk.theta.clone()
    exact = sa.certify(theta, risk, kinds=["exact"])["exact"]
    whole = risk.on("full")
    reached = float(whole.value(theta))
    _minimise(head, np.arange(len(kept.S.elements)), y)
    best = float(whole.value(risk.theta))
    return {
        "m": m,
        "samples": len(raw),
        "on S": float(risk.gradient(theta).norm()),
        "exact": exact.bound,
        "holds": exact.holds,
        "excess, at most": exact.bound**2 / (2 * PENALTY),
        "excess": reached - best,
        "risk": reached,
    }


def _minimise(head: nn.Module, columns: Any, y: Tensor) -> None:
    """L-BFGS to the end, on every sample at these columns."""
    x = torch.cartesian_prod(torch.arange(len(y)), torch.from_numpy(columns))
    targets = y[x[:, 0]]
    optimiser = torch.optim.LBFGS(
        head.parameters(), max_iter=500, tolerance_grad=1e-9, line_search_fn="strong_wolfe"
    )

    def closure() -> Tensor:
        optimiser.zero_grad()
        value = loss(head(x), targets)
        value.backward()
        return value

    optimiser.step(closure)
