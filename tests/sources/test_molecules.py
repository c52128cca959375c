"""Point groups of molecules: orbits of known groups, pymatgen's operations, forces, exact rotations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sparseaug.errors import ArgumentError, SymmetryWarning
from sparseaug.sources import point_group
from sparseaug.testing import check_action, check_group


def turn(n: int, axis: str = "z") -> np.ndarray:
    return Rotation.from_euler(axis, 2 * math.pi / n).as_matrix()


ACROSS, ALONG, INVERSION = np.diag([1.0, 1, -1]), np.diag([1.0, -1, 1]), -np.eye(3)
DIAGONAL = {n: turn(4 * n) @ ALONG @ turn(4 * n).T for n in range(2, 7)}  # between two C2 axes
FLIP = turn(2, "x")
GENERATORS = {
    "C1": [np.eye(3)],
    "Cs": [ACROSS],
    "Ci": [INVERSION],
    **{f"C{n}": [turn(n)] for n in (2, 3, 6)},
    **{f"C{n}v": [turn(n), ALONG] for n in (2, 3, 6)},
    **{f"C{n}h": [turn(n), ACROSS] for n in (2, 3, 6)},
    **{f"S{2 * n}": [turn(2 * n) @ ACROSS] for n in (2, 3)},
    **{f"D{n}": [turn(n), FLIP] for n in (2, 3, 6)},
    **{f"D{n}h": [turn(n), FLIP, ACROSS] for n in (2, 3, 6)},
    **{f"D{n}d": [turn(n), FLIP, DIAGONAL[n]] for n in (2, 3, 6)},
    "T": list(Rotation.create_group("T").as_matrix()),
    "Td": [*Rotation.create_group("T").as_matrix(), turn(4) @ ACROSS],
    "Th": [*Rotation.create_group("T").as_matrix(), INVERSION],
    "O": list(Rotation.create_group("O").as_matrix()),
    "Oh": [*Rotation.create_group("O").as_matrix(), INVERSION],
    "I": list(Rotation.create_group("I").as_matrix()),
    "Ih": [*Rotation.create_group("I").as_matrix(), INVERSION],
}


def closure(generators: list[np.ndarray]) -> np.ndarray:
    """All products."""
    found = np.eye(3)[None]
    while True:
        both = np.concatenate([found, *(found @ g for g in generators)])
        _, first = np.unique((both + 5).round(6).reshape(-1, 9), axis=0, return_index=True)
        if len(first) == len(found):
            return found
        found = both[np.sort(first)]


def generic(name: str, seed: int = 0) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Four orbits of points in general position, each a species, anywhere in space: no other
    symmetry than that of the group.
    """
    rng = np.random.default_rng(seed)
    frame = Rotation.random(rng=rng).as_matrix()
    group = frame @ closure(GENERATORS[name]) @ frame.T
    starts = rng.normal(size=(4, 3)) * np.array([[2.0], [3.0], [4.0], [5.0]])
    positions = np.concatenate([group @ start for start in starts])
    species = [kind for kind in "CNOS" for _ in range(len(group))]
    order = rng.permutation(len(species))
    return positions[order] + rng.normal(size=3), [species[i] for i in order], group


@pytest.mark.parametrize("name", GENERATORS)
def test_the_group_of_orbits_is_the_group_that_made_them(name: str) -> None:
    positions, species, group = generic(name)
    found = point_group((positions, species), tolerance=1e-6)
    assert found.group.order == len(group)
    ours = found.rotations[:, None]
    assert abs(ours - group[None]).max(axis=(2, 3)).min(axis=1).max() < 1e-9
    for R, image in zip(found.rotations, found.action.images, strict=True):
        moved = (positions - found.centre) @ R.T + found.centre
        assert np.allclose(moved, positions[list(image)], atol=1e-9)
        assert [species[i] for i in image] == species
    assert found.error < 1e-9


@pytest.mark.parametrize("name", ["C3v", "D2d", "Th", "Ih", "S6"])
def test_noise_within_the_tolerance_changes_nothing_and_rotations_stay_exact(name: str) -> None:
    positions, species, group = generic(name)
    noise = 1e-4 * np.random.default_rng(1).uniform(-1, 1, positions.shape)
    found = point_group((positions + noise, species), tolerance=2e-3)
    assert found.group.order == len(group)
    R = found.rotations
    assert abs(R @ R.swapaxes(1, 2) - np.eye(3)).max() < 1e-13
    every = found.group.all_elements()
    pairs = found.group.compose(every[:, None], every[None])[..., 0]
    assert abs(np.einsum("aij,bjk->abik", R, R) - R[pairs]).max() < 1e-12
    assert 1e-6 < found.error < 2e-3
    check_group(found.group)
    x = np.random.default_rng(0).normal(size=(2, len(species), 3))
    check_action(found.action, x)
    check_action(found.vectors, x)
    check_action(found.tensors(2, sites=False), x[:, :3])


def test_operations_that_a_larger_tolerance_finds_are_told_of() -> None:
    positions, species, _ = generic("C3v")
    positions = positions + 3e-3 * np.random.default_rng(1).uniform(-1, 1, positions.shape)
    with pytest.warns(SymmetryWarning, match=r"tolerance=0.001 finds 1 .*0.01 finds 6"):
        found = point_group((positions, species), tolerance=1e-3)
    assert found.group.order == 1


@pytest.mark.filterwarnings("ignore::sparseaug.errors.SymmetryWarning")
def test_orders_of_the_g2_molecules_are_those_of_pymatgen() -> None:
    """Of 112 molecules that are not linear; the other 36 of two atoms or more are refused."""
    collections = pytest.importorskip("ase.collections")
    core = pytest.importorskip("pymatgen.core")
    from pymatgen.symmetry.analyzer import PointGroupAnalyzer

    compared = linear = 0
    for name in collections.g2.names:
        atoms = collections.g2[name]
        if len(atoms) < 2:
            continue
        molecule = core.Molecule(atoms.get_chemical_symbols(), atoms.get_positions())
        theirs = PointGroupAnalyzer(
            molecule, tolerance=0.02, eigen_tolerance=1e-3, matrix_tolerance=0.05
        )
        if "*" in str(theirs.get_pointgroup()):
            linear += 1
            with pytest.raises(ArgumentError, match="on one line"):
                point_group(atoms)
            continue
        ours = point_group(atoms)
        assert ours.group.order == len(theirs.get_symmetry_operations())
        assert point_group(molecule).action.images == ours.action.images
        compared += 1
    assert (compared, linear) == (112, 36)


def test_a_flat_molecule_has_a_mirror_that_moves_no_atom() -> None:
    angles = np.arange(6) * math.pi / 3
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=1)
    found = point_group((np.concatenate([1.4 * ring, 2.5 * ring]), ["C"] * 6 + ["H"] * 6))
    assert found.group.order == 24
    assert len(set(found.action.images)) == 12
    check_action(found.vectors, np.random.default_rng(0).normal(size=(2, 12, 3)))
