"""One list of groups and one of actions: adding a group or an action to the suite is one line."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import settings

import sparseaug as sa
from sparseaug._checks import LIMITS
from sparseaug.groups.affine import AffineGroup

# run in processes of their own
collect_ignore_glob = ["actions/jax_cases.py", "nn/ranks*.py"]

# the same examples every time, and no limit on the clock of a shared machine
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

KLEIN = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]


def quarter_turns_of_a_board() -> AffineGroup:
    """x -> W x + w on a 4 x 4 board that repeats, w with an even sum; time goes back for odd shifts."""
    turns = [
        np.linalg.matrix_power(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), k) for k in range(4)
    ]
    shifts = [(a, b, a % 2) for a in range(4) for b in range(4) if (a + b) % 2 == 0]
    return AffineGroup(
        (4, 4, 2),
        tuple(tuple(map(tuple, turn.tolist())) for turn in turns),
        tuple((k, *w) for k in range(4) for w in shifts),
        "turns of a board",
    )


GROUPS = {
    group.name: group
    for group in (
        *(sa.cyclic(n) for n in (1, 2, 7, 30, 10**12)),
        sa.abelian(4, 6),
        sa.sign_flips(5),
        *(sa.dihedral(n) for n in (1, 2, 3, 4, 6, 11)),
        *(sa.symmetric(n) for n in (1, 2, 3, 4, 5, 6, 10, 25)),
        *(sa.alternating(n) for n in (1, 2, 3, 4, 5, 6, 12)),
        *(sa.hyperoctahedral(n) for n in (1, 2, 3, 4, 9)),
        *(sa.grid_symmetries(n) for n in (1, 2, 3, 4, 5, 9, 28)),
        sa.direct_product(sa.symmetric(3), sa.sign_flips(4)),
        sa.direct_product(sa.grid_symmetries(2), sa.cyclic(3)),
        sa.direct_product(sa.cyclic(4), sa.dihedral(3)),
        sa.permutation_group([[1, 2, 3, 0], [1, 0, 3, 2]], label="square"),
        sa.permutation_group([[0, 1, 2]], label="trivial"),
        *(sa.groups.mathieu(n) for n in (11, 12, 22, 24)),
        sa.groups.rubik(),
        sa.groups.cube_rotations(),
        sa.groups.cube_symmetries(),
        sa.table_group(KLEIN, label="Klein"),
        quarter_turns_of_a_board(),
        sa.direct_product(sa.groups.mathieu(11), sa.groups.cube_rotations()),
        *(make(n) for make in (sa.rotations, sa.orthogonal) for n in (2, 3)),
        sa.direct_product(sa.symmetric(4), sa.rotations(3)),
    )
}


def some_data(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Integers as floats, so that moving and negating them is exact."""
    return np.random.default_rng(seed).integers(-99, 99, shape).astype(float)


MOVED = {  # each with the shape of data that it moves
    "permute the last axis": (sa.permute_axis(sa.symmetric(5)), (4, 5)),
    "permute axis 1": (sa.permute_axis(sa.alternating(4), 1), (2, 4, 3)),
    "permute by generators": (sa.permute_axis(sa.groups.mathieu(11)), (2, 11)),
    "permute nodes": (sa.permute_nodes(sa.symmetric(5)), (3, 5, 5)),
    "permute nodes, edge features": (sa.permute_nodes(sa.symmetric(3)), (2, 3, 3, 4)),
    "flip signs": (sa.flip_signs(sa.sign_flips(4), 1), (3, 4, 2)),
    "signed permutations": (sa.signed_permute(sa.hyperoctahedral(4)), (3, 4)),
    "signed permutations on axis 1": (sa.signed_permute(sa.hyperoctahedral(3), 1), (2, 3, 5)),
    "shifts": (sa.roll(sa.abelian(4, 6)), (2, 3, 4, 6)),
    "shifts by steps": (sa.roll(sa.cyclic(4), axes=1), (2, 12, 3)),
    "turns and flips": (sa.rotate_grid(sa.dihedral(4)), (2, 3, 5, 5)),
    "turns, channels last": (sa.rotate_grid(sa.cyclic(4), axes=(1, 2)), (2, 4, 4, 3)),
    "a grid": (sa.move_grid(sa.grid_symmetries(5)), (2, 5, 5)),
    "a grid by steps": (sa.move_grid(sa.grid_symmetries(2), axes=(1, 2)), (2, 4, 4, 3)),
    "vectors, turned": (sa.rotate_grid(sa.dihedral(4), vectors=1), (2, 2, 5, 5)),
    "vectors last": (sa.move_grid(sa.grid_symmetries(3), (1, 2), vectors=-1), (2, 3, 3, 2)),
    "flip of an axis": (sa.flip(1), (2, 5, 3)),
    "matrices": (sa.linear(sa.groups.cube_symmetries()), (2, 7, 3)),
    "permutations and signs": (
        sa.product_action(sa.permute_axis(sa.symmetric(4), 1), sa.flip_signs(sa.sign_flips(3), -1)),
        (2, 4, 3),
    ),
    "three at once": (
        sa.product_action(
            sa.permute_axis(sa.symmetric(3), 1),
            sa.product_action(sa.permute_axis(sa.symmetric(4), 2), sa.roll(sa.cyclic(5), (3,))),
        ),
        (2, 3, 4, 5),
    ),
    "a user's function": (
        sa.custom_action(sa.symmetric(3), lambda g, x: x[:, np.argsort(g, axis=1)].swapaxes(0, 1)),
        (2, 3),
    ),
}
ACTIONS = {name: (action, some_data(shape)) for name, (action, shape) in MOVED.items()}


@pytest.fixture
def lower_limit(monkeypatch):
    """Set a limit of size, for one test: `lower_limit("graph size", 1000)`."""
    return lambda name, most: monkeypatch.setitem(LIMITS, name, LIMITS[name]._replace(most=most))


@pytest.fixture(params=list(GROUPS), ids=list(GROUPS))
def group(request: pytest.FixtureRequest) -> sa.groups.Group:
    """Every group of the suite."""
    return GROUPS[request.param]


@pytest.fixture(params=list(ACTIONS), ids=list(ACTIONS))
def moving(request: pytest.FixtureRequest) -> tuple[sa.actions.Action, np.ndarray]:
    """Every action of the suite with data that it moves."""
    return ACTIONS[request.param]


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed."""
    return np.random.default_rng(20)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, request):
    """The module's COMMAND (of its GROUP) in an empty folder: exit code, standard output and error."""
    from sparseaug.cli import cli, main

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["sparseaug", request.module.COMMAND, *arguments])
        code = 0
        try:
            main(getattr(request.module, "GROUP", cli))
        except SystemExit as leave:
            code = leave.code
        return (code, *capsys.readouterr())

    return call
