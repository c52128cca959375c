"""ASE calculators averaged over rotations: invariance, forces, stress and spread."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from tests.extras import optional

ase = optional("ase")
build = optional("ase.build")
calculators = optional("ase.calculators.calculator")
emt = optional("ase.calculators.emt")

SPACE = sa.rotations(3)


def crooked():
    """A calculator that is not invariant: pairs feel a polynomial of their difference, of degree 4."""

    class Crooked(calculators.Calculator):
        implemented_properties = ["energy", "forces", "stress"]  # noqa: RUF012

        def calculate(self, atoms=None, properties=("energy",), system_changes=None):
            super().calculate(atoms, properties, system_changes or calculators.all_changes)
            a = np.array([0.3, -0.5, 0.2])
            r = self.atoms.positions[:, None] - self.atoms.positions[None]
            t = r @ a
            pull = (4 * t**3 + 2 * t)[..., None] * a  # dE/dr of each ordered pair
            stress = np.einsum("abi,abj->ij", pull, r) / max(1e-9, self.atoms.cell.volume)
            self.results = {
                "energy": float((t**4 + t**2).sum()),
                "forces": -2 * pull.sum(axis=1),
                "stress": (0.5 * (stress + stress.T)).reshape(-1)[[0, 4, 8, 5, 2, 1]],
            }

    return Crooked()


def some_atoms(seed=0):
    rng = np.random.default_rng(seed)
    return ase.Atoms("OCH3", positions=rng.standard_normal((5, 3)), cell=3 * np.eye(3), pbc=False)


def turned(atoms, R):
    copy = atoms.copy()
    copy.set_cell(atoms.cell.array @ R.T, scale_atoms=False)
    copy.set_positions(atoms.positions @ R.T)
    return copy


def test_energies_averaged_over_an_exact_design_do_not_change_under_rotation(rng):
    """The energy has degree 4: 60 rotations are exact, 12 are not, 60 draws are not either."""
    atoms = some_atoms()
    rotations = SPACE.matrices(SPACE.sample(8, rng))

    def energies(S):
        calc = sa.sources.averaged_calculator(crooked(), S)
        return np.array([calc.get_potential_energy(turned(atoms, R)) for R in rotations])

    scale = crooked().get_potential_energy(atoms)
    assert np.ptp(energies(sa.design(SPACE, degree=5))) < 1e-12 * scale
    assert np.ptp(energies(sa.design(SPACE, degree=2))) > 1e-3 * scale
    assert np.ptp(energies(sa.Oracle(SPACE, seed=0).draw(60))) > 1e-3 * scale


def test_forces_and_stress_are_derivatives_of_the_averaged_energy():
    atoms = some_atoms()
    S = sa.Oracle(SPACE, seed=2).draw(4)
    atoms.calc = sa.sources.averaged_calculator(crooked(), S)
    forces, h = atoms.get_forces(), 1e-5
    for i, axis in ((0, 0), (2, 1), (4, 2)):
        sides = []
        for sign in (1, -1):
            moved = atoms.copy()
            moved.positions[i, axis] += sign * h
            moved.calc = sa.sources.averaged_calculator(crooked(), S)
            sides.append(moved.get_potential_energy())
        assert forces[i, axis] == pytest.approx(-(sides[0] - sides[1]) / (2 * h), rel=1e-6)
    stress = atoms.get_stress(voigt=False)
    strain = np.zeros((3, 3))
    strain[0, 1] = strain[1, 0] = 0.5 * h
    sides = []
    for sign in (1, -1):
        moved = atoms.copy()
        moved.set_cell(atoms.cell.array @ (np.eye(3) + sign * strain), scale_atoms=True)
        moved.calc = sa.sources.averaged_calculator(crooked(), S)
        sides.append(moved.get_potential_energy())
    work = (sides[0] - sides[1]) / (2 * h) / atoms.cell.volume
    assert stress[0, 1] == pytest.approx(work, rel=1e-5)


def test_the_spread_is_the_standard_deviation_over_S():
    atoms = some_atoms()
    S = sa.Oracle(SPACE, seed=3).draw(7)
    twice = sa.GroupSample(
        SPACE, np.concatenate([S.elements] * 2)
    )  # equal elements are computed once, and count twice
    energies = [
        crooked().get_potential_energy(turned(atoms, R)) for R in SPACE.matrices(S.elements)
    ]
    for sample in (S, twice):
        calc = sa.sources.averaged_calculator(crooked(), sample)
        assert calc.get_potential_energy(atoms) == pytest.approx(np.mean(energies))
        assert calc.spread["energy"] == pytest.approx(np.std(energies))
    assert calc.get_forces(atoms).shape == calc.spread["forces"].shape == (5, 3)


def counted(calculator):
    """The calculator, and a list that grows by one with each of its calculations."""
    done, calculate = [], calculator.calculate

    def counting(*args, **kwargs):
        done.append(1)
        calculate(*args, **kwargs)

    calculator.calculate = counting
    return calculator, done


def test_energy_forces_and_stress_take_one_pass_in_any_order():
    S = sa.Oracle(SPACE, seed=0).draw(5)
    ways = ("get_potential_energy", "get_forces", "get_stress")
    for order in (ways, ways[::-1]):
        inner, done = counted(crooked())
        atoms = some_atoms()
        atoms.calc = sa.sources.averaged_calculator(inner, S)
        for way in order:
            getattr(atoms, way)()
        assert len(done) == 5
        assert set(atoms.calc.spread) == {"energy", "forces", "stress"}
