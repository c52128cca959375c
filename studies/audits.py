"""Audits by cosets next to plain ones, next to the truth.

    python -m studies.audits [paper folder]

Networks: digits under D4 and under the 64 shifts of an 8 x 8 grid, and molecules of QM9 (package
qm9pack) under S_12; each is trained on one S and audited from fresh elements: plain, by cosets at
equal calls, and plain again at equal gradients. With the folder of a finished `python -m studies paper`,
also the kernel model at the end of one-shot-64, every seed: how many times the truth each audit
states, and how many calls an audit takes that stops at 0.1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from rich import box
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from torch import nn

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.certificate import Evidence, audited
from sparseaug.errors import SparseAugError
from studies.paper import Config, Folder
from studies.paper.problem import Problem
from studies.sealed import load_json

DRAWS = 10_000
CALLS = 2_000
TITLE = f"networks, {CALLS:,} calls, with twice the longest gradient seen as the limit"


def digits(shift: bool) -> tuple[nn.Module, Any, tuple[Any, Any]]:
    """A small convolutional network on 50 images."""
    images, labels = load_digits(return_X_y=True)
    x = torch.tensor(images[:50].reshape(-1, 1, 8, 8) / 16)
    mode: Literal["circular", "zeros"] = "circular" if shift else "zeros"
    torch.manual_seed(0)
    net = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1, padding_mode=mode), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 16, 3, padding=1, padding_mode=mode), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(64, 10)),
    )
    return net.double(), nn.functional.cross_entropy, (x, torch.tensor(labels[:50]))


def molecules() -> tuple[nn.Module, Any, tuple[Any, Any]]:
    """A perceptron on the Coulomb matrices of 50 molecules of twelve atoms."""
    from studies.examples.molecules import read_molecules

    read = read_molecules(12, limit=50)
    energies = (read.energies - read.energies.mean()) / read.energies.std()
    torch.manual_seed(0)
    hidden = (nn.Linear(144, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
    net = nn.Sequential(nn.Flatten(), *hidden, nn.Linear(32, 1))
    x = torch.tensor(read.matrices / 30)
    return net.double(), nn.HuberLoss(), (x, torch.tensor(energies)[:, None])


def problems() -> Iterator[tuple[str, Any, Any]]:
    """Name, action and (network, loss, data) of each problem that can be had here."""
    yield "digits, D4", sa.rotate_grid(sa.dihedral(4)), lambda: digits(shift=False)
    yield "digits, shifts", sa.roll(sa.abelian(8, 8)), lambda: digits(shift=True)
    yield "QM9, S12", sa.permute_nodes(sa.symmetric(12)), molecules


def networks(console: Console) -> None:
    """One table: the bound of each audit, next to the truth and the longest gradient seen."""
    table = Table(box=box.SIMPLE_HEAD, title=TITLE, title_justify="left")
    for heading in (
        *("problem", "m", "exact", "mean", "longest", "plain", "cosets", "equal gradients"),
    ):
        table.add_column(heading, justify="left" if heading == "problem" else "right")
    for name, action, make in problems():
        try:
            net, loss, data = make()
        except SparseAugError as error:
            console.print(f"{name}: {error}")
            continue
        m = 4 if action.group.order == 8 else 16
        S = sa.Oracle(action.group, seed=0).draw(m)
        risk = sann.ModuleRisk(net, loss, data, action, S)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
        for _ in range(200):
            optimizer.step(risk.backward)
        theta = risk.theta
        longest, mean = seen(risk, theta)
        one = sa.GroupSample(action.group, action.group.identity())

        found = sa.certify(theta, risk, kinds=None)
        exact = f"{found['exact'].truth:.4f}" if "exact" in found else "-"
        bounds = [
            bound(risk, over, calls, 2 * longest)
            for over, calls in ((one, CALLS), (S, CALLS), (one, CALLS * m))
        ]
        table.add_row(
            *(name, str(m), exact, f"{mean:.4f}", f"{longest:.3f}"),
            *(f"{value:.4f}" for value in bounds),
        )
    console.print(table)


def bound(risk: Any, over: sa.GroupSample, calls: int, largest: float) -> float:
    """By the first audit of the iterate with this limit."""
    alone = risk.on(risk.sample)
    alone.audits = {}
    oracle = sa.Oracle(risk.action.group, seed=1)
    options: dict[str, Any] = {"calls": calls, "translates_of": over, "largest": largest}
    return float(sann.audit(alone, risk.theta, oracle, **options).bound)


def seen(risk: sann.ModuleRisk, theta: torch.Tensor) -> tuple[float, float]:
    """The longest gradient of a single element, and the norm of their mean, over many draws."""
    group = risk.action.group
    if group.order <= DRAWS:
        rows = group.all_elements()
    else:
        rows = sa.Oracle(group, seed=2).fresh(DRAWS).elements
    each = [risk.on(sa.GroupSample(group, row[None])).gradient(theta) for row in rows]
    v = torch.stack(each)
    return float(v.norm(dim=1).max()), float(v.mean(0).norm())


def kernel_model(path: Path, console: Console) -> None:
    """The medians over seeds of bound / truth at the end of one-shot-64."""
    results = load_json(path / "results.json")
    config = Config.from_dict(results["config"])
    files = Folder(path, config)
    ratios: dict[str, list[float]] = {}
    calls: dict[str, list[int]] = {}
    below = 0
    for seed in range(config.seeds):
        given = Problem(config, seed)
        S, group = given.sample(64), given.action.group
        theta = files.load_part(seed, "one-shot-64").arrays["theta"][-1]
        truth = results["one-shot-64"]["gradient_norm"][seed][-1]
        kinds = {
            "single elements": sa.GroupSample(group, group.identity()),
            "cosets of S": S,
            "cosets of 500 words": S.words(3, 500),
        }
        for name, over in kinds.items():
            for until in (None, 0.1):
                evidence = Evidence(given.model, given.train, given.action, S)
                found = audited(
                    evidence,
                    theta,
                    oracle=sa.Oracle(group, seed=1000 + seed),
                    calls=CALLS if until is None else 20_000,
                    translates_of=over,
                    until=until,
                )
                key = name if until is None else f"{name}, until {until}"
                below += found.bound < truth * (1 - 1e-12)
                ratios.setdefault(key, []).append(found.bound / truth)
                # a truth above 0.1 cannot be certified to be below it
                if until is None or truth <= until:
                    calls.setdefault(key, []).append(found.calls - S.calls)
    table = Table(box=box.SIMPLE_HEAD, title="one-shot-64 at its end", title_justify="left")
    for heading in ("audit", "calls", "times the truth", "worst seed"):
        table.add_column(heading, justify="left" if heading == "audit" else "right")
    for key, values in ratios.items():
        drawn, median = f"{np.median(calls[key]):.0f}", f"{np.median(values):.2f}"
        table.add_row(key, drawn, median, f"{max(values):.2f}")
    console.print(table)
    console.print(f"{below} of {sum(map(len, ratios.values()))} bounds are below the truth")


def main() -> None:
    console = Console(width=140)
    if len(sys.argv) > 1:
        kernel_model(Path(sys.argv[1]), console)
    networks(console)


if __name__ == "__main__":
    main()
