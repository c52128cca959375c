"""A group without end: over which rotations does one average a model of molecules?

A kernel machine that knows no symmetry learns the zero-point energies of 110 molecules of the G2 set,
each in 16 random orientations of its own. Turned, one of the others gets another energy: *change* is
the standard deviation over 32 orientations, its root mean square over 38 molecules. Averages over m
rotations lessen it. The truth of *error* is the data set's energy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ase.build import molecule
from ase.data import g2
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, GroupKFold

import sparseaug as sa
from studies.examples.rotations import product_grid

SPACE = sa.rotations(3)
SIZES = (4, 12, 24, 60)
GRIDS = (3, 5)  # exact to l
TRAIN, COPIES, TURNS, SEEDS = 110, 16, 32, 10
WIDTHS = (0.01, 0.03, 0.1, 0.3)
Energy = Callable[[Any], Any]


def measure(data: Path) -> dict[str, Any]:
    """The change under rotation and the error of each way, in kcal/mol."""
    x, y = molecules()
    rng = np.random.default_rng(1)
    own = SPACE.matrices(SPACE.sample(COPIES * TRAIN, rng)).reshape(TRAIN, COPIES, 3, 3)
    copies = np.einsum("nkij,naj->nkai", own, x[:TRAIN]).reshape(TRAIN * COPIES, -1)
    fitted = fit(copies, np.repeat(y[:TRAIN], COPIES), np.repeat(np.arange(TRAIN), COPIES))
    shown, truth = x[TRAIN:], y[TRAIN:]
    turned = np.einsum("kij,naj->knai", SPACE.matrices(SPACE.sample(TURNS, rng)), shown)

    def one(x: Any) -> Any:
        return fitted(x.reshape(len(x), -1))

    def judge(way: str, m: int, ways: list[Energy]) -> dict[str, Any]:
        found = np.stack([f(turned.reshape(-1, *x.shape[1:])).reshape(TURNS, -1) for f in ways])
        change = float(np.sqrt(found.var(axis=1).mean()))
        return {"way": way, "m": m, "change": change, "error": float(np.abs(found - truth).mean())}

    def rule(matrices: Any, weights: Any) -> Energy:
        return lambda x: sum(w * one(x @ R.T) for R, w in zip(matrices, weights, strict=True))

    def over(S: sa.GroupSample) -> Energy:
        return rule(SPACE.matrices(S.elements), np.full(S.m, 1 / S.m))

    spectrum = sa.orbit_spectrum(one, sa.rotate(SPACE), x[:TRAIN], calls=512)
    rows = [judge("one view", 1, [one])]
    for m in SIZES:
        draws = [over(sa.Oracle(SPACE, seed=seed).draw(m)) for seed in range(SEEDS)]
        rows.append(judge("draws", m, draws))
        rows.append(judge("chosen", m, [over(sa.design(SPACE, m=m, spectrum=spectrum))]))
    for exact in GRIDS:
        grid = product_grid(exact, exact + 1)
        rows.append(judge("weighted grid", len(grid.weights), [rule(grid.matrices, grid.weights)]))
    rows.append(judge("principal axes", 1, [lambda x: one(frames(x)[0])]))
    rows.append(judge("principal axes", 4, [lambda x: np.mean([one(z) for z in frames(x)], 0)]))
    seen = fit(distances(x[:TRAIN]), y[:TRAIN], np.arange(TRAIN))
    rows.append(judge("kernel on distances", 1, [lambda x: seen(distances(x))]))
    return {"rows": rows, "spread": float(np.abs(truth - y[:TRAIN].mean()).mean())}


def molecules() -> tuple[Any, Any]:
    """Positions about the centre, times the root of the charge, heavy atoms first; and energies."""
    energies: dict[str, Any] = g2.data
    names = [name for name in g2.molecule_names if len(molecule(name)) > 1]  # type: ignore[no-untyped-call]
    x = np.zeros((len(names), 14, 3))
    for row, name in zip(x, names, strict=True):
        atoms = molecule(name)  # type: ignore[no-untyped-call]
        order = np.argsort(-atoms.numbers, kind="stable")
        places = atoms.positions - atoms.positions.mean(axis=0)
        row[: len(atoms)] = places[order] * np.sqrt(atoms.numbers[order])[:, None] / 3
    mixed = np.random.default_rng(0).permutation(len(names))
    return x[mixed], np.array([energies[name]["ZPE"] for name in names])[mixed]


def fit(x: Any, y: Any, molecule_of: Any) -> Energy:
    """A Gaussian kernel machine; its width by cross-validation over molecules."""
    search = GridSearchCV(
        KernelRidge(kernel="rbf", alpha=1e-2),
        {"gamma": list(WIDTHS)},
        scoring="neg_mean_absolute_error",
        cv=GroupKFold(5),
    )
    search.fit(x, y - y.mean(), groups=molecule_of)
    return lambda x: search.predict(x) + y.mean()


def frames(x: Any) -> list[Any]:
    """Molecules in their principal axes: the four right-handed choices of signs.

    The first has its signs by the third moments, as a canonical form would.
    """
    _, axes = np.linalg.eigh(np.einsum("nai,naj->nij", x, x))
    along = x @ axes
    signs = np.where((along**3).sum(axis=1) < 0, -1.0, 1.0)
    signs[:, 2] = signs[:, 0] * signs[:, 1] * np.linalg.det(axes)
    turns = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
    return [along * (signs * turn)[:, None] for turn in turns]


def distances(x: Any) -> Any:
    """All distances between the scaled atoms, sorted: invariant features."""
    between = np.linalg.norm(x[:, :, None] - x[:, None], axis=3)
    return np.sort(between.reshape(len(x), -1), axis=1)
