"""A molecule in any orientation: what does an average over m rotations leave of the error?

Water from ASE's g2 set, its atoms displaced at random; energies and forces are those of ASE's
effective medium theory, which is invariant. A small network without any symmetry takes the positions.
It is trained on energies and forces, on the structures as they stand ("unturned") or freshly turned in
every step ("turned"), and tested in random orientations: as it is, and averaged over m rotations that
are drawn, designed, or on a product grid of one of Lebedev's rules and even angles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from ase.build import molecule
from ase.calculators.emt import EMT
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.integrate import lebedev_rule
from torch import Tensor, nn

import sparseaug as sa
from studies.examples.study import Column, Row, Study, look_of, options, run_seeds
from studies.report.looks import LOOKS, SPARE

SPACE = sa.rotations(3)
TURN = sa.rotate(SPACE)
NAME = "H2O"
LABELS = {
    "drawn": "draws",
    "Lebedev": "field: Lebedev's rule x (2 l + 1) angles",
    "integer": "integer quaternions",
    "design": "design",
}

COLUMNS = (
    Column("m", "rotations", digits=0),
    Column("energy", "energy, rms error", digits=3),
    Column("spread", "change under rotation, 1e-3", scale=1000, digits=3),
    Column("forces", "forces, rms error", digits=3),
    Column("exact", "exact to l", digits=0, spread=False),
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """How large the study is."""

    train: int = 400
    test: int = 40
    orientations: int = 16
    steps: int = 3000
    degrees: tuple[int, ...] = (1, 2, 3, 5, 7, 9)


QUICK = Settings(train=60, test=8, orientations=6, steps=150, degrees=(1, 3, 5))


class Rule(NamedTuple):
    """Rotations with weights that sum to 1, exact to l."""

    matrices: Floats
    weights: Floats
    exact: int


class Data(NamedTuple):
    """Positions, energies less their mean over the training set in units of its spread, and forces."""

    x: Tensor
    energy: Tensor
    forces: Tensor


def of_sample(S: sa.GroupSample, exact: int = 0) -> Rule:
    """The elements of S, each with weight 1/m."""
    return Rule(SPACE.matrices(S.elements), np.full(S.m, 1 / S.m), exact)


def product_grid(exact: int, angles: int) -> Rule:
    """Directions of Lebedev's rule of at least this degree, each with so many even angles about it."""
    points, weights = lebedev_rule(exact + 1 - exact % 2)  # the degrees of these rules are odd
    turns = 2 * np.pi * np.arange(angles) / angles
    about = np.zeros((angles, 4))
    about[:, 0], about[:, 3] = np.cos(turns / 2), np.sin(turns / 2)
    x, y, z = points
    to_point = np.stack([1 + z, -y, x, np.zeros_like(z)], axis=1)  # e_z to the point
    to_point[z < -1 + 1e-9] = (0, 1, 0, 0)
    rows = SPACE.compose(SPACE.canonical(to_point)[:, None], SPACE.canonical(about)[None])
    shares = np.repeat(weights / weights.sum() / angles, angles)
    return Rule(SPACE.matrices(rows.reshape(-1, 4)), shares, exact)


def structures(count: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Displaced structures about their centre, their energies and forces."""
    atoms = molecule(NAME)  # type: ignore[no-untyped-call]
    atoms.calc = EMT()  # type: ignore[no-untyped-call]
    start = atoms.positions - atoms.positions.mean(axis=0)
    found = []
    for _ in range(count):
        atoms.positions = start + 0.06 * rng.standard_normal(start.shape)
        atoms.positions -= atoms.positions.mean(axis=0)
        found.append((atoms.positions.copy(), atoms.get_potential_energy(), atoms.get_forces()))
    x, energy, forces = zip(*found, strict=True)
    return np.array(x), np.array(energy), np.array(forces)


def predict(net: nn.Module, x: Tensor, *, training: bool = False) -> tuple[Tensor, Tensor]:
    """Energies and forces of structures (n, atoms, 3)."""
    x = x.detach().requires_grad_()
    energy = net(x.flatten(1))[:, 0]
    (slope,) = torch.autograd.grad(energy.sum(), x, create_graph=training)
    return energy, -slope


def trained(data: Data, settings: Settings, seed: int, *, turned: bool) -> nn.Module:
    """Train on energies and forces; if turned, every structure of every step by a fresh rotation."""
    torch.manual_seed(seed)
    size = data.x[0].numel()
    net = nn.Sequential(
        *(nn.Linear(size, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, 1))
    ).double()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.steps)
    oracle = sa.Oracle(SPACE, seed=seed)
    each = np.arange(32)
    for _ in range(settings.steps):
        chosen = torch.randint(len(data.x), (32,))
        x, energy, forces = (part[chosen] for part in data)
        if turned:
            bound = sa.actions.PreparedAction(TURN, oracle.fresh(32).elements, memory=0)
            x, forces = bound.each(x, each), bound.each(forces, each)
        guess, slope = predict(net, x, training=True)
        loss = nn.functional.mse_loss(guess, energy) + nn.functional.mse_loss(slope, forces)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return net


def averaged(net: nn.Module, x: Tensor, rule: Rule) -> tuple[Tensor, Tensor]:
    """The mean of the energy over a rule, and its forces: those of each copy, turned back."""
    total, slopes = torch.zeros(len(x), dtype=x.dtype), torch.zeros_like(x)
    for R, weight in zip(torch.tensor(rule.matrices), rule.weights.tolist(), strict=True):
        energy, forces = predict(net, x @ R.T)
        total += weight * energy.detach()
        slopes += weight * forces @ R
    return total, slopes


def rules(settings: Settings, seed: int) -> Iterator[tuple[str, Rule]]:
    """Every way to average, by name."""
    yield "none", of_sample(sa.GroupSample(SPACE, SPACE.identity()))
    for degree in settings.degrees:
        S = sa.design(SPACE, degree=degree)
        yield f"design {S.m}", of_sample(S, degree)
        yield f"drawn {S.m}", of_sample(sa.Oracle(SPACE, seed=100 + seed).draw(S.m))
    for degree in settings.degrees[1:]:
        rule = product_grid(degree, 2 * degree + 1)
        yield f"Lebedev x {2 * degree + 1} angles, {len(rule.weights)}", rule
    for m in (14, 30):
        yield f"integer quaternions {m}", of_sample(sa.design(SPACE, m=m, objective="deviation"))


def one_seed(settings: Settings, seed: int) -> Iterator[Row]:
    """All rows of one seed."""
    rng = np.random.default_rng(seed)
    x, energy, forces = structures(settings.train + settings.test, rng)
    centre, scale = energy[: settings.train].mean(), energy[: settings.train].std()
    parts = (x, (energy - centre) / scale, forces / scale)
    train = Data(*(torch.tensor(part[: settings.train]) for part in parts))
    test = Data(*(torch.tensor(part[settings.train :]) for part in parts))
    fresh = SPACE.sample(settings.orientations, rng)
    positions, pulls = TURN(fresh, test.x), TURN(fresh, test.forces)  # (orientations, n, atoms, 3)
    for learner, turned in (("unturned", False), ("turned", True)):
        net = trained(train, settings, seed, turned=turned)
        for way, rule in rules(settings, seed):
            guess, slope = averaged(net, positions.flatten(0, 1), rule)
            energies = guess.reshape(len(fresh), -1)
            errors = {
                "m": len(rule.weights),
                "energy": float((energies - test.energy).square().mean().sqrt()),
                "spread": float(energies.var(dim=0).mean().sqrt()),
                "forces": float((slope.reshape(pulls.shape) - pulls).square().mean().sqrt()),
                "exact": rule.exact,
            }
            yield Row(learner, way, seed, errors)


def chart(study: Study) -> Figure:
    """Change under rotation against m, both logarithmic: one panel a network, one line a kind of S."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    for panel, learner in zip(panels, ("unturned", "turned"), strict=True):
        lines = [line for line in study.lines() if line.learner == learner]
        for kind in LABELS:
            found = [line.mean for line in lines if line.way.startswith(kind)]
            points = sorted((mean["m"], mean["spread"]) for mean in found)
            look = SPARE[0] if kind == "integer" else look_of(kind)
            style = {"color": look.colour, "marker": look.marker, "label": LABELS[kind]}
            panel.plot(*zip(*points, strict=True), **style)
        none = study.line(learner, "none").mean["spread"]
        panel.axhline(none, color=LOOKS["none"].colour, dashes=(1, 1.6), label="not averaged")
        panel.set(xscale="log", yscale="log", xlabel="rotations m", title=learner)
    panels[0].set_ylabel("change of the energy under rotation, of its spread")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


@options("rotations", seeds=5)
def main(out: str, seeds: int | None, jobs: int, quick: bool) -> None:
    """A molecule in any orientation, and averages over m rotations.

    \b
    Writes results.json, table.md, picture.png and chart.png.
    Examples:
      python -m studies.examples.rotations --out rotations --jobs 2
      python -m studies.examples.rotations --out quick --quick
    """
    settings = QUICK if quick else Settings()
    numbers = range(seeds or (1 if quick else 5))
    count = 2 * len(list(rules(settings, 0)))
    rows = run_seeds(partial(one_seed, settings), numbers, rows_per_seed=count, jobs=jobs)
    versions = {name: version(name) for name in ("sparseaug", "numpy", "torch", "ase")}
    noted = {**asdict(settings), "molecule": NAME, "versions": versions}
    study = Study("A molecule in any orientation", COLUMNS, rows, noted)
    study.show()
    for path in study.save(out, picture=("energy", "forces")):
        print(path)
    chart(study).savefig(Path(out) / "chart.png", dpi=110)
    print(Path(out) / "chart.png")


if __name__ == "__main__":
    main()
