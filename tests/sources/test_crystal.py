"""Space-group operations of crystals: published orders, positions, energies and forces."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

import sparseaug as sa
from sparseaug.errors import ArgumentError, GroupError, SymmetryWarning
from sparseaug.sources import cells, crystal, crystals
from sparseaug.testing import check_action, check_group

FCC = 2.0 * np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
HEX = np.array([[3.0, 0, 0], [-1.5, 1.5 * np.sqrt(3), 0], [0, 0, 4.9]])
CORNERS = [[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]
WURTZITE = [[1 / 3, 2 / 3, 0], [2 / 3, 1 / 3, 0.5], [1 / 3, 2 / 3, 0.377], [2 / 3, 1 / 3, 0.877]]
SALT = [[*c] for c in CORNERS] + [[a, b, c + 0.5] for a, b, c in CORNERS]

CELLS: dict[str, tuple[Any, int, int]] = {
    "rock salt, primitive": ((FCC, [[0, 0, 0], [0.5, 0.5, 0.5]], [11, 17]), 225, 48),
    "rock salt, conventional": ((4 * np.eye(3), SALT, [11] * 4 + [17] * 4), 225, 192),
    "diamond": ((FCC, [[0, 0, 0], [0.25, 0.25, 0.25]], [6, 6]), 227, 48),
    "wurtzite": ((HEX, WURTZITE, [30, 30, 8, 8]), 186, 12),
    "hcp": ((HEX, [[1 / 3, 2 / 3, 0.25], [2 / 3, 1 / 3, 0.75]], [12, 12]), 194, 24),
    "fcc, conventional": ((4 * np.eye(3), CORNERS, [13] * 4), 225, 192),
    "one atom": ((FCC, [[0.1, 0.2, 0.3]], [29]), 225, 48),
    "triclinic": (
        (
            np.array([[3.0, 0, 0], [0.4, 4.1, 0], [0.7, -0.3, 5.2]]),
            [[0, 0, 0], [0.13, 0.27, 0.41], [0.55, 0.83, 0.19]],
            [1, 2, 3],
        ),
        1,
        1,
    ),
    "two cells of a cube": ((np.diag([6.0, 3, 3]), [[0, 0, 0], [0.5, 0, 0]], [84, 84]), 221, 32),
}


@pytest.fixture(params=list(CELLS), ids=list(CELLS))
def known(request: pytest.FixtureRequest) -> tuple[Any, int, int]:
    return CELLS[request.param]


def energy(lattice: torch.Tensor, positions: torch.Tensor, numbers: list[int]) -> torch.Tensor:
    """A smooth pair potential that depends on the species, over periodic images."""
    shifts = torch.tensor(list(product(range(-3, 4), repeat=3)), dtype=torch.float64) @ lattice
    apart = positions[:, None, None] - positions[None, :, None] + shifts
    charge = torch.tensor(numbers, dtype=torch.float64).sqrt()
    weight = (charge[:, None] * charge)[:, :, None]
    return (weight * torch.exp(-0.8 * (apart**2).sum(-1))).sum()


def test_space_group_and_order_are_the_published_ones(known: tuple[Any, int, int]) -> None:
    cell, number, order = known
    found = crystal(cell)
    assert (found.number, found.group.order) == (number, order)
    check_group(found.group)


def test_both_actions_are_left_actions(known: tuple[Any, int, int]) -> None:
    found = crystal(known[0])
    sites = len(known[0][2])
    x = np.random.default_rng(0).normal(size=(3, sites, 3))
    check_action(found.action, x)
    check_action(found.action, np.arange(2 * sites).reshape(2, sites))
    check_action(found.vectors, x)
    check_action(found.vectors, torch.as_tensor(x))
    check_action(found.vectors, x.reshape(3, sites, 1, 3))


def test_rotations_are_orthogonal_and_keep_the_lattice(known: tuple[Any, int, int]) -> None:
    found = crystal(known[0])
    R = np.array(found.vectors.rotations)
    assert abs(R @ R.swapaxes(1, 2) - np.eye(3)).max() < 1e-12
    lattice = np.asarray(known[0][0])
    steps = lattice @ R.swapaxes(1, 2) @ np.linalg.inv(lattice)  # moved lattice vectors, fractional
    assert abs(steps - np.rint(steps)).max() < 1e-9


@pytest.mark.parametrize("name", ["rock salt, conventional", "wurtzite", "hcp", "diamond"])
def test_energy_is_invariant_and_forces_are_equivariant(name: str) -> None:
    lattice, positions, numbers = CELLS[name][0]
    found = crystal(CELLS[name][0])
    box = torch.as_tensor(np.asarray(lattice, float))
    rest = torch.as_tensor(np.asarray(positions, float)) @ box
    kick = 0.2 * torch.as_tensor(np.random.default_rng(0).normal(size=rest.shape))
    S = sa.Oracle(found.group, seed=0).draw(6)
    moved = found.vectors(S, kick[None])[:, 0]

    def energy_and_forces(displacements: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        at = (rest + displacements).requires_grad_()
        value = energy(box, at, numbers)
        return value.detach(), -torch.autograd.grad(value, at)[0]

    value, forces = energy_and_forces(kick)
    turned = found.vectors(S, forces[None])[:, 0]
    for displaced, wanted in zip(moved, turned, strict=True):
        other, actual = energy_and_forces(displaced)
        assert abs(other - value) < 1e-10 * abs(value)
        assert abs(actual - wanted).max() < 1e-9 * abs(forces).max()
    # the sites alone do not do it
    unturned = [energy_and_forces(kicked)[0] for kicked in found.action(S, kick[None])[:, 0]]
    assert max(abs(other - value) for other in unturned) > 1e-6 * abs(value)


def supercell(cell: Any, repeats: tuple[int, int, int]) -> Any:
    lattice, positions, numbers = (np.asarray(part) for part in cell)
    steps = np.array(list(product(*map(range, repeats))))
    many = (steps[:, None] + positions).reshape(-1, 3) / repeats
    return lattice * np.array(repeats)[:, None], many, np.tile(numbers, len(steps))


@pytest.mark.parametrize(
    ("name", "repeats", "order"),
    [
        ("fcc, conventional", (3, 3, 3), 5184),
        ("diamond", (2, 3, 4), None),
        ("wurtzite", (2, 2, 3), 144),
        ("hcp", (5, 1, 1), None),
    ],
)
def test_supercells_multiply_as_their_affine_maps_do(
    name: str, repeats: tuple[int, int, int], order: int | None
) -> None:
    cell = supercell(CELLS[name][0], repeats)
    found = crystal(cell)
    if order is not None:
        assert found.group.order == order
    rng = np.random.default_rng(0)
    a, b = (found.group.sample(300, rng)[:, 0] for _ in range(2))
    W, w = found.rotations, found.translations
    ab = found.group.compose(a[:, None], b[:, None])[:, 0]
    assert np.array_equal(W[ab], W[a] @ W[b])
    apart = w[ab] - np.einsum("kij,kj->ki", W[a], w[b]) - w[a]
    assert abs(apart - np.rint(apart)).max() < 1e-9
    images = np.array(found.action.images)
    assert np.array_equal(images[ab], np.take_along_axis(images[a], images[b], 1))
    back = found.group.inverse(a[:, None])
    assert not found.group.compose(a[:, None], back).any()
    moved = cell[1] @ W[a[0]].T + w[a[0]] - cell[1][images[a[0]]]
    assert abs(moved - np.rint(moved)).max() < 1e-9
    S = sa.Oracle(found.group, seed=0).draw(8)
    assert 0 < sa.deviation(S, action=found.action, shape=(len(cell[2]),)).value <= 1


def test_operations_that_do_not_keep_the_sites_are_refused() -> None:
    """The group stays closed; but half of it is about another origin than the sites are."""
    given = cells.read_cell(CELLS["hcp"][0])
    found = cells.find_operations(given, 1e-3)
    group = crystals.exact_group(found, given.lattice, 1e-3, "")
    assert crystals.site_images(group, found, given, 1e-3).shape == (24, 2)
    moved = given._replace(positions=given.positions + 0.1)
    with pytest.raises(GroupError, match="does not take sites to sites"):
        crystals.site_images(group, found, moved, 1e-3)
    other = given._replace(kinds=np.array([0, 1]))
    with pytest.raises(GroupError, match="does not take sites to sites"):
        crystals.site_images(group, found, other, 1e-3)
    off = found._replace(translations=found.translations + 0.1 * (np.arange(24) % 2)[:, None])
    with pytest.raises(GroupError, match="translations are not closed"):
        crystals.exact_group(off, given.lattice, 1e-3, "")
    few = cells.Operations(*(part[:23] for part in found[:2]), *found[2:])
    with pytest.raises(GroupError, match="rotations are not closed"):
        crystals.exact_group(few, given.lattice, 1e-3, "")


# Two prototypes as the AFLOW library prints them, with five digits (Mehl et al. 2017).
LONSDALEITE = (  # C, A_hP4_194_f
    np.array([[-1.254, -2.17199171269, 0], [-1.254, 2.17199171269, 0], [0, 0, -4.183]]),
    [
        *([0.66667, 0.33334, 0.94005], [0.33334, 0.66667, 0.44005]),
        *([0.33334, 0.66667, 0.05995], [0.66667, 0.33333, 0.55995]),
    ],
    [6] * 4,
)
MODDERITE = (  # CoAs, AB_oP8_33_a_a: within 0.01 of a structure of twice the order
    np.array([[0, 0, 3.4883], [5.2857, 0, 0], [0, 5.8675, 0]]),
    [
        *([0.25, 0.002, 0.2003], [0.75, 0.998, 0.7997]),
        *([0.75, 0.498, 0.7003], [0.25, 0.502, 0.2997]),
        *([0.2506, 0.1996, 0.5867], [0.7506, 0.8004, 0.4133]),
        *([0.7506, 0.3004, 0.0867], [0.2506, 0.6996, 0.9133]),
    ],
    [27] * 4 + [33] * 4,
)


def test_positions_of_five_digits_keep_their_operations() -> None:
    found = crystal(LONSDALEITE)
    assert (found.number, found.group.order) == (194, 24)
    check_action(found.vectors, np.random.default_rng(0).normal(size=(2, 4, 3)))


def test_operations_that_a_larger_tolerance_finds_are_told_of_with_the_numbers() -> None:
    with pytest.warns(SymmetryWarning, match=r"symprec=1e-05 finds 2 op.*symprec=0.0001 finds 24"):
        assert crystal(LONSDALEITE, symprec=1e-5).group.order == 2
    with pytest.warns(SymmetryWarning, match=r"symprec=0.001 finds 4 op.*symprec=0.01 finds 8"):
        assert crystal(MODDERITE).group.order == 4
    assert crystal(MODDERITE, symprec=0.01).group.order == 8


def test_slabs_and_magnetic_moments_are_refused():
    ase = pytest.importorskip("ase.build")
    with pytest.raises(ArgumentError, match="vacuum"):
        crystal(ase.fcc111("Al", (1, 1, 3), vacuum=10))
    iron = ase.bulk("Fe", cubic=True)
    iron.set_initial_magnetic_moments([2.2, -2.2])
    with pytest.raises(ArgumentError, match="magnetic moments"):
        crystal(iron)
    iron.set_initial_magnetic_moments(None)
    assert crystal(iron).group.order == 96
