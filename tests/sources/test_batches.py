"""Averaged calculators: batches, processes, symmetry, trajectories, the choice of S."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sources import averaged_calculator, choose_rotations, crystal, point_group
from tests.extras import optional

ase = optional("ase")
calculators = optional("ase.calculators.calculator")
optional("ase.neighborlist")
SPACE = sa.rotations(3)
ATOMS = ase.Atoms("OCH3", positions=np.random.default_rng(0).standard_normal((5, 3)))


def results_of(atoms: Any) -> dict[str, Any]:
    """Not invariant: a polynomial of degree 3 of the positions, and tensors made of it."""
    a = np.array([0.3, -0.5, 0.2])
    t = atoms.positions @ a
    dipole = (t**2) @ atoms.positions
    return {
        "energy": float((t**3 + t**2).sum()),
        "forces": -(3 * t**2 + 2 * t)[:, None] * a,
        "charges": t**2,
        "dipole": dipole,
        "polarizability": np.einsum("i,ij,ik->jk", t, atoms.positions, atoms.positions),
    }


class Crooked(calculators.Calculator):  # type: ignore[misc, name-defined]
    implemented_properties = ["energy", "forces", "charges", "dipole", "polarizability"]  # noqa: RUF012

    def calculate(
        self, atoms: Any = None, properties: Any = (), system_changes: Any = None
    ) -> None:
        super().calculate(atoms, properties, system_changes or calculators.all_changes)
        self.results = results_of(self.atoms)


def together(structures: list[Any]) -> list[dict[str, Any]]:
    return [results_of(one) for one in structures]


def found(atoms: Any, **given: Any) -> tuple[Any, Any]:
    atoms = atoms.copy()
    atoms.calc = averaged_calculator(Crooked(), sa.design(SPACE, degree=5), **given)
    names = Crooked.implemented_properties
    return {name: atoms.calc.get_property(name, atoms) for name in names}, atoms.calc


def test_a_batch_and_processes_give_what_a_loop_gives() -> None:
    loop = found(ATOMS)[0]
    for given in ({"batch": together}, {"n_jobs": 2}):
        other = found(ATOMS, **given)[0]
        for name, value in loop.items():
            assert np.allclose(other[name], value, rtol=1e-12, atol=1e-14)
    calculator = pickle.loads(pickle.dumps(found(ATOMS, batch=together)[1]))
    assert calculator.batch is together
    with pytest.raises(ArgumentError, match="batch returned 1 results for 60"):
        found(ATOMS, batch=lambda structures: together(structures[:1]))


def test_vectors_and_tensors_turn_back() -> None:
    """Of degree 4 at most, so that 60 rotations make them exactly equivariant."""
    R = SPACE.matrices(SPACE.sample(1, np.random.default_rng(1)))[0]
    turned = ATOMS.copy()
    turned.positions = ATOMS.positions @ R.T
    one, two = found(ATOMS)[0], found(turned)[0]
    assert one["energy"] == pytest.approx(two["energy"], abs=1e-10)
    assert np.allclose(two["charges"], one["charges"])
    assert np.allclose(two["dipole"], one["dipole"] @ R.T)
    assert np.allclose(two["polarizability"], R @ one["polarizability"] @ R.T)
    assert abs(Crooked().get_property("dipole", ATOMS) - one["dipole"]).max() > 0.1


class Directed(calculators.Calculator):  # type: ignore[misc, name-defined]
    """Sums over neighbours of polynomials of degree 6 of their direction, and counts its work."""

    implemented_properties = ["energy", "forces", "stress", "charges"]  # noqa: RUF012
    done = 0

    def calculate(
        self, atoms: Any = None, properties: Any = (), system_changes: Any = None
    ) -> None:
        super().calculate(atoms, properties, system_changes or calculators.all_changes)
        type(self).done += 1
        i, D = ase.neighborlist.neighbor_list("iD", self.atoms, 3.5)
        t, r = D @ np.array([0.3, -0.5, 0.2]), np.linalg.norm(D, axis=1)
        w = np.exp(-r) * (1 - (r / 3.5) ** 2) ** 2
        forces, charges = np.zeros((len(self.atoms), 3)), np.zeros(len(self.atoms))
        np.add.at(forces, i, (w * t**3)[:, None] * D)
        np.add.at(charges, i, w * t**2 * self.atoms.numbers[i])
        stress = np.einsum("k,ki,kj->ij", w * t**2, D, D)
        energy = float((w * (t**6 + t**4 + t)).sum())
        stress = stress.reshape(-1)[[0, 4, 8, 5, 2, 1]]
        self.results = {"energy": energy, "forces": forces, "stress": stress, "charges": charges}


@pytest.mark.parametrize(("name", "most"), [("ZnO", 30), ("Cu", 5), ("CH4", 5)])
def test_symmetry_gives_the_same_by_fewer_calculations(name: str, most: int) -> None:
    """60 rotations in sets R P: at most so many sets for the point groups C6v, Oh and Td."""
    build = optional("ase.build")
    made = {
        "ZnO": lambda: build.bulk("ZnO", "wurtzite", a=3.2, c=5.2),
        "Cu": lambda: build.bulk("Cu", cubic=True),
        "CH4": lambda: build.molecule("CH4"),
    }
    atoms = made[name]()
    symmetry = crystal(atoms) if atoms.pbc.all() else point_group(atoms)
    S = sa.design(SPACE, degree=5)
    whole = averaged_calculator(Directed(), S)
    reduced = averaged_calculator(Directed(), S, symmetry=symmetry)
    how: Any = {"translate_per": "trajectory", "oracle": sa.Oracle(SPACE, seed=0)}
    moving = averaged_calculator(Directed(), S, symmetry=symmetry, **how)
    assert len(moving.turns.matrices) == most  # a translate keeps the sets
    whole.calculate(atoms, Directed.implemented_properties)
    Directed.done = 0
    reduced.calculate(atoms, Directed.implemented_properties)
    assert Directed.done == most
    assert whole.spread["energy"] > 0.01
    for name in Directed.implemented_properties:
        assert np.allclose(whole.results[name], reduced.results[name], atol=1e-12)
        assert np.allclose(whole.spread[name], reduced.spread[name], atol=1e-12)
    atoms.positions[0] += 0.01
    with pytest.raises(ArgumentError, match="atoms lack"):
        reduced.calculate(atoms)


def test_a_trajectory_has_one_translate_and_the_next_another() -> None:
    oracle, S = sa.Oracle(SPACE, seed=3), sa.design(SPACE, degree=1)
    calculator = averaged_calculator(Crooked(), S, translate_per="trajectory", oracle=oracle)
    first = calculator.sample
    energies = []
    for _ in range(200):
        assert calculator.get_potential_energy(ATOMS) == calculator.get_potential_energy(ATOMS)
        energies.append(calculator.get_potential_energy(ATOMS))
        calculator.new_trajectory()
    assert oracle.calls == 201
    assert first == S.translate(sa.Oracle(SPACE, seed=3), "left")
    mean = averaged_calculator(Crooked(), sa.design(SPACE, degree=5)).get_potential_energy(ATOMS)
    assert abs(np.mean(energies) - mean) < 5 * np.std(energies) / 200**0.5  # 6e-7
    copy = pickle.loads(pickle.dumps(calculator))
    assert copy.sample == calculator.sample
    with pytest.raises(ArgumentError, match="oracle"):
        averaged_calculator(Crooked(), S, translate_per="trajectory")
    with pytest.raises(ArgumentError, match="oracle goes with"):
        averaged_calculator(Crooked(), S, oracle=oracle)


def test_rotations_are_chosen_by_what_they_leave() -> None:
    """The energy has degree 3: 24 rotations leave nothing of it, 12 leave something."""
    rng = np.random.default_rng(2)
    atoms = [ase.Atoms("OCH3", positions=rng.standard_normal((5, 3))) for _ in range(3)]
    chosen = choose_rotations(Crooked(), atoms, error=1e-6, batch=together)
    assert chosen.sample.m == 24
    assert chosen.prediction.rms_upper <= 1e-6
    assert chosen.draws > 1e9
    rough = choose_rotations(Crooked(), atoms, error=1.0, oracle=sa.Oracle(SPACE, seed=5))
    assert rough.sample.m <= 12
    with pytest.raises(ArgumentError, match="max_m=12"):
        choose_rotations(Crooked(), atoms, error=1e-6, max_m=12)
