"""What a spectrum predicts next to what averaging really leaves, for models trained on real data.

    python -m studies.spectrum [inputs]

For each model and each S: the mean-square error of averaging the model over k S h, relative to the
variance over the orbit, (a) predicted from the exact spectrum, (b) predicted from 256 draws with its
95 % bar (three quarters of the order where the group is smaller), (c) measured over random k, h, with
the mean over the whole group known. Then for each model what `choose` takes at two errors, from the
draws, next to as many draws. Exits with 1 unless the median error of (a) is at most 10 %, all of (a)
and (b) are within three bars of (c), and no choice leaves more than as many draws. Bars of the
comparison include the spread of (c).

Data: handwritten digits (scikit-learn) as images under shifts, as outlines under shifts and mirror
images, and as principal components whose signs are arbitrary; small molecules (ASE's collection g2) as
Coulomb matrices whose atoms come in any order.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from ase.build import molecule
from ase.data import g2
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table
from scipy.ndimage import map_coordinates
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.neural_network import MLPClassifier, MLPRegressor

import sparseaug as sa
from sparseaug.designs.constructions import fixed_designs

CALLS = 256
TRANSLATES = 400
Floats = NDArray[np.float64]
Predict = Callable[[Floats], Floats]


class Problem(NamedTuple):
    name: str
    action: sa.actions.Action
    x: Floats
    models: dict[str, Predict]


def flat(predict: Callable[[Floats], Floats]) -> Predict:
    return lambda x: predict(x.reshape(len(x), -1)).reshape(len(x), -1)


def classifiers(x: Floats, y: Floats) -> dict[str, Predict]:
    X = x.reshape(len(x), -1)
    network = MLPClassifier(
        hidden_layer_sizes=(64,), max_iter=200, random_state=0, early_stopping=True
    ).fit(X, y)
    forest = RandomForestClassifier(60, random_state=0).fit(X, y)
    kernel = KernelRidge(alpha=1e-2, kernel="rbf", gamma=0.5 / X.shape[1]).fit(X, np.eye(10)[y])
    return {
        "network": flat(network.predict_proba),
        "forest": flat(forest.predict_proba),
        "kernel": flat(kernel.predict),
    }


def images(inputs: int) -> Problem:
    x, y = load_digits(return_X_y=True)
    x = (x.reshape(-1, 8, 8) - 8) / 8
    return Problem(
        "digits, shifts",
        sa.roll(sa.abelian(8, 8)),
        x[-inputs:],
        classifiers(x[:-inputs], y[:-inputs]),
    )


def outlines(inputs: int) -> Problem:
    """The distance from the centre of ink to the outline, in 48 directions."""
    images, y = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8) / 16
    angles = 2 * np.pi * np.arange(48) / 48
    radii = np.linspace(0, 6, 61)
    grid = np.arange(8.0)
    found = []
    for image in images:
        centre = np.array([image.sum(1) @ grid, image.sum(0) @ grid]) / image.sum()
        rays = radii[:, None] * np.stack([np.sin(angles), np.cos(angles)])[:, None]
        inside = map_coordinates(image, centre[:, None, None] + rays, order=1) > 0.4
        found.append((inside * radii[:, None]).max(axis=0))
    x = np.array(found) - np.mean(found)
    return Problem(
        "outlines, D48",
        sa.permute_axis(sa.dihedral(48)),
        x[-inputs:],
        classifiers(x[:-inputs], y[:-inputs]),
    )


def components(inputs: int) -> Problem:
    x, y = load_digits(return_X_y=True)
    x = PCA(10, whiten=True, random_state=0).fit_transform(x)
    return Problem(
        "components, signs",
        sa.flip_signs(sa.sign_flips(10)),
        x[-inputs:],
        classifiers(x[:-inputs], y[:-inputs]),
    )


def molecules(inputs: int) -> Problem:
    """Coulomb matrices of molecules with up to seven atoms; nuclear repulsion per atom."""
    matrices, targets = [], []
    for name in g2.molecule_names:
        atoms = molecule(name)  # type: ignore[no-untyped-call]
        if not 3 <= len(atoms) <= 7:
            continue
        Z = atoms.numbers.astype(float)
        distances = atoms.get_all_distances() + np.eye(len(atoms))
        repulsion = np.outer(Z, Z) / distances
        np.fill_diagonal(repulsion, 0.5 * Z**2.4)
        padded = np.zeros((7, 7))
        padded[: len(atoms), : len(atoms)] = repulsion
        matrices.append(padded)
        targets.append((repulsion.sum() - np.trace(repulsion)) / 2 / len(atoms))
    x = np.array(matrices)
    y = np.array(targets)
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order] / x.std(), (y[order] - y.mean()) / y.std()
    group = sa.symmetric(7)
    act = sa.permute_nodes(group)
    test, train = x[:inputs], x[inputs // 2 :]
    # trained on four orders of the atoms of each
    S = sa.Oracle(group, seed=1).draw(4)
    X = act(S.elements, train).reshape(-1, 49)
    Y = np.tile(y[inputs // 2 :], 4)
    network = MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=300, random_state=0).fit(X, Y)
    forest = RandomForestRegressor(40, random_state=0).fit(X, Y)
    kernel = KernelRidge(alpha=1e-3, kernel="rbf", gamma=0.02).fit(X, Y)
    models = {"network": network.predict, "forest": forest.predict, "kernel": kernel.predict}
    return Problem("molecules, S7", act, test, {k: flat(f) for k, f in models.items()})


def samples(group: Any) -> Iterator[tuple[str, sa.GroupSample]]:
    oracle = sa.Oracle(group, seed=11)
    yield "8 draws", oracle.draw(8)
    S = oracle.draw(24)
    yield "24 draws", S
    yield "40 words", S.words(length=2, size=40, seed=0)
    for one in fixed_designs(group, most=64):
        if one.m is not None and one.m > 2 and one.kind != "full":
            yield one.name, one.sample()
    if group.moduli and max(group.moduli) > 2:
        for m in (8, 16, 32):
            yield f"lattice {m}", sa.design(group, m=m, name="lattice")
    if group.transform == "dihedral":
        for m in (8, 24):
            yield f"lattice {m}", sa.design(group, m=m, name="lattice")


def measured(values: Floats, S: sa.GroupSample, inputs: int) -> tuple[float, float]:
    """The mean-square error over translates, and the 95 % half-width of that mean."""
    group = S.group
    rng = np.random.default_rng(5)
    mean = values.mean(axis=0)
    left, right = group.sample(TRANSLATES, rng), group.sample(TRANSLATES, rng)
    errors = []
    for k, h in zip(left, right, strict=True):
        rows = group.compose(group.compose(k[None], S.elements), h[None])
        chosen = values[group.rank(rows)].mean(axis=0)
        errors.append(((chosen - mean) ** 2).sum() / inputs)
    return float(np.mean(errors)), 1.96 * float(np.std(errors)) / math.sqrt(TRANSLATES)


def main() -> None:
    inputs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    console = Console(width=120)
    heads = ("data", "model", "S", "m", "exact", "256 draws", "measured", "error", "bars", "bars")
    table = Table(*heads, box=box.SIMPLE, title="mean-square error, in % of the variance")
    choices = Table("data", "model", "chosen", "m", "left", "draws", box=box.SIMPLE)
    errors, second, bars, worse = [], [], [], 0
    for make in (images, outlines, components, molecules):
        problem = make(inputs)
        group = problem.action.group
        everything = group.all_elements()
        n = len(problem.x)
        for name, f in problem.models.items():
            exact = sa.orbit_spectrum(f, problem.action, problem.x)
            drawn = sa.orbit_spectrum(
                f, problem.action, problem.x, calls=min(CALLS, 3 * group.order // 4)
            )
            steps = range(0, len(everything), 256)
            values = np.concatenate(
                [
                    f(
                        problem.action(everything[i : i + 256], problem.x).reshape(
                            -1, *problem.x.shape[1:]
                        )
                    ).reshape(len(everything[i : i + 256]), -1)
                    for i in steps
                ]
            )
            total = exact.variance
            for label, S in samples(group):
                one, two = exact.predict(S), drawn.predict(S)
                truth, spread = measured(values, S, n)
                small = 1e-9 * total
                error = abs(one.value - truth) / truth if truth > small else 0.0
                errors.append(error)
                second.append(abs(two.value - truth) / truth if truth > small else 0.0)
                apart = [
                    abs(p.value - truth) / (math.hypot(p.error, spread) + small) for p in (one, two)
                ]
                bars.append(apart)
                table.add_row(
                    *(problem.name, name, label, str(S.m), f"{100 * one.value / total:.3f}"),
                    f"{100 * two.value / total:.3f} +- {100 * two.error / total:.2g}",
                    f"{100 * truth / total:.3f}",
                    f"{100 * error:.1f} %",
                    *(f"{each:.1f}" for each in apart),
                )
            for part in (0.3, 0.1):
                choice = sa.choose(drawn, error=part * drawn.variance**0.5)
                if choice.name == "draws":
                    continue
                truth, spread = measured(values, choice.sample, n)
                m = choice.sample.m
                worse += truth - spread > total / m
                choices.add_row(
                    *(problem.name, name, choice.name, str(m)),
                    *(f"{100 * truth / total:.3g} %", f"{100 / m:.3g} %"),
                )
    console.print(table)
    console.print(choices)
    median = float(np.median(errors))
    most = np.max(bars, axis=0)
    console.print(
        f"{len(errors)} pairs of a model and an S: median error {100 * median:.1f} % "
        f"({100 * float(np.median(second)):.1f} % from draws); at most "
        f"{most[0]:.1f} bars from the exact spectrum, {most[1]:.1f} from draws; {worse} choices "
        "worse than draws"
    )
    sys.exit(median > 0.1 or most.max() > 3 or worse > 0)


if __name__ == "__main__":
    main()
