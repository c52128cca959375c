"""On two ranks: risks that are not the same on all ranks, and one with fewer copies than ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import distributed, nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError


def run() -> dict[str, Any]:
    """What is said of each."""
    rank = distributed.get_rank()
    act = sa.permute_axis(sa.symmetric(3))
    x = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)
    model = nn.Linear(3, 1).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.5)
    same = {"S": sa.Oracle(act.group).draw(4), "data": (x, x[:, :1]), "module": model}
    other = nn.Linear(3, 1).double()
    changed = {
        "S": sa.Oracle(act.group, seed=1).draw(4),
        "order": sa.GroupSample(act.group, same["S"].elements[::-1]),
        "data": (x + 1, x[:, :1]),
        "module": other,
        "oracle": 1,
    }
    frozen = nn.Linear(3, 1).double()
    frozen.load_state_dict(model.state_dict())
    frozen.bias.requires_grad_(False)
    if rank == 1:
        frozen.bias.data += 1
    good = sann.ModuleRisk(model, nn.MSELoss(), same["data"], act, None)
    theta = good.theta
    asked = {
        "frozen": lambda: sann.ModuleRisk(frozen, nn.MSELoss(), same["data"], act, None),
        "on": lambda: good.on(sa.Oracle(act.group, seed=rank).draw(4)),
        "audit": lambda: sann.audit(good, theta, sa.Oracle(act.group, seed=rank), calls=10),
        "theta": lambda: sann.audit(good, theta + rank, sa.Oracle(act.group), calls=10),
    }
    messages: dict[str, Any] = {name: refusal(ask) for name, ask in asked.items()}
    for name, value in changed.items():
        given = dict(same)
        if rank == 1 and name != "oracle":
            given["S" if name == "order" else name] = value
        try:
            if name == "oracle":
                oracle = sa.Oracle(act.group, seed=rank)
                sann.StreamingModuleRisk(model, nn.MSELoss(), same["data"], act, oracle)
            else:
                sann.ModuleRisk(given["module"], nn.MSELoss(), given["data"], act, given["S"])
            messages[name] = "no error"
        except ArgumentError as error:
            messages[name] = str(error)
    tiny = sann.ModuleRisk(model, nn.MSELoss(), (x[:1], x[:1, :1]), act, None)
    # rank 1 alone looks on, and it alone asks to stop
    look = (lambda seen: seen.step == 2) if rank == 1 else None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    messages["steps"] = len(tiny.fit(optimizer, num_steps=5, callback=look))
    messages["tiny"] = tiny.gradient(tiny.theta).tolist()
    return messages


def refusal(ask: Callable[[], object]) -> str:
    try:
        ask()
    except ArgumentError as error:
        return str(error)
    return "no error"
