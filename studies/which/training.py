"""Training on m shifts of photographs: which S leaves the most accurate network?

    python -m studies.which.sets --cifar FOLDER --out FOLDER     # photographs.npz and sets.json
    python -m studies.which.training FOLDER [--quick]            # training.md, and training-SEED.json

A network of total stride 4 sees every photograph moved (periodically) by an element of S, chosen at
random for each photograph and step: stochastic gradient on the risk R^S. It is tested on photographs
moved by random shifts. "own draws" are m for each photograph, drawn once; "own translates" the prior
moved by a shift of each photograph's own: as many rows as with one S for all. "streaming" draws m fresh
shifts at every step; "full" takes any of the 784. Two networks: one ends in the mean over all places,
the other looks at each place. Needs PyTorch and NumPy alone; uses a GPU if there is one.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

SIDE = 28
SIZES = (16, 49)
NETWORKS = ("pooled", "flat")
TEST_SHIFTS = 4
BATCH = 128


class Photographs(NamedTuple):
    x: Tensor
    y: Tensor
    x_test: Tensor
    y_test: Tensor


def load(path: Path, device: str, limit: int | None = None) -> Photographs:
    with np.load(path) as file:
        parts = [torch.from_numpy(file[name]) for name in ("x", "y", "x_test", "y_test")]
    x, y, x_test, y_test = (part[:limit].to(device) for part in parts)
    return Photographs(scaled(x), y.long(), scaled(x_test), y_test.long())


def scaled(images: Tensor) -> Tensor:
    return (images.permute(0, 3, 1, 2).float() - 120) / 64


def network(kind: str, seed: int) -> nn.Module:
    """Strides 2 and 2; the head takes the mean over places, or all places."""
    torch.manual_seed(seed)
    layers: list[nn.Module] = []
    for before, after, stride in ((3, 32, 2), (32, 64, 2), (64, 64, 1)):
        layers += [nn.Conv2d(before, after, 3, stride, 1), nn.ReLU()]
    if kind == "pooled":
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)]
    else:
        layers += [nn.Flatten(), nn.Linear(64 * 7 * 7, 10)]
    return nn.Sequential(*layers)


def moved(x: Tensor, shifts: Tensor) -> Tensor:
    """Each image rolled by its own shift (n, 2)."""
    places = torch.arange(SIDE, device=x.device)
    rows, columns = ((places - shifts[:, axis, None]) % SIDE for axis in (0, 1))
    one = torch.arange(len(x), device=x.device)[:, None, None]
    return x.permute(0, 2, 3, 1)[one, rows[:, :, None], columns[:, None]].permute(0, 3, 1, 2)


def train(
    net: nn.Module, data: Photographs, S: Tensor | int | None, *, epochs: int, seed: int
) -> None:
    """S: elements (m, 2), or (n, m, 2) of each photograph's own; a number of fresh shifts for every
    step; None for photographs as they are."""
    device, per_epoch = data.x.device, len(data.x) // BATCH
    keys, steps = torch.Generator().manual_seed(seed), epochs * per_epoch
    orders = [torch.randperm(len(data.x), generator=keys) for _ in range(epochs)]
    batches = torch.stack([order[: per_epoch * BATCH] for order in orders]).view(steps, BATCH)
    m = S if isinstance(S, int) else 1 if S is None else S.shape[-2]
    which = torch.randint(m, (steps, BATCH), generator=keys)
    if isinstance(S, int):
        fresh = torch.randint(SIDE, (steps, S, 2), generator=keys)
        shifts = fresh[torch.arange(steps)[:, None], which]
    elif S is not None and S.ndim == 3:
        shifts = S[batches, which]
    else:
        shifts = (torch.zeros(1, 2, dtype=torch.int64) if S is None else S)[which]
    batches, shifts = batches.to(device), shifts.to(device)
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    net.train()
    for batch, shift in zip(batches, shifts, strict=True):
        loss = nn.functional.cross_entropy(net(moved(data.x[batch], shift)), data.y[batch])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
    net.eval()


@torch.no_grad()
def accuracy(net: nn.Module, data: Photographs) -> float:
    """On test photographs, each moved by `TEST_SHIFTS` random shifts: the same for all."""
    keys, n = torch.Generator().manual_seed(99), len(data.x_test)
    right = 0
    for _ in range(TEST_SHIFTS):
        shifts = torch.randint(SIDE, (n, 2), generator=keys).to(data.x_test.device)
        for at in range(0, n, 1000):
            some = slice(at, at + 1000)
            found = net(moved(data.x_test[some], shifts[some])).argmax(1)
            right += int((found == data.y_test[some]).sum())
    return right / (TEST_SHIFTS * n)


def contenders(
    sets: dict[str, Any], kind: str, seed: int, photographs: int
) -> dict[tuple[str, int], Any]:
    """What each network is trained on."""
    keys = torch.Generator().manual_seed(1000 + seed)
    every = torch.cartesian_prod(torch.arange(SIDE), torch.arange(SIDE))
    found: dict[tuple[str, int], Any] = {("unmoved", 1): None, ("full", SIDE**2): every}
    for one in sets["sets"]:
        if one["network"] in (None, kind) and one["seed"] in (None, seed):
            found[one["name"], one["m"]] = torch.tensor(one["elements"])
    for m in SIZES:
        found["own draws", m] = torch.randint(SIDE, (photographs, m, 2), generator=keys)
        by = torch.randint(SIDE, (photographs, 1, 2), generator=keys)
        _, prior = max(key for key in found if key[0] == "prior" and key[1] <= m)
        found["own translates", m] = (found["prior", prior] + by) % SIDE
        found["streaming", m] = m
    return found


def run(folder: Path, out: Path, seed: int, *, quick: bool) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = load(folder / "photographs.npz", device, 1000 if quick else None)
    sets = json.loads((folder / "sets.json").read_text())
    rows = []
    for kind in NETWORKS:
        for (name, m), S in contenders(sets, kind, seed, len(data.x)).items():
            start = time.perf_counter()
            net = network(kind, seed).to(device)
            train(net, data, S, epochs=2 if quick else 30, seed=seed)
            right = accuracy(net, data)
            rows.append({"network": kind, "seed": seed, "name": name, "m": m, "accuracy": right})
            took = time.perf_counter() - start
            print(f"{kind} seed {seed} {name} m = {m}: {right:.4f} ({took:.0f} s)", flush=True)
            (out / f"training-{seed}.json").write_text(json.dumps(rows, indent=1))


def table(rows: list[dict[str, Any]], sets: dict[str, Any]) -> str:
    """Means over seeds and half the range; next to what the sets leave of the pilots' variance."""
    lines = [
        "| network | S | m | accuracy, moved | +- | left, untrained | left, brief | deviation |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind in NETWORKS:
        of = [row for row in rows if row["network"] == kind]
        for name, m in sorted({(row["name"], row["m"]) for row in of}, key=lambda k: (k[1], k[0])):
            found = [row["accuracy"] for row in of if (row["name"], row["m"]) == (name, m)]
            half = (max(found) - min(found)) / 2
            notes = [
                s for s in sets["judged"] if (s["name"], s["m"], s["network"]) == (name, m, kind)
            ]
            keys = ("untrained", "brief", "deviation")
            judged = [f"{np.mean([s[key] for s in notes]):.3g}" if notes else "" for key in keys]
            lines.append(
                f"| {kind} | {name} | {m} | {np.mean(found):.4f} | {half:.4f} | {' | '.join(judged)} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with photographs.npz and sets.json")
    parser.add_argument("--out", type=Path, help="for the results; the same folder by default")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2], help="none: table only")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    out = given.out or given.folder
    for seed in given.seeds:
        run(given.folder, out, seed, quick=given.quick)
    files = sorted(out.glob("training-*.json"))
    rows = [row for file in files for row in json.loads(file.read_text())]
    text = table(rows, json.loads((given.folder / "sets.json").read_text()))
    (out / "training.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
