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
    """A linear head on the first entry of an orbit of features; its penalty is one more output."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, classes)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, orbits: Tensor) -> Tensor:
        squares = torch.stack([part.square().sum() for part in self.parameters()]).sum()
        penalty = (PENALTY / 2 * squares).expand(len(orbits), 1)
        return torch.cat([self.linear(orbits[:, 0]), penalty], dim=1)


def loss(found: Tensor, y: Tensor) -> Tensor:
    return nn.functional.cross_entropy(found[:, :-1], y) + found[:, -1].mean()


def certificate(case: Case, features: Features, store: Path, m: int) -> dict[str, Any]:
    """Of the head that is trained to the end on the design of m elements, all from the store."""
    group = case.action.group
    kept = sa.views.open(store)
    columns = features.tables["design", m, 0][0]
    S = GroupSample(group, kept.rows[columns])
    place = {row.tobytes(): j for j, row in enumerate(kept.rows)}
    first = place[group.identity().astype(kept.rows.dtype).tobytes()]
    if first:
        raise ValueError("the identity is not the first element of the store")
    raw = kept.array(samples=np.arange(min(SAMPLES, case.train)))
    scale = float(np.sqrt((raw[:, 0] ** 2).sum(axis=1).mean()))
    orbits, y = torch.from_numpy(raw / scale).double(), torch.from_numpy(case.y[: len(raw)])

    def moved(elements: Any, x: Any) -> Any:
        """(h F)[g] = F[g h] where F[g] = f(g x): the orbit of h x."""
        after = group.compose(kept.rows[None], np.asarray(elements)[:, None])
        flat = after.astype(kept.rows.dtype).reshape(-1, kept.rows.shape[1])
        where = np.array([place[row.tobytes()] for row in flat]).reshape(after.shape[:2])
        return x[:, torch.from_numpy(where)].swapaxes(0, 1)

    head = Penalised(raw.shape[-1], case.classes or 1).double()
    action = sa.custom_action(group, moved)
    risk = sann.ModuleRisk(head, loss, (orbits, y), action, S)
    _minimise(head, orbits[:, columns], y)
    theta = risk.theta.clone()
    exact = sa.certify(theta, risk, kinds=["exact"])["exact"]
    whole = risk.on("full")
    reached = float(whole.value(theta))
    _minimise(head, orbits, y)
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


def _minimise(head: nn.Module, views: Tensor, y: Tensor) -> None:
    """Newton-like steps to the end, on the views (n, k, d)."""
    x, targets = views.flatten(0, 1)[:, None], y.repeat_interleave(views.shape[1])
    optimiser = torch.optim.LBFGS(
        head.parameters(), max_iter=500, tolerance_grad=1e-9, line_search_fn="strong_wolfe"
    )

    def closure() -> Tensor:
        optimiser.zero_grad()
        value = loss(head(x), targets)
        value.backward()
        return value

    optimiser.step(closure)
