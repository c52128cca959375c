"""Magnetic moments of crystals, against the operations without moments, tried one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, GroupError
from sparseaug.sources import crystal, crystals
from sparseaug.testing import check_action, check_group
from tests.sources.test_crystal import CELLS

BCC = (2.9 * np.eye(3), [[0, 0, 0], [0.5, 0.5, 0.5]], [26, 26])
SALT, HCP = CELLS["rock salt, conventional"][0], CELLS["hcp"][0]
ALONG_Z = np.array([0.0, 0.0, 1.0])
CASES: dict[str, tuple[Any, Any]] = {
    "antiferromagnet, vectors": (BCC, [[0, 0, 2.2], [0, 0, -2.2]]),
    "ferromagnet, vectors": (BCC, [[0, 0, 2.2], [0, 0, 2.2]]),
    "a skew direction": (BCC, [[0.3, 0.4, 0.5], [0.3, 0.4, 0.5]]),
    "antiferromagnet, collinear": (BCC, [2.2, -2.2]),
    "ferromagnet, collinear": (BCC, [2.2, 2.2]),
    "no moments": (BCC, [0.0, 0.0]),
    "layers": (SALT, np.outer([1, -1, -1, 1, 0, 0, 0, 0], ALONG_Z)),
    "layers, collinear": (SALT, [1, -1, -1, 1, 0, 0, 0, 0]),
    "hcp in the plane": (HCP, [[1.0, 0, 0], [-1.0, 0, 0]]),
    "hcp along the axis": (HCP, [[0, 0, 1.0], [0, 0, -1.0]]),
}


def kept_one_by_one(cell: Any, moments: np.ndarray) -> int:
    """Operations without moments, times no reversal or one, that take each moment to its image's."""
    plain = crystal(cell)
    count = 0
    for R, image in zip(plain.vectors.rotations, plain.action.images, strict=True):
        turned = moments if moments.ndim == 1 else np.linalg.det(R) * moments @ np.array(R).T
        count += sum(np.allclose(sign * turned, moments[list(image)]) for sign in (1, -1))
    return count


@pytest.mark.parametrize("name", CASES)
def test_the_operations_are_those_that_keep_the_moments(name: str) -> None:
    cell, given = CASES[name]
    moments = np.array(given, float)
    found = crystal(cell, moments=given)
    assert found.group.order == kept_one_by_one(cell, moments)
    check_group(found.group)
    vectors = moments if moments.ndim == 2 else np.outer(moments, ALONG_Z)
    every = found.group.all_elements()
    assert np.allclose(found.moments(every, vectors[None]), vectors)
    x = np.random.default_rng(0).normal(size=(2, *vectors.shape))
    check_action(found.moments, x)
    check_action(found.vectors, x)
    assert len(found.time_reversals) == found.group.order
    assert found.to_dict()["time_reversals"] == found.time_reversals.tolist()


def test_numbers_of_magnetic_space_groups_are_the_published_ones() -> None:
    """Antiferromagnetic bcc along z is P_I4/mnc (BNS 128.410); without moments Im-3m1' (229.141)."""
    assert crystal(BCC, moments=CASES["antiferromagnet, vectors"][1]).space_group == "BNS 128.410"
    assert crystal(BCC, moments=[0.0, 0.0]).space_group == "BNS 229.141"
    assert (
        repr(crystal(BCC, moments=[1.0, 1.0])) == "CrystalSymmetry(BNS 229.140, order=96, sites=2)"
    )


def test_without_moments_time_is_never_reversed_and_moments_are_axial_vectors() -> None:
    plain = crystal(BCC)
    assert not plain.time_reversals.any()
    R, Q = np.array(plain.vectors.rotations), np.array(plain.moments.rotations)
    assert np.allclose(Q, np.linalg.det(R)[:, None, None] * R)
    a, b = np.random.default_rng(0).normal(size=(2, 1, 2, 3))
    every = plain.group.all_elements()
    crossed = np.cross(plain.vectors(every, a), plain.vectors(every, b))
    assert np.allclose(crossed, plain.moments(every, np.cross(a, b)))


def test_moments_that_the_operations_do_not_keep_are_refused() -> None:
    plain = crystal(BCC)
    images, turns = np.array(plain.action.images), np.array(plain.moments.rotations)
    with pytest.raises(GroupError, match="do not keep the moments"):
        crystals.require_kept(np.array([1.0, -1.0]), turns, images, 1e-3)


@pytest.mark.parametrize(
    ("moments", "reason"),
    [
        ([1.0], "moments has shape (1,)"),
        ([[1.0, 0], [0, 1.0]], "moments has shape (2, 2)"),
        ([1.0, float("nan")], "not finite"),
        (["up", "down"], "moments has dtype <U4; give real numbers"),
    ],
)
def test_bad_moments_are_named(moments: Any, reason: str) -> None:
    with pytest.raises(ArgumentError) as error:
        crystal(BCC, moments=moments)
    assert reason in str(error.value)


def test_a_pymatgen_structure_is_read() -> None:
    core = pytest.importorskip("pymatgen.core")
    lattice, positions, numbers = SALT
    structure = core.Structure(lattice, ["Na" if z == 11 else "Cl" for z in numbers], positions)
    ours, theirs = crystal(SALT), crystal(structure)
    assert (theirs.space_group, theirs.action.images) == (ours.space_group, ours.action.images)
    assert sa.Oracle(theirs.group, seed=0).draw(3) == sa.Oracle(ours.group, seed=0).draw(3)
    mixed = core.Structure(np.eye(3) * 3, ["Fe2+", "Fe3+"], BCC[1])
    assert crystal(mixed).number == 221  # two species, told apart by their charge
    alloy = core.Structure(np.eye(3) * 3, [{"Fe": 0.5, "Ni": 0.5}] * 2, BCC[1])
    assert crystal(alloy).number == 229
    spins = core.Structure(*BCC[::2], BCC[1], site_properties={"magmom": [2.2, -2.2]})
    assert crystal(spins, moments=spins.site_properties["magmom"]).group.order == 96
