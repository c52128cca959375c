"""Averaged potentials in production: equivariance, energy in NVE, batches, which rotations.

    python -m studies.calculators                   # some minutes
    python -m studies.calculators --steps 2000

The potential is a small network on differences of positions, of random weights and never told of
rotations, beside springs that hold the molecule; energies and forces come from torch, for one structure
or for many of one composition at once.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from ase import units
from ase.build import molecule
from ase.calculators.calculator import Calculator, all_changes
from ase.collections import g2
from ase.md.verlet import VelocityVerlet

import sparseaug as sa
from sparseaug.sources import averaged_calculator, choose_rotations


def energies(x: torch.Tensor, lengths: torch.Tensor, network: Any) -> torch.Tensor:
    """(k, atoms, 3) -> (k,)."""
    i, j = torch.triu_indices(x.shape[1], x.shape[1], 1)
    difference = x[:, j] - x[:, i]
    springs = 5 * (difference.norm(dim=-1) - lengths).square().sum(dim=1)
    return springs + 0.3 * network(difference).sum(dim=(1, 2))


def made(atoms: Any, seed: int = 0) -> tuple[Calculator, Callable[[list[Any]], list[Any]]]:
    """A calculator held at this structure, and the same for several at once."""
    generator = torch.Generator().manual_seed(seed)
    network = torch.nn.Sequential(
        torch.nn.Linear(3, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)
    ).double()
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator) / weight.shape[-1] ** 0.5)
    x = torch.from_numpy(atoms.positions)
    i, j = torch.triu_indices(len(x), len(x), 1)
    lengths = (x[j] - x[i]).norm(dim=-1)

    def batch(structures: list[Any]) -> list[dict[str, Any]]:
        many = torch.from_numpy(np.stack([one.positions for one in structures])).requires_grad_()
        found = energies(many, lengths, network)
        forces = -torch.autograd.grad(found.sum(), many)[0]
        pairs = zip(found.tolist(), forces.numpy(), strict=True)
        return [{"energy": energy, "forces": force} for energy, force in pairs]

    class Network(Calculator):
        implemented_properties = ["energy", "forces"]  # noqa: RUF012

        def calculate(
            self, atoms: Any = None, properties: Any = (), system_changes: Any = None
        ) -> None:
            super().calculate(atoms, properties, system_changes or all_changes)  # type: ignore[no-untyped-call]
            self.results = batch([self.atoms])[0]

    return Network(), batch  # type: ignore[no-untyped-call]


def equivariance(count: int) -> tuple[float, float, float]:
    """The largest |F(g x) - g F(x)| over structures and designed g, as a share of the spread.

    The designed g are those of a group, which averaging leaves as it is; and its median over random g.
    """
    S = sa.design("SO3", degree=5)
    names = [name for name in g2.names if 2 <= len(g2[name]) <= 9][:count]
    worst, spread, off_at_random = 0.0, [], []
    random = sa.Oracle("SO3", seed=2)
    for name in names:
        atoms = molecule(name)  # type: ignore[no-untyped-call]
        inner, batch = made(atoms)
        atoms.calc = averaged_calculator(inner, S, batch=batch)
        forces, off = atoms.get_forces(), float(np.sqrt(np.mean(atoms.calc.spread["forces"] ** 2)))
        spread.append(off)
        rows = np.concatenate([S.elements[[7, 31]], random.fresh(2).elements])
        for j, R in enumerate(sa.rotations(3).matrices(rows)):
            turned = atoms.copy()
            turned.positions = atoms.positions @ R.T
            turned.calc = averaged_calculator(inner, S, batch=batch)
            apart = abs(turned.get_forces() - forces @ R.T)
            if j < 2:
                worst = max(worst, float(apart.max()) / off)
            else:
                off_at_random.append(float(np.sqrt(np.mean(apart**2))) / off)
    return worst, float(np.median(off_at_random)), float(np.mean(spread))


def drift(averaged: bool, steps: int, trajectories: int) -> tuple[float, float]:
    """NVE, meV per atom: the drift (slope times length, rms over trajectories), and the ripple about it.

    Each trajectory has velocities and a translate of its own.
    """
    atoms = molecule("CH3CH2OH")  # type: ignore[no-untyped-call]
    inner, batch = made(atoms)
    if averaged:
        oracle, S = sa.Oracle("SO3", seed=1), sa.design("SO3", degree=2)
        how: Any = {"translate_per": "trajectory", "oracle": oracle}
        inner = averaged_calculator(inner, S, batch=batch, **how)
    slopes, ripples = [], []
    for seed in range(trajectories):
        one = atoms.copy()
        if averaged:
            inner.new_trajectory()  # type: ignore[attr-defined]
        one.calc = inner
        one.set_momenta(
            np.random.RandomState(seed).normal(size=(len(one), 3))
            * np.sqrt(300 * units.kB * one.get_masses())[:, None]
        )
        energy = [one.get_total_energy()]
        dynamics = VelocityVerlet(one, timestep=0.25 * units.fs)
        for _ in range(steps // 10):
            dynamics.run(10)  # type: ignore[no-untyped-call]
            energy.append(one.get_total_energy())
        time = np.linspace(0, 1, len(energy))
        slope, start = np.polyfit(time, energy, 1)
        slopes.append(slope)
        ripples.append(np.std(energy - slope * time - start))
    scale = 1e3 / len(atoms)
    return scale * float(np.sqrt(np.mean(np.square(slopes)))), scale * float(np.mean(ripples))


def seconds(batched: bool, repeats: int) -> float:
    atoms = molecule("CH3CH2OH")  # type: ignore[no-untyped-call]
    inner, batch = made(atoms)
    S = sa.design("SO3", degree=5)
    atoms.calc = averaged_calculator(inner, S, batch=batch if batched else None)
    atoms.get_forces()
    start = time.perf_counter()
    for _ in range(repeats):
        atoms.rattle(1e-3)
        atoms.get_forces()
    return (time.perf_counter() - start) / repeats


def chosen(count: int, error: float) -> tuple[list[int], list[int], float, float]:
    """What `choose_rotations` takes for each molecule, and how much fresh translates of it leave.

    Next to it, how many uniform draws leave as little.
    """
    names = [name for name in g2.names if 3 <= len(g2[name]) <= 9][:count]
    sizes, draws, wrong, left = [], [], 0, []
    for name in names:
        atoms = molecule(name)  # type: ignore[no-untyped-call]
        inner, batch = made(atoms)
        choice = choose_rotations(inner, [atoms], error=error, batch=batch)
        S = choice.sample
        sizes.append(S.m)
        draws.append(choice.draws)
        oracle = sa.Oracle("SO3", seed=1)
        translates = [
            averaged_calculator(inner, S.translate(oracle), batch=batch) for _ in range(100)
        ]
        left.append(float(np.std([one.get_potential_energy(atoms) for one in translates])))
        wrong += left[-1] > error
    return sizes, draws, wrong / len(names), float(np.median(left))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--structures", type=int, default=60)
    parser.add_argument("--steps", type=int, default=400)
    given = parser.parse_args()
    torch.set_num_threads(1)
    worst, random, spread = equivariance(given.structures)
    print(f"forces of {given.structures} structures over designed rotations: off by {worst:.2g} of")
    print(f"  the spread, {spread:.3g} eV/A; over random ones by {random:.2g} (median)")
    for averaged in (False, True):
        slope, ripple = drift(averaged, given.steps, 8)
        print(
            f"NVE, {given.steps} steps, 8 trajectories, averaged={averaged}: drift {slope:.2g} and"
        )
        print(f"  ripple {ripple:.2g} meV per atom")
    for error in (1e-2, 1e-3):
        sizes, draws, wrong, left = chosen(given.structures, error)
        print(f"error {error:g}: m = {min(sizes)} to {max(sizes)}, median {np.median(sizes):g};")
        print(f"  uniform draws: {min(draws)} to {max(draws)}, median {np.median(draws):g};")
        print(f"  {wrong:.1%} leave more, the median {left:.2g}")
    loop, batch = seconds(False, 5), seconds(True, 5)
    print(f"60 rotations: loop {loop:.4f} s, batch {batch:.4f} s: {loop / batch:.1f} times")


if __name__ == "__main__":
    main()
