"""ModuleRisk on 720 x 128 copies next to one plain forward-backward of the same copies.

The plain pass gets the copies ready-made; the loop is what one writes first: for every element, move
the data, go forward and back, add. `--device cuda` runs it there.
"""

from __future__ import annotations

import argparse
from functools import partial

import torch
from torch import nn

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug import nn as sann


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--device", default="cpu")
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--hidden", type=int, nargs="+", default=[32, 128])
    given = options.parse_args()
    for hidden in given.hidden:
        sets_of_six(hidden, given.device, given.rounds)


def sets_of_six(hidden: int, device: str, rounds: int) -> None:
    """The paper's size, 128 samples of 6 coordinates under all of S_6, through a small network."""
    torch.manual_seed(0)
    act = sa.permute_axis(sa.symmetric(6))
    S = sa.Oracle(act.group).draw(720)
    x = torch.randn(128, 6, device=device)
    y = x.square().sum(1, keepdim=True)
    net = nn.Sequential(nn.Linear(6, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
    model = nn.Sequential(net, nn.Linear(hidden, 1)).to(device)
    loss = nn.MSELoss()
    risk = sann.ModuleRisk(model, loss, (x, y), act, S)
    copies, targets = sa.augment(act, S, x, y)
    parameters = list(model.parameters())
    theta = risk.theta

    def finish(parts: tuple[torch.Tensor, ...]) -> torch.Tensor:
        flat = torch.cat([part.reshape(-1) for part in parts])
        if device != "cpu":
            torch.cuda.synchronize()
        return flat

    def plain() -> torch.Tensor:
        return finish(torch.autograd.grad(loss(model(copies), targets), parameters))

    def ours(risk: sann.ModuleRisk = risk) -> torch.Tensor:
        return finish((risk.gradient(theta),))

    def loop() -> torch.Tensor:
        total = [torch.zeros_like(p) for p in parameters]
        for row in S.elements:
            moved = act(row[None], x)[0]
            for sum_, part in zip(
                total, torch.autograd.grad(loss(model(moved), y), parameters), strict=True
            ):
                sum_ += part / S.m
        return finish(tuple(total))

    for other in (ours(), loop()):
        torch.testing.assert_close(other, plain(), rtol=1e-3, atol=1e-5)
    fixed = {
        size: sann.ModuleRisk(model, loss, (x, y), act, S, chunk_size=size)
        for size in (1024, 4096, 16384, 131072)
    }
    best = compare(
        f"720 x 128 copies of six numbers, {hidden} hidden units, {device}",
        {
            "one plain pass, copies ready-made": plain,
            "ModuleRisk": ours,
            "loop over elements": loop,
            **{f"ModuleRisk, chunks of {size}": partial(ours, one) for size, one in fixed.items()},
        },
        rounds=rounds,
    )
    fastest = min(best[f"ModuleRisk, chunks of {size}"] for size in fixed)
    print(f"  the trial's choice takes {best['ModuleRisk'] / fastest:.2f} of the best fixed chunk")
    ratio = best["loop over elements"] / best["ModuleRisk"]
    print(
        f"  ModuleRisk is {ratio:.1f} times as fast as the loop; chunks of {risk.chunk_size} copies\n"
    )


if __name__ == "__main__":
    main()
