"""Batches of turned copies, dipoles and polarisabilities."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sources import averaged_calculator
from tests.extras import optional

ase = optional("ase")
calculators = optional("ase.calculators.calculator")
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


def test_a_batch_gives_what_a_loop_gives() -> None:
    loop, batch = found(ATOMS)[0], found(ATOMS, batch=together)[0]
    for name, value in loop.items():
        assert np.allclose(batch[name], value, rtol=1e-12, atol=1e-14)
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
