"""Run by torchrun: risks that are not the same on all ranks, and one with fewer copies than ranks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from torch import distributed, nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import ArgumentError


def main(folder: Path) -> None:
    distributed.init_process_group("gloo")
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
    messages = {}
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
    messages["tiny"] = tiny.gradient(tiny.theta).tolist()
    (folder / f"{rank}.json").write_text(json.dumps(messages))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
