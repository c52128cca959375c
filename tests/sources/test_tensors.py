"""Tensors of a crystal, at its sites and as a whole: R in every index, and Nye's published counts."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from sparseaug.errors import ArgumentError
from sparseaug.sources import CrystalSymmetry, crystal
from sparseaug.testing import check_action

HEX = np.array([[3.0, 0, 0], [-1.5, 1.5 * np.sqrt(3), 0], [0, 0, 4.9]])
FCC = 2.0 * np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
SKEWED = np.array([[3.0, 0, 0], [0.4, 4.1, 0], [0.7, -0.3, 5.2]])
WURTZITE = [[1 / 3, 2 / 3, 0], [2 / 3, 1 / 3, 0.5], [1 / 3, 2 / 3, 0.377], [2 / 3, 1 / 3, 0.877]]
THREE = [[0, 0, 0], [0.13, 0.27, 0.41], [0.55, 0.83, 0.19]]

CELLS: dict[str, Any] = {
    "wurtzite": (HEX, WURTZITE, [30, 30, 8, 8]),
    "zincblende": (FCC, [[0, 0, 0], [0.25, 0.25, 0.25]], [30, 16]),
    "diamond": (FCC, [[0, 0, 0], [0.25, 0.25, 0.25]], [6, 6]),
    "rutile": (
        np.diag([4.6, 4.6, 2.95]),
        [
            *([0, 0, 0], [0.5, 0.5, 0.5], [0.305, 0.305, 0], [0.695, 0.695, 0]),
            *([0.195, 0.805, 0.5], [0.805, 0.195, 0.5]),
        ],
        [22, 22, 8, 8, 8, 8],
    ),
    "orthorhombic": (np.diag([3.0, 4.1, 5.2]), [[0, 0, 0]], [1]),
    "triclinic": (SKEWED, THREE, [1, 2, 3]),
}

# Independent components by Nye, Physical Properties of Crystals, tables 3, 8 and 9: symmetric of rank 2
# (dielectric), piezoelectric moduli, elastic constants.
NYE = {
    "wurtzite": (2, 3, 5),
    "zincblende": (1, 1, 3),
    "diamond": (1, 0, 3),
    "rutile": (2, 0, 6),
    "orthorhombic": (3, 0, 9),
    "triclinic": (6, 18, 21),
}


def turned(cell: Any) -> Any:
    """The same crystal in another position: Cartesian matrices then have no zeros."""
    q = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    return (cell[0] @ q, *cell[1:])


@pytest.fixture(params=list(CELLS), ids=list(CELLS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def directly(
    found: CrystalSymmetry, a: int, x: np.ndarray, rank: int, *, sites: bool
) -> np.ndarray:
    """(g.T)[n, p(i), ...] = R R ... T[n, i, ...], index by index."""
    R = np.array(found.vectors.rotations[a])
    spelled = {
        1: "ai,...i->...a",
        2: "ai,bj,...ij->...ab",
        3: "ai,bj,ck,...ijk->...abc",
    }[rank]
    y = np.einsum(spelled, *[R] * rank, x)
    if not sites:
        return y
    moved = np.empty_like(y)
    moved[:, list(found.action.images[a])] = y  # type: ignore[attr-defined]
    return moved


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("sites", [True, False])
def test_every_index_is_turned(name: str, rank: int, sites: bool) -> None:
    found = crystal(turned(CELLS[name]))
    shape = (2, *([len(CELLS[name][2])] if sites else []), *[3] * rank)
    x = np.random.default_rng(1).normal(size=shape)
    action = found.tensors(rank, sites=sites)
    every = np.arange(found.group.order)[:, None]
    for a, moved in enumerate(action(every, x)):
        assert abs(moved - directly(found, a, x, rank, sites=sites)).max() < 1e-13


def test_they_are_left_actions_on_numpy_and_torch(name: str) -> None:
    cell = turned(CELLS[name])
    found, count = crystal(cell), len(cell[2])
    rng = np.random.default_rng(0)
    for rank in (1, 2, 4):
        x = rng.normal(size=(2, count, *[3] * rank))
        check_action(found.tensors(rank), x)
        check_action(found.tensors(rank), torch.as_tensor(x))
        check_action(found.tensors(rank), x.reshape(2, count, 1, *[3] * rank))
        check_action(found.tensors(rank, sites=False), x[:, 0])
        check_action(found.tensors(rank, sites=False), torch.as_tensor(x[:, 0]))
    assert found.tensors(1) == found.vectors


def symmetric_basis(pairs: str) -> np.ndarray:
    """An orthonormal basis of the tensors with these symmetries, found by averaging over them."""
    rank = {"ij": 2, "ijk": 3, "ijkl": 4}[pairs]
    eye = np.eye(3**rank).reshape(-1, *[3] * rank)
    swaps = {
        "ij": [(1, 0)],
        "ijk": [(0, 2, 1)],
        "ijkl": [(1, 0, 2, 3), (0, 1, 3, 2), (2, 3, 0, 1)],
    }[pairs]
    reached = {tuple(range(rank))}
    while True:
        grown = reached | {tuple(p[i] for i in s) for p, s in product(reached, swaps)}
        if grown == reached:
            break
        reached = grown
    mean = sum(eye.transpose(0, *(1 + np.array(p))) for p in reached) / len(reached)
    values, vectors = np.linalg.eigh(mean.reshape(3**rank, -1))
    return vectors[:, values > 0.5].T.reshape(-1, *[3] * rank)


def test_independent_components_are_the_published_ones(name: str) -> None:
    """The trace of the mean over the group is the dimension of what is invariant (Neumann)."""
    found = crystal(turned(CELLS[name]))
    every = found.group.all_elements()
    for pairs, wanted in zip(("ij", "ijk", "ijkl"), NYE[name], strict=True):
        basis = symmetric_basis(pairs)
        mean = found.tensors(len(pairs), sites=False)(every, basis).mean(axis=0)
        assert (mean * basis).sum() == pytest.approx(wanted, abs=1e-10)


def test_a_tensor_is_never_turned_in_some_of_its_indices() -> None:
    found, count = crystal(CELLS["wurtzite"]), 4
    one = found.group.identity()
    for rank in (1, 2):
        with pytest.raises(ArgumentError, match="no other axis of 3"):
            found.tensors(rank)(one, np.ones((1, count, *[3] * (rank + 1))))
        for shape in ((1, *[3] * (rank + 1)), (1, count, *[3] * rank)):
            with pytest.raises(ArgumentError, match="sites=False"):
                found.tensors(rank, sites=False)(one, np.ones(shape))
    assert found.vectors(one, np.ones((5, count, 4, 3))).shape == (1, 5, count, 4, 3)
    assert found.tensors(2)(one, np.ones((5, count, 4, 3, 3))).shape == (1, 5, count, 4, 3, 3)
