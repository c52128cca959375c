"""What Atoms and Structures say besides positions: directions that do not repeat, and moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sources import crystal
from sparseaug.testing import check_action, check_group
from tests.extras import optional

ase = optional("ase")
build = optional("ase.build")
emt = optional("ase.calculators.emt")
spglib = optional("spglib")


def film() -> Any:
    """Two layers of copper, as a bulk cell that does not repeat along z."""
    atoms = build.bulk("Cu", cubic=True)
    atoms.pbc = (True, True, False)
    return atoms


def slabs() -> dict[str, tuple[Any, int]]:
    """Each with the number of its layer group (International Tables, volume E)."""
    turned = film()
    turned = ase.Atoms(
        turned.numbers,
        positions=turned.positions[:, [1, 2, 0]],
        cell=turned.cell.lengths(),
        pbc=(True, False, True),
    )
    outside = film()
    outside.positions[:, 2] += 100.3
    return {
        "two layers": (film(), 64),
        "two layers along y": (turned, 64),
        "two layers far above the cell": (outside, 64),
        "three layers of fcc(100)": (build.fcc100("Cu", (1, 1, 3), vacuum=8.0), 61),
        "a supercell of fcc(111)": (build.fcc111("Cu", (2, 2, 3), vacuum=5.0), 72),
        "molybdenum sulphide": (build.mx2("MoS2", vacuum=5.0), 78),
        "an adsorbate on one side": (one_sided(), 55),
    }


def one_sided() -> Any:
    atoms = build.fcc100("Cu", (1, 1, 3), vacuum=8.0)
    build.add_adsorbate(atoms, "O", 1.5, "ontop")
    return atoms


@pytest.mark.filterwarnings("ignore:Set OLD_ERROR_HANDLING:DeprecationWarning")
@pytest.mark.parametrize("name", slabs())
def test_a_slab_has_the_operations_of_its_layer_group(name: str) -> None:
    atoms, number = slabs()[name]
    found = crystal(atoms)
    assert found.number == number
    axis = int(np.flatnonzero(~atoms.pbc)[0])
    heights = atoms.get_scaled_positions()
    given = (atoms.cell.array, heights - heights.mean(axis=0), atoms.numbers)
    wanted = spglib.get_symmetry_layerdataset(given, aperiodic_dir=axis, symprec=1e-3)
    assert found.group.order == len(wanted.rotations)
    assert found.space_group == wanted.international
    check_group(found.group)
    check_action(found.vectors, np.random.default_rng(0).normal(size=(2, len(atoms), 3)))
    for W, w, image in zip(found.rotations, found.translations, found.action.images, strict=True):
        apart = heights @ W.T + w - heights[list(image)]
        apart[:, atoms.pbc] -= np.rint(apart[:, atoms.pbc])
        assert abs(apart).max() < 1e-9  # along the normal no site is wrapped


def test_films_that_a_slab_calls_equivalent_have_the_same_energy() -> None:
    atoms = film()
    found = crystal(atoms)
    kick = 0.2 * np.random.default_rng(0).normal(size=(1, 4, 3))
    energies = []
    for moved in found.vectors(found.group.all_elements(), kick)[:, 0]:
        copy = atoms.copy()
        copy.positions += moved
        copy.calc = emt.EMT()
        energies.append(copy.get_potential_energy())
    assert np.ptp(energies) < 1e-9
    atoms.pbc = True
    assert (found.group.order, crystal(atoms).group.order) == (32, 192)


@pytest.mark.parametrize("pbc", [(False, False, False), (False, False, True)])
def test_molecules_and_rods_are_refused_by_name(pbc: tuple[bool, ...]) -> None:
    atoms = build.bulk("Cu", cubic=True)
    atoms.pbc = pbc
    with pytest.raises(ArgumentError, match=r"cell is periodic in \d directions .*point_group"):
        crystal(atoms)


def test_a_slab_without_room_or_with_a_tilted_normal_is_refused_with_the_remedy() -> None:
    flat = build.fcc100("Cu", (1, 1, 3))
    with pytest.raises(ArgumentError, match=r"axis 2 and has no length.*center\(vacuum=10, axis=2"):
        crystal(flat)
    flat.center(vacuum=10, axis=2)
    assert crystal(flat).number == 61
    tilted = flat.copy()
    tilted.cell[2, 0] += 1.0
    with pytest.raises(ArgumentError, match="not perpendicular"):
        crystal(tilted)
    short = flat.copy()
    short.cell[2, 2] = np.ptp(short.positions[:, 2])
    with pytest.raises(ArgumentError, match="make it longer"):
        crystal(short)


def iron() -> Any:
    atoms = build.bulk("Fe", cubic=True)
    atoms.set_initial_magnetic_moments([2.2, -2.2])
    return atoms


def test_the_initial_moments_of_atoms_are_kept() -> None:
    atoms = iron()
    cell = (atoms.cell.array, atoms.get_scaled_positions(), atoms.numbers)
    found, wanted = crystal(atoms), crystal(cell, moments=[2.2, -2.2])
    assert found.space_group == wanted.space_group == "BNS 221.97"
    assert found.time_reversals.tolist() == wanted.time_reversals.tolist()
    assert found.time_reversals.sum() == 48
    atoms.set_initial_magnetic_moments(None)
    atoms.set_initial_magnetic_moments([[0, 0, 2.2], [0, 0, -2.2]])
    assert crystal(atoms).space_group == "BNS 128.410"
    assert crystal(atoms, moments=[2.2, 2.2]).space_group == "BNS 229.140"  # what is given counts
    atoms.set_initial_magnetic_moments(np.zeros((2, 3)))
    assert crystal(atoms).space_group == "Im-3m"


def test_a_magnetic_slab_keeps_its_moments_and_its_faces() -> None:
    atoms = build.bcc100("Fe", (1, 1, 3), vacuum=6.0)
    plain = crystal(atoms)
    atoms.set_initial_magnetic_moments([2.2, -2.2, 1.1])  # no mirror takes 2.2 to 1.1
    found = crystal(atoms)
    assert (plain.group.order, found.group.order) == (16, 8)
    assert (found.rotations[:, 2, 2] == 1).all()
    atoms.set_initial_magnetic_moments([2.2, -2.2, 2.2])
    assert crystal(atoms).group.order == 16
    assert crystal(atoms).space_group == "magnetic layer group"


def test_the_moments_and_the_directions_of_a_structure_are_kept() -> None:
    core = pytest.importorskip("pymatgen.core")
    magnetism = pytest.importorskip("pymatgen.electronic_structure.core")
    atoms = iron()
    parts = atoms.cell.array, ["Fe", "Fe"], atoms.get_scaled_positions()
    collinear = core.Structure(*parts, site_properties={"magmom": [2.2, -2.2]})
    assert crystal(collinear).space_group == crystal(atoms).space_group
    vectors = [magnetism.Magmom([0, 0, 2.2]), magnetism.Magmom([0, 0, -2.2])]
    noncollinear = core.Structure(*parts, site_properties={"magmom": vectors})
    assert crystal(noncollinear).space_group == "BNS 128.410"
    partly = core.Structure(*parts, site_properties={"magmom": [2.2, None]})
    with pytest.raises(ArgumentError, match="moments has dtype object"):
        crystal(partly)
    two = film()
    lattice = core.Lattice(two.cell.array, pbc=(True, True, False))
    assert crystal(core.Structure(lattice, ["Cu"] * 4, two.get_scaled_positions())).number == 64


def test_samples_of_a_slab_are_saved_and_certified(tmp_path: Any) -> None:
    S = sa.Oracle(crystal(film()).group, seed=0).draw(6)
    S.save(tmp_path / "S")
    assert sa.GroupSample.load(tmp_path / "S") == S
    assert 0 < sa.deviation(S).value < 1
